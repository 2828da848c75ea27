from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.identity import CACHE_SECONDS, Directory, Standing
from bot.standin import SlackStandIn
from bot.tenancy import Tenancy, who_am_i
from core.access.groups import GroupsFile
from core.domain.access import EVERYONE, Principal
from core.errors import SlackError
from core.settings import Settings


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def directory(client: AsyncWebClient, settings: Settings, clock: Clock, tmp_path: Path) -> Directory:
    people = tmp_path / "people.toml"
    people.write_text('[[person]]\nemail = "ana@x.example"\naliases = ["ana@old.example"]\ngroups = ["hr"]\n')
    return Directory(client, Tenancy(settings, await who_am_i(client)), GroupsFile(people), clock)


async def test_a_member_has_their_groups_whichever_address_slack_knows(
    slack: SlackStandIn, directory: Directory
) -> None:
    ana = slack.person("ana", email="Ana@OLD.example", locale="es-ES")
    person = await directory.person(ana.id, "acme")
    assert (person.standing, person.locale) == (Standing.MEMBER, "es-ES")
    assert person.reader.email == "ana@x.example"
    assert person.reader.principals == {
        EVERYONE,
        Principal.user("ana@x.example"),
        Principal.domain("x.example"),
        Principal.group("hr"),
    }


@pytest.mark.parametrize(
    ("facts", "standing"),
    [
        ({"is_restricted": True}, Standing.GUEST),
        ({"is_ultra_restricted": True}, Standing.GUEST),
        ({"deleted": True}, Standing.DELETED),
        ({"is_bot": True, "email": "ana@x.example"}, Standing.BOT),
        ({"is_stranger": True}, Standing.OUTSIDER),
        ({"email": None}, Standing.UNKNOWN),
        ({"email": " "}, Standing.UNKNOWN),
    ],
)
async def test_who_is_no_full_member_holds_at_most_what_names_them(
    slack: SlackStandIn, directory: Directory, facts: dict[str, Any], standing: Standing
) -> None:
    somebody = slack.person("ana", **{"email": "ana@x.example", **facts})
    person = await directory.person(somebody.id, "acme")
    assert person.standing is standing
    named = {Principal.user("ana@x.example"), Principal.group("hr")}
    assert person.reader.principals == (named if standing is Standing.GUEST else frozenset())


async def test_the_same_address_in_another_workspace_is_another_person(
    slack: SlackStandIn, directory: Directory
) -> None:
    other = slack.workspace.add_team("Other")
    twin = slack.person("ana", team=other, email="ana@x.example", is_stranger=False)
    person = await directory.person(twin.id, "acme")
    assert person.standing is Standing.OUTSIDER
    assert person.reader.principals == frozenset()


async def test_whom_slack_does_not_know_is_nobody(slack: SlackStandIn, directory: Directory) -> None:
    person = await directory.person("U0NOBODY", "acme")
    assert not person.is_known
    assert person.reader.principals == frozenset()


async def test_a_user_of_another_tenant_is_an_outsider(slack: SlackStandIn, directory: Directory) -> None:
    assert (await directory.person(slack.person("ana").id, "umbrella")).standing is Standing.OUTSIDER


async def test_slack_down_is_an_error_and_not_a_reader(slack: SlackStandIn, directory: Directory) -> None:
    slack.faults.next("users.info", error="internal_error", times=None)
    with pytest.raises(SlackError):
        await directory.person(slack.person("ana").id, "acme")
    assert await directory.locale(slack.person("ana").id) == ""


async def test_people_are_remembered_for_a_while(slack: SlackStandIn, directory: Directory, clock: Clock) -> None:
    ana = slack.person("ana")
    for _ in range(3):
        await directory.person(ana.id, "acme")
    assert len(slack.calls_of("users.info")) == 1
    clock.now = CACHE_SECONDS + 1
    await directory.person(ana.id, "acme")
    assert len(slack.calls_of("users.info")) == 2


async def test_an_event_makes_them_be_asked_for_again(slack: SlackStandIn, directory: Directory) -> None:
    ana, ben = slack.person("ana"), slack.person("ben")
    for person in (ana, ben):
        await directory.person(person.id, "acme")
    directory.forget(ana.id)
    ana.user.deleted = True
    assert (await directory.person(ana.id, "acme")).standing is Standing.DELETED
    assert (await directory.person(ben.id, "acme")).standing is Standing.MEMBER
    assert len(slack.calls_of("users.info")) == 3
    directory.forget_all()
    await directory.person(ben.id, "acme")
    assert len(slack.calls_of("users.info")) == 4


@pytest.mark.parametrize(
    ("teams", "asked", "tenant"),
    [
        ({}, ("T0OTHER", ""), None),
        ({"T1": "acme"}, ("T1", ""), "acme"),
        ({"T1": "acme"}, ("T2", "E1"), None),
        ({"E1": "acme"}, ("T2", "E1"), "acme"),
        ({"E1": "acme", "T2": "umbrella"}, ("T2", "E1"), "umbrella"),
        ({"T1": "acme"}, ("", ""), None),
    ],
)
async def test_a_workspace_belongs_to_the_tenant_that_settings_say(
    client: AsyncWebClient, settings: Settings, teams: dict[str, str], asked: tuple[str, str], tenant: str | None
) -> None:
    tenancy = Tenancy(settings.model_copy(update={"teams": teams}), await who_am_i(client))
    assert tenancy.tenant_of(*asked) == tenant


async def test_without_a_table_the_bots_own_workspace_is_the_tenant(
    slack: SlackStandIn, client: AsyncWebClient, settings: Settings
) -> None:
    assert Tenancy(settings, await who_am_i(client)).tenant_of(slack.workspace.home_team.id) == "acme"
