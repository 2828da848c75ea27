"""Living citations (issue 8, item 1): who is told what when a source changes, goes or is hidden, and who nothing."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import pytest

from bot.rendering.living import LIVING_BLOCK
from bot.standin import Channel, Message, Person, SlackStandIn, visible_text
from bot.words import Words
from core.domain.access import EVERYONE, AccessRule
from tests.e2e.after import Company, company
from tests.e2e.conftest import Bot
from tests.e2e.real import SALARY_QUESTION, groups
from tests.unit.pipeline.shelf import HOLIDAY_QUESTION, HOLIDAYS, HR, PARKING, SALARIES, document

DAY = 86_400
NOW_SAYS = "Everybody in Valencia has 27 working days of holiday."
CHANGED = document("Holiday policy", NOW_SAYS, modified_at=dt.datetime(2026, 3, 3, tzinfo=dt.UTC))
UNAVAILABLE = "A source of this answer is no longer available here."


@pytest.fixture
def carla(slack: SlackStandIn) -> Person:
    """A member who is in none of the channels."""
    return slack.person("carla", locale="en-US")


@pytest.fixture
async def firm(socket_bot: Bot, ana: Person, ben: Person, carla: Person) -> Company:
    """Ana is in HR, Ben is not, Carla is not in the channel."""
    made = company(socket_bot)
    socket_bot.groups.groups = groups(socket_bot.folder, hr=["ana"])
    await socket_bot.start()
    return made


def answer_in(bot: Bot, channel: Channel) -> Message:
    (message,) = (m for m in bot.said(channel) if "show_evidence" in str(m.all_blocks) and m.ephemeral_to is None)
    return message


def told(message: Message) -> str:
    """What the line below an answer says; empty when there is none."""
    return " ".join(str(block) for block in message.all_blocks if block.get("block_id") == LIVING_BLOCK)


def notes_to(bot: Bot, channel: Channel, person: Person) -> list[str]:
    return [visible_text(m) for m in bot.said(channel) if m.ephemeral_to == person.id and "source" in visible_text(m)]


async def asked(firm: Company, person: Person, channel: Channel, question: str = HOLIDAY_QUESTION) -> None:
    await person.ask(channel, question)
    await firm.bot.idle()


async def test_a_changed_sentence_is_told_below_the_answer_and_quietly_to_who_asked(
    firm: Company, ana: Person, ben: Person, carla: Person, general: Channel
) -> None:
    await asked(firm, ben, general)
    firm.sync(CHANGED, SALARIES, PARKING)
    await firm.tell()
    line = told(answer_in(firm.bot, general))
    assert "Holiday policy" in line
    assert "changed on Mar 3, 2026." in line
    assert NOW_SAYS in line
    (note,) = notes_to(firm.bot, general, ben)
    assert NOW_SAYS in note
    assert notes_to(firm.bot, general, ana) == []
    for other in (ana, carla):
        assert firm.bot.said(other.direct_channel()) == []


async def test_the_answer_keeps_its_text_and_its_buttons(firm: Company, ben: Person, general: Channel) -> None:
    await asked(firm, ben, general)
    before = answer_in(firm.bot, general)
    kinds, text = [b["type"] for b in before.all_blocks], visible_text(before)
    firm.sync(CHANGED, SALARIES, PARKING)
    await firm.tell()
    after = answer_in(firm.bot, general)
    assert after.ts == before.ts
    assert [b["type"] for b in after.all_blocks if b.get("block_id") != LIVING_BLOCK] == kinds
    assert [b["type"] for b in after.all_blocks][-2:] == ["actions", "context_actions"]
    assert all(part in visible_text(after) for part in text.splitlines())


async def test_what_did_not_change_is_not_spoken_of(firm: Company, ben: Person, general: Channel) -> None:
    await asked(firm, ben, general)
    more = document("Holiday policy", "A new first sentence.", *(b.text for b in HOLIDAYS.blocks[1:]))
    firm.sync(more, SALARIES, document("Parking", "Parking is free of charge now."))
    await firm.tell()
    assert told(answer_in(firm.bot, general)) == ""
    assert notes_to(firm.bot, general, ben) == []


async def test_a_removed_document_has_no_title_in_the_line(firm: Company, ben: Person, general: Channel) -> None:
    await asked(firm, ben, general)
    firm.sync(SALARIES, PARKING)
    await firm.tell()
    line = told(answer_in(firm.bot, general))
    assert UNAVAILABLE in line
    assert "Holiday" not in line
    (note,) = notes_to(firm.bot, general, ben)
    assert "Holiday" not in note


async def test_a_revocation_is_told_without_a_title_and_its_lifting_takes_the_line_away(
    firm: Company, ben: Person, general: Channel
) -> None:
    await asked(firm, ben, general)
    firm.desk.revoke("t", "holiday-policy", "test")
    await firm.tell()
    line = told(answer_in(firm.bot, general))
    assert UNAVAILABLE in line
    assert "Holiday" not in line
    firm.desk.lift("t", "holiday-policy")
    firm.clock.seconds += DAY
    await firm.tell()
    assert told(answer_in(firm.bot, general)) == ""
    assert UNAVAILABLE not in answer_in(firm.bot, general).text


async def test_a_change_that_only_some_may_read_is_told_to_them_alone(
    firm: Company, ana: Person, ben: Person, general: Channel
) -> None:
    """Ana asked in the channel; the new text is for HR only: she learns it alone, the channel that a source is gone."""
    await asked(firm, ana, general)
    secret = document("Holiday policy", NOW_SAYS, rule=AccessRule.of({HR}))
    firm.sync(secret, SALARIES, PARKING)
    await firm.tell()
    line = told(answer_in(firm.bot, general))
    assert "27" not in line
    assert "Holiday" not in line
    assert "ya no está disponible" in line or UNAVAILABLE in line
    (note,) = [
        visible_text(m) for m in firm.bot.said(general) if m.ephemeral_to == ana.id and "fuentes" in visible_text(m)
    ]
    assert NOW_SAYS in note
    assert all("27" not in visible_text(m) for m in ben.sees(general))


CLOSED = replace(HOLIDAYS, rule=AccessRule.of({HR}))
"""The same words, for HR only."""
WIDER = replace(HOLIDAYS, rule=AccessRule.of({HR, EVERYONE}))


def notes_of_news(bot: Bot, channel: Channel) -> list[Message]:
    """What anybody was told alone of sources, in either language."""
    openings = (Words("en").living_note(), Words("es").living_note())
    return [m for m in bot.said(channel) if m.ephemeral_to and any(o in visible_text(m) for o in openings)]


REST = document("Días de descanso", "Todo el mundo en Sevilla tiene 31 días de descanso al año.")
IN_WORDS_OF = {
    "en": (HOLIDAYS, HOLIDAY_QUESTION, "25"),
    "es": (REST, "¿Cuántos días de descanso al año tiene todo el mundo en Sevilla?", "31"),
}


@pytest.mark.parametrize("language", IN_WORDS_OF)
async def test_a_document_that_is_closed_to_some_is_told_without_a_title_and_as_if_it_were_gone(
    firm: Company, ana: Person, ben: Person, carla: Person, general: Channel, language: str
) -> None:
    """Its text is as it was: only who may read it has changed. Ana may still, Ben and Carla may not."""
    open_to_all, question, number = IN_WORDS_OF[language]
    title = open_to_all.metadata.title
    firm.sync(open_to_all, SALARIES, PARKING)
    await asked(firm, ben, general, question)
    assert number in visible_text(answer_in(firm.bot, general))
    firm.sync(replace(open_to_all, rule=AccessRule.of({HR})), SALARIES, PARKING)
    await firm.tell()
    line = told(answer_in(firm.bot, general))
    assert Words(language).living_unavailable() in line
    assert title not in line
    assert number not in line
    (note,) = notes_of_news(firm.bot, general)
    assert note.ephemeral_to == ben.id
    assert Words("en").living_unavailable() in visible_text(note)  # in his own language
    assert title not in visible_text(note)
    assert number not in visible_text(note)
    for other in (ana, carla):
        assert firm.bot.said(other.direct_channel()) == []


async def test_who_asked_and_may_still_read_what_was_closed_to_others_is_told_nothing_more(
    firm: Company, ana: Person, ben: Person, general: Channel
) -> None:
    await asked(firm, ana, general)
    firm.sync(CLOSED, SALARIES, PARKING)
    await firm.tell()
    assert Words("en").living_unavailable() in told(answer_in(firm.bot, general))
    assert notes_of_news(firm.bot, general) == []


async def test_where_everybody_may_still_read_what_was_closed_to_others_nothing_is_told(
    firm: Company, slack: SlackStandIn, ana: Person
) -> None:
    hr = slack.channel("hr", ana, private=True)
    await asked(firm, ana, hr)
    before = [visible_text(m) for m in firm.bot.said(hr)]
    firm.sync(CLOSED, SALARIES, PARKING)
    await firm.tell()
    assert [visible_text(m) for m in firm.bot.said(hr)] == before


async def test_what_is_opened_again_has_its_line_taken_away(firm: Company, ben: Person, general: Channel) -> None:
    await asked(firm, ben, general)
    firm.sync(CLOSED, SALARIES, PARKING)
    await firm.tell()
    assert told(answer_in(firm.bot, general)) != ""
    firm.sync(HOLIDAYS, SALARIES, PARKING)
    firm.clock.seconds += DAY
    await firm.tell()
    assert told(answer_in(firm.bot, general)) == ""
    assert len(notes_of_news(firm.bot, general)) == 1


async def test_a_document_that_more_people_may_read_is_not_spoken_of_and_costs_no_call(
    firm: Company, slack: SlackStandIn, ben: Person, general: Channel
) -> None:
    await asked(firm, ben, general)
    firm.sync(WIDER, SALARIES, PARKING)
    before = len(slack.calls)
    await firm.tell()
    assert len(slack.calls) == before
    assert told(answer_in(firm.bot, general)) == ""


async def test_who_may_not_read_it_any_more_is_not_told_of_its_later_edits(
    firm: Company, ben: Person, general: Channel
) -> None:
    await asked(firm, ben, general)
    firm.sync(CLOSED, SALARIES, PARKING)
    await firm.tell()
    words = [block.text for block in HOLIDAYS.blocks[1:]]
    firm.sync(document("Holiday policy", *words, "And one more.", rule=AccessRule.of({HR})), SALARIES, PARKING)
    firm.clock.seconds += DAY
    await firm.tell()
    assert len(notes_of_news(firm.bot, general)) == 1


async def test_where_other_companies_read_now_no_text_is_shown(
    firm: Company, slack: SlackStandIn, ben: Person, general: Channel
) -> None:
    await asked(firm, ben, general)
    firm.sync(CHANGED, SALARIES, PARKING)
    general.is_ext_shared = True
    await firm.tell()
    line = told(answer_in(firm.bot, general))
    assert "A source of this answer has changed." in line
    assert "27" not in line
    assert "Holiday" not in line


async def test_a_thread_is_told_once_a_day_and_what_came_together_at_once(
    firm: Company, ben: Person, general: Channel
) -> None:
    question = await ben.ask(general, HOLIDAY_QUESTION)
    await firm.bot.idle()
    await ben.ask(general, "How much does a parking space at Ribarroja cost a month?", question.ts)
    await firm.bot.idle()
    dear = document("Parking", "A parking space at Ribarroja costs 99 euros a month.")
    firm.sync(CHANGED, SALARIES, dear)
    await firm.tell()
    (note,) = notes_to(firm.bot, general, ben)
    assert NOW_SAYS in note
    assert "99 euros" in note
    dearer = document("Parking", "A parking space at Ribarroja costs 111 euros a month.")
    firm.sync(CHANGED, SALARIES, dearer)
    await firm.tell()
    assert len(notes_to(firm.bot, general, ben)) == 1
    firm.clock.seconds += DAY
    await firm.tell()
    assert len(notes_to(firm.bot, general, ben)) == 2
    shown = [told(m) for m in firm.bot.said(general, question.ts) if told(m)]
    assert any("111 euros" in line for line in shown)
    assert not any("99 euros" in line for line in shown)


async def test_nothing_is_told_twice_nor_lost_over_a_restart(firm: Company, ben: Person, general: Channel) -> None:
    await asked(firm, ben, general)
    firm.sync(CHANGED, SALARIES, PARKING)
    await firm.bot.stop()
    await firm.bot.start()
    await firm.tell()
    await firm.tell()
    firm.clock.seconds += 2 * DAY
    await firm.tell()
    assert NOW_SAYS in told(answer_in(firm.bot, general))
    assert len(notes_to(firm.bot, general, ben)) == 1


async def test_what_slack_did_not_take_is_told_later(
    firm: Company, slack: SlackStandIn, ben: Person, general: Channel
) -> None:
    await asked(firm, ben, general)
    firm.sync(CHANGED, SALARIES, PARKING)
    slack.faults.next("chat.update", error="internal_error", times=1)
    await firm.tell()
    assert told(answer_in(firm.bot, general)) == ""
    assert notes_to(firm.bot, general, ben) == []
    firm.clock.seconds += 3_600
    await firm.tell()
    assert NOW_SAYS in told(answer_in(firm.bot, general))
    assert len(notes_to(firm.bot, general, ben)) == 1


async def test_an_answer_that_cannot_be_edited_has_it_in_its_thread(
    firm: Company, slack: SlackStandIn, ben: Person, general: Channel
) -> None:
    question = await ben.ask(general, HOLIDAY_QUESTION)
    await firm.bot.idle()
    firm.sync(CHANGED, SALARIES, PARKING)
    slack.faults.next("chat.update", error="cant_update_message", times=1)
    await firm.tell()
    assert told(answer_in(firm.bot, general)) == ""
    below = [m for m in firm.bot.said(general, question.ts) if NOW_SAYS in visible_text(m) and m.ephemeral_to is None]
    assert len(below) == 1


async def test_an_answer_that_only_its_asker_saw_is_told_to_them_alone(
    firm: Company, ana: Person, ben: Person, general: Channel
) -> None:
    await ana.slash("/rag", SALARY_QUESTION, general)
    await firm.bot.idle()
    firm.sync(HOLIDAYS, document("Salary bands", "The highest salary of band N4 is 61,000 euros.",
                                 rule=AccessRule.of({HR})), PARKING)  # fmt: skip
    await firm.tell()
    assert any("61,000" in visible_text(m) for m in firm.bot.said(general) if m.ephemeral_to == ana.id)
    assert all("61,000" not in visible_text(m) for m in ben.sees(general))


async def test_a_direct_message_gets_its_line(firm: Company, ana: Person) -> None:
    await ana.dm(SALARY_QUESTION)
    await firm.bot.idle()
    firm.sync(HOLIDAYS, document("Salary bands", "The highest salary of band N4 is 61,000 euros.",
                                 rule=AccessRule.of({HR})), PARKING)  # fmt: skip
    await firm.tell()
    assert "61,000" in told(answer_in(firm.bot, ana.direct_channel()))


async def test_an_asker_who_lost_the_right_learns_nothing_of_the_change(
    firm: Company, ana: Person, socket_bot: Bot
) -> None:
    await ana.dm(SALARY_QUESTION)
    await firm.bot.idle()
    socket_bot.groups.groups = groups(socket_bot.folder, hr=["ben"])
    firm.sync(HOLIDAYS, document("Salary bands", "The highest salary of band N4 is 61,000 euros.",
                                 rule=AccessRule.of({HR})), PARKING)  # fmt: skip
    await firm.tell()
    assert all("61,000" not in visible_text(m) for m in ana.sees(ana.direct_channel()))
    line = told(answer_in(firm.bot, ana.direct_channel()))
    assert "61,000" not in line
    assert "Salary" not in line


async def test_old_answers_are_left_as_they_are_and_zero_days_is_never(
    firm: Company, ben: Person, general: Channel
) -> None:
    await asked(firm, ben, general)
    firm.clock.seconds += 31 * DAY
    firm.sync(CHANGED, SALARIES, PARKING)
    await firm.tell()
    assert told(answer_in(firm.bot, general)) == ""


async def test_a_person_who_was_forgotten_is_not_told(firm: Company, ben: Person, general: Channel) -> None:
    from core.store.forgetting import Forgetting

    await asked(firm, ben, general)
    Forgetting(firm.desk.evidence._engine).forget("t", ben.id, also=["ben@brisa-logistics.example"])
    firm.sync(CHANGED, SALARIES, PARKING)
    await firm.tell()
    assert told(answer_in(firm.bot, general)) == ""
    assert notes_to(firm.bot, general, ben) == []
