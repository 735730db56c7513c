"""What every command shares: ``--home``, ``--config``, ``--json``; where output goes; progress; how failures end.

Conventions (docs/formats.md):

* Each command is one module with a `click.Command` named ``command``, decorated with `standard_options`; its function takes the
  `Session` first.
* Results for people go through `Session.show` and `Session.print`: to standard output, or to standard error under ``--json``.
* A command ends with `Session.finish(data, failures=n)`: under ``--json`` it prints `data` as one JSON line on standard
  output; if there were failures that are listed, the exit code is 3.
* Expected failures are raised as `bench.core.errors.DeidbenchError`; `bench.cli.main` prints them as one line.
"""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.console import Console, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from bench.cli import interrupts
from bench.core.errors import ConfigError, UnknownNameError, UsageError
from bench.core.workspace import Workspace

F = TypeVar("F", bound=Callable[..., Any])

#: Wider than any table: what a line may take where there is no terminal.
_UNFOLDED = 10_000
#: Exit code when a command ran to its end but some inputs failed; the failures are listed.
FINISHED_WITH_FAILURES = 3


class Session:
    """One invocation: the workspace, the consoles, and how it ends."""

    def __init__(self, workspace: Workspace, as_json: bool) -> None:
        self.workspace = workspace
        self.as_json = as_json
        self.err = Console(stderr=True, highlight=False, soft_wrap=True)
        self.out = self.err if as_json else Console(highlight=False, soft_wrap=True)

    def show(self, renderable: RenderableType) -> None:
        """Print a table or another rich renderable for people."""
        # A pipe has no width: nothing is folded, so that lines can be searched. A terminal that is too narrow for the numbers
        # gets lines that are too long rather than numbers that are cut.
        needed = self.out.measure(renderable, options=self.out.options.update(max_width=_UNFOLDED))
        wide = Console(
            file=self.out.file,
            width=max(self.out.width, needed.minimum) if self.out.is_terminal else max(1, needed.maximum),
            force_terminal=self.out.is_terminal,
            no_color=self.out.no_color,
            highlight=False,
        )
        wide.print(renderable)

    def print(self, text: str = "") -> None:
        """Print one plain line for people; markup characters in it are kept."""
        self.out.print(text, markup=False)

    def note(self, text: str) -> None:
        """Print one line about the progress of the work, always to standard error."""
        self.err.print(text, markup=False)

    def finish(self, data: Mapping[str, Any], *, failures: int = 0) -> None:
        """End the command: the JSON line under ``--json``, and exit code 3 if `failures` were listed."""
        if self.as_json:
            # ASCII alone: a program must be able to read it whatever the locale, and a path may hold what is no character.
            sys.stdout.write(json.dumps(data, allow_nan=False) + "\n")
        sys.stdout.flush()
        if failures:
            raise click.exceptions.Exit(FINISHED_WITH_FAILURES)

    @contextmanager
    def progress(self, label: str, total: int | None) -> Iterator[Callable[[int], None]]:
        """A progress bar on a terminal, a plain line now and then elsewhere; yields a setter of the amount done so far."""
        if self.err.is_terminal:
            columns = (
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
                TimeRemainingColumn(),
            )
            with Progress(*columns, console=self.err, transient=True) as bar:
                task = bar.add_task(label, total=total)

                def advance(done: int) -> None:
                    interrupts.check()
                    bar.update(task, completed=done)

                yield advance
            return
        last = -1

        def report(done: int) -> None:
            nonlocal last
            interrupts.check()
            step = done * 4 // total if total else done // 1000
            if step > last:
                last = step
                self.note(f"{label}: {done}{f'/{total}' if total else ''}")

        yield report


