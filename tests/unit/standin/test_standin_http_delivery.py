"""Delivery over HTTP, held against the SDK's own signature verifier and a real Bolt app behind aiohttp."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import parse_qs

import pytest
from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response, to_bolt_request
from slack_bolt.async_app import AsyncApp
from slack_sdk.signature import SignatureVerifier
from slack_sdk.web.async_client import AsyncWebClient

from bot.standin import AppConfig, ManualClock, SlackStandIn
from bot.standin.http_delivery import signed_headers

Answer = Callable[[web.Request, str], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def server(answer: Answer) -> AsyncIterator[tuple[str, list[tuple[dict[str, str], str]]]]:
    requests: list[tuple[dict[str, str], str]] = []

    async def handle(request: web.Request) -> web.StreamResponse:
        body = await request.text()
        requests.append(({name.lower(): value for name, value in request.headers.items()}, body))
        return await answer(request, body)

    application = web.Application()
    application.router.add_post("/slack/events", handle)
    runner = web.AppRunner(application, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/slack/events", requests
    finally:
        await runner.cleanup()


async def accept(request: web.Request, body: str) -> web.StreamResponse:
    return web.Response(text=json.loads(body).get("challenge", "") if body.startswith("{") else "")


async def refuse(request: web.Request, body: str) -> web.StreamResponse:
    return web.Response(status=500)


def test_the_signature_is_what_the_sdk_verifies() -> None:
    app = AppConfig()
    headers = signed_headers(app.signing_secret, '{"ñ": 1}', 1_700_000_000)
    verifier = SignatureVerifier(app.signing_secret)
    made = verifier.generate_signature(timestamp="1700000000", body='{"ñ": 1}')
    assert headers["X-Slack-Signature"] == made


async def test_every_request_is_signed_and_the_url_verified_first(slack: SlackStandIn) -> None:
    ana = slack.person("ana")
    async with server(accept) as (url, requests):
        await slack.deliver_over_http(url)
        await ana.dm("hello, señora")
        await ana.slash("/rag", "a & b")
        await slack.settled()
    verifier = SignatureVerifier(slack.app.signing_secret)
    assert all(verifier.is_valid_request(body, headers) for headers, body in requests)
    kinds = [json.loads(body)["type"] if body.startswith("{") else parse_qs(body)["command"][0] for _, body in requests]
    assert kinds == ["url_verification", "event_callback", "/rag"]
    assert parse_qs(requests[2][1])["text"] == ["a & b"]


async def test_a_bot_that_does_not_repeat_the_challenge_is_not_used(slack: SlackStandIn) -> None:
    async with server(refuse) as (url, _):
        with pytest.raises(ConnectionError, match="challenge"):
            await slack.deliver_over_http(url)


async def test_a_refused_event_is_repeated_at_once_after_one_minute_and_after_five(
    still_slack: SlackStandIn, clock: ManualClock
) -> None:
    ana = still_slack.person("ana")
    async with server(refuse) as (url, requests):
        await still_slack.deliver_over_http(url, verify=False)
        start = clock.now()
        message = await ana.dm("hello?")
        [delivery] = still_slack.deliveries_of(message)
        await still_slack.wait_until(lambda: len(requests) == 2)
        for seconds, count in ((60, 3), (300, 4)):
            await still_slack.wait_until(lambda: delivery.attempts[-1].outcome is not None)
            await clock.advance(seconds)
            await still_slack.wait_until(lambda count=count: len(requests) == count)  # type: ignore[misc]  # default
        await delivery.settled()
    assert [round(attempt.sent_at - start) for attempt in delivery.attempts] == [0, 0, 60, 360]
    assert [headers.get("x-slack-retry-num") for headers, _ in requests] == [None, "1", "2", "3"]
    assert requests[1][0]["x-slack-retry-reason"] == "http_error"


async def test_a_slow_bot_is_a_timeout_after_three_seconds(still_slack: SlackStandIn, clock: ManualClock) -> None:
    ana = still_slack.person("ana")

    async def never(request: web.Request, body: str) -> web.StreamResponse:
        await asyncio.Event().wait()
        return web.Response()

    async with server(never) as (url, requests):
        await still_slack.deliver_over_http(url, verify=False)
        message = await ana.dm("hello?")
        await still_slack.wait_until(lambda: len(requests) == 1)
        await clock.advance(3)
        [delivery] = still_slack.deliveries_of(message)
        await still_slack.wait_until(lambda: len(delivery.attempts) == 2)
        assert delivery.attempts[1].reason == "http_timeout"


async def test_no_retry_is_respected(slack: SlackStandIn) -> None:
    async def never_again(request: web.Request, body: str) -> web.StreamResponse:
        return web.Response(status=500, headers={"X-Slack-No-Retry": "1"})

    async with server(never_again) as (url, requests):
        await slack.deliver_over_http(url, verify=False)
        await slack.person("ana").dm("hello?")
        await slack.settled()
        assert len(requests) == 1


async def test_an_unreachable_bot_is_a_failed_connection(slack: SlackStandIn) -> None:
    await slack.deliver_over_http("http://127.0.0.1:9/slack/events", verify=False)
    message = await slack.person("ana").dm("hello?")
    await slack.settled()
    [delivery] = slack.deliveries_of(message)
    assert [attempt.reason for attempt in delivery.attempts] == ["", *["connection_failed"] * 3]


async def test_bolt_behind_http_verifies_answers_and_updates_a_button(
    slack: SlackStandIn, client: AsyncWebClient
) -> None:
    app = AsyncApp(client=client, signing_secret=slack.app.signing_secret)
    block = {
        "type": "actions",
        "elements": [{"type": "button", "action_id": "go", "text": {"type": "plain_text", "text": "Go"}}],
    }

    @app.event("message")
    async def message(say: Any) -> None:
        await say(text="Press", blocks=[block])

    @app.action("go")
    async def go(ack: Any, respond: Any) -> None:
        await ack()
        await respond(text="Pressed", blocks=[], replace_original=True)

    async def handle(request: web.Request, body: str) -> web.StreamResponse:
        bolt_request = await to_bolt_request(request)
        return await to_aiohttp_response(await app.async_dispatch(bolt_request))

    ana = slack.person("ana")
    async with server(handle) as (url, _):
        await slack.deliver_over_http(url)
        await ana.dm("hello")
        sent = await slack.wait_for_message(ana.direct_channel(), lambda message: bool(message.blocks))
        await ana.click(sent, "go")
        await slack.wait_until(lambda: sent.text == "Pressed")
        await slack.settled()
    assert not slack.violations
