"""Recompute a calculation from its quoted inputs, with their units and periods.

inputs (each a value in its quote) ──expression──► quantity or date ──► equal to the result, as precisely as shown
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal

from core.domain.evidence import DraftCalculation, DraftInput, Reason, ReasonCode
from core.verification.calendar_forms import Day
from core.verification.qualifiers import rates
from core.verification.quantities import (
    PERCENT,
    CalculationError,
    Dimensions,
    Operand,
    Quantity,
    dimensions_text,
    evaluate,
    multiplied,
    without_percent,
)
from core.verification.units import CURRENCIES, PERIODS, unit_name, units_mentioned
from core.verification.value_forms import extract_values
from core.verification.values import Reading, Support, Value, ValueKind, supported_by
from core.verification.wording import without_accents

_PER = re.compile(r"\s*/\s*|\s+(?:per|al|por|cada|a la|a)\s+")


@dataclass(frozen=True, slots=True)
class QuotedValues:
    """A quote of the claim for its inputs: the words (and table headings over them) and the values in them."""

    text: str
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What recomputing found: reasons why it fails, and the values that a claim may state because of it."""

    reasons: tuple[Reason, ...] = ()
    values: tuple[Value, ...] = ()


def recompute(calculation: DraftCalculation | None, quotes: Sequence[QuotedValues], language: str = "") -> Outcome:
    """Recompute a calculation. `quotes` are those of the claim, which inputs name by index."""
    if calculation is None:
        return Outcome((Reason(ReasonCode.CALCULATION_WRONG, "a calculation without its expression"),))
    names: dict[str, Operand] = {}
    values: list[Value] = []
    for given in calculation.inputs:
        try:
            operand, value = _input(given, quotes, language)
        except CalculationError as error:
            return Outcome((Reason(ReasonCode.CALCULATION_INPUT, str(error)),))
        if not given.name.isidentifier() or given.name in names:
            return Outcome((Reason(ReasonCode.CALCULATION_INPUT, f"{given.name!r} is not a name of one input"),))
        names[given.name] = operand
        values.append(value)
    result = _read(calculation.result, calculation.unit, language)
    if result is None:
        return Outcome((Reason(ReasonCode.CALCULATION_WRONG, f"{calculation.result!r} is not a value"),))
    try:
        outcomes = evaluate(calculation.expression, names)
    except CalculationError as error:
        return Outcome((Reason(ReasonCode.CALCULATION_WRONG, str(error)),))
    if not any(_agrees(outcome, result, calculation.unit) for outcome in _fitting(outcomes, result)):
        shown = ", ".join(dict.fromkeys(_show(outcome) for outcome in outcomes))
        detail = f"{calculation.expression} gives {shown}, not {calculation.result} {calculation.unit}".rstrip()
        return Outcome((Reason(ReasonCode.CALCULATION_WRONG, detail),))
    return Outcome((), (*values, result))


def _input(given: DraftInput, quotes: Sequence[QuotedValues], language: str) -> tuple[Operand, Value]:
    """An input as an operand, once it is found in its quote.

    Raises:
        CalculationError: it is not there, or not in this unit and for this period.
    """
    if not 0 <= given.quote < len(quotes):
        raise CalculationError(f"{given.name} names a quote that the claim does not have")
    quote = quotes[given.quote]
    value = _read(given.value, given.unit, language)
    if value is None:
        raise CalculationError(f"{given.value!r} is not a value")
    plain = _read(given.value, "", language) or value
    found = next(
        (
            other
            for claimed in (value, plain)
            for other in quote.values
            if supported_by(claimed, (other,)) is Support.YES and _compatible(value, other)
        ),
        None,
    )
    if found is None:
        raise CalculationError(f"{given.name} = {given.value} {given.unit}".rstrip() + " stands not in its quote")
    period = _period(given.unit)
    if period and period not in rates(quote.text) | units_mentioned(quote.text):
        raise CalculationError(f"the quote of {given.name} does not say {given.unit}")
    stated = rates(quote.text) & PERIODS
    if not period and len(stated) == 1:
        period = next(iter(stated))  # "150 € al mes" stays a monthly amount, whatever the input says
    return _operand(value, found, given.unit, period), value


def _compatible(claimed: Value, given: Value) -> bool:
    """A given unit may be left out, never changed: 5 % is not 5, 5 € is not 5 days."""
    mine, theirs = claimed.first, given.first
    if mine.kind is ValueKind.NUMBER and theirs.kind in (ValueKind.PERCENT, ValueKind.MONEY):
        return False
    if mine.kind in (ValueKind.PERCENT, ValueKind.MONEY) and theirs.kind is ValueKind.NUMBER:
        return False
    return not (mine.kind is ValueKind.QUANTITY and theirs.kind is ValueKind.QUANTITY and mine.unit != theirs.unit)


