"""An answer while it grows: what of it is settled already, and how it is handed to Slack in chunks.

What is streamed is the beginning of what `render_answer` will draw, block for block, so that the finished message need
only be completed. It is found by drawing the answer with one claim more, whatever that may be: the blocks that do not
depend on it are settled. Where the whole turns out different, the message is replaced by it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from bot.rendering import limits
from bot.rendering.blocks import Block
from bot.rendering.escape import one_line
from bot.rendering.message import Message
from bot.rendering.split import cut
from core.domain.evidence import Answer, Claim, ClaimKind, ClaimStatus

Chunk = dict[str, Any]
"""A piece of a stream as Slack's API takes it."""

STATUS_SHOWN = 200
_PROBES = ("a", "b")
_ANGLES = str.maketrans("<>", "‹›")


def settled(answer: Answer, draw: Callable[[Answer], Sequence[Message]]) -> tuple[Block, ...]:
    """The first blocks of an answer that stay as they are, whatever claims it is given after those it has."""
    if not answer.claims:
        return ()
    first, second = (draw(replace(answer, claims=(*answer.claims, _probe(answer, text)))) for text in _PROBES)
    return common_beginning(first[0].blocks, second[0].blocks)


def common_beginning(one: Sequence[Block], other: Sequence[Block]) -> tuple[Block, ...]:
    """The blocks with which both begin."""
    length = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return tuple(one[:length])


def inert(text: str, limit: int = STATUS_SHOWN) -> str:
    """A line for a status or a task's title, of which Slack does not say whether it looks for mentions there."""
    return cut(one_line(text).translate(_ANGLES), limit)


def task(number: int, title: str, *, is_done: bool) -> Chunk:
    """One stage of the work."""
    status = "complete" if is_done else "in_progress"
    return {"type": "task_update", "id": f"stage-{number}", "title": inert(title), "status": status}


def plan(title: str) -> Chunk:
    """The title under which the stages stand."""
    return {"type": "plan_update", "title": inert(title)}


def calls(blocks: Sequence[Block]) -> list[list[Chunk]]:
    """Blocks as the chunks of one call after another, each within what a call may carry."""
    groups: list[list[Block]] = []
    for block in blocks:
        if groups and limits.weight([*groups[-1], block]) <= limits.STREAM_TEXT:
            groups[-1].append(block)
        else:
            groups.append([block])
    return [[{"type": "blocks", "blocks": group}] for group in groups]


def _probe(answer: Answer, text: str) -> Claim:
    """A claim that nobody will see."""
    return Claim(text, ClaimKind.SYNTHESIS, ClaimStatus.SUPPORTED, answer.claims[-1].citations)
