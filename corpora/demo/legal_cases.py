"""What the judgments of `demo-legal` are about; the texts stand in ``data/legal_cases.toml``."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache

from corpora.demo.weighted import DATA


@dataclass(frozen=True, slots=True)
class Theme:
    """One kind of case.

    Parameters
    ----------
    name
        Its key.
    article, act
        Provision before the international court, and before a national one (empty: no national judgments of this theme).
    complaint
        What is complained of, after "complained that".
    facts, law
        Paragraph templates in order.
    """

    name: str
    article: str
    act: str
    complaint: str
    facts: tuple[str, ...]
    law: tuple[str, ...]


@cache
def themes() -> tuple[Theme, ...]:
    """All themes."""
    with (DATA / "legal_cases.toml").open("rb") as handle:
        tables = tomllib.load(handle)["theme"]
    return tuple(
        Theme(name, theme["article"], theme["act"], theme["complaint"], tuple(theme["facts"]), tuple(theme["law"]))
        for name, theme in tables.items()
    )
