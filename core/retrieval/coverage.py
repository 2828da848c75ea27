"""How much of a question's words a passage holds, weighed by how rare each is among what the reader may see."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from dataclasses import dataclass

from core.index.analysis import terms
from core.index.lexical import TermStatistics

_WORD = re.compile(r"\w+")

# Words that ask rather than say what about. Not a list of stop words: "IT", "who" as a group or "no" must count.
ASKING = {
    "es": """a al ante como con cual cuales cuando cuanta cuantas cuanto cuantos de del donde el en es esta este ha hay
        haya la las le lo los me mi mis para por puede pueden puedo que quien quienes se ser si sin sobre son soy su sus
        tiene tienen tengo un una unas uno unos y ya yo debo debe hacer hace hago cada o u e fue era""",
    "en": """a an and are as at be by can could did do does for from had has have how i if in is it's its many much may
        me my of on or our shall should that the their there this to was we were what when where which will with would
        you your there's am been being into about""",
}


@dataclass(frozen=True, slots=True)
class QuestionTerms:
    """A question's distinct terms in one language's analysis, with their idf. `mass` is the sum."""

    language: str
    idf: dict[str, float]

    @property
    def mass(self) -> float:
        """The idf of all terms together."""
        return sum(self.idf.values())

    def coverage(self, text_terms: Iterable[str]) -> float:
        """Share (0–1) of the idf mass that is among these terms."""
        mass = self.mass
        if not mass:
            return 0.0
        present = set(text_terms)
        return sum(weight for term, weight in self.idf.items() if term in present) / mass


def telling_words(question: str, language: str) -> str:
    """The words of a question that say what about; all of them where none does.

    Words that only ask are in most documents, which makes them the dearest to count, and worth nothing.
    """
    asking = _asking(language)
    telling = [word for word in _WORD.findall(question) if not all(term in asking for term in terms(word, language))]
    return " ".join(telling) or question


def question_terms(statistics: TermStatistics) -> QuestionTerms:
    """Weigh a question's terms; words that only ask are left out, unless nothing else is there."""
    idf = {term: statistics.idf(term) for term in statistics.frequencies}
    telling = {term: weight for term, weight in idf.items() if term not in _asking(statistics.language)}
    return QuestionTerms(statistics.language, telling or idf)


@functools.cache
def _asking(language: str) -> frozenset[str]:
    return frozenset(terms(ASKING.get(language, ""), language))
