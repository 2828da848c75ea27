"""A calculation is recomputed from values that stand in its quotes, in their units."""

import datetime as dt
from decimal import Decimal

import pytest

from core.domain.evidence import Claim, ClaimKind, ClaimStatus, DraftCalculation, DraftInput, ReasonCode
from core.verification.quantities import CalculationError, Quantity, evaluate
from tests.unit.verification.evidence_samples import codes, draft, passage, prose, verify

PLUS = "El plus nocturno es de 150 € al mes."
SALARY = "El salario base es de 2.000 € al mes."
SHARE = "La empresa paga el 5 % del salario."
START = "El contrato empieza el 31 de enero de 2026."
TRIAL = "El periodo de prueba dura 1 mes."
TEAM = "El equipo norte tiene 12 técnicos y el equipo sur tiene 18 técnicos."


def calculate(
    text: str, expression: str, result: str, unit: str, *inputs: DraftInput, quotes: tuple[str, ...] = (PLUS, SALARY)
) -> Claim:
    calculation = DraftCalculation(inputs, expression, result, unit)
    claim = draft(text, *quotes, kind=ClaimKind.CALCULATION, calculation=calculation)
    return verify(claim, passage(prose(PLUS, SALARY, SHARE, START, TRIAL, TEAM)))


PLUS_IN = DraftInput("plus", "150", "€/mes", 0)
SALARY_IN = DraftInput("base", "2.000", "€/mes", 1)
GOOD = "El plus nocturno y el salario base suman 2.150 € al mes."


def test_a_right_sum_is_supported() -> None:
    claim = calculate(GOOD, "plus + base", "2.150", "€/mes", PLUS_IN, SALARY_IN)
    assert (claim.status, claim.reasons) == (ClaimStatus.SUPPORTED, ())
    assert len(claim.citations) == 2


def test_a_wrong_result_is_named_with_the_right_one() -> None:
    claim = calculate(GOOD.replace("2.150", "2.250"), "plus + base", "2.250", "€/mes", PLUS_IN, SALARY_IN)
    assert claim.status is ClaimStatus.UNSUPPORTED
    assert ReasonCode.CALCULATION_WRONG in codes(claim)
    assert any("2150" in reason.detail for reason in claim.reasons)


@pytest.mark.parametrize(
    "given",
    [
        DraftInput("base", "2.100", "€/mes", 1),
        DraftInput("base", "2.000", "$/mes", 1),
        DraftInput("base", "2.000", "€/año", 1),
        DraftInput("base", "2.000", "%", 1),
        DraftInput("base", "2.000", "€/mes", 0),
        DraftInput("base", "2.000", "€/mes", 7),
        DraftInput("base", "mucho", "€/mes", 1),
    ],
)
def test_an_input_must_stand_in_its_quote_in_its_unit_and_period(given: DraftInput) -> None:
    claim = calculate(GOOD, "plus + base", "2.150", "€/mes", PLUS_IN, given)
    assert claim.status is ClaimStatus.UNSUPPORTED
    assert ReasonCode.CALCULATION_INPUT in codes(claim)


@pytest.mark.parametrize(
    ("expression", "result", "unit"),
    [
        ("(base + plus) * 12", "25.800", "€/año"),
        ("base / plus", "13,33", ""),
        ("base / plus", "13", ""),
        ("plus / base * 100", "7,5", "%"),
        ("plus / base", "7,5", "%"),
        ("(plus + base) / 2", "1.075", "€/mes"),
        ("max(plus, base)", "2.000", "€"),
        ("round(base / plus, 1)", "13,3", ""),
        ("-plus + base", "1.850", "€"),
        ("(base - plus) / plus * 100", "1.233,3", "%"),
    ],
)
def test_arithmetic_percent_and_periods_are_recomputed(expression: str, result: str, unit: str) -> None:
    text = f"Con el plus nocturno al mes y el salario base al mes sale {result}."
    claim = calculate(text, expression, result, unit, PLUS_IN, SALARY_IN)
    assert not {ReasonCode.CALCULATION_WRONG, ReasonCode.CALCULATION_INPUT} & set(codes(claim)), claim.reasons


