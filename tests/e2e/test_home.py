"""The home tab: what each person sees in it, what they do there, and what admins see besides."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from bot.rendering.home import ASK_AGAIN_ACTION, FORGET_ACTION, LANGUAGE_ACTION, REINDEX_ACTION
from bot.rendering.sync_report import REMOVALS_ACTION
from bot.standin import Channel, Person, SlackStandIn, View, view_text, visible_text
from core.domain.syncing import SyncCounts, SyncFailure, SyncFinished
from core.store.forgetting import FORGOTTEN
from core.store.schema import runs, turns
from tests.e2e.conftest import Bot
from tests.e2e.real import SALARY, SALARY_QUESTION, furnish, groups, recorded
from tests.unit.pipeline.shelf import HOLIDAY_QUESTION, SALARIES

SHELF = {"sources": ({"name": "shelf", "kind": "folder", "path": "shelf"},)}
HOLIDAYS = "25 working days"


@pytest.fixture
async def hr_bot(socket_bot: Bot, ana: Person, ben: Person) -> Bot:
    """Ana is in HR and an admin, Ben is neither."""
    socket_bot.overrides |= SHELF
    furnish(socket_bot)
    socket_bot.groups.groups = groups(socket_bot.folder, hr=["ana"])
    await socket_bot.start()
    return socket_bot


async def home_of(bot: Bot, person: Person) -> View:
    """Open the tab; what it shows."""
    await person.open_home()
    await bot.idle()
    return bot.slack.workspace.homes[person.id]


def again_buttons(view: View) -> list[str]:
    """The blocks of the buttons that ask again, from the newest question on."""
    return [
        block["block_id"]
        for block in view.blocks
        if any(e.get("action_id") == ASK_AGAIN_ACTION for e in block.get("elements", ()))
    ]


def conversation_of(bot: Bot) -> str:
    """The conversation of the only thread in the memory."""
    assert bot._engine is not None
    with bot._engine.connect() as connection:
        return str(connection.execute(select(turns.c.conversation)).scalar_one())


async def test_each_person_sees_the_sources_with_what_they_may_read_of_them(
    hr_bot: Bot, ana: Person, ben: Person
) -> None:
    run = hr_bot.syncs.begin("shelf", "timetable")
    hr_bot.syncs.finish(run, SyncFinished("shelf", SyncCounts(added=3), 1.0))
    assert "shelf: 3 documentos · leído el" in view_text(await home_of(hr_bot, ana))
    assert "shelf: 2 documents · read" in view_text(await home_of(hr_bot, ben))


async def test_a_source_of_which_somebody_may_read_nothing_is_not_named(
    socket_bot: Bot, ana: Person, ben: Person
) -> None:
    socket_bot.overrides |= SHELF
    furnish(socket_bot, [SALARIES])
    socket_bot.groups.groups = groups(socket_bot.folder, hr=["ana"])
    await socket_bot.start()
    text = view_text(await home_of(socket_bot, ben))
    assert "There is no document yet that you may read." in text
    assert "shelf" not in text


async def test_a_source_whose_last_sync_failed_is_as_fresh_as_the_last_one_that_did_not(
    hr_bot: Bot, ben: Person
) -> None:
    good = hr_bot.syncs.begin("shelf", "timetable")
    hr_bot.syncs.finish(good, SyncFinished("shelf", SyncCounts(unchanged=3), 1.0))
    hr_bot.syncs.fail(hr_bot.syncs.begin("shelf", "timetable"), "The export is gone.")
    text = view_text(await home_of(hr_bot, ben))
    assert "shelf: 2 documents · read" in text
    assert "The export is gone." not in text


async def test_ones_own_last_questions_are_listed_and_nobody_elses(
    hr_bot: Bot, ana: Person, ben: Person, general: Channel
) -> None:
    await ana.dm(SALARY_QUESTION)
    await ana.ask(general, HOLIDAY_QUESTION)
    await hr_bot.idle()
    mine, his = view_text(await home_of(hr_bot, ana)), view_text(await home_of(hr_bot, ben))
    assert SALARY_QUESTION in mine
    assert HOLIDAY_QUESTION in mine
    assert SALARY_QUESTION not in his
    assert HOLIDAY_QUESTION not in his
    assert "There are none that I still keep." in his


async def test_a_question_asked_again_is_answered_in_a_thread_of_the_direct_messages(
    hr_bot: Bot, slack: SlackStandIn, ana: Person
) -> None:
    await ana.dm(HOLIDAY_QUESTION)
    await hr_bot.idle()
    home = await home_of(hr_bot, ana)
    (block,) = again_buttons(home)
    await ana.click(home, ASK_AGAIN_ACTION, block_id=block)
    await hr_bot.idle()
    root = await slack.wait_for_message(ana.direct_channel(), "Has vuelto a preguntar")
    answer = hr_bot.said(ana.direct_channel(), root.ts)[-1]
    assert HOLIDAY_QUESTION in visible_text(root)
    assert HOLIDAYS in visible_text(answer)
    assert answer.thread_ts == root.ts


async def test_a_question_that_was_forgotten_meanwhile_is_not_asked_again(hr_bot: Bot, ben: Person) -> None:
    await ben.dm(HOLIDAY_QUESTION)
    await hr_bot.idle()
    home = await home_of(hr_bot, ben)
    hr_bot.memory.take_back("t", conversation_of(hr_bot), "ben@brisa-logistics.example", HOLIDAY_QUESTION)
    before = len(hr_bot.said(ben.direct_channel()))
    await ben.click(home, ASK_AGAIN_ACTION)
    await hr_bot.idle()
    (told,) = hr_bot.said(ben.direct_channel())[before:]
    assert "I do not keep that question any more." in visible_text(told)


async def test_a_chosen_language_is_that_of_all_words_of_the_bot_and_can_be_taken_back(
    hr_bot: Bot, slack: SlackStandIn, ana: Person, ben: Person, general: Channel
) -> None:
    home = await home_of(hr_bot, ben)
    assert "What I can answer you from" in view_text(home)
    await ben.click(home, LANGUAGE_ACTION, "es")
    await hr_bot.idle()
    assert "De qué puedo responderte" in view_text(slack.workspace.homes[ben.id])
    await ben.slash("/rag-reindex", "", general)
    await hr_bot.idle()
    assert "administran" in visible_text(hr_bot.said(general)[-1])
    await ben.dm(HOLIDAY_QUESTION)
    await hr_bot.idle()
    answer = hr_bot.said(ben.direct_channel())[-1]
    assert "Sources" in visible_text(answer)  # an answer is in the language of its question
    await ben.click(slack.workspace.homes[ben.id], LANGUAGE_ACTION, "auto")
    await hr_bot.idle()
    assert "What I can answer you from" in view_text(slack.workspace.homes[ben.id])
    assert "De qué puedo responderte" in view_text(await home_of(hr_bot, ana))


async def test_to_be_forgotten_deletes_ones_own_words_and_choices_and_nobody_elses(
    hr_bot: Bot, slack: SlackStandIn, ana: Person, ben: Person
) -> None:
    await ana.dm(SALARY_QUESTION)
    await ben.dm(HOLIDAY_QUESTION)
    await hr_bot.idle()
    home = await home_of(hr_bot, ben)
    await ben.click(home, LANGUAGE_ACTION, "es")
    await hr_bot.idle()
    await ben.click(slack.workspace.homes[ben.id], FORGET_ACTION)
    await hr_bot.idle()
    text = view_text(slack.workspace.homes[ben.id])
    assert "Deleted: 1 question and 0 verdicts." in text
    assert HOLIDAY_QUESTION not in text
    assert SALARY_QUESTION in view_text(await home_of(hr_bot, ana))
    assert hr_bot._engine is not None
    with hr_bot._engine.connect() as connection:
        readers = set(connection.execute(select(runs.c.reader)).scalars())
    assert readers == {FORGOTTEN, "ana@brisa-logistics.example"}
    (entry,) = [entry for entry in recorded(hr_bot) if entry["kind"] == "own"]
    assert (entry["action"], entry["actor"]) == ("forget", ben.id)
    assert hr_bot.audit.verify() == []


async def test_an_admin_sees_the_syncs_and_the_index_and_others_do_not(hr_bot: Bot, ana: Person, ben: Person) -> None:
    run = hr_bot.syncs.begin("shelf", "boss@brisa-logistics.example")
    failure = SyncFailure("pay.xlsx", "It has a password.")
    hr_bot.syncs.finish(run, SyncFinished("shelf", SyncCounts(added=3, failed=1), 1.0, (failure,)))
    his, hers = view_text(await home_of(hr_bot, ben)), view_text(await home_of(hr_bot, ana))
    for said in ("boss@brisa-logistics.example", "pay.xlsx", "terminó bien", "vectores de words", "Testigo "):
        assert said in hers
    for said in ("boss@", "pay.xlsx", "administrators", "vectors of"):
        assert said not in his


async def test_an_admin_has_everything_read_again_from_the_tab(hr_bot: Bot, slack: SlackStandIn, ana: Person) -> None:
    home = await home_of(hr_bot, ana)
    await ana.click(home, REINDEX_ACTION)
    await hr_bot.idle()
    assert hr_bot.reindexer.asked == [(None, "ana@brisa-logistics.example")]
    assert "38 sin cambios" in visible_text(await slack.wait_for_message(ana.direct_channel(), "38"))


async def test_what_a_guard_held_back_can_be_let_go_from_the_tab(hr_bot: Bot, ana: Person) -> None:
    run = hr_bot.syncs.begin("shelf", "timetable")
    held = SyncFinished("shelf", SyncCounts(unchanged=1), 1.0, held_back="2 of 3 are gone.", awaiting=2)
    hr_bot.syncs.finish(run, held)
    home = await home_of(hr_bot, ana)
    button = next(e for b in home.blocks for e in b.get("elements", ()) if e.get("action_id") == REMOVALS_ACTION)
    assert "2 documentos" in button["confirm"]["title"]["text"]
    await ana.click(home, REMOVALS_ACTION)
    await hr_bot.idle()
    assert hr_bot.reindexer.asked == [("shelf", "ana@brisa-logistics.example")]
    assert hr_bot.reindexer.wanted[0]["agreed_removals"] == 2


async def test_an_admin_reviews_what_was_answered_in_channels_and_only_what_they_may_read_whole(
    hr_bot: Bot, slack: SlackStandIn, ana: Person, ben: Person, general: Channel
) -> None:
    hr = slack.channel("hr", ana, private=True)
    await ana.ask(hr, SALARY_QUESTION)
    await ben.ask(general, HOLIDAY_QUESTION)
    await ana.dm("A parking space at Ribarroja, what does it cost a month?")
    await hr_bot.idle()
    text = view_text(await home_of(hr_bot, ana)).partition("Respuestas recientes para revisar")[2]
    assert f"✓ Everybody in Valencia has {HOLIDAYS} of holiday." in text
    assert SALARY in text
    assert "Ribarroja" not in text  # what somebody asked alone is theirs
    assert "ben@" not in text
    hr_bot.groups.groups = groups(hr_bot.folder, hr=["carla"])
    text = view_text(await home_of(hr_bot, ana)).partition("Respuestas recientes para revisar")[2]
    assert HOLIDAYS in text
    assert SALARY not in text
    assert "Salary bands" not in text


async def test_an_old_drawing_does_not_cover_what_was_drawn_since(
    hr_bot: Bot, slack: SlackStandIn, ben: Person
) -> None:
    old = (await home_of(hr_bot, ben)).hash
    await ben.open_home()
    await hr_bot.idle()
    assert [call.arguments.get("hash") for call in slack.calls_of("views.publish")] == [None, old]
    slack.faults.next("views.publish", error="hash_conflict")
    await ben.click(slack.workspace.homes[ben.id], LANGUAGE_ACTION, "es")
    await hr_bot.idle()
    assert "De qué puedo responderte" in view_text(slack.workspace.homes[ben.id])


async def test_whom_the_bot_does_not_know_is_told_so(hr_bot: Bot, slack: SlackStandIn) -> None:
    stranger = slack.person("stranger", email=None)
    text = view_text(await home_of(hr_bot, stranger))
    assert "I answer only members of this company" in text
    assert "shelf" not in text
