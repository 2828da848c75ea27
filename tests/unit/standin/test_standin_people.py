"""What people do and see, and what the bot is told of it."""

from collections.abc import Iterable

import pytest
import yaml

from bot.standin import (
    AppConfig,
    Delivery,
    Json,
    Message,
    NotInTimeError,
    SlackStandIn,
    escape,
    links,
    pings,
    visible_text,
)
from bot.standin.rendering import markdown_text, mrkdwn_text


def names(deliveries: Iterable[Delivery]) -> list[str]:
    return [str(delivery.event.get("subtype") or delivery.name) for delivery in deliveries]


async def test_an_edit_that_adds_a_mention_sends_a_mention_that_says_it_was_edited(slack: SlackStandIn) -> None:
    ana = slack.person("ana")
    general = slack.channel("general", ana)
    message = await ana.post(general, "how many days?")
    changed, mention = await ana.edit(message, f"{slack.mention} how many days?")
    assert names([changed, mention]) == ["message_changed", "app_mention"]
    assert changed.event["previous_message"]["text"] == "how many days?"
    assert changed.event["message"]["text"] == mention.event["text"]
    assert mention.event["edited"]["user"] == ana.id
    assert mention.event["ts"] == message.ts


async def test_an_unfurl_is_a_change_in_which_the_text_is_the_same(slack: SlackStandIn) -> None:
    ana = slack.person("ana")
    message = await ana.dm("see <https://x.example>")
    delivery = await slack.happens.unfurl(message)
    assert delivery is not None
    assert delivery.event["message"]["text"] == delivery.event["previous_message"]["text"]
    assert "edited" not in delivery.event["message"]
    assert delivery.event["message"]["attachments"]


async def test_deleted_messages_are_gone_for_everybody(slack: SlackStandIn) -> None:
    ana = slack.person("ana")
    general = slack.channel("general", ana)
    message = await ana.post(general, "oops")
    delivery = await ana.delete(message)
    assert delivery is not None and delivery.event["deleted_ts"] == message.ts
    assert ana.sees(general) == []


async def test_other_bots_write_with_their_bot_id(slack: SlackStandIn) -> None:
    jira = slack.other_bot("jira")
    general = slack.channel("general", jira)
    message = await jira.post(general, f"{slack.mention} a ticket", subtype="bot_message")
    first = slack.deliveries_of(message)[0]
    assert first.event["bot_id"] == jira.user.bot_id != slack.app.bot_id
    assert first.event["subtype"] == "bot_message"


async def test_a_stranger_in_a_shared_channel_comes_from_another_team(slack: SlackStandIn) -> None:
    partner = slack.workspace.add_team("Partner")
    eva = slack.person("eva", team=partner)
    shared = slack.channel("partners", eva)
    await slack.happens.share_channel(shared, partner)
    delivery = slack.deliveries_of(await eva.ask(shared, "hello"))[0]
    assert delivery.payload["is_ext_shared_channel"] is True
    assert delivery.payload["team_id"] == slack.workspace.home_team.id
    assert delivery.event["user_team"] == partner.id
    assert eva.user.is_stranger and slack.workspace.user_by_email(str(eva.user.email)) is None


async def test_changes_of_people_groups_and_channels_are_told(slack: SlackStandIn) -> None:
    ana, luis = slack.person("ana"), slack.person("luis")
    general = slack.channel("general", ana)
    await slack.happens.change_user(ana.user, email="new@x.example")
    group = await slack.happens.create_usergroup("hr", [ana.user])
    await slack.happens.set_usergroup_members(group, [luis.user])
    await luis.join(general)
    await ana.leave(general)
    await slack.happens.rename_channel(general, "all")
    await slack.happens.archive_channel(general, ana.user)
    assert names(slack.deliveries) == [
        "user_change",
        "subteam_created",
        "subteam_members_changed",
        "subteam_updated",
        "member_joined_channel",
        "member_left_channel",
        "channel_rename",
        "channel_archive",
    ]
    changed = slack.deliveries[2].event
    assert (changed["added_users"], changed["removed_users"]) == ([luis.id], [ana.id])
    assert slack.deliveries[0].event["user"]["profile"]["email"] == "new@x.example"
    assert general.members == [slack.app.bot_user_id, luis.id]


