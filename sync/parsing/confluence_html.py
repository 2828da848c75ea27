"""A page of a Confluence HTML export (Cloud and Data Center): the frame around it, and the dialect of its body."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from lxml import etree

from sync.parsing.dates import find_dates
from sync.parsing.decoding import decode
from sync.parsing.html import Context, HtmlReader
from sync.parsing.limits import LIMITS, FileLimits, check_size
from sync.parsing.parsed import Hints, ParsedFile
from sync.parsing.tree import Element, classes_of, first_line, html_root, line_of, select, text_of

_HIDDEN_CLASSES = frozenset(
    {"toc-macro", "toc-zone-nav", "issue-placeholder", "hidden", "aui-hidden", "assistive", "aui-icon", "parameters"}
    | {"expand-control-icon", "jira-table-refresh", "refresh-issues-link", "ap-content"}
)
_PANELS = ("information", "note", "tip", "warning")
_PANEL_CLASS = "confluence-information-macro"
_INVITATION_TO_EXPAND = re.compile(
    r"(click here to expand|haga clic aquí|haz clic aquí|cliquez ici|klicken sie hier|hier klicken|clique aqui)",
    re.IGNORECASE,
)
_BRUSH = re.compile(r"brush:\s*([^;\s]+)")
_PAGE_ID = re.compile(r"(?:^|_)(\d+)\.html?$")


@dataclass(frozen=True, slots=True)
class Crumb:
    """An ancestor of a page as its breadcrumbs show it. The first is the space."""

    title: str
    href: str


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file attached to a page."""

    name: str
    path: str
    """Relative to the folder of the page. The file may be missing."""
    media_type: str


@dataclass(frozen=True, slots=True)
class ConfluencePage:
    """One page: its text, and what stands around it."""

    page_id: str
    parsed: ParsedFile
    breadcrumbs: tuple[Crumb, ...]
    attachments: tuple[Attachment, ...]
    comments: tuple[str, ...]
    """The text of each comment: what people said of the page, not what the page says."""


def page_id_of(name: str) -> str:
    """The page id, which an export keeps only in the file's name (`Title_123.html`, `123.html`); else empty."""
    match = _PAGE_ID.search(name.rpartition("/")[2])
    return match[1] if match else ""


def parse_confluence_page(data: bytes, name: str, space_name: str = "", limits: FileLimits = LIMITS) -> ConfluencePage:
    """Read a page of an export.

    Args:
        data: the file.
        name: its name, which holds the page id.
        space_name: as index.html says it; without it the first breadcrumb is taken.
        limits: how large it may be.

    Raises:
        ParsingError: the file is too large, or nested too deeply.
    """
    check_size(data, name, limits)
    root = html_root(decode(data), name)
    crumbs = tuple(Crumb(line_of(a), a.get("href") or "") for a in select(root, "//ol[@id='breadcrumbs']//li//a"))
    reader = ConfluenceReader()
    blocks = reader.read(_body(root), name)
    parsed = ParsedFile(
        title=_title(root, space_name or (crumbs[0].title if crumbs else "")),
        blocks=blocks,
        hints=_hints(root),
        links=tuple(reader.links),
    )
    return ConfluencePage(page_id_of(name), parsed, crumbs, tuple(_attachments(root)), tuple(_comments(root)))


