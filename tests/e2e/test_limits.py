"""Rates, questions at the same time, and the day's budget."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.standin import Channel, Person, SlackStandIn, visible_text
from core.domain.evidence import TokenUse
from tests.e2e.conftest import Bot
from tests.e2e.real import recorded
from tests.e2e.scripted import answer_to


async def test_who_asks_too_often_is_told_so_privately_and_others_are_answered(
    socket_bot: Bot, slack: SlackStandIn, ana: Person, ben: Person, general: Channel
) -> None:
    socket_bot.overrides |= {"user_rate": "2/hour"}
    await socket_bot.start()
    for _ in range(3):
        await ana.ask(general, "¿cuántas vacaciones tengo?")
        await socket_bot.idle()
    assert len(socket_bot.asker.questions) == 2
    (told,) = (m for m in socket_bot.said(general) if m.ephemeral_to)
    assert told.ephemeral_to == ana.id
    assert "muchas preguntas" in visible_text(told)
    await ben.ask(general, "how many holidays?")
    await socket_bot.idle()
    assert len(socket_bot.asker.questions) == 3
    assert [e["why"] for e in recorded(socket_bot)] == ["user_rate"]


async def test_the_workspace_has_a_rate_of_its_own(
    socket_bot: Bot, slack: SlackStandIn, ana: Person, ben: Person
) -> None:
    socket_bot.overrides |= {"workspace_rate": "1/hour"}
    await socket_bot.start()
    await ana.dm("¿cuántas vacaciones tengo?")
    await socket_bot.idle()
    await ben.dm("how many holidays?")
    await slack.wait_for_message(ben.direct_channel(), "Many people")
    await socket_bot.idle()
    assert len(socket_bot.asker.questions) == 1


async def test_only_so_many_questions_of_one_person_are_answered_at_the_same_time(
    socket_bot: Bot, slack: SlackStandIn, ana: Person
) -> None:
    socket_bot.overrides |= {"user_runs": 1}
    await socket_bot.start()
    socket_bot.asker.go_on.clear()
    await ana.dm("¿cuántas vacaciones tengo?")
    await socket_bot.shows(ana.direct_channel(), "leyendo")
    await ana.dm("¿y cuántas noches?")
    await slack.wait_for_message(ana.direct_channel(), "otras preguntas")
    socket_bot.asker.go_on.set()
    await socket_bot.idle()
    await ana.dm("¿y cuántas tardes?")
    await socket_bot.idle()
    assert len(socket_bot.asker.questions) == 2


async def test_the_days_tokens_are_a_budget(socket_bot: Bot, slack: SlackStandIn, ana: Person) -> None:
    socket_bot.overrides |= {"daily_tokens": 1000}
    await socket_bot.start()
    use = TokenUse("claude-sonnet-5-5", 900, 200)
    socket_bot.asker.script = lambda question: replace(answer_to(question), use=use)
    for _ in range(2):
        await ana.dm("¿cuántas vacaciones tengo?")
        await socket_bot.idle()
    await slack.wait_for_message(ana.direct_channel(), "presupuesto")
    assert len(socket_bot.asker.questions) == 1


async def test_help_and_what_is_too_long_cost_nothing(socket_bot: Bot, slack: SlackStandIn, ana: Person) -> None:
    socket_bot.overrides |= {"user_rate": "1/hour", "max_question": 20}
    await socket_bot.start()
    await ana.dm("x" * 21)
    await socket_bot.idle()
    await ana.dm("¿vacaciones?")
    await socket_bot.idle()
    assert len(socket_bot.asker.questions) == 1


@pytest.mark.parametrize("rate", ["user_rate", "workspace_rate"])
async def test_without_a_rate_there_is_no_limit(socket_bot: Bot, slack: SlackStandIn, ana: Person, rate: str) -> None:
    socket_bot.overrides |= {"user_rate": "", "workspace_rate": "", rate: ""}
    await socket_bot.start()
    for _ in range(12):
        await ana.dm("¿vacaciones?")
    await socket_bot.idle()
    assert socket_bot.asker.questions
