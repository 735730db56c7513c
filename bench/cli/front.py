"""``bench front``: every ensemble a set of detectors allows, scored exactly; the front and the operating points."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from bench.cli.common import Session, standard_options
from bench.cli.inputs import Source, corpus_option, policy_option, source_options
from bench.core.corpus import Corpus
from bench.core.errors import NotAvailableError
from bench.core.spancache import SpanCache
from bench.core.taxonomy import Policy
from bench.ensembles import Ensemble
from bench.front_candidates import ACCEPTED, largest_size
from bench.front_view import candidates_table, check_output, front_json, machines, points_table, write_candidates
from bench.fronts import CostKind, Front, Level, compute_front
from bench.pipeline.member_spans import MemberSpans
from bench.pipeline.members import open_spans, parse_detectors

#: Candidates that are shown, and that stand in the JSON object, without being asked for.
_SHOWN: Final[int] = 40
_IN_JSON: Final[int] = 5_000


@click.command()
@corpus_option
@source_options
@click.option(
    "--detectors",
    default="embedded",
    show_default=True,
    metavar="LIST",
    help="Detectors to combine: a,b,c, a set, an expression.",
)
@click.option("--candidates", default="triples", show_default=True, metavar="SET", help=f"Ensembles to score: {ACCEPTED}.")
@click.option(
    "--level",
    type=click.Choice(["token", "mention", "entity"]),
    default="token",
    show_default=True,
    help="What sensitivity counts: tokens flagged, mentions replaced whole, entities protected whole.",
)
@click.option(
    "--cost",
    type=click.Choice(["parallel", "serial"]),
    default="parallel",
    show_default=True,
    help="Cost of an ensemble: its slowest member, or the sum of all.",
)
@policy_option
@click.option("--list", "list_all", is_flag=True, help=f"Show every candidate, also if there are more than {_SHOWN}.")
@click.option("--output", type=click.Path(path_type=Path), help="Write every candidate to this .parquet or .csv file.")
@standard_options
def command(
    session: Session,
    name: str,
    source: Source,
    detectors: str,
    candidates: str,
    level: Level,
    cost: CostKind,
    policy: Policy,
    list_all: bool,
    output: Path | None,
) -> None:
    """Score every ensemble of some detectors over a corpus, from spans that are in the cache or were imported.

    Shows the operating points (maximum and fast sensitivity, maximum and fast specificity) and the front over cost, sensitivity
    and specificity.
    """
    workspace = session.workspace
    if output is not None:
        check_output(output)
    wanted = Ensemble.of(parse_detectors(workspace, detectors), 1, detectors)
    largest_size(candidates, len(wanted.members))  # a wrong set is said before a corpus is read
    corpus = source.obtain(session, name)
    opened = open_spans(workspace, corpus, wanted)
    ran = [member for member in opened if member.ran]
    idle = [member.name for member in opened if not member.ran]
    if not ran:
        raise NotAvailableError(f"none of {', '.join(idle)} supports a language of corpus {corpus.name!r}; nothing to combine")
    for member in idle:
        session.note(f"{member}: supports no language of {corpus.name}, left out")
    front = compute_front(
        corpus.tokens(),
        corpus.mentions(),
        [member.table for member in ran],
        [member.name for member in ran],
        policy,
        {member.name: member.cost for member in ran},
        candidates=candidates,
        level=level,
        cost=cost,
    )
    hardware = machines(_hardware(session, corpus, ran, front))
    _show(session, corpus, front, hardware, list_all)
    if output is not None:
        write_candidates(front, output)
        session.print(f"{len(front.candidates):,} candidates written to {output}")
    session.finish(
        {
            "corpus": corpus.name,
            "corpus_fingerprint": corpus.fingerprint,
            "policy": policy.name,
            "candidate_set": candidates,
            "left_out": idle,
            "hardware": hardware,
            "fingerprints": {member.name: member.fingerprint for member in ran},
            "output": None if output is None else str(output),
            **front_json(front, listed=list_all or len(front.candidates) <= _IN_JSON),
        }
    )


def _hardware(session: Session, corpus: Corpus, members: list[MemberSpans], front: Front) -> list[dict[str, object]]:
    """The machines behind every cost that was measured."""
    priced = [member for member in members if member.name not in front.unpriced]
    caches = [SpanCache.of(session.workspace.spans, corpus, member.fingerprint) for member in priced]
    return [dict(machine) for cache in caches for machine in cache.hardware()]


def _show(session: Session, corpus: Corpus, front: Front, hardware: list[str], list_all: bool) -> None:
    row = front.candidates.row(0, named=True)
    session.print(f"{corpus.name}: {len(front.candidates):,} ensembles of {len(front.detectors)} detectors")
    session.print(
        f"{row['gold_tokens']:,} gold and {row['non_gold_tokens']:,} other tokens, "
        f"{row['mentions']:,} mentions of {row['entities']:,} entities"
    )
    session.print()
    session.show(points_table(front))
    session.print()
    if front.unpriced:
        session.print(
            f"no cost was measured for {', '.join(front.unpriced)}: the front compares sensitivity and specificity alone"
        )
    if list_all or len(front.candidates) <= _SHOWN:
        session.show(candidates_table(front, front.candidates, "Every ensemble; * on the front"))
    else:
        session.show(candidates_table(front, front.front, f"Front: {len(front.front)} of {len(front.candidates):,} ensembles"))
    session.print()
    for line in hardware:
        session.print(f"costs measured on {line}")
    if len(hardware) > 1:
        session.note("warning: the costs come from different machines or settings and cannot be compared without care")
