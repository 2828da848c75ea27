"""Whatever Slack answers, the person gets the answer somewhere, whole, and once."""

from __future__ import annotations

import asyncio
import logging
import re

import pytest

from bot.standin import Channel, Person, SlackStandIn, visible_text
from core.errors import StorageError
from tests.e2e.conftest import Bot
from tests.e2e.scripted import QUOTE, answer_to

SURPRISE = "Los salarios secretos son altos"


async def test_a_placeholder_that_somebody_deleted_is_followed_by_a_new_message(
    bot: Bot, slack: SlackStandIn, ana: Person, general: Channel
) -> None:
    bot.post_and_edit()
    bot.asker.go_on.clear()
    question = await ana.ask(general, "¿cuántas vacaciones tengo?")
    placeholder = await slack.wait_for_message(general, "leyendo", thread_ts=question.ts)
    placeholder.deleted = True
    bot.asker.go_on.set()
    await slack.wait_for_message(general, QUOTE, thread_ts=question.ts)
    await bot.idle()
    assert len(bot.said(general)) == 1


@pytest.mark.parametrize("refusal", ["msg_too_long", "invalid_blocks", "msg_blocks_too_long"])
async def test_an_answer_that_slack_finds_too_much_arrives_as_plain_text(
    bot: Bot, slack: SlackStandIn, ana: Person, general: Channel, refusal: str
) -> None:
    bot.post_and_edit()
    long = [f"Frase número {number}: " + f"palabra{number} " * 120 for number in range(6)]
    bot.asker.script = lambda question: answer_to(question, *long)
    method = "chat.update"
    slack.faults.next(method, error=refusal, times=None, when=lambda call: "Frase" in str(call.get("blocks")))
    await ana.ask(general, "¿todo?")
    await slack.wait_for_message(general, "Frase número 5")
    await bot.idle()
    said = "\n".join(visible_text(message) for message in bot.said(general))
    assert [said.index(f"Frase número {number}:") for number in range(6)] == sorted(
        said.index(f"Frase número {number}:") for number in range(6)
    )


@pytest.mark.parametrize("refusal", ["channel_not_found", "not_in_channel", "is_archived"])
async def test_where_the_bot_may_not_write_the_answer_comes_directly(
    bot: Bot, slack: SlackStandIn, ana: Person, general: Channel, refusal: str
) -> None:
    slack.faults.next("chat.postMessage", error=refusal, times=None, when=lambda call: call["channel"] == general.id)
    await ana.ask(general, "¿cuántas vacaciones tengo?")
    await slack.wait_for_message(ana.direct_channel(), QUOTE)
    await bot.idle()
    assert bot.said(general) == []
    assert len(bot.said(ana.direct_channel())) == 1


async def test_a_channel_archived_while_the_question_is_answered_does_not_swallow_the_answer(
    bot: Bot, slack: SlackStandIn, ana: Person, general: Channel
) -> None:
    bot.post_and_edit()
    bot.asker.go_on.clear()
    await ana.ask(general, "¿cuántas vacaciones tengo?")
    placeholder = await slack.wait_for_message(general, "leyendo")
    placeholder.deleted = True
    general.is_archived = True
    bot.asker.go_on.set()
    await slack.wait_for_message(ana.direct_channel(), QUOTE)
    await bot.idle()


async def test_a_rate_limit_delays_the_answer_and_no_more(
    bot: Bot, slack: SlackStandIn, ana: Person, general: Channel
) -> None:
    bot.post_and_edit()
    slack.faults.next("chat.postMessage", error="ratelimited", retry_after=0, times=2)
    slack.faults.next("chat.update", error="ratelimited", retry_after=0, times=1)
    await ana.ask(general, "¿cuántas vacaciones tengo?")
    await slack.wait_for_message(general, QUOTE, within=15)
    await bot.idle()
    assert len(bot.said(general)) == 1


async def test_a_post_whose_answer_is_lost_is_looked_for_before_it_is_repeated(
    bot: Bot, slack: SlackStandIn, ana: Person, general: Channel
) -> None:
    slack.faults.next("chat.postMessage", drop=True, after_processing=True)
    await ana.ask(general, "¿cuántas vacaciones tengo?")
    await slack.wait_for_message(general, QUOTE)
    await bot.idle()
    looked = [call for call in slack.calls_of("conversations.replies") if "include_all_metadata" in call.arguments]
    assert len(looked) == 1
    assert len(bot.said(general)) == 1


async def test_a_post_that_is_lost_is_repeated(bot: Bot, slack: SlackStandIn, ana: Person, general: Channel) -> None:
    slack.faults.next("chat.postMessage", drop=True)
    await ana.ask(general, "¿cuántas vacaciones tengo?")
    await slack.wait_for_message(general, QUOTE)
    await bot.idle()
    assert len(bot.said(general)) == 1


async def test_a_response_url_that_is_used_up_is_followed_by_an_ephemeral_message(
    bot: Bot, slack: SlackStandIn, ana: Person, general: Channel
) -> None:
    bot.asker.go_on.clear()
    await ana.slash("/rag", "¿cuántas vacaciones tengo?", general)
    for ticket in ana.backstage.tickets.response_urls.values():
        ticket.uses = 5
    bot.asker.go_on.set()
    answer = await slack.wait_for_message(general, QUOTE, seen_by=ana)
    await bot.idle()
    assert answer.ephemeral_to == ana.id
    assert len(slack.calls_of("chat.postEphemeral")) == 1


