"""The registry of release conditions; packages outside this one add theirs through the entry points ``deidbench.condition``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bench.core.errors import UsageError
from bench.core.registry import Registry
from conditions.base import Condition


def _is_condition(entry: object) -> bool:
    return isinstance(entry, type) and issubclass(entry, Condition) and entry is not Condition


conditions: Final[Registry[type[Condition]]] = Registry("condition", _is_condition, "a subclass of conditions.base.Condition")
conditions.add("A", "conditions.standard:Unmodified")
conditions.add("B", "conditions.standard:Surrogates")
conditions.add("C", "conditions.standard:Placeholders")


def parse_conditions(text: str) -> Sequence[type[Condition]]:
    """Conditions of a comma-separated list such as ``A,B,C``, each once, in the order given."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise UsageError(f"{text!r} names no condition; known: {', '.join(conditions)}")
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise UsageError(f"condition {repeated[0]!r} stands twice in {text!r}")
    return [conditions.get(name) for name in names]
