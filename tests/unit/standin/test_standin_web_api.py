"""The Web API of the stand-in, called by the real `AsyncWebClient`."""

from dataclasses import replace

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.standin import AppConfig, SlackStandIn, visible_text
from bot.standin.api import HANDLERS
from bot.standin.methods import METHODS


async def error_of(call: object) -> str:
    with pytest.raises(SlackApiError) as caught:
        await call  # type: ignore[misc]  # any awaitable of the SDK
    return str(caught.value.response["error"])


def test_every_method_of_the_table_has_an_answer() -> None:
    assert HANDLERS.keys() == METHODS.keys()


async def test_auth_test_says_whose_token_it_is(slack: SlackStandIn, client: AsyncWebClient) -> None:
    response = await client.auth_test()
    assert response["user_id"] == slack.app.bot_user_id
    assert response["bot_id"] == slack.app.bot_id
    assert response["team_id"] == slack.workspace.home_team.id
    assert "chat:write" in response.headers["x-oauth-scopes"]


async def test_a_wrong_token_is_invalid_auth(slack: SlackStandIn) -> None:
    stranger = AsyncWebClient(token="xoxb-wrong", base_url=slack.base_url)
    assert await error_of(stranger.auth_test()) == "invalid_auth"


async def test_the_bot_token_opens_no_socket_and_the_app_token_posts_nothing(
    slack: SlackStandIn, client: AsyncWebClient
) -> None:
    assert await error_of(client.apps_connections_open(app_token=slack.app.bot_token)) == "not_allowed_token_type"
    assert await error_of(client.users_list(token=slack.app.app_token)) == "not_allowed_token_type"
    assert (await client.apps_connections_open(app_token=slack.app.app_token))["url"].startswith("ws://127.0.0.1:")


async def test_a_missing_scope_is_named_with_what_was_provided() -> None:
    app = AppConfig(scopes=frozenset({"chat:write", "channels:read"}))
    async with SlackStandIn(app) as slack:
        channel = slack.channel("private", slack.person("ana"), private=True)
        client = AsyncWebClient(token=app.bot_token, base_url=slack.base_url)
        with pytest.raises(SlackApiError) as caught:
            await client.conversations_info(channel=channel.id)
        assert caught.value.response["error"] == "missing_scope"
        assert caught.value.response["needed"] == "groups:read"
        assert caught.value.response["provided"] == "channels:read,chat:write"
        assert [violation.error for violation in slack.violations] == ["missing_scope"]


async def test_an_absent_argument_is_invalid_arguments_and_an_empty_one_is_not_found(
    slack: SlackStandIn, client: AsyncWebClient
) -> None:
    with pytest.raises(SlackApiError) as caught:
        await client.api_call("conversations.info", params={})
    assert caught.value.response["error"] == "invalid_arguments"
    assert "missing required field: channel" in caught.value.response["response_metadata"]["messages"][0]
    assert await error_of(client.conversations_info(channel="")) == "channel_not_found"
    assert await error_of(client.conversations_info(channel="C0NOWHERE")) == "channel_not_found"


async def test_an_argument_that_the_method_does_not_have_is_a_violation_but_no_error(
    slack: SlackStandIn, client: AsyncWebClient
) -> None:
    channel = slack.channel("general")
    await client.chat_postMessage(channel=channel.id, text="hello", colour="red", team_id="T1")
    assert [str(violation) for violation in slack.violations] == ["chat.postMessage: unknown_argument: colour"]


async def test_an_unknown_method_is_told_so(slack: SlackStandIn, client: AsyncWebClient) -> None:
    assert await error_of(client.api_call("chat.shout")) == "unknown_method"
    assert slack.violations[0].method == "chat.shout"


@pytest.mark.parametrize("encoding", ["json", "data", "params"])
async def test_each_encoding_of_the_sdk_is_read(encoding: str, slack: SlackStandIn, client: AsyncWebClient) -> None:
    channel = slack.channel("general")
    block = '[{"type":"section","text":{"type":"mrkdwn","text":"*hello*"}}]'
    arguments = {"channel": channel.id, "text": "fallback", "blocks": block, "unfurl_links": "0"}
    if encoding == "json":
        await client.api_call("chat.postMessage", json=arguments)
    elif encoding == "data":
        await client.api_call("chat.postMessage", data=arguments)
    else:
        await client.api_call("chat.postMessage", params=arguments)
    [message] = slack.bot_messages(channel)
    assert visible_text(message) == "hello"
    assert message.unfurl_links is False
    assert not slack.violations


