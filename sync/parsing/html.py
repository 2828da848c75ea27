"""HTML to blocks: headings, paragraphs, lists, tables, code and quotes as a browser would show them.

`HtmlReader` walks a tree once, in document order. A dialect (Confluence, Google Docs) subclasses it and overrides
`is_hidden` (what leaves no text) and `read_special` (what is read in its own way).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from urllib.parse import urldefrag

from core.domain.document import Block, BlockKind
from core.errors import ParsingError
from sync.parsing.decoding import decode
from sync.parsing.limits import LIMITS, FileLimits, check_size
from sync.parsing.ordinals import numbers_of
from sync.parsing.parsed import Hints, ParsedFile
from sync.parsing.tables import TABLE_PARTS, Cell, read_grid, remove_all, table_nodes
from sync.parsing.tree import Element, first_line, html_root, select, text_of

_HTML_BLANKS = re.compile(r"[ \t\r\n\f]+")
_SUPERSCRIPT = str.maketrans("0123456789+-−n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻ⁿ")
_SUBSCRIPT = str.maketrans("0123456789+-−", "₀₁₂₃₄₅₆₇₈₉₊₋₋")
_SMALL_NUMBER = re.compile(r"[+\-−]?\d{1,3}|n")
_DISPLAY_NONE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)

_HIDDEN_TAGS = frozenset(
    {"script", "style", "template", "noscript", "nav", "head", "title", "svg", "iframe", "object", "embed", "canvas"}
    | {"select", "textarea", "button", "datalist", "audio", "video", "map", "meta", "link"}
)
_BLOCK_TAGS = frozenset(
    {"address", "article", "aside", "body", "center", "details", "dialog", "div", "fieldset", "figcaption", "figure"}
    | {
        "footer",
        "form",
        "header",
        "hgroup",
        "hr",
        "html",
        "legend",
        "main",
        "menu",
        "p",
        "search",
        "section",
        "summary",
    }
    | {"dl", "dt", "dd", "caption", "tbody", "thead", "tfoot", "tr", "td", "th"}
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}


@dataclass(frozen=True, slots=True)
class Context:
    """Where in a document the walk is: what kind of block its text belongs to."""

    kind: BlockKind = BlockKind.PARAGRAPH
    level: int = 0
    label: str = ""
    inline: bool = False
    """Inside a heading or a cell: what would be a block of its own is a line there."""

    @property
    def keeps_lines(self) -> bool:
        """Whether paragraphs stay together as lines of one block."""
        return self.inline or self.kind is BlockKind.LIST_ITEM


def parse_html(data: bytes, name: str, limits: FileLimits = LIMITS) -> ParsedFile:
    """Read a page of HTML of any origin.

    Raises:
        ParsingError: the file is too large, or nested too deeply.
    """
    check_size(data, name, limits)
    root = html_root(decode(data), name)
    reader = HtmlReader()
    blocks = reader.read(root, name)
    title = first_line(root, "//title") or first_line(root, "//h1")
    author = next((meta.get("content") or "" for meta in select(root, "//meta[@name='author']")), "")
    return ParsedFile(title, blocks, Hints(author=author.strip()), tuple(reader.links))


class HtmlReader:
    """Reads one tree. Use an object once."""

    def __init__(self) -> None:
        self.links: dict[str, None] = {}
        self._blocks: list[Block] = []
        self._buffer: list[str] = []
        self._prefix = ""
        self._tables = 0
        self._nested: list[Element] = []

    def read(self, root: Element, name: str) -> tuple[Block, ...]:
        """Read what stands inside `root`.

        Raises:
            ParsingError: elements are nested too deeply.
        """
        try:
            self._children(root, Context())
            self._flush(Context())
        except RecursionError as error:
            raise ParsingError(f"{name} is nested too deeply to be read.") from error
        return tuple(self._blocks)

    # What a dialect overrides

    def is_hidden(self, element: Element) -> bool:
        """Whether an element and all in it leave no text."""
        return (
            element.tag in _HIDDEN_TAGS
            or element.get("hidden") is not None
            or bool(_DISPLAY_NONE.search(element.get("style") or ""))
        )

    def read_special(self, element: Element, context: Context) -> bool:
        """Read an element in the dialect's own way. Returns whether it did."""
        return False

    def list_level(self, element: Element, outer: Context) -> int:
        """How deep the items of a list are (0 outermost)."""
        return outer.level + 1 if outer.kind is BlockKind.LIST_ITEM else 0

    def link_target(self, address: str) -> str:
        """The address that a link really leads to."""
        return address

    def code_label(self, element: Element) -> str:
        """The language of a piece of code, where it is said."""
        for node in (element, *element.iterchildren("code")):
            for word in (node.get("class") or "").split():
                if word.startswith(("language-", "lang-")):
                    return word.partition("-")[2]
        return ""

    # What a dialect uses

    def add_text(self, text: str | None) -> None:
        """Add text to the block that is being read; its line breaks are blanks, as in a browser."""
        if text:
            self._append(_HTML_BLANKS.sub(" ", text))

    def add_prefix(self, text: str) -> None:
        """Put what a browser shows before an item (its number, a check box) before its first text."""
        self._prefix += text

    def end_block(self, context: Context) -> None:
        """End a paragraph: a block of its own, or a line of the item, heading or cell that it stands in."""
        if context.keeps_lines:
            self._buffer.append("\n")
        else:
            self._flush(context)

    def read_children(self, element: Element, context: Context) -> None:
        """Read what stands inside an element as a block of its own."""
        self.end_block(context)
        self._children(element, context)
        self.end_block(context)

    def _append(self, text: str) -> None:
        if self._prefix and text.strip():
            self._buffer.append(self._prefix)
            self._prefix = ""
        self._buffer.append(text)

    # The walk

    def _children(self, element: Element, context: Context) -> None:
        self.add_text(element.text)
        for child in element:
            if isinstance(child.tag, str):
                self._element(child, context)
            self.add_text(child.tail)

    def _element(self, element: Element, context: Context) -> None:
        if self.is_hidden(element) or self.read_special(element, context):
            return
        tag = element.tag
        if tag == "br":
            self._buffer.append("\n")
        elif tag in _HEADINGS:
            self._heading(element, context)
        elif tag in {"ul", "ol"}:
            self._list(element, context)
        elif tag == "li":
            self._item(element, replace(context, kind=BlockKind.LIST_ITEM), "")
        elif tag == "dl":
            self._definitions(element, context)
        elif tag == "dt" and context.kind is BlockKind.LIST_ITEM and not context.inline:
            self._flush(context)
            self.read_children(element, context)
        elif tag == "table":
            self._table_element(element, context)
        elif tag in {"pre", "listing", "xmp"}:
            self._code(element, context)
        elif tag == "blockquote":
            self.read_children(element, context if context.keeps_lines else replace(context, kind=BlockKind.QUOTE))
        elif tag in _BLOCK_TAGS:
            self.read_children(element, context)
        else:
            self._inline(element, context)

    def _inline(self, element: Element, context: Context) -> None:
        match element.tag:
            case "a":
                self._link(element)
                self._children(element, context)
            case "del" | "s" | "strike":
                self._struck(element, context)
            case "sup" | "sub":
                self._small_number(element, context)
            case "time" if not text_of(element).strip():
                self.add_text(element.get("datetime"))
            case "input":
                if element.get("type") == "checkbox":
                    self.add_prefix("[x] " if element.get("checked") is not None else "[ ] ")
            case _:
                self._children(element, context)

    def _link(self, element: Element) -> None:
        address = (element.get("href") or "").strip()
        if address and not address.startswith("#") and not address.lower().startswith("javascript:"):
            self.links.setdefault(urldefrag(self.link_target(address)).url)

    def _struck(self, element: Element, context: Context) -> None:
        """Keep struck-out text with its strokes: without them it would read as what holds."""
        if not text_of(element).strip():
            self._children(element, context)
            return
        if self._buffer and self._buffer[-1] == "~~":  # what was struck out goes on
            self._buffer.pop()
        else:
            self._append("~~")
        self._children(element, context)
        self._append("~~")

    def _small_number(self, element: Element, context: Context) -> None:
        """Raise or lower a number by its own characters: 10<sup>2</sup> is not 102."""
        text = text_of(element).strip()
        if _SMALL_NUMBER.fullmatch(text) and next(element.iter("a"), None) is None:
            self._append(text.translate(_SUPERSCRIPT if element.tag == "sup" else _SUBSCRIPT))
        else:
            self._children(element, context)

    def _heading(self, element: Element, context: Context) -> None:
        if context.inline:
            self.read_children(element, context)
            return
        self._flush(context)
        heading = Context(BlockKind.HEADING, _HEADINGS[element.tag], inline=True)
        self._children(element, heading)
        self._flush(heading)

    # Lists

    def _list(self, element: Element, context: Context) -> None:
        if context.inline:
            items = context
        else:
            self._flush(context)
            items = Context(BlockKind.LIST_ITEM, self.list_level(element, context), context.label)
        numbers = numbers_of(element)
        self.add_text(element.text)
        for child in element:
            if child.tag == "li" and not self.is_hidden(child):
                self._item(child, items, next(numbers))
            elif isinstance(child.tag, str):
                self._element(child, items)
            self.add_text(child.tail)
        self.end_block(context) if context.inline else self._flush(items)

    def _item(self, element: Element, context: Context, number: str) -> None:
        if not text_of(element).strip() and next(element.iter("img", "input"), None) is None:
            return
        self.end_block(context) if context.inline else self._flush(context)
        self._prefix = number
        self.start_item(element)
        self._children(element, context)
        self._prefix = ""
        self.end_block(context) if context.inline else self._flush(context)

    def start_item(self, element: Element) -> None:
        """Add the prefix that a dialect shows before an item (a check box)."""

    def _definitions(self, element: Element, context: Context) -> None:
        """Read a list of definitions: a term and what it means are one item."""
        if context.inline:
            self.read_children(element, context)
            return
        self._flush(context)
        item = Context(BlockKind.LIST_ITEM, self.list_level(element, context), context.label)
        self._children(element, item)
        self._flush(item)

    # Code

    def _code(self, element: Element, context: Context) -> None:
        for br in element.iter("br"):
            br.tail = "\n" + (br.tail or "")
        text = text_of(element)
        if context.inline:
            self._append(f"\n{text}\n")
            return
        self._flush(context)
        self._blocks.append(Block(BlockKind.CODE, text, label=self.code_label(element)))

    # Tables

    def _table_element(self, element: Element, context: Context) -> None:
        if context.kind is BlockKind.HEADING:
            self.read_children(element, context)
        elif context.inline:  # in a cell: read after the row, as a table of its own
            self._nested.append(element)
        else:
            self._flush(context)
            self._table(element, context)

    def _table(self, element: Element, context: Context) -> None:
        for caption in element.iterchildren("caption"):
            self._children(caption, context)
            self._flush(context)
        remove_all([node for node in table_nodes(element) if self.is_hidden(node)])
        self._strays(element, context)
        table = read_grid(element)
        if table.is_layout:
            for cell in table.cells():
                self.read_children(cell, context)
            return
        self._tables += 1
        number = self._tables
        for kind, row in table.rows():
            cells = tuple(self._cell(cell) for cell in row)
            nested, self._nested = self._nested, []
            self._blocks.append(Block(kind, cells=cells, table=number, label=context.label))
            for inner in nested:
                self._table(inner, context)

    def _strays(self, table: Element, context: Context) -> None:
        """Read what stands in a table outside its cells before it, where a browser shows it."""
        for node in (table, *(node for node in table_nodes(table) if node.tag not in {"td", "th"})):
            self.add_text(node.text)
            for child in node:
                if isinstance(child.tag, str) and child.tag not in TABLE_PARTS:
                    self._element(child, context)
                self.add_text(child.tail)
        self._flush(context)

    def _cell(self, cell: Cell) -> str:
        if cell is None:
            return ""
        outer, self._buffer = self._buffer, []
        self._children(cell, Context(inline=True))
        text = "".join(self._buffer).strip()
        self._buffer = outer
        return text

    def _flush(self, context: Context) -> None:
        text = "".join(self._buffer)
        self._buffer.clear()
        if text.strip():
            self._blocks.append(Block(context.kind, text.strip(), level=context.level, label=context.label))
