from __future__ import annotations

import pytest

from bench.core.errors import LabelError, UnknownNameError, UsageError
from bench.core.taxonomy import TYPES, LabelMap, Policy


def test_default_policy_retains_dates_and_quantities_only() -> None:
    assert set(TYPES) - Policy.default().replaced == {"DATE", "QUANTITY"}
    assert Policy.default().name == "PERSON+LOCATION+ORGANISATION+AGE+ID+CONTACT+DEMOGRAPHIC+PROFESSION+OTHER"


def test_policy_of_names() -> None:
    assert Policy.of(["PERSON", "DATE"]).codes == {0, 3}
    with pytest.raises(UnknownNameError, match=r"unknown type 'PERSN' in the policy; did you mean 'PERSON'"):
        Policy.of(["PERSN"])
    with pytest.raises(UsageError, match="replaces no type"):
        Policy.of([])


def test_label_map_never_drops_a_label() -> None:
    labels = LabelMap({"PER": "PERSON", "ORDINAL": "-"}, "detector x")
    assert labels.type_of("PER") == "PERSON"
    assert labels.type_of("ORDINAL") is None
    with pytest.raises(LabelError, match=r"label 'GPE' of detector x has no entry in its label map \(document 'd1'\)"):
        labels.type_of("GPE", "document 'd1'")


def test_label_map_with_an_unknown_type() -> None:
    with pytest.raises(UnknownNameError, match=r"unknown type 'PERSONS' in the label map of corpus c for label 'PER'"):
        LabelMap({"PER": "PERSONS"}, "corpus c")
