"""What a sync is going to do with each document, decided before anything is written."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from core.domain.document import DocumentStatus, Metadata
from core.domain.syncing import DocumentChange, DocumentState, SyncCounts
from core.index.schema import metadata_hash
from core.index.tables import Head

LONGEST_SLUG = 60
NO_TEXT = "There is no text in it, so nothing of it is found."
EMPTIED = "There is no text in it any more."

_REASONS = {
    DocumentState.ADDED: "It is new in the export.",
    DocumentState.CHANGED: "Its text changed.",
    DocumentState.ACCESS_ONLY: "Who may read it changed.",
    DocumentState.METADATA_ONLY: "What is said about it changed.",
    DocumentState.REMOVED: "It is no longer in the export.",
    DocumentState.UNCHANGED: "Nothing changed.",
}
BACK = "It is in the export again."
UNFINISHED = "The last sync did not finish it."
ASKED_FOR = "Everything is read anew (--full)."


@dataclass(frozen=True, slots=True)
class Observed:
    """What decides about a document that was read. `rule_id` is None for a rule that was never met before."""

    key: str
    content_hash: str
    metadata: Metadata
    rule_id: int | None
    is_empty: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """What is to be done with one document that is in the export."""

    key: str
    state: DocumentState
    reason: str
    observed: Observed
    head: Head | None
    """What is stored of it, for a moved document under its old key."""
    access_alone: bool = False
    """Whether nothing but the rule changed."""
    anew: bool = False
    """Whether its vectors are computed again, changed or not."""

    @property
    def is_work(self) -> bool:
        """Whether something is to be written."""
        return self.state not in {DocumentState.UNCHANGED, DocumentState.FAILED}

    @property
    def keeps_text(self) -> bool:
        """Whether the stored version has the text already."""
        kept = {DocumentState.ACCESS_ONLY, DocumentState.METADATA_ONLY, DocumentState.MOVED}
        return self.head is not None and self.state in kept


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything a sync will do."""

    steps: tuple[Step, ...]
    removals: tuple[Head, ...]
    """Documents that will go, as they are not there or have no text any more; none while a guard holds."""
    failed: Mapping[str, str]
    """Documents that cannot be read, with the reason: what is stored of them stays."""
    held_back: str = ""
    awaiting: int = 0
    """How many documents the guard kept that a person's word would let go."""
    warnings: tuple[tuple[str, str], ...] = ()
    emptied: frozenset[str] = frozenset()
    """Keys of those that are there, without text."""

    def without(self, lost: Mapping[str, str]) -> Plan:
        """The plan as it was carried out, but for these documents, which failed."""
        if not lost:
            return self
        steps = tuple(step for step in self.steps if step.key not in lost)
        return replace(self, steps=steps, failed={**self.failed, **lost})

    @property
    def changes(self) -> tuple[DocumentChange, ...]:
        """All documents but the unchanged ones, as the report lists them."""
        changed = [DocumentChange(s.key, s.state, s.reason) for s in self.steps if s.is_work]
        gone = [
            DocumentChange(
                head.source_key,
                DocumentState.REMOVED,
                EMPTIED if head.source_key in self.emptied else _REASONS[DocumentState.REMOVED],
            )
            for head in self.removals
        ]
        failed = [DocumentChange(key, DocumentState.FAILED, why) for key, why in self.failed.items()]
        return (*changed, *gone, *failed)

    @property
    def counts(self) -> SyncCounts:
        """How many documents are in each state."""
        states = [step.state for step in self.steps]
        return SyncCounts(
            **{
                state.value: states.count(state)
                for state in DocumentState
                if state not in {DocumentState.REMOVED, DocumentState.FAILED}
            },
            removed=len(self.removals),
            failed=len(self.failed),
        )


def make_plan(
    observed: Collection[Observed],
    failed: Mapping[str, str],
    heads: Mapping[str, Head],
    *,
    limit: float,
    confirmed: bool = False,
    agreed: int = 0,
    full: bool = False,
    stored_replacements: Mapping[str, Metadata] | None = None,
) -> Plan:
    """Compare what was read with what is stored.

    Args:
        observed: every document that could be read, its metadata as the source says it.
        failed: every document that is there and could not be read, with the reason.
        heads: what is stored of the source, by key.
        limit: largest share (0–1) of the stored documents that may go without a person's word.
        confirmed: that word.
        agreed: that word for so many documents, and no more.
        full: write every document again.
        stored_replacements: what is stored of documents that failed, which may say what they replace.
    """
    read = {o.key: o for o in observed if not o.is_empty}
    emptied = frozenset(o.key for o in observed if o.is_empty)
    read, warnings = _with_replacements(read, stored_replacements or {})
    warnings += [(key, NO_TEXT) for key in sorted(emptied)]
    gone = {
        key: head for key, head in heads.items() if head.served is not None and key not in read.keys() | failed.keys()
    }
    moved = _moved([o for o in read.values() if o.key not in heads or heads[o.key].served is None], gone)
    steps = tuple(_step(o, heads.get(o.key), moved.get(o.key), full=full) for o in read.values())
    for head in moved.values():
        del gone[head.source_key]
    stored = sum(head.served is not None for head in heads.values())
    confirmed = confirmed or len(gone) <= agreed
    guard = held_back(len(gone), stored, len(read), len(failed), limit, confirmed=confirmed)
    awaiting = len(gone) if guard and read else 0
    return Plan(steps, () if guard else tuple(gone.values()), failed, guard, awaiting, tuple(warnings), emptied)


