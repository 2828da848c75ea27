"""Has a sentence written about each chunk that lacks one, and indexes it: the seam between syncs and a model.

It comes after the documents are written, so that they are found meanwhile, and a failure costs a sentence and no more.
What lacks one is what the index has none for: nothing else is remembered, and a run goes on where the last one ended.
The stored text is what the model is given: secrets and personal numbers were taken out before.
"""

from __future__ import annotations

import datetime as dt
import logging
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from itertools import groupby
from typing import Protocol

from core.domain.contexts import ChunkText, ContextCost, ContextReport, DocumentPart, WrittenContexts
from core.domain.document import Version
from core.domain.syncing import SyncProgress
from core.embedding.space import VectorSpace
from core.index.lexical import LexicalIndex
from core.index.rereading import Lacking, chunks_lacking_a_sentence, write_sentences
from core.index.tables import Tables
from core.retrieval.interaction import LateInteraction
from sync.engine import KEEP_OLD_STATES

log = logging.getLogger(__name__)

LONGEST_PART = 200_000
"""Characters of a document that are read at once; a longer one is read in parts."""
GROUP_CHUNKS = 200
"""Chunks that are asked about before what came back is written; a part is never cut."""
READ_DOCUMENTS = 64

_ROUNDING = 1e-9

OVER_BUDGET = "What this run may spend (${:.2f}; contextual_budget_usd) does not reach for {}: the next sync goes on."
NO_PRICE = "What the model costs is not known, so no budget can be kept: run `testigo sync` in a terminal."
NOT_TAKEN = "For {} no fit sentence came back: the next sync asks again."


class Contextualiser(Protocol):
    """Writes sentences about chunks."""

    def cost(self, part: DocumentPart) -> ContextCost:
        """Estimate what the sentences about a part will cost."""
        ...

    def write(self, parts: Sequence[DocumentPart]) -> WrittenContexts:
        """Write them; chunks that no fit sentence came for are left out. Blocks."""
        ...


class ContextFiller:
    """Fills in the sentences that one tenant's chunks lack. Only who holds the writer's lock may fill."""

    def __init__(
        self,
        tables: Tables,
        lexical: LexicalIndex,
        space: VectorSpace,
        tenant_id: str,
        contextualiser: Contextualiser,
        *,
        words: LateInteraction | None = None,
        hidden: Callable[[str], Collection[str]] = lambda _: (),
        check_writer: Callable[[], None] = lambda: None,
        keep_old_states: dt.timedelta = KEEP_OLD_STATES,
    ) -> None:
        """`hidden` are a tenant's revoked documents, which are shown to nobody, the model included."""
        self._tables = tables
        self._lexical = lexical
        self._space = space
        self._tenant = tenant_id
        self._contextualiser = contextualiser
        self._words = words
        self._hidden = hidden
        self._check_writer = check_writer
        self._keep = keep_old_states

    def cost(self, source: str) -> ContextCost:
        """Estimate what it will cost to fill in what a source lacks. Writes nothing."""
        self._tables.refresh()
        return sum((self._contextualiser.cost(part) for part in self._parts(self._lacking(source))), ContextCost())

    def fill(self, source: str, budget_usd: float | None) -> Generator[SyncProgress, None, ContextReport]:
        """Ask about the chunks of a source that lack a sentence, and index what comes back, group by group.

        Args:
            source: its name.
            budget_usd: what may be spent; what does not fit is left out. None: what it costs.

        Raises:
            StorageError: the index cannot be written; what was written before stays.
            ModelError: the index was rebuilt with another model than this process has.
        """
        self._tables.refresh()
        self._tables.check_is_served()
        self._lexical = self._lexical.of(self._tables.chunks_table)
        lacking = self._lacking(source)
        filling = _Filling(source, budget_usd, len(lacking))
        for group in _groups(filling.affordable(self._parts(lacking), self._contextualiser.cost)):
            written = self._contextualiser.write(group)
            filling.count(group, written)
            if written.sentences:
                self._check_writer()
                write_sentences(self._tables, self._space, self._words, written.sentences)
                self._lexical.catch_up(self._tables)
            yield SyncProgress(source, filling.asked, filling.total)
            if written.stopped:
                break
        if filling.written and self._tables.is_worn():
            self._check_writer()
            self._tables.optimize(self._keep)
        report = filling.report()
        if report.lacking:
            log.warning("%d chunks of %s go without a sentence of context", report.lacking, source)
        return report

    def _lacking(self, source: str) -> list[Lacking]:
        hidden = self._hidden(self._tenant)
        found = chunks_lacking_a_sentence(self._tables, self._tenant, source)
        return [chunk for chunk in found if chunk.document_id not in hidden]

    def _parts(self, lacking: Sequence[Lacking]) -> Iterator[DocumentPart]:
        """What is asked about, the documents read as they are needed."""
        documents = [list(chunks) for _, chunks in groupby(lacking, key=lambda c: (c.document_id, c.version))]
        for at in range(0, len(documents), READ_DOCUMENTS):
            page = documents[at : at + READ_DOCUMENTS]
            versions = self._tables.versions((self._tenant, c[0].document_id, c[0].version) for c in page)
            for chunks in page:
                version = versions.get((chunks[0].document_id, chunks[0].version))
                if version is not None:
                    yield from document_parts(version, chunks)