async def test_nobody_writes_where_they_are_not(slack: SlackStandIn) -> None:
    general = slack.channel("general", slack.person("ana"))
    with pytest.raises(LookupError, match="luis is not in #general"):
        await slack.person("luis").post(general, "hi")


async def test_a_listener_hears_once_of_all_changes_of_a_moment(slack: SlackStandIn) -> None:
    heard: list[int] = []
    ana = slack.person("ana")
    end = slack.subscribe(lambda: heard.append(len(ana.sees(ana.direct_channel()))))
    await ana.dm("one")
    await ana.dm("two")
    await slack.wait_until(lambda: heard == [2])
    end()


async def test_what_was_waited_for_in_vain_is_told_with_what_was_there(slack: SlackStandIn) -> None:
    general = slack.channel("general")
    with pytest.raises(NotInTimeError, match="The bot said"):
        await slack.wait_for_message(general, "never", 0.05)


def test_a_manifest_gives_scopes_events_commands_and_features() -> None:
    manifest = yaml.safe_load(
        """
        features:
          bot_user: {display_name: testigo}
          app_home: {home_tab_enabled: true, messages_tab_enabled: true}
          slash_commands: [{command: /rag}]
          agent_view: {agent_description: x}
        oauth_config: {scopes: {bot: ["chat:write", "app_mentions:read"]}}
        settings: {event_subscriptions: {bot_events: [app_mention, message.im]}}
        """
    )
    app = AppConfig.from_manifest(manifest)
    assert app.scopes == {"chat:write", "app_mentions:read"}
    assert app.commands == frozenset({"/rag"})
    assert app.home_tab and app.messages_tab and app.is_agent
    assert app.is_subscribed("message.im") and not app.is_subscribed("message.channels")


def message(text: str = "", *blocks: Json) -> Message:
    return Message("1.0", "C1", "U1", text, "T1", blocks=list(blocks))


def test_text_is_read_without_its_markup() -> None:
    assert mrkdwn_text("*bold* _it_ a*b <https://x.example|the page> &lt;3 &amp; <@U1|ana>") == (
        "bold it a*b the page <3 & ana"
    )
    assert markdown_text("# Title\n\n**23** days [1](https://x.example/a)\n\n- one\n- two\n\n```\ncode\n```") == (
        "Title\n23 days 1\none\ntwo\ncode"
    )


def test_blocks_are_what_is_read_and_text_only_where_there_are_none() -> None:
    table = {"type": "table", "rows": [[{"type": "raw_text", "text": "a"}, {"type": "raw_text", "text": "b"}]]}
    section = {
        "type": "section",
        "text": {"type": "mrkdwn", "text": "*x*"},
        "fields": [{"type": "mrkdwn", "text": "y"}],
    }
    assert visible_text(message("fallback", table, section)) == "a | b\nx\ny"
    assert visible_text(message("a &amp; b")) == "a & b"


def test_pings_are_found_where_slack_would_send_them_and_not_in_escaped_text() -> None:
    loud = {"type": "section", "text": {"type": "mrkdwn", "text": "<!channel> <!here> <@U123> <!subteam^S1>"}}
    assert pings(message("", loud)) == ["<!channel>", "<!here>", "<@U123>", "<!subteam^S1>"]
    quiet = {"type": "section", "text": {"type": "mrkdwn", "text": escape("<!channel> <!here> <@U123> <!subteam^S1>")}}
    plain = {"type": "section", "text": {"type": "plain_text", "text": "<!channel>"}}
    assert pings(message("", quiet, plain)) == []
    markdown = {"type": "markdown", "text": "hello <!here>"}
    assert pings(message("", markdown)) == ["<!here>"]


def test_links_open_exactly_the_address_that_was_meant() -> None:
    address = "https://x.example/a_(b)|c'd?q=1&r=é"
    button = {
        "type": "actions",
        "elements": [{"type": "button", "url": address, "text": {"type": "plain_text", "text": "Open"}}],
    }
    section = {"type": "section", "text": {"type": "mrkdwn", "text": "<https://x.example/?a=1&amp;b=2|a &amp; b>"}}
    markdown = {"type": "markdown", "text": "see [the page](<https://x.example/a_(b)>) now"}
    assert links(message("", button, section, markdown)) == [
        ("https://x.example/?a=1&b=2", "a & b"),
        ("https://x.example/a_(b)", "the page"),
        (address, "Open"),
    ]
