"""What a browser shows before the items of an ordered list."""

from __future__ import annotations

from collections.abc import Iterator

from sync.parsing.tree import Element


def numbers_of(element: Element) -> Iterator[str]:
    """Yield what a browser shows before each item: "1. " in ordered lists, nothing in others."""
    if element.tag != "ol":
        while True:
            yield ""
    style = element.get("type") or "1"
    number = int(start) if (start := element.get("start") or "").lstrip("-").isdigit() else 1
    while True:
        yield f"{_ordinal(number, style)}. "
        number += 1


def _ordinal(number: int, style: str) -> str:
    if style in {"a", "A"} and 1 <= number <= 26:
        letter = chr(ord("a") + number - 1)
        return letter.upper() if style == "A" else letter
    if style in {"i", "I"} and 1 <= number <= 39:
        units = ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix")
        roman = "x" * (number // 10) + units[number % 10]
        return roman.upper() if style == "I" else roman
    return str(number)
