from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.audience import EXACT_UP_TO, Audiences
from bot.identity import Directory
from bot.incoming import Incoming, Surface
from bot.standin import Channel, Person, SlackStandIn
from bot.tenancy import Tenancy, who_am_i
from core.access.groups import GroupsFile
from core.domain.access import EVERYONE, Audience, AudienceKind, Principal
from core.errors import SlackError
from core.settings import Settings

AudienceOf = Callable[..., Awaitable[Audience]]


@pytest.fixture
async def parts(client: AsyncWebClient, settings: Settings) -> tuple[Directory, Audiences]:
    me = await who_am_i(client)
    tenancy = Tenancy(settings, me)
    directory = Directory(client, tenancy, GroupsFile(None))
    with_groups = settings.model_copy(update={"everyone_groups": ("staff",)})
    return directory, Audiences(client, directory, tenancy, me, with_groups)


@pytest.fixture
def audience_of(slack: SlackStandIn, parts: tuple[Directory, Audiences]) -> AudienceOf:
    directory, audiences = parts

    async def ask(person: Person, channel: Channel, surface: Surface = Surface.MENTION) -> Audience:
        incoming = Incoming(surface, slack.workspace.home_team.id, person.id, channel.id, "?", ts="1.0")
        return await audiences.of(incoming, await directory.person(person.id, "acme"))

    return ask


async def test_any_member_may_open_a_public_channel(slack: SlackStandIn, audience_of: AudienceOf) -> None:
    ana = slack.person("ana")
    audience = await audience_of(ana, slack.channel("general", ana))
    assert audience.kind is AudienceKind.TENANT
    assert audience.readers[0].principals == {EVERYONE, Principal.group("staff")}


async def test_a_private_channel_is_read_by_each_of_its_members_but_not_by_apps(
    slack: SlackStandIn, audience_of: AudienceOf
) -> None:
    slack.settings.members_page = 2
    people = [slack.person(name) for name in ("ana", "ben", "cleo", "dan", "eva")]
    gone = slack.person("gone", deleted=True)
    channel = slack.channel("hr", *people, slack.other_bot("deploys"), gone, private=True)
    audience = await audience_of(people[0], channel)
    assert audience.kind is AudienceKind.MEMBERS
    addresses = {
        principal.name for reader in audience.readers for principal in reader.principals if "@" in principal.name
    }
    assert addresses == {f"{name}@brisa-logistics.example" for name in ("ana", "ben", "cleo", "dan", "eva")}


async def test_a_guest_or_outsider_in_a_private_channel_counts(slack: SlackStandIn, audience_of: AudienceOf) -> None:
    ana, guest = slack.person("ana"), slack.person("gus", is_restricted=True)
    outsider = slack.person("eve", team=slack.workspace.add_team("Other"))
    audience = await audience_of(ana, slack.channel("hr", ana, guest, outsider, private=True))
    assert frozenset() in {reader.principals for reader in audience.readers}
    assert {Principal.user("gus@brisa-logistics.example")} in [reader.principals for reader in audience.readers]


async def test_in_a_very_large_private_channel_only_what_is_open_to_all_is_shown(
    slack: SlackStandIn, audience_of: AudienceOf
) -> None:
    people = [slack.person(f"p{number}") for number in range(EXACT_UP_TO + 1)]
    audience = await audience_of(people[0], slack.channel("all-hands", *people, private=True))
    assert audience.kind is AudienceKind.TENANT
    assert len(slack.calls_of("users.info")) == 1


async def test_a_group_conversation_is_read_by_each_of_its_members(
    slack: SlackStandIn, audience_of: AudienceOf
) -> None:
    ana, ben = slack.person("ana"), slack.person("ben")
    audience = await audience_of(ana, slack.group_dm(ana, ben))
    assert audience.kind is AudienceKind.MEMBERS
    assert len(audience.readers) == 2


@pytest.mark.parametrize("surface", [Surface.DIRECT, Surface.COMMAND])
async def test_a_direct_message_or_command_is_seen_by_its_author_alone(
    slack: SlackStandIn, audience_of: AudienceOf, surface: Surface
) -> None:
    ana = slack.person("ana")
    audience = await audience_of(ana, slack.channel("with-partner", ana, is_ext_shared=True), surface)
    assert audience.kind is AudienceKind.PERSON
    assert slack.calls_of("conversations.info") == []


@pytest.mark.parametrize(
    "facts", [{"is_ext_shared": True}, {"is_pending_ext_shared": True}, {"shared_team_ids": ["T1", "T0ELSEWHERE"]}]
)
@pytest.mark.parametrize("private", [True, False])
async def test_where_other_companies_read_or_will_read_nothing_is_shown(
    slack: SlackStandIn, audience_of: AudienceOf, facts: dict[str, Any], private: bool
) -> None:
    """A8."""
    ana = slack.person("ana")
    audience = await audience_of(ana, slack.channel("shared", ana, private=private, **facts))
    assert audience == Audience.refused("acme")


@pytest.mark.parametrize(
    "fault", [{"error": "channel_not_found"}, {"error": "internal_error"}, {"status": 503}, {"drop": True}]
)
async def test_where_slack_does_not_say_nothing_is_shown(
    slack: SlackStandIn, audience_of: AudienceOf, fault: dict[str, Any]
) -> None:
    """A8."""
    slack.faults.next("conversations.info", times=None, **fault)
    ana = slack.person("ana")
    assert (await audience_of(ana, slack.channel("general", ana))).kind is AudienceKind.REFUSED


async def test_when_a_members_list_cannot_be_had_it_is_an_error(slack: SlackStandIn, audience_of: AudienceOf) -> None:
    slack.faults.next("conversations.members", error="internal_error", times=None)
    ana = slack.person("ana")
    with pytest.raises(SlackError):
        await audience_of(ana, slack.channel("hr", ana, private=True))


async def test_members_are_remembered_until_somebody_joins_or_leaves(
    slack: SlackStandIn, audience_of: AudienceOf, parts: tuple[Directory, Audiences]
) -> None:
    ana, ben = slack.person("ana"), slack.person("ben")
    channel = slack.channel("hr", ana, private=True)
    for _ in range(2):
        assert len((await audience_of(ana, channel)).readers) == 1
    assert len(slack.calls_of("conversations.members")) == 1
    assert len(slack.calls_of("conversations.info")) == 2
    channel.members.append(ben.id)
    parts[1].forget(channel.id)
    assert len((await audience_of(ana, channel)).readers) == 2
