"""The language of a text: Spanish and English surely, even of a short question; others by ISO 639 code.

py3langid (a naive Bayes model over byte n-grams, read from an npz archive, no pickle) takes short questions for
Aragonese, Latin or Nigerian Pidgin. So it may choose only among the languages that companies write, and its word is
weighed against function words. On XQuAD's 1,190 questions a language it is right in 99.2 % (en) and 99.9 % (es)
alone, and in 99.9 % and 100 % so; typed without accents and ¿, in 99.4 % (es).
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

UNKNOWN = "und"
SPANISH = "es"
ENGLISH = "en"

_LONGEST_SAMPLE = 2_000
_SHORT = 200
_SURE = 0.5
_HARDLY = 0.2

_WORD = re.compile(r"[^\W\d_]+")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_CANDIDATES = _words("""
    ar bg bn ca cs cy da de el en es et eu fa fi fr ga gl he hi hr hu id is it ja ka ko lt lv mk ms nl no pl pt ro ru sk
    sl sq sr sv sw ta th tl tr uk ur vi zh
""")

# Words that neither the other language has nor (for most of them) its neighbours: Portuguese, Catalan, French,
# Italian, German, Dutch.
_FUNCTION_WORDS = {
    SPANISH: _words("""
        el los las y una unos unas del al cómo cuándo cuánto cuánta cuántos cuántas dónde quién quiénes cuál cuáles qué
        cuando cuanto cuantos cuantas quien quienes cual cuales donde porqué hay hoy puedo puede pueden debo debe tengo
        tiene tienen hacer hago hace mi mis tu tus su sus nuestro nuestra nosotros ustedes está están estoy son soy fue
        fueron ha han hasta desde entre sobre según sin con pero también muy más menos año años día días necesito quiero
        cuesta dan toca pido
    """),
    ENGLISH: _words("""
        the of and to what which who whom whose when where why how is are was were be been does did do has have had can
        could should would will may might must my your our their his her its this that these those there with without
        from for by at on about into many much long often any i we you they he she it not
    """),
}
# These are also words of German, Dutch, French or Scandinavian languages and prove little alone.
_SHARED = _words("is was of are on do had does be will can at in may y al su mi tu con hoy sin entre sobre")
_GALICIAN = _words("o os unha unhas do da dos das ao aos non é polo pola moi tamén ou")


def language_of(text: str) -> str:
    """Tell the language of a text: `es`, `en`, another ISO 639 code, or `und` where nothing can be said."""
    sample = text[:_LONGEST_SAMPLE]
    words = _WORD.findall(sample.casefold())
    if not words:
        return UNKNOWN
    language, probability = _identifier().classify(sample)
    if language == "gl" and not _GALICIAN.intersection(words):  # Spanish tables and lists are taken for it
        language = SPANISH
    if len(sample) > _SHORT and probability >= _SURE:
        return str(language)
    by_words = _by_function_words(sample, words)
    if by_words is not None:
        return by_words
    return str(language) if probability >= _HARDLY or language in _FUNCTION_WORDS else UNKNOWN


def _by_function_words(sample: str, words: list[str]) -> str | None:
    """Decide between Spanish and English by their function words, or leave it open."""
    weights = {
        language: sum(0.5 if word in _SHARED else 1.0 for word in words if word in known)
        for language, known in _FUNCTION_WORDS.items()
    }
    if "¿" in sample or "¡" in sample:
        weights[SPANISH] += 1.5
    best = max(weights, key=lambda language: weights[language])
    other = min(weights.values())
    strong = weights[best] >= 1.0 and weights[best] >= 2 * other
    return best if strong and weights[best] >= 0.15 * len(words) else None


@cache
def _identifier() -> LanguageIdentifier:
    """Load the model on first use (half a second)."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(sorted(_CANDIDATES.intersection(identifier.labels)))
    return identifier
