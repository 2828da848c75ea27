"""The stop button ends an answer, for who asked it alone, wherever it is being given."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

import pytest

from bot.standin import Channel, Person, SlackStandIn, visible_text
from bot.standin.claude import ClaudeStandIn, Reply, Stall
from core.generation.claude import ClaudeGenerator
from core.generation.claude_stream import ClaudeMessages
from core.store.database import open_database
from core.store.events import EventStore
from tests.e2e.conftest import Bot
from tests.e2e.growing import FIRST, SECOND, THIRD, half, tell
from tests.e2e.real import furnish, groups, recorded
from tests.unit.pipeline.claude import answered, claim
from tests.unit.pipeline.shelf import HOLIDAY_QUESTION, QUOTE


@pytest.fixture
async def telling(socket_bot: Bot) -> AsyncIterator[Bot]:
    """A bot that has told two claims of three."""
    await socket_bot.start()
    tell(socket_bot)
    yield socket_bot


async def test_who_asked_may_end_it_and_what_stands_is_verified(
    telling: Bot, slack: SlackStandIn, ana: Person, general: Channel
) -> None:
    question = await ana.ask(general, "¿cuántas vacaciones tengo?")
    growing = await half(slack, general)
    appended = len(slack.calls_of("chat.appendStream"))
    await ana.stop_session(general, question.ts)
    answer = await slack.wait_for_message(general, "Detenido, como has pedido. Lo que se ve arriba está comprobado")
    await telling.idle()
    text = visible_text(answer)
    assert answer.ts == growing.ts
    assert FIRST in text
    assert SECOND in text
    assert THIRD not in text
    assert "Fuentes" in text
    assert telling.asker.cancelled == 1
    assert len(slack.calls_of("chat.appendStream")) == appended
    session = ana.session(general, question.ts)
    assert session is not None
    assert session.history == ["processing", "active"]


async def test_before_anything_is_shown_it_ends_with_a_sentence(
    socket_bot: Bot, slack: SlackStandIn, ben: Person
) -> None:
    await socket_bot.start()
    socket_bot.asker.go_on.clear()
    question = await ben.dm("how many holidays?")
    await socket_bot.shows(ben.direct_channel(), "passage")
    await ben.stop_session(ben.direct_channel(), question.ts)
    await slack.wait_for_message(ben.direct_channel(), "Stopped, as you asked", thread_ts=question.ts)
    await socket_bot.idle()
    assert socket_bot.asker.cancelled == 1
    assert len(socket_bot.said(ben.direct_channel())) == 1


async def test_nobody_else_may_end_it(
    telling: Bot, slack: SlackStandIn, ana: Person, ben: Person, general: Channel
) -> None:
    question = await ana.ask(general, "¿cuántas vacaciones tengo?")
    await half(slack, general)
    await ben.stop_session(general, question.ts)
    await slack.settled()
    telling.asker.go_on.set()
    answer = await slack.wait_for_message(general, THIRD)
    await telling.idle()
    assert "Detenido" not in visible_text(answer)
    assert FIRST in visible_text(answer)
    assert len(telling.said(general)) == 1


async def test_another_question_of_the_same_person_goes_on(
    telling: Bot, slack: SlackStandIn, ana: Person, general: Channel
) -> None:
    first = await ana.ask(general, "¿cuántas vacaciones tengo?")
    second = await ana.ask(general, "¿y cuántas noches de hotel?")
    for question in (first, second):
        await slack.wait_for_message(general, SECOND, thread_ts=question.ts, finished=False)
    await ana.stop_session(general, first.ts)
    await slack.wait_for_message(general, "Detenido", thread_ts=first.ts)
    telling.asker.go_on.set()
    answer = await slack.wait_for_message(general, THIRD, thread_ts=second.ts)
    await telling.idle()
    assert "Detenido" not in visible_text(answer)


async def test_what_another_process_was_told_is_heard_here(
    telling: Bot, slack: SlackStandIn, ana: Person, general: Channel
) -> None:
    await ana.ask(general, "¿cuántas vacaciones tengo?")
    await half(slack, general)
    other = EventStore(open_database(telling.settings.database_location))
    (event,) = other.open_of(slack.workspace.home_team.id)
    other.ask_to_stop([event.id], ana.id)
    await slack.wait_for_message(general, "Detenido")
    await telling.idle()
    assert telling.asker.cancelled == 1


async def test_the_models_call_ends_before_its_last_token(
    socket_bot: Bot, slack: SlackStandIn, ana: Person, general: Channel
) -> None:
    pipeline = furnish(socket_bot)
    socket_bot.groups.groups = groups(socket_bot.folder)
    async with ClaudeStandIn() as claude:
        claude.always(Reply.text('{"answerable": true, "claims": [' + " " * 400, fault=Stall(100)))
        messages = ClaudeMessages(claude.api_key, "claude-sonnet-5-5", base_url=claude.base_url)
        pipeline._generator = ClaudeGenerator(messages)
        await socket_bot.start()
        question = await ana.ask(general, "How many days of holidays do employees have?")
        await slack.wait_until(lambda: bool(claude.requests) or None, within=15)
        await ana.stop_session(general, question.ts)
        await claude.wait_until_abandoned()
        await slack.wait_for_message(general, "Detenido", thread_ts=question.ts)
        await socket_bot.idle()
        assert len(claude.abandoned) == len(claude.requests) == 1
        await messages.aclose()


async def test_what_was_shown_of_a_stopped_answer_is_in_the_record_with_its_tokens(
    socket_bot: Bot, slack: SlackStandIn, ana: Person, general: Channel
) -> None:
    pipeline = furnish(socket_bot)
    socket_bot.groups.groups = groups(socket_bot.folder)
    said = json.dumps(answered([claim(QUOTE, QUOTE, kind="quote")]))
    async with ClaudeStandIn() as claude:
        claude.always(Reply.text(said, fault=Stall(said.rindex("]"))))
        messages = ClaudeMessages(claude.api_key, "claude-sonnet-5-5", base_url=claude.base_url)
        pipeline._generator = ClaudeGenerator(messages)
        await socket_bot.start()
        question = await ana.ask(general, HOLIDAY_QUESTION)
        await slack.wait_for_message(general, QUOTE, finished=False, within=15)
        await ana.stop_session(general, question.ts)
        await slack.wait_for_message(general, "Stopped, as you asked", thread_ts=question.ts, within=15)
        await socket_bot.idle()
        await messages.aclose()
    (run,) = [entry for entry in recorded(socket_bot) if entry["kind"] == "run"]
    assert (run["decision"], run["actor"], run["audience"]) == ("stopped", ana.id, "tenant")
    assert run["documents"][0] == ["holiday-policy", 1, 1]
    assert run["tokens"][0] > 0
