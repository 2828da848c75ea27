"""Each question is answered once, whatever Slack sends and however often (cases D1 to D4)."""

from __future__ import annotations

from bot.standin import Channel, Person, SlackStandIn, visible_text
from tests.e2e.conftest import Bot
from tests.e2e.scripted import QUOTE, answer_to


async def test_an_event_that_arrives_three_times_while_it_is_answered_is_answered_once(
    bot: Bot, slack: SlackStandIn, ana: Person
) -> None:
    """D1."""
    bot.asker.go_on.clear()
    slack.faults.duplicate_next(2, as_retries=True)
    question = await ana.dm("¿cuántas vacaciones tengo?")
    await bot.shows(ana.direct_channel(), "leyendo")
    (delivery,) = slack.deliveries_of(question)
    await slack.wait_until(lambda: len([a for a in delivery.attempts if a.outcome]) == 3)
    assert sorted(attempt.number for attempt in delivery.attempts) == [0, 1, 2]
    assert all(attempt.outcome and attempt.outcome.acknowledged for attempt in delivery.attempts)
    bot.asker.go_on.set()
    await slack.wait_for_message(ana.direct_channel(), QUOTE)
    await bot.idle()
    assert len(bot.asker.questions) == 1
    assert len(bot.said(ana.direct_channel())) == 1


async def test_an_event_of_which_only_the_retry_arrives_is_answered(bot: Bot, slack: SlackStandIn, ana: Person) -> None:
    """D2."""
    slack.faults.lose_next(1)
    question = await ana.dm("¿cuántas vacaciones tengo?")
    await slack.wait_for_message(ana.direct_channel(), QUOTE, thread_ts=question.ts)
    await bot.idle()
    assert [attempt.number for attempt in slack.deliveries_of(question)[0].attempts] == [0, 1]


async def test_a_mention_that_arrives_as_two_events_is_answered_once(
    bot: Bot, slack: SlackStandIn, ana: Person, general: Channel
) -> None:
    """D3."""
    question = await ana.ask(general, "¿cuántas vacaciones tengo?")
    await slack.wait_for_message(general, QUOTE)
    await bot.idle()
    assert {delivery.name for delivery in slack.deliveries_of(question)} == {"app_mention", "message"}
    assert len({delivery.event_id for delivery in slack.deliveries_of(question)}) == 2
    assert len(bot.asker.questions) == 1
    assert len(bot.said(general)) == 1


async def test_a_mention_whose_events_arrive_in_the_other_order_is_answered_once(
    bot: Bot, slack: SlackStandIn, ana: Person, general: Channel
) -> None:
    """D3."""
    slack.faults.reorder_next(2)
    await ana.ask(general, "¿cuántas vacaciones tengo?")
    await slack.wait_for_message(general, QUOTE)
    await bot.idle()
    assert len(bot.said(general)) == 1


async def test_message_changed_with_the_same_text_is_noise(
    bot: Bot, slack: SlackStandIn, ana: Person, general: Channel
) -> None:
    """D4."""
    question = await ana.ask(general, "¿qué dice https://wiki.acme.example?")
    answer = await slack.wait_for_message(general, QUOTE)
    await slack.happens.unfurl(question)
    await slack.happens.reannounce(question)
    await slack.happens.reannounce(answer)
    await bot.idle()
    assert len(bot.asker.questions) == 1
    assert len(bot.said(general)) == 1


async def test_an_edit_that_adds_a_mention_is_answered_once(
    bot: Bot, slack: SlackStandIn, ana: Person, general: Channel
) -> None:
    """D4."""
    message = await ana.post(general, "¿cuántas vacaciones tengo?")
    await bot.idle()
    assert bot.said(general) == []
    await ana.edit(message, f"{slack.mention} ¿cuántas vacaciones tengo?")
    await slack.wait_for_message(general, QUOTE, thread_ts=message.ts)
    await ana.edit(message, f"{slack.mention} ¿cuántas vacaciones tengo yo?")
    await bot.idle()
    assert [question.text for question in bot.asker.questions] == ["¿cuántas vacaciones tengo?"]
    answer, *offers = bot.said(general)
    assert answer.ephemeral_to is None
    assert {offer.ephemeral_to for offer in offers} <= {ana.id}  # to answer again, which only who asked sees


async def test_an_edit_that_adds_a_mention_is_answered_though_only_message_changed_arrives(
    bot: Bot, slack: SlackStandIn, ana: Person, general: Channel
) -> None:
    """D4."""
    message = await ana.post(general, "¿cuántas vacaciones tengo?")
    announcer = ana.backstage.announcer
    before = announcer.message_json(message)
    message.text = f"{slack.mention} {message.text}"
    message.edited = {"user": ana.id, "ts": slack.workspace.new_ts()}
    announcer.message_changed(message, before)
    await slack.wait_for_message(general, QUOTE, thread_ts=message.ts)
    await bot.idle()


async def test_many_questions_at_once_with_repetitions_are_each_answered_once(
    bot: Bot, slack: SlackStandIn, ana: Person, ben: Person, general: Channel
) -> None:
    bot.asker.script = lambda question: answer_to(question, f"Respuesta a «{question.text}», sin más que añadir.")
    for number in range(30):
        slack.faults.duplicate_next(number % 3)
        await (ana, ben)[number % 2].ask(general, f"pregunta {number}.")
    for number in range(30):
        await slack.wait_for_message(general, f"«pregunta {number}.»", within=20)
    await bot.idle()
    assert len(bot.said(general)) == 30
    assert len({visible_text(message) for message in bot.said(general)}) == 30