async def test_a_failure_becomes_a_sentence_with_a_code_that_the_log_has_and_no_words_of_anybody(
    bot: Bot, slack: SlackStandIn, ana: Person, general: Channel, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(question: object) -> None:
        raise RuntimeError(SURPRISE)

    bot.asker.script = fail  # type: ignore[assignment]  # it never returns
    with caplog.at_level(logging.DEBUG):
        await ana.ask(general, "¿cuánto gana Begoña?")
        told = await slack.wait_for_message(general, "Algo ha fallado")
        await bot.idle()
    code = re.search(r"\b[0-9a-f]{8}\b", visible_text(told))
    ours = [record.getMessage() for record in caplog.records if record.name.startswith("testigo")]
    assert code
    assert any(code.group() in line for line in ours)
    for forbidden in (SURPRISE, "Begoña", slack.app.bot_token, "ana@brisa"):
        assert not any(forbidden in line for line in ours)
        assert forbidden not in visible_text(told)


async def test_a_failure_of_the_index_says_that_the_documents_cannot_be_searched(
    bot: Bot, slack: SlackStandIn, ben: Person
) -> None:
    def fail(question: object) -> None:
        raise StorageError("broken")

    bot.asker.script = fail  # type: ignore[assignment]  # it never returns
    await ben.dm("how many holidays?")
    await slack.wait_for_message(ben.direct_channel(), "cannot be searched")
    await bot.idle()


async def test_an_answer_that_takes_too_long_is_stopped_and_says_so(
    socket_bot: Bot, slack: SlackStandIn, ben: Person
) -> None:
    socket_bot.overrides = {"answer_seconds": 0.1}
    socket_bot.asker.go_on.clear()
    await socket_bot.start()
    await ben.dm("how many holidays?")
    await slack.wait_for_message(ben.direct_channel(), "too long")
    await socket_bot.idle()
    assert socket_bot.asker.cancelled == 1


async def test_a_command_that_cannot_be_written_down_says_so_at_once(
    bot: Bot, slack: SlackStandIn, ben: Person, general: Channel, monkeypatch: pytest.MonkeyPatch
) -> None:
    _break_claims(bot, monkeypatch)
    await ben.slash("/rag", "how many holidays?", general)
    await slack.wait_for_message(general, "cannot be searched", seen_by=ben)
    await bot.idle()


async def test_an_event_that_cannot_be_written_down_is_not_acknowledged_and_answered_when_it_comes_again(
    bot: Bot, slack: SlackStandIn, ben: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    _break_claims(bot, monkeypatch, times=1)
    question = await ben.dm("how many holidays?")
    await slack.wait_for_message(ben.direct_channel(), QUOTE, within=10)
    await bot.idle()
    (delivery,) = slack.deliveries_of(question)
    assert [bool(attempt.outcome and attempt.outcome.acknowledged) for attempt in delivery.attempts] == [False, True]


async def test_a_dropped_websocket_loses_nothing(
    socket_bot: Bot, slack: SlackStandIn, ana: Person, general: Channel
) -> None:
    bot = socket_bot
    await bot.start()
    bot.asker.script = lambda question: answer_to(question, f"Respuesta a «{question.text}», sin más que añadir.")
    for number in range(3):
        await ana.ask(general, f"pregunta {number}.")
        await slack.sockets.drop()
        await slack.wait_for_message(general, f"«pregunta {number}.»", within=15)
    await bot.idle()
    assert len(bot.said(general)) == 3


async def test_slack_asking_for_a_new_websocket_gets_one(socket_bot: Bot, slack: SlackStandIn, ana: Person) -> None:
    await socket_bot.start()
    await slack.sockets.refresh()
    await slack.wait_until(lambda: slack.sockets.connections >= 2 or None)
    await ana.dm("¿cuántas vacaciones tengo?")
    await slack.wait_for_message(ana.direct_channel(), QUOTE)
    await socket_bot.idle()


async def test_a_stopped_bot_ends_the_answer_it_is_giving(socket_bot: Bot, slack: SlackStandIn, ana: Person) -> None:
    await socket_bot.start()
    socket_bot.asker.go_on.clear()
    await ana.dm("¿cuántas vacaciones tengo?")
    await socket_bot.shows(ana.direct_channel(), "leyendo")
    stopping = asyncio.create_task(socket_bot.stop())
    socket_bot.asker.go_on.set()
    await stopping
    assert QUOTE in visible_text(socket_bot.said(ana.direct_channel())[0])


def _break_claims(bot: Bot, monkeypatch: pytest.MonkeyPatch, times: int = 1000) -> None:
    assert bot.services is not None
    ledger = bot.services.ledger
    claim = ledger.claim
    left = [times]

    async def broken(event_id: str, incoming: object) -> bool:
        if left[0]:
            left[0] -= 1
            raise StorageError("the disk is full")
        return await claim(event_id, incoming)  # type: ignore[arg-type]  # handed on as it came

    monkeypatch.setattr(ledger, "claim", broken)