@pytest.mark.parametrize(
    ("expression", "result", "unit"),
    [
        ("plus / base", "0,075", "%"),
        ("(base + plus) * 12", "25.800", "€/mes"),
        ("(base + plus) * 13", "27.950", "€/año"),
        ("base + 100", "2.100", "€/mes"),
        ("base + plus", "2.150", "$/mes"),
        ("base + plus", "2.150", "días"),
        ("base * plus", "300.000", "€"),
        ("base", "2.000", "€/mes"),
        ("base ** plus", "1", "€"),
        ("base / (plus - plus)", "1", "€"),
        ("__import__('os').system('true') + base + plus", "1", "€"),
        ("base.real + plus", "2.150", "€"),
        ("[base for base in (1,)] + plus", "1", "€"),
        ("base if plus else plus", "2.000", "€"),
        ("(" * 200 + "base + plus" + ")" * 200, "2.150", "€"),
        ("base + plus +", "2.150", "€"),
        ("base + plus * 1e999", "1", "€"),
        ("base + plus + True", "1", "€"),
        ("sum([base, plus][0:1])", "1", "€"),
    ],
)
def test_wrong_units_new_numbers_and_anything_but_arithmetic_are_refused(
    expression: str, result: str, unit: str
) -> None:
    claim = calculate("El plus y el salario.", expression, result, unit, PLUS_IN, SALARY_IN)
    assert claim.status is ClaimStatus.UNSUPPORTED
    assert ReasonCode.CALCULATION_WRONG in codes(claim)


@pytest.mark.parametrize("expression", ["base * p", "base * p / 100", "p * base", "base - base * (1 - p)"])
def test_a_percentage_of_an_amount_may_be_written_either_way(expression: str) -> None:
    claim = calculate(
        "El 5 % del salario base son 100 € al mes.",
        expression,
        "100",
        "€/mes",
        DraftInput("p", "5", "%", 0),
        DraftInput("base", "2.000", "€/mes", 1),
        quotes=(SHARE, SALARY),
    )
    assert claim.status is ClaimStatus.SUPPORTED, claim.reasons


def test_a_percentage_a_hundred_times_too_small_is_wrong() -> None:
    claim = calculate(
        "El 5 % del salario base es 1 €.",
        "base * p / 100",
        "1",
        "€",
        DraftInput("p", "5", "%", 0),
        DraftInput("base", "2.000", "€/mes", 1),
        quotes=(SHARE, SALARY),
    )
    assert ReasonCode.CALCULATION_WRONG in codes(claim)


def test_a_month_after_the_end_of_january_is_the_end_of_february() -> None:
    claim = calculate(
        "Como el contrato empieza el 31 de enero de 2026, la prueba de 1 mes acaba el 28 de febrero de 2026.",
        "inicio + prueba",
        "28 de febrero de 2026",
        "",
        DraftInput("inicio", "31 de enero de 2026", "", 0),
        DraftInput("prueba", "1", "mes", 1),
        quotes=(START, TRIAL),
    )
    assert claim.status is ClaimStatus.SUPPORTED, claim.reasons


def test_a_monthly_amount_stays_monthly_even_where_its_input_does_not_say_so() -> None:
    text = "El plus nocturno al mes y el salario base suman 25.800 € al año."
    bare = (DraftInput("plus", "150", "€", 0), DraftInput("base", "2.000", "€", 1))
    assert ReasonCode.CALCULATION_WRONG not in codes(calculate(text, "(plus + base) * 12", "25.800", "€/año", *bare))
    assert ReasonCode.CALCULATION_WRONG in codes(calculate(text, "plus + base", "2.150", "€/año", *bare))


def test_counts_of_the_same_thing_add_up() -> None:
    claim = calculate(
        "Entre el equipo norte (12) y el equipo sur (18) hay 30 técnicos.",
        "norte + sur",
        "30",
        "técnicos",
        DraftInput("norte", "12", "técnicos", 0),
        DraftInput("sur", "18", "técnicos", 0),
        quotes=(TEAM,),
    )
    assert claim.status is ClaimStatus.SUPPORTED, claim.reasons


def test_a_calculation_claim_without_its_calculation_is_refused() -> None:
    claim = verify(draft("Suman 2.150 €.", PLUS, kind=ClaimKind.CALCULATION), passage(prose(PLUS)))
    assert ReasonCode.CALCULATION_WRONG in codes(claim)


@pytest.mark.parametrize(
    ("operands", "expression"),
    [
        ({"a": Quantity(Decimal(5), (("day", 1),)), "b": Quantity(Decimal(5), (("EUR", 1),))}, "a + b"),
        ({"a": dt.date(2026, 1, 1), "b": dt.date(2026, 1, 2)}, "a + b"),
        ({"a": dt.date(2026, 1, 1), "b": Quantity(Decimal("1.5"), (("day", 1),))}, "a + b"),
        ({"a": dt.date(9999, 12, 31), "b": Quantity(Decimal(1), (("day", 1),))}, "a + b"),
        ({"a": Quantity(Decimal(5), (), "cat"), "b": Quantity(Decimal(5), (), "dog")}, "a + b"),
    ],
)
def test_things_of_different_kinds_do_not_add_up(operands: dict[str, Quantity | dt.date], expression: str) -> None:
    with pytest.raises(CalculationError):
        evaluate(expression, operands)


def test_the_days_between_two_dates_are_days() -> None:
    (days,) = evaluate("end - begin", {"end": dt.date(2026, 3, 1), "begin": dt.date(2026, 2, 1)})
    assert days == Quantity(Decimal(28), (("day", 1),))
