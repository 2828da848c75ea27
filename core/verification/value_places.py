"""Where values stand in a text: each with the words of its clause or cell that are tied to it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.verification.alignment import clauses, content_words, stems
from core.verification.glossary import EVERYONE, FILLERS, GLOSSARY
from core.verification.qualifiers import groups, places, regions
from core.verification.units import UNITS
from core.verification.value_forms import extract_values
from core.verification.values import Value, ValueKind
from core.verification.wording import without_accents, words

_SENTENCE_ENDS = re.compile(r"(?<=[.!?;])\s+|\n+")
_TO = re.compile(r"\s?(?:[-–—]|\b(?:al?|to|hasta|until)\b)\s?(?:(?:el|las?|los|the)\s)?", re.IGNORECASE)
_AND = re.compile(r"\s(?:y|and)\s(?:(?:el|las?|los|the)\s)?", re.IGNORECASE)
_BETWEEN = re.compile(r"\b(?:entre|between)\s(?:(?:el|las?|los|the)\s)?\Z", re.IGNORECASE)
_COORDINATES = re.compile(r";|\s(?:y|e|and|but|pero|mientras|while)\s", re.IGNORECASE)
_RESPECTIVELY = re.compile(r"\brespectiv", re.IGNORECASE)
_TO_ALL = re.compile(r"\b(?:tod[oa]s?|all|every|cualquier\w*|any)\b", re.IGNORECASE)
_NAME = re.compile(r"(?<=[\w,;)]\s)[A-ZÁÉÍÓÚÑ][\w'’-]+")
_SAYS_NOTHING = words("""
    cuesta cuestan costs cost vale valen son sera seran hay hace hacen sea sean dura duran lasts last tarda tardan takes
    abre cierra opens closes amounts asciende
""")
_YEAR = re.compile(r"(?:1[89]|20)\d\d")


@dataclass(frozen=True, slots=True)
class QuotedText:
    """A slice of a quote: its text and language, the words around it, and where it is from."""

    text: str
    language: str
    around: str
    """Title, section and the headings of its columns."""
    document_id: str
    key: str = ""
    """The first cell of its row."""
    values: tuple[Value, ...] = ()
    """The values of a row's cell, with its column's unit, and of its heading; empty where the text alone says them."""


@dataclass(frozen=True, slots=True)
class TiedWords:
    """The words of a part of a text, and those of them that limit it, by class (`place`, `group`)."""

    all: frozenset[str]
    limits: frozenset[tuple[str, str]]

    def __or__(self, other: TiedWords) -> TiedWords:
        return TiedWords(self.all | other.all, self.limits | other.limits)


_NONE = TiedWords(frozenset(), frozenset())


@dataclass(frozen=True, slots=True)
class ValuePlace:
    """Where a value stands: the words tied to it, and those that other parts of the text may lend it."""

    value: Value
    tied: TiedWords
    lent: frozenset[str]
    """The words before it, that it need not repeat (`the indoor space costs 35 €, and the outdoor one 42 €`)."""
    whole: frozenset[str]
    """The words of its sentence, and of what the slice says before."""
    others: tuple[Value, ...]
    """The values of another measure that stand with it."""
    paired: tuple[Value, ...]
    """The other end of its range."""
    respective: str
    """The sentence, where it orders its values by `respectively`."""
    sentence: int
    document_id: str
    key: frozenset[str]
    """The words of the first cell of its row."""


def value_places(quote: QuotedText, number: int, across: bool, strict: bool = False) -> Iterator[ValuePlace]:
    """The places of the values of a text, sentence by sentence. What was said before may be meant in what follows.

    `strict`: only what is surely tied to a value counts as tied (in a claim); else what may be (in a quote). `number`
    tells the sentences of several texts apart.
    """
    before = _NONE
    key = frozenset(token(word) for word in content_words(quote.key))
    around = _words(quote.around, across)
    for order, text in enumerate(filter(str.strip, _SENTENCE_ENDS.split(quote.text)), start=number):
        whole = _words(text, across)
        values = quote.values or extract_values(text, quote.language)
        for value in values:
            if value.first.kind in (ValueKind.CODE, ValueKind.ORDINAL):
                continue
            paired = tuple(other for other in values if _is_range(text, *sorted((value, other), key=_start)))
            rivals = [
                other
                for other in values
                if comparable(other, value) and other.first != value.first and other not in paired
            ]
            others = tuple(other for other in values if other is not value and not comparable(other, value))
            tied, lent, respective = whole, before, ""
            if rivals and _RESPECTIVELY.search(text):
                respective = text
            elif rivals and not quote.values:
                part = _clause(text, value)
                others = _within(others, part) or others
                tied = _tied(text, part, (value, *rivals), across, strict)
                lent = before | _words(text[: part[0]], across)
            elif strict:
                part = _coordinate(text, value)
                others = _within(others, part)
                tied = _words(text[slice(*part)], across)
            said = (before | whole).all
            yield ValuePlace(
                value, tied | around, lent.all, said, others, paired, respective, order, quote.document_id, key
            )
        before |= whole


def comparable(one: Value, other: Value) -> bool:
    """Whether two values measure the same, as far as is said: `24 days in Burgos and 26 in Vigo`."""
    kinds = {one.first.kind, other.first.kind}
    if kinds == {ValueKind.NUMBER}:
        return _is_year(one) is _is_year(other)
    if ValueKind.NUMBER in kinds and kinds & {ValueKind.QUANTITY, ValueKind.MONEY, ValueKind.PERCENT}:
        return not _is_year(one) and not _is_year(other)
    return len(kinds) == 1 and one.first.unit == other.first.unit


def _is_year(value: Value) -> bool:
    return value.first.kind is ValueKind.NUMBER and _YEAR.fullmatch(value.text) is not None


def _within(values: tuple[Value, ...], part: tuple[int, int]) -> tuple[Value, ...]:
    return tuple(value for value in values if part[0] <= value.start < part[1])


def _coordinate(text: str, value: Value) -> tuple[int, int]:
    """The coordinate part of a sentence in which a value stands; all of the sentence where that part has no words."""
    start = 0
    for cut in (*_COORDINATES.finditer(text), None):
        end = cut.start() if cut is not None else len(text)
        if start <= value.start < end:
            telling = any(map(tells, content_words(_outside(text, (start, end), (value,)))))
            return (start, end) if telling else (0, len(text))
        start = cut.end() if cut is not None else end
    return 0, len(text)


def _start(value: Value) -> int:
    return value.start


def _is_range(text: str, one: Value, other: Value) -> bool:
    """Whether two values are the ends of a range: `3-5 days`, `from 9 to 17`, `between 2 and 4 %`."""
    return one.end <= other.start and (
        _TO.fullmatch(text, one.end, other.start) is not None
        or (_AND.fullmatch(text, one.end, other.start) is not None and _BETWEEN.search(text[: one.start]) is not None)
    )


def _clause(text: str, value: Value) -> tuple[int, int]:
    return next(((start, end) for start, end in clauses(text) if start <= value.start < end), (0, len(text)))


def _tied(text: str, mine: tuple[int, int], values: Sequence[Value], across: bool, strict: bool) -> TiedWords:
    """The words of the value's clause; where it has none, or they need not be sure, those of clauses without values."""
    parts = clauses(text)
    taken = {part for part in parts if part == mine or any(part[0] <= other.start < part[1] for other in values)}
    free = [part for part in parts if part not in taken]
    said = _outside(text, mine, values)
    own = _words(said, across)
    if any(tells(word) for word in content_words(said)):
        return own if strict else _joined(own, (_words(text[slice(*part)], across) for part in free))
    before = max((part for part in free if part[1] <= mine[0]), default=None)
    after = min((part for part in free if part[0] >= mine[1]), default=None)
    if parts[-1] in free and parts[0] not in free:
        before = None  # `35 €, indoor; 42 €, outdoor`: the words follow
    elif parts[0] in free and parts[-1] not in free:
        after = None
    near = [part for part in (before, after) if part is not None and _beside(part, mine, taken)]
    if strict and (across or len(near) != 1):
        return own
    return _joined(own, (_words(text[slice(*part)], across) for part in near or free))


