"""Plain text: paragraphs are parted by empty lines, lists recognised by their marks."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.domain.document import Block, BlockKind
from sync.parsing.decoding import decode
from sync.parsing.limits import LIMITS, FileLimits, check_size
from sync.parsing.parsed import ParsedFile

LARGEST_TEXT = 20 * 1024 * 1024

_ITEM = re.compile(r"^(?P<indent>[ \t]*)(?:[-*•·–]|(?P<number>\d{1,3}[.)]))[ \t]+(?P<text>\S.*)$")
_RULE = re.compile(r"^[-=_*~#]{3,}$")


def parse_text(data: bytes, name: str, limits: FileLimits = LIMITS) -> ParsedFile:
    """Read a file of plain text.

    Raises:
        ParsingError: the file is too large.
    """
    check_size(data, name, limits, LARGEST_TEXT)
    lines = decode(data).splitlines()
    title = next((line.strip() for line in lines if line.strip()), "")
    return ParsedFile(title[:120], tuple(_blocks(lines)))


def _blocks(lines: list[str]) -> Iterator[Block]:
    paragraph: list[str] = []
    item: list[str] = []
    level = 0

    def rest() -> Iterator[Block]:
        if item:
            yield Block(BlockKind.LIST_ITEM, " ".join(item), level=level)
        if paragraph:
            yield Block(BlockKind.PARAGRAPH, "\n".join(paragraph))
        item.clear()
        paragraph.clear()

    for line in lines:
        match = _ITEM.match(line)
        if match is not None:
            yield from rest()
            level = len(match["indent"].expandtabs(4)) // 2
            item.append(" ".join(filter(None, (match["number"], match["text"]))))
        elif not line.strip() or _RULE.match(line.strip()):
            yield from rest()
        elif item and line[:1].isspace():
            item.append(line.strip())
        else:
            if item:
                yield from rest()
            paragraph.append(line.strip())
    yield from rest()
