"""Socket Mode of the stand-in, with the real `SocketModeClient` and the real Bolt handler."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.socket_mode.aiohttp import SocketModeClient
from slack_sdk.socket_mode.async_client import AsyncBaseSocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest
from slack_sdk.socket_mode.response import SocketModeResponse
from slack_sdk.web.async_client import AsyncWebClient

from bot.standin import AppConfig, DeliveryKind, SlackStandIn, visible_text

Listener = Callable[[AsyncBaseSocketModeClient, SocketModeRequest], Awaitable[None]]


async def acknowledge(client: AsyncBaseSocketModeClient, request: SocketModeRequest) -> None:
    await client.send_socket_mode_response(SocketModeResponse(envelope_id=request.envelope_id))


async def ignore(client: AsyncBaseSocketModeClient, request: SocketModeRequest) -> None:
    return None


@asynccontextmanager
async def connected(
    slack: SlackStandIn, client: AsyncWebClient, listener: Listener
) -> AsyncIterator[tuple[SocketModeClient, list[SocketModeRequest]]]:
    received: list[SocketModeRequest] = []

    async def note(source: AsyncBaseSocketModeClient, request: SocketModeRequest) -> None:
        received.append(request)
        await listener(source, request)

    sockets = SocketModeClient(app_token=slack.app.app_token, web_client=client, ping_interval=0.05)
    sockets.socket_mode_request_listeners.append(note)
    await sockets.connect()  # type: ignore[no-untyped-call]  # untyped in the SDK
    await slack.wait_for_sockets()
    try:
        yield sockets, received
    finally:
        await sockets.close()  # type: ignore[no-untyped-call]  # untyped in the SDK


def bolt_app(client: AsyncWebClient) -> AsyncApp:
    app = AsyncApp(client=client, ignoring_self_assistant_message_events_enabled=False)

    @app.event("app_mention")
    async def answer(event: dict[str, Any], say: Any) -> None:
        await say(text=f"you said: {event['text']}", thread_ts=event["ts"])

    @app.event("message")
    async def overhear() -> None:
        return None

    @app.command("/rag")
    async def command(ack: Any, command: dict[str, Any], respond: Any) -> None:
        await ack(f"looking for {command['text']}")
        await respond(text="found", response_type="ephemeral")

    return app


@asynccontextmanager
async def running_bolt(slack: SlackStandIn, client: AsyncWebClient) -> AsyncIterator[AsyncApp]:
    app = bolt_app(client)
    handler = AsyncSocketModeHandler(app, slack.app.app_token, web_client=client, ping_interval=0.05)
    await handler.connect_async()  # type: ignore[no-untyped-call]  # untyped in the SDK
    await slack.wait_for_sockets()
    try:
        yield app
    finally:
        await handler.close_async()  # type: ignore[no-untyped-call]  # untyped in the SDK


async def test_a_mention_comes_as_message_and_as_app_mention_with_two_event_ids_and_one_ts(
    slack: SlackStandIn, client: AsyncWebClient
) -> None:
    ana = slack.person("ana")
    general = slack.channel("general", ana)
    async with connected(slack, client, acknowledge) as (_, received):
        message = await ana.ask(general, "how many days?")
        await slack.settled()
    assert {request.payload["event"]["type"] for request in received} == {"message", "app_mention"}
    assert {request.payload["event"]["ts"] for request in received} == {message.ts}
    assert len({request.payload["event_id"] for request in received}) == 2
    assert all(delivery.acknowledged and delivery.ack_seconds for delivery in slack.deliveries_of(message))


async def test_bolt_answers_a_mention_in_its_thread(slack: SlackStandIn, client: AsyncWebClient) -> None:
    ana = slack.person("ana")
    general = slack.channel("general", ana)
    async with running_bolt(slack, client):
        question = await ana.ask(general, "hello")
        answer = await slack.wait_for_message(general, "you said", thread_ts=question.ts)
        await slack.settled()
    assert answer.thread_ts == question.ts
    assert not slack.violations
    assert all(len(delivery.attempts) == 1 for delivery in slack.deliveries)


async def test_a_direct_message_is_no_app_mention(slack: SlackStandIn, client: AsyncWebClient) -> None:
    ana = slack.person("ana")
    async with connected(slack, client, acknowledge) as (_, received):
        await ana.dm(f"{slack.mention} hello")
        await slack.settled()
    [request] = received
    assert (request.payload["event"]["type"], request.payload["event"]["channel_type"]) == ("message", "im")


async def test_the_bot_is_not_told_of_channels_in_which_it_is_not(slack: SlackStandIn, client: AsyncWebClient) -> None:
    ana = slack.person("ana")
    elsewhere = slack.channel("elsewhere", ana, with_bot=False)
    message = await ana.ask(elsewhere, "hello?")
    assert slack.deliveries_of(message) == []


async def test_a_slash_command_is_answered_by_its_acknowledgement_and_its_response_url(
    slack: SlackStandIn, client: AsyncWebClient
) -> None:
    ana, luis = slack.person("ana"), slack.person("luis")
    general = slack.channel("general", ana, luis)
    async with running_bolt(slack, client):
        delivery = await ana.slash("/rag", "holidays", general)
        await slack.wait_for_message(general, "found")
    assert delivery.kind is DeliveryKind.SLASH and delivery.error is None
    # in no certain order: Bolt looks for what `ack` was given every 10 ms only
    assert {visible_text(message) for message in ana.sees(general)} == {"looking for holidays", "found"}
    assert luis.sees(general) == []


async def test_an_event_that_nobody_acknowledges_is_sent_again_with_its_number(
    slack: SlackStandIn, client: AsyncWebClient
) -> None:
    slack.sockets._ack_seconds = 0.02
    ana = slack.person("ana")
    async with connected(slack, client, ignore) as (_, received):
        message = await ana.dm("hello?")
        await slack.settled()
    assert [request.retry_attempt for request in received] == [0, 1, 2, 3]
    assert [request.retry_reason for request in received] == ["", "timeout", "timeout", "timeout"]
    assert len({request.payload["event_id"] for request in received}) == 1
    assert len({request.envelope_id for request in received}) == 4
    [delivery] = slack.deliveries_of(message)
    assert not delivery.acknowledged and delivery.error == "operation_timeout"


async def test_a_command_that_nobody_acknowledges_shows_the_person_an_error(
    slack: SlackStandIn, client: AsyncWebClient
) -> None:
    slack.sockets._ack_seconds = 0.02
    ana = slack.person("ana")
    general = slack.channel("general", ana)
    async with connected(slack, client, ignore):
        await ana.slash("/rag", "x", general)
    [message] = ana.sees(general)
    assert message.text == "/rag failed with the error “operation_timeout”"


async def test_only_the_retry_arrives_when_the_first_delivery_is_lost(
    slack: SlackStandIn, client: AsyncWebClient
) -> None:
    ana = slack.person("ana")
    slack.faults.lose_next()
    async with connected(slack, client, acknowledge) as (_, received):
        await ana.dm("hello?")
        await slack.settled()
    assert [request.retry_attempt for request in received] == [1]


async def test_a_delivery_is_duplicated_as_if_it_were_retried(slack: SlackStandIn, client: AsyncWebClient) -> None:
    ana = slack.person("ana")
    slack.faults.duplicate_next(2, as_retries=True)
    async with connected(slack, client, acknowledge) as (_, received):
        await ana.dm("hello?")
        await slack.wait_until(lambda: len(received) == 3)
    assert sorted(request.retry_attempt or 0 for request in received) == [0, 1, 2]
    assert len({request.payload["event_id"] for request in received}) == 1


async def test_deliveries_are_reordered(slack: SlackStandIn, client: AsyncWebClient) -> None:
    ana = slack.person("ana")
    slack.faults.reorder_next(3)
    async with connected(slack, client, acknowledge) as (_, received):
        for text in ("one", "two", "three"):
            await ana.dm(text)
        await slack.settled()
    assert [request.payload["event"]["text"] for request in received] == ["three", "two", "one"]


async def test_the_client_reconnects_when_slack_asks_for_it(slack: SlackStandIn, client: AsyncWebClient) -> None:
    ana = slack.person("ana")
    async with connected(slack, client, acknowledge) as (_, received):
        await slack.sockets.refresh()
        await slack.wait_until(lambda: slack.sockets.connections == 2)
        await ana.dm("still there?")
        await slack.settled()
    assert len(received) == 1


async def test_nothing_is_lost_when_the_socket_is_cut(slack: SlackStandIn, client: AsyncWebClient) -> None:
    ana = slack.person("ana")
    async with connected(slack, client, acknowledge) as (_, received):
        await slack.sockets.drop()
        await ana.dm("are you back?")
        await slack.wait_until(lambda: slack.sockets.connections == 2)
        await slack.settled()
    assert [request.payload["event"]["text"] for request in received] == ["are you back?"]


async def test_an_event_whose_socket_is_cut_before_the_acknowledgement_comes_again(
    slack: SlackStandIn, client: AsyncWebClient
) -> None:
    ana = slack.person("ana")
    cut = asyncio.Event()

    async def cut_first(source: AsyncBaseSocketModeClient, request: SocketModeRequest) -> None:
        if not cut.is_set():
            cut.set()
            await slack.sockets.drop()
        else:
            await acknowledge(source, request)

    async with connected(slack, client, cut_first) as (_, received):
        await ana.dm("hello?")
        await slack.settled()
    assert [request.retry_attempt for request in received] == [0, 1]
    assert received[1].retry_reason == "connection_failed"


async def test_several_sockets_take_turns(slack: SlackStandIn, client: AsyncWebClient) -> None:
    ana = slack.person("ana")
    async with (
        connected(slack, client, acknowledge) as (_, first),
        connected(slack, client, acknowledge) as (_, second),
    ):
        await slack.wait_for_sockets(2)
        for number in range(4):
            await ana.dm(str(number))
        await slack.settled()
    assert (len(first), len(second)) == (2, 2)


async def test_a_ticket_works_once(slack: SlackStandIn, client: AsyncWebClient) -> None:
    url = (await client.apps_connections_open(app_token=slack.app.app_token))["url"]
    async with connected(slack, client, acknowledge) as (sockets, _):
        session = sockets.aiohttp_client_session
        async with session.ws_connect(url) as websocket:
            assert (await websocket.receive_json())["type"] == "hello"
        with pytest.raises(Exception, match=r"Invalid response status|408"):
            await session.ws_connect(url)


async def test_events_that_the_app_does_not_subscribe_to_are_not_sent() -> None:
    async with SlackStandIn(AppConfig(events=frozenset({"app_mention"}))) as slack:
        ana = slack.person("ana")
        general = slack.channel("general", ana)
        message = await ana.ask(general, "hello")
        assert [delivery.name for delivery in slack.deliveries_of(message)] == ["app_mention"]
        assert await ana.open_home() is None


async def test_the_bot_hears_itself_and_bolt_keeps_quiet_about_it(slack: SlackStandIn, client: AsyncWebClient) -> None:
    ana = slack.person("ana")
    general = slack.channel("general", ana)
    async with running_bolt(slack, client):
        posted = await client.chat_postMessage(channel=general.id, text=f"{slack.mention} is my name")
        await client.chat_update(channel=general.id, ts=posted["ts"], text="changed")
        await slack.settled()
    own = [delivery.event for delivery in slack.deliveries]
    assert [event.get("subtype", event["type"]) for event in own] == ["message", "app_mention", "message_changed"]
    assert own[0]["bot_id"] == slack.app.bot_id
    assert all(delivery.acknowledged for delivery in slack.deliveries)
    assert len(slack.bot_messages(general)) == 1
