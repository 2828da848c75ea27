"""How much of a question's words a passage holds, weighed by how rare each is among what the reader may see."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from core.index.analysis import PLAIN, terms
from core.index.lexical import TermStatistics
from core.retrieval.names import amounts_of

_WORD = re.compile(r"\w+")
_FREE_WORD = re.compile(r"(?<![-_./@:+#\w])\w+\b(?![-_./@:+#]\w)")
"""A word that is no part of a code or an address."""
RESPELLED = 0.5
"""What a word that the asker may have meant counts against the one that they wrote."""

# Words that ask rather than say what about. Not a list of stop words: "IT", "who" as a group or "no" must count.
ASKING = {
    "es": """a al ante como con cual cuales cuando cuanta cuantas cuanto cuantos de del donde el en es esta este ha hay
        haya la las le lo los me mi mis para por puede pueden puedo que quien quienes se ser si sin sobre son soy su sus
        tiene tienen tengo un una unas uno unos y ya yo debo debe hacer hace hago cada o u e fue era""",
    "en": """a an and are as at be by can could did do does for from had has have how i if in is it's its many much may
        me my of on or our shall should that the their there this to was we were what when where which will with would
        you your there's am been being into about""",
}

# Words of a question, besides, that a passage which answers it need not have: persons left open, wishes, obligations,
# and what is said of a version rather than in it.
QUIET = {
    "es": """alguien algun alguna algunas alguno algunos cualquier cualquiera debemos deben debes necesita necesitan
        necesitamos necesito nos nuestra nuestras nuestro nuestros otra otro podemos podria pueda puedan puedes que
        queremos quiere quiero saber tenemos dime favor ese esa eso esto estos estas les le ni pero tambien
        antigua antiguo antiguas antiguos vieja viejo""",
    "en": """any anybody anyone exactly get gets got happen happens he her him his know may might must need needs one
        ones please she somebody someone tell them they us want who whom whose why
        old older former previous""",
}
_MEASURE = re.compile(
    r"\bhow\s+(big|deep|early|far|fast|frequently|heavy|high|large|late|long|often|old|quickly|soon|tall|wide)\b"
    r"|\b(?:cu[aá]nto|qu[eé])\s+(tiempo)\b",
    re.IGNORECASE,
)
"""What is measured in "how long" is not in the answer, its number is."""


@dataclass(frozen=True, slots=True)
class QuestionTerms:
    """A question's distinct terms in one language's analysis, with their idf. `mass` is the sum."""

    language: str
    idf: dict[str, float]
    respelled: Mapping[str, str] = field(default_factory=dict)
    """For a term that no visible text has, the one that it may be a slip of."""

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
        meant = {term for term, other in self.respelled.items() if other in present}
        held = (
            weight * (1.0 if term in present else RESPELLED if term in meant else 0.0)
            for term, weight in self.idf.items()
        )
        return sum(held) / mass


def only_asking(question: str, language: str | None = None) -> frozenset[int]:
    """Where the words of a question begin that only ask, in the words of a language; None: of any."""
    words = _quiet(language)
    found = {
        match.start()
        for match in _WORD.finditer(question)
        if all(term in words for term in terms(match.group(), language or PLAIN))
    }
    return frozenset(found | {match.start(match.lastindex or 0) for match in _MEASURE.finditer(question)})


def telling_words(question: str, language: str) -> str:
    """The words of a question that say what about; all of them where none does.

    Words that only ask are in most documents, which makes them the dearest to count, and worth nothing.
    """
    asking = only_asking(question, language)
    return " ".join(m.group() for m in _WORD.finditer(question) if m.start() not in asking) or question


def without_amounts(question: str) -> str:
    """A question without amounts of money and shares, which a passage that answers seldom holds; itself if all is gone.

    They are still searched for: only the share of the question's words that is found does not count them.
    """
    told = question
    for start, end in reversed(amounts_of(question)):
        told = f"{told[:start]} {told[end:]}"
    return told if _WORD.search(told) else question


def without_asking(question: str, language: str) -> str:
    """A question with the words that only ask taken out, and all else, signs included, as it was; itself if none tells.

    Codes and addresses stay whole, which `telling_words` takes apart.
    """
    asking = only_asking(question, language)
    told = _FREE_WORD.sub(lambda word: "" if word.start() in asking else word.group(), question)
    return told if _WORD.search(told) else question


def question_terms(statistics: TermStatistics, respelled: Mapping[str, str] | None = None) -> QuestionTerms:
    """Weigh a question's terms; words that only ask are left out, unless nothing else is there.

    `respelled` has known words for some of the question's, as `core.index.spelling` finds them.
    """
    idf = {term: statistics.idf(term) for term in statistics.frequencies}
    telling = {term: weight for term, weight in idf.items() if term not in _asking(statistics.language)}
    stems = {
        term: known
        for word, meant in (respelled or {}).items()
        for term, known in zip(terms(word, statistics.language), terms(meant, statistics.language), strict=False)
    }
    return QuestionTerms(statistics.language, telling or idf, stems)


@functools.cache
def _asking(language: str) -> frozenset[str]:
    return frozenset(terms(ASKING.get(language, ""), language))


@functools.cache
def _quiet(language: str | None) -> frozenset[str]:
    names = [language] if language is not None else list(ASKING)
    return frozenset(terms(" ".join(f"{ASKING.get(n, '')} {QUIET.get(n, '')}" for n in names), language or PLAIN))
