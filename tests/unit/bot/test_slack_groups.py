from __future__ import annotations

from pathlib import Path

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.identity import Directory
from bot.slack_groups import CACHE_SECONDS, SlackGroups
from bot.standin import SlackStandIn
from bot.tenancy import Tenancy, who_am_i
from core.access.groups import GroupsFile
from core.domain.access import Principal
from core.errors import SlackError
from core.settings import Settings


@pytest.fixture
def clock() -> list[float]:
    return [0.0]


@pytest.fixture
def groups(client: AsyncWebClient, clock: list[float]) -> SlackGroups:
    return SlackGroups(client, lambda: clock[0])


async def test_a_user_group_is_held_under_slack_and_its_handle(slack: SlackStandIn, groups: SlackGroups) -> None:
    ana, ben = slack.person("ana"), slack.person("ben")
    slack.workspace.add_usergroup("hr-team", [ana.id])
    assert await groups.of(ana.id) == {"slack:hr-team"}
    assert await groups.of(ben.id) == frozenset()


async def test_it_is_remembered_until_its_time_is_over_or_it_is_dropped(
    slack: SlackStandIn, groups: SlackGroups, clock: list[float]
) -> None:
    ana = slack.person("ana")
    slack.workspace.add_usergroup("a", [ana.id])
    await groups.of(ana.id)
    await groups.of(ana.id)
    assert len(slack.calls_of("usergroups.list")) == 1
    slack.workspace.add_usergroup("b", [ana.id])
    groups.forget()
    assert await groups.of(ana.id) == {"slack:a", "slack:b"}
    clock[0] += CACHE_SECONDS
    await groups.of(ana.id)
    assert len(slack.calls_of("usergroups.list")) == 3


async def test_a_disabled_group_is_none(slack: SlackStandIn, groups: SlackGroups) -> None:
    ana = slack.person("ana")
    group = slack.workspace.add_usergroup("old", [ana.id])
    await slack.happens.disable_usergroup(group)
    assert await groups.of(ana.id) == frozenset()


async def test_when_slack_does_not_say_nothing_may_be_shown(slack: SlackStandIn, groups: SlackGroups) -> None:
    slack.faults.next("usergroups.list", error="fatal_error", times=None)
    with pytest.raises(SlackError):
        await groups.of("U1")


@pytest.mark.parametrize("error", ["missing_scope", "paid_teams_only"])
async def test_a_workspace_without_user_groups_has_none(slack: SlackStandIn, groups: SlackGroups, error: str) -> None:
    slack.faults.next("usergroups.list", error=error, times=None)
    assert await groups.of("U1") == frozenset()


async def test_a_person_holds_what_the_aliases_make_of_their_user_groups(
    slack: SlackStandIn, settings: Settings, client: AsyncWebClient, groups: SlackGroups, tmp_path: Path
) -> None:
    (tmp_path / "groups.csv").write_text("group,member\nstaff,hr\n")
    file = GroupsFile(tmp_path / "groups.csv", {"hr": "slack:hr-team", "confluence-hr": "hr"})
    ana = slack.person("ana")
    slack.workspace.add_usergroup("hr-team", [ana.id])
    directory = Directory(client, Tenancy(settings, await who_am_i(client)), file, slack_groups=groups)
    held = (await directory.person(ana.id, "acme")).reader.principals
    assert {Principal.group(g) for g in ("slack:hr-team", "hr", "confluence-hr", "staff")} <= held
