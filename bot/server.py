"""Serving Slack: Socket Mode with an app token, else signed HTTP; and the pages for whoever watches over the bot.

Socket Mode      /healthz /metrics          and a websocket that the bot opens
HTTP             /healthz /metrics /slack/events
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import aiohttp
from aiohttp import web
from prometheus_client import CONTENT_TYPE_LATEST
from slack_bolt.adapter.aiohttp import to_aiohttp_response, to_bolt_request
from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.errors import SlackClientError
from slack_sdk.socket_mode.aiohttp import SocketModeClient

from bot.app import build_app
from bot.services import Services
from bot.slack_client import SlackRefusedError, slack_errors
from core.errors import SettingsError, SlackError, StorageError
from core.settings import Settings

logger = logging.getLogger("testigo.server")

EVENTS_PATH = "/slack/events"
HEALTH_PATH = "/healthz"
METRICS_PATH = "/metrics"
LARGEST_REQUEST = 2 * 1024 * 1024
PING_SECONDS = 5.0
"""How often the websocket is tried out; one that died without a sign is noticed within some of them."""
LOOK_SECONDS = 0.2
"""How often it is looked whether the websocket was cut."""
WRONG_TOKEN = frozenset(
    {"account_inactive", "invalid_auth", "missing_scope", "not_allowed_token_type", "not_authed", "token_revoked"}
)
STUCK_SECONDS = 30.0
"""After so long without a websocket it is opened anew from the start: the SDK tries an address whose single-use ticket
is spent for ever (slack-sdk 3.48, `SocketModeClient.connect`)."""


async def serve(
    settings: Settings,
    services: Services,
    stop: asyncio.Event,
    *,
    ready: asyncio.Event | None = None,
    ping_seconds: float = PING_SECONDS,
) -> None:
    """Serve until `stop` is set, then end in order: no new events, the work that is going on, the rest.

    Args:
        settings: which transport, and where to listen.
        services: the parts of the bot; they stay open.
        stop: set it to end.
        ready: is set once events can come in.
        ping_seconds: how often the websocket is tried out.

    Raises:
        SettingsError: there is neither an app token nor a signing secret, or the port is taken.
    """
    app = build_app(services)
    work_is_over = asyncio.Event()
    worker = asyncio.create_task(services.worker.run(work_is_over), name="worker")
    try:
        if settings.slack_app_token is not None:
            socket = _Socket(app, settings.slack_app_token.get_secret_value(), ping_seconds)
            async with _http_server(settings, services, None, socket), socket.open():
                await _until_stopped(stop, ready, worker)
        else:
            if settings.slack_signing_secret is None or not settings.slack_signing_secret.get_secret_value():
                raise SettingsError(
                    "Set SLACK_APP_TOKEN (xapp-…, for Socket Mode) or SLACK_SIGNING_SECRET (for HTTP) in .env."
                )
            async with _http_server(settings, services, app, None):
                await _until_stopped(stop, ready, worker)
    finally:
        work_is_over.set()
        await worker


async def _until_stopped(stop: asyncio.Event, ready: asyncio.Event | None, worker: asyncio.Task[None]) -> None:
    if ready is not None:
        ready.set()
    stopping = asyncio.ensure_future(stop.wait())
    try:
        await asyncio.wait({stopping, worker}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        stopping.cancel()


class _Socket:
    """The websocket to Slack, opened anew whenever it is gone for too long."""

    def __init__(self, app: AsyncApp, app_token: str, ping_seconds: float) -> None:
        self._app = app
        self._app_token = app_token
        self._ping_seconds = ping_seconds
        self._handler: AsyncSocketModeHandler | None = None
        self._logger = logging.getLogger("testigo.socket")
        self._logger.setLevel(logging.INFO)  # at DEBUG the SDK writes every message down

    async def is_connected(self) -> bool:
        """Whether events can come in."""
        return self._handler is not None and await self._handler.client.is_connected()

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Keep the websocket open within this block.

        Raises:
            SettingsError: Slack does not take the app token.
        """
        await self._check_token()
        first = asyncio.Event()
        keeping = asyncio.create_task(self._keep(first), name="socket")
        try:
            waiting = asyncio.ensure_future(first.wait())
            await asyncio.wait({waiting, keeping}, return_when=asyncio.FIRST_COMPLETED)
            waiting.cancel()
            yield
        finally:
            keeping.cancel()
            with suppress(asyncio.CancelledError):
                await keeping
            await self._close()

    async def _check_token(self) -> None:
        """Try the token out: the SDK would go on trying one that is wrong, for ever."""
        try:
            with slack_errors("apps.connections.open"):
                await self._app.client.apps_connections_open(app_token=self._app_token)
        except SlackRefusedError as error:
            if error.code in WRONG_TOKEN:
                raise SettingsError(
                    f"Slack does not take SLACK_APP_TOKEN ({error.code}): copy the app-level token (xapp-…, with the "
                    "scope connections:write) from the app's page into .env."
                ) from None
        except SlackError as error:
            self._logger.warning("%s It is tried again.", error)

    async def _keep(self, first: asyncio.Event) -> None:
        while True:
            await self._close()
            self._handler = AsyncSocketModeHandler(
                self._app, self._app_token, logger=self._logger, ping_interval=self._ping_seconds
            )
            connecting = asyncio.create_task(self._connect(self._handler))
            try:
                await asyncio.wait({connecting}, timeout=STUCK_SECONDS)
                if connecting.done() and connecting.exception() is None:
                    first.set()
                    await self._watch(self._handler.client)
            finally:
                connecting.cancel()
            self._logger.warning("no websocket to Slack for %d s: opening it anew", STUCK_SECONDS)

    async def _connect(self, handler: AsyncSocketModeHandler) -> None:
        await handler.client.connect()  # type: ignore[no-untyped-call]  # slack_sdk leaves it without annotations

    async def _watch(self, client: SocketModeClient) -> None:
        """Wait until the websocket has been gone for too long; a cut one is opened anew at once, if that works."""
        seen = time.monotonic()
        cut = None
        while time.monotonic() - seen < STUCK_SECONDS:
            await asyncio.sleep(LOOK_SECONDS)
            session = client.current_session
            if session is not None and session.closed and session is not cut:
                cut = session
                await self._open_again(client)
            if await self.is_connected():
                seen = time.monotonic()

    async def _open_again(self, client: SocketModeClient) -> None:
        """Open a websocket in place of a cut one, once: the SDK, which looks only at each ping, sees to the rest."""
        try:
            await client.connect_to_new_endpoint()
        except (SlackClientError, aiohttp.ClientError, TimeoutError, OSError) as error:
            self._logger.info("a cut websocket is not opened at once (%s)", type(error).__name__)

    async def _close(self) -> None:
        handler, self._handler = self._handler, None
        if handler is None:
            return
        client = handler.client
        # `close` cancels these and does not wait for them (slack-sdk 3.48).
        tasks = [client.message_processor, client.current_session_monitor, client.message_receiver]
        try:
            if client.current_session is not None:
                await client.close()  # type: ignore[no-untyped-call]  # as above
            else:
                client.closed = True
                client.message_processor.cancel()
                await client.aiohttp_client_session.close()
        except (aiohttp.ClientError, OSError) as error:
            self._logger.warning("the websocket did not close well (%s)", type(error).__name__)
        await asyncio.gather(*(task for task in tasks if task is not None), return_exceptions=True)


