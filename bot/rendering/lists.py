"""Text of any length, and a bold line with a list below it, in as many blocks as it takes."""

from __future__ import annotations

from collections.abc import Sequence

from bot.rendering import blocks, limits
from bot.rendering.blocks import Block, Element
from bot.rendering.split import pack, pieces


def paragraph(said: str, *, italic: bool = False) -> list[Block]:
    """Draw a text."""
    shown = [blocks.text(piece, italic=italic) for piece in pieces(said)]
    return [blocks.rich(blocks.section(element)) for element in shown if element["text"]]


def titled_list(title: str, items: Sequence[Element]) -> list[Block]:
    """Draw a title and its items, each a section."""
    heading = blocks.section(blocks.text(title, bold=True))
    room = limits.SECTION_TEXT - limits.weight(heading)
    groups = [*pack(items, lambda group: limits.weight(group) <= room)] or [[]]
    return [
        blocks.rich(*([heading] if at == 0 else ()), blocks.bullets(group) if group else blocks.section())
        for at, group in enumerate(groups)
    ]
