"""HTML and SVG out of nested calls. A plain string is escaped wherever it stands; only what is made here is markup."""

from __future__ import annotations

import html
import re

_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")
_VOID = frozenset({"meta", "br"})

Attribute = str | float | None


class Markup(str):
    """Text that is markup already."""

    __slots__ = ()


def element(name: str, /, *children: str, **attributes: Attribute) -> Markup:
    """An element. `class_` is `class`, `stroke_width` is `stroke-width`; an attribute that is None is left out."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escaped(_number(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in _VOID:
        return Markup(f"<{name}{written}>")
    return Markup(f"<{name}{written}>{joined(*children)}</{name}>")


def joined(*children: str) -> Markup:
    """Children one after another."""
    return Markup("".join(child if isinstance(child, Markup) else escaped(child) for child in children))


def foreign(text: str) -> Markup:
    """Text of documents and people: its direction of writing is kept to itself."""
    return element("bdi", text)


def escaped(text: str) -> str:
    """Text as it is, without what is not seen."""
    return html.escape(_UNSEEN.sub("", text))


def _number(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:.2f}".rstrip("0").rstrip(".")
