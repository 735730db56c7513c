"""Names to detectors: the registries of adapters and of manifests, and what is done with a specification.

Manifests in ``detectors/registry`` ship with the project. A package adds detectors through the entry-point group
``deidbench.detector`` (the entry is a `DetectorSpec` or the path of a manifest) and adapters through ``deidbench.adapter``; a
single manifest anywhere is used by its path.
"""

from __future__ import annotations

import inspect
import os
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final, TypeAlias

from bench.core.detector import Adapter, DetectorSpec
from bench.core.errors import ConfigError, DeidbenchError, DetectorError, NotAvailableError
from bench.core.registry import Registry
from detectors.manifest import read_manifest

#: What the ``detector`` registry holds.
Entry: TypeAlias = "DetectorSpec | Path | Traversable"


def _is_adapter(entry: object) -> bool:
    return isinstance(entry, type) and issubclass(entry, Adapter) and not inspect.isabstract(entry)


def _is_detector(entry: object) -> bool:
    return isinstance(entry, DetectorSpec | Path | Traversable)


ADAPTERS: Final[Registry[type[Adapter]]] = Registry(
    "adapter", _is_adapter, "a class derived from bench.core.detector.Adapter that implements detect() and weights_digest()"
)
ADAPTERS.add("presidio", "detectors.presidio:PresidioAdapter")
ADAPTERS.add("spacy", "detectors.spacy_ner:SpacyAdapter")
ADAPTERS.add("onnx-tokens", "detectors.onnx_tokens:OnnxTokenAdapter")
ADAPTERS.add("lac", "detectors.lac:LacAdapter")
ADAPTERS.add("hanta", "detectors.hanta:HantaAdapter")

DETECTORS: Final[Registry[Entry]] = Registry("detector", _is_detector, "a DetectorSpec or the path of a manifest")
for _manifest in sorted(files("detectors").joinpath("registry").iterdir(), key=lambda item: item.name):
    if _manifest.name.endswith(".toml"):
        DETECTORS.add(_manifest.name.removesuffix(".toml"), _manifest)

_specs: dict[str, DetectorSpec] = {}


def names() -> list[str]:
    """Names of all known detectors, sorted; reads no manifest and imports nothing."""
    return DETECTORS.names()


def load_specs() -> dict[str, DetectorSpec]:
    """Specifications of all known detectors by name; the first broken manifest raises its `ConfigError`."""
    return {name: spec_of(name) for name in names()}


def spec_of(name_or_path: str | Path) -> DetectorSpec:
    """Specification of a registered detector, or of the manifest at a path (anything that ends in ``.toml`` or has a separator).

    Raises
    ------
    UnknownNameError
        No such name; the message proposes the nearest.
    ConfigError
        The manifest is missing or does not validate, or its ``name`` differs from the one it is registered under.
    """
    text = str(name_or_path)
    if isinstance(name_or_path, Path) or text.endswith(".toml") or os.sep in text:
        return read_manifest(Path(name_or_path))
    if text not in _specs:
        entry = DETECTORS.get(text)
        spec = entry if isinstance(entry, DetectorSpec) else read_manifest(entry)
        if spec.name != text:
            raise ConfigError(f"detector {text!r} (from {DETECTORS.origin(text)}): its manifest has name = {spec.name!r}")
        _specs[text] = spec
    return _specs[text]


def adapter_of(spec: DetectorSpec) -> type[Adapter]:
    """Adapter class of a detector: imports the adapter's module, which imports no model library."""
    return ADAPTERS.get(spec.adapter)


def remedy(spec: DetectorSpec) -> str | None:
    """One line that says what is missing here and the command that brings it, or None if the detector can run."""
    return adapter_of(spec).missing(spec)


def fingerprint(spec: DetectorSpec) -> str:
    """Fingerprint of a detector on this machine: specification, adapter version, digest of weights and packages.

    Raises
    ------
    NotAvailableError
        The detector's package is not installed.
    """
    adapter = adapter_of(spec)
    lack = adapter.missing(spec)
    if lack:
        raise NotAvailableError(lack)
    return spec.fingerprint(adapter.version, adapter.weights_digest(spec))


def load(spec: DetectorSpec) -> Adapter:
    """Load a detector's model.

    Raises
    ------
    NotAvailableError
        Something is not installed; the message gives the command.
    ConfigError, LabelError
        The specification does not fit its adapter or its model.
    DetectorError
        The model does not load.
    """
    adapter = adapter_of(spec)
    lack = adapter.missing(spec)
    if lack:
        raise NotAvailableError(lack)
    try:
        return adapter(spec)
    except DeidbenchError:
        raise
    except Exception as error:
        raise DetectorError(f"detector {spec.name!r} does not load: {type(error).__name__}: {error}") from error
