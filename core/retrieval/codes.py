"""Codes in a question (`ERR-4012`, `WMS-77`): a passage about another code of the family is near, and wrong."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.domain.evidence import Passage

_CODE = re.compile(r"(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[A-Za-z]{1,10}-?\d{2,}(?:-\w+)*(?![\w-])")


def codes_of(question: str) -> frozenset[str]:
    """The codes that a question names, folded."""
    return frozenset(_folded(code) for code in _CODE.findall(question))


def holding(codes: frozenset[str], passages: Sequence[Passage]) -> list[Passage]:
    """The passages that hold at least one of the codes; all of them where there are none."""
    if not codes:
        return list(passages)
    return [p for p in passages if codes & codes_of(f"{p.context}\n{p.text}")]


def held(codes: frozenset[str], passage: Passage) -> float:
    """1 where the headings above a passage have one of the codes, which it is about; 0.5 where only its text does."""
    if not codes:
        return 0.0
    return 1.0 if codes & codes_of(passage.context) else 0.5 if codes & codes_of(passage.text) else 0.0


def _folded(code: str) -> str:
    return code.casefold().replace("-", "")
