"""Bytes to text, for files that do not say (or are wrong about) how they are encoded."""

from __future__ import annotations

import codecs
import re

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CHARSET = re.compile(rb"""<(?:meta|\?xml)[^>]{0,200}?(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)


def decode(data: bytes) -> str:
    """Decode by the byte-order mark, else as UTF-8, else as the file declares (HTML, XML), else as Windows-1252.

    UTF-8 goes before the declaration: a text that is not UTF-8 almost never decodes as it, while declarations that are
    wrong are frequent ("charset=iso-8859-1" on pages saved again by an editor). Never fails: bytes without a meaning
    become U+FFFD.
    """
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace")
    if wide := _wide_without_mark(data[:400]):
        return data.decode(wide, "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode(_declared(data[:2_048]), "replace")


def _wide_without_mark(head: bytes) -> str | None:
    """Recognise UTF-16 without a mark: every other byte of Latin text is zero."""
    if len(head) < 4 or b"\0" not in head:
        return None
    even, odd = head[0::2].count(0), head[1::2].count(0)
    if odd > 0.7 * len(head) / 2 and not even:
        return "utf-16-le"
    if even > 0.7 * len(head) / 2 and not odd:
        return "utf-16-be"
    return None


def _declared(head: bytes) -> str:
    match = _CHARSET.search(head)
    if match is None:
        return "cp1252"
    try:
        name = codecs.lookup(match[1].decode("ascii", "replace")).name
    except LookupError:
        return "cp1252"
    # Browsers read Latin-1 and ASCII as Windows-1252, and a file that says UTF-8 was not.
    return "cp1252" if name in {"iso8859-1", "ascii", "utf-8"} else name
