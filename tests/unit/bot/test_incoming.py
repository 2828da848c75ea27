from __future__ import annotations

import json
from typing import Any

import pytest

from bot.incoming import Incoming, SlackMessage, SlashCommand, Surface
from bot.listeners.mention import mentioning

BOT = "U0BOT"
MENTION = {"type": "app_mention", "user": "U1", "channel": "C1", "text": "<@U0BOT> hi", "ts": "1.1"}


def test_what_came_in_survives_the_store() -> None:
    incoming = Incoming(Surface.COMMAND, "T1", "U1", "C1", "¿qué?\n{}", "E1", "1.1", "1.0", "https://x")
    assert Incoming.from_payload(json.loads(json.dumps(incoming.to_payload()))) == incoming


def test_the_answer_belongs_in_the_thread_of_the_question() -> None:
    assert Incoming(Surface.MENTION, "T1", "U1", "C1", "hi", ts="1.1").thread == "1.1"
    assert Incoming(Surface.MENTION, "T1", "U1", "C1", "hi", ts="1.1", thread_ts="1.0").thread == "1.0"


def test_a_message_has_a_subject_and_a_command_has_none() -> None:
    assert Incoming(Surface.MENTION, "T1", "U1", "C1", "hi", ts="1.1").subject == "C1:1.1"
    assert Incoming(Surface.COMMAND, "T1", "U1", "C1", "hi").subject is None


def changed(now: dict[str, Any], before: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "message",
        "subtype": "message_changed",
        "channel": "C1",
        "channel_type": "channel",
        "ts": "2.0",
        "message": {"type": "message", "user": "U1", "ts": "1.1", **now},
        "previous_message": {"type": "message", "user": "U1", "ts": "1.1", **before},
    }


@pytest.mark.parametrize(
    ("event", "ts"),
    [
        (MENTION, "1.1"),
        ({**MENTION, "type": "message", "channel_type": "channel"}, "1.1"),
        ({**MENTION, "type": "message", "channel_type": "mpim"}, "1.1"),
        ({**MENTION, "subtype": "file_share"}, "1.1"),
        ({**MENTION, "subtype": "thread_broadcast", "thread_ts": "1.0"}, "1.1"),
        (changed({"text": "<@U0BOT> hi"}, {"text": "hi"}), "1.1"),
        ({**MENTION, "text": "hi"}, None),
        ({**MENTION, "channel_type": "im"}, None),
        ({**MENTION, "channel": "D1"}, None),
        ({**MENTION, "user": None}, None),
        ({**MENTION, "bot_id": "B1"}, None),
        ({**MENTION, "subtype": "bot_message"}, None),
        ({**MENTION, "subtype": "message_deleted"}, None),
        ({**MENTION, "subtype": "channel_topic"}, None),
        ({**MENTION, "user": "USLACKBOT"}, None),
        (changed({"text": "<@U0BOT> hi"}, {"text": "<@U0BOT> hi"}), None),
        (changed({"text": "<@U0BOT> hi!"}, {"text": "<@U0BOT> hi"}), None),
        (changed({"text": "hi"}, {"text": "<@U0BOT> hi"}), None),
        (changed({"text": "<@U0BOT> hi", "bot_id": "B1"}, {"text": "hi"}), None),
        ({"type": "message", "subtype": "message_changed", "channel": "C1"}, None),
        ({}, None),
    ],
)
def test_a_mention_is_a_persons_message_in_a_channel_that_names_the_bot(event: dict[str, Any], ts: str | None) -> None:
    found = mentioning(SlackMessage.parse(event), BOT)
    assert (found and found.ts) == ts
    assert found is None or found.channel == "C1"


def test_a_command_without_an_enterprise_is_read() -> None:
    body = {"command": "/rag", "team_id": "T1", "enterprise_id": None, "user_id": "U1", "channel_id": "C1"}
    command = SlashCommand.parse({**body, "text": None, "trigger_id": "1.2"})
    assert (command.text, command.enterprise_id) == ("", "")
