"""Which sentences of the quotes a claim draws on, by shared words and values. Decides relevance, never acceptance."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.verification.markers import Marker, MarkerHit, find_markers
from core.verification.value_forms import extract_values
from core.verification.values import Support, Value, supported_by
from core.verification.wording import without_accents, words

_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_SENTENCE_ENDS = re.compile(r"(?<=[.!?;])\s+|\n+")
_CLAUSE_ENDS = re.compile(
    r"[,;:()—]|\s[-–]\s|\s\|\s|\b(?:y|e|o|u|and|or|but|pero|sino|aunque|although|while|mientras)\b", re.IGNORECASE
)
_STOP_WORDS = words("""
    a al algo ante bajo como con cual cuando de del desde donde e el ella ellas ellos en entre era eran es esa ese eso
    esta estas este esto estos están está fue fueron ha han haya hay hasta la las le les lo los me mi mis mucho muy más
    nos o os otra otro para pero por porque que quien se sea según ser si sido sin sobre son su sus también tan tanto te
    tiene tienen toda todo todos tu tus u un una unas uno unos y ya
    about after all also am an and any are as at be because been before being between both but by can could did do does
    each for from had has have he her here him his how i if in into is it its may more most must my of on only or other
    our out over own same shall she should so some such than that the their them then there these they this those to too
    under until up very was we were what when where which while who will with would you your
    no not nunca never ni nor without jamás ningún ninguna ninguno ningunos ningunas nada nadie none nobody nothing
    neither cannot tampoco
""")
_SAME, _ACROSS = 5, 4


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a quote or a claim, with what is compared."""

    text: str
    stems: frozenset[str]
    values: tuple[Value, ...]
    markers: tuple[MarkerHit, ...]

    def has(self, *markers: Marker) -> bool:
        """Whether any of these markers stands in the sentence."""
        return any(hit.marker in markers for hit in self.markers)


def sentence(text: str, language: str, across: bool) -> Sentence:
    """Analyse one sentence. `across`: it will be compared with another language, so stems are shorter."""
    return Sentence(text, stems(text, across), extract_values(text, language), find_markers(text))


def sentences_of(text: str, language: str, across: bool) -> tuple[Sentence, ...]:
    """Analyse the sentences of a text."""
    parts = (part.strip() for part in _SENTENCE_ENDS.split(text))
    return tuple(sentence(part, language, across) for part in parts if part)


def stems(text: str, across: bool = False) -> frozenset[str]:
    """The beginnings of the content words: `vacac` of `vacaciones`; across languages `vaca`, as `vacation` has."""
    length = _ACROSS if across else _SAME
    return frozenset(without_accents(word)[:length] for word in content_words(text))


def content_words(text: str) -> list[str]:
    """The words of a text that carry its subject, in order."""
    return [word for word in _WORD.findall(text.lower()) if word not in _STOP_WORDS and len(word) > 2]


def clauses(text: str) -> list[tuple[int, int]]:
    """Cut a sentence at commas and conjunctions: (start, end) of each clause."""
    found = []
    start = 0
    for cut in _CLAUSE_ENDS.finditer(text):
        found.append((start, cut.start()))
        start = cut.end()
    found.append((start, len(text)))
    return [(start, end) for start, end in found if text[start:end].strip()]


def sentences_drawn_on(claim: Sequence[Sentence], quotes: Sequence[Sentence]) -> list[Sentence]:
    """The quoted sentences that a claim draws on: for each of its own, those that share half as much as the best."""
    if len(quotes) <= 1:
        return list(quotes)
    used: set[int] = set()
    for part in claim:
        scores = [_shared(part, quoted) for quoted in quotes]
        best = max(scores)
        used |= {place for place, score in enumerate(scores) if best and score >= best / 2}
    return [quoted for place, quoted in enumerate(quotes) if place in used or not used]


def _shared(part: Sentence, quoted: Sentence) -> int:
    values = sum(supported_by(value, quoted.values) is not Support.NO for value in part.values)
    return len(part.stems & quoted.stems) + 2 * values
