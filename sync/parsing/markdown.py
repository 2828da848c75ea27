"""Markdown (CommonMark with tables, strikes, task and definition lists, footnotes) by way of HTML.

Handbooks are written for site generators, so what is theirs goes before parsing, outside code: Liquid, Nunjucks and ERB
tags, shortcodes, Kramdown's attribute lists, the fences of admonitions (what stands in them stays).
"""

from __future__ import annotations

import re
from functools import cache

from markdown_it import MarkdownIt
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.tasklists import tasklists_plugin

from sync.parsing.decoding import decode
from sync.parsing.front_matter import hints_of, split_front_matter, title_of
from sync.parsing.html import HtmlReader
from sync.parsing.limits import LIMITS, FileLimits, check_size
from sync.parsing.parsed import ParsedFile
from sync.parsing.tree import first_line, html_root

LARGEST_MARKDOWN = 20 * 1024 * 1024

# Code first: what stands in it is left alone.
_CODE = (
    r"(?P<code>^(?P<fence>[ \t]*(?:`{3,}|~{3,}))[^\n]*\n.*?(?:^(?P=fence)[ \t]*$|\Z)|(?P<tick>`+)[^`].*?(?P=tick)(?!`))"
)
_RAW = r"\{%-?\s*raw\s*-?%\}(?P<raw>.*?)\{%-?\s*endraw\s*-?%\}"
_RAW_MARK = re.compile(r"\{%-?\s*(?:end)?raw\s*-?%\}")
_COMMENT = r"\{%-?\s*comment\b.*?\{%-?\s*endcomment\s*-?%\}|\{#.*?#\}"
_CHANNEL = r"""\{%-?\s*slack_channel\s+["'](?P<channel>[^"']+)["'][^%]*%\}"""
_TAG = r"\{%.*?%\}|\{\{.*?\}\}|<%.*?%>"
_ATTRIBUTES = r"\{:[^}\n]*\}|(?<=\S)[ \t]*\{[#.][\w -]+\}[ \t]*$"
_GENERATORS = re.compile("|".join((_CODE, _RAW, _COMMENT, _CHANNEL, _TAG, _ATTRIBUTES)), re.DOTALL | re.MULTILINE)
_FENCED_NOTE = re.compile(r"^[ \t]*:{3,}[ \t]*(?:\{?[\w-]*\}?)?[ \t]*(?P<title>[^\n]*)$", re.MULTILINE)
_INDENTED_NOTE = re.compile(
    r"^(?:!!!|\?\?\?\+?)[ \t]+[\w-]+(?:[ \t]+\"(?P<title>[^\"\n]*)\")?[ \t]*\n"
    r"(?P<body>(?:[ ]{4}[^\n]*(?:\n|\Z)|[ \t]*\n)*)",
    re.MULTILINE,
)
_TABLE_OF_CONTENTS = re.compile(r"^(?:[*-] TOC[ \t]*$|\[\[_?toc_?\]\]|\[TOC\])[ \t]*$", re.MULTILINE | re.IGNORECASE)


def parse_markdown(data: bytes, name: str, limits: FileLimits = LIMITS) -> ParsedFile:
    """Read a file of Markdown.

    Raises:
        ParsingError: the file is too large, or nested too deeply.
    """
    check_size(data, name, limits, LARGEST_MARKDOWN)
    values, text, warnings = split_front_matter(decode(data).replace("\r\n", "\n"))
    root = html_root(f"<html><body>{_parser().render(strip_generators(text))}</body></html>", name)
    reader = HtmlReader()
    blocks = reader.read(root, name)
    return ParsedFile(
        title_of(values) or first_line(root, "//h1"), blocks, hints_of(values), tuple(reader.links), warnings
    )


def strip_generators(text: str) -> str:
    """Take out what is meant for a site generator."""
    text = _GENERATORS.sub(_without_generator, text)
    text = _TABLE_OF_CONTENTS.sub("", text)
    text = _INDENTED_NOTE.sub(_note, text)
    return _FENCED_NOTE.sub(lambda match: match["title"], text) if ":::" in text else text


def _without_generator(match: re.Match[str]) -> str:
    if match["code"] is not None:
        return _RAW_MARK.sub("", match[0])
    if match["raw"] is not None:
        return match["raw"]
    return f"#{match['channel'].lstrip('#')}" if match["channel"] is not None else ""


def _note(match: re.Match[str]) -> str:
    body = re.sub(r"^ {4}", "", match["body"], flags=re.MULTILINE)
    return f"{match['title'] or ''}\n\n{body}\n"


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    return parser.use(tasklists_plugin).use(deflist_plugin).use(footnote_plugin)
