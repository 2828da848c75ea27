"""Google Docs as HTML: nesting, boldness and strokes are in per-document classes, links go through a redirect."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

from sync.parsing.decoding import decode
from sync.parsing.html import Context, HtmlReader
from sync.parsing.limits import LIMITS, FileLimits, check_size
from sync.parsing.parsed import ParsedFile
from sync.parsing.tree import Element, classes_of, first_line, html_root, select, text_of

_LIST_CLASS = re.compile(r"lst-kix_\S+-(\d+)$")
_CSS_RULE = re.compile(r"\.([\w-]+)\s*\{([^}]*)\}")
_BOLD = re.compile(r"font-weight\s*:\s*(?:bold|[6-9]00)")
_STRUCK = re.compile(r"text-decoration\s*:[^;]*line-through")
_COUNTER = re.compile(r"\.(lst-kix_[\w-]+)\s*>\s*li:before\s*\{[^}]*counter\([^,)]+,\s*(?P<style>[\w-]+)\)")
_STYLES = {"lower-latin": "a", "upper-latin": "A", "lower-roman": "i", "upper-roman": "I"}
_COMMENT_MARK = re.compile(r"#cmnt(?:_ref)?\d+$")


def parse_google_html(data: bytes, name: str, limits: FileLimits = LIMITS) -> ParsedFile:
    """Read a Google Doc that was exported as a web page.

    Raises:
        ParsingError: the file is too large, or nested too deeply.
    """
    check_size(data, name, limits)
    root = html_root(decode(data), name)
    _write_out_styles(root)
    reader = GoogleReader()
    blocks = reader.read(root, name)
    title = first_line(root, "//p[contains(concat(' ', @class, ' '), ' title ')]") or first_line(root, "//title")
    return ParsedFile(title, blocks, links=tuple(reader.links))


def unwrap_redirect(address: str) -> str:
    """The target of a `google.com/url?q=…` link. Its other parameters change with each export and mean nothing."""
    parts = urlsplit(address)
    if parts.path == "/url" and re.fullmatch(r"(www\.)?google\.(com|[a-z]{2}|com?\.[a-z]{2})", parts.hostname or ""):
        query = parse_qs(parts.query)
        for key in ("q", "url"):
            if target := query.get(key):
                return target[0]
    return address


def looks_like_google(data: bytes) -> bool:
    """Whether a page of HTML was written by Google Docs."""
    head = data[:200_000]
    return b"lst-kix_" in head or b"google.com/url?" in head or (b"doc-content" in head and b"docs.google" in head)


class GoogleReader(HtmlReader):
    """Reads the body of a document, without the comments in its margin."""

    def is_hidden(self, element: Element) -> bool:
        """Leave out comments: their marks in the text, and their texts at its end."""
        if element.tag == "a":
            return bool(_COMMENT_MARK.search(element.get("href") or ""))
        if element.tag == "div":
            first = next(element.iter("a"), None)
            if first is not None and (first.get("id") or "").startswith("cmnt") and first.get("id") != "cmnt":
                return not (first.get("id") or "").startswith("cmnt_ref")
        return super().is_hidden(element)

    def read_special(self, element: Element, context: Context) -> bool:
        """Take the title of the document for a heading."""
        if element.tag == "p" and "title" in classes_of(element) and not context.inline and text_of(element).strip():
            element.tag = "h1"
        return False

    def list_level(self, element: Element, outer: Context) -> int:
        """How deep a list is: Google writes all lists side by side and tells the depth in the class."""
        for word in classes_of(element):
            if match := _LIST_CLASS.match(word):
                return int(match[1])
        return super().list_level(element, outer)

    def link_target(self, address: str) -> str:
        """The address behind Google's redirect."""
        return unwrap_redirect(address)


def _write_out_styles(root: Element) -> None:
    """Turn classes that mean something into the elements and attributes that mean it."""
    css = "".join(text_of(style) for style in select(root, "//style"))
    rules: dict[str, str] = {}
    for name, body in _CSS_RULE.findall(css):
        rules[name] = rules.get(name, "") + body
    bold = {name for name, body in rules.items() if _BOLD.search(body)}
    struck = {name for name, body in rules.items() if _STRUCK.search(body)}
    numbering = {match[1]: _STYLES.get(match["style"], "1") for match in _COUNTER.finditer(css)}
    for span in select(root, "//span"):
        classes = classes_of(span)
        if classes & struck or _STRUCK.search(span.get("style") or ""):
            span.tag = "del"
        elif classes & bold or _BOLD.search(span.get("style") or ""):
            span.tag = "b"
    for items in select(root, "//ol"):
        for word in classes_of(items) & numbering.keys():
            items.set("type", numbering[word])
