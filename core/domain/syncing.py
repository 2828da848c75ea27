"""What a sync tells whoever watches it."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class SyncCounts:
    """How many documents a sync found in which state."""

    added: int = 0
    changed: int = 0
    access_only: int = 0
    metadata_only: int = 0
    removed: int = 0
    unchanged: int = 0
    failed: int = 0

    @property
    def total(self) -> int:
        """All documents that the sync met."""
        return (
            self.added
            + self.changed
            + self.access_only
            + self.metadata_only
            + self.removed
            + self.unchanged
            + self.failed
        )


@dataclass(frozen=True, slots=True)
class SyncFailure:
    """A document that could not be read, and a sentence that says why."""

    key: str
    sentence: str


@dataclass(frozen=True, slots=True)
class SyncStarted:
    """A source is being read."""

    source: str


@dataclass(frozen=True, slots=True)
class SyncProgress:
    """So many documents of so many are done (`total` is None while it is not known)."""

    source: str
    done: int
    total: int | None


@dataclass(frozen=True, slots=True)
class SyncFinished:
    """A source is done. `held_back` is a sentence when a guard kept the sync from removing documents."""

    source: str
    counts: SyncCounts
    seconds: float
    failures: tuple[SyncFailure, ...] = field(default=())
    warnings: tuple[str, ...] = field(default=())
    held_back: str = ""


SyncEvent = SyncStarted | SyncProgress | SyncFinished
