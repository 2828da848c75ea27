"""The manifest asks for what the code uses, and for no more."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from bot.app import LISTENERS
from bot.standin import METHODS
from bot.standin.methods import TokenKind
from tests.conftest import ROOT

Json = dict[str, Any]

MANIFEST: Json = yaml.safe_load((ROOT / "manifest.yml").read_text(encoding="utf-8"))
SCOPES = frozenset(MANIFEST["oauth_config"]["scopes"]["bot"])
EVENTS = frozenset(MANIFEST["settings"]["event_subscriptions"]["bot_events"])
COMMANDS = frozenset(command["command"] for command in MANIFEST["features"]["slash_commands"])

NOT_SERVED = ("standin", "cli", "main.py")
"""What is no part of the running bot; `doctor` calls auth.test, which needs no scope."""

KINDS_LOOKED_AT = {
    "conversations.history": ("im",),
    "conversations.info": ("channels", "groups", "mpim"),
    "conversations.members": ("channels", "groups", "mpim"),
    "conversations.replies": ("channels", "groups", "im", "mpim"),
}
"""The kinds of conversation for which the code calls these; of a direct message nothing needs to be looked up."""

EVENT_SCOPES = {
    "agent_session_stopped": {"chat:write"},
    "app_context_changed": {"assistant:write"},
    "app_mention": {"app_mentions:read"},
    "channel_shared": {"channels:read", "groups:read"},
    "channel_unshared": {"channels:read", "groups:read"},
    "member_joined_channel": {"channels:read", "groups:read", "mpim:read"},
    "member_left_channel": {"channels:read", "groups:read"},
    "message.channels": {"channels:history"},
    "message.groups": {"groups:history"},
    "message.im": {"im:history"},
    "message.mpim": {"mpim:history"},
    "subteam_created": {"usergroups:read"},
    "subteam_members_changed": {"usergroups:read"},
    "subteam_updated": {"usergroups:read"},
    "team_join": {"users:read"},
    "user_change": {"users:read"},
}
"""Scopes of the events, from their pages; the others need none."""

OTHER_USES = {
    "commands": "slash commands",
    "users:read.email": "the e-mail address in the answer of users.info",
}


def methods_called() -> Iterator[str]:
    """The Web API methods that the running bot calls, from its source."""
    by_name = {name.replace(".", "_"): name for name in METHODS}
    for path in (ROOT / "bot").rglob("*.py"):
        if path.relative_to(ROOT / "bot").parts[0] in NOT_SERVED:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in by_name:
                yield by_name[node.func.attr]
            elif isinstance(node, ast.Attribute) and node.attr == "api_call":
                raise AssertionError(f"{path} calls a method by name: this test does not see which")


def scopes_of_calls() -> set[str]:
    needed: set[str] = set()
    for name in methods_called():
        method = METHODS[name]
        if method.token is TokenKind.APP:
            continue  # its scope is that of the app-level token, which no manifest names
        needed |= method.scopes
        if method.conversation_scope is not None:
            needed |= {f"{kind}:{method.conversation_scope}" for kind in KINDS_LOOKED_AT[name]}
    return needed


def test_the_code_calls_what_this_test_believes() -> None:
    assert {"chat.postMessage", "chat.update", "users.info", "conversations.info"} <= set(methods_called())


def test_the_scopes_are_those_of_the_calls_and_events_and_no_more() -> None:
    of_events = set().union(*(EVENT_SCOPES.get(event, set()) for event in EVENTS))
    assert scopes_of_calls() | of_events | set(OTHER_USES) == SCOPES


def test_every_subscribed_event_has_a_listener() -> None:
    heard = {event for listener in LISTENERS for event in getattr(listener, "EVENTS", ())}
    assert {event.partition(".")[0] for event in EVENTS} <= heard


def test_the_commands_are_those_that_are_listened_to() -> None:
    heard = [command for listener in LISTENERS for command in getattr(listener, "COMMANDS", ())]
    assert sorted(heard) == sorted(COMMANDS)


def test_the_agent_view_the_home_tab_and_socket_mode_are_on() -> None:
    features = MANIFEST["features"]
    assert "agent_view" in features
    assert "assistant_view" not in features
    assert features["app_home"] == {
        "home_tab_enabled": True,
        "messages_tab_enabled": True,
        "messages_tab_read_only_enabled": False,
    }
    assert MANIFEST["settings"]["socket_mode_enabled"] is True


@pytest.mark.shared
@pytest.mark.parametrize("version", ["1.0.0", "2.0.0"])
def test_the_manifest_is_valid(shared_data: Path, version: str) -> None:
    schema = json.loads((shared_data / f"slack/manifest_schema/manifest.schema.{version}.json").read_text())
    jsonschema.Draft7Validator.check_schema(schema)
    jsonschema.validate(MANIFEST, schema, jsonschema.Draft7Validator)


@pytest.mark.shared
def test_slack_documents_each_event_with_the_scopes_that_the_manifest_has(shared_data: Path) -> None:
    needed: set[str] = set()
    for event in EVENTS:
        documented: Json = json.loads((shared_data / f"slack/api_ref/events/{event}.json").read_text())
        scopes = {scope.replace("app_mentions.read", "app_mentions:read") for scope in documented["scopes"]}
        assert EVENT_SCOPES.get(event, set()) == scopes, event
        needed |= scopes
    assert needed <= SCOPES


@pytest.mark.shared
def test_slack_documents_each_method_that_is_called(shared_data: Path) -> None:
    for name in methods_called():
        assert (shared_data / f"slack/api_ref/methods/{name.partition('.')[0]}/{name}.json").is_file()
