"""A process killed at any point after the acknowledgement: the next one answers, once."""

from __future__ import annotations

import pytest

from bot.incoming import Incoming, Surface
from bot.standin import Channel, Person, SlackStandIn, visible_text
from core.store.database import open_database
from core.store.events import MAX_ATTEMPTS, EventStore
from tests.e2e.conftest import Bot
from tests.e2e.killing import bot_to_kill
from tests.e2e.scripted import QUOTE

WAYS = {
    "before_work": "",
    "while_asking": "",
    "before_noting": "",
    "before_noting_the_end": QUOTE,
    "before_the_end": QUOTE,
}
"""Where the process hangs, and what the bot has said by then; a status is shown before."""
STATUS = {"while_asking": "passage", "before_noting": "…"}


@pytest.mark.parametrize("way", WAYS)
async def test_a_question_that_a_killed_process_had_acknowledged_is_answered_once_by_the_next(
    socket_bot: Bot, slack: SlackStandIn, ben: Person, general: Channel, way: str
) -> None:
    socket_bot.overrides = {"lease_seconds": 1}
    async with bot_to_kill(socket_bot, way):
        question = await ben.ask(general, "how many holidays?")
        await slack.settled()
        if way in STATUS:
            await socket_bot.shows(general, STATUS[way])
        if WAYS[way]:
            await slack.wait_for_message(general, WAYS[way])
    assert all(delivery.acknowledged for delivery in slack.deliveries_of(question))
    await socket_bot.start()
    await slack.wait_for_message(general, QUOTE, thread_ts=question.ts, within=15)
    await socket_bot.all_ended()
    (answer,) = socket_bot.said(general)
    assert QUOTE in visible_text(answer)


async def test_a_command_that_a_killed_process_had_acknowledged_is_answered_by_the_next(
    socket_bot: Bot, slack: SlackStandIn, ben: Person, general: Channel
) -> None:
    socket_bot.overrides = {"lease_seconds": 1}
    async with bot_to_kill(socket_bot, "while_asking"):
        assert (await ben.slash("/rag", "how many holidays?", general)).error is None
        await slack.wait_for_call("users.info")
    await socket_bot.start()
    await slack.wait_for_message(general, QUOTE, seen_by=ben, within=15)
    await socket_bot.all_ended()


async def test_a_refusal_after_a_kill_takes_the_place_of_what_was_begun(
    socket_bot: Bot, slack: SlackStandIn, ben: Person, general: Channel
) -> None:
    socket_bot.overrides = {"lease_seconds": 1}
    socket_bot.post_and_edit()
    async with bot_to_kill(socket_bot, "while_asking"):
        question = await ben.ask(general, "how many holidays?")
        begun = await slack.wait_for_message(general, "passage", thread_ts=question.ts)
    slack.faults.next("users.info", error="internal_error", times=None)
    await socket_bot.start()
    told = await slack.wait_for_message(general, "which documents you may read", within=15)
    await socket_bot.all_ended()
    assert told.ts == begun.ts
    assert len(socket_bot.said(general)) == 1


async def test_a_question_that_kills_every_process_is_given_up_with_a_sentence(
    socket_bot: Bot, slack: SlackStandIn, ben: Person, general: Channel
) -> None:
    store = EventStore(open_database(socket_bot.settings.database_location))
    question = await ben.post(general, "how many holidays?")
    team_id = slack.workspace.home_team.id
    incoming = Incoming(Surface.MENTION, team_id, ben.id, general.id, "how many holidays?", ts=question.ts)
    store.claim(
        team_id=team_id, event_id="Ev1", subject=incoming.subject, kind="mention", payload=incoming.to_payload()
    )
    for process in range(MAX_ATTEMPTS):
        assert store.lease(f"killed {process}", -1)
    await socket_bot.start()
    await slack.wait_for_message(general, "Something went wrong", thread_ts=question.ts)
    await socket_bot.all_ended()
    assert socket_bot.asker.questions == []


async def test_an_answer_that_was_given_before_the_kill_is_not_made_again(
    socket_bot: Bot, slack: SlackStandIn, ben: Person, general: Channel
) -> None:
    store = EventStore(open_database(socket_bot.settings.database_location))
    question = await ben.post(general, "how many holidays?")
    team_id = slack.workspace.home_team.id
    incoming = Incoming(Surface.MENTION, team_id, ben.id, general.id, "how many holidays?", ts=question.ts)
    store.claim(
        team_id=team_id, event_id="Ev1", subject=incoming.subject, kind="mention", payload=incoming.to_payload()
    )
    (event,) = store.lease("killed", -1)
    shown = {"channel": general.id, "thread_ts": question.ts, "parts": ["1.0"], "final": True}
    store.note_delivered(event.id, shown)
    await socket_bot.start()
    await socket_bot.all_ended()
    assert socket_bot.asker.questions == []
    assert socket_bot.said(general) == []


async def test_an_answer_that_cannot_be_delivered_now_is_delivered_when_slack_is_back(
    socket_bot: Bot, slack: SlackStandIn, ben: Person, general: Channel
) -> None:
    socket_bot.overrides = {"lease_seconds": 1}
    await socket_bot.start()
    slack.faults.next("chat.postMessage", error="invalid_auth", times=None)
    question = await ben.ask(general, "how many holidays?")
    await slack.wait_for_call("chat.postMessage", count=2)
    await socket_bot.idle()
    slack.faults.clear()
    await slack.wait_for_message(general, QUOTE, thread_ts=question.ts, within=10)
    await socket_bot.all_ended()
    assert len(socket_bot.said(general)) == 1
