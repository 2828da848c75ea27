"""The sentences, rows and pieces of code of the delivered passages, weighed by how well each answers the question.

What retrieval says of a sentence (its cosine, the question's words in it) is joined with what only shows here: the
question's words weighed against the other sentences on the table, those that its surroundings supply (the heading, the
header of a table, the sentence before), and whether it offers the kind of thing that is asked for.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from core.domain.document import BlockKind, BlockSpan
from core.domain.evidence import EvidencePassage
from core.generation.answer_kinds import AnswerKind, Asked
from core.generation.generator import GenerationRequest
from core.generation.quoting import Layout
from core.generation.ranges import in_named_range
from core.index.analysis import PLAIN, terms
from core.retrieval.coverage import telling_words
from core.retrieval.rerank import SENTENCE_COVERAGE_WEIGHT

SHORTEST = 15
LONGEST_HEADING = 90

# Weights beside `Passage.sentence_scores`, from a listwise logistic model over half the articles of XQuAD (both
# languages), tried on the other half; rounded, and the same for every language.
PASSAGE = 0.9
COVERAGE = 0.9
BEFORE = 0.35
AROUND = 0.25
OFFERS = 0.3

# Set by hand on the sample corpus, since XQuAD has no code, no tables, and one language at a time.
COMMAND = 1.0
IN_RANGE = 0.6
ACROSS = 0.25
"""The coverage that a passage in another language than the question's is credited with: it cannot hold its words."""
SHARED = 0.35
"""What all of the question's names count in a passage in another language."""

_NAME = re.compile(r"(?<=[\w,;]\s)[^\W\d_a-z]\w+|\w*\d\w*")
"""A word with a capital inside a sentence, or with a digit."""
_ENDS = re.compile(r"[.!?:;…。！？][\"'”’»)\]*_]*$")


@dataclass(frozen=True, slots=True)
class Unit:
    """What may be said: a place in a passage's version, the question's terms it answers to, and how well."""

    passage: int
    start: int
    end: int
    block: BlockSpan
    score: float
    inside: frozenset[str] = frozenset()
    """The question's terms found in it and its row's header."""
    covered: frozenset[str] = frozenset()
    """Those found in its headings and the sentence before, too."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """All units, best first, and what each term of the question weighs (the sum is 1)."""

    units: tuple[Unit, ...]
    weights: dict[str, float]

    def share(self, covered: frozenset[str]) -> float:
        """The share (0–1) of the question that these terms are."""
        return sum(self.weights[term] for term in covered)


def weighed_units(request: GenerationRequest) -> Weighed:
    """Weigh all that the passages say."""
    passages = request.evidence.passages
    layouts = [Layout(delivered) for delivered in passages]
    units = [unit for index, delivered in enumerate(passages) for unit in _units(index, delivered, layouts[index])]
    units = [unit for unit in units if _says_something(passages[unit.passage], unit)] or units
    telling = telling_words(request.question, request.language)
    found = [_question_terms(telling, passages[unit.passage], layouts[unit.passage], unit) for unit in units]
    wanted = {term for language in {p.passage.language for p in passages} for term in terms(telling, language)}
    weighed = Weighed((), _weights(wanted, [inside for inside, _ in found]))
    asked = Asked.by(request.question)
    # Names, codes and numbers are what two languages share: there they tell one row of a table from another.
    names = frozenset(terms(" ".join(_NAME.findall(request.question)), PLAIN))
    scored = []
    for place, (unit, (inside, around)) in enumerate(zip(units, found, strict=True)):
        follows = place > 0 and units[place - 1].passage == unit.passage
        before = found[place - 1][0] if follows else frozenset()
        score = (
            unit.score
            + _fit(request, passages[unit.passage], unit, asked)
            + COVERAGE * weighed.share(inside)
            + BEFORE * weighed.share(before - inside)
            + AROUND * weighed.share(around - inside - before)
        )
        if passages[unit.passage].passage.language != request.language:
            score += (COVERAGE + SENTENCE_COVERAGE_WEIGHT) * max(0.0, ACROSS - weighed.share(inside))
            score += SHARED * _share_of_names(names, passages[unit.passage], unit)
        scored.append(replace(unit, score=score, inside=inside, covered=inside | before | around))
    return Weighed(tuple(sorted(scored, key=lambda u: -u.score)), weighed.weights)


def _share_of_names(names: frozenset[str], delivered: EvidencePassage, unit: Unit) -> float:
    """The share (0–1) of the question's names and numbers that a unit holds."""
    said = frozenset(terms(delivered.document_text[unit.start : unit.end], PLAIN))
    return len(names & said) / len(names) if names else 0.0


