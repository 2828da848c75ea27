"""A small safe evaluator: arithmetic over quantities with their units, and over dates. Nothing is ever executed.

An expression is a Python expression of names, numbers, `+ - * /`, brackets and `min max sum round abs`. A number in it
would be a fact without a quote, unless it only changes the scale: 100 for percent, 12 months, 7 days, 24 hours, 60
minutes, or the count of the inputs in a mean. Such a number is taken in each of its meanings, and the units decide.
"""

from __future__ import annotations

import ast
import datetime as dt
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal, DecimalException, localcontext

LONGEST_EXPRESSION = 300
MOST_NODES = 80

Dimensions = tuple[tuple[str, int], ...]
_CONTEXT = Context(prec=40)


@dataclass(frozen=True, slots=True)
class Quantity:
    """An amount and its dimensions (`EUR` per `month` is (("EUR", 1), ("month", -1))). `label`: what is counted."""

    amount: Decimal
    dimensions: Dimensions = ()
    label: str = ""


PERCENT: Dimensions = (("%", 1),)


class CalculationError(ValueError):
    """An expression that cannot be evaluated, with a sentence that says why."""


Operand = Quantity | dt.date
"""What an expression is made of."""


def evaluate(expression: str, names: Mapping[str, Operand]) -> list[Operand]:
    """Evaluate an expression over named operands; one outcome for each way to take its scale numbers.

    Raises:
        CalculationError: it is not plain arithmetic over these names, or its units do not go together.
    """
    if len(expression) > LONGEST_EXPRESSION:
        raise CalculationError("the expression is too long")
    try:
        tree = ast.parse(expression.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise CalculationError("the expression cannot be read") from error
    nodes = list(ast.walk(tree))
    if len(nodes) > MOST_NODES:
        raise CalculationError("the expression is too long")
    unused = names.keys() - {node.id for node in nodes if isinstance(node, ast.Name)}
    if unused:
        raise CalculationError(f"inputs that the expression does not use: {', '.join(sorted(unused))}")
    literals = [node for node in nodes if isinstance(node, ast.Constant) and not _is_places(node, nodes)]
    choices = [_meanings(node, len(names)) for node in literals]
    outcomes: list[Operand] = []
    problem = CalculationError("the units do not go together")
    for chosen in itertools.islice(itertools.product(*choices), 64):
        meaning = {id(node): operand for node, operand in zip(literals, chosen, strict=True)}
        try:
            with localcontext(_CONTEXT):
                outcomes.append(_Evaluator(names, meaning).value(tree.body))
        except CalculationError as error:
            problem = error
        except DecimalException as error:
            raise CalculationError("the numbers cannot be computed (division by zero?)") from error
    if not outcomes:
        raise problem
    return outcomes


_SCALES: dict[int, tuple[Dimensions, ...]] = {
    1: (),
    100: (),
    1000: (),
    12: ((("month", 1), ("year", -1)), (("month", -1), ("year", 1))),
    4: ((("quarter", 1), ("year", -1)),),
    52: ((("week", 1), ("year", -1)),),
    7: ((("day", 1), ("week", -1)),),
    24: ((("day", -1), ("hour", 1)),),
    60: ((("hour", -1), ("minute", 1)), (("minute", -1), ("second", 1))),
}


def _meanings(node: ast.Constant, inputs: int) -> list[Quantity]:
    """The ways to take a number of the expression: a plain factor, or months in a year, days in a week …"""
    number = node.value
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise CalculationError(f"{number!r} is not a number")
    amount = Decimal(repr(number))
    if (
        not amount.is_finite()
        or amount != amount.to_integral_value()
        or int(amount) not in {*_SCALES, *range(1, inputs + 1)}
    ):
        raise CalculationError(f"the number {number} stands in no quote")
    conversions = _SCALES.get(int(amount), ())
    plain = [Quantity(amount)] if not conversions or int(amount) <= inputs else []
    if amount == 100:
        plain.append(Quantity(amount, PERCENT))
    return plain + [Quantity(amount, dimensions) for dimensions in conversions]


def _is_places(node: ast.Constant, nodes: Sequence[ast.AST]) -> bool:
    """Whether a number is the second argument of `round`."""
    return any(
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id == "round"
        and len(call.args) == 2
        and call.args[1] is node
        for call in nodes
    )


class _Evaluator:
    """Walks the few kinds of nodes that arithmetic needs; all else is refused."""

    def __init__(self, names: Mapping[str, Operand], literals: Mapping[int, Quantity]) -> None:
        self._names = names
        self._literals = literals

    def value(self, node: ast.expr) -> Operand:
        match node:
            case ast.Constant():
                return self._literals[id(node)]
            case ast.Name(id=name):
                if name not in self._names:
                    raise CalculationError(f"{name} is not an input")
                return self._names[name]
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                operand = _quantity(self.value(inner))
                return Quantity(-operand.amount, operand.dimensions, operand.label)
            case ast.UnaryOp(op=ast.UAdd(), operand=inner):
                return self.value(inner)
            case ast.BinOp(left=left, op=operator, right=right):
                return _combine(operator, self.value(left), self.value(right))
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
                return self._call(name, arguments)
        raise CalculationError(f"{type(node).__name__} is not arithmetic")

    def _call(self, name: str, arguments: Sequence[ast.expr]) -> Operand:
        if name == "round" and 1 <= len(arguments) <= 2:
            places = arguments[1] if len(arguments) == 2 else None
            number = places.value if isinstance(places, ast.Constant) else 0
            if not isinstance(number, int) or not 0 <= number <= 12:
                raise CalculationError("round takes 0 to 12 places")
            operand = _quantity(self.value(arguments[0]))
            rounded = operand.amount.quantize(Decimal(1).scaleb(-number), rounding=ROUND_HALF_UP)
            return Quantity(rounded, operand.dimensions, operand.label)
        flat = (
            arguments[0].elts if len(arguments) == 1 and isinstance(arguments[0], ast.List | ast.Tuple) else arguments
        )
        operands = [_quantity(self.value(argument)) for argument in flat]
        if not operands:
            raise CalculationError(f"{name}() of nothing")
        if name == "abs" and len(operands) == 1:
            return Quantity(abs(operands[0].amount), operands[0].dimensions, operands[0].label)
        for operand in operands[1:]:
            _same_kind(operands[0], operand)
        if name in ("min", "max"):
            return (min if name == "min" else max)(operands, key=lambda operand: operand.amount)
        if name == "sum":
            total = sum((operand.amount for operand in operands), Decimal(0))
            return Quantity(total, operands[0].dimensions, operands[0].label)
        raise CalculationError(f"{name} is not a function of arithmetic")


def _combine(operator: ast.operator, left: Operand, right: Operand) -> Operand:
    if isinstance(left, dt.date) or isinstance(right, dt.date):
        return _combine_dates(operator, left, right)
    match operator:
        case ast.Add() | ast.Sub():
            if PERCENT in (left.dimensions, right.dimensions) and () in (left.dimensions, right.dimensions):
                left, right = without_percent(left), without_percent(right)  # 1 + 5 %
            _same_kind(left, right)
            amount = left.amount + right.amount if isinstance(operator, ast.Add) else left.amount - right.amount
            return Quantity(amount, left.dimensions, left.label or right.label)
        case ast.Mult():
            label = left.label or right.label
            return Quantity(left.amount * right.amount, multiplied(left.dimensions, right.dimensions, 1), label)
        case ast.Div():
            label = "" if left.label == right.label else left.label
            return Quantity(left.amount / right.amount, multiplied(left.dimensions, right.dimensions, -1), label)
    raise CalculationError(f"{type(operator).__name__} is not arithmetic of this kind")


def _combine_dates(operator: ast.operator, left: Operand, right: Operand) -> Operand:
    if isinstance(left, dt.date) and isinstance(right, dt.date) and isinstance(operator, ast.Sub):
        return Quantity(Decimal((left - right).days), (("day", 1),))
    if isinstance(left, dt.date) and isinstance(right, Quantity) and isinstance(operator, ast.Add | ast.Sub):
        sign = 1 if isinstance(operator, ast.Add) else -1
        return _moved(left, right, sign)
    if isinstance(right, dt.date) and isinstance(left, Quantity) and isinstance(operator, ast.Add):
        return _moved(right, left, 1)
    raise CalculationError("dates can be subtracted, or moved by days, weeks, months or years")


def _moved(day: dt.date, by: Quantity, sign: int) -> dt.date:
    """A date moved by whole days, weeks, months or years; the last day of a shorter month where the day is missing."""
    if by.amount != by.amount.to_integral_value() or abs(by.amount) > 40_000:
        raise CalculationError("a date moves by whole days, weeks, months or years")
    count = sign * int(by.amount)
    try:
        match by.dimensions:
            case (("day", 1),):
                return day + dt.timedelta(days=count)
            case (("week", 1),):
                return day + dt.timedelta(weeks=count)
            case (("month", 1),):
                return _month_moved(day, count)
            case (("year", 1),):
                return _month_moved(day, 12 * count)
    except (OverflowError, ValueError) as error:
        raise CalculationError("the date is out of range") from error
    raise CalculationError("a date moves by days, weeks, months or years")


def _month_moved(day: dt.date, months: int) -> dt.date:
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    following = dt.date(year + (month == 11), (month + 1) % 12 + 1, 1)
    return dt.date(year, month + 1, min(day.day, (following - dt.timedelta(days=1)).day))


def _same_kind(left: Operand, right: Operand) -> None:
    left, right = _quantity(left), _quantity(right)
    if left.dimensions != right.dimensions:
        raise CalculationError(f"{dimensions_text(left)} and {dimensions_text(right)} cannot be added")
    if left.label and right.label and left.label != right.label:
        raise CalculationError(f"{left.label} and {right.label} cannot be added")


def _quantity(operand: Operand) -> Quantity:
    if isinstance(operand, dt.date):
        raise CalculationError("a date is not a number")
    return operand


def multiplied(left: Dimensions, right: Dimensions, sign: int) -> Dimensions:
    """The dimensions of a product (`sign` 1) or quotient (−1)."""
    powers = dict(left)
    for name, power in right:
        powers[name] = powers.get(name, 0) + sign * power
    return tuple(sorted((name, power) for name, power in powers.items() if power))


def without_percent(operand: Quantity) -> Quantity:
    """The quantity with percent as hundredths: 5 % is 0.05."""
    power = dict(operand.dimensions).get("%", 0)
    rest = tuple((name, count) for name, count in operand.dimensions if name != "%")
    return Quantity(operand.amount.scaleb(-2 * power), rest, operand.label)


def dimensions_text(operand: Quantity) -> str:
    """The dimensions of a quantity for a person."""
    return " ".join(f"{name}{'' if power == 1 else power}" for name, power in operand.dimensions) or operand.label