def _step(observed: Observed, head: Head | None, moved: Head | None, *, full: bool) -> Step:
    if moved is not None:
        reason = f"It was {moved.source_key} before."
        return Step(observed.key, DocumentState.MOVED, reason, observed, moved)
    state, reason = state_of(observed, head)
    if full and state in {DocumentState.UNCHANGED, DocumentState.ACCESS_ONLY, DocumentState.METADATA_ONLY}:
        return Step(observed.key, DocumentState.CHANGED, ASKED_FOR, observed, head, anew=True)
    alone = (
        state is DocumentState.ACCESS_ONLY
        and head is not None
        and metadata_hash(observed.metadata) == head.metadata_hash
    )
    return Step(observed.key, state, reason, observed, head, alone)


def state_of(observed: Observed, head: Head | None) -> tuple[DocumentState, str]:
    """Compare one document with what is stored of it."""
    state, reason = DocumentState.UNCHANGED, ""
    if head is None:
        state = DocumentState.ADDED
    elif not head.current:
        state = DocumentState.ADDED if head.served is None else DocumentState.CHANGED
        reason = BACK if head.served is None else UNFINISHED
    elif observed.content_hash != head.content_hash:
        state = DocumentState.CHANGED
    elif observed.rule_id != head.rule_id:
        state = DocumentState.ACCESS_ONLY
    elif metadata_hash(observed.metadata) != head.metadata_hash:
        state = DocumentState.METADATA_ONLY
    return state, reason or _REASONS[state]


def _moved(new: Iterable[Observed], gone: Mapping[str, Head]) -> dict[str, Head]:
    """Pair new documents with documents that are gone and had the same text; where several had, those of like name."""
    by_text: dict[str, list[Head]] = defaultdict(list)
    for head in gone.values():
        if head.current:
            by_text[head.content_hash].append(head)
    pairs: dict[str, Head] = {}
    for observed in new:
        if candidates := by_text.get(observed.content_hash):
            best = max(candidates, key=lambda head: _likeness(head.source_key, observed.key))
            candidates.remove(best)
            pairs[observed.key] = best
    return pairs


def _likeness(old: str, new: str) -> tuple[bool, bool]:
    return old.rpartition("/")[2] == new.rpartition("/")[2], old.rpartition("/")[0] == new.rpartition("/")[0]


def held_back(gone: int, stored: int, read: int, failed: int, limit: float, *, confirmed: bool) -> str:
    """A sentence when a guard keeps a sync from removing documents, else nothing.

    Args:
        gone: documents that are stored and were not found in the export.
        stored: documents that are stored.
        read: documents of the export that could be read.
        failed: documents of the export that could not.
        limit: largest share (0–1) that may go without a person's word.
        confirmed: that word.
    """
    if not gone:
        return ""
    if not read and failed:
        return f"None of the {failed} documents of the export could be read: nothing was removed."
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


def _with_replacements(
    read: Mapping[str, Observed], stored: Mapping[str, Metadata]
) -> tuple[dict[str, Observed], list[tuple[str, str]]]:
    """Resolve who replaced whom to keys of the source, and tell both sides of it.

    A document is superseded when it says so, or when one that is not itself a draft or withdrawn says that it replaces
    it.
    """
    metadata = dict(stored) | {key: observed.metadata for key, observed in read.items()}
    keys = _Keys(metadata)
    warnings: list[tuple[str, str]] = []
    replaced_by: dict[str, str] = {}
    for key, said in metadata.items():
        for name in said.replaces:
            target = keys.find(name, key)
            if target is None:
                warnings.append((key, f"It says that it replaces {name!r}, which is not in the export."))
            elif target != key and said.status is DocumentStatus.IN_FORCE and not said.superseded_by:
                replaced_by.setdefault(target, key)
    result: dict[str, Observed] = {}
    for key, observed in read.items():
        said = observed.metadata
        successor = replaced_by.get(key, "")
        if said.superseded_by:
            found = keys.find(said.superseded_by, key)
            if found is None:
                warnings.append((key, f"It says that {said.superseded_by!r} replaced it, which is not in the export."))
            successor = found if found not in {None, key} else said.superseded_by
        if successor != said.superseded_by:
            observed = replace(observed, metadata=replace(said, superseded_by=successor))
        result[key] = observed
    return result, warnings


class _Keys:
    """Finds documents by what people write for them: the key, a path beside them, or a title that only one has."""

    def __init__(self, metadata: Mapping[str, Metadata]) -> None:
        self._keys = set(metadata)
        self._titles: dict[str, list[str]] = defaultdict(list)
        for key, said in metadata.items():
            self._titles[said.title.strip().casefold()].append(key)

    def find(self, name: str, beside: str) -> str | None:
        name = name.strip()
        folder = beside.rpartition("/")[0]
        for candidate in (name, f"{folder}/{name}" if folder else name):
            if candidate in self._keys:
                return candidate
        titled = self._titles.get(name.casefold(), [])
        return titled[0] if len(titled) == 1 else None


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
