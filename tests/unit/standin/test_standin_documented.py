"""The stand-in held against what Slack wrote down: `api_ref`, the schema of blocks, recorded payloads."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.standin import Json, SlackStandIn
from bot.standin.block_checks import find_problems
from bot.standin.documented import block_schema_check, block_schema_problems, differences_from_reference

pytestmark = pytest.mark.shared

ROOT = Path(__file__).resolve().parents[3]
SLACK_DATA = Path(os.environ.get("TESTIGO_DATA") or ROOT.parent / "shared" / "data") / "slack"
PAYLOADS = SLACK_DATA / "bolt_python" / "payloads"


def recorded(name: str) -> Json:
    payload: Json = json.loads((PAYLOADS / f"{name}.json").read_text())
    return payload


def kinds(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Every place in a payload with the kind of value there; lists by their first item."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from kinds(item, f"{path}/{key}")
    elif isinstance(value, list):
        yield path, "list"
        if value:
            yield from kinds(value[0], f"{path}/0")
    elif value is not None:
        yield path, type(value).__name__


def missing(expected: Json, built: Json, *, ignoring: tuple[str, ...] = ()) -> list[str]:
    """Places of a recorded payload that the built one lacks, or that hold another kind of value."""
    have = dict(kinds(built))
    return [
        f"{path}: {kind}"
        for path, kind in kinds(expected)
        if have.get(path) != kind and not any(path.startswith(prefix) for prefix in ignoring)
    ]


def test_the_table_of_methods_agrees_with_the_reference() -> None:
    assert differences_from_reference(SLACK_DATA) == []


@pytest.mark.parametrize(
    "block",
    [
        {"type": "section", "text": {"type": "mrkdwn", "text": "x"}, "accessory": {"type": "button"}},
        {"type": "divider", "colour": "red"},
        {"type": "header"},
        {"type": "table", "rows": [[{"type": "raw_text"}]]},
    ],
)
def test_the_schema_finds_what_is_wrong_with_a_block(block: Json) -> None:
    assert block_schema_problems(SLACK_DATA)([block])


def test_blocks_that_the_checks_take_are_taken_by_the_schema() -> None:
    text = {"type": "plain_text", "text": "Good"}
    choice = {"text": text, "value": "1"}
    blocks: list[Json] = [
        {"type": "header", "text": text},
        {"type": "section", "text": {"type": "mrkdwn", "text": "*x*"}, "fields": [text]},
        {"type": "context", "elements": [{"type": "mrkdwn", "text": "x"}]},
        {
            "type": "actions",
            "elements": [{"type": "button", "text": text, "action_id": "a", "url": "https://x.example"}],
        },
        {"type": "markdown", "text": "**x**"},
        {"type": "table", "rows": [[{"type": "raw_text", "text": "x"}]], "column_settings": [{"align": "right"}]},
        {
            "type": "context_actions",
            "elements": [
                {
                    "type": "feedback_buttons",
                    "action_id": "f",
                    "positive_button": choice,
                    "negative_button": choice,
                }
            ],
        },
        {"type": "task_card", "task_id": "1", "title": "Reading", "status": "complete"},
        {"type": "plan", "title": "Plan", "tasks": []},
    ]
    assert find_problems(blocks) == []
    assert block_schema_problems(SLACK_DATA)(blocks) == []


async def test_calls_are_checked_against_the_schema_on_request(slack: SlackStandIn, client: AsyncWebClient) -> None:
    slack.web_api.add_check(block_schema_check(SLACK_DATA))
    channel = slack.channel("general")
    await client.chat_postMessage(channel=channel.id, text="x", blocks=[{"type": "divider"}])
    assert not slack.violations
    await client.chat_postMessage(channel=channel.id, text="x", blocks=[{"type": "divider", "colour": "red"}])
    [violation] = slack.violations
    assert violation.error == "schema" and "colour" in violation.detail


async def test_a_mention_has_everything_a_recorded_one_has(slack: SlackStandIn) -> None:
    ana = slack.person("ana")
    general = slack.channel("general", ana)
    [_, mention] = slack.deliveries_of(await ana.ask(general, "Hi there!"))
    [message] = slack.deliveries_of(await ana.post(general, "Hello World!"))
    body = recorded("app_mention__test_events_shared_channels__valid_event_body")
    # this workspace belongs to no enterprise, the recorded one does
    apart = ("/enterprise_id", "/authorizations/0/enterprise_id", "/authed_users")
    assert missing(body, mention.payload, ignoring=apart) == []
    assert missing(recorded("message__test_message__message_body"), message.payload, ignoring=apart) == []


async def test_a_reply_in_a_direct_message_has_what_a_recorded_one_has(slack: SlackStandIn) -> None:
    ana = slack.person("ana")
    first = await ana.dm("New chat")
    [delivery] = slack.deliveries_of(await ana.dm("When was Slack released?", thread_ts=first.ts))
    body = recorded("message__test_events_assistant__user_message_event_body")
    # `source_team`, `user_team` and `user_profile` came with a person of another workspace
    apart = (
        "/enterprise_id",
        "/authorizations/0/enterprise_id",
        "/event/source_team",
        "/event/user_team",
        "/event/user_profile",
    )
    assert missing(body, delivery.payload, ignoring=apart) == []


async def test_an_edit_and_a_deletion_have_what_recorded_ones_have(slack: SlackStandIn) -> None:
    ana = slack.person("ana")
    general = slack.channel("general", ana)
    message = await ana.post(general, "original message")
    [changed] = await ana.edit(message, "updated message")
    apart = ("/enterprise_id", "/authorizations/0/enterprise_id")
    assert (
        missing(
            recorded("message_message_changed__test_message_changed__event_payload"), changed.payload, ignoring=apart
        )
        == []
    )
    deleted = await ana.delete(message)
    assert deleted is not None
    body = recorded("message_message_deleted__test_message_deleted__event_payload")
    assert missing(body, deleted.payload, ignoring=apart) == []


async def test_a_join_an_opened_home_and_a_reaction_have_what_recorded_ones_have(slack: SlackStandIn) -> None:
    ana, luis = slack.person("ana"), slack.person("luis")
    general = slack.channel("general", ana)
    joined = await luis.join(general, inviter=ana)
    opened = await ana.open_home("messages")
    reacted = await ana.react(await ana.post(general, "x"), "eyes")
    started = await ana.start_assistant_thread(general)
    assert joined and opened and reacted and started
    # `authed_users` is what Slack sent before `authorizations`
    apart = ("/enterprise_id", "/authorizations", "/authed_users", "/event/assistant_thread/context/enterprise_id")
    for name, delivery in (
        ("member_joined_channel__test_events__join_event_body", joined),
        ("app_home_opened__test_events_org_apps__event_payload", opened),
        ("reaction_added__test_events_socket_mode__event_body", reacted),
        ("assistant_thread_started__test_events_assistant__thread_started_event_body", started),
    ):
        assert missing(recorded(name), delivery.payload, ignoring=apart) == [], name


async def test_a_command_a_pressed_button_and_a_submission_have_what_recorded_ones_have(
    slack: SlackStandIn, client: AsyncWebClient
) -> None:
    ana = slack.person("ana")
    general = slack.channel("general", ana)
    command = await ana.slash("/rag", "hello", general, wait=False)
    assert missing(recorded("slash_command__test_payload_utils__slash_command_body"), command.payload) == []
    button = {
        "type": "button",
        "action_id": "a",
        "value": "v",
        "text": {"type": "plain_text", "text": "Go", "emoji": True},
    }
    await client.chat_postEphemeral(
        channel=general.id, user=ana.id, text="x", blocks=[{"type": "actions", "elements": [button]}]
    )
    [message] = ana.sees(general)
    pressed = await ana.click(message, "a", wait=False)
    apart = ("/team/enterprise_id", "/team/enterprise_name")
    body = recorded("block_actions__test_block_actions__body")
    assert missing(body, pressed.payload, ignoring=apart) == []
    body = recorded("view_submission__test_view_submission__body")
    view = {
        key: body["view"][key]
        for key in ("type", "blocks", "private_metadata", "callback_id", "title", "close", "submit")
    }
    await client.views_open(trigger_id=pressed.payload["trigger_id"], view=view)
    submitted = await ana.submit_view({"maBWU": "test"}, wait=False)
    assert missing(body, submitted.payload, ignoring=apart) == []


def test_the_reference_knows_every_event_that_the_stand_in_sends() -> None:
    sent = """
    app_mention message.channels message.groups message.im message.mpim app_home_opened app_context_changed
    assistant_thread_started assistant_thread_context_changed agent_session_stopped member_joined_channel
    member_left_channel reaction_added user_change subteam_created subteam_members_changed subteam_updated
    channel_rename channel_shared channel_unshared
    """
    known = {path.stem for path in (SLACK_DATA / "api_ref" / "events").glob("*.json")}
    assert set(sent.split()) - known == set()