def _operand(value: Value, found: Value, unit: str, period: str) -> Operand:
    reading = value.first if value.first.kind is not ValueKind.NUMBER else found.first
    if reading.kind is ValueKind.DATE:
        return _date(found.first.day)
    dimensions = PERCENT if reading.kind is ValueKind.PERCENT else _dimensions(reading, period)
    label = without_accents(unit).rstrip("s") if reading.kind is ValueKind.NUMBER else ""
    return Quantity(value.first.amount, dimensions, label)


def _date(day: Day) -> dt.date:
    if 0 in day:
        raise CalculationError("a date without its year cannot be computed with")
    try:
        return dt.date(*day)
    except ValueError as error:
        raise CalculationError("there is no such day") from error


def _dimensions(reading: Reading, period: str) -> Dimensions:
    powers: Dimensions = ()
    if reading.kind in (ValueKind.MONEY, ValueKind.QUANTITY) and reading.unit:
        powers = ((reading.unit, 1),)
    return multiplied(powers, ((period, 1),), -1) if period else powers


def _period(unit: str) -> str:
    """The period of a rate: `month` of `€/mes` and `euros al mes`; empty where there is none."""
    parts = _PER.split(unit.strip())
    period = unit_name(parts[1].strip()) if len(parts) == 2 else ""
    return period if period in PERIODS else ""


def _read(text: str, unit: str, language: str) -> Value | None:
    """Read a value that is written apart from its unit; None where the text is not one value and nothing else."""
    written = text.strip()
    plain = extract_values(written, language)
    if len(plain) != 1 or plain[0].start or plain[0].end != len(written):
        return None
    base = _PER.split(unit.strip())[0].strip()
    if not base or plain[0].first.kind is not ValueKind.NUMBER:
        return plain[0]
    before = f"{base}{written}" if base in CURRENCIES and not base.isalpha() else f"{written} {base}"
    together = extract_values(before, language)
    return together[0] if len(together) == 1 and together[0].first.kind is not ValueKind.NUMBER else plain[0]


def _fitting(outcomes: Sequence[Operand], shown: Value) -> list[Operand]:
    """Leave out meanings of 100 that the result does not bear: `a / b * 100` is a percentage where one is shown."""
    wanted = 1 if shown.first.kind is ValueKind.PERCENT or shown.first.unit == "percentage point" else 0
    fitting: list[Operand] = [
        outcome
        for outcome in outcomes
        if not isinstance(outcome, dt.date) and dict(outcome.dimensions).get("%", 0) == wanted
    ]
    return fitting or list(outcomes)


def _agrees(outcome: Operand, shown: Value, unit: str) -> bool:
    """Whether what was computed is what is shown, rounded to the places shown, in the same unit."""
    if isinstance(outcome, dt.date):
        return shown.first.kind is ValueKind.DATE and shown.first.day == (outcome.year, outcome.month, outcome.day)
    readings = shown.readings[:1] if shown.sure else shown.readings
    return any(_amount_agrees(outcome, reading, unit) for reading in readings)


def _amount_agrees(outcome: Quantity, reading: Reading, unit: str) -> bool:
    plain = without_percent(outcome)
    amount = plain.amount
    if reading.kind is ValueKind.PERCENT or reading.unit == "percentage point":
        if plain.dimensions:
            return False
        amount = amount.scaleb(2)
    elif reading.kind in (ValueKind.MONEY, ValueKind.QUANTITY, ValueKind.NUMBER):
        if not _same_dimensions(plain.dimensions, _dimensions(reading, _period(unit))):
            return False
    else:
        return False
    exponent = reading.amount.as_tuple().exponent
    places = Decimal(1).scaleb(exponent if isinstance(exponent, int) else 0)
    return any(
        amount.quantize(places, rounding=rounding) == reading.amount for rounding in (ROUND_HALF_UP, ROUND_HALF_EVEN)
    )


def _same_dimensions(computed: Dimensions, shown: Dimensions) -> bool:
    """Whether the dimensions are the same; a result may leave its period out, never change it."""
    if computed == shown:
        return True
    return not any(power < 0 for _, power in shown) and shown == tuple(one for one in computed if one[1] > 0)


def _show(outcome: Operand) -> str:
    if isinstance(outcome, dt.date):
        return outcome.isoformat()
    plain = without_percent(outcome)
    amount = plain.amount.quantize(Decimal("0.0001")).normalize()
    return f"{amount:f} {dimensions_text(plain)}".strip()
