"""What a sync is going to do with each document, decided before anything is written."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

from core.domain.syncing import SyncCounts
from core.index.tables import Head

LONGEST_SLUG = 60


class State(StrEnum):
    """What happened to a document since the last sync."""

    ADDED = "added"
    CHANGED = "changed"
    ACCESS_ONLY = "access_only"
    METADATA_ONLY = "metadata_only"
    REMOVED = "removed"
    UNCHANGED = "unchanged"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Observed:
    """What decides about a document: the hashes of its text and metadata, and the id of its rule."""

    content_hash: str
    metadata_hash: str
    rule_id: int


def state_of(observed: Observed, head: Head | None) -> State:
    """Compare what was read with what is stored."""
    if head is None or not head.current:
        return State.ADDED if head is None else State.CHANGED
    if observed.content_hash != head.content_hash:
        return State.CHANGED
    if observed.rule_id != head.rule_id:
        return State.ACCESS_ONLY
    if observed.metadata_hash != head.metadata_hash:
        return State.METADATA_ONLY
    return State.UNCHANGED


def held_back(gone: int, stored: int, read: int, limit: float, *, confirmed: bool) -> str:
    """A sentence when a guard keeps a sync from removing documents, else nothing.

    Args:
        gone: documents that are stored and were not found in the export.
        stored: documents that are stored.
        read: documents that the export holds.
        limit: largest share (0–1) that may go without a person's word.
        confirmed: that word.
    """
    if not gone:
        return ""
    if not read:
        return (
            "The export holds no documents: nothing was removed. Check that it is complete and not still being written."
        )
    if gone > limit * stored and not confirmed:
        return (
            f"{gone} of {stored} documents are no longer in the export, more than {limit:.0%}: they were kept. "
            "If they are really gone, run the sync with --confirm-removals."
        )
    return ""


def count(states: Collection[State]) -> SyncCounts:
    """How many documents are in each state."""
    listed = list(states)
    return SyncCounts(**{state.value: listed.count(state) for state in State})


def slug(title: str) -> str:
    """A title as a readable id: `Manual de vacaciones` → `manual-de-vacaciones`. ASCII; `document` for no letters."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:LONGEST_SLUG].rstrip("-") or "document"


def new_document_id(title: str, taken: Collection[str]) -> str:
    """An id that no document of the tenant ever had."""
    base = slug(title)
    number, candidate = 1, base
    while candidate in taken:
        number += 1
        candidate = f"{base}-{number}"
    return candidate
