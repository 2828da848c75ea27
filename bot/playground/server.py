"""The page, on loopback: its files, what a person sees as it changes, and what they do.

    GET  /?token=…          takes the token of the printed address and keeps it as a cookie
    GET  /                  the page
    GET  /static/…          its parts
    GET  /events?person=U1  server-sent events: the pieces of that person's screen that changed
    POST /act               something that a person does

Whoever opens the address may be anybody in the workspace: that is what it is for. Nobody else may: it listens on
127.0.0.1 only, wants the token, and refuses requests from another page (`Host`, `Origin`, `Sec-Fetch-Site`).
"""

from __future__ import annotations

import asyncio
import hmac
import json
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from aiohttp import web

from bot.playground.acting import RefusedError, read_act
from bot.playground.session import Session
from bot.playground.state import changes, pieces_for
from bot.standin import Json
from core.errors import SettingsError

STATIC = Path(__file__).parent / "static"
LARGEST_ACT = 256 * 1024
HEARTBEAT_SECONDS = 15.0
"""A stream is looked at this often without a change: a status leaves by time alone, and a closed page is noticed."""
NAMES = ("127.0.0.1", "localhost")
KINDS = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class PlaygroundServer:
    """Serves a session. `token` is what the address carries; by default a random one."""

    def __init__(self, session: Session, *, port: int = 0, token: str | None = None) -> None:
        self._session = session
        self._port = port
        self._token = token or secrets.token_urlsafe(24)

    @property
    def address(self) -> str:
        """What to open in a browser."""
        return f"http://127.0.0.1:{self._port}/?token={self._token}"

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[None]:
        """Serve within this block.

        Raises:
            SettingsError: the port is taken.
        """
        server = web.Application(client_max_size=LARGEST_ACT, middlewares=[self._guard])
        server.router.add_get("/", self._page)
        server.router.add_get("/static/{name}", self._static)
        server.router.add_get("/events", self._events)
        server.router.add_post("/act", self._act)
        runner = web.AppRunner(server, access_log=None, handle_signals=False, shutdown_timeout=0.5)
        await runner.setup()
        try:
            try:
                await web.TCPSite(runner, "127.0.0.1", self._port).start()
            except OSError as error:
                raise SettingsError(
                    f"Port {self._port} cannot be listened on ({error.strerror}): name another with --port."
                ) from error
            self._port = int(runner.addresses[0][1])
            yield
        finally:
            await runner.cleanup()

    # -- who may speak to it --------------------------------------------------------------------------------------

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        answer = await handler(request) if self._is_ours(request) else _refusal()
        if not answer.prepared:
            answer.headers.update(HEADERS)
        return answer

    def _is_ours(self, request: web.Request) -> bool:
        hosts = {f"{name}:{self._port}" for name in NAMES}
        if request.host not in hosts:
            return False
        if "Origin" in request.headers and request.headers["Origin"] not in {f"http://{host}" for host in hosts}:
            return False
        is_entry = request.path == "/" and request.method == "GET"
        if not is_entry and request.headers.get("Sec-Fetch-Site", "same-origin") != "same-origin":
            return False
        given = request.cookies.get(self._cookie, "")
        if is_entry and "token" in request.query:
            given = request.query["token"]
        return hmac.compare_digest(given.encode(), self._token.encode())

    @property
    def _cookie(self) -> str:
        """A name of its own: cookies of one host are shared by all its ports."""
        return f"testigo_playground_{self._port}"

    # -- the pages ------------------------------------------------------------------------------------------------

    async def _page(self, request: web.Request) -> web.StreamResponse:
        if "token" in request.query:
            answer = web.Response(status=303, headers={"Location": "/"})
            answer.set_cookie(self._cookie, self._token, httponly=True, samesite="Strict", path="/")
            return answer
        return await _file("index.html")

    async def _static(self, request: web.Request) -> web.StreamResponse:
        return await _file(request.match_info["name"])

    async def _events(self, request: web.Request) -> web.StreamResponse:
        """Send everything that a person sees, then what changes, until the page is closed."""
        slack, user_id = self._session.slack, request.query.get("person", "") or self._session.company.people[0]
        try:
            pieces_for(user_id, slack, self._session.company)
        except LookupError:
            return web.Response(status=404, text="nobody")
        response = web.StreamResponse(headers={**HEADERS, "Content-Type": "text/event-stream"})
        await response.prepare(request)
        changed = asyncio.Event()
        changed.set()
        unsubscribe = slack.subscribe(changed.set)
        sent: dict[str, Json] = {}
        try:
            while not self._session.ended.done():
                changed.clear()
                now = pieces_for(user_id, slack, self._session.company)
                news, gone = changes(sent, now)
                await response.write(_event(news, gone, whole=not sent) if news or gone else b": still here\n\n")
                sent = now
                try:
                    async with asyncio.timeout(HEARTBEAT_SECONDS):
                        await changed.wait()
                except TimeoutError:
                    continue
        except ConnectionError:
            pass
        finally:
            unsubscribe()
        return response

    async def _act(self, request: web.Request) -> web.StreamResponse:
        if request.content_type != "application/json":
            return web.json_response({"refused": "invalid"}, status=415)
        try:
            done = await self._session.actor.do(read_act(await request.text()))
        except RefusedError as error:
            return web.json_response({"refused": error.code})
        return web.json_response(done)


def _event(news: dict[str, Json], gone: list[str], *, whole: bool) -> bytes:
    data = json.dumps({"whole": whole, "set": news, "gone": gone}, ensure_ascii=False, separators=(",", ":"))
    return f"data: {data}\n\n".encode()


async def _file(name: str) -> web.Response:
    path = STATIC / name
    if path.parent != STATIC or path.suffix not in KINDS:
        return web.Response(status=404)
    try:
        body = await asyncio.to_thread(path.read_bytes)
    except OSError:
        return web.Response(status=404)
    return web.Response(body=body, content_type=KINDS[path.suffix], charset="utf-8")


def _refusal() -> web.Response:
    return web.Response(
        status=403,
        text="This is the playground of somebody at this machine. Open the address that `testigo playground` printed.",
    )
