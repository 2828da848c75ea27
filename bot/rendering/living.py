"""What became of the sources of an answer: a line below it, and a quiet note to who asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bot.rendering import blocks, limits
from bot.rendering.blocks import Block, Element
from bot.rendering.escape import one_line
from bot.rendering.message import Message, fallback, message
from bot.rendering.split import cut
from bot.words import Words
from core.living import News, NewsKind

LIVING_BLOCK = "testigo-living"
"""The id of the block that tells it, so that it is found again and told anew in the same place."""

_TITLE_SHOWN = 150
_SENTENCE_SHOWN = 200
_SENTENCES_SHOWN = 2
_NEWS_SHOWN = 4
_ROOM_LEFT = 100
"""Characters of a block that stay free for what opens it."""
_BUTTONS = frozenset({"actions", "context_actions"})


def with_news(shown: Sequence[Mapping[str, Any]], said: str, news: Sequence[News], words: Words) -> Message | None:
    """An answer's message with what became of its sources above its buttons, in place of what was told before.

    Args:
        shown: the message's blocks as Slack has them.
        said: its text, escaped.
        news: what to tell; nothing takes away what was told before.
        words: the language of the answer.

    Returns:
        The message, or None when Slack would not take it or there is nothing to change.
    """
    before = [block for block in shown if block.get("block_id") == LIVING_BLOCK]
    kept: list[Block] = [dict(block) for block in shown if block.get("block_id") != LIVING_BLOCK]
    for block in before:
        said = said.replace(_fallback_of(block), "").strip()
    if not news:
        return Message(said, tuple(kept)) if before else None
    lines = _lines(news, words)
    told = {**blocks.rich(*(blocks.quote(*line) for line in lines)), "block_id": LIVING_BLOCK}
    at = len(kept)
    while at and kept[at - 1].get("type") in _BUTTONS:
        at -= 1
    drawn = [*kept[:at], told, *kept[at:]]
    if len(drawn) > limits.BLOCKS or limits.weight(drawn) > limits.MESSAGE_TEXT:
        return None
    text = f"{said}\n{_fallback_of(told)}"
    return Message(text if len(text) <= limits.FALLBACK_TEXT else _fallback_of(told), tuple(drawn))


def render_news(news: Sequence[News], words: Words) -> Message:
    """The same as a message of its own, for the thread of an answer that cannot be edited."""
    return _told(words.living_answer(), news, words)


def render_news_for_asker(news: Sequence[News], words: Words) -> Message:
    """The quiet note to who asked."""
    return _told(words.living_note(), news, words)


def _told(opening: str, news: Sequence[News], words: Words) -> Message:
    lines = _lines(news, words)
    drawn = blocks.rich(blocks.section(blocks.text(opening)), blocks.bullets([blocks.section(*line) for line in lines]))
    return message("\n".join([opening, *(_plain(line) for line in lines)]), [drawn])


def _lines(news: Sequence[News], words: Words) -> list[list[Element]]:
    """As many as a block holds, and how many more there are."""
    for count in range(min(len(news), _NEWS_SHOWN), 0, -1):
        rest = len(news) - count
        lines = [_line(each, words) for each in news[:count]]
        lines += [[blocks.text(words.living_more(rest))]] if rest else []
        if limits.weight(lines) + _ROOM_LEFT <= limits.SECTION_TEXT:
            return lines
    return [[blocks.text(words.living_more(len(news)))]]


def _line(news: News, words: Words) -> list[Element]:
    if news.kind is NewsKind.UNAVAILABLE:
        return [blocks.text(words.living_unavailable())]
    if news.kind is NewsKind.UNTOLD:
        return [blocks.text(words.living_untold())]
    title = blocks.text(cut(one_line(news.title), _TITLE_SHOWN), bold=True)
    if news.kind is NewsKind.REPLACED:
        return [title, blocks.text(f" {words.living_replaced()}")]
    changed = words.living_changed(news.at) if news.at is not None else words.living_changed_once()
    if not news.may_quote:
        return [title, blocks.text(f" {changed} {words.living_look()}")]
    if not news.sentences:
        return [title, blocks.text(f" {changed} {words.living_no_sentence()}")]
    now = " ".join(
        words.quoted(cut(one_line(sentence), _SENTENCE_SHOWN)) for sentence in news.sentences[:_SENTENCES_SHOWN]
    )
    return [title, blocks.text(f" {changed} {words.living_says_now()} "), blocks.text(now, italic=True)]


def _plain(line: Sequence[Element]) -> str:
    return "".join(str(element["text"]) for element in line)


def _fallback_of(block: Mapping[str, Any]) -> str:
    """What a block of this module says in a message's text: made of the block alone, so that it is found again."""
    lines = [_plain(section.get("elements") or ()) for section in block.get("elements") or ()]
    return fallback("\n".join(lines))
