"""A body of Confluence in its storage format (XHTML with `ac:` and `ri:` elements), or in the older wiki markup.

    body  ──parse──►  storage tree  ──StorageRewriter──►  HTML tree  ──HtmlReader──►  blocks

Macros become the HTML that a reader of the page would see, before anything is read: their parameters never reach the
text. What a body takes from elsewhere (included pages, names of people, addresses) is asked of a `StorageLibrary`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from lxml import etree

from core.domain.document import Block
from core.errors import ParsingError
from sync.parsing.confluence_conditions import is_condition
from sync.parsing.confluence_library import NoLibrary, StorageLibrary
from sync.parsing.confluence_macros import StorageRewriter
from sync.parsing.confluence_wiki import wiki_tree
from sync.parsing.html import Context, HtmlReader
from sync.parsing.tree import Element
from sync.parsing.xml_repair import repair_markup

LARGEST_BODY = 30 * 1024 * 1024
"""Characters."""

_PREFIX = re.compile(r"(?:</?|\s)([A-Za-z_][\w.-]*):[A-Za-z_]")
_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>|<!DOCTYPE[^>]*>")
_MACRO_NAME = re.compile(r"""\bac:name\s*=\s*["']([^"']*)""")
_STRICT = etree.XMLParser(
    resolve_entities=False, load_dtd=False, no_network=True, huge_tree=True, remove_comments=True, remove_pis=True
)
_FORGIVING = etree.XMLParser(
    recover=True, resolve_entities=False, load_dtd=False, no_network=True, huge_tree=True, remove_comments=True,
    remove_pis=True,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class StorageText:
    """What a body says, in reading order."""

    blocks: tuple[Block, ...]
    links: tuple[str, ...] = ()
    included: tuple[str, ...] = ()
    """Keys of the pages whose text stands in it: each governs, with its own rule, who may read it."""
    warnings: tuple[str, ...] = ()
    """Sentences for the report. They hold no text of the page."""


def read_storage(
    body: str,
    name: str,
    library: StorageLibrary | None = None,
    *,
    key: str = "",
    space: str = "",
    wiki: bool = False,
) -> StorageText:
    """Read the body of a page.

    Args:
        body: the markup.
        name: what to call the page in an error.
        library: where included pages and people's names are looked up; without it there are none.
        key: the page's own key, so that it cannot include itself.
        space: the key of its space, in which links without one are meant.
        wiki: the body is wiki markup (`bodyType` 0), as before Confluence 4.

    Raises:
        ParsingError: it is too large, nested too deeply, or so broken that text hidden by a macro might show.
    """
    warnings: list[str] = []
    try:
        root = wiki_tree(body) if wiki else storage_tree(body, name, warnings)
        rewriter = StorageRewriter(library or NoLibrary(), key, space)
        rewriter.rewrite(root)
    except RecursionError as error:
        raise ParsingError(f"{name} is nested too deeply to be read.") from error
    reader = _StorageReader()
    blocks = reader.read(root, name)
    return StorageText(blocks, tuple(reader.links), tuple(rewriter.included), (*warnings, *rewriter.warnings))


def storage_tree(body: str, name: str, warnings: list[str] | None = None) -> Element:
    """Parse storage format into a tree. `ac:link` and `ri:page` are called `ac.link` and `ri.page` in it.

    Raises:
        ParsingError: it is too large, or so broken that text hidden by a macro might show.
    """
    if len(body) > LARGEST_BODY:
        raise ParsingError(f"{name} has {len(body) // 2**20} million characters and was refused.")
    text = repair_markup(_DECLARATION.sub("", body))
    prefixes = sorted({match[1] for match in _PREFIX.finditer(text)} - {"xml", "xmlns"})
    declared = "".join(f' xmlns:{prefix}="{prefix}"' for prefix in prefixes)
    data = f"<div{declared}>{text}</div>".encode("utf-8", "replace")
    try:
        root = etree.fromstring(data, _STRICT)
    except etree.XMLSyntaxError as error:
        if any(is_condition(match[1].strip().casefold()) for match in _MACRO_NAME.finditer(text)):
            raise ParsingError(f"{name} hides text from some readers, but its markup is broken: not read.") from error
        recovered: Element | None = etree.fromstring(data, _FORGIVING)
        if recovered is None:
            raise ParsingError(f"{name} cannot be read: its markup is broken.") from error
        root = recovered
        if warnings is not None:
            warnings.append("Its markup is broken; some of its text may be missing.")
    _flatten_names(root)
    return root


def _flatten_names(root: Element) -> None:
    """Take the prefix into the name, so that an element can be told by one short word, whatever URI it declares."""
    for element in root.iter(etree.Element):
        if element.tag.startswith("{"):
            local = element.tag.rpartition("}")[2]
            element.tag = f"{element.prefix}.{local}" if element.prefix else local
        for attribute in [a for a in element.attrib if str(a).startswith("{")]:
            uri, _, local = str(attribute)[1:].partition("}")
            prefix = next((p for p, u in element.nsmap.items() if p and u == uri), "")
            element.set(f"{prefix}.{local}" if prefix else local, element.attrib.pop(attribute))


class _StorageReader(HtmlReader):
    """Reads a rewritten body."""

    def read_special(self, element: Element, context: Context) -> bool:
        """Read panels."""
        label = element.get("data-panel")
        if label:
            self.read_children(element, replace(context, label=label))
        return bool(label)