def _fit(request: GenerationRequest, delivered: EvidencePassage, unit: Unit, asked: Asked) -> float:
    """What counts for a unit besides the question's words: its passage, and what it offers."""
    text = delivered.document_text
    offered = asked.offered(text[unit.start : unit.end], code=unit.block.kind is BlockKind.CODE)
    score = PASSAGE * delivered.passage.scores.reranked + OFFERS * len(offered)
    if AnswerKind.COMMAND in offered:
        score += COMMAND
    if any(in_named_range(request.question, text[start:end]) for start, end in unit.block.cells):
        score += IN_RANGE
    return score


def _units(index: int, delivered: EvidencePassage, layout: Layout) -> Iterator[Unit]:
    """The units of a passage; a row that is cut into several is one."""
    passage = delivered.passage
    scores = passage.sentence_scores or (0.0,) * len(passage.sentences)
    rows: dict[int, Unit] = {}
    for (start, end), score in zip(passage.sentences, scores, strict=True):
        block = layout.block(start)
        if block.kind is not BlockKind.TABLE_ROW:
            yield Unit(index, start, end, block, score)
        elif (known := rows.get(block.start)) is None or known.score < score:
            rows[block.start] = Unit(index, block.start, block.end, block, score)
    yield from rows.values()


def _says_something(delivered: EvidencePassage, unit: Unit) -> bool:
    """Whether a unit can stand as an answer: not a heading, nor a line that reads like one, nor an empty lead-in."""
    text = delivered.document_text[unit.start : unit.end].strip()
    if unit.block.kind in (BlockKind.HEADING, BlockKind.TABLE_HEADER):
        return False
    if unit.block.kind is BlockKind.TABLE_ROW:
        return sum(1 for start, end in unit.block.cells if delivered.document_text[start:end].strip()) > 1
    if unit.block.kind in (BlockKind.CODE, BlockKind.LIST_ITEM):
        return len(text) >= SHORTEST or unit.block.kind is BlockKind.CODE
    if len(text) < SHORTEST:
        return False
    return len(text) > LONGEST_HEADING or _ENDS.search(text) is not None or ": " in text


def _question_terms(
    telling: str, delivered: EvidencePassage, layout: Layout, unit: Unit
) -> tuple[frozenset[str], frozenset[str]]:
    """The question's terms in a unit (a row: its header too), and in the headings over it."""
    passage, text = delivered.passage, delivered.document_text
    wanted = frozenset(terms(telling, passage.language))
    said = text[unit.start : unit.end]
    if (header := layout.header(unit.block)) is not None:
        said += " " + text[header.start : header.end]
    over = layout.heading(unit.start)
    heading = text[over.start : over.end] if over is not None else ""
    inside = wanted & frozenset(terms(said, passage.language))
    around = wanted & frozenset(terms(f"{passage.title} {passage.context} {heading}", passage.language))
    if unit.block.kind is BlockKind.CODE:  # code does not say what it is for: its heading does
        inside |= wanted & frozenset(terms(heading, passage.language))
    return inside, around


def _weights(wanted: set[str], found: Sequence[frozenset[str]]) -> dict[str, float]:
    """How telling each term is among these units: rarer is more; the sum is 1."""
    counts = {term: sum(term in inside for inside in found) for term in wanted}
    idf = {term: math.log(1 + len(found) / (0.5 + count)) for term, count in counts.items()}
    mass = sum(idf.values()) or 1.0
    return {term: value / mass for term, value in idf.items()}
