"""``make bench``: one line per kernel, ``RATIO <kernel> <measured> >= <required> ok|short``, after the equality check of each.

Every module beside this one has ``run() -> list[Ratio]``, which first checks that the fast and the naive version give the same
answer (an `AssertionError` ends the run) and then times both in this process. Name modules to run only those. The exit code
is 1 if a ratio falls short.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Sequence

import tests.benchmarks
from bench.provenance import hardware


def main(arguments: Sequence[str]) -> int:
    """Run the benchmarks named (default: all) and return the exit code."""
    names = sorted(m.name for m in pkgutil.iter_modules(tests.benchmarks.__path__) if m.name not in ("__main__", "ratio"))
    unknown = sorted(set(arguments) - set(names))
    if unknown:
        print(f"unknown benchmark {unknown[0]!r}; known: {', '.join(names)}", file=sys.stderr)
        return 2
    machine = hardware()
    print(f"# {machine['processor']}, {machine['cores']} cores, {machine['memory_gib']} GiB")
    short = 0
    for name in arguments or names:
        for ratio in importlib.import_module(f"tests.benchmarks.{name}").run():
            print(ratio.line(), flush=True)
            if ratio.detail:
                print(f"#   {ratio.detail}", flush=True)
            short += ratio.measured < ratio.required
    return 1 if short else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
