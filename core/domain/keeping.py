"""Evidence over time: what changed under it, and what was marked and deleted."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class TextChange:
    """A document that went from one version to another; `new` is None when it was removed at its source."""

    document_id: str
    old: int
    new: int | None


class FlagKind(StrEnum):
    """What happened to text that an answer cited."""

    CHANGED = "changed"
    GONE = "gone"
    ACCESS = "access"
    """It is said still, but perhaps not to everybody who could read it when it was cited."""


@dataclass(frozen=True, slots=True)
class EvidenceFlag:
    """A run whose answer cited text that is no longer said, or no longer to everybody. `at` is in epoch seconds."""

    run_id: str
    document_id: str
    kind: FlagKind
    at: float
    rule_id: int | None = None
    """Of a changed access: the rule of the document since then."""


@dataclass(frozen=True, slots=True)
class Expired:
    """What was deleted because its time was over."""

    runs: int
    versions: int
