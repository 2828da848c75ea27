"""HTML as a tree, with lxml's untyped answers made typed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import cast

import lxml.html
from lxml import etree
from lxml.etree import _Element as Element

from core.errors import ParsingError

_EMPTY = "<html></html>"
_XML_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")


def html_root(text: str, name: str) -> Element:
    """Parse HTML, however bad, into a tree.

    Raises:
        ParsingError: it cannot be.
    """
    text = _XML_DECLARATION.sub("", text.replace("\0", ""))
    try:
        return lxml.html.document_fromstring(text if text.strip() else _EMPTY)
    except etree.ParserError:  # nothing but stray end tags
        return lxml.html.document_fromstring(_EMPTY)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise ParsingError(f"{name} cannot be read as HTML.") from error


def select(element: Element, path: str) -> Iterator[Element]:
    """Yield the elements that an XPath finds."""
    return iter(cast("list[Element]", element.xpath(path)))


def text_of(element: Element) -> str:
    """All text in an element, as it stands in the source; `itertext` would give that of comments too."""
    return cast("str", element.xpath("string()"))


def line_of(element: Element) -> str:
    """All text in an element, on one line."""
    return " ".join(text_of(element).split())


def classes_of(element: Element) -> frozenset[str]:
    """The classes of an element."""
    return frozenset((element.get("class") or "").split())


def first_line(root: Element, path: str) -> str:
    """The text of the first element that an XPath finds and that has any, on one line; else nothing."""
    return next((line for element in select(root, path) if (line := line_of(element))), "")


__all__ = ["Element", "classes_of", "first_line", "html_root", "line_of", "select", "text_of"]