class ConfluenceReader(HtmlReader):
    """Reads the body of a page: macros as a reader of the page sees them, without their parameters."""

    def is_hidden(self, element: Element) -> bool:
        """Leave out tables of contents, icons' names, parameters of macros, and what waits to be loaded."""
        if element.tag.startswith("ac:parameter"):
            return True
        classes = classes_of(element)
        if classes & _HIDDEN_CLASSES:
            return True
        if "expand-control-text" in classes:
            return bool(_INVITATION_TO_EXPAND.match(text_of(element).strip()))
        return "expand-content" not in classes and super().is_hidden(element)

    def read_special(self, element: Element, context: Context) -> bool:
        """Read emoji, panels, status lozenges and links to Jira."""
        classes = classes_of(element)
        if element.tag == "img":
            self.add_text(_emoji(element) if "emoticon" in classes else "")
            return True
        if _PANEL_CLASS in classes:
            label = next((panel for panel in _PANELS if f"{_PANEL_CLASS}-{panel}" in classes), "panel")
            self.read_children(element, replace(context, label=label))
            return True
        if "panel" in classes and "code" not in classes:
            self.read_children(element, replace(context, label="panel"))
            return True
        if classes & {"status-macro", "aui-lozenge"}:  # a browser draws it apart from the words around it
            self.add_text(f" {text_of(element)} ")
            return True
        if "jira-issue" in classes and _is_unloaded(element):
            self.add_text(
                element.get("data-jira-key") or line_of(next(_with_class(element, "jira-issue-key"), element))
            )
            return True
        return False

    def start_item(self, element: Element) -> None:
        """Show the check box of a task."""
        parent = element.getparent()
        if parent is not None and "inline-task-list" in classes_of(parent):
            self.add_prefix("[x] " if "checked" in classes_of(element) else "[ ] ")

    def code_label(self, element: Element) -> str:
        """The language of a code macro (often wrong, since it is a default)."""
        match = _BRUSH.search(element.get("data-syntaxhighlighter-params") or "")
        return match[1] if match else super().code_label(element)


def _with_class(element: Element, name: str) -> Iterator[Element]:
    return (node for node in element.iter(etree.Element) if name in classes_of(node))


def _is_unloaded(issue: Element) -> bool:
    """Whether an issue was not loaded when the space was exported: it says "Getting issue details… STATUS"."""
    return any("aui-icon" not in classes_of(node) for node in _with_class(issue, "issue-placeholder"))


def _emoji(image: Element) -> str:
    """The character of an emoji; where the export does not hold it, its name as `(tick)`."""
    fallback = image.get("data-emoji-fallback") or ""
    if fallback.startswith("\\u"):  # UTF-16, escaped as in JSON
        units = (int(unit, 16) for unit in re.findall(r"\\u([0-9A-Fa-f]{4})", fallback))
        return b"".join(unit.to_bytes(2, "little") for unit in units).decode("utf-16-le", "ignore")
    if fallback and not fallback.startswith(":"):
        return fallback
    return image.get("alt") or ""


def _body(root: Element) -> Element:
    """Find the page's own text; a page that has none has no element for it either."""
    return next(select(root, "//*[@id='main-content']"), etree.Element("div"))


def _title(root: Element, space_name: str) -> str:
    title = first_line(root, "//*[@id='title-text']") or first_line(root, "//title")
    return title.removeprefix(f"{' '.join(space_name.split())} : ") if space_name else title


def _hints(root: Element) -> Hints:
    line = next(select(root, "//*[contains(concat(' ', @class, ' '), ' page-metadata ')]"), None)
    if line is None:
        return Hints(labels=tuple(_labels(root)))
    author = first_line(line, ".//*[contains(concat(' ', @class, ' '), ' author ')]")
    for person in [*_with_class(line, "author"), *_with_class(line, "editor")]:  # a name may hold what reads as a date
        person.text = ""
    dates = find_dates(line_of(line))
    modified = dt.datetime.combine(dates[-1], dt.time(), dt.UTC) if dates else None
    return Hints(author=author, modified_at=modified, labels=tuple(_labels(root)))


def _labels(root: Element) -> Iterator[str]:
    """Labels, which Data Center's export may show under the page; those of a list inside the text are other pages'."""
    for link in select(root, "//*[@id='content']//a[@rel='tag'][not(ancestor::*[@id='main-content'])]"):
        if label := line_of(link):
            yield label


def _attachments(root: Element) -> Iterator[Attachment]:
    path = "//h2[@id='attachments']/following::*[contains(concat(' ', @class, ' '), ' greybox ')][1]//a[@href]"
    for link in select(root, path):
        media_type = (link.tail or "").strip().strip("()")
        yield Attachment(line_of(link), link.get("href") or "", media_type)


def _comments(root: Element) -> Iterator[str]:
    for anchor in select(root, "//h2[@id='comments']/following::a[starts-with(@name, 'comment-')]"):
        cell = anchor.getparent()
        if cell is not None and (text := line_of(cell)):
            yield text
