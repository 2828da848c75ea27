from __future__ import annotations

import logging

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.slack_client import SlackRefusedError, open_client, slack_errors
from bot.standin import SlackStandIn
from core.errors import SettingsError, SlackError
from core.settings import Settings


async def test_a_refusal_has_slacks_word_for_it(client: AsyncWebClient) -> None:
    with pytest.raises(SlackRefusedError) as caught, slack_errors("users.info"):
        await client.users_info(user="U0NOBODY")
    assert (caught.value.method, caught.value.code) == ("users.info", "user_not_found")


async def test_rate_limits_are_waited_for(slack: SlackStandIn, client: AsyncWebClient) -> None:
    slack.faults.next("auth.test", error="ratelimited", retry_after=0, times=2)
    assert (await client.auth_test())["ok"]
    assert len(slack.calls_of("auth.test")) == 3


@pytest.mark.parametrize("fault", [{"drop": True}, {"status": 503}])
async def test_reading_is_tried_again_after_a_broken_answer(
    slack: SlackStandIn, client: AsyncWebClient, fault: dict[str, int]
) -> None:
    slack.faults.next("auth.test", times=1, **fault)  # type: ignore[arg-type]  # one of its keyword arguments
    assert (await client.auth_test())["ok"]


@pytest.mark.parametrize("fault", [{"drop": True}, {"status": 503}])
async def test_posting_is_not_tried_again_blindly(
    slack: SlackStandIn, client: AsyncWebClient, fault: dict[str, int]
) -> None:
    general = slack.channel("general")
    slack.faults.next("chat.postMessage", times=1, **fault)  # type: ignore[arg-type]  # one of its keyword arguments
    with pytest.raises(SlackError), slack_errors("chat.postMessage"):
        await client.chat_postMessage(channel=general.id, text="hello")
    assert len(slack.calls_of("chat.postMessage")) == 1


async def test_neither_errors_nor_the_log_hold_the_token_or_a_text(
    slack: SlackStandIn, client: AsyncWebClient, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG), pytest.raises(SlackError) as caught, slack_errors("chat.postMessage"):
        await client.chat_postMessage(channel="C0NOWHERE", text="a secret")
    for words in (str(caught.value), *(record.getMessage() for record in caplog.records)):
        assert "a secret" not in words
        assert slack.app.bot_token not in words


async def test_slack_out_of_reach_is_an_error_of_ours(settings: Settings) -> None:
    client = open_client(settings.model_copy(update={"slack_api_url": "http://127.0.0.1:9/api/"}))
    client.retry_handlers.clear()
    try:
        with pytest.raises(SlackError, match="cannot be reached"), slack_errors("auth.test"):
            await client.auth_test()
    finally:
        assert client.session is not None
        await client.session.close()


@pytest.mark.parametrize(
    ("change", "names"), [({"slack_bot_token": None}, "SLACK_BOT_TOKEN"), ({"slack_api_url": "slack"}, "SLACK_API_URL")]
)
async def test_a_wrong_setting_is_named(settings: Settings, change: dict[str, str | None], names: str) -> None:
    with pytest.raises(SettingsError, match=names):
        open_client(settings.model_copy(update=change))