class _Filling:
    """How far one run has come."""

    def __init__(self, source: str, budget_usd: float | None, total: int) -> None:
        self._source = source
        self._budget = budget_usd
        self.total = total
        self.asked = 0
        self.written = 0
        self._tokens = 0
        self._spent: float | None = 0.0
        self._promised = 0.0
        """What the parts cost that were let through and have not been asked about yet."""
        self._over_budget = 0
        self._has_no_price = False
        self._stopped = ""

    def affordable(
        self, parts: Iterator[DocumentPart], cost: Callable[[DocumentPart], ContextCost]
    ) -> Iterator[DocumentPart]:
        """The parts that what is left of the budget reaches for; a smaller one may follow one that was too large."""
        for part in parts:
            if self._budget is not None:
                usd = cost(part).usd
                if usd is None:
                    self._has_no_price = True
                    return
                if (self._spent or 0.0) + self._promised + usd > self._budget + _ROUNDING:
                    self._over_budget += len(part.chunks)
                    continue
                self._promised += usd
            yield part

    def count(self, group: Sequence[DocumentPart], written: WrittenContexts) -> None:
        """Take in what came of a group."""
        self.asked += sum(len(part.chunks) for part in group)
        self.written += len(written.sentences)
        self._tokens += written.tokens
        known = self._spent is not None and written.usd is not None
        self._spent = (self._spent or 0.0) + (written.usd or 0.0) if known else None
        self._promised = 0.0
        self._stopped = written.stopped

    def report(self) -> ContextReport:
        """How it ended."""
        reasons = []
        if self._stopped:
            reasons.append(self._stopped)
        elif refused := self.asked - self.written:
            reasons.append(NOT_TAKEN.format(refused))
        if self._over_budget:
            reasons.append(OVER_BUDGET.format(self._budget or 0.0, self._over_budget))
        if self._has_no_price:
            reasons.append(NO_PRICE)
        lacking = self.total - self.written
        return ContextReport(self._source, self.written, lacking, self._tokens, self._spent, tuple(reasons))


def document_parts(version: Version, chunks: Sequence[Lacking]) -> Iterator[DocumentPart]:
    """A document as the model is given it: whole, or, where it is long, in parts with the chunks that begin there."""
    title, text = version.metadata.title, version.text
    for number, group in groupby(chunks, key=lambda chunk: chunk.start // LONGEST_PART):
        inside = list(group)
        start = number * LONGEST_PART
        part = text[start : max(start + LONGEST_PART, inside[-1].end)]
        yield DocumentPart(title, part, tuple(ChunkText(c.key, text[c.start : c.end]) for c in inside))


def _groups(parts: Iterator[DocumentPart]) -> Iterator[list[DocumentPart]]:
    """Parts that are asked about together. A group is handed out as soon as it is full, before the next part is read:
    by then the budget knows what it has cost."""
    group: list[DocumentPart] = []
    for part in parts:
        group.append(part)
        if sum(len(each.chunks) for each in group) >= GROUP_CHUNKS:
            yield group
            group = []
    if group:
        yield group
