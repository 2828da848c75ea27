"""What is refused or ignored on purpose: other companies, apps, huddles, canvases, workflows, and the bot itself."""

from __future__ import annotations

from typing import Any

import pytest

from bot.standin import Channel, Person, SlackStandIn
from core.store.place_settings import PlaceSettings
from tests.e2e.conftest import Bot
from tests.e2e.scripted import QUOTE


async def posts(bot: Bot, slack: SlackStandIn) -> int:
    """How much the bot has said in all, once it is at rest."""
    await bot.idle()
    spoken = ("chat.postMessage", "chat.postEphemeral", "chat.startStream")
    return sum(len(slack.calls_of(method)) for method in spoken)


async def all_heard(bot: Bot, channel: Channel) -> None:
    """Have the bot hear as much as can be heard in a channel."""
    assert bot.services is not None
    assert bot.services.places is not None
    await bot.services.places.set("acme", channel.id, PlaceSettings(follow_ups=True), by="U0ADMIN")


async def test_in_a_channel_shared_with_another_company_a_follow_up_is_refused_as_a_mention_is(
    bot: Bot, slack: SlackStandIn, ana: Person, general: Channel
) -> None:
    await all_heard(bot, general)
    question = await ana.ask(general, "¿cuántas vacaciones tengo?")
    await slack.wait_for_message(general, QUOTE, thread_ts=question.ts)
    await bot.idle()
    bot.memory.add("acme", bot.asker.questions[0].conversation, "ana@brisa-logistics.example", "vacaciones", "run")
    await slack.happens.share_channel(general, slack.workspace.add_team("Partner"))
    await ana.post(general, "¿y en Dublín?", question.ts)
    await slack.wait_for_call("chat.postEphemeral")
    await bot.idle()
    assert len(bot.asker.questions) == 1


BOT = "{bot}"
ECHOES: dict[str, dict[str, Any]] = {
    "as the app's message": {"user": BOT, "bot_id": "{bot_id}", "app_id": "{app}"},
    "as a bot_message": {"subtype": "bot_message", "bot_id": "{bot_id}", "username": "testigo"},
    "by the bot's user alone": {"user": BOT},
    "by a bot profile alone": {"user": BOT, "bot_profile": {"id": "{bot_id}", "app_id": "{app}"}},
    "broadcast from a thread": {"user": BOT, "subtype": "thread_broadcast"},
    "with a file": {"user": BOT, "subtype": "file_share"},
    "as an emote": {"user": BOT, "subtype": "me_message"},
    "by Slackbot": {"user": "USLACKBOT"},
    "by a workflow": {"user": "U0WORKFLOW", "bot_id": "B0WORKFLOW", "subtype": "bot_message"},
    "by nobody": {},
}


@pytest.mark.parametrize("shape", ECHOES)
async def test_the_bots_own_words_are_never_a_question_under_any_shape(
    bot: Bot, slack: SlackStandIn, ana: Person, general: Channel, shape: str
) -> None:
    """In a channel with a mention, in a thread it takes part in, in a direct message, and as an edit of each."""
    await all_heard(bot, general)
    question = await ana.ask(general, "¿cuántas vacaciones tengo?")
    answer = await slack.wait_for_message(general, QUOTE, thread_ts=question.ts)
    await bot.idle()
    bot.memory.add("acme", bot.asker.questions[0].conversation, "ana@brisa-logistics.example", "vacaciones", "run")
    said = await posts(bot, slack)
    names = {BOT: slack.app.bot_user_id, "{bot_id}": slack.app.bot_id, "{app}": slack.app.app_id}

    def filled(value: Any) -> Any:
        return {k: filled(v) for k, v in value.items()} if isinstance(value, dict) else names.get(value, value)

    author = filled(ECHOES[shape])
    direct = ana.direct_channel()
    places = (
        (general, f"{slack.mention} ¿{QUOTE}?", None, "channel"),
        (general, f"¿{QUOTE}?", question.ts, "channel"),
        (direct, f"¿{QUOTE}?", None, "im"),
    )
    for number, (channel, text, thread_ts, kind) in enumerate(places):
        message = {"type": "message", "text": text, "ts": f"{float(answer.ts) + 1 + number:.6f}", **author}
        message |= {"thread_ts": thread_ts} if thread_ts else {}
        where = {"channel": channel.id, "channel_type": kind}
        await slack.happens.send_event({**message, **where}, channel)
        await slack.happens.send_event({**message, **where, "type": "app_mention"}, channel)
        changed = {
            "type": "message",
            "subtype": "message_changed",
            "message": {**message, "edited": {"user": slack.app.bot_user_id, "ts": message["ts"]}},
            "previous_message": {**message, "text": "..."},
            "ts": message["ts"],
        }
        await slack.happens.send_event({**changed, **where}, channel)
    assert await posts(bot, slack) == said
    assert len(bot.asker.questions) == 1


@pytest.mark.parametrize(
    "event",
    [
        {"type": "message", "subtype": "huddle_thread", "user": "{ana}", "room": {"id": "R1"}},
        {"type": "message", "subtype": "channel_join", "user": "{ana}"},
        {"type": "message", "subtype": "channel_topic", "user": "{ana}"},
        {"type": "message", "subtype": "channel_canvas_updated", "user": "{ana}"},
        {"type": "message", "subtype": "document_mention", "user": "{ana}"},
        {"type": "message", "subtype": "reminder_add", "user": "{ana}"},
        {"type": "user_huddle_changed", "user": {"id": "{ana}"}},
        {"type": "function_executed", "function": {"callback_id": "ask"}, "inputs": {"user": "{ana}"}},
        {"type": "app_context_changed", "user": "{ana}"},
        {"type": "agent_session_title_changed", "user": "{ana}"},
    ],
    ids=lambda event: str(event.get("subtype") or event["type"]),
)
async def test_huddles_canvases_workflow_steps_and_notices_are_acknowledged_and_left_alone(
    socket_bot: Bot, slack: SlackStandIn, ana: Person, general: Channel, event: dict[str, Any]
) -> None:
    await socket_bot.start()
    filled = {key: ana.id if value == "{ana}" else value for key, value in event.items()}
    if event["type"] == "message":
        filled |= {"channel": general.id, "channel_type": "channel", "text": f"{slack.mention} ¿y?", "ts": "1.000001"}
    sent = await slack.happens.send_event(filled, general)
    assert await posts(socket_bot, slack) == 0
    assert socket_bot.asker.questions == []
    assert sent is None or sent.error is None
