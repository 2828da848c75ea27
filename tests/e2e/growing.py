"""Answers that are told claim by claim."""

from __future__ import annotations

from bot.standin import Channel, Message, SlackStandIn
from tests.e2e.conftest import Bot
from tests.e2e.scripted import answer_to

FIRST = "Cada persona tiene 23 días laborables de vacaciones al año."
SECOND = "Hasta 5 días pasan al año siguiente si se piden antes de diciembre."
THIRD = "El calendario de cada centro se publica en enero."


def tell(bot: Bot, at_once: int = 2, *texts: str) -> None:
    """Have so many claims told at once, and the rest after `go_on`."""
    bot.asker.script = lambda question: answer_to(question, *(texts or (FIRST, SECOND, THIRD)))
    bot.asker.tells_claims, bot.asker.claims_at_once = True, at_once
    bot.asker.go_on.clear()


async def half(slack: SlackStandIn, channel: Channel, text: str = SECOND) -> Message:
    """The message that grows, once it says this."""
    return await slack.wait_for_message(channel, text, finished=False)
