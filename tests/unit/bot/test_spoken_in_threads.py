from __future__ import annotations

from typing import Any

import pytest

from bot.incoming import SlackMessage
from bot.listeners.edits import deleted, reworded
from bot.threads import is_remark, may_be_follow_up

BOT = "U0BOT"
REPLY = {"type": "message", "user": "U1", "channel": "C1", "channel_type": "channel", "ts": "2.0", "thread_ts": "1.0"}


@pytest.mark.parametrize(
    ("more", "heard"),
    [
        ({"text": "and in Dublin?"}, True),
        ({"text": "tell me about Dublin"}, True),
        ({"text": "and in <#C1|dublin>?", "subtype": "thread_broadcast"}, True),
        ({"text": "<@U0BOT> and in Dublin?"}, False),  # a mention, which is heard elsewhere
        ({"text": "<@U2> and in Dublin?"}, False),
        ({"text": "and <@U2|ben>?"}, False),
        ({"text": "and in Dublin?", "thread_ts": None}, False),
        ({"text": "and in Dublin?", "thread_ts": "2.0"}, False),
        ({"text": "and in Dublin?", "channel_type": "im"}, False),
        ({"text": "and in Dublin?", "user": BOT}, False),
        ({"text": "and in Dublin?", "bot_id": "B1"}, False),
        ({"text": "and in Dublin?", "bot_profile": {"id": "B1"}}, False),
        ({"text": "and in Dublin?", "subtype": "message_changed"}, False),
        ({"text": "Thanks!"}, False),
    ],
)
def test_a_follow_up_is_a_persons_reply_that_speaks_to_nobody_else(more: dict[str, Any], heard: bool) -> None:
    assert may_be_follow_up(SlackMessage.parse({**REPLY, **more}), BOT) is heard


@pytest.mark.parametrize(
    "text", ["", "👍", ":+1: :tada:", "¡Muchísimas gracias!", "ok, got it", "Sí", "...", "thanks a lot"]
)
def test_courtesies_and_signs_ask_nothing(text: str) -> None:
    assert is_remark(text)


@pytest.mark.parametrize("text", ["ok?", "no veo el límite", "Dublin", "gracias, y en Dublín", "¿sí?", "42"])
def test_whatever_else_is_said_may_be_a_question(text: str) -> None:
    assert not is_remark(text)


def changed(now: dict[str, Any], before: dict[str, Any], subtype: str = "message_changed") -> SlackMessage:
    said = {"type": "message", "user": "U1", "ts": "1.1"}
    return SlackMessage.parse(
        {
            "type": "message",
            "subtype": subtype,
            "channel": "C1",
            "message": {**said, "edited": {"user": "U1", "ts": "2.0"}, **now} if now else None,
            "previous_message": {**said, **before},
        }
    )


@pytest.mark.parametrize(
    ("now", "before", "is_edit"),
    [
        ({"text": "b"}, {"text": "a"}, True),
        ({"text": "b", "edited": None}, {"text": "a"}, False),
        ({"text": "<@U0BOT>  a"}, {"text": "<@U0BOT> a"}, False),
        ({"text": "b", "user": BOT}, {"text": "a", "user": BOT}, False),
        ({"text": "b", "bot_id": "B1"}, {"text": "a", "bot_id": "B1"}, False),
        ({"text": "This message was deleted.", "subtype": "tombstone", "user": "USLACKBOT"}, {"text": "a"}, False),
    ],
)
def test_an_edit_is_a_person_giving_a_message_other_words(
    now: dict[str, Any], before: dict[str, Any], is_edit: bool
) -> None:
    found = reworded(changed(now, before), BOT)
    assert (found is not None) is is_edit
    assert found is None or (found.channel, found.ts) == ("C1", "1.1")


@pytest.mark.parametrize(
    ("event", "text"),
    [
        (changed({}, {"text": "a"}, "message_deleted"), "a"),
        (changed({"subtype": "tombstone", "user": "USLACKBOT", "text": "gone"}, {"text": "a"}), "a"),
        (changed({}, {"text": "a", "bot_id": "B1"}, "message_deleted"), None),
        (changed({}, {"text": "a", "user": BOT}, "message_deleted"), None),
        (changed({"text": "b"}, {"text": "a"}), None),
        (SlackMessage.parse({"type": "message", "subtype": "message_deleted", "channel": "C1"}), None),
    ],
)
def test_a_deletion_is_of_a_persons_message_and_may_leave_a_tombstone(event: SlackMessage, text: str | None) -> None:
    found = deleted(event, BOT)
    assert (found and found.text) == text
