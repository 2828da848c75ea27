"""Socket Mode: the websockets that the bot opens, and the envelopes that travel through them.

Follows https://docs.slack.dev/apis/events-api/using-socket-mode.
"""

import asyncio
import contextlib
import itertools
import json
from collections.abc import Callable
from dataclasses import dataclass, field

from aiohttp import WSMsgType, web

from bot.standin import limits
from bot.standin.app_config import AppConfig
from bot.standin.clock import Clock, within
from bot.standin.delivery import Attempt, Delivery, DeliveryKind, Outcome
from bot.standin.model import Json


@dataclass(slots=True, eq=False)
class Socket:
    """One open websocket and the envelopes sent through it that are not acknowledged yet."""

    number: int
    websocket: web.WebSocketResponse
    transport: asyncio.Transport | None
    retiring: bool = False
    pending: dict[str, asyncio.Future[Json | None]] = field(default_factory=dict)


class SocketModeServer:
    """The server's end of Socket Mode; a `Transport` for the courier."""

    def __init__(self, app: AppConfig, clock: Clock, *, ack_seconds: float, on_change: Callable[[], None]) -> None:
        self._app = app
        self._clock = clock
        self._ack_seconds = ack_seconds
        self._on_change = on_change
        self._numbers = itertools.count(1)
        self._tickets: set[str] = set()
        self._turn = itertools.count()
        self._opened = asyncio.Event()
        self.sockets: list[Socket] = []
        self.connections = 0
        """How many websockets were ever opened."""

    def issue_ticket(self) -> str:
        """Make the single-use ticket of one websocket address."""
        ticket = f"ticket-{next(self._numbers)}"
        self._tickets.add(ticket)
        return ticket

    async def accept(self, request: web.Request) -> web.StreamResponse:
        """Serve one websocket until it closes."""
        if request.query.get("ticket") not in self._tickets:
            return web.Response(status=408, text="invalid ticket")
        self._tickets.discard(request.query["ticket"])
        websocket = web.WebSocketResponse()
        await websocket.prepare(request)
        if len(self._live()) >= limits.SOCKETS:
            await websocket.send_json({"type": "disconnect", "reason": "too_many_websockets"})
            await websocket.close()
            return websocket
        socket = Socket(next(self._numbers), websocket, request.transport)
        self.sockets.append(socket)
        self.connections += 1
        try:
            await websocket.send_json(self._hello())
            self._opened.set()
            self._on_change()
            await self._listen(socket)
        finally:
            self._forget(socket)
        return websocket

    async def send(self, delivery: Delivery, attempt: Attempt) -> Outcome:
        """Send an envelope through one of the sockets, in turn, and wait for its acknowledgement."""
        socket = await self._next_socket()
        if socket is None:
            return Outcome(acknowledged=False, reason="connection_failed")
        envelope_id = f"envelope-{next(self._numbers)}"
        answer: asyncio.Future[Json | None] = asyncio.get_running_loop().create_future()
        socket.pending[envelope_id] = answer
        try:
            await socket.websocket.send_json(_envelope(envelope_id, delivery, attempt))
        except (ConnectionError, RuntimeError):
            return Outcome(acknowledged=False, reason="connection_failed")
        if not await within(self._clock, self._ack_seconds, answer):
            socket.pending.pop(envelope_id, None)
            reason = "connection_failed" if answer.cancelled() else "timeout"
            return Outcome(acknowledged=False, reason=reason)
        return Outcome(acknowledged=True, answer=answer.result())

    async def refresh(self, reason: str = "refresh_requested") -> None:
        """Tell every socket to reconnect, as Slack does now and then (`warning` announces it 10 s ahead).

        After any reason but `warning`, Slack sends nothing more through the socket.
        """
        for socket in self._live():
            await self.disconnect(socket, reason)

    async def disconnect(self, socket: Socket, reason: str = "refresh_requested") -> None:
        """Send a disconnect frame through one socket."""
        socket.retiring = reason != "warning"
        with contextlib.suppress(ConnectionError, RuntimeError):
            await socket.websocket.send_json(
                {"type": "disconnect", "reason": reason, "debug_info": {"host": "standin"}}
            )

    async def drop(self, socket: Socket | None = None) -> None:
        """Cut one socket, or all of them, without a word."""
        for victim in [socket] if socket else list(self.sockets):
            if victim.transport is not None:
                victim.transport.abort()
            self._forget(victim)

    async def close(self) -> None:
        """Close every socket properly."""
        for socket in list(self.sockets):
            with contextlib.suppress(ConnectionError, RuntimeError):
                await socket.websocket.close()

    def _live(self) -> list[Socket]:
        return [socket for socket in self.sockets if not socket.retiring and not socket.websocket.closed]

    async def _next_socket(self) -> Socket | None:
        if not self._live():
            self._opened.clear()
            opened = asyncio.ensure_future(self._opened.wait())
            try:
                await within(self._clock, self._ack_seconds, opened)
            finally:
                opened.cancel()
        live = self._live()
        return live[next(self._turn) % len(live)] if live else None

    async def _listen(self, socket: Socket) -> None:
        async for frame in socket.websocket:
            if frame.type is not WSMsgType.TEXT:
                continue
            message: Json = json.loads(frame.data)
            waiting = socket.pending.pop(str(message.get("envelope_id")), None)
            if waiting is not None and not waiting.done():
                waiting.set_result(message.get("payload"))

    def _forget(self, socket: Socket) -> None:
        if socket in self.sockets:
            self.sockets.remove(socket)
        for waiting in socket.pending.values():
            waiting.cancel()
        socket.pending.clear()
        self._on_change()

    def _hello(self) -> Json:
        return {
            "type": "hello",
            "num_connections": len(self.sockets),
            "debug_info": {"host": "standin", "build_number": 1, "approximate_connection_time": 18060},
            "connection_info": {"app_id": self._app.app_id},
        }


def _envelope(envelope_id: str, delivery: Delivery, attempt: Attempt) -> Json:
    envelope: Json = {
        "envelope_id": envelope_id,
        "type": delivery.kind.value,
        "payload": delivery.payload,
        "accepts_response_payload": delivery.kind is not DeliveryKind.EVENT,
    }
    if delivery.kind is DeliveryKind.EVENT:
        envelope |= {"retry_attempt": attempt.number, "retry_reason": attempt.reason}
    return envelope
