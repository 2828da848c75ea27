"""Whether an answer helped: verdicts from the thumbs below it, and the question why it did not."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.rendering.answer_buttons import EVIDENCE_ACTION, FEEDBACK_ACTION
from bot.rendering.feedback_view import NOTE_INPUT, REASON_INPUT
from bot.standin import Channel, Message, Person, SlackStandIn, view_text, visible_text
from core.store.feedback import Complaint, Feedback, FeedbackStore, Verdict
from core.store.forgetting import Forgetting
from tests.e2e.conftest import Bot
from tests.e2e.real import furnish, groups
from tests.unit.pipeline.shelf import HOLIDAY_QUESTION


@pytest.fixture
async def rated_bot(socket_bot: Bot, ana: Person, ben: Person) -> Bot:
    furnish(socket_bot)
    socket_bot.groups.groups = groups(socket_bot.folder, hr=["ana"])
    await socket_bot.start()
    return socket_bot


def store(bot: Bot) -> FeedbackStore:
    assert bot._engine is not None
    return FeedbackStore(bot._engine)


def run_of(message: Message) -> str:
    (block,) = (b for b in message.all_blocks if b["type"] == "context_actions")
    return str(block["elements"][0]["positive_button"]["value"]).partition(":")[2]


def kept(bot: Bot, message: Message) -> list[Feedback]:
    return store(bot).of("t", run_of(message))


async def answered(bot: Bot, person: Person, channel: Channel, question: str = HOLIDAY_QUESTION) -> Message:
    await person.ask(channel, question)
    await bot.idle()
    return [m for m in bot.said(channel) if FEEDBACK_ACTION in str(m.all_blocks)][-1]


async def press(bot: Bot, person: Person, message: Message, verdict: Verdict) -> None:
    await person.click(message, FEEDBACK_ACTION, f"{verdict.value}:{run_of(message)}")
    await bot.idle()


def whispered(bot: Bot, person: Person, channel: Channel) -> list[str]:
    return [visible_text(m) for m in bot.said(channel) if m.ephemeral_to == person.id]


async def test_a_good_verdict_is_kept_and_thanked_for_quietly_in_the_persons_language(
    rated_bot: Bot, slack: SlackStandIn, ana: Person, ben: Person, general: Channel
) -> None:
    message = await answered(rated_bot, ana, general)
    await press(rated_bot, ana, message, Verdict.GOOD)
    await press(rated_bot, ben, message, Verdict.GOOD)
    assert whispered(rated_bot, ana, general) == ["Gracias, queda anotado."]
    assert whispered(rated_bot, ben, general) == ["Thank you, that is noted."]
    assert {(f.person, f.verdict) for f in kept(rated_bot, message)} == {
        (ana.id, Verdict.GOOD),
        (ben.id, Verdict.GOOD),
    }


async def test_a_bad_verdict_asks_why_and_keeps_what_is_said(
    rated_bot: Bot, slack: SlackStandIn, ben: Person, general: Channel
) -> None:
    message = await answered(rated_bot, ben, general)
    await press(rated_bot, ben, message, Verdict.BAD)
    view = ben.open_view()
    assert view is not None
    assert "What went wrong?" in view_text(view)
    assert [f.verdict for f in kept(rated_bot, message)] == [Verdict.BAD], "kept before anything is said"
    await ben.submit_view({REASON_INPUT: "outdated", NOTE_INPUT: "It is 24 since May."})
    await rated_bot.idle()
    (feedback,) = kept(rated_bot, message)
    assert (feedback.complaint, feedback.note) == (Complaint.OUTDATED, "It is 24 since May.")
    assert whispered(rated_bot, ben, general) == ["Thank you, that is noted."]


async def test_a_reason_is_not_required(rated_bot: Bot, slack: SlackStandIn, ben: Person, general: Channel) -> None:
    message = await answered(rated_bot, ben, general)
    await press(rated_bot, ben, message, Verdict.BAD)
    await ben.submit_view({})
    await rated_bot.idle()
    (feedback,) = kept(rated_bot, message)
    assert (feedback.verdict, feedback.complaint, feedback.note) == (Verdict.BAD, None, "")


async def test_a_verdict_can_be_changed(rated_bot: Bot, slack: SlackStandIn, ben: Person, general: Channel) -> None:
    message = await answered(rated_bot, ben, general)
    await press(rated_bot, ben, message, Verdict.BAD)
    await press(rated_bot, ben, message, Verdict.GOOD)
    assert [f.verdict for f in kept(rated_bot, message)] == [Verdict.GOOD]


async def test_where_the_question_why_does_not_open_the_verdict_is_kept_and_thanked_for(
    rated_bot: Bot, slack: SlackStandIn, ben: Person, general: Channel
) -> None:
    message = await answered(rated_bot, ben, general)
    slack.faults.next("views.open", error="expired_trigger_id")
    await press(rated_bot, ben, message, Verdict.BAD)
    assert [f.verdict for f in kept(rated_bot, message)] == [Verdict.BAD]
    assert whispered(rated_bot, ben, general) == ["Thank you, that is noted."]


async def test_that_there_is_no_answer_can_be_rated_and_has_no_evidence(
    rated_bot: Bot, slack: SlackStandIn, ben: Person, general: Channel
) -> None:
    message = await answered(rated_bot, ben, general, "Is there life on Mars?")
    assert EVIDENCE_ACTION not in str(message.all_blocks)
    await press(rated_bot, ben, message, Verdict.BAD)
    assert [f.verdict for f in kept(rated_bot, message)] == [Verdict.BAD]


async def test_a_private_answer_is_rated_by_who_asked(
    rated_bot: Bot, slack: SlackStandIn, ana: Person, general: Channel
) -> None:
    await ana.slash("/rag", HOLIDAY_QUESTION, general)
    await rated_bot.idle()
    (private,) = (m for m in rated_bot.said(general) if FEEDBACK_ACTION in str(m.all_blocks))
    await press(rated_bot, ana, private, Verdict.GOOD)
    assert [f.person for f in kept(rated_bot, private)] == [ana.id]
    await ana.dm(HOLIDAY_QUESTION)
    await rated_bot.idle()
    (direct,) = (m for m in rated_bot.said(ana.direct_channel()) if FEEDBACK_ACTION in str(m.all_blocks))
    await press(rated_bot, ana, direct, Verdict.GOOD)
    assert [f.person for f in kept(rated_bot, direct)] == [ana.id]


async def test_who_is_forgotten_leaves_no_verdict(
    rated_bot: Bot, slack: SlackStandIn, ana: Person, ben: Person, general: Channel, tmp_path: Path
) -> None:
    message = await answered(rated_bot, ana, general)
    await press(rated_bot, ben, message, Verdict.GOOD)
    assert rated_bot._engine is not None
    assert Forgetting(rated_bot._engine).forget("t", "ben@brisa-logistics.example").verdicts == 1
    assert kept(rated_bot, message) == []
