"""Two documents in force that give different values for the same thing, found before anything is generated.

Precision comes first: a false alarm makes a right answer undecided. Two statements contradict only where they speak of
the same attribute (nearly all content words shared, in one language or through the glossary), in the same unit, under
the same conditions (regions, groups, years, names, bounds), and no value of one is a value of the other. A passage that
is superseded, expired, a draft or archived simply loses.
"""

from __future__ import annotations

import datetime as dt
import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from core.domain.document import BlockKind, DocumentStatus
from core.domain.evidence import Evidence, EvidencePassage
from core.text.sentences import split_sentences
from core.verification.alignment import Sentence, content_words, sentence
from core.verification.bounds import bounds_of
from core.verification.calendar_forms import MONTHS, WEEKDAYS
from core.verification.glossary import FILLERS, GENERIC, GLOSSARY
from core.verification.markers import Marker
from core.verification.passages import block_at
from core.verification.qualifiers import groups, rate_within, regions
from core.verification.tables import cells_of_row
from core.verification.units import UNITS, units_mentioned
from core.verification.value_forms import extract_values
from core.verification.values import Support, Value, ValueKind, supported_by, with_unit
from core.verification.wording import without_accents

Span = tuple[int, int]

_SHARED = 0.75
"""Share of the words of the shorter statement that both must have."""
_MEASURED = frozenset(
    {ValueKind.PERCENT, ValueKind.MONEY, ValueKind.QUANTITY, ValueKind.NUMBER, ValueKind.DATE, ValueKind.TIME}
)
_NAME = re.compile(r"(?<=[\w,;)]\s)[A-ZÁÉÍÓÚÑ][\w'’-]+")


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a contradiction: the passage's label, the slice that says it, and the value as written."""

    label: str
    span: Span
    value: Value


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Different values for one attribute in documents that are all in force."""

    attribute: str
    sides: tuple[Side, ...]


@dataclass(frozen=True, slots=True)
class _Statement:
    label: str
    document_id: str
    span: Span
    words: frozenset[str]
    around: frozenset[str]
    """The content words of the title and section."""
    conditions: frozenset[str]
    value: Value
    attribute: str


def find_contradictions(
    evidence: Evidence, today: dt.date, visible: Callable[[int], bool]
) -> tuple[Contradiction, ...]:
    """Find the contradictions among the passages of an evidence that may be cited as what holds today."""
    statements = [
        statement
        for passage in evidence.passages
        if _in_force(passage, today) and visible(passage.passage.rule_id)
        for statement in _statements(passage)
    ]
    found: dict[frozenset[tuple[str, Span]], Contradiction] = {}
    for one, other in itertools.combinations(statements, 2):
        if one.document_id != other.document_id and _contradict(one, other):
            key = frozenset({(one.document_id, one.span), (other.document_id, other.span)})
            found.setdefault(key, Contradiction(one.attribute, (_side(one), _side(other))))
    return tuple(found.values())


def _in_force(passage: EvidencePassage, today: dt.date) -> bool:
    chunk = passage.passage
    started = chunk.valid_from is None or chunk.valid_from <= today
    ended = chunk.valid_until is not None and chunk.valid_until < today
    return chunk.status is DocumentStatus.IN_FORCE and not chunk.superseded and started and not ended


def _side(statement: _Statement) -> Side:
    return Side(statement.label, statement.span, statement.value)


def _contradict(one: _Statement, other: _Statement) -> bool:
    if _measure(one.value) != _measure(other.value) or one.conditions != other.conditions:
        return False
    shared = one.words & other.words
    if not shared or len(shared) < _SHARED * max(len(one.words), len(other.words)):
        return False
    if shared <= GENERIC and one.around and other.around and not one.around & other.around:
        return False  # "the limit is 5 €" in two sections is of two things
    same = max(supported_by(one.value, (other.value,)), supported_by(other.value, (one.value,)))
    return same is Support.NO


def _measure(value: Value) -> str:
    """What kind of thing a value is: values of different measure never contradict."""
    first = value.first
    said = "".join("1" if part else "0" for part in first.day) if first.kind is ValueKind.DATE else ""
    return f"{first.kind.value}/{first.unit}/{said}"


def _statements(passage: EvidencePassage) -> Iterator[_Statement]:
    """The statements of a passage: each value of a sentence, and each value of a table's cell under its heading."""
    chunk = passage.passage
    text = passage.document_text
    rows: set[int] = set()
    for start, end in split_sentences(text[chunk.start : chunk.end]):
        span = (chunk.start + start, chunk.start + end)
        block = block_at(passage, span[0])
        if block is not None and block.kind in (BlockKind.HEADING, BlockKind.TABLE_HEADER, BlockKind.CODE):
            continue
        if block is not None and block.kind is BlockKind.TABLE_ROW:
            if block.start not in rows:
                rows.add(block.start)
                yield from _row_statements(passage, block.start)
            continue
        yield from _sentence_statements(passage, span)


