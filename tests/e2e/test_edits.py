"""Questions that are edited or deleted after they were asked: D4, and what becomes of their answers."""

from __future__ import annotations

import pytest

from bot.rendering.edited_question import AGAIN_ACTION
from bot.standin import Channel, Message, Person, SlackStandIn, visible_text
from tests.e2e.conftest import Bot
from tests.e2e.scripted import QUOTE, answer_to

SECOND = "Otra respuesta, con su propia cita exacta."
OFFER = "Has editado esta pregunta"


async def asked(bot: Bot, slack: SlackStandIn, ana: Person, general: Channel, **more: str) -> Message:
    """A question that was answered."""
    question = await ana.ask(general, "¿cuántas vacaciones tengo?", **more)
    await slack.wait_for_message(general, QUOTE, thread_ts=more.get("thread_ts", question.ts))
    await bot.idle()
    return question


async def test_an_edit_of_an_answered_question_offers_its_author_alone_a_new_answer_which_replaces_the_old(
    bot: Bot, slack: SlackStandIn, ana: Person, ben: Person, general: Channel
) -> None:
    question = await asked(bot, slack, ana, general)
    old = bot.said(general)[0]
    await ana.edit(question, f"{slack.mention} ¿cuántas vacaciones tengo en Dublín?")
    offer = await slack.wait_for_message(general, OFFER, seen_by=ana)
    await bot.idle()
    assert offer.ephemeral_to == ana.id
    assert len(bot.asker.questions) == 1  # it is answered only when they want it
    bot.asker.script = lambda question: answer_to(question, SECOND)
    await ana.click(offer, AGAIN_ACTION)
    new = await slack.wait_for_message(general, SECOND, thread_ts=question.ts)
    await bot.idle()
    assert bot.asker.questions[1].text == "¿cuántas vacaciones tengo en Dublín?"
    assert new.ts != old.ts
    assert "La pregunta se editó" in visible_text(old)
    assert QUOTE not in visible_text(old)


async def test_pressing_twice_answers_once_and_a_later_press_says_that_it_is_done(
    bot: Bot, slack: SlackStandIn, ana: Person, general: Channel
) -> None:
    question = await asked(bot, slack, ana, general)
    await ana.edit(question, f"{slack.mention} ¿y en Dublín?")
    offer = await slack.wait_for_message(general, OFFER, seen_by=ana)
    bot.asker.script = lambda question: answer_to(question, SECOND)
    await ana.click(offer, AGAIN_ACTION)
    await ana.click(offer, AGAIN_ACTION)
    await bot.idle()
    await ana.click(offer, AGAIN_ACTION)
    await slack.wait_for_message(general, "ya se respondió de nuevo", seen_by=ana)
    await bot.idle()
    assert len(bot.asker.questions) == 2


async def test_of_two_edits_the_newest_wording_is_answered_whichever_button_is_pressed(
    bot: Bot, slack: SlackStandIn, ana: Person, general: Channel
) -> None:
    question = await asked(bot, slack, ana, general)
    await ana.edit(question, f"{slack.mention} ¿y en Dublín?")
    first = await slack.wait_for_message(general, OFFER, seen_by=ana)
    await ana.edit(question, f"{slack.mention} ¿y en Oporto?")
    await bot.idle()
    bot.asker.script = lambda question: answer_to(question, SECOND)
    await ana.click(first, AGAIN_ACTION)
    await slack.wait_for_message(general, SECOND, thread_ts=question.ts)
    await bot.idle()
    assert [q.text for q in bot.asker.questions[1:]] == ["¿y en Oporto?"]


async def test_nobody_else_can_have_a_question_answered_again(
    bot: Bot, slack: SlackStandIn, ana: Person, ben: Person, general: Channel
) -> None:
    question = await asked(bot, slack, ana, general)
    await ana.edit(question, f"{slack.mention} ¿y en Dublín?")
    offer = await slack.wait_for_message(general, OFFER, seen_by=ana)
    await bot.idle()
    offer.ephemeral_to = ben.id  # a forged press: it names a question of somebody else
    await ben.click(offer, AGAIN_ACTION)
    await slack.wait_for_message(general, "answered again already", seen_by=ben)
    await bot.idle()
    assert len(bot.asker.questions) == 1


async def test_an_edited_direct_message_is_offered_a_new_answer(bot: Bot, slack: SlackStandIn, ana: Person) -> None:
    question = await ana.dm("¿cuántas vacaciones tengo?")
    direct = ana.direct_channel()
    await slack.wait_for_message(direct, QUOTE)
    await bot.idle()
    await ana.edit(question, "¿cuántas vacaciones tengo en Dublín?")
    offer = await slack.wait_for_message(direct, OFFER)
    bot.asker.script = lambda question: answer_to(question, SECOND)
    await ana.click(offer, AGAIN_ACTION)
    await slack.wait_for_message(direct, SECOND, thread_ts=question.ts)
    await bot.idle()
    assert len(bot.asker.questions) == 2


async def test_an_edit_that_adds_a_mention_is_answered(
    bot: Bot, slack: SlackStandIn, ana: Person, general: Channel
) -> None:
    """D4."""
    question = await ana.post(general, "¿cuántas vacaciones tengo?")
    await ana.edit(question, f"{slack.mention} ¿cuántas vacaciones tengo?")
    await slack.wait_for_message(general, QUOTE, thread_ts=question.ts)
    await bot.idle()
    assert len(bot.asker.questions) == 1
    assert len(bot.said(general)) == 1


