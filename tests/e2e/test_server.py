"""The HTTP server: signatures, replays, health and numbers; and what keeps the bot from starting."""

from __future__ import annotations

import json
import time
from pathlib import Path
from urllib.parse import urlencode

import aiohttp
import pytest
from slack_sdk.signature import SignatureVerifier

from bot.standin import Channel, Person, SlackStandIn
from core.errors import SettingsError, SlackError
from tests.e2e.conftest import Bot
from tests.e2e.scripted import QUOTE


@pytest.fixture
async def http_bot(slack: SlackStandIn, tmp_path: Path) -> Bot:
    return Bot(slack, "http", tmp_path)


async def post(
    bot: Bot, body: str, *, age: float = 0, secret: str | None = None, type_: str = "application/json"
) -> int:
    """Send a signed request to the bot; its status."""
    timestamp = str(int(time.time() - age))
    verifier = SignatureVerifier(secret or bot.slack.app.signing_secret)
    headers = {
        "Content-Type": type_,
        "X-Slack-Request-Timestamp": timestamp,
        "X-Slack-Signature": verifier.generate_signature(timestamp=timestamp, body=body) or "",
    }
    async with (
        aiohttp.ClientSession() as session,
        session.post(bot.url("/slack/events"), data=body, headers=headers) as answer,
    ):
        return answer.status


def mention(bot: Bot, person: Person, channel: Channel) -> str:
    event = {
        "type": "app_mention",
        "user": person.id,
        "channel": channel.id,
        "text": f"{bot.slack.mention} how many holidays?",
        "ts": "1700000000.000100",
    }
    return json.dumps(
        {"type": "event_callback", "event_id": "Ev1", "team_id": bot.slack.workspace.home_team.id, "event": event}
    )


@pytest.mark.parametrize(("age", "status"), [(0, 200), (290, 200), (310, 401), (-310, 401)])
async def test_a_request_older_than_five_minutes_is_refused(
    http_bot: Bot, slack: SlackStandIn, ben: Person, general: Channel, age: float, status: int
) -> None:
    await http_bot.start()
    assert await post(http_bot, mention(http_bot, ben, general), age=age) == status
    if status == 200:
        await slack.wait_for_message(general, QUOTE)
    await http_bot.idle()
    assert len(http_bot.asker.questions) == (status == 200)
    await http_bot.stop()


async def test_a_forged_signature_is_refused(http_bot: Bot, ben: Person, general: Channel) -> None:
    await http_bot.start()
    assert await post(http_bot, mention(http_bot, ben, general), secret="guessed") == 401
    command = urlencode(
        {"command": "/rag", "text": "hi", "user_id": ben.id, "channel_id": general.id, "trigger_id": "1"}
    )
    form = "application/x-www-form-urlencoded"
    assert await post(http_bot, command, secret="guessed", type_=form) == 401
    async with aiohttp.ClientSession() as session, session.post(http_bot.url("/slack/events"), data="{}") as answer:
        assert answer.status == 401
    await http_bot.idle()
    assert http_bot.asker.questions == []
    await http_bot.stop()


async def test_health_and_numbers_are_served(bot: Bot, slack: SlackStandIn, ben: Person) -> None:
    await ben.dm("how many holidays?")
    await slack.wait_for_message(ben.direct_channel(), QUOTE)
    await ben.dm("")
    await slack.wait_for_message(ben.direct_channel(), "Ask me")
    await bot.idle()
    async with aiohttp.ClientSession() as session:
        async with session.get(bot.url("/healthz")) as answer:
            assert answer.status == 200
            assert (await answer.json())["ok"] is True
        async with session.get(bot.url("/metrics")) as answer:
            assert answer.content_type == "text/plain"
            numbers = await answer.text()
    assert 'testigo_questions_total{outcome="answered"} 1.0' in numbers
    assert 'testigo_questions_total{outcome="helped"} 1.0' in numbers
    assert "testigo_question_seconds_count 2.0" in numbers
    assert "testigo_open_events 0.0" in numbers
    assert "ben" not in numbers


async def test_without_its_database_the_bot_is_not_well(bot: Bot) -> None:
    assert bot._engine is not None
    bot._engine.dispose()
    (bot.folder / "events.db").rename(bot.folder / "gone.db")
    async with aiohttp.ClientSession() as session, session.get(bot.url("/healthz")) as answer:
        assert answer.status == 503
        assert (await answer.json())["database"] is False


async def test_without_a_signing_secret_nothing_is_served_over_http(http_bot: Bot) -> None:
    http_bot.overrides = {"slack_signing_secret": ""}
    with pytest.raises(SettingsError, match="SLACK_SIGNING_SECRET"):
        await http_bot.start()
    await close(http_bot)


async def test_a_taken_port_is_named(http_bot: Bot, slack: SlackStandIn, tmp_path: Path) -> None:
    await http_bot.start()
    assert http_bot.services is not None
    second = Bot(slack, "http", tmp_path, overrides={"http_port": http_bot.services.listening[0]})
    with pytest.raises(SettingsError, match="TESTIGO_HTTP_PORT"):
        await second.start()
    await close(second)
    await http_bot.stop()


async def test_a_token_that_slack_does_not_take_is_an_error_at_the_start(http_bot: Bot) -> None:
    http_bot.overrides = {"slack_bot_token": "xoxb-wrong"}
    with pytest.raises(SlackError, match="invalid_auth"):
        await http_bot.start()
    assert http_bot._engine is not None
    http_bot._engine.dispose()


async def test_an_app_token_that_slack_does_not_take_is_an_error_at_the_start(
    socket_bot: Bot, slack: SlackStandIn
) -> None:
    socket_bot.overrides = {"slack_app_token": "xapp-wrong"}
    with pytest.raises(SettingsError, match="SLACK_APP_TOKEN"):
        await socket_bot.start()
    await close(socket_bot)


async def close(bot: Bot) -> None:
    """Close a bot that did not start."""
    assert bot.services is not None
    assert bot._engine is not None
    await bot.services.close()
    bot._engine.dispose()
