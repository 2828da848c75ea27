"""Slack's user groups, from the event that changes one to the next answer."""

from __future__ import annotations

from bot.standin import Channel, Person, SlackStandIn, visible_text
from core.access.groups import Groups, with_aliases
from tests.e2e.conftest import Bot
from tests.e2e.real import SALARY, SALARY_QUESTION, furnish, recorded


async def test_who_leaves_a_user_group_loses_its_documents_with_the_next_question(
    socket_bot: Bot, slack: SlackStandIn, ana: Person, ben: Person
) -> None:
    furnish(socket_bot)
    socket_bot.groups.groups = with_aliases(Groups(), {"hr": "slack:people-team"})
    await socket_bot.start()
    group = await slack.happens.create_usergroup("people-team", [ana.user])
    await slack.settled()
    await ana.dm(SALARY_QUESTION)
    await socket_bot.idle()
    assert SALARY in visible_text(socket_bot.said(ana.direct_channel())[-1])
    await slack.happens.set_usergroup_members(group, [ben.user])
    await slack.settled()
    await ana.dm(SALARY_QUESTION)
    await ben.dm(SALARY_QUESTION)
    await socket_bot.idle()
    assert SALARY not in visible_text(socket_bot.said(ana.direct_channel())[-1])
    assert SALARY in visible_text(socket_bot.said(ben.direct_channel())[-1])


async def test_when_the_user_groups_cannot_be_read_nothing_is_shown_and_that_is_recorded(
    socket_bot: Bot, slack: SlackStandIn, ana: Person, general: Channel
) -> None:
    """D12."""
    furnish(socket_bot)
    await socket_bot.start()
    slack.faults.next("usergroups.list", error="fatal_error", times=None)
    await ana.ask(general, SALARY_QUESTION)
    await slack.wait_for_call("chat.postEphemeral")
    await socket_bot.idle()
    assert {m.ephemeral_to for m in socket_bot.said(general)} == {ana.id}
    assert [e["why"] for e in recorded(socket_bot)] == ["permission_check"]
