"""Typed values (numbers, amounts, percentages, quantities, dates, times, codes) with every reading, and comparing them.

A Spanish claim over an English quote compares by these, not by its characters: `1.500,50 €` is `€1,500.50`,
`3 de marzo` is `March 3rd`, `veintidós días` is `22 days`. Nothing is converted: `12 months` is not `1 year`.
They are found by `core.verification.value_forms`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import IntEnum, StrEnum

from core.verification.calendar_forms import Day
from core.verification.units import CURRENCIES


class ValueKind(StrEnum):
    """What a value measures."""

    NUMBER = "number"
    PERCENT = "percent"
    MONEY = "money"
    QUANTITY = "quantity"
    ORDINAL = "ordinal"
    DATE = "date"
    WEEKDAY = "weekday"
    TIME = "time"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a value. `unit` is the one name of a unit or currency; `code` the characters of a code."""

    kind: ValueKind
    amount: Decimal = Decimal(0)
    unit: str = ""
    qualifier: str = ""
    """How days are counted: `working`, `calendar` …"""
    day: Day = (0, 0, 0)
    code: str = ""


@dataclass(frozen=True, slots=True)
class Value:
    """A value of a text at (start, end). Where the text's language leaves no doubt, the first reading counts."""

    start: int
    end: int
    text: str
    readings: tuple[Reading, ...]
    sure: bool = True
    """Whether the first reading is the convention of the text's language, or the only one."""

    @property
    def first(self) -> Reading:
        """The reading by convention."""
        return self.readings[0]


class Support(IntEnum):
    """Whether a value stands among others."""

    NO = 0
    AMBIGUOUS = 1
    """Only under one of several readings."""
    YES = 2


def supported_by(claimed: Value, given: Iterable[Value]) -> Support:
    """Whether a claim's value stands among the values of its quotes, under every reading that counts."""
    best = Support.NO
    for value in given:
        best = max(best, _supports(claimed, value))
        if best is Support.YES:
            break
    return best


def _supports(claimed: Value, given: Value) -> Support:
    common = any(_same(mine, theirs) for mine in claimed.readings for theirs in given.readings)
    if not common:
        return Support.NO
    if claimed.sure and given.sure:
        return Support.YES if _same(claimed.first, given.first) else Support.AMBIGUOUS
    all_mine = all(any(_same(mine, theirs) for theirs in given.readings) for mine in claimed.readings)
    all_theirs = all(any(_same(mine, theirs) for mine in claimed.readings) for theirs in given.readings)
    return Support.YES if all_mine and all_theirs else Support.AMBIGUOUS


def _same(claimed: Reading, given: Reading) -> bool:
    """Whether a claimed reading follows from a given one: equal, or saying less of the same date."""
    if claimed.kind is ValueKind.DATE and given.kind is ValueKind.DATE:
        return all(mine in (0, theirs) for mine, theirs in zip(claimed.day, given.day, strict=True))
    if claimed.kind is ValueKind.CODE or given.kind is ValueKind.CODE:
        return claimed.kind is given.kind and claimed.code == given.code
    if claimed.kind is ValueKind.NUMBER and given.kind is ValueKind.DATE:
        return claimed.amount == given.day[0] > 0
    if claimed.amount != given.amount:
        return False
    if claimed.kind is ValueKind.NUMBER and not claimed.unit:
        return given.kind in (ValueKind.NUMBER, ValueKind.QUANTITY)
    if claimed.kind is ValueKind.QUANTITY and given.kind is ValueKind.QUANTITY:
        return claimed.unit == given.unit and claimed.qualifier in ("", given.qualifier)
    return claimed.kind is given.kind and claimed.unit == given.unit


def with_unit(values: Sequence[Value], unit: str) -> tuple[Value, ...]:
    """Give bare numbers of a table's cell the unit that the column's heading names."""
    return tuple(
        replace(value, readings=tuple(_in_unit(reading, unit) for reading in value.readings)) for value in values
    )


def _in_unit(reading: Reading, unit: str) -> Reading:
    if reading.kind is not ValueKind.NUMBER:
        return reading
    if unit == "%":
        return replace(reading, kind=ValueKind.PERCENT)
    kind = ValueKind.MONEY if unit in _CURRENCY_NAMES else ValueKind.QUANTITY
    return replace(reading, kind=kind, unit=unit)


_CURRENCY_NAMES = frozenset(CURRENCIES.values())