async def test_a_body_that_is_no_json_is_refused(slack: SlackStandIn) -> None:
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {slack.app.bot_token}"}
    async with (
        aiohttp.ClientSession() as session,
        session.post(f"{slack.base_url}chat.postMessage", data="{", headers=headers) as response,
    ):
        assert (await response.json())["error"] == "invalid_json"


async def test_a_message_is_posted_updated_linked_and_deleted(slack: SlackStandIn, client: AsyncWebClient) -> None:
    channel = slack.channel("general")
    posted = await client.chat_postMessage(
        channel="#general", text="one", metadata={"event_type": "a", "event_payload": {}}
    )
    reply = await client.chat_postMessage(channel=channel.id, text="reply", thread_ts=posted["ts"])
    updated = await client.chat_update(channel=channel.id, ts=posted["ts"], text="two")
    assert updated["message"]["text"] == "two"
    assert updated["message"]["edited"]["user"] == slack.app.bot_user_id
    link = await client.chat_getPermalink(channel=channel.id, message_ts=reply["ts"])
    digits = reply["ts"].replace(".", "")
    assert link["permalink"].endswith(f"/archives/{channel.id}/p{digits}?thread_ts={posted['ts']}&cid={channel.id}")
    await client.chat_delete(channel=channel.id, ts=posted["ts"])
    assert await error_of(client.chat_update(channel=channel.id, ts=posted["ts"], text="3")) == "message_not_found"
    assert not slack.violations


async def test_timestamps_are_unique_and_increase_though_the_clock_stands_still(
    still_slack: SlackStandIn, still_client: AsyncWebClient
) -> None:
    channel = still_slack.channel("general")
    stamps = [(await still_client.chat_postMessage(channel=channel.id, text="x"))["ts"] for _ in range(5)]
    assert stamps == sorted(set(stamps))


async def test_the_bot_changes_only_its_own_messages(slack: SlackStandIn, client: AsyncWebClient) -> None:
    ana = slack.person("ana")
    channel = slack.channel("general", ana)
    message = await ana.post(channel, "mine")
    assert await error_of(client.chat_update(channel=channel.id, ts=message.ts, text="x")) == "cant_update_message"
    assert await error_of(client.chat_delete(channel=channel.id, ts=message.ts)) == "cant_delete_message"


async def test_blocks_that_an_update_does_not_give_stay(slack: SlackStandIn, client: AsyncWebClient) -> None:
    channel = slack.channel("general")
    divider = [{"type": "divider"}]
    posted = await client.chat_postMessage(channel=channel.id, text="one", blocks=divider)
    await client.chat_update(channel=channel.id, ts=posted["ts"], text="two")
    [message] = slack.bot_messages(channel)
    assert [block["type"] for block in message.blocks] == ["divider"]
    await client.chat_update(channel=channel.id, ts=posted["ts"], text="three", blocks=[])
    assert message.blocks == []


@pytest.mark.parametrize(
    ("method", "arguments", "error"),
    [
        ("chat.postMessage", {"text": ""}, "no_text"),
        ("chat.postMessage", {"text": "  \n"}, "no_text"),
        ("chat.postMessage", {"text": "x" * 40_001}, "msg_too_long"),
        ("chat.postMessage", {"markdown_text": "x" * 12_001}, "msg_too_long"),
        ("chat.postMessage", {"markdown_text": "a", "text": "b"}, "markdown_text_conflict"),
        ("chat.postMessage", {"text": "x", "metadata": {"event_type": "x"}}, "invalid_metadata_format"),
        ("chat.postMessage", {"text": "x", "attachments": [{}] * 101}, "too_many_attachments"),
        ("chat.postMessage", {"text": "x", "thread_ts": "yesterday"}, "invalid_arguments"),
        ("chat.postMessage", {"text": "x", "blocks": "nonsense"}, "invalid_arguments"),
        ("chat.postEphemeral", {"text": "", "user": "U0TESTIGO"}, "no_text"),
        ("reactions.add", {"name": "not an emoji", "timestamp": "1.0"}, "invalid_name"),
    ],
)
async def test_what_can_never_be_right_is_refused_and_recorded(
    method: str, arguments: dict[str, object], error: str, slack: SlackStandIn, client: AsyncWebClient
) -> None:
    channel = slack.channel("general")
    assert await error_of(client.api_call(method, json={"channel": channel.id, **arguments})) == error
    assert [violation.error for violation in slack.violations] == [error]


async def test_an_update_takes_four_thousand_characters(slack: SlackStandIn, client: AsyncWebClient) -> None:
    channel = slack.channel("general")
    ts = (await client.chat_postMessage(channel=channel.id, text="one"))["ts"]
    await client.chat_update(channel=channel.id, ts=ts, text="x" * 4000)
    assert await error_of(client.chat_update(channel=channel.id, ts=ts, text="x" * 4001)) == "msg_too_long"


