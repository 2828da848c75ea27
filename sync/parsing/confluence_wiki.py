"""Wiki markup, in which Confluence kept its pages before version 4, as the same tree that storage format makes.

Macros, links and pictures are taken out first, the inmost first, and stand in the text as one character each; so a
table's cell or a list's item may hold whatever it likes. Then come the lines, then what stands in a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree

from sync.parsing.confluence_conditions import is_condition
from sync.parsing.tree import Element

_STAND_IN = 0xF0000
"""The first of the private characters that stand for elements; Confluence stores none of them."""
_STAND_INS = re.compile("[\U000f0000-\U000ffffd]")
_MOST_STAND_INS = 0xFFFE

_RAW = re.compile(
    r"(?<!\\)\{(?P<name>code|noformat|latex|html)(?::(?P<parameters>[^{}\n]*))?\}(?P<body>.*?)(?<!\\)\{(?P=name)\}",
    re.DOTALL,
)
_MONOSPACED = re.compile(r"(?<!\\)\{\{(?P<text>[^\n]{1,500}?)\}\}")
_MACRO = re.compile(r"(?<!\\)\{(?P<name>[A-Za-z][\w-]*)(?::(?P<parameters>[^{}\n]*))?\}")
_LOST_CONDITION = re.compile(r"(?<!\\)\{\s*(?:show|hide)[-_]?(?:if|to|from)", re.IGNORECASE)
_LINK = re.compile(r"(?<!\\)\[(?P<link>[^\[\]\n]+)\]")
_IMAGE = re.compile(r"(?<![\\\w!])!(?P<file>[^\s!|]+)(?:\|(?P<parameters>[^!\n]*))?!(?!\w)")
_DEEPEST_LIST = 20
_ALONE = frozenset(
    {"toc", "children", "pagetree", "anchor", "include", "excerpt-include", "status", "jira", "profile", "attachments"}
)
_UNNAMED = {"code": "language", "expand": "title", "jira": "key", "profile": "user", "panel": "title"}

_HEADING = re.compile(r"^\s*h([1-6])\.\s*(.*)$")
_ITEM = re.compile(r"^\s*([*#]+|-)\s+(\S.*)$")
_RULE = re.compile(r"^\s*-{4,}\s*$")
_QUOTE = re.compile(r"^\s*bq\.\s*(.*)$")
_INLINE = re.compile(
    r"\\\\|\\(?P<escaped>[^\w\s])"
    r"|(?<![\w*])\*(?=\S)(?P<strong>[^\n*]*?[^\s*])\*(?![\w*])"
    r"|(?<![\w_])_(?=\S)(?P<em>[^\n]{0,300}?\S)_(?![\w_])"
    r"|\?\?(?=\S)(?P<cite>[^\n]{0,300}?\S)\?\?"
    r"|(?<![\w-])-(?=[^\s-])(?P<s>[^\n-]*?[^\s-])-(?![\w-])"
    r"|(?<![\w+])\+(?=\S)(?P<u>[^\n+]*?\S)\+(?![\w+])"
    r"|\^(?=\S)(?P<sup>[^\n^]*?\S)\^"
    r"|~(?=\S)(?P<sub>[^\n~]*?\S)~"
    r"|(?P<stand_in>[\U000f0000-\U000ffffd])"
)
_EMOTICON = re.compile(r"\((?:/|x|!|\+|-|\?|on|off|\*[rgby]?)\)")
_EMOTICON_NAMES = {"/": "tick", "x": "cross", "!": "warning", "+": "plus", "-": "minus", "?": "question"}


def wiki_tree(markup: str) -> Element:
    """Parse wiki markup into a tree of HTML and, for macros, links and pictures, of `ac.` and `ri.` elements."""
    return _Reader().read(_STAND_INS.sub("", markup.replace("\r\n", "\n").replace("\r", "\n")))


class _Reader:
    def __init__(self) -> None:
        self._elements: list[Element] = []

    def read(self, markup: str) -> Element:
        text = _RAW.sub(self._raw, markup)
        text = _MONOSPACED.sub(self._monospaced, text)
        return self._blocks(self._macros(text), "div")

    def _stand_in(self, element: Element) -> str:
        if len(self._elements) >= _MOST_STAND_INS:
            return ""
        self._elements.append(element)
        return chr(_STAND_IN + len(self._elements) - 1)

    # What is taken out

    def _raw(self, match: re.Match[str]) -> str:
        macro = _macro(match["name"], match["parameters"] or "")
        etree.SubElement(macro, "ac.plain-text-body").text = match["body"].strip("\n")
        return self._stand_in(macro)

    def _monospaced(self, match: re.Match[str]) -> str:
        element = etree.Element("code")
        element.text = match["text"]
        return self._stand_in(element)

    def _macros(self, text: str) -> str:
        """Take out macros. One has a body when its name stands alone in braces further on."""
        done: list[str] = []
        position = 0
        while (match := _MACRO.search(text, position)) is not None:
            done.append(text[position : match.start()])
            position = match.end()
            name = match["name"]
            macro = _macro(name, match["parameters"] or "")
            end = -1 if name in _ALONE else text.find(f"{{{name}}}", position)
            if end < 0 and is_condition(name.casefold()):  # who forgot to close it did not mean to show the rest
                end = len(text)
            if end >= 0:
                body = self._blocks(self._macros(text[position:end]), "ac.rich-text-body")
                position = end + len(name) + 2
                if name == "color":
                    macro = etree.Element("span")
                    body.tag = "span"
                    _unwrap_only_paragraph(body)
                elif name == "quote":
                    macro = etree.Element("blockquote")
                    body.tag = "div"
                macro.append(body)
            done.append(self._stand_in(macro))
        done.append(text[position:])
        joined = "".join(done)
        if (lost := _LOST_CONDITION.search(joined)) is not None:  # its parameters could not be read
            joined = joined[: lost.start()] + self._stand_in(_macro("show-if", "group=unknown"))
        return joined

    def _link(self, match: re.Match[str]) -> str:
        alias, bar, target = match["link"].partition("|")
        target = (target if bar else alias).split("|")[0].strip()
        link = etree.Element("ac.link")
        if target.startswith("~"):
            etree.SubElement(link, "ri.user").set("ri.username", target[1:])
        elif target.startswith("^"):
            etree.SubElement(link, "ri.attachment").set("ri.filename", target[1:])
        elif re.match(r"[a-z][a-z0-9+.-]*://|mailto:|//", target):
            etree.SubElement(link, "ri.url").set("ri.value", target)
        elif target.startswith("#"):
            link.set("ac.anchor", target[1:])
        else:
            space, colon, title = target.partition("#")[0].rpartition(":")
            page = etree.SubElement(link, "ri.page")
            page.set("ri.content-title", title)
            if colon:
                page.set("ri.space-key", space)
        if bar and alias.strip():
            self._inline(etree.SubElement(link, "ac.link-body"), alias.strip())
        return self._stand_in(link)

    def _image(self, match: re.Match[str]) -> str:
        image = etree.Element("ac.image")
        for parameter in (match["parameters"] or "").split(","):
            key, _, value = parameter.partition("=")
            if key.strip() == "alt":
                image.set("ac.alt", value.strip().strip('"'))
        return self._stand_in(image)

    # Lines

    def _blocks(self, text: str, tag: str) -> Element:
        root = etree.Element(tag)
        text = _IMAGE.sub(self._image, _LINK.sub(self._link, text))
        paragraph: list[str] = []
        lines = list(_logical_lines(text))
        index = 0
        while index < len(lines):
            line = lines[index]
            index += 1
            heading, quote = _HEADING.match(line), _QUOTE.match(line)
            if heading is None and quote is None and line.strip() and not _starts_block(line):
                paragraph.append(line)
                continue
            self._paragraph(root, paragraph)
            if heading is not None:
                self._inline(etree.SubElement(root, f"h{heading[1]}"), heading[2])
            elif quote is not None:
                self._inline(etree.SubElement(root, "blockquote"), quote[1])
            elif _ITEM.match(line) and not _RULE.match(line):
                items = [line]
                while index < len(lines) and _goes_on(lines[index]):
                    items.append(lines[index])
                    index += 1
                self._list(root, items)
            elif line.lstrip().startswith("|"):
                rows = [line]
                while index < len(lines) and lines[index].lstrip().startswith("|"):
                    rows.append(lines[index])
                    index += 1
                self._table(root, rows)
        self._paragraph(root, paragraph)
        return root

    def _paragraph(self, root: Element, lines: list[str]) -> None:
        if lines:
            self._inline(etree.SubElement(root, "p"), "\n".join(lines))
            lines.clear()

    def _list(self, root: Element, lines: list[str]) -> None:
        """Read items; a line without a mark goes on with the item above it."""
        open_lists: list[tuple[str, Element]] = []
        texts: list[tuple[Element, str]] = []
        for line in lines:
            match = _ITEM.match(line)
            if match is None:
                element, text = texts[-1]
                texts[-1] = (element, f"{text}\n{line}")
                continue
            marks = match[1][:_DEEPEST_LIST]
            while open_lists and (len(open_lists) > len(marks) or open_lists[-1][0] != marks[len(open_lists) - 1]):
                open_lists.pop()
            while len(open_lists) < len(marks):
                above = open_lists[-1][1] if open_lists else root
                parent = above[-1] if open_lists and len(above) else above
                tag = "ol" if marks[len(open_lists)] == "#" else "ul"
                open_lists.append((marks[len(open_lists)], etree.SubElement(parent, tag)))
            texts.append((etree.SubElement(open_lists[-1][1], "li"), match[2]))
        for element, text in texts:
            inner = list(element)
            for child in inner:  # lists in the item come after its own text
                element.remove(child)
            self._inline(element, text)
            element.extend(inner)

    def _table(self, root: Element, lines: list[str]) -> None:
        table = etree.SubElement(root, "table")
        for line in lines:
            row = etree.SubElement(table, "tr")
            parts = re.split(r"(?<!\\)(\|\|?)", line.strip())[1:]
            cells = list(zip(parts[0::2], parts[1::2], strict=True))
            if cells and not cells[-1][1].strip():  # what follows the bar that ends the row
                cells.pop()
            for bar, text in cells:
                self._inline(etree.SubElement(row, "th" if bar == "||" else "td"), text.strip())

    # What stands in a line

    def _inline(self, parent: Element, text: str) -> None:
        position = 0
        for match in _INLINE.finditer(text):
            _add_text(parent, text[position : match.start()])
            position = match.end()
            tag = match.lastgroup
            if tag is None:
                etree.SubElement(parent, "br")
            elif tag == "escaped":
                _add_text(parent, match["escaped"], plain=True)
            elif tag == "stand_in":
                index = ord(match["stand_in"]) - _STAND_IN
                if index < len(self._elements):
                    parent.append(self._elements[index])
            else:
                self._inline(etree.SubElement(parent, tag), match[tag])
        _add_text(parent, text[position:])


def _macro(name: str, parameters: str) -> Element:
    macro = etree.Element("ac.structured-macro")
    macro.set("ac.name", name)
    for parameter in filter(str.strip, parameters.split("|")):
        key, equals, value = parameter.partition("=")
        named = (
            key.strip() if equals else _UNNAMED.get(name, "title" if name in {"info", "note", "tip", "warning"} else "")
        )
        element = etree.SubElement(macro, "ac.parameter")
        element.set("ac.name", named)
        element.text = (value if equals else key).strip()
    return macro


def _starts_block(line: str) -> bool:
    return bool(_ITEM.match(line) or _RULE.match(line)) or line.lstrip().startswith("|")


def _goes_on(line: str) -> bool:
    """Whether a line after an item still belongs to its list."""
    ends = _HEADING.match(line) or _RULE.match(line) or _QUOTE.match(line)
    bare = line.strip()
    is_macro = len(bare) == 1 and _STAND_INS.match(bare) is not None
    return bool(bare) and ends is None and not bare.startswith("|") and not is_macro


def _logical_lines(text: str) -> Iterator[str]:
    """Lines, with the rows of a table whole: a cell may go on over several lines, until a bar ends the row."""
    row = ""
    for line in text.split("\n"):
        if row and (not line.strip() or line.lstrip().startswith("|")):
            yield row
            row = ""
        if row or (line.lstrip().startswith("|") and not line.rstrip().endswith("|")):
            row = f"{row}\n{line}" if row else line
            if line.rstrip().endswith("|"):
                yield row
                row = ""
        else:
            yield line
    if row:
        yield row


def _unwrap_only_paragraph(body: Element) -> None:
    if len(body) == 1 and body[0].tag == "p":
        body[0].tag = "span"


def _add_text(parent: Element, text: str, *, plain: bool = False) -> None:
    if not plain:
        text = _EMOTICON.sub(lambda m: f"({_EMOTICON_NAMES.get(m[0][1:-1], m[0][1:-1])})", text)
        first, *lines = text.split("\n")
        _append(parent, first)
        for line in lines:
            etree.SubElement(parent, "br")
            _append(parent, line)
        return
    _append(parent, text)


def _append(parent: Element, text: str) -> None:
    text = re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]", "", text)
    last = next(parent.iterchildren(reversed=True), None)  # len() would count them all
    if last is not None:
        last.tail = (last.tail or "") + text
    else:
        parent.text = (parent.text or "") + text
