"""``bench run``: from a corpus and an ensemble to a table of results."""

from __future__ import annotations

from pathlib import Path

import click

from bench.cli.common import Session, standard_options
from bench.cli.inputs import Source, policy_option, source_options
from bench.core.errors import UsageError
from bench.core.taxonomy import Policy
from bench.pipeline.members import known_members, parse_ensemble
from bench.pipeline.run import open_run, run_corpus, write_run
from bench.pipeline.settings import RunSettings
from bench.pipeline.summary import payload, statements, tables, warnings
from conditions.keys import KEY_FILE_NAME, load_key
from corpora.registry import CORPORA, loader


def embedded_corpora() -> list[str]:
    """Names of the corpora that come with this package."""
    return [name for name in CORPORA if CORPORA.origin(name) == "deidbench" and not loader(name).needs_source]


@click.command()
@click.option("--corpus", "names", multiple=True, metavar="NAME", help="Corpus; repeatable [default: all embedded corpora].")
@source_options
@click.option(
    "--ensemble", default="embedded", show_default=True, metavar="EXPR", help="union(a,b), atleast2(…), a set, a detector."
)
@policy_option
@click.option(
    "--candidates", default="triples", show_default=True, help="Candidates of the front: singles, pairs, triples, uptoN, all."
)
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True, help="Processes for detection.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of the bootstrap.")
@click.option("--resamples", type=click.IntRange(1), default=1000, show_default=True, help="Resamples of the bootstrap.")
@click.option("--name", metavar="RUN", help="Name of the run folder [default: from corpora, ensemble and settings].")
@click.option("--key-file", type=click.Path(path_type=Path, dir_okay=False), help="Secret key of the surrogates (hexadecimal).")
@click.option("--retry-failed", is_flag=True, help="Detect again the documents that a detector failed on.")
@standard_options
def command(
    session: Session,
    names: tuple[str, ...],
    source: Source,
    ensemble: str,
    policy: Policy,
    candidates: str,
    workers: int,
    seed: int,
    resamples: int,
    name: str | None,
    key_file: Path | None,
    retry_failed: bool,
) -> None:
    """Detect, combine, release and measure: the whole chain for one or more corpora and an ensemble.

    Without arguments: all embedded corpora with the embedded detectors. A run that was stopped goes on where it stopped. The
    secret key is read from --key-file, DEIDBENCH_KEY or DEIDBENCH_KEY_FILE; without any, one is created in the workspace
    (mode 0600).
    """
    workspace = session.workspace
    wanted = list(names) or embedded_corpora()
    if len(set(wanted)) < len(wanted):
        raise UsageError(f"corpus {next(n for n in wanted if wanted.count(n) > 1)!r} is given twice")
    if source.data is not None and len(wanted) != 1:
        raise UsageError(f"--data goes with exactly one --corpus; {len(wanted)} are given")
    settings = RunSettings(parse_ensemble(workspace, ensemble), policy, seed, resamples, candidates)
    key = load_key(key_file, workspace.home / KEY_FILE_NAME)
    corpora = [source.obtain(session, corpus_name) for corpus_name in wanted]
    outcome = open_run(workspace, settings, corpora, name)
    for corpus in corpora:
        known_members(workspace, corpus, settings.ensemble)  # whatever is missing is said before hours of work begin
    for corpus in corpora:
        outcome.corpora.append(
            run_corpus(
                workspace,
                corpus,
                outcome,
                key,
                workers=workers,
                progress=session.progress,
                retry_failed=retry_failed,
            )
        )
        # A corpus whose answer was read back adds nothing to what is written, unless it is the last.
        if not outcome.corpora[-1].stage.reused or corpus is corpora[-1]:
            write_run(outcome, corpora, workers=workers)
    for table in tables(outcome):
        session.show(table)
        session.print()
    for line in statements(outcome):
        session.print(line)
    session.print()
    for path in outcome.files():
        session.print(str(path))
    for line in warnings(outcome):
        session.note(f"note: {line}")
    session.finish(payload(outcome), failures=outcome.failed)