def _load_config(context: click.Context, _parameter: click.Parameter, value: Path | None) -> Path | None:
    """Make a TOML table the defaults of this command; flags still win because they are read after."""
    if value is None:
        return None
    try:
        data: Any = tomllib.loads(value.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"cannot read config {str(value)!r}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"config {str(value)!r} is not valid TOML: {error}") from None
    where = f"config {str(value)!r}"
    path = [context]
    while path[0].parent is not None:
        path.insert(0, path[0].parent)
    names = [str(step.info_name) for step in path[1:]]
    # Every command may have its table in one file, but a table that belongs to none is a typing error.
    for depth, step in enumerate(path[:-1]):
        commands = step.command.list_commands(step) if isinstance(step.command, click.Group) else []
        for key in data:
            if key not in commands:
                inside = "".join(f"{name}." for name in names[:depth])
                raise UnknownNameError("table", inside + key, [inside + command for command in commands], where)
        data = data.get(names[depth], {})
        if not isinstance(data, dict):
            raise ConfigError(f"{where}: {'.'.join(names[: depth + 1])!r} is {data!r}, expected a table of options")
    where += f" [{'.'.join(names)}]"
    known = {p.name: p for p in context.command.params if p.name and p.name != "config"}
    spelled = {opt.lstrip("-").replace("-", "_"): name for name, p in known.items() for opt in p.opts}
    defaults: dict[str, Any] = {}
    for key, setting in data.items():
        name = key.replace("-", "_")
        if name not in spelled and name not in known:
            raise UnknownNameError("option", key, spelled, where)
        name = spelled.get(name, name)
        defaults[name] = _spelled_as_flag(known[name], setting, f"{where}: {key!r}")
    context.default_map = defaults
    return value


def _spelled_as_flag(parameter: click.Parameter, setting: Any, where: str) -> Any:
    """A TOML value as the command line would give it, so that it is checked in the same way: 1.5 is no whole number."""
    if isinstance(parameter, click.Option) and parameter.is_flag:
        if not isinstance(setting, bool):
            raise ConfigError(f"{where} is {setting!r}, expected true or false")
        return setting
    several = parameter.nargs == -1 or (isinstance(parameter, click.Option) and parameter.multiple)
    values = setting if several and isinstance(setting, list) else [setting]
    for one in values:
        if isinstance(one, bool) or not isinstance(one, str | int | float):
            raise ConfigError(f"{where} is {setting!r}, expected a string or a number{', or a list of them' if several else ''}")
    return [str(one) for one in values] if several else str(setting)


def standard_options(function: F) -> F:
    """Add ``--home``, ``--config`` and ``--json``, and pass a `Session` as the first argument."""

    @click.option("--home", type=click.Path(path_type=Path), help="Workspace [default: $BENCH_HOME or the user's cache].")
    @click.option(
        "--config",
        type=click.Path(path_type=Path, dir_okay=False),
        is_eager=True,
        expose_value=False,
        callback=_load_config,
        help="TOML file with options of this command in a table of its name; flags win.",
    )
    @click.option("--json", "as_json", is_flag=True, help="Print one JSON object as the last line of standard output.")
    @wraps(function)
    def wrapper(*args: Any, home: Path | None, as_json: bool, **kwargs: Any) -> Any:
        return function(Session(Workspace.at(home), as_json), *args, **kwargs)

    return wrapper  # type: ignore[return-value]


def key_values(pairs: Iterable[str], option: str) -> dict[str, str]:
    """Parse repeated ``KEY=VALUE`` arguments of `option`."""
    result: dict[str, str] = {}
    for pair in pairs:
        key, sign, value = pair.partition("=")
        if not sign or not key:
            raise UsageError(f"{option} {pair!r} is not of the form KEY=VALUE")
        if key in result:
            raise UsageError(f"{option} gives {key!r} twice")
        result[key] = value
    return result


def loader_options(pairs: Iterable[str], flags: Mapping[str, str | None]) -> dict[str, str]:
    """Options of a corpus format: ``--option KEY=VALUE`` and the flags that are short for one."""
    options = key_values(pairs, "--option")
    for key, value in flags.items():
        if value is not None:
            if key in options:
                raise UsageError(f"--{key} and --option {key}=… are both given; use one")
            options[key] = value
    return options


def simple_table(title: str, columns: Iterable[str], right: Iterable[str] = ()) -> Table:
    """A plain table in the house style; columns named in `right` are right-aligned."""
    table = Table(title=title or None, title_justify="left", box=None, header_style="bold", pad_edge=False)
    aligned = set(right)
    for column in columns:
        number = column in aligned
        table.add_column(column, justify="right" if number else "left", overflow="fold", no_wrap=number)
    return table
