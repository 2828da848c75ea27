"""A process killed between a press of *Ask again* in the home tab and its answer: the next one answers, once."""

from __future__ import annotations

import pytest
from sqlalchemy import delete

from bot.rendering.home import ASK_AGAIN_ACTION
from bot.standin import Message, Person, SlackStandIn, View, visible_text
from core.store.schema import turns
from tests.e2e.conftest import Bot
from tests.e2e.killing import bot_to_kill
from tests.e2e.scripted import QUOTE
from tests.unit.pipeline.shelf import built

QUESTION = "how many holidays?"
OPENING = "You asked again"
WAYS = {
    "before_work": "",
    "before_noting": OPENING,
    "while_asking": OPENING,
    "while_streaming": QUOTE,
    "before_noting_the_stream": QUOTE,
    "before_noting_the_end": QUOTE,
    "before_the_end": QUOTE,
}
"""Where the process hangs, and what the bot has said by then."""


@pytest.fixture
async def home(socket_bot: Bot, ben: Person) -> View:
    """Ben's home tab, with a question that he asked once. The bot that drew it serves no more."""
    socket_bot.overrides = {"lease_seconds": 1}
    socket_bot.index = built(socket_bot.folder, documents=())._index
    await socket_bot.start()
    socket_bot.memory.add("acme", "T:D:1", "ben@brisa-logistics.example", QUESTION, "run")
    await ben.open_home()
    await socket_bot.idle()
    await socket_bot.stop()
    return socket_bot.slack.workspace.homes[ben.id]


def openings(bot: Bot, person: Person) -> list[Message]:
    """The messages that open a thread for a question that is asked again."""
    return [message for message in bot.said(person.direct_channel()) if OPENING in visible_text(message)]


@pytest.mark.parametrize("way", WAYS)
async def test_a_question_asked_again_is_answered_once_after_a_kill(
    socket_bot: Bot, slack: SlackStandIn, ben: Person, home: View, way: str
) -> None:
    direct = ben.direct_channel()
    async with bot_to_kill(socket_bot, way):
        press = await ben.click(home, ASK_AGAIN_ACTION)
        assert press.acknowledged
        if WAYS[way]:
            await slack.wait_for_message(direct, WAYS[way], finished=False, within=15)
        if way == "while_asking":
            await socket_bot.shows(direct, "passage")
    before = {message.ts for message in openings(socket_bot, ben)}
    await socket_bot.start()
    await slack.wait_for_message(direct, QUOTE, within=15)
    await socket_bot.all_ended()
    (opening,) = openings(socket_bot, ben)
    assert not before or opening.ts in before
    (answer,) = socket_bot.said(direct, opening.ts)
    assert QUOTE in visible_text(answer)
    assert socket_bot.said(direct) == [opening, answer]


async def test_what_was_answered_before_the_kill_is_not_called_forgotten_after_it(
    socket_bot: Bot, slack: SlackStandIn, ben: Person, home: View
) -> None:
    direct = ben.direct_channel()
    async with bot_to_kill(socket_bot, "before_the_end"):
        await ben.click(home, ASK_AGAIN_ACTION)
        await slack.wait_for_call("bots.info", within=15)
    said = [visible_text(message) for message in socket_bot.said(direct)]
    assert socket_bot._engine is not None
    with socket_bot._engine.begin() as connection:
        connection.execute(delete(turns))
    await socket_bot.start()
    await socket_bot.all_ended()
    assert [visible_text(message) for message in socket_bot.said(direct)] == said
    assert socket_bot.asker.questions == []
