"""Faults on demand, as the real client meets them."""

import asyncio

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.http_retry.builtin_async_handlers import AsyncRateLimitErrorRetryHandler
from slack_sdk.web.async_client import AsyncWebClient

from bot.standin import SlackStandIn


async def test_a_planned_error_hits_so_many_calls_and_no_more(slack: SlackStandIn, client: AsyncWebClient) -> None:
    channel = slack.channel("general")
    slack.faults.next("chat.postMessage", error="channel_not_found", times=2)
    for _ in range(2):
        with pytest.raises(SlackApiError, match="channel_not_found"):
            await client.chat_postMessage(channel=channel.id, text="x")
    await client.chat_postMessage(channel=channel.id, text="x")
    assert len(slack.bot_messages(channel)) == 1
    assert [call.ok for call in slack.calls] == [False, False, True]
    assert not slack.violations


async def test_a_rate_limit_has_its_status_and_header_and_the_sdk_waits_for_it(slack: SlackStandIn) -> None:
    channel = slack.channel("general")
    handler = AsyncRateLimitErrorRetryHandler(max_retry_count=2)
    client = AsyncWebClient(token=slack.app.bot_token, base_url=slack.base_url, retry_handlers=[handler])
    slack.faults.next("chat.postMessage", error="ratelimited", retry_after=0)
    await client.chat_postMessage(channel=channel.id, text="x")
    assert [call.status for call in slack.calls] == [429, 200]
    slack.faults.next("chat.postMessage", error="ratelimited", retry_after=30)
    impatient = AsyncWebClient(token=slack.app.bot_token, base_url=slack.base_url)
    with pytest.raises(SlackApiError) as caught:
        await impatient.chat_postMessage(channel=channel.id, text="x")
    assert (caught.value.response.status_code, caught.value.response.headers["Retry-After"]) == (429, "30")


async def test_a_broken_server_answers_with_a_page(slack: SlackStandIn, client: AsyncWebClient) -> None:
    slack.faults.next("auth.test", status=500)
    with pytest.raises(SlackApiError) as caught:
        await client.auth_test()
    assert caught.value.response.status_code == 500


async def test_a_request_hangs_until_it_is_released(slack: SlackStandIn, client: AsyncWebClient) -> None:
    slack.faults.next("auth.test", hang=True)
    call = asyncio.ensure_future(client.auth_test())
    await slack.wait_for_call("auth.test")
    done, _ = await asyncio.wait({call}, timeout=0.05)
    assert not done
    slack.faults.release_hung()
    with pytest.raises(aiohttp.ClientError):
        await call


async def test_a_client_that_does_not_wait_gets_a_timeout(slack: SlackStandIn) -> None:
    impatient = AsyncWebClient(token=slack.app.bot_token, base_url=slack.base_url, timeout=0.05, retry_handlers=[])  # type: ignore[arg-type]  # the SDK says int, aiohttp takes both
    slack.faults.next("auth.test", hang=True)
    with pytest.raises(asyncio.TimeoutError):
        await impatient.auth_test()


async def test_a_dropped_connection_may_leave_the_message_posted(slack: SlackStandIn, client: AsyncWebClient) -> None:
    channel = slack.channel("general")
    slack.faults.next("chat.postMessage", drop=True)
    with pytest.raises(aiohttp.ClientError):
        await client.chat_postMessage(channel=channel.id, text="never arrived")
    slack.faults.next("chat.postMessage", drop=True, after_processing=True)
    with pytest.raises(aiohttp.ClientError):
        await client.chat_postMessage(channel=channel.id, text="arrived")
    assert [message.text for message in slack.bot_messages(channel)] == ["arrived"]


async def test_a_fault_chooses_its_calls_by_their_arguments(slack: SlackStandIn, client: AsyncWebClient) -> None:
    channel = slack.channel("general")
    slack.faults.next("*", error="fatal_error", when=lambda arguments: arguments.get("text") == "b", times=None)
    await client.chat_postMessage(channel=channel.id, text="a")
    for _ in range(2):
        with pytest.raises(SlackApiError, match="fatal_error"):
            await client.chat_postMessage(channel=channel.id, text="b")
    slack.faults.clear()
    await client.chat_postMessage(channel=channel.id, text="b")


async def test_a_delayed_answer_is_still_right(slack: SlackStandIn, client: AsyncWebClient) -> None:
    slack.faults.next("auth.test", delay=0.02)
    assert (await client.auth_test())["ok"]
