"""Make a follow-up a whole question, without a model: carry the topic over from the question before it.

"¿Y en Madrid?" after "¿Cuál es el límite de hotel en Valencia?" is searched as both together: the new words decide what
is different, the old ones what it is about.
"""

from __future__ import annotations

import re

from core.index.analysis import PLAIN, terms
from core.retrieval.coverage import ASKING

_OPENINGS = re.compile(
    r"^\W*(?:y|e|pero|entonces|o|and|but|so|or|then|what about|how about|qu[eé] hay de|qu[eé] pasa con"
    r"|tambi[eé]n|(?:the )?same for|lo mismo (?:para|con)"
    # "¿Cuántos puedo pasar?", "How many can I keep?": the thing that is counted was said before.
    r"|cu[aá]nt[oa]s (?:puedo|puede|podemos|hay|tengo|tenemos|me|se|son|quedan|tocan)"
    r"|how many (?:can|may|do|are|of))\b",
    re.IGNORECASE,
)
_POINTING = re.compile(
    r"\b(?:eso|esto|esa|ese|esos|esas|ah[ií]|all[ií]|ello|ellos|ellas|lo mismo|el mismo|la misma"
    r"|se l[oa]s?|sus?|her|his|their|its|it|this|those|these|they|them|the same)\b|\b(?:there|that|one)\W*$",
    re.IGNORECASE,
)
_BARE = re.compile(r"^\W*(?:(?:a|con|de|desde|en|hasta|para|por|by|for|from|in|since|until|with)\s+)?"
                   r"(?:cu[aá]nt\w+|cu[aá]ndo|c[oó]mo|d[oó]nde|qui[eé]n(?:es)?|qu[eé]|how|when|where|who|why)\b",
                   re.IGNORECASE)  # fmt: skip
_DEFINES = re.compile(
    r"^\W*(?:qu[eé] (?:es|son|significan?)|qui[eé]n(?:es)? (?:es|son)|who (?:is|are))\b", re.IGNORECASE
)
_NAME = re.compile(r"\s\W*(?:[A-ZÁÉÍÓÚÑ]\w|\w*\d)")
_RELATING = frozenset({"desde", "hasta", "since", "until", "hora", "time", "tambien", "also", "too"})
"""Words that say how, not what about."""
FEW_WORDS = 3
"""A question with no more telling words than this hardly stands alone when it points back."""


def is_follow_up(question: str) -> bool:
    """Whether a question leans on the one before it."""
    if _OPENINGS.match(question):
        return True
    telling = _telling(question)
    if len(telling) <= FEW_WORDS and _POINTING.search(question):
        return True
    # "¿Cuánto dura?" asks of what was said; "¿Qué es la VPN?" and "¿Cuánto cuesta Acme?" name what they are about.
    is_bare = _BARE.match(question) and not _DEFINES.match(question) and not _NAME.search(question.strip())
    return not telling or (len(telling) == 1 and bool(is_bare))


def whole_question(question: str, previous: str | None) -> str:
    """The question to search for: with the topic of the previous whole question where it leans on it."""
    if previous is None or not is_follow_up(question):
        return question
    return f"{previous.strip()} {question.strip()}"


def _telling(question: str) -> list[str]:
    asking = set(terms(" ".join(ASKING.values()), PLAIN))
    return [term for term in terms(question, PLAIN) if term not in asking and term not in _RELATING]