def _row_statements(passage: EvidencePassage, start: int) -> Iterator[_Statement]:
    block = block_at(passage, start)
    cells = cells_of_row(passage, block) if block is not None else ()
    if block is None or len(cells) < 2 or not cells[0].text.strip():
        return
    language = passage.passage.language
    for cell in cells[1:]:
        values = extract_values(cell.text, language)
        units = units_mentioned(cell.heading)
        if len(units) == 1:
            values = with_unit(values, next(iter(units)))
        if len(values) != 1 or values[0].first.kind not in _MEASURED:
            continue
        named = f"{cells[0].text} · {cell.heading}"
        words = _words(named) | {"row:" + without_accents(cells[0].text).strip()}
        yield _statement(
            passage, cell.span, words, _conditions(passage, sentence(named, language, False)), values[0], named
        )


def _sentence_statements(passage: EvidencePassage, span: Span) -> Iterator[_Statement]:
    language = passage.passage.language
    text = passage.document_text[slice(*span)]
    part = sentence(text, language, across=False)
    measured = [value for value in part.values if value.first.kind in _MEASURED and not _is_year(value)]
    for value in measured:
        if sum(_measure(other) == _measure(value) for other in measured) > 1:
            continue  # which of them is meant is not sure
        words = _words(_without(text, part.values))
        bound = {bound.marker.value for bound in bounds_of(part) if bound.value == value}
        rate, _ = rate_within(text, value.end, len(text))
        conditions = _conditions(passage, part, value) | bound | ({f"per {rate}"} if rate and rate != "year" else set())
        yield _statement(passage, span, words, frozenset(conditions), value, _attribute(text, part.values))


def _statement(
    passage: EvidencePassage,
    span: Span,
    words: frozenset[str],
    conditions: frozenset[str],
    value: Value,
    attribute: str,
) -> _Statement:
    chunk = passage.passage
    around = _words(" ".join((chunk.title, *chunk.section_path)))
    return _Statement(passage.label, chunk.document_id, span, words, around, conditions, value, attribute.strip())


def _attribute(text: str, values: tuple[Value, ...]) -> str:
    """The words that name what has the value, as the document writes them."""
    said = content_words(_without(text, values))
    return " ".join(word for word in said if without_accents(word) not in FILLERS) or text


def _words(text: str) -> frozenset[str]:
    """The content words of an attribute, by the glossary's names where it has them, else by their stems."""
    names = set()
    for word in content_words(text):
        plain = without_accents(word)
        if plain in FILLERS or word in UNITS or plain in MONTHS or plain in WEEKDAYS:
            continue
        names.add(GLOSSARY.get(word) or GLOSSARY.get(plain) or plain[:6])
    return frozenset(names)


def _conditions(passage: EvidencePassage, part: Sentence, value: Value | None = None) -> frozenset[str]:
    """What a statement holds for: places and groups (of its title and section too), names, years, dates, polarity."""
    chunk = passage.passage
    around = " . ".join((chunk.title, *chunk.section_path))
    found = {limit.name for text in (part.text, around) for limit in (*regions(text), *groups(text))}
    found |= {without_accents(name) for name in _NAME.findall(part.text) if name.lower() not in UNITS}
    found |= {hit.marker.value for hit in part.markers if hit.marker in _CONDITIONAL}
    found |= {
        other.text.lower()
        for other in part.values
        if other is not value
        and (other.first.kind in (ValueKind.CODE, ValueKind.DATE, ValueKind.WEEKDAY) or _is_year(other))
    }
    found |= {
        f"{other.first.amount}{other.first.unit}"
        for other in part.values
        if value is not None
        and other is not value
        and other.first.kind is ValueKind.QUANTITY
        and other.first.unit != value.first.unit
    }
    return frozenset(found)


_CONDITIONAL = frozenset({Marker.NEGATION, Marker.REFUSAL, Marker.EXCEPTION, Marker.CONDITION, Marker.ONLY})


def _without(text: str, values: tuple[Value, ...]) -> str:
    parts = []
    position = 0
    for value in values:
        parts.append(text[position : value.start])
        position = value.end
    parts.append(text[position:])
    return " ".join(parts)


def _is_year(value: Value) -> bool:
    return value.first.kind is ValueKind.NUMBER and re.fullmatch(r"(?:1[89]|20)\d\d", value.text) is not None
