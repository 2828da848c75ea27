"""`/rag-reindex`: who may, what is shown, and the second one."""

from __future__ import annotations

from bot.standin import Channel, Person, SlackStandIn, visible_text
from core.errors import SourceError
from tests.e2e.conftest import Bot


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
