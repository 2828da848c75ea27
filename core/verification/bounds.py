"""Words that bound a value (`hasta 22 días`, `at least 5`, `3 hours at most`): kept, lost or changed by a claim."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.domain.evidence import Reason, ReasonCode
from core.verification.alignment import Sentence, clauses
from core.verification.markers import Marker
from core.verification.values import Support, Value, ValueKind, supported_by

_BOUNDING = (Marker.AT_MOST, Marker.AT_LEAST, Marker.SINCE, Marker.APPROXIMATELY)
_STATED = frozenset({Marker.AT_MOST, Marker.AT_LEAST})
_CALENDAR = frozenset({ValueKind.DATE, ValueKind.TIME, ValueKind.WEEKDAY})
_NEAR = 28
_AFTER_ITS_VALUE = re.compile(
    r"(?:como |al |as |at |por lo )?(?:m[aá]x(?:imo)?|m[ií]nimo|max(?:imum)?|minimum|most|least|menos|a lo sumo)\b",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?:1[89]|20)\d\d")


@dataclass(frozen=True, slots=True)
class Bound:
    """A bounding word and the value it bounds."""

    marker: Marker
    value: Value
    text: str


def bounds_of(part: Sentence) -> tuple[Bound, ...]:
    """The bounded values of a sentence."""
    found = []
    for hit in part.markers:
        if hit.marker not in _BOUNDING:
            continue
        following = next((value for value in part.values if value.start >= hit.end), None)
        before = next((value for value in reversed(part.values) if value.end <= hit.start), None)
        trails = _AFTER_ITS_VALUE.match(part.text[hit.start : hit.end]) is not None
        near_before = before is not None and hit.start - before.end <= _NEAR
        near_after = following is not None and following.start - hit.end <= _NEAR
        if near_after and following is not None and not _parted(part.text, hit.end, following.start):
            text = part.text[hit.start : following.end]
            found.append(Bound(hit.marker, following, text))
        elif trails and near_before and before is not None:
            found.append(Bound(hit.marker, before, part.text[before.start : hit.end]))
    return tuple(found)


def bound_reasons(claim: Sequence[Sentence], quotes: Sequence[Sentence]) -> list[Reason]:
    """Name each bound that the claim lost (a condition) or changed (another meaning)."""
    mine = [bound for part in claim for bound in bounds_of(part)]
    theirs = [bound for part in quotes for bound in bounds_of(part)]
    reasons = [
        _changed(bound, theirs, quotes)
        for bound in mine
        if bound.marker in _STATED or bound.value.first.kind in _CALENDAR
    ]
    values = [value for part in claim for value in part.values]
    reasons += [_lost(bound, part, mine, values, quotes) for part in quotes for bound in bounds_of(part)]
    return [reason for reason in reasons if reason is not None]


def _changed(bound: Bound, theirs: Sequence[Bound], quotes: Sequence[Sentence]) -> Reason | None:
    """A claim's bound must be the quote's, where the quote has the value at all."""
    same = [other for other in theirs if _same(bound.value, other.value)]
    if any(_agree(bound.marker, other.marker) for other in same):
        return None
    if not same and (bound.value.first.kind in _CALENDAR or _is_year(bound.value)):
        return None  # "from 1991 until 2000" is "between 1991 and 2000"
    if not any(_same(bound.value, value) for part in quotes for value in part.values):
        return None  # a value that stands in no quote is named for itself
    return Reason(ReasonCode.NEGATION_CHANGED, f"added: {bound.text}")


def _lost(
    bound: Bound, part: Sentence, mine: Sequence[Bound], values: Sequence[Value], quotes: Sequence[Sentence]
) -> Reason | None:
    claimed = any(_same(value, bound.value) for value in values)
    if not claimed:
        limits = bound.value.first.kind in _CALENDAR or _is_year(bound.value) or _same_clause(part, bound, values)
        return Reason(ReasonCode.CONDITION_DROPPED, bound.text) if limits else None
    if bound.marker is Marker.SINCE or bound.value.first.kind in _CALENDAR:
        return None
    if any(_agree(other.marker, bound.marker) and _same(other.value, bound.value) for other in mine):
        return None
    unbounded = any(
        _same(value, bound.value) and all(value is not other.value for other in bounds_of(quoted))
        for quoted in quotes
        for value in quoted.values
    )
    return None if unbounded else Reason(ReasonCode.CONDITION_DROPPED, bound.text)


def _same_clause(part: Sentence, bound: Bound, values: Sequence[Value]) -> bool:
    """Whether a value of the claim stands in the clause that the bound limits."""
    for start, end in clauses(part.text):
        if start <= bound.value.start < end:
            others = [value for value in part.values if start <= value.start < end and value is not bound.value]
            return any(supported_by(value, others) is not Support.NO for value in values)
    return False


def _agree(one: Marker, other: Marker) -> bool:
    return one is other or {one, other} == {Marker.AT_LEAST, Marker.SINCE}


def _same(claimed: Value, given: Value) -> bool:
    return supported_by(claimed, (given,)) is not Support.NO


def _is_year(value: Value) -> bool:
    return value.first.kind is ValueKind.NUMBER and _YEAR.fullmatch(value.text) is not None


def _parted(text: str, start: int, end: int) -> bool:
    return any(mark in text[start:end] for mark in ",;:.(")
