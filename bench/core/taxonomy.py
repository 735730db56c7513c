"""One taxonomy of identifier types, label maps into it, and the policy: the set of replaced types.

Source: docs/measures.md, Units (types), [T] section 2.1 (dates pass through by design, hence the default policy).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from bench.core.errors import LabelError, UnknownNameError, UsageError

#: Types in their fixed order, which also breaks ties between the types of a merged span (PERSON first).
TYPES: Final[tuple[str, ...]] = (
    "PERSON",
    "LOCATION",
    "ORGANISATION",
    "DATE",
    "AGE",
    "ID",
    "CONTACT",
    "DEMOGRAPHIC",
    "PROFESSION",
    "QUANTITY",
    "OTHER",
)
#: ``TYPE_CODE[name]`` is the position in `TYPES`: what the columnar tables store as uint8.
TYPE_CODE: Final[Mapping[str, int]] = {name: code for code, name in enumerate(TYPES)}
PERSON: Final[int] = TYPE_CODE["PERSON"]
#: Types that the default policy passes through unchanged.
RETAINED_BY_DEFAULT: Final[frozenset[str]] = frozenset({"DATE", "QUANTITY"})
#: In a label map: the label is known and on purpose not an identifier (for example a spaCy ``ORDINAL``).
IGNORED: Final[str] = "-"
#: TAB's identifier classes, and the empty string where a corpus does not tell; the index is what tables store.
IDENTIFIER_CLASSES: Final[tuple[str, ...]] = ("", "DIRECT", "QUASI", "NO_MASK")

#: Classes that figures are given for, where a corpus tells (docs/measures.md, Units, TAB).
REPORTED_CLASSES: Final[tuple[str, ...]] = ("DIRECT", "QUASI")


def check_type(name: str, where: str = "") -> str:
    """Return `name` if it is a taxonomy type, else raise `UnknownNameError` naming the place."""
    if name not in TYPE_CODE:
        raise UnknownNameError("type", name, TYPES, where)
    return name


@dataclass(frozen=True, slots=True)
class Policy:
    """The set of replaced types; all others are retained and outside detection, exposure and attack scores."""

    replaced: frozenset[str]

    @classmethod
    def default(cls) -> Policy:
        """Every type except DATE and QUANTITY ([T]: dates pass through by design)."""
        return cls(frozenset(TYPES) - RETAINED_BY_DEFAULT)

    @classmethod
    def of(cls, names: Iterable[str]) -> Policy:
        """Build a policy from type names; an unknown name or an empty set is an error."""
        replaced = frozenset(check_type(name, "the policy") for name in names)
        if not replaced:
            raise UsageError("the policy replaces no type; give at least one of " + ", ".join(TYPES))
        return cls(replaced)

    @property
    def codes(self) -> frozenset[int]:
        """Codes of the replaced types."""
        return frozenset(TYPE_CODE[name] for name in self.replaced)

    @property
    def name(self) -> str:
        """Replaced types in taxonomy order, joined by ``+``: the policy's canonical spelling in results."""
        return "+".join(name for name in TYPES if name in self.replaced)


@dataclass(frozen=True, slots=True)
class LabelMap:
    """An explicit map from raw labels to taxonomy types, or to `IGNORED`.

    Parameters
    ----------
    entries
        Raw label to type name or ``"-"``.
    owner
        Whose labels these are (``corpus tab``, ``detector rampart``): it stands in the error message.
    """

    entries: Mapping[str, str]
    owner: str

    def __post_init__(self) -> None:
        for label, name in self.entries.items():
            if name != IGNORED:
                check_type(name, f"the label map of {self.owner} for label {label!r}")

    def type_of(self, label: str, where: str = "") -> str | None:
        """Type of a raw label; None where the map ignores it on purpose.

        Raises
        ------
        LabelError
            The label has no entry: the message names label, owner and place.
        """
        try:
            name = self.entries[label]
        except KeyError:
            place = f" ({where})" if where else ""
            raise LabelError(
                f"label {label!r} of {self.owner} has no entry in its label map{place}; "
                f"map it to one of {', '.join(TYPES)} or to {IGNORED!r}; mapped labels: {', '.join(sorted(self.entries))}"
            ) from None
        return None if name == IGNORED else name
