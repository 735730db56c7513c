"""What a detector is: a specification (data) plus an adapter (code) that turns documents into detections."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, field_validator

from bench.core.jsonio import digest
from bench.core.model import Detection, Document
from bench.core.taxonomy import IGNORED, LabelMap, check_type


class DetectorSpec(BaseModel):
    """A frozen detector as data (one TOML manifest each).

    Every field below is part of the fingerprint but for the descriptive ones (`licence`, `source`, `note`, `remedy`):
    a change of any of them is a new detector, never a stale cache hit.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")
    adapter: str
    model: str = ""
    revision: str = ""
    #: ISO 639-1 codes; ``*`` for any. Documents in other languages get the status ``unsupported``.
    languages: tuple[str, ...] = ("*",)
    #: Raw label to taxonomy type, or ``-`` for a label that is on purpose not an identifier.
    labels: Mapping[str, str]
    threshold: float = Field(default=0.0, ge=0.0, le=1.0)
    thresholds: Mapping[str, float] = Field(default_factory=dict)
    #: Window and overlap in the unit of the adapter's own tokenizer (characters where it has none); 0 = whole text.
    window: int = Field(default=0, ge=0)
    overlap: int = Field(default=0, ge=0)
    batch_size: int = Field(default=8, ge=1)
    prompt: str = ""
    options: Mapping[str, Any] = Field(default_factory=dict)
    licence: str = ""
    source: str = ""
    note: str = ""
    #: The command that brings what the detector needs.
    remedy: str = ""

    @field_validator("labels")
    @classmethod
    def _types_exist(cls, labels: Mapping[str, str]) -> Mapping[str, str]:
        for label, name in labels.items():
            if name != IGNORED:
                check_type(name, f"the label map, label {label!r}")
        return labels

    def label_map(self) -> LabelMap:
        """Label map whose errors name this detector."""
        return LabelMap(self.labels, f"detector {self.name}")

    def supports(self, language: str) -> bool:
        """Whether documents in `language` are given to the detector."""
        return "*" in self.languages or language in self.languages

    def fingerprint(self, adapter_version: str, weights_digest: str) -> str:
        """32 hex digits over everything that can change the output (docs/design.md)."""
        data = self.model_dump(mode="json", exclude={"licence", "source", "note", "remedy"})
        return digest({"spec": data, "adapter_version": adapter_version, "weights": weights_digest})


class Adapter(ABC):
    """Runs one kind of detector. Constructing it loads the model; a process holds one at a time.

    Parameters
    ----------
    spec
        The frozen detector to run.
    """

    #: Raised whenever a change of the adapter can change its output; part of the fingerprint.
    version: ClassVar[str] = "1"

    def __init__(self, spec: DetectorSpec) -> None:
        self.spec = spec

    @classmethod
    def missing(cls, spec: DetectorSpec) -> str | None:
        """One line that says what is missing here and the command that brings it, or None if the detector can run."""
        return None

    @classmethod
    @abstractmethod
    def weights_digest(cls, spec: DetectorSpec) -> str:
        """Digest of the weights and of every package version that decides the output; loads no model."""

    @abstractmethod
    def detect(self, documents: Sequence[Document]) -> Iterator[Detection]:
        """Yield one `Detection` per document, in order.

        A document that fails yields a `Detection` with status ``failed`` and the reason; only the failure of the whole
        detector (model does not load) may raise. Results must not depend on which documents share a call.
        """
