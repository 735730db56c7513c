"""``bench release``: write release conditions to disk."""

from __future__ import annotations

import re
from pathlib import Path

import click

from bench.cli.common import Session, simple_table, standard_options
from bench.cli.inputs import Source, corpus_option, policy_option, source_options
from bench.core.model import Json
from bench.core.taxonomy import Policy
from bench.pipeline.member_spans import MemberSpans
from bench.pipeline.members import open_spans, parse_ensemble
from bench.votes import segments
from conditions.base import ReleaseSettings
from conditions.keys import KEY_FILE_NAME, load_key
from conditions.registry import parse_conditions
from conditions.standard import Surrogates
from conditions.surrogates import PoolUse
from conditions.writer import Release, write_releases

_COUNTS = ("documents", "characters", "replacements")


@click.command()
@corpus_option
@source_options
@click.option(
    "--ensemble", default="embedded", show_default=True, metavar="EXPR", help="union(a,b), atleast2(…), a set, a detector."
)
@click.option("--conditions", "wanted", default="A,B,C", show_default=True, metavar="LIST", help="Conditions to write.")
@policy_option
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder to write to [default: releases/<corpus>-<ensemble> in the workspace].",
)
@click.option("--texts/--no-texts", default=True, show_default=True, help="One text file per document beside the JSONL file.")
@click.option("--write-mapping", is_flag=True, help="Write mapping.jsonl, from every surface to its surrogate (mode 0600).")
@click.option("--key-file", type=click.Path(path_type=Path, dir_okay=False), help="Secret key of the surrogates (hexadecimal).")
@standard_options
def command(
    session: Session,
    name: str,
    source: Source,
    ensemble: str,
    wanted: str,
    policy: Policy,
    output: Path | None,
    texts: bool,
    write_mapping: bool,
    key_file: Path | None,
) -> None:
    """Write a corpus under release conditions, from spans that are in the cache or were imported.

    For each condition: CONDITION.jsonl (one document a line, with its offset map), CONDITION/ (one text file per document) and
    CONDITION.json (the manifest). B rewritten into C is checked to be C, character for character. The secret key is read from
    --key-file, DEIDBENCH_KEY or DEIDBENCH_KEY_FILE; without any, one is created in the workspace (mode 0600).
    """
    workspace = session.workspace
    classes = parse_conditions(wanted)
    chosen = parse_ensemble(workspace, ensemble)
    key = load_key(key_file, workspace.home / KEY_FILE_NAME) if any(c.needs_key for c in classes) else None
    corpus = source.obtain(session, name)
    members = open_spans(workspace, corpus, chosen)
    merged = segments(corpus.tokens(), [member.table for member in members], policy, chosen.k)
    settings = ReleaseSettings(key=key, mentions=corpus.mentions())
    conditions = [condition.create(settings) for condition in classes]
    folder = output or workspace.home / "releases" / _folder_name(corpus.name, chosen.name)
    origin: dict[str, Json] = {
        "corpus": corpus.name,
        "corpus_fingerprint": corpus.fingerprint,
        "ensemble": chosen.expression,
        "policy": policy.name,
        "detectors": {member.name: member.fingerprint for member in members},
        "unanswered": {member.name: _unanswered(member) for member in members},
    }
    with session.progress(f"{corpus.name}: release {', '.join(c.name for c in classes)}", len(corpus)) as progress:
        releases = write_releases(
            folder,
            corpus.documents,
            merged,
            conditions,
            origin=origin,
            texts=texts,
            mapping=write_mapping,
            progress=progress,
        )
    crowded = [use for c in conditions if isinstance(c, Surrogates) for use in c.surrogates.pool_uses if use.crowded]
    _show(session, folder, releases, members, crowded)
    session.finish(
        {
            **origin,
            "output": str(folder),
            "key_fingerprint": key.fingerprint if key else None,
            "releases": [release.to_json() for release in releases],
        },
        failures=sum(member.count("failed") for member in members),
    )


def _folder_name(corpus: str, ensemble: str) -> str:
    return f"{corpus}-{re.sub(r'[^A-Za-z0-9._-]+', '-', ensemble).strip('-')[:60]}"


def _unanswered(member: MemberSpans) -> Json:
    """Documents that a detector has no whole answer for, by status."""
    return {status: n for status in ("truncated", "failed", "missing", "unsupported") if (n := member.count(status))}


def _show(session: Session, folder: Path, releases: list[Release], members: list[MemberSpans], crowded: list[PoolUse]) -> None:
    table = simple_table(
        "", ["condition", "documents", "characters", "replacements", "file"], right=["documents", "characters", "replacements"]
    )
    for release in releases:
        counts = (release.documents, release.characters, release.replacements)
        table.add_row(release.condition, *(f"{n:,}" for n in counts), str(folder / f"{release.condition}.jsonl"))
    session.show(table)
    for member in members:
        # The text of such a document goes out with whatever the other members found, or with nothing replaced at all.
        for status in ("truncated", "failed", "missing"):
            if n := member.count(status):
                session.note(f"note: {member.name} has no whole answer for {n} documents ({status}); they are released too")
    for use in crowded:
        session.note(
            f"note: {use.keys} {use.type} keys draw from {use.size} surrogates of pool {use.kind!r}: "
            f"about {use.collisions:.1f} pairs collide by chance"
        )