async def test_changes_that_are_nobodys_edit_are_nothing(
    bot: Bot, slack: SlackStandIn, ana: Person, general: Channel
) -> None:
    """D4: an unfurl, counters, the same words again, words that were no question, the bot's own updates."""
    question = await asked(bot, slack, ana, general)
    chat = await ana.post(general, "lunch?")
    before = len(slack.calls_of("chat.postEphemeral"))
    await slack.happens.unfurl(question)
    await slack.happens.reannounce(question)
    await ana.edit(question, f"{slack.mention}  ¿cuántas vacaciones tengo?")
    await ana.edit(chat, "lunch at two?")
    await slack.happens.unfurl(bot.said(general)[0])
    await bot.idle()
    assert len(slack.calls_of("chat.postEphemeral")) == before
    assert len(bot.asker.questions) == 1


@pytest.mark.parametrize("in_thread", [False, True])
async def test_with_a_question_its_answer_goes_and_what_was_remembered_of_it(
    bot: Bot, slack: SlackStandIn, ana: Person, ben: Person, general: Channel, in_thread: bool
) -> None:
    more = {"thread_ts": (await ben.post(general, "who knows?")).ts} if in_thread else {}
    question = await asked(bot, slack, ana, general, **more)
    conversation = bot.asker.questions[0].conversation
    bot.memory.add("acme", conversation, "ana@brisa-logistics.example", "¿cuántas vacaciones tengo?", "run")
    bot.memory.add("acme", conversation, "ben@brisa-logistics.example", "¿cuántas vacaciones tengo?", "run")
    await ana.delete(question)
    await slack.wait_until(lambda: not bot.said(general))
    await bot.idle()
    assert bot.memory.last("acme", conversation, "ana@brisa-logistics.example") == []
    assert len(bot.memory.last("acme", conversation, "ben@brisa-logistics.example")) == 1


async def test_both_answers_of_an_edited_question_go_with_it(
    bot: Bot, slack: SlackStandIn, ana: Person, general: Channel
) -> None:
    question = await asked(bot, slack, ana, general)
    await ana.edit(question, f"{slack.mention} ¿y en Dublín?")
    offer = await slack.wait_for_message(general, OFFER, seen_by=ana)
    bot.asker.script = lambda question: answer_to(question, SECOND)
    await ana.click(offer, AGAIN_ACTION)
    await slack.wait_for_message(general, SECOND, thread_ts=question.ts)
    await bot.idle()
    await ana.delete(question)
    await slack.wait_until(lambda: all(message.ephemeral_to for message in bot.said(general)))
    await bot.idle()


async def test_an_answer_stays_where_the_settings_say_so(
    socket_bot: Bot, slack: SlackStandIn, ana: Person, general: Channel
) -> None:
    socket_bot.overrides = {"delete_with_question": False}
    await socket_bot.start()
    question = await asked(socket_bot, slack, ana, general)
    await ana.delete(question)
    await socket_bot.idle()
    assert len(socket_bot.said(general)) == 1


async def test_a_question_that_is_deleted_while_it_is_answered_leaves_nothing(
    socket_bot: Bot, slack: SlackStandIn, ana: Person, general: Channel
) -> None:
    socket_bot.overrides = {"lease_seconds": 0.6}
    await socket_bot.start()
    socket_bot.asker.go_on.clear()
    question = await ana.ask(general, "¿cuántas vacaciones tengo?")
    await slack.wait_until(lambda: bool(socket_bot.asker.questions))
    await ana.delete(question)
    await slack.settled()
    socket_bot.asker.go_on.set()
    await socket_bot.all_ended()
    assert socket_bot.said(general) == []


async def test_words_that_were_no_question_are_deleted_unnoticed(
    bot: Bot, slack: SlackStandIn, ana: Person, general: Channel
) -> None:
    await asked(bot, slack, ana, general)
    chat = await ana.post(general, "lunch?")
    await ana.delete(chat)
    await bot.idle()
    assert len(bot.said(general)) == 1


@pytest.mark.parametrize("is_direct", [True, False])
async def test_a_deletion_that_overtakes_its_question_leaves_nothing_to_answer(
    bot: Bot, slack: SlackStandIn, ana: Person, general: Channel, is_direct: bool
) -> None:
    slack.faults.reorder_next(2 if is_direct else 3)
    question = await (ana.dm("¿cuántas vacaciones tengo?") if is_direct else ana.ask(general, "¿cuántas vacaciones?"))
    await ana.delete(question)
    await bot.idle()
    assert all(delivery.acknowledged for delivery in slack.deliveries)
    assert bot.asker.questions == []
    assert bot.said(ana.direct_channel()) == bot.said(general) == []
    again = await ana.dm("¿cuántas vacaciones tengo?")
    await slack.wait_for_message(ana.direct_channel(), QUOTE, thread_ts=again.ts)
    await bot.idle()


async def test_an_answer_stays_where_no_other_was_given_in_its_place(
    socket_bot: Bot, slack: SlackStandIn, ana: Person, general: Channel
) -> None:
    socket_bot.overrides |= {"user_rate": "1/hour"}
    await socket_bot.start()
    question = await asked(socket_bot, slack, ana, general)
    old = socket_bot.said(general)[0]
    await ana.edit(question, f"{slack.mention} ¿y en Dublín?")
    offer = await slack.wait_for_message(general, OFFER, seen_by=ana)
    await ana.click(offer, AGAIN_ACTION)
    await slack.wait_for_message(general, "muchas preguntas", seen_by=ana)
    await socket_bot.idle()
    assert len(socket_bot.asker.questions) == 1
    assert QUOTE in visible_text(old)
