"""Attempts to read what one may not, on the real bot over a real index.

Others stand elsewhere: a forged signature and a replayed request in `tests/e2e/test_server.py`, a button with another
run's id in `tests/e2e/test_private_addition.py`.
"""

from __future__ import annotations

import logging
from typing import Any

import pytest

from bot.standin import Channel, Person, SlackStandIn, visible_text
from bot.standin.rendering import pings
from core.domain.access import AccessRule, Principal
from tests.e2e.conftest import Bot
from tests.e2e.real import SALARY, SALARY_QUESTION, furnish, groups, recorded
from tests.unit.pipeline.shelf import HOLIDAY_QUESTION, HOLIDAYS, SALARIES, document

EVIL = "<!channel> <@U00000002> ' OR 1=1 -- *x* `y` <https://evil.example|click> {0} %s ../../etc/passwd"


def everything_said(bot: Bot, slack: SlackStandIn, channel: Channel) -> str:
    return "\n".join(visible_text(message) for message in bot.said(channel))


@pytest.mark.parametrize("kind", ["is_restricted", "is_ultra_restricted"])
async def test_a_guest_in_a_channel_reads_nothing_that_is_open_to_members(
    socket_bot: Bot, slack: SlackStandIn, ana: Person, kind: str
) -> None:
    furnish(socket_bot)
    await socket_bot.start()
    facts: dict[str, Any] = {kind: True}
    guest = slack.person("gus", **facts)
    channel = slack.channel("with-guest", ana, guest)
    await guest.ask(channel, HOLIDAY_QUESTION)
    await guest.dm(HOLIDAY_QUESTION)
    await socket_bot.idle()
    for place in (channel, guest.direct_channel()):
        assert "25 working" not in everything_said(socket_bot, slack, place)


async def test_in_a_private_channel_a_guest_makes_the_answer_what_the_guest_may_read(
    socket_bot: Bot, slack: SlackStandIn, ana: Person
) -> None:
    furnish(socket_bot)
    await socket_bot.start()
    guest = slack.person("gus", is_restricted=True)
    channel = slack.channel("with-guest", ana, guest, private=True)
    await ana.ask(channel, HOLIDAY_QUESTION)
    await socket_bot.idle()
    for message in guest.sees(channel):
        assert "25 working" not in visible_text(message)
    assert any("25 working" in visible_text(m) for m in ana.sees(channel)), "Ana is told alone"


async def test_a_user_of_another_workspace_with_an_employees_address_is_nobody(
    socket_bot: Bot, slack: SlackStandIn, ana: Person, general: Channel
) -> None:
    furnish(socket_bot)
    socket_bot.groups.groups = groups(socket_bot.folder, hr=["ana"])
    await socket_bot.start()
    partner = slack.workspace.add_team("Partner")
    eve = slack.person("eve", team=partner, email="ana@brisa-logistics.example")
    await eve.dm(SALARY_QUESTION)
    await eve.slash("/rag", HOLIDAY_QUESTION)
    await eve.slash("/rag-why", "ana@brisa-logistics.example salary-bands")
    await eve.slash("/rag-revoke", "salary-bands")
    await socket_bot.idle()
    said = everything_said(socket_bot, slack, eve.direct_channel())
    assert SALARY not in said
    assert "25 working" not in said
    assert "hr" not in said
    assert socket_bot.desk is not None
    assert socket_bot.desk.lift("t", "salary-bands") is None
    assert {e["kind"] for e in recorded(socket_bot)} == {"refused", "denied"}


async def test_an_address_that_slack_has_not_confirmed_counts_for_nothing(
    socket_bot: Bot, slack: SlackStandIn, ana: Person
) -> None:
    furnish(socket_bot)
    socket_bot.groups.groups = groups(socket_bot.folder, hr=["ana"])
    await socket_bot.start()
    mallory = slack.person("mallory")
    await slack.happens.change_user(mallory.user, email="")
    await mallory.dm(SALARY_QUESTION)
    await socket_bot.idle()
    assert SALARY not in everything_said(socket_bot, slack, mallory.direct_channel())


async def test_a_slack_user_group_called_like_a_group_opens_nothing(
    socket_bot: Bot, slack: SlackStandIn, ana: Person, ben: Person
) -> None:
    """Where members may make user groups, each could make one that is called `hr`."""
    furnish(socket_bot)
    await socket_bot.start()
    for handle in ("hr", "group:hr", "HR"):
        await slack.happens.create_usergroup(handle, [ben.user])
    await slack.settled()
    await ben.dm(SALARY_QUESTION)
    await socket_bot.idle()
    assert SALARY not in everything_said(socket_bot, slack, ben.direct_channel())


