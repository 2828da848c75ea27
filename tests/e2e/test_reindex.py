"""`/rag-reindex`: who may, what is shown, and the second one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bot.rendering.sync_report import REMOVALS_ACTION
from bot.standin import Channel, Message, Person, SlackStandIn, visible_text
from core.domain.syncing import DocumentChange, DocumentState, SyncCounts, SyncFailure, SyncFinished
from core.errors import SourceError
from tests.e2e.conftest import Bot
from tests.e2e.real import furnish, recorded


async def test_who_is_no_admin_is_denied_and_nothing_is_read(
    bot: Bot, slack: SlackStandIn, ben: Person, general: Channel
) -> None:
    await ben.slash("/rag-reindex", "", general)
    await slack.wait_for_message(general, "administrators", seen_by=ben)
    await bot.idle()
    assert bot.reindexer.asked == []


async def test_whether_somebody_is_an_admin_is_checked_when_it_is_done(
    bot: Bot, slack: SlackStandIn, ana: Person, general: Channel
) -> None:
    await ana.slash("/rag-reindex", "", general)
    await slack.wait_for_message(ana.direct_channel(), "40")
    await slack.happens.change_user(ana.user, email="ana@elsewhere.example")
    await bot.idle()
    await ana.slash("/rag-reindex", "", general)
    await slack.wait_for_message(general, "administran", seen_by=ana)
    await bot.idle()
    assert len(bot.reindexer.asked) == 1


async def test_the_progress_is_edited_into_one_message(
    bot: Bot, slack: SlackStandIn, ana: Person, general: Channel
) -> None:
    bot.reindexer.go_on.clear()
    await ana.slash("/rag-reindex", "wiki", general)
    progress = await slack.wait_for_message(ana.direct_channel(), "wiki")
    bot.reindexer.go_on.set()
    summary = await slack.wait_for_message(ana.direct_channel(), "38")
    await bot.idle()
    assert summary.ts == progress.ts
    assert len(bot.said(ana.direct_channel())) == 1
    assert bot.reindexer.asked == [("wiki", "ana@brisa-logistics.example")]
    (told,) = bot.said(general)
    assert told.ephemeral_to == ana.id


async def test_a_second_one_says_that_a_run_is_going_who_started_it_and_since_when(
    bot: Bot, slack: SlackStandIn, ana: Person
) -> None:
    bot.reindexer.go_on.clear()
    await ana.slash("/rag-reindex")
    await slack.wait_for_message(ana.direct_channel(), "wiki")
    await ana.slash("/rag-reindex")
    second = await slack.wait_for_message(ana.direct_channel(), "9:30")
    bot.reindexer.go_on.set()
    await slack.wait_for_message(ana.direct_channel(), "38")
    await bot.idle()
    assert "ana@brisa-logistics.example" in visible_text(second)


async def test_an_unknown_source_is_named_with_those_that_are_known(
    bot: Bot, slack: SlackStandIn, ana: Person, general: Channel
) -> None:
    await ana.slash("/rag-reindex", "wikii <!channel>", general)
    told = await slack.wait_for_message(general, "wikii", seen_by=ana)
    await bot.idle()
    assert "wiki" in visible_text(told)
    assert bot.reindexer.asked == []


async def test_a_run_that_fails_says_so_with_a_code(bot: Bot, slack: SlackStandIn, ana: Person) -> None:
    bot.reindexer.error = SourceError("secret path")
    await ana.slash("/rag-reindex")
    told = await slack.wait_for_message(ana.direct_channel(), "código")
    await bot.idle()
    assert "secret path" not in visible_text(told)


@pytest.mark.parametrize(("typed", "source", "wanted"), [
    ("--full", None, {"full": True, "dry_run": False}),
    ("wiki --dry-run", "wiki", {"full": False, "dry_run": True}),
    ("—full wiki –dry-run", "wiki", {"full": True, "dry_run": True}),
])  # fmt: skip
async def test_what_is_typed_is_what_is_done_also_with_the_dashes_that_slack_makes(
    bot: Bot, slack: SlackStandIn, ana: Person, typed: str, source: str | None, wanted: dict[str, bool]
) -> None:
    await ana.slash("/rag-reindex", typed)
    await slack.wait_for_message(ana.direct_channel(), "38")
    await bot.idle()
    assert bot.reindexer.asked == [(source, "ana@brisa-logistics.example")]
    assert {name: bot.reindexer.wanted[0][name] for name in wanted} == wanted


async def test_an_option_that_is_not_known_is_answered_with_how_the_command_is_written(
    bot: Bot, slack: SlackStandIn, ana: Person, general: Channel
) -> None:
    await ana.slash("/rag-reindex", "wiki --confirm-removals", general)
    told = await slack.wait_for_message(general, "[--full] [--dry-run]", seen_by=ana)
    await bot.idle()
    assert told.ephemeral_to == ana.id
    assert bot.reindexer.asked == []


async def test_a_plan_names_the_documents_and_says_that_nothing_was_changed(
    bot: Bot, slack: SlackStandIn, ana: Person
) -> None:
    changes = (
        DocumentChange("new.md", DocumentState.ADDED, "It is new in the export."),
        DocumentChange("pay.md", DocumentState.ACCESS_ONLY, "Who may read it changed."),
        *(DocumentChange(f"old-{n}.md", DocumentState.REMOVED, "Gone.") for n in range(12)),
    )
    counts = SyncCounts(added=1, access_only=1, removed=12, unchanged=5)
    bot.reindexer.finished = lambda name, dry_run: SyncFinished(name, counts, 0.5, changes=changes, dry_run=dry_run)
    await ana.slash("/rag-reindex", "wiki --dry-run")
    told = visible_text(await slack.wait_for_message(ana.direct_channel(), "No se ha cambiado nada"))
    await bot.idle()
    assert "wiki, 1 nuevo: new.md" in told
    assert "wiki, 1 con otros lectores: pay.md" in told
    assert "wiki, 12 retirados: old-0.md" in told
    assert "y 2 más" in told


async def test_what_was_done_before_another_source_failed_is_told_too(
    bot: Bot, slack: SlackStandIn, ana: Person
) -> None:
    failures = (SyncFailure("a.xlsx", "It has a password."),)
    bot.reindexer.finished = lambda name, _: SyncFinished(name, SyncCounts(added=7, failed=1), 1.0, failures)
    bot.reindexer.error_at_the_end = SourceError("secret path")
    await ana.slash("/rag-reindex")
    told = await slack.wait_for_message(ana.direct_channel(), "código")
    await bot.idle()
    said = "\n".join(visible_text(message) for message in bot.said(ana.direct_channel()))
    assert "7 nuevos" in said
    assert "a.xlsx: It has a password." in said
    assert "No se han podido leer los documentos." in said
    assert "secret path" not in said + visible_text(told)


HELD = SyncFinished("wiki", SyncCounts(unchanged=8), 1.0, held_back="12 of 20 documents are gone.", awaiting=12)


@pytest.fixture
async def guarded_bot(socket_bot: Bot) -> Bot:
    """A bot whose syncs are recorded, and whose guard holds twelve documents back."""
    furnish(socket_bot)
    await socket_bot.start()

    def finished(name: str, dry_run: bool) -> SyncFinished:
        agreed = socket_bot.reindexer.wanted[-1]["agreed_removals"]
        ended = replace(HELD, counts=SyncCounts(removed=12, unchanged=8), held_back="", awaiting=0) if agreed else HELD
        socket_bot.syncs.finish(socket_bot.syncs.begin(name, "ana"), ended)
        return ended

    socket_bot.reindexer.finished = finished
    return socket_bot


async def held_back(bot: Bot, slack: SlackStandIn, person: Person) -> Message:
    """The summary of a sync that held something back."""
    await person.slash("/rag-reindex", "wiki")
    summary = await slack.wait_for_message(person.direct_channel(), "12 of 20")
    await bot.idle()
    return summary


def button(message: Message) -> dict[str, Any]:
    """The button itself, so that a test can forge what it carries."""
    return next(
        element
        for block in message.all_blocks
        for element in block.get("elements", ())
        if element.get("action_id") == REMOVALS_ACTION
    )


async def test_what_a_guard_held_back_goes_when_an_admin_says_so_and_they_are_asked_how_much_it_is(
    guarded_bot: Bot, slack: SlackStandIn, ana: Person
) -> None:
    summary = await held_back(guarded_bot, slack, ana)
    assert "12 sin retirar" in visible_text(summary)
    assert button(summary)["confirm"]["title"]["text"] == "¿Retirar 12 documentos?"
    await ana.click(summary, REMOVALS_ACTION)
    await slack.wait_for_message(ana.direct_channel(), "12 retirados")
    await guarded_bot.idle()
    assert guarded_bot.reindexer.asked[1:] == [("wiki", "ana@brisa-logistics.example")]
    assert guarded_bot.reindexer.wanted[1]["agreed_removals"] == 12
    entry = recorded(guarded_bot)[-1]
    assert (entry["kind"], entry["action"], entry["removals"]) == ("admin", "confirm_removals", 12)


async def test_the_button_of_a_run_that_is_over_removes_nothing(
    guarded_bot: Bot, slack: SlackStandIn, ana: Person
) -> None:
    summary = await held_back(guarded_bot, slack, ana)
    guarded_bot.syncs.finish(guarded_bot.syncs.begin("wiki", "timetable"), HELD)
    await ana.click(summary, REMOVALS_ACTION)
    await slack.wait_for_message(ana.direct_channel(), "Ya no hay nada retenido")
    await guarded_bot.idle()
    assert len(guarded_bot.reindexer.asked) == 1


async def test_an_admin_who_is_none_any_more_removes_nothing(
    guarded_bot: Bot, slack: SlackStandIn, ana: Person
) -> None:
    summary = await held_back(guarded_bot, slack, ana)
    await slack.happens.change_user(ana.user, email="ana@elsewhere.example")
    await guarded_bot.idle()
    await ana.click(summary, REMOVALS_ACTION)
    await slack.wait_for_message(ana.direct_channel(), "administran")
    await guarded_bot.idle()
    assert len(guarded_bot.reindexer.asked) == 1
    assert recorded(guarded_bot)[-1]["kind"] == "denied"


async def test_a_forged_run_removes_nothing(guarded_bot: Bot, slack: SlackStandIn, ana: Person) -> None:
    summary = await held_back(guarded_bot, slack, ana)
    for value in ("1", "-1", "wiki", "999"):
        button(summary)["value"] = value
        guarded_bot.syncs.finish(guarded_bot.syncs.begin("wiki", "timetable"), replace(HELD, held_back="", awaiting=0))
        await ana.click(summary, REMOVALS_ACTION)
        await guarded_bot.idle()
    assert len(guarded_bot.reindexer.asked) == 1
