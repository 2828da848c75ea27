"""Whether a figure of the question lies in a range that a text names: `From €3,000.01 to €15,000` for 10,000 euros.

Tables of thresholds answer by ranges, and no word of such a row is a word of the question.
"""

from __future__ import annotations

import re
from decimal import Decimal

_FIGURE = r"(?P<{name}>[-−]?\d+(?:[.,  ]\d{{3}})*(?:[.,]\d{{1,2}})?)(?![\d])"
_MONEY = r"[€$£]?\s?"
_BETWEEN = re.compile(
    rf"(?:from|between|de|desde|entre)\s+{_MONEY}{_FIGURE.format(name='low')}\s*\D{{0,6}}?"
    rf"\s(?:to|and|a|hasta|y)\s+{_MONEY}{_FIGURE.format(name='high')}",
    re.IGNORECASE,
)
_OVER = re.compile(
    rf"(?:more than|over|above|más de|mas de|a partir de)\s+{_MONEY}{_FIGURE.format(name='low')}", re.IGNORECASE
)
_UNDER = re.compile(
    rf"(?:up to|less than|under|below|hasta|menos de)\s+{_MONEY}{_FIGURE.format(name='high')}", re.IGNORECASE
)
_ANY = re.compile(r"(?<![\w.,])" + _FIGURE.format(name="figure"))


def in_named_range(question: str, cell: str) -> bool:
    """Whether the question has a figure that lies in the range that a cell is. A hint for ranking, not a proof."""
    low, high = _range(cell)
    if low is None and high is None:
        return False
    figures = [_value(match["figure"]) for match in _ANY.finditer(question)]
    return any((low is None or low <= f) and (high is None or f <= high) for f in figures)


def _range(cell: str) -> tuple[Decimal | None, Decimal | None]:
    if found := _BETWEEN.search(cell):
        return _value(found["low"]), _value(found["high"])
    if found := _OVER.search(cell):
        return _value(found["low"]), None
    if found := _UNDER.search(cell):
        return None, _value(found["high"])
    return None, None


def _value(figure: str) -> Decimal:
    """A figure in Spanish or English writing; three digits after a single mark are thousands."""
    plain = re.sub(r"[.,  ](?=\d{3}(?!\d))", "", figure.replace("−", "-"))
    return Decimal(plain.replace(",", "."))
