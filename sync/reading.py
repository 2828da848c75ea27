"""The first half of a sync: read an export, remember what decides, and keep the texts that will be written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from core.domain.access import AccessRule
from core.domain.document import CanonicalText, SourceDocument
from core.domain.evidence import text_hash
from core.domain.syncing import SyncEvent, SyncProgress, report_lines
from core.errors import SourceError
from core.index.tables import Head
from core.text.canonical import canonicalise
from sync.plan import Observed, Step
from sync.sources.base import FailedDocument, Source

T = TypeVar("T")

KEPT_CHARACTERS = 16_000_000
"""Texts are kept between reading and writing up to so many characters (some 200 MB); the rest is read twice."""
PROGRESS_DOCUMENTS = 24
CHANGED_MEANWHILE = "It changed while the sync was reading: the next one reads it."
GONE_MEANWHILE = "It went away while the sync was reading: the next one looks again."


@dataclass(slots=True)
class Reading:
    """What an export holds."""

    observed: list[Observed] = field(default_factory=list)
    rules: dict[str, AccessRule] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    texts: dict[str, CanonicalText] = field(default_factory=dict)
    """Those that are new, as far as they were kept."""
    said: list[tuple[str, str]] = field(default_factory=list)
    """(key, warning), in the order of the export; the key is empty for the export as a whole."""

    redacted: Counter[str] = field(default_factory=Counter)
    """How many stretches of each kind were taken out of the documents."""
    ocr_pages: int = 0
    """How many pages were read by OCR."""

    def warnings(self, more: tuple[tuple[str, str], ...] = ()) -> tuple[str, ...]:
        """The lines of the report."""
        return report_lines([*self.said, *more])


def read_export(
    source: Source, heads: Mapping[str, Head], known_rules: Mapping[AccessRule, int]
) -> Generator[SyncEvent, None, Reading]:
    """Read every document once.

    Raises:
        SourceError: the export as a whole cannot be read, or holds a key twice.
    """
    reading = Reading()
    reading.said += [("", warning) for warning in source.describe().warnings]
    kept, done = 0, 0
    for done, item in enumerate(source.read(), 1):
        if isinstance(item, FailedDocument):
            reading.failed[item.key] = item.sentence
        else:
            if item.key in reading.rules:
                raise SourceError(f"The export holds {item.key!r} twice: correct it and run the sync again.")
            observed, canonical = _observe(item, known_rules)
            reading.observed.append(observed)
            reading.rules[item.key] = item.rule
            reading.redacted.update(item.redacted)
            reading.ocr_pages += item.ocr_pages
            reading.said += [(item.key, warning) for warning in item.warnings]
            head = heads.get(item.key)
            stored = head is not None and head.current and head.content_hash == observed.content_hash
            if not stored and kept + len(canonical.text) <= KEPT_CHARACTERS:
                kept += len(canonical.text)
                reading.texts[item.key] = canonical
        if done % PROGRESS_DOCUMENTS == 0:
            yield SyncProgress(source.name, done, None)
    yield SyncProgress(source.name, done, None)
    for key in reading.rules:
        reading.failed.pop(key, None)  # a document that is there counts, whatever else was said under its key
    return reading


def read_again(source: Source, wanted: Mapping[str, Step], lost: dict[str, str]) -> Iterator[tuple[str, CanonicalText]]:
    """Read the texts that were too many to keep; those that are not as they were are `lost`, with a sentence."""
    missing = set(wanted)
    if not missing:
        return
    for item in source.read():
        if isinstance(item, SourceDocument) and item.key in missing:
            missing.discard(item.key)
            canonical = canonicalise(item.blocks)
            if text_hash(canonical.text) == wanted[item.key].observed.content_hash:
                yield item.key, canonical
            else:
                lost[item.key] = CHANGED_MEANWHILE
    lost.update(dict.fromkeys(missing, GONE_MEANWHILE))


def _observe(document: SourceDocument, known_rules: Mapping[AccessRule, int]) -> tuple[Observed, CanonicalText]:
    canonical = canonicalise(document.blocks)
    observed = Observed(
        key=document.key,
        content_hash=text_hash(canonical.text),
        metadata=document.metadata,
        rule_id=known_rules.get(document.rule),
        is_empty=not canonical.text,
    )
    return observed, canonical


def batches(items: Iterator[T], most: int, largest: int, size: Callable[[T], int]) -> Iterator[list[T]]:
    """Group items, at most so many and (but for a single one) at most so large together."""
    batch: list[T] = []
    total = 0
    for item in items:
        if batch and (len(batch) == most or total + size(item) > largest):
            yield batch
            batch, total = [], 0
        batch.append(item)
        total += size(item)
    if batch:
        yield batch
