"""How much of a page's visible text is in its canonical text, and what is in it that a reader never sees.

Written apart from the parser on purpose: it looks at the page its own way.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import lxml.html

from core.text.canonical import canonicalise
from sync.parsing.confluence_html import parse_confluence_page

_WORD = re.compile(r"\w+")
_LINES = frozenset(
    {
        "p",
        "div",
        "br",
        "li",
        "ul",
        "ol",
        "tr",
        "td",
        "th",
        "table",
        "tbody",
        "thead",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
    }
    | {"pre", "blockquote", "hr", "section", "header", "footer", "dt", "dd"}
)
# What a browser does not show, or shows as chrome: styles, scripts, contents, icons' names, what waits to be loaded.
_UNSEEN = """
    //script | //style | //noscript | //template
    | //*[contains(@class, 'toc-macro')]
    | //span[contains(concat(' ', @class, ' '), ' aui-icon ')]
    | //*[contains(@class, 'issue-placeholder')]
    | //span[contains(@class, 'jira-issue')][.//*[contains(@class, 'issue-placeholder')]]/span[@class='summary'][
        contains(., 'Getting issue details')]
    | //*[@class='expand-control-text'][starts-with(normalize-space(.), 'Click here to expand')]
"""
_GARBAGE = re.compile(
    r"falsefalse|fullName\b|rbtoc\d|CDATA|data-colorid|\bac:[a-z]|\bri:[a-z]|Getting issue details|syntaxhighlighter"
    r"|brush:|<!--|-->|</?[a-z]+>|addon_key|ap-iframe|Click here to expand|toc-macro|expander-\d"
)


@dataclass(frozen=True, slots=True)
class PageKept:
    """One page's measure."""

    name: str
    words: int
    kept: float
    """Share of the visible words (each as often as it is seen) that are in the canonical text, 0–1."""
    missing: tuple[str, ...]
    garbage: int
    """Traces of macros in the canonical text that no reader of the page sees."""


def visible_text(data: bytes) -> str:
    """What a reader of an exported page sees in its body, with blocks on lines of their own."""
    page: Any = lxml.html.document_fromstring(data.decode("utf-8"))
    bodies = page.xpath("//*[@id='main-content']")
    if not bodies:
        return ""
    body = bodies[0]
    for node in body.xpath(_UNSEEN.replace("//", ".//")):
        node.drop_tree()
    parts: list[str] = []
    for event, node in lxml.etree.iterwalk(body, events=("start", "end", "comment", "pi")):
        if event in {"comment", "pi"}:
            parts.append(node.tail or "")
            continue
        if node.tag in _LINES:
            parts.append("\n")
        parts.append((node.text if event == "start" else node.tail if node is not body else "") or "")
    return "".join(parts)


def measure_page(path: Path) -> PageKept:
    """Measure one page of an export."""
    data = path.read_bytes()
    text = canonicalise(parse_confluence_page(data, path.name).parsed.blocks).text
    visible = visible_text(data)
    seen = Counter(_WORD.findall(visible))
    missing = seen - Counter(_WORD.findall(text))
    kept = 1 - missing.total() / seen.total() if seen else 1.0
    garbage = (Counter(_GARBAGE.findall(text)) - Counter(_GARBAGE.findall(visible))).total()
    return PageKept(path.name, seen.total(), kept, tuple(sorted(missing.elements())), garbage)


def measure_export(folder: Path) -> list[PageKept]:
    """Measure every page of an export."""
    return [measure_page(path) for path in sorted(folder.glob("*.html")) if path.name != "index.html"]
