"""A process killed while its answer grows, or between the public answer and the private addition."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from bot.standin import Channel, Person, SlackStandIn, StreamState, visible_text
from core.domain.evidence import Answer, Passage
from core.domain.message_life import Stage
from core.domain.question import Question
from core.private_addition import PrivateAddition
from core.store.database import open_database
from core.store.events import EventStore
from core.store.schema import events
from tests.e2e.conftest import Bot
from tests.e2e.killing import bot_to_kill
from tests.e2e.scripted import QUOTE, answer_to

OTHER = "Vacaciones: 23 días laborables, según el manual."
MORE = "En tu contrato hay dos días más."


def stages(bot: Bot) -> list[str]:
    with open_database(bot.settings.database_location).connect() as connection:
        return list(connection.execute(select(events.c.stage)).scalars())


@pytest.mark.parametrize("way", ["while_streaming", "before_noting_the_stream"])
async def test_what_a_killed_process_streamed_is_replaced_whole_and_never_continued(
    socket_bot: Bot, slack: SlackStandIn, ben: Person, general: Channel, way: str
) -> None:
    socket_bot.overrides = {"lease_seconds": 1}
    async with bot_to_kill(socket_bot, way):
        question = await ben.ask(general, "how many holidays?")
        growing = await slack.wait_for_message(general, QUOTE, thread_ts=question.ts, finished=False, within=15)
    assert growing.is_streaming
    assert stages(socket_bot) == [Stage.STREAMING]
    appended = len(slack.calls_of("chat.appendStream"))
    socket_bot.asker.script = lambda question: answer_to(question, OTHER)
    socket_bot.asker.tells_claims = True
    await socket_bot.start()
    answer = await slack.wait_for_message(general, OTHER, thread_ts=question.ts, within=15)
    await socket_bot.all_ended()
    assert answer.ts == growing.ts
    assert QUOTE not in visible_text(answer)
    assert len(socket_bot.said(general)) == 1
    assert len(slack.calls_of("chat.startStream")) == 1
    assert len(slack.calls_of("chat.appendStream")) == appended
    assert answer.stream is not None
    assert answer.stream.state is StreamState.COMPLETED
    assert stages(socket_bot) == [Stage.REPLACED]


async def test_a_stop_that_a_killed_process_was_told_of_is_heard_by_the_next(
    socket_bot: Bot, slack: SlackStandIn, ben: Person, general: Channel
) -> None:
    socket_bot.overrides = {"lease_seconds": 1}
    async with bot_to_kill(socket_bot, "while_streaming"):
        question = await ben.ask(general, "how many holidays?")
        await slack.wait_for_message(general, QUOTE, thread_ts=question.ts, finished=False, within=15)
        await ben.stop_session(general, question.ts)
        store = EventStore(open_database(socket_bot.settings.database_location))
        (event,) = store.open_of(slack.workspace.home_team.id)
    store.ask_to_stop([event.id], ben.id)
    socket_bot.asker.go_on.clear()
    await socket_bot.start()
    await slack.wait_for_message(general, "Stopped", thread_ts=question.ts, within=15)
    await socket_bot.all_ended()
    assert len(socket_bot.said(general)) == 1


class Adder:
    """Finds one claim more, and remembers what it was told."""

    def __init__(self) -> None:
        self.told: list[tuple[str, list[str]]] = []

    async def find(self, question: Question, whole: str, common: Answer) -> PrivateAddition | None:
        self.told.append((whole, [claim.text for claim in common.claims]))
        passages: tuple[Passage, ...] = ()
        answer = answer_to(question, MORE)
        return PrivateAddition(answer, passages, (0,), answer)


async def test_a_private_addition_that_a_killed_process_owed_is_made_by_the_next(
    socket_bot: Bot, slack: SlackStandIn, ben: Person, general: Channel
) -> None:
    socket_bot.overrides = {"lease_seconds": 1}
    async with bot_to_kill(socket_bot, "while_adding"):
        question = await ben.ask(general, "how many holidays?")
        public = await slack.wait_for_message(general, QUOTE, thread_ts=question.ts, within=15)
        await slack.wait_for_call("bots.info", within=15)
    store = EventStore(open_database(socket_bot.settings.database_location))
    adder = Adder()
    socket_bot.adder = adder
    await socket_bot.start()
    added = await slack.wait_for_message(general, MORE, seen_by=ben, within=15)
    await socket_bot.all_ended()
    assert added.ephemeral_to == ben.id
    assert adder.told == [("how many holidays?", [QUOTE])]
    assert socket_bot.asker.questions == []
    assert [message.ts for message in socket_bot.said(general) if message.ephemeral_to is None] == [public.ts]
    assert store.open_of(slack.workspace.home_team.id) == []
    with open_database(socket_bot.settings.database_location).connect() as connection:
        assert "addition" not in str(connection.execute(select(events.c.delivered)).scalar_one())
