"""How words become index terms: one analyser for each language, and one without stemming for names and codes.

Accents are folded *before* stemming, so that `respiracion` and `respiración` meet (stemmed first, they do not).
The same analysers serve the index, the query and the coverage features, so that a term means one thing.
"""

from __future__ import annotations

import functools
import re

import tantivy
from tantivy import Filter, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

STEMMED = {"es": "spanish", "en": "english"}
"""Languages with a stemmer of their own, by ISO code, with tantivy's name for it."""

PLAIN = "plain"
_JOINED = re.compile(r"\w+(?:[-_./@:+#]\w+)+")
MAX_TERM = 60
"""Longer runs of letters (base64, keys) are not words and only swell the index."""

REMEMBERED = 512
"""Texts whose terms are remembered: each passage of a question is looked at by several features."""


@functools.cache
def analyser(language: str) -> TextAnalyzer:
    """The analyser for a language; any language without a stemmer gets the plain one."""
    builder = (
        TextAnalyzerBuilder(Tokenizer.simple())
        .filter(Filter.remove_long(MAX_TERM))
        .filter(Filter.lowercase())
        .filter(Filter.ascii_fold())
    )
    if language in STEMMED:
        builder = builder.filter(Filter.stemmer(STEMMED[language]))
    return builder.build()


def terms(text: str, language: str) -> list[str]:
    """The index terms of a text, in order, with repetitions."""
    return list(_terms(text, language))


@functools.lru_cache(maxsize=REMEMBERED)
def _terms(text: str, language: str) -> tuple[str, ...]:
    return tuple(analyser(language).analyze(text))


def codes(text: str) -> list[tuple[str, ...]]:
    """The codes, addresses and file names of a text: words joined by signs, each as its terms in order."""
    joined = (tuple(terms(match.group(), PLAIN)) for match in _JOINED.finditer(text))
    return [parts for parts in dict.fromkeys(joined) if len(parts) > 1]


def register(index: tantivy.Index) -> None:
    """Make the analysers known to an index under the names that its schema uses."""
    for name in (*STEMMED, PLAIN):
        index.register_tokenizer(name, analyser(name))