def _beside(part: tuple[int, int], mine: tuple[int, int], taken: set[tuple[int, int]]) -> bool:
    first, last = min(part[1], mine[1]), max(part[0], mine[0])
    return not any(first <= other[0] and other[1] <= last for other in taken if other != mine)


def _joined(own: TiedWords, more: Iterator[TiedWords]) -> TiedWords:
    for part in more:
        own |= part
    return own


def _outside(text: str, part: tuple[int, int], values: Sequence[Value]) -> str:
    """The text of a clause without the values in it."""
    said = []
    position, end = part
    for value in sorted(values, key=lambda one: one.start):
        if position <= value.start < end:
            said.append(text[position : value.start])
            position = value.end
    said.append(text[position:end])
    return " ".join(said)


def _words(text: str, across: bool) -> TiedWords:
    """The words that may be tied to a value. Across languages only those that have one name in both."""
    limits = {("place", f"place:{limit.name}") for limit in regions(text)}
    limits |= {("group", f"group:{limit.name}") for limit in groups(text)}
    named = frozenset().union(*(stems(limit.text) for limit in (*regions(text), *groups(text))))
    for place in () if across else places(text):
        limits |= {
            ("place", token(word)) for word in content_words(place.name) if without_accents(word)[:5] not in named
        }
    said = content_words(text)
    if _TO_ALL.search(text) and any(without_accents(word) in EVERYONE for word in said):
        limits.add(("group", "everyone"))
    plain = {token(word) for word in said if tells(word) and without_accents(word)[:5] not in named}
    if across:
        names = {token(name.lower()) for name in _NAME.findall(text)}
        plain &= names | _IN_BOTH
    return TiedWords(frozenset(plain | {word for _, word in limits}), frozenset(limits))


def tells(word: str) -> bool:
    """Whether a word says what a value is of."""
    bare = without_accents(word)
    return word not in UNITS and bare not in _SAYS_NOTHING and (bare not in FILLERS or bare in EVERYONE)


def token(word: str) -> str:
    """A word as it is compared: its name in the glossary, or its beginning."""
    bare = without_accents(word)
    return GLOSSARY.get(word) or GLOSSARY.get(bare) or bare[:5]


_IN_BOTH = frozenset(GLOSSARY.values())
