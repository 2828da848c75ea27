"""entities.xml as a stream of objects, read one after the other; what is broken in one does not reach the next.

    bytes  ──decode, drop forbidden characters──►  text  ──cut──►  <object>…</object>  ──parse──►  ExportObject

The file is never given to an XML parser as a whole: of a real export of several gigabytes a single control character
would end the parse, and a parser that "recovers" loses objects without a word (an access restriction among them). No
DTD is ever read, so no entity can be declared, expanded or fetched.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

from lxml import etree

from core.errors import SourceError
from sync.parsing.tree import Element, text_of
from sync.parsing.xml_repair import ILLEGAL, repair_references

_CHUNK = 256 * 1024
_LOOKAHEAD = 256
"""Characters that must follow a token before it is believed; more than the longest token."""

_ROOT = re.compile(r"<hibernate-generic\b|<!DOCTYPE|<object\b")
_BETWEEN = re.compile(r"<object\b|</hibernate-generic\s*>|<!--")
_INSIDE = re.compile(r"<!\[CDATA\[|</object\s*>|<object\b|</hibernate-generic\s*>|<!--")
_COMMENT_END = re.compile("-->")
# The section ends where its property does; an end before other markup is that of a section nested in it, unescaped.
_CDATA_END = re.compile(r"\]\]>(?=\s{0,200}(?:</(?:property|id|element|collection|object)\b|<!\[CDATA\[))")

_STRICT = etree.XMLParser(resolve_entities=False, load_dtd=False, no_network=True, huge_tree=True)
_FORGIVING = etree.XMLParser(recover=True, resolve_entities=False, load_dtd=False, no_network=True, huge_tree=True)


@dataclass(frozen=True, slots=True)
class ExportObject:
    """One object of the dump."""

    kind: str
    """Its class without the package: `Page`, `BodyContent`, `SpacePermission`."""
    id: str
    properties: dict[str, str]
    """Each property's text; of a reference, the id it points to."""
    classes: dict[str, str] = field(default_factory=dict)
    """The class that each reference points to, also of one that lacks its id."""
    lists: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Each collection's ids. A property that stands there twice has its other values here."""
    damaged: bool = False
    """It was not well-formed: something of it may be missing."""

    def get(self, *names: str) -> str:
        """The first of these properties that says anything, without blanks around it."""
        return next((value for name in names if (value := self.properties.get(name, "").strip())), "")


def read_objects(stream: BinaryIO, name: str = "entities.xml") -> Iterator[ExportObject]:
    """Yield the objects of an export, in the order of the file.

    Raises:
        SourceError: it is no export, declares a DTD, or ends before its end.
    """
    scanner = _Scanner(_chunks(stream))
    _, token = scanner.take(_ROOT)
    if token is None or token[0] == "<object":
        raise SourceError(f"{name} is not a Confluence XML export; nothing was read from it.")
    if token[0] == "<!DOCTYPE":
        raise SourceError(f"{name} declares a DTD, which no export of Confluence does, and was refused.")
    begun = False
    while True:
        if not begun:
            _, token = scanner.take(_BETWEEN)
            if token is None:
                raise SourceError(
                    f"{name} ends in the middle: the export is not complete; nothing was concluded from it."
                )
            if token[0] == "<!--":
                scanner.take(_COMMENT_END)
                continue
            if token[0] != "<object":
                return
        text, end = _object_text(scanner)
        if end == "":
            raise SourceError(f"{name} ends in the middle: the export is not complete; nothing was concluded from it.")
        yield _parse(text, broken_off=not end.startswith("</object"))
        if end.startswith("</hibernate"):
            return
        begun = end == "<object"


class _Scanner:
    """Takes text from a stream up to the next token, holding one chunk."""

    def __init__(self, chunks: Iterator[str]) -> None:
        self._chunks = chunks
        self._text = ""
        self._position = 0
        self._ended = False

    def take(self, token: re.Pattern[str]) -> tuple[str, re.Match[str] | None]:
        """The text before the next token, and the token; at the end of the stream the rest, and None."""
        parts = []
        while True:
            match = token.search(self._text, self._position)
            if match is not None and (self._ended or match.end() + _LOOKAHEAD <= len(self._text)):
                parts.append(self._text[self._position : match.start()])
                self._position = match.end()
                return "".join(parts), match
            keep = len(self._text)
            if not self._ended:
                keep = match.start() if match is not None else max(self._position, keep - _LOOKAHEAD)
            parts.append(self._text[self._position : keep])
            self._text, self._position = self._text[keep:], 0
            if self._ended:
                return "".join(parts), None
            chunk = next(self._chunks, None)
            self._ended = chunk is None
            self._text += chunk or ""


def _chunks(stream: BinaryIO) -> Iterator[str]:
    head = stream.read(_CHUNK)
    wide = head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    decoder = codecs.getincrementaldecoder("utf-16" if wide else "utf-8-sig")("replace")
    while head:
        yield ILLEGAL.sub("", decoder.decode(head))
        head = stream.read(_CHUNK)
    yield ILLEGAL.sub("", decoder.decode(b"", final=True))


def _object_text(scanner: _Scanner) -> tuple[str, str]:
    """The text of the object that has begun, made well-formed, and the token that ended it (empty: the file did)."""
    parts = ["<object"]
    while True:
        text, token = scanner.take(_INSIDE)
        parts.append(repair_references(text))
        if token is None:
            return "", ""
        if token[0] == "<![CDATA[":
            content, end = scanner.take(_CDATA_END)
            if end is None:
                return "", ""
            parts += ("<![CDATA[", content.replace("]]>", "]]]]><![CDATA[>"), "]]>")
        elif token[0] == "<!--":
            scanner.take(_COMMENT_END)
        else:
            parts.append("</object>")
            return "".join(parts), token[0]


def _parse(text: str, *, broken_off: bool) -> ExportObject:
    data = text.encode("utf-8", "replace")
    try:
        return _object(etree.fromstring(data, _STRICT), damaged=broken_off)
    except etree.XMLSyntaxError:
        root: Element | None = etree.fromstring(data, _FORGIVING)
        return ExportObject("", "", {}, damaged=True) if root is None else _object(root, damaged=True)


def _object(root: Element, *, damaged: bool) -> ExportObject:
    found = ExportObject(root.get("class") or "", _id(root), {}, damaged=damaged)
    # Of a broken object, what follows the place may have become a part of what stands before it.
    walk = root.iter if damaged else root.iterchildren
    for child in walk("property", "collection"):
        name = child.get("name") or ""
        if child.tag == "collection":
            found.lists[name] = (
                *found.lists.get(name, ()),
                *filter(None, map(_element, child.iterchildren("element"))),
            )
            continue
        value = _id(child)
        if kind := child.get("class"):
            found.classes[name] = kind
        value = value or _text(child)
        if name in found.properties and found.properties[name] != value:
            found.lists[name] = (*found.lists.get(name, ()), found.properties[name])
        found.properties[name] = value
    return found


def _id(element: Element) -> str:
    return next((_text(child).strip() for child in element.iterchildren("id")), "")


def _element(element: Element) -> str:
    return _id(element) or _text(element).strip()


def _text(element: Element) -> str:
    """All text in an element, which hardly ever has others in it; an XPath would take most of the time of a read."""
    return text_of(element) if len(element) else element.text or ""
