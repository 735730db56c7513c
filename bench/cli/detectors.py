"""``bench detectors``: list the detectors, check that they run here, import and export spans files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Any, Final

import click

from bench.cli.common import Session, simple_table, standard_options
from bench.cli.spans import command as spans
from bench.core.errors import DeidbenchError
from bench.core.model import Document
from detectors import loading

#: Fingerprints are shown by their beginning.
PREFIX: Final = 12
#: What `check` lets a detector read, by language; English where none is listed.
_SAMPLES: Final[Mapping[str, str]] = {
    "en": "My name is Angela Martin, call (212) 555-0199 or write to angela.martin@example.com. I live in Berlin.",
    "de": "Frau Anna Schneider aus Köln ist unter anna.schneider@example.com und 0221 4785500 zu erreichen.",
    "zh": "李小龙昨天去了上海，电话13800138000，邮箱 li@example.com。",
}


@click.group()
def command() -> None:
    """List and check detectors; import and export spans files."""


command.add_command(spans, "spans")


@command.command("list")
@standard_options
def list_(session: Session) -> None:
    """List every registered detector: what it reads, whether it can run here, and what is missing if not."""
    entries = [_described(name) for name in loading.names()]
    table = simple_table("Detectors", ["name", "adapter", "languages", "here", "fingerprint", "licence"])
    for entry in entries:
        shown = "ready" if entry["runnable"] else entry["error"] or entry["remedy"]
        table.add_row(
            entry["name"],
            entry["adapter"],
            _languages(entry["languages"]),
            shown,
            entry["fingerprint"][:PREFIX],
            entry["licence"],
        )
    session.show(table)
    session.finish({"detectors": entries}, failures=sum(bool(entry["error"]) for entry in entries))


def _languages(codes: Sequence[str]) -> str:
    if "*" in codes:
        return "any"
    return " ".join(codes) if len(codes) <= 4 else f"{len(codes)} languages"


def _described(name: str) -> dict[str, Any]:
    """One row; a manifest or plug-in that cannot be read shows its error, and the others are still listed."""
    entry: dict[str, Any] = {
        "name": name,
        "adapter": "",
        "languages": [],
        "runnable": False,
        "remedy": "",
        "error": "",
        "fingerprint": "",
        "licence": "",
        "source": "",
        "note": "",
        "origin": loading.DETECTORS.origin(name),
    }
    try:
        spec = loading.spec_of(name)
        entry |= {
            "adapter": spec.adapter,
            "languages": list(spec.languages),
            "licence": spec.licence,
            "source": spec.source,
            "note": spec.note,
        }
        entry["remedy"] = loading.remedy(spec) or ""
        if not entry["remedy"]:
            entry["fingerprint"] = loading.fingerprint(spec)
            entry["runnable"] = True
    except DeidbenchError as error:
        entry["error"] = str(error)
    return entry


@command.command("check")
@click.argument("detectors", nargs=-1, metavar="[NAME|MANIFEST.toml]...")
@standard_options
def check(session: Session, detectors: Sequence[str]) -> None:
    """Load detectors and let each read one sentence [default: all that can run here].

    A label of the model without an entry in the manifest's map, options that do not validate and a model that does not load
    are failures; so is a named detector that is not installed.
    """
    names = detectors or [name for name in loading.names() if _described(name)["runnable"]]
    results = []
    table = simple_table(
        "", ["name", "result", "seconds to load", "spans in the sample"], ["seconds to load", "spans in the sample"]
    )
    with session.progress("checking", len(names)) as progress:
        for done, name in enumerate(names, start=1):
            results.append(_checked(name))
            progress(done)
    for result in results:
        seconds, found = result["load_seconds"], result["spans"]
        table.add_row(
            result["name"],
            result["error"] or "ok",
            "" if seconds is None else f"{seconds:.2f}",
            "" if found is None else str(found),
        )
    session.show(table)
    session.finish({"checked": results}, failures=sum(bool(result["error"]) for result in results))


def _checked(name: str) -> dict[str, Any]:
    result: dict[str, Any] = {"name": name, "error": "", "load_seconds": None, "spans": None}
    try:
        spec = loading.spec_of(name)
        result["name"] = spec.name
        started = perf_counter()
        adapter = loading.load(spec)
        result["load_seconds"] = perf_counter() - started
        language = next((code for code in ("en", *spec.languages) if code in _SAMPLES and spec.supports(code)), "en")
        (detection,) = adapter.detect([Document("sample", _SAMPLES[language], language)])
        result["spans"] = len(detection.spans)
        if detection.status not in ("ok", "unsupported"):
            result["error"] = f"{detection.status}: {detection.reason}"
    except DeidbenchError as error:
        result["error"] = str(error)
    return result
