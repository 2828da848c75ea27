"""Answers made of the documents' own sentences: what works with no key, offline, and cannot invent anything."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Iterator
from dataclasses import dataclass

from core.domain.document import BlockKind, BlockSpan
from core.domain.evidence import ClaimKind, DraftClaim, DraftQuote, EvidencePassage
from core.generation.generator import Answerable, Drafted, GenerationEvent, GenerationRequest

MOST_CLAIMS = 4
SPREAD = 0.14
"""How far below the best sentence another may score and still be said (scale of `Passage.sentence_scores`)."""
PASSAGE_WEIGHT = 0.35
"""How much the whole passage counts beside the sentence."""
LONGEST_LIST = 8
SHORTEST = 15

_ROWS = frozenset({BlockKind.TABLE_ROW})


@dataclass(frozen=True, slots=True)
class _Unit:
    """A sentence or row that may be said: its passage and its place in the version."""

    passage: int
    start: int
    end: int
    score: float


class ExtractiveGenerator:
    """Says the sentences that answer best, in reading order, adjacent ones together."""

    @property
    def name(self) -> str:
        """`extractive`."""
        return "extractive"

    async def generate(self, request: GenerationRequest) -> AsyncGenerator[GenerationEvent, None]:
        """Yield at most `MOST_CLAIMS` claims of kind quote."""
        passages = request.evidence.passages
        chosen = _choose(passages)
        yield Answerable(bool(chosen))
        for unit in chosen:
            yield Drafted(_draft(passages[unit.passage], unit))


def _choose(passages: tuple[EvidencePassage, ...]) -> list[_Unit]:
    units = sorted(_units(passages), key=lambda u: -u.score)
    if not units:
        return []
    best = units[0].score
    chosen: list[_Unit] = []
    for unit in units:
        if best - unit.score > SPREAD or len(chosen) == MOST_CLAIMS:
            break
        if not any(_same_words(passages, unit, other) for other in chosen):
            chosen.append(unit)
    extended = [_with_list(passages[u.passage], u) for u in chosen]
    # The document that answers best is heard first; within it, sentences come as they stand.
    order = list(dict.fromkeys(u.passage for u in chosen))
    documents = [passages[i].passage.document_id for i in order]
    extended.sort(key=lambda u: (documents.index(passages[u.passage].passage.document_id), u.start))
    return list(_merged(passages, extended))


def _units(passages: tuple[EvidencePassage, ...]) -> Iterator[_Unit]:
    for index, delivered in enumerate(passages):
        passage = delivered.passage
        for (start, end), score in zip(passage.sentences, passage.sentence_scores, strict=True):
            if end - start >= SHORTEST:
                yield _Unit(index, start, end, score + PASSAGE_WEIGHT * passage.scores.reranked)


def _same_words(passages: tuple[EvidencePassage, ...], unit: _Unit, other: _Unit) -> bool:
    def said(u: _Unit) -> str:
        return passages[u.passage].document_text[u.start : u.end].casefold()

    return said(unit) == said(other)


def _with_list(delivered: EvidencePassage, unit: _Unit) -> _Unit:
    """A sentence that announces a list takes the list with it."""
    text = delivered.document_text
    if not text[unit.start : unit.end].rstrip().endswith(":"):
        return unit
    end = unit.end
    for block in _blocks_after(delivered, unit.end, LONGEST_LIST):
        if block.kind is not BlockKind.LIST_ITEM or block.end > delivered.passage.end:
            break
        end = block.end
    return _Unit(unit.passage, unit.start, end, unit.score)


def _blocks_after(delivered: EvidencePassage, offset: int, most: int) -> Iterable[BlockSpan]:
    return [b for b in delivered.blocks if b.start >= offset][:most]


def _merged(passages: tuple[EvidencePassage, ...], units: list[_Unit]) -> Iterator[_Unit]:
    """Join units that follow each other in one paragraph or list; rows stay apart."""
    held: _Unit | None = None
    for unit in units:
        if held is not None and _adjacent(passages, held, unit):
            held = _Unit(held.passage, held.start, max(held.end, unit.end), max(held.score, unit.score))
            continue
        if held is not None:
            yield held
        held = unit
    if held is not None:
        yield held


def _adjacent(passages: tuple[EvidencePassage, ...], one: _Unit, other: _Unit) -> bool:
    if one.passage != other.passage or block_at(passages[one.passage], one.start).kind in _ROWS:
        return False
    between = passages[one.passage].document_text[one.end : other.start] if one.end < other.start else ""
    return not between.strip() and "\n\n" not in between


def block_at(delivered: EvidencePassage, offset: int) -> BlockSpan:
    """The block that an offset lies in; a paragraph where there is none."""
    for block in delivered.blocks:
        if block.start <= offset < block.end:
            return block
    return BlockSpan(BlockKind.PARAGRAPH, offset, offset, 0)


def _draft(delivered: EvidencePassage, unit: _Unit) -> DraftClaim:
    text = delivered.document_text
    quote = text[unit.start : unit.end]
    block = block_at(delivered, unit.start)
    if block.kind is not BlockKind.TABLE_ROW:
        return DraftClaim(quote, ClaimKind.QUOTE, (DraftQuote(delivered.label, quote),))
    header = next((b for b in delivered.blocks if b.table == block.table and b.kind is BlockKind.TABLE_HEADER), None)
    row = text[block.start : block.end]
    if header is None:
        return DraftClaim(row, ClaimKind.QUOTE, (DraftQuote(delivered.label, row),))
    quotes = (DraftQuote(delivered.label, text[header.start : header.end]), DraftQuote(delivered.label, row))
    return DraftClaim(_read_row(text, header, block), ClaimKind.QUOTE, quotes)


def _read_row(text: str, header: BlockSpan, row: BlockSpan) -> str:
    """A row as a person reads it: `City: Madrid · Limit: 120 €`."""
    parts = []
    for index, (start, end) in enumerate(row.cells):
        cell = text[start:end].strip()
        name = text[slice(*header.cells[index])].strip() if index < len(header.cells) else ""
        if cell:
            parts.append(f"{name}: {cell}" if name and name != cell else cell)
    return " · ".join(parts)
