"""Whether a sentence that a model wrote about a chunk may be indexed: plain, short, and with nothing new in it.

A document may hold words that are meant for the model. What could do harm in an index is a link, an address, a code or
a figure that the document does not have: a sentence with one is not taken.
"""

from __future__ import annotations

import re
import unicodedata

from core.text.canonical import clean_line
from core.text.sentences import split_sentences

LONGEST_SENTENCE = 200
"""Characters."""

_MARKUP = re.compile(r"[<>{}\[\]|`*#@\\]|://|\bwww\.|(?<!\w)_|_(?!\w)", re.IGNORECASE)
_ADDRESS = re.compile(r"[^\W_]\.[^\W\d_]{2,}")
"""A point between letters: a host, a file."""
_FIGURE = re.compile(r"(?:[^\W_]+[-/])*[^\W_]*\d(?:[\w.,:/-]*\w)?")
"""A number, a date, a code, with all that is written together with it."""
_CAPITALS = re.compile(r"\b[^\W\d_a-zà-öø-ÿ]{4,}\b")


def taken_sentence(said: str, document: str) -> str | None:
    """The sentence as it is indexed, or None.

    Args:
        said: what the model wrote.
        document: the title and the text that it was written about.
    """
    sentence = clean_line(said)
    if not 0 < len(sentence) <= LONGEST_SENTENCE or "\n" in said.strip():
        return None
    if len(split_sentences(sentence)) != 1 or _MARKUP.search(sentence) or _ADDRESS.search(sentence):
        return None
    known = _folded(document)
    new = [found for pattern in (_FIGURE, _CAPITALS) for found in pattern.findall(sentence)]
    return None if any(not _stands_in(_folded(found), known) for found in new) else sentence


def _stands_in(figure: str, text: str) -> bool:
    """Whether a figure is in the text as it is, and not only as a part of a longer one."""
    alone = rf"(?<!\w)(?<!\d[.,]){re.escape(figure)}(?!\w)(?![.,:/-]\d)"
    return re.search(alone, text) is not None


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()
