"""Make a follow-up a whole question, without a model: carry the topic over from the question before it.

"¿Y en Madrid?" after "¿Cuál es el límite de hotel en Valencia?" is searched as both together: the new words decide what
is different, the old ones what it is about.
"""

from __future__ import annotations

import re

from core.index.analysis import PLAIN, terms
from core.retrieval.coverage import ASKING

_OPENINGS = re.compile(
    r"^\W*(?:y|e|pero|entonces|o|and|but|so|or|then|what about|how about|qu[eé] hay de|qu[eé] pasa con)\b",
    re.IGNORECASE,
)
_POINTING = re.compile(
    r"\b(?:eso|esto|esa|ese|esos|esas|ah[ií]|all[ií]|ello|ellos|ellas|lo mismo|el mismo|la misma"
    r"|it|this|those|these|they|them|the same)\b|\b(?:there|that|one)\W*$",
    re.IGNORECASE,
)
FEW_WORDS = 3
"""A question with no more telling words than this hardly stands alone when it points back."""


def is_follow_up(question: str) -> bool:
    """Whether a question leans on the one before it."""
    if _OPENINGS.match(question):
        return True
    telling = _telling(question)
    return (len(telling) <= FEW_WORDS and bool(_POINTING.search(question))) or not telling


def whole_question(question: str, previous: str | None) -> str:
    """The question to search for: with the topic of the previous whole question where it leans on it."""
    if previous is None or not is_follow_up(question):
        return question
    return f"{previous.strip()} {question.strip()}"


def _telling(question: str) -> list[str]:
    asking = set(terms(" ".join(ASKING.values()), PLAIN))
    return [term for term in terms(question, PLAIN) if term not in asking]
