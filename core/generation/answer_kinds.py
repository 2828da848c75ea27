"""What kind of thing a question asks for, and whether a sentence offers it: a figure, a time, a name, a command."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto

_I = re.IGNORECASE

_NUMBER_WORDS = """
    one two three four five six seven eight nine ten eleven twelve dozen hundred thousand million billion half twice
    third uno una dos tres cuatro cinco seis siete ocho nueve diez once doce docena cien ciento mil millón millones
    mitad tercio doble
"""
_DATE_WORDS = """
    january february march april may june july august september october november december monday tuesday wednesday
    thursday friday saturday sunday century noon midnight enero febrero marzo abril mayo junio julio agosto septiembre
    octubre noviembre diciembre lunes martes miércoles jueves viernes sábado domingo siglo mediodía medianoche
"""
_THINGS = "city|country|team|company|person|player|university|state|ciudad|país|equipo|empresa|persona|jugador|estado"


def _any_of(words: str) -> str:
    return r"\b(?:" + "|".join(words.split()) + r")\b"


class AnswerKind(Enum):
    """What a question may ask for."""

    NUMBER = auto()
    TIME = auto()
    NAME = auto()
    COMMAND = auto()


_ASKS = {
    AnswerKind.NUMBER: re.compile(
        r"\b(?:cu[aá]nt[oa]s?"
        r"|how (?:many|much|long|far|old|fast|quickly|short|high|tall|big|large|often|soon|wide|deep)"
        r"|percentage|porcentaje|proportion|proporci[oó]n|m[aá]xim[oa]|m[ií]nim[oa]|maximum|minimum|price|precio"
        r"|l[ií]mite|limit|plazo)\b",
        _I,
    ),
    AnswerKind.TIME: re.compile(
        r"\b(?:when|cu[aá]ndo|(?:what|which) (?:\w+ )?(?:year|date|time|day|month|century)"
        r"|qu[eé] (?:a[nñ]o|d[ií]a|fecha|hora|mes|siglo))\b",
        _I,
    ),
    AnswerKind.NAME: re.compile(
        rf"\b(?:who|whom|whose|qui[eé]n(?:es)?|d[oó]nde|where|(?:which|what|qu[eé]) (?:{_THINGS}))\b", _I
    ),
    AnswerKind.COMMAND: re.compile(
        r"\b(?:commands?|comandos?|scripts?|what (?:do|should|must) I (?:run|type|execute)"
        r"|(?:qu[eé]|c[oó]mo) ejecut\w+)\b",
        _I,
    ),
}
_CODE = re.compile(r"\b(?!(?:EUR|USD|GBP|CHF)\b)[A-Z]{2,}[-_ ]?\d{2,}\b")
_SEPARATORS = re.compile(r"[-_ ]")
_LAST_QUESTION = re.compile(r"[^.?!]*\?[^?]*$")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*|" + _any_of(_NUMBER_WORDS), _I)
_TIME = re.compile(r"\d|" + _any_of(_DATE_WORDS), _I)
_NAME = re.compile(r"(?<!^)\b[A-ZÀ-ÖØ-Þ][\w'’-]+")


@dataclass(frozen=True, slots=True)
class Asked:
    """The kinds that a question asks for, and the figures and names that it brings itself."""

    kinds: frozenset[AnswerKind]
    own: frozenset[str]

    @classmethod
    def by(cls, question: str) -> Asked:
        """Read a question in Spanish or English; of several, the last one says what is asked for."""
        last = _LAST_QUESTION.search(question)
        asking = last.group() if last is not None else question
        kinds = frozenset(kind for kind, pattern in _ASKS.items() if pattern.search(asking))
        return cls(kinds, frozenset(found.casefold() for found in [*_found(_NUMBER, question), *_words(question)]))

    def offered(self, text: str, *, code: bool = False) -> frozenset[AnswerKind]:
        """Those of the kinds asked for that a text offers; what the question brought itself does not count."""
        offers = {
            AnswerKind.NUMBER: lambda: any(n.casefold() not in self.own for n in _found(_NUMBER, text)),
            AnswerKind.TIME: lambda: _TIME.search(text) is not None,
            AnswerKind.NAME: lambda: any(name.casefold() not in self.own for name in _found(_NAME, text)),
            AnswerKind.COMMAND: lambda: code,
        }
        return frozenset(kind for kind in self.kinds if offers[kind]())


def codes_in(question: str) -> frozenset[str]:
    """The codes that a question names (`WMS-77`), without the marks between their letters and digits."""
    return frozenset(_SEPARATORS.sub("", match.group()) for match in _CODE.finditer(question))


def names_code(text: str, codes: frozenset[str]) -> bool:
    """Whether a text has one of these codes."""
    plain = _SEPARATORS.sub("", text).upper()
    return any(code in plain for code in codes)


def _found(pattern: re.Pattern[str], text: str) -> list[str]:
    return [match.group() for match in pattern.finditer(text)]


def _words(text: str) -> list[str]:
    return re.findall(r"\w[\w'’-]*", text)
