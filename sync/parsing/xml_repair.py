"""XML that is almost well-formed, made so: forbidden characters, entities that only HTML knows, bare ampersands."""

from __future__ import annotations

import re
from html.entities import html5

ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""What no XML 1.0 document may hold, not even escaped."""

_XML_NAMES = frozenset({"amp", "lt", "gt", "quot", "apos"})
_REFERENCE = re.compile(r"&(?:#(?P<decimal>\d{1,9})|#[xX](?P<hex>[0-9a-fA-F]{1,8})|(?P<name>[A-Za-z][A-Za-z0-9]*));|&")
_CDATA, _CDATA_END = "<![CDATA[", "]]>"
# What Confluence writes for the end of a CDATA section inside another. Elsewhere it is text: `[[ -f x ]] >log`.
_NESTED_END = re.compile(r"\]\] >(?=\s*</ac:plain-text|\s*<!\[CDATA\[)")


def repair_references(text: str) -> str:
    """Repair the references of a piece of markup in which there is no CDATA section."""
    return _REFERENCE.sub(_reference, text) if "&" in text else text


def repair_markup(text: str) -> str:
    """Repair a piece of markup; what stands in its CDATA sections stays as it is, but for forbidden characters."""
    text = _NESTED_END.sub("]]>", ILLEGAL.sub("", text))
    parts: list[str] = []
    position = 0
    while (start := text.find(_CDATA, position)) >= 0 and (end := text.find(_CDATA_END, start)) >= 0:
        parts += (repair_references(text[position:start]), text[start : end + len(_CDATA_END)])
        position = end + len(_CDATA_END)
    parts.append(repair_references(text[position:]))
    return "".join(parts)


def _reference(match: re.Match[str]) -> str:
    if name := match["name"]:
        if name in _XML_NAMES:
            return match[0]
        known = html5.get(f"{name};")
        return known if known is not None else f"&amp;{name};"
    if not match["decimal"] and not match["hex"]:
        return "&amp;"
    code = int(match["decimal"]) if match["decimal"] else int(match["hex"], 16)
    return match[0] if code <= 0x10FFFF and code and not ILLEGAL.match(chr(code)) else ""
