"""Alerts and the digest (issue 8, items 3 and 6): to the admins' channel, once a day, and never where others read."""

from __future__ import annotations

import datetime as dt

import pytest

from bot.admins_channel import AdminsChannel
from bot.alerting import Alerting
from bot.standin import Channel, Person, SlackStandIn, visible_text
from core.alerts.links import Checked, Link, LinkChecker
from core.store.sync_runs import SyncRunStore
from core.store.sync_schedule import SyncScheduleStore
from tests.e2e.after import Company, bot_engine, company
from tests.e2e.conftest import Bot
from tests.e2e.real import SALARY_QUESTION, groups

DAY = 86_400
CANTEEN = "How much is the lunch menu of the canteen?"
MONDAY_AT_NINE = dt.datetime(2026, 11, 30, 9, 5, tzinfo=dt.UTC).timestamp()


@pytest.fixture
def admins(slack: SlackStandIn, ana: Person) -> Channel:
    return slack.channel("testigo-admins", ana, private=True)


@pytest.fixture
async def firm(socket_bot: Bot, ana: Person, ben: Person, admins: Channel) -> Company:
    socket_bot.overrides |= {"admins_channel": admins.id, "gaps": True, "gaps_digest": "0 9 * * mon"}
    made = company(socket_bot)
    socket_bot.groups.groups = groups(socket_bot.folder, hr=["ana"])
    await socket_bot.start()
    return made


async def look(firm: Company) -> None:
    assert firm.bot.services is not None
    await firm.bot.services.chores.once()
    await firm.bot.idle()


def said(firm: Company, channel: Channel) -> list[str]:
    return [visible_text(m) for m in firm.bot.said(channel)]


async def test_a_failed_sync_is_told_once_a_day_with_what_to_do(firm: Company, admins: Channel) -> None:
    syncs = SyncRunStore(bot_engine(firm.bot), firm.clock)
    syncs.fail(syncs.begin("wiki", "cron"), "the export of Ana Pérez cannot be read")
    await look(firm)
    await look(firm)
    (alert,) = said(firm, admins)
    assert "The last sync did not end well:" in alert
    assert "wiki" in alert
    assert "testigo status says why." in alert
    assert "Ana" not in alert
    firm.clock.seconds += DAY
    await look(firm)
    assert len(said(firm, admins)) == 2


async def test_each_kind_has_its_own_alert(firm: Company, admins: Channel) -> None:
    syncs = SyncRunStore(bot_engine(firm.bot), firm.clock)
    syncs.fail(syncs.begin("wiki", "cron"), "gone")
    SyncScheduleStore(bot_engine(firm.bot)).set("wiki", "every 6 hours", firm.clock() - 8 * 3_600)
    await look(firm)
    assert len(said(firm, admins)) == 2


async def test_where_other_companies_read_nothing_is_told(firm: Company, admins: Channel) -> None:
    syncs = SyncRunStore(bot_engine(firm.bot), firm.clock)
    syncs.fail(syncs.begin("wiki", "cron"), "gone")
    admins.is_ext_shared = True
    await look(firm)
    assert said(firm, admins) == []
    admins.is_ext_shared = False
    await look(firm)
    assert len(said(firm, admins)) == 1


async def test_what_slack_refused_is_told_later(firm: Company, slack: SlackStandIn, admins: Channel) -> None:
    syncs = SyncRunStore(bot_engine(firm.bot), firm.clock)
    syncs.fail(syncs.begin("wiki", "cron"), "gone")
    slack.faults.next("chat.postMessage", error="not_in_channel", times=1)
    await look(firm)
    assert said(firm, admins) == []
    await look(firm)
    assert len(said(firm, admins)) == 1


async def test_a_hidden_document_that_answers_cite_is_counted_and_not_named(
    firm: Company, ben: Person, general: Channel, admins: Channel
) -> None:
    await ben.ask(general, "How many working days of holiday has everybody in Valencia?")
    await firm.bot.idle()
    firm.desk.revoke("t", "holiday-policy", "test")
    await look(firm)
    (alert,) = said(firm, admins)
    assert "One recent answer cites documents that were hidden since (documents: 1)." in alert
    assert "oliday" not in alert


async def test_the_digest_comes_when_it_is_due_and_once(
    firm: Company, ben: Person, general: Channel, admins: Channel
) -> None:
    firm.clock.seconds = MONDAY_AT_NINE - 2 * 3_600
    await ben.ask(general, CANTEEN)
    await firm.bot.idle()
    await look(firm)
    assert said(firm, admins) == []
    firm.clock.seconds = MONDAY_AT_NINE
    await look(firm)
    await look(firm)
    (digest,) = said(firm, admins)
    assert "canteen" in digest
    assert "asked once by one person" in digest


async def test_the_digest_names_only_documents_that_everybody_in_the_channel_may_open(
    firm: Company, slack: SlackStandIn, ana: Person, ben: Person, general: Channel, admins: Channel
) -> None:
    firm.clock.seconds = MONDAY_AT_NINE
    await ben.ask(general, SALARY_QUESTION)
    await firm.bot.idle()
    await look(firm)
    assert "Salary bands" in said(firm, admins)[-1]
    await ben.join(admins)
    await firm.bot.idle()
    firm.clock.seconds += 7 * DAY
    await ben.ask(general, SALARY_QUESTION)
    await firm.bot.idle()
    await look(firm)
    assert len(said(firm, admins)) == 2
    assert "Salary bands" not in said(firm, admins)[-1]


class Asked(LinkChecker):
    """Asks nothing, and finds one link broken."""

    rounds = 0

    async def check(self, links: object) -> Checked:
        self.rounds += 1
        return Checked((Link("wiki", "https://wiki.acme.example/secret-project"),), 2)


async def test_broken_links_are_counted_by_source_and_their_addresses_not_shown(firm: Company, admins: Channel) -> None:
    services, aftercare = firm.bot.services, firm.bot.aftercare
    assert services is not None
    assert aftercare is not None
    assert aftercare.watch is not None
    channel = AdminsChannel(services.settings, services.client, services.audiences, aftercare.told, firm.clock)
    links = [Link("wiki", "https://wiki.acme.example/secret-project"), Link("wiki", "https://wiki.acme.example/b")]
    checker = Asked("https://wiki.acme.example")
    alerting = Alerting(channel, aftercare.watch, lambda _day: links, checker, firm.clock)
    await alerting.check_links()
    await alerting.check_links()
    assert checker.rounds == 1
    (alert,) = said(firm, admins)
    assert "One link of documents does not answer, of 2 that were asked." in alert
    assert "wiki: 1 of 2" in alert
    assert "secret" not in alert


async def test_without_a_channel_nothing_is_told(socket_bot: Bot, ana: Person, general: Channel) -> None:
    made = company(socket_bot)
    await socket_bot.start()
    syncs = SyncRunStore(bot_engine(socket_bot), made.clock)
    syncs.fail(syncs.begin("wiki", "cron"), "gone")
    await look(made)
    assert said(made, general) == []