@asynccontextmanager
async def _http_server(
    settings: Settings, services: Services, app: AsyncApp | None, socket: _Socket | None
) -> AsyncIterator[None]:
    """Serve the pages, and Slack's requests if there is an app for them."""
    pages = _Pages(services, app, socket)
    server = web.Application(client_max_size=LARGEST_REQUEST)
    server.router.add_get(HEALTH_PATH, pages.health)
    server.router.add_get(METRICS_PATH, pages.metrics)
    if app is not None:
        server.router.add_post(EVENTS_PATH, pages.events)
    runner = web.AppRunner(server, access_log=None, handle_signals=False)
    await runner.setup()
    try:
        site = web.TCPSite(runner, settings.http_host, settings.http_port)
        try:
            await site.start()
        except OSError as error:
            raise SettingsError(
                f"Port {settings.http_port} at {settings.http_host} cannot be listened on ({error.strerror}): "
                "end the program that has it, or set TESTIGO_HTTP_PORT."
            ) from error
        logger.info("listening on %s", ", ".join(f"{host}:{port}" for host, port, *_ in runner.addresses))
        services.listening[:] = [int(port) for _, port, *_ in runner.addresses]
        yield
    finally:
        await runner.cleanup()


class _Pages:
    """What is answered over HTTP."""

    def __init__(self, services: Services, app: AsyncApp | None, socket: _Socket | None) -> None:
        self._services = services
        self._app = app
        self._socket = socket

    async def events(self, request: web.Request) -> web.Response:
        """Slack's events, commands and clicks; Bolt checks the signature and that it is at most five minutes old."""
        assert self._app is not None
        return await to_aiohttp_response(await self._app.async_dispatch(await to_bolt_request(request)))

    async def health(self, request: web.Request) -> web.Response:
        """200 when events can be taken and worked on, else 503 and what is wrong."""
        checks = {"worker": self._services.worker.is_alive, "database": True}
        try:
            await self._services.ledger.open_count()
        except StorageError:
            checks["database"] = False
        if self._socket is not None:
            checks["slack"] = await self._socket.is_connected()
        well = all(checks.values())
        return web.json_response({"ok": well, **checks}, status=200 if well else 503)

    async def metrics(self, request: web.Request) -> web.Response:
        """Numbers for Prometheus."""
        with suppress(StorageError):
            self._services.metrics.open_events.set(await self._services.ledger.open_count())
        body = self._services.metrics.text()
        return web.Response(body=body, headers={"Content-Type": CONTENT_TYPE_LATEST})
