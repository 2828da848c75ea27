"""Answers made of the documents' own sentences: what works with no key, offline, and cannot invent anything.

The one unit that answers best comes first. Another is added only where it is nearly as good, answers a part of the
question that is still open, or stands beside it and is needed to understand it.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Iterator, Sequence
from dataclasses import replace

from core.domain.document import BlockKind
from core.domain.evidence import EvidencePassage
from core.generation.answer_kinds import codes_in, names_code
from core.generation.answering_units import Unit, Weighed, weighed_units
from core.generation.generator import Answerable, Drafted, FailedClaim, GenerationEvent, GenerationRequest
from core.generation.quoting import quoted

MOST_CLAIMS = 4
CLOSE = 0.28
"""How far below the best a unit may score and still be said beside it."""
OPEN_PART = 0.25
"""The share of the question that a further unit must newly answer to."""
FAR = 0.8
"""Further below the best than this, a unit answers nothing."""
LONGEST_LIST = 8
LONGEST_CLAIM = 700

_LEANS_BACK = re.compile(
    r"(?:It|They|This|These|That|Those|He|She|His|Her|Their|Its|Such|Both"
    r"|Est[eao]s?|Es[eao]s?|Ell[oa]s?|Él|Ella|Su|Sus|Ambos|Ambas|Dich[oa]s?)\b"
)
_LIMITS = re.compile(
    r"(?:However|But|Except|Unless|Only|Otherwise|Sin embargo|Pero|Salvo|Excepto|No obstante|En caso contrario|Solo)\b"
)


class ExtractiveGenerator:
    """Says the sentences that answer best, adjacent ones together."""

    @property
    def name(self) -> str:
        """`extractive`."""
        return "extractive"

    async def generate(self, request: GenerationRequest) -> AsyncGenerator[GenerationEvent, None]:
        """Yield at most `MOST_CLAIMS` claims of kind quote, the best first, the others in reading order."""
        passages = request.evidence.passages
        chosen = _choose(passages, weighed_units(request)) if _knows_its_codes(request) else []
        yield Answerable(bool(chosen))
        for unit in chosen:
            yield Drafted(quoted(passages[unit.passage], unit.start, unit.end))

    def repair(self, request: GenerationRequest, failures: Sequence[FailedClaim]) -> None:
        """None: what a document says cannot be mended."""


def _knows_its_codes(request: GenerationRequest) -> bool:
    """Whether a code that is asked about stands in any passage: what is said of its neighbours answers nothing."""
    codes = codes_in(request.question)
    texts = (f"{p.passage.title}\n{p.passage.context}\n{p.passage.text}" for p in request.evidence.passages)
    return not codes or any(names_code(text, codes) for text in texts)


def _choose(passages: tuple[EvidencePassage, ...], weighed: Weighed) -> list[Unit]:
    if not weighed.units:
        return []
    best = weighed.units[0]
    chosen = [best]
    covered = best.covered
    for unit in weighed.units[1:]:
        if len(chosen) == MOST_CLAIMS or best.score - unit.score > FAR:
            break
        close = best.score - unit.score <= CLOSE and not _is_lesser_row(unit, best)
        opens = weighed.share(unit.covered - covered) >= OPEN_PART
        if (close or opens) and not any(_same_words(passages, unit, other) for other in chosen):
            chosen.append(unit)
            covered |= unit.covered
    whole = [_with_context(passages[unit.passage], unit) for unit in chosen]
    documents = list(dict.fromkeys(passages[unit.passage].passage.document_id for unit in whole))
    order = sorted(whole, key=lambda u: (documents.index(passages[u.passage].passage.document_id), u.start))
    merged = list(_merged(passages, order))
    merged.sort(key=lambda u: u.score != best.score)  # stable: the best first, the others in reading order
    return merged


def _is_lesser_row(unit: Unit, best: Unit) -> bool:
    """Whether a row says of the question less than the best row of its table: rows are alternatives."""
    return unit.block.table is not None and unit.block.table == best.block.table and unit.inside < best.inside


def _same_words(passages: tuple[EvidencePassage, ...], unit: Unit, other: Unit) -> bool:
    def said(u: Unit) -> str:
        return passages[u.passage].document_text[u.start : u.end].casefold()

    return said(unit) == said(other)


def _with_context(delivered: EvidencePassage, unit: Unit) -> Unit:
    """A unit with what it cannot be understood without: the list it announces, whom "they" are, how it is limited."""
    if unit.block.kind is BlockKind.TABLE_ROW:
        return unit
    text = delivered.document_text
    if text[unit.start : unit.end].rstrip().endswith(":"):
        return replace(unit, end=_end_of_announced(delivered, unit.end))
    spans = [s for s in delivered.passage.sentences if unit.block.start <= s[0] and s[1] <= unit.block.end]
    if (unit.start, unit.end) not in spans:
        return unit
    place = spans.index((unit.start, unit.end))
    start, end = unit.start, unit.end
    if place and _LEANS_BACK.match(text, start) and end - spans[place - 1][0] <= LONGEST_CLAIM:
        start = spans[place - 1][0]
    if place + 1 < len(spans) and _LIMITS.match(text, spans[place + 1][0]):
        end = spans[place + 1][1]
    return replace(unit, start=start, end=end)


def _end_of_announced(delivered: EvidencePassage, end: int) -> int:
    """Where the list or the code that follows a colon ends; the colon itself where neither does."""
    following = [b for b in delivered.blocks if b.start >= end and b.end <= delivered.passage.end][:LONGEST_LIST]
    if following and following[0].kind is BlockKind.CODE:
        return following[0].end
    for block in following:
        if block.kind is not BlockKind.LIST_ITEM:
            break
        end = block.end
    return end


def _merged(passages: tuple[EvidencePassage, ...], units: Sequence[Unit]) -> Iterator[Unit]:
    """Join units that overlap or follow each other in one paragraph or list; rows stay apart."""
    held: Unit | None = None
    for unit in units:
        if held is not None and _adjacent(passages, held, unit):
            held = replace(held, end=max(held.end, unit.end), score=max(held.score, unit.score))
            continue
        if held is not None:
            yield held
        held = unit
    if held is not None:
        yield held


def _adjacent(passages: tuple[EvidencePassage, ...], one: Unit, other: Unit) -> bool:
    if one.passage != other.passage or BlockKind.TABLE_ROW in (one.block.kind, other.block.kind):
        return False
    if other.start < one.end:
        return True
    between = passages[one.passage].document_text[one.end : other.start]
    return not between.strip() and "\n\n" not in between