async def test_hostile_titles_keys_and_group_names_stay_text(
    socket_bot: Bot, slack: SlackStandIn, ana: Person, ben: Person, general: Channel
) -> None:
    hostile = document(
        EVIL, "The hostile handbook says that lunch is at two.", rule=AccessRule.of({Principal.group(EVIL)})
    )
    furnish(socket_bot, (HOLIDAYS, SALARIES, hostile))
    await socket_bot.start()
    question = "When is lunch, says the hostile handbook?"
    await ben.dm(question)
    await ana.slash("/rag-why", f"{EVIL.split()[0]} {EVIL}", general)
    await ana.slash("/rag-why", f"ben@brisa-logistics.example shelf/{EVIL}", general)
    await ana.slash("/rag-revoke", f"shelf/{EVIL}", general)
    await ana.slash("/rag-reindex", EVIL, general)
    await socket_bot.idle()
    assert "at two" not in everything_said(socket_bot, slack, ben.direct_channel())
    for message in [*socket_bot.said(general), *socket_bot.said(ben.direct_channel())]:
        assert not pings(message)
    assert "none of them" in everything_said(socket_bot, slack, general) or "ninguno" in everything_said(
        socket_bot, slack, general
    )
    assert socket_bot.audit.verify() == []
    assert not any("evil.example" in str(entry) for entry in recorded(socket_bot))


@pytest.mark.parametrize("text", [EVIL, "\u202eevil\u202c", "\x00\x01", "' UNION SELECT salt FROM audit_salts --"])
async def test_a_hostile_question_is_answered_as_a_question_and_not_logged(
    socket_bot: Bot, slack: SlackStandIn, ana: Person, general: Channel, text: str, caplog: pytest.LogCaptureFixture
) -> None:
    furnish(socket_bot)
    await socket_bot.start()
    with caplog.at_level(logging.DEBUG, logger="testigo"):
        await ana.slash("/rag", f"{text} holidays", general)
        await socket_bot.idle()
    for message in socket_bot.said(general):
        assert not pings(message)
    assert "UNION SELECT" not in caplog.text
    assert "evil" not in caplog.text
    assert socket_bot.audit.verify() == []


async def test_a_person_with_a_hostile_name_pings_nobody(
    socket_bot: Bot, slack: SlackStandIn, ana: Person, general: Channel
) -> None:
    furnish(socket_bot)
    await socket_bot.start()
    await slack.happens.change_user(ana.user, real_name=EVIL)
    await ana.slash("/rag", HOLIDAY_QUESTION, general)
    await ana.slash("/rag-why", f"<@{ana.id}|{'x' * 50}> holiday-policy", general)
    await socket_bot.idle()
    for message in socket_bot.said(general):
        assert not pings(message)


async def test_a_follow_up_of_somebody_else_leans_on_nothing_that_only_the_first_could_see(
    socket_bot: Bot, slack: SlackStandIn, ana: Person, ben: Person, general: Channel
) -> None:
    """Item 8: each person has their own turns, and is answered with their own rights."""
    furnish(socket_bot)
    socket_bot.groups.groups = groups(socket_bot.folder, hr=["ana"])
    await socket_bot.start()
    asked = await ana.ask(general, SALARY_QUESTION)
    await socket_bot.idle()
    await ben.ask(general, "and of N5?", thread_ts=asked.ts)
    await socket_bot.idle()
    for message in ben.sees(general, asked.ts):
        assert SALARY not in visible_text(message)
    # What Ben asked was searched as he wrote it: Ana's question is not his topic.
    said = [visible_text(m) for m in ben.sees(general, asked.ts) if m.user != ben.id]
    assert not any("N4" in text and "N5" in text for text in said)


async def test_suggested_documents_are_those_that_the_channel_may_open(
    socket_bot: Bot, slack: SlackStandIn, ana: Person, general: Channel
) -> None:
    furnish(socket_bot)
    socket_bot.groups.groups = groups(socket_bot.folder, hr=["ana"])
    await socket_bot.start()
    await ana.ask(general, "Which salary bands does the holiday budget of Ribarroja name?")
    await socket_bot.idle()
    public = [visible_text(m) for m in socket_bot.said(general) if m.ephemeral_to is None]
    assert public
    assert not any("Salary bands" in text for text in public)
    assert not any("hr@x.com" in text for text in public)
