"""The gaps of the documents as messages: a list, or all of them as CSV."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from bot.rendering import blocks, limits
from bot.rendering.blocks import Block, Element
from bot.rendering.escape import one_line
from bot.rendering.help import GAPS_COMMAND
from bot.rendering.links import https_link
from bot.rendering.lists import titled_list
from bot.rendering.message import Message, message, sentence
from bot.rendering.split import cut, pieces
from bot.words import Words
from core.gaps import Gap, gaps_csv

CSV_ARGUMENT = "csv"

_SHOWN = 10
_QUESTION_SHOWN = 200
_TITLE_SHOWN = 100
_SUGGESTION_SHOWN = 250
_CSV_PIECE = 2_500
_CSV_PIECES = 4
"""Pieces of a message: together within what a message may hold, however its signs are counted."""


def render_gaps(gaps: Sequence[Gap], words: Words, hosts: Collection[str], days: int) -> Message:
    """Draw a list, as many as a message holds.

    Args:
        gaps: those with the most people first.
        words: the language of the list.
        hosts: whose addresses may be links.
        days: the days that it covers.
    """
    if not gaps:
        return sentence(words.gaps_none())
    shown = list(gaps[:_SHOWN])
    while True:
        drawn = _drawn(shown, len(gaps) - len(shown), words, hosts, days)
        if limits.weight(drawn) <= limits.MESSAGE_TEXT - 500 or len(shown) == 1:
            break
        shown.pop()
    lines = [words.gaps_title(days), *(f"• {_question(gap)} ({_counts(gap, words)})" for gap in shown)]
    return message("\n".join(lines), drawn)


def render_gaps_csv(gaps: Sequence[Gap], words: Words) -> list[Message]:
    """All of it as CSV to be copied, in as many messages as it takes."""
    if not gaps:
        return [sentence(words.gaps_none())]
    parts = [blocks.rich(_preformatted(piece)) for piece in pieces(gaps_csv(gaps), _CSV_PIECE)]
    return [message(words.gaps_counted(), parts[at : at + _CSV_PIECES]) for at in range(0, len(parts), _CSV_PIECES)]


def _drawn(gaps: Sequence[Gap], left: int, words: Words, hosts: Collection[str], days: int) -> list[Block]:
    items = [_item(gap, words, hosts) for gap in gaps]
    more = words.gaps_more(left) if left > 0 else ""
    hint = words.gaps_csv_hint(f"{GAPS_COMMAND} {CSV_ARGUMENT}")
    return [*titled_list(words.gaps_title(days), items), blocks.note(more, words.gaps_counted(), hint)]


def _item(gap: Gap, words: Words, hosts: Collection[str]) -> Element:
    line = [blocks.text(_question(gap), bold=True), blocks.text(f"\n{_counts(gap, words)}")]
    if gap.near:
        line.append(blocks.text(f"\n{words.gaps_nearest()} "))
        for at, document in enumerate(gap.near):
            title = cut(one_line(document.title), _TITLE_SHOWN)
            line += [blocks.text(" · ")] if at else []
            line.append(blocks.link(https_link(document.uri, hosts), title))
    owners = [cut(one_line(owner), _TITLE_SHOWN) for owner in gap.owners if one_line(owner)]
    if owners:
        line.append(blocks.text(f"\n{words.gaps_owners(words.join(owners))}"))
    for suggestion in gap.suggestions[:1]:
        shown = words.quoted(cut(one_line(suggestion), _SUGGESTION_SHOWN))
        line += [blocks.text(f"\n{words.gaps_suggested()} "), blocks.text(shown, italic=True)]
    return blocks.section(*line)


def _question(gap: Gap) -> str:
    return cut(one_line(gap.question), _QUESTION_SHOWN)


def _counts(gap: Gap, words: Words) -> str:
    said = [f"{words.gaps_times(gap.times)} {words.gaps_people(gap.people)}"]
    said += [words.gaps_abstained(gap.abstained)] if gap.abstained else []
    said += [words.gaps_disliked(gap.disliked)] if gap.disliked else []
    return " · ".join([*said, words.gaps_last(gap.last_asked)])


def _preformatted(piece: str) -> Element:
    return {"type": "rich_text_preformatted", "elements": [blocks.text(piece)]}