async def test_a_refusal_by_the_state_of_things_is_no_violation(slack: SlackStandIn, client: AsyncWebClient) -> None:
    hidden = slack.channel("hidden", slack.person("ana"), private=True, with_bot=False)
    assert await error_of(client.chat_postMessage(channel=hidden.id, text="x")) == "channel_not_found"
    archived = slack.channel("old", is_archived=True)
    assert await error_of(client.chat_postMessage(channel=archived.id, text="x")) == "is_archived"
    assert not slack.violations


async def test_posting_where_the_bot_is_not_needs_a_scope_of_its_own() -> None:
    app = AppConfig()
    for scopes, answer in ((app.scopes, "ok"), (app.scopes - {"chat:write.public"}, "not_in_channel")):
        async with SlackStandIn(replace(app, scopes=scopes)) as slack:
            client = AsyncWebClient(token=app.bot_token, base_url=slack.base_url)
            channel = slack.channel("elsewhere", slack.person("ana"), with_bot=False)
            if answer == "ok":
                await client.chat_postMessage(channel=channel.id, text="x")
            else:
                assert await error_of(client.chat_postMessage(channel=channel.id, text="x")) == answer


async def test_an_ephemeral_message_is_seen_by_one_and_found_by_nobody(
    slack: SlackStandIn, client: AsyncWebClient
) -> None:
    ana, luis, eva = slack.person("ana"), slack.person("luis"), slack.person("eva")
    channel = slack.channel("general", ana, luis)
    ts = (await client.chat_postEphemeral(channel=channel.id, user=ana.id, text="psst"))["message_ts"]
    assert [message.text for message in ana.sees(channel)] == ["psst"]
    assert luis.sees(channel) == []
    assert await error_of(client.chat_update(channel=channel.id, ts=ts, text="x")) == "message_not_found"
    refused = client.chat_postEphemeral(channel=channel.id, user=eva.id, text="psst")
    assert await error_of(refused) == "user_not_in_channel"


async def test_people_are_found_by_id_and_by_email_whatever_its_case(
    slack: SlackStandIn, client: AsyncWebClient
) -> None:
    anna = slack.person("anna.rossi", email="anna.rossi@x.com", locale="it-IT", is_restricted=True)
    found = await client.users_lookupByEmail(email="Anna.Rossi@X.com")
    assert found["user"]["id"] == anna.id
    shown = (await client.users_info(user=anna.id, include_locale=True))["user"]
    assert (shown["locale"], shown["is_restricted"], shown["profile"]["email"]) == ("it-IT", True, "anna.rossi@x.com")
    assert await error_of(client.users_info(user="U0NOBODY")) == "user_not_found"
    await slack.happens.change_user(anna.user, deleted=True)
    assert await error_of(client.users_lookupByEmail(email="anna.rossi@x.com")) == "users_not_found"


async def test_emails_are_left_out_without_the_scope_for_them() -> None:
    app = AppConfig(scopes=frozenset({"users:read"}))
    async with SlackStandIn(app) as slack:
        client = AsyncWebClient(token=app.bot_token, base_url=slack.base_url)
        shown = (await client.users_info(user=slack.person("ana").id))["user"]
        assert "email" not in shown["profile"]


async def test_members_and_users_come_in_pages(slack: SlackStandIn, client: AsyncWebClient) -> None:
    people = [slack.person(f"p{number}") for number in range(7)]
    channel = slack.channel("general", *people)
    seen: list[str] = []
    async for page in await client.conversations_members(channel=channel.id, limit=3):
        assert len(page["members"]) <= 3
        seen += page["members"]
    assert seen == channel.members
    users = [user["id"] async for page in await client.users_list(limit=2) for user in page["members"]]
    assert users == list(slack.workspace.users)
    assert await error_of(client.users_list(cursor="nonsense")) == "invalid_cursor"


async def test_a_long_thread_is_read_in_pages_of_fifteen(slack: SlackStandIn, client: AsyncWebClient) -> None:
    slack.settings.replies_page = 15
    ana = slack.person("ana")
    channel = slack.channel("general", ana)
    first = await ana.post(channel, "question")
    for number in range(40):
        await ana.post(channel, f"reply {number}", thread_ts=first.ts)
    pages = [
        page.data["messages"]  # the SDK hands out one response object for all pages
        async for page in await client.conversations_replies(channel=channel.id, ts=first.ts, limit=200)
    ]
    assert [len(page) for page in pages] == [15, 15, 11]
    assert pages[0][0]["reply_count"] == 40
    texts = [message["text"] for page in pages for message in page]
    assert texts == ["question", *(f"reply {number}" for number in range(40))]
    assert await error_of(client.conversations_replies(channel=channel.id, ts="1.1")) == "thread_not_found"


