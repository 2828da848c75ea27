"""All of Slack's limits, in one place, and how a text is measured against them.

Sources: https://docs.slack.dev/reference/block-kit/blocks and https://github.com/slackapi/bolt-js/issues/2509 (the
total of a message's blocks, which is documented nowhere: `msg_blocks_too_long` from about 13,200 characters).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

BLOCKS = 50
"""Blocks of a message."""
MODAL_BLOCKS = 100
"""Blocks of a modal, or of a home tab."""
MESSAGE_TEXT = 13_200
"""Characters of all blocks of a message together."""
SECTION_TEXT = 3_000
"""Characters of a section; we keep each `rich_text` block within it too, whose own limit is not documented."""
HEADER_TEXT = 150
CONTEXT_ELEMENTS = 10
CONTEXT_TEXT = 3_000
BUTTON_TEXT = 75
"""Characters of a button, and of what a screen reader says of it."""
BUTTON_VALUE = 2_000
CONFIRM_TITLE = 100
CONFIRM_TEXT = 300
OPTION_TEXT = 75
"""Characters of something that can be chosen."""
OPTIONS = 100
"""Options of a menu."""
MODAL_TITLE = 24
"""Characters of a modal's title, and of each of its own buttons."""
MODAL_METADATA = 3_000
"""Characters that a modal carries for us."""
MODAL_TEXT = 12_000
"""Ours: characters of a page of a modal, so that it is read without scrolling for long."""
MARKDOWN_TEXT = 12_000
STREAM_TEXT = 12_000
"""Characters of one call that appends to a stream."""
TABLES = 1
"""Tables of a message (`only_one_table_allowed`)."""
TABLE_ROWS = 100
TABLE_COLUMNS = 20
TABLE_TEXT = 10_000
FALLBACK_TEXT = 4_000
"""Characters of `text`; Slack splits longer ones into several messages where there are no blocks."""
URL = 3_000
LINK = 1_500
"""Ours: characters of an address that a message links to, so that a handful of them leaves room for words."""

QUOTE_SHOWN = 300
"""Ours: characters of a quote that the terminal shows; the rest stands behind its link."""
QUOTE_HINT = 80
"""Ours: characters of a quote below its source: a line, enough to find it by; the evidence shows all of it."""

_SHOWN = frozenset({"text", "url", "alt_text", "title"})


def size(text: str) -> int:
    """The length of a text at its dearest: UTF-16 units, with `&`, `<` and `>` counted as Slack stores them."""
    return (
        len(text.encode("utf-16-le", "surrogatepass")) // 2
        + 4 * text.count("&")
        + 3 * (text.count("<") + text.count(">"))
    )


def weight(block: object) -> int:
    """The characters of a block (or of blocks), addresses included, that count towards `MESSAGE_TEXT`."""
    if isinstance(block, Mapping):
        return sum(
            size(value) if key in _SHOWN and isinstance(value, str) else weight(value) for key, value in block.items()
        )
    if isinstance(block, Iterable) and not isinstance(block, str):
        return sum(weight(part) for part in block)
    return 0
