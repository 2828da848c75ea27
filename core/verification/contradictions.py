"""Two documents in force that give different values for the same thing, found before anything is generated.

Precision comes first: a false alarm makes a right answer undecided. Two statements contradict only where they speak of
the same attribute (nearly all content words shared, in one language or through the glossary), in the same unit, within
the same scope (`core.verification.scopes`) and conditions (years, bounds, exceptions), and no value of one is a value
of the other. A passage that is superseded, expired, a draft or archived simply loses.
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
from core.verification.alignment import Sentence, clauses, content_words, sentence
from core.verification.bounds import bounds_of
from core.verification.calendar_forms import MONTHS, WEEKDAYS
from core.verification.glossary import FILLERS, GENERIC, GLOSSARY
from core.verification.markers import Marker
from core.verification.passages import block_at
from core.verification.qualifiers import rate_within
from core.verification.scopes import Scope, same_scope, scope_of
from core.verification.tables import cells_of_row
from core.verification.units import UNITS, units_mentioned
from core.verification.value_forms import extract_values
from core.verification.values import Support, Value, ValueKind, supported_by, with_unit
from core.verification.wording import without_accents, words

Span = tuple[int, int]

_SHARED = 0.75
"""Share of the words of the shorter statement that both must have."""
_TOPICS = frozenset(GLOSSARY.values()) - GENERIC
_MEASURED = frozenset(
    {ValueKind.PERCENT, ValueKind.MONEY, ValueKind.QUANTITY, ValueKind.NUMBER, ValueKind.DATE, ValueKind.TIME}
)
_TELLING = 3
"""Shared words with which the beginning of a sentence alone, up to its value, says what it is of."""
_GOES_ON = re.compile(r"\s*(?:y|e|and)\s", re.IGNORECASE)
_LABEL = re.compile(
    r"(?:[A-ZÁÉÍÓÚÑ]\w+|\b(?:region|región|nivel|level|planta|floor|sala|room|artículo|article|sección|section|paso|step"
    r"|grado|grade|fase|phase|página|page|anexo|annex|versión|version|apartado|n[.º°]+|no\.))\s\Z"
)
_VALIDITY = frozenset(
    words("vigor vigent force effect valid versio update actual revisa review fecha date approv aproba")
)


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
    beginning: frozenset[str]
    """The content words up to the end of the value's clause, where the sentence only goes on after it."""
    scope: Scope
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
    if not _same_attribute(one, other) or not same_scope(one.scope, other.scope):
        return False
    same = max(supported_by(one.value, (other.value,)), supported_by(other.value, (one.value,)))
    return same is Support.NO


def _same_attribute(one: _Statement, other: _Statement) -> bool:
    """Whether two statements are of the same thing: nearly all their words, or those up to the value."""
    whole = _shared_words(one, other, one.words, other.words)
    shared = whole or _shared_words(one, other, one.beginning, other.beginning)
    if not shared or (not whole and len(shared) < _TELLING):
        return False
    if shared <= GENERIC or (len(shared) == 1 and not shared & _TOPICS):
        # "the limit is 5 €" in two sections is of two things, and who answers whom "an answer" does not say
        return one.around == other.around or bool((one.around & other.around) - GENERIC)
    return True


def _shared_words(one: _Statement, other: _Statement, mine: frozenset[str], theirs: frozenset[str]) -> frozenset[str]:
    """The words that both have, where they are nearly all: a title says what its sentence leaves out."""
    shared = mine & theirs
    only_mine, only_theirs = mine - theirs - other.around, theirs - mine - one.around
    if (only_mine | only_theirs) & _TOPICS:
        return frozenset()  # "sick leave" is not "annual leave"
    most = len(shared) + max(len(only_mine), len(only_theirs))
    return shared if shared and len(shared) >= _SHARED * most else frozenset()


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
        if len(values) != 1 or values[0].first.kind not in _MEASURED or _is_name(cell.text, values[0]):
            continue
        named = f"{cells[0].text} · {cell.heading}"
        said = _words(named) | {"row:" + without_accents(cells[0].text).strip()}
        part = sentence(named, language, across=False)
        yield _statement(passage, cell.span, (said, said), part, _conditions(part), values[0], named)


def _sentence_statements(passage: EvidencePassage, span: Span) -> Iterator[_Statement]:
    language = passage.passage.language
    text = passage.document_text[slice(*span)]
    part = sentence(text, language, across=False)
    measured = [value for value in part.values if value.first.kind in _MEASURED and not _is_name(text, value)]
    whole = _words(_without(text, part.values))
    for value in measured:
        if sum(_measure(other) == _measure(value) for other in measured) > 1:
            continue  # which of them is meant is not sure
        beginning = _words(_without(text[: _end_of_beginning(text, value)], part.values))
        if value.first.kind is ValueKind.DATE and beginning <= _VALIDITY:
            continue  # since when the document itself holds
        bound = {bound.marker.value for bound in bounds_of(part) if bound.value == value}
        rate, _ = rate_within(text, value.end, len(text))
        conditions = _conditions(part, value) | bound | ({f"per {rate}"} if rate and rate != "year" else set())
        named = _attribute(text, part.values)
        yield _statement(passage, span, (whole, beginning), part, frozenset(conditions), value, named)


def _end_of_beginning(text: str, value: Value) -> int:
    """Where the clause of a value ends, if the sentence then only goes on with another (`… and is paid monthly`)."""
    end = next((end for start, end in clauses(text) if start <= value.start < end), len(text))
    return end if end < value.end or _GOES_ON.match(text, max(0, end - 1)) else len(text)


def _statement(
    passage: EvidencePassage,
    span: Span,
    said: tuple[frozenset[str], frozenset[str]],
    part: Sentence,
    conditions: frozenset[str],
    value: Value,
    attribute: str,
) -> _Statement:
    chunk = passage.passage
    path = passage.section_path(span[0])
    around = _words(" ".join((chunk.title, *path)))
    scope = scope_of(part.text, " . ".join((chunk.title, *path)), passage.document_text)
    whole, beginning = said
    return _Statement(
        passage.label,
        chunk.document_id,
        span,
        whole,
        around,
        beginning,
        scope,
        conditions,
        value,
        attribute.strip(),
    )


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


def _conditions(part: Sentence, value: Value | None = None) -> frozenset[str]:
    """What a statement holds under, besides its scope: years, dates, codes, other measures, polarity."""
    found: set[str] = set()
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


def _is_name(text: str, value: Value) -> bool:
    """Whether a number names something and measures nothing: a year, `Region 5`, `level 3`, the number of a step."""
    if value.first.kind is not ValueKind.NUMBER:
        return False
    of_a_step = not text[: value.start].strip() and text[value.end : value.end + 1] in (".", ")")
    return of_a_step or _is_year(value) or _LABEL.search(text[: value.start]) is not None


def _is_year(value: Value) -> bool:
    return value.first.kind is ValueKind.NUMBER and re.fullmatch(r"(?:1[89]|20)\d\d", value.text) is not None