async def test_history_is_newest_first_without_replies(slack: SlackStandIn, client: AsyncWebClient) -> None:
    ana = slack.person("ana")
    channel = slack.channel("general", ana)
    first = await ana.post(channel, "one")
    await ana.post(channel, "reply", thread_ts=first.ts)
    second = await ana.post(channel, "two")
    history = await client.conversations_history(channel=channel.id, limit=10)
    assert [message["text"] for message in history["messages"]] == ["two", "one"]
    newer = await client.conversations_history(channel=channel.id, oldest=first.ts)
    assert [message["ts"] for message in newer["messages"]] == [second.ts]


async def test_a_channel_tells_its_kind_and_with_whom_it_is_shared(slack: SlackStandIn, client: AsyncWebClient) -> None:
    ana, luis = slack.person("ana"), slack.person("luis")
    private = slack.channel("secret", ana, private=True)
    shared = slack.channel("partners", ana, is_ext_shared=True)
    pending = slack.channel("soon", ana, is_pending_ext_shared=True)
    facts = {}
    for channel in (private, shared, pending, ana.direct_channel(), slack.group_dm(ana, luis)):
        facts[channel.id] = (await client.conversations_info(channel=channel.id))["channel"]
    assert facts[private.id]["is_private"] and facts[private.id]["is_group"]
    assert facts[shared.id]["is_ext_shared"]
    assert facts[pending.id]["is_pending_ext_shared"] and not facts[pending.id]["is_ext_shared"]
    assert facts[ana.direct_channel().id]["user"] == ana.id
    assert facts[slack.group_dm(ana, luis).id]["is_mpim"]


async def test_opening_a_conversation_finds_the_same_one_again(slack: SlackStandIn, client: AsyncWebClient) -> None:
    ana = slack.person("ana")
    opened = await client.conversations_open(users=[ana.id])
    assert opened["channel"]["id"] == ana.direct_channel().id
    assert await error_of(client.conversations_open(users="U0NOBODY")) == "user_not_found"


async def test_user_groups_and_their_members_are_listed(slack: SlackStandIn, client: AsyncWebClient) -> None:
    ana, luis = slack.person("ana"), slack.person("luis")
    group = await slack.happens.create_usergroup("hr", [ana.user])
    await slack.happens.set_usergroup_members(group, [ana.user, luis.user])
    listed = await client.usergroups_list(include_users=True)
    assert listed["usergroups"][0]["users"] == [ana.id, luis.id]
    assert (await client.usergroups_users_list(usergroup=group.id))["users"] == [ana.id, luis.id]
    await slack.happens.disable_usergroup(group)
    assert (await client.usergroups_list())["usergroups"] == []
    assert await error_of(client.usergroups_users_list(usergroup=group.id)) == "no_such_subteam"


async def test_reactions_are_put_and_taken_once(slack: SlackStandIn, client: AsyncWebClient) -> None:
    ana = slack.person("ana")
    channel = slack.channel("general", ana)
    message = await ana.post(channel, "hi")
    place = {"channel": channel.id, "timestamp": message.ts, "name": "eyes"}
    await client.reactions_add(**place)
    assert message.reactions == {"eyes": [slack.app.bot_user_id]}
    assert await error_of(client.reactions_add(**place)) == "already_reacted"
    await client.reactions_remove(**place)
    assert await error_of(client.reactions_remove(**place)) == "no_reaction"


async def test_the_calls_tell_which_scopes_were_used(slack: SlackStandIn, client: AsyncWebClient) -> None:
    channel = slack.channel("secret", private=True)
    await client.conversations_members(channel=channel.id)
    await client.chat_postMessage(channel=channel.id, text="x")
    assert slack.scopes_used == {"groups:read", "chat:write"}


async def test_a_team_and_a_bot_describe_themselves(slack: SlackStandIn, client: AsyncWebClient) -> None:
    assert (await client.team_info())["team"]["id"] == slack.workspace.home_team.id
    assert (await client.bots_info(bot=slack.app.bot_id))["bot"]["user_id"] == slack.app.bot_user_id
    other = slack.other_bot("jira")
    assert (await client.bots_info(bot=str(other.user.bot_id)))["bot"]["name"] == "jira"
    assert await error_of(client.bots_info(bot="B0NONE")) == "bot_not_found"
