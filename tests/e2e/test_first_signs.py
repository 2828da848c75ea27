"""Who asks sees at once that they were heard, however many wait before them, and no sign stays behind."""

from __future__ import annotations

import pytest

from bot.standin import Channel, Message, Person, SlackStandIn
from tests.e2e.conftest import Bot
from tests.e2e.scripted import QUOTE

SEARCHING = "buscando"


def _shown(slack: SlackStandIn, question: Message) -> list[str]:
    """Every status that has shown under a question, oldest first."""
    thread = (question.channel_id, question.ts)
    return [change.status for change in slack.workspace.statuses if (change.channel_id, change.thread_ts) == thread]


async def test_a_question_that_must_wait_for_its_turn_is_seen_to_be_heard(
    socket_bot: Bot, slack: SlackStandIn, ana: Person, general: Channel
) -> None:
    socket_bot.overrides = {"workers": 1}
    await socket_bot.start()
    socket_bot.asker.go_on.clear()
    await ana.dm("¿cuántas vacaciones tengo?")
    await slack.wait_until(lambda: bool(socket_bot.asker.questions))
    waiting = [await ana.ask(general, "¿cuántas vacaciones tengo?"), await ana.dm("¿cuántas vacaciones tengo?")]
    await slack.wait_until(lambda: all(_shown(slack, question) for question in waiting))
    assert all(SEARCHING in _shown(slack, question)[0] for question in waiting)
    assert len(socket_bot.asker.questions) == 1
    socket_bot.asker.go_on.set()
    for question in waiting:
        channel = slack.workspace.channels[question.channel_id]
        await slack.wait_for_message(channel, QUOTE, thread_ts=question.ts)
    await socket_bot.idle()
    assert [slack.workspace.status(each.channel_id, each.ts) for each in waiting] == ["", ""]


async def test_the_same_status_is_not_said_twice(bot: Bot, slack: SlackStandIn, ana: Person, general: Channel) -> None:
    question = await ana.ask(general, "¿cuántas vacaciones tengo?")
    await slack.wait_for_message(general, QUOTE)
    await bot.idle()
    said = [status for status in _shown(slack, question) if status]
    assert len(said) == len(set(said))


async def test_a_repetition_shows_no_sign(bot: Bot, slack: SlackStandIn, ana: Person, general: Channel) -> None:
    question = await ana.ask(general, "¿cuántas vacaciones tengo?")
    await slack.wait_for_message(general, QUOTE)
    await bot.idle()
    before = len(slack.workspace.statuses)
    for delivery in slack.deliveries_of(question):
        await slack.courier.repeat(delivery)
    await bot.idle()
    assert len(slack.workspace.statuses) == before


async def test_no_sign_stays_where_the_answer_is_refused_in_private(bot: Bot, slack: SlackStandIn, ana: Person) -> None:
    """A8."""
    shared = slack.channel("with-partners", ana, is_ext_shared=True)
    question = await ana.ask(shared, "¿cuántas vacaciones tengo?")
    await slack.wait_for_message(shared, lambda said: said.ephemeral_to == ana.id)
    await bot.idle()
    assert slack.workspace.status(shared.id, question.ts) == ""


async def test_who_is_not_of_the_company_gets_no_sign_but_the_refusal(
    bot: Bot, slack: SlackStandIn, ana: Person, general: Channel
) -> None:
    stranger = slack.person("zoe", team=slack.workspace.add_team("Another company"))
    general.members.append(stranger.id)
    await stranger.ask(general, "how many holidays?")
    await slack.wait_for_message(general, lambda said: said.ephemeral_to == stranger.id)
    await bot.idle()
    assert slack.workspace.statuses == []


@pytest.mark.parametrize(
    "fault", [{"hang": True}, {"error": "ratelimited"}, {"error": "unknown_method"}, {"drop": True}]
)
async def test_an_answer_comes_all_the_same_where_no_sign_can_be_shown(
    socket_bot: Bot,
    slack: SlackStandIn,
    ana: Person,
    general: Channel,
    monkeypatch: pytest.MonkeyPatch,
    fault: dict[str, object],
) -> None:
    monkeypatch.setattr("bot.first_signs.PATIENCE_SECONDS", 0.1)
    monkeypatch.setattr("bot.thread_status.STATUS_SECONDS", 0.1)
    await socket_bot.start()
    slack.faults.next("assistant.threads.setStatus", times=None, **fault)  # type: ignore[arg-type]  # one of these
    question = await ana.ask(general, "¿cuántas vacaciones tengo?")
    await slack.wait_for_message(general, QUOTE, thread_ts=question.ts)
    await socket_bot.idle()
    assert len(socket_bot.said(general)) == 1
