"""The command line: ``python -m bench …``, also installed as ``deidbench``. One module per subcommand, imported when used."""

from __future__ import annotations

import importlib
import io
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from bench import __version__
from bench.cli import interrupts
from bench.core.errors import DeidbenchError, UnknownNameError

#: Command name to ``module:attribute`` and the one line of the overview (so that ``--help`` imports nothing).
COMMANDS: Mapping[str, tuple[str, str]] = {
    "run": ("bench.cli.run:command", "The whole chain for a corpus and an ensemble."),
    "corpora": ("bench.cli.corpora:command", "List, prepare, describe and check corpora."),
    "detect": ("bench.cli.detect:command", "Fill the span cache only."),
    "detectors": ("bench.cli.detectors:command", "List detectors; import and export spans files."),
    "front": ("bench.cli.front:command", "Operating points and cost-sensitivity fronts."),
    "release": ("bench.cli.release:command", "Write release conditions A, B and C to disk."),
    "report": ("bench.cli.report:command", "LaTeX tables from one or more runs."),
}


class LazyGroup(click.Group):
    """A group whose commands are imported when they are used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name][0].partition(":")
        command = getattr(importlib.import_module(module), attribute)
        if not isinstance(command, click.Command):
            raise TypeError(f"{module}:{attribute} is not a click command")
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            raise UnknownNameError("command", args[0], COMMANDS)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="deidbench")
def cli() -> None:
    """Measure what a de-identified text release protects, what it costs, and what stays exposed."""


def invoke(arguments: Sequence[str] | None = None, **extra: Any) -> int:
    """Run one command line and return its exit code: 0 done, 1 failed, 2 wrong use, 3 finished with failures listed."""
    try:
        result = cli.main(
            args=list(arguments) if arguments is not None else None, prog_name="bench", standalone_mode=False, **extra
        )
    except click.exceptions.Exit as stop:
        return int(stop.exit_code)
    except click.Abort:
        return _interrupted()
    except click.ClickException as error:
        error.show()
        return 2 if isinstance(error, click.UsageError) else 1
    except DeidbenchError as error:
        # One line as a rule; where several things are missing, each has a line of its own.
        click.echo(f"error: {error}", err=True)
        return error.exit_code
    except KeyboardInterrupt:
        return _interrupted()
    except BrokenPipeError:
        # The reader of a pipe went away (``| head``): not our failure, and nothing more can be said on that pipe.
        _discard_output()
        return 1
    except OSError as error:
        # Files are named where they are opened; what is left is mostly standard output on a full disk.
        if error.filename is None:
            _discard_output()
        place = "standard output" if error.filename is None else repr(str(error.filename))
        click.echo(f"error: cannot read or write {place}: {error.strerror or error}", err=True)
        return 1
    return result if isinstance(result, int) else 0


def _interrupted() -> int:
    click.echo("interrupted: finished documents are kept; the same command resumes where it stopped", err=True)
    return 1


def _discard_output() -> None:
    """Send what is still to be written nowhere, so that the end of the program does not fail on it once more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _prepare_streams() -> None:
    """Make a closed stream one that leads nowhere, and characters that the locale lacks an escape instead of a crash."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - as long as the program
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def main() -> None:
    """Entry point of the console script."""
    interrupts.install()
    _prepare_streams()
    sys.exit(invoke())
