"""What only the one who asked may read: an ephemeral message with a button that shares what may be shared."""

from __future__ import annotations

from collections.abc import Sequence

from bot.rendering import blocks, limits
from bot.rendering.message import Message, message
from bot.words import Words

SHARE_ACTION = "share_answer"


def share_value(run_id: str, thread: str, positions: Sequence[int] = ()) -> str:
    """What the button carries: the run, the thread, and the claims that are meant (none: all of them)."""
    return f"{run_id}:{thread}:{','.join(map(str, positions))}"[: limits.BUTTON_VALUE]


def render_private_addition(drawn: Sequence[Message], value: str, words: Words) -> tuple[Message, ...]:
    """The messages of a private answer under the heading that says why they are private, and the button."""
    said = words.private_addition()
    heading = message(said, [blocks.note(said)])
    return (heading, *with_share_button(drawn, value, words))


def with_share_button(drawn: Sequence[Message], value: str, words: Words) -> tuple[Message, ...]:
    """A private answer, with the button below it. What its value names is checked again when it is pressed."""
    *rest, last = drawn
    press = blocks.press(words.share(), SHARE_ACTION, value)
    row = next((at for at, block in enumerate(last.blocks) if block["type"] == "actions"), None)
    if row is not None:
        before, buttons, after = last.blocks[:row], last.blocks[row], last.blocks[row + 1 :]
        return (*rest, Message(last.text, (*before, blocks.actions(*buttons["elements"], press), *after)))
    if len(last.blocks) < limits.BLOCKS:
        return (*rest, Message(last.text, (*last.blocks, blocks.actions(press))))
    return (*drawn, Message(words.share(), (blocks.actions(press),)))


def render_shared(drawn: Sequence[Message], user_id: str, words: Words) -> tuple[Message, ...]:
    """A shared answer in the channel, with who shared it."""
    first, *rest = drawn
    who = {
        "type": "rich_text",
        "elements": [
            {
                "type": "rich_text_section",
                "elements": [{"type": "text", "text": f"{words.shared_by()} "}, {"type": "user", "user_id": user_id}],
            }
        ],
    }
    return (Message(first.text, (who, *first.blocks)), *rest)


def render_access(lines: Sequence[tuple[str, bool]], verdict: str) -> Message:
    """The clauses that decide whether somebody may read a document, and what it comes to."""
    marked = [f"{'✓' if holds else '✗'} {line}" for line, holds in lines]
    drawn = [blocks.rich(blocks.section(blocks.text(verdict, bold=True)))]
    if marked:
        drawn.append(blocks.rich(blocks.bullets([blocks.section(blocks.text(line)) for line in marked])))
    return message("\n".join([verdict, *marked]), drawn)
