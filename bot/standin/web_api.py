"""The Web API over HTTP: tokens, scopes, arguments, planned faults; then the handler of the method."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from aiohttp import web

from bot.standin.api import HANDLERS, Backstage
from bot.standin.arguments import Arguments, read_arguments
from bot.standin.faults import ApiFault, Faults
from bot.standin.methods import COMMON_ERRORS, METHODS, Method, TokenKind
from bot.standin.model import Json
from bot.standin.problems import ApiError, Violation


@dataclass(slots=True)
class ApiCall:
    """One request that the bot made: with its answer, the scopes it needed, and when it came (real seconds)."""

    method: str
    arguments: Json
    answer: Json = field(default_factory=dict)
    status: int = 200
    scopes: frozenset[str] = frozenset()
    at: float = field(default_factory=time.perf_counter)

    @property
    def ok(self) -> bool:
        """Whether Slack did what was asked and said so."""
        return bool(self.answer.get("ok")) and self.status == 200


class WebApi:
    """Answers `/api/<method>`; keeps every call in `calls` and every breach in `violations`."""

    def __init__(self, backstage: Backstage, faults: Faults, *, on_change: Callable[[], None]) -> None:
        self._backstage = backstage
        self._faults = faults
        self._on_change = on_change
        self._checks: list[Callable[[str, Json], list[str]]] = []
        self.calls: list[ApiCall] = []
        self.violations: list[Violation] = []

    def add_check(self, check: Callable[[str, Json], list[str]]) -> None:
        """Also run `check(method, arguments)` on every call; what it lists becomes violations."""
        self._checks.append(check)

    def violate(self, method: str, error: str, detail: str, arguments: Json) -> None:
        """Record a breach."""
        self.violations.append(Violation(method, error, detail, arguments))

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answer one request."""
        name = request.match_info["method"]
        call = ApiCall(name, {})
        self.calls.append(call)
        try:
            call.arguments = await read_arguments(request)
        except ApiError as error:
            self._refuse(call, error)
            return web.json_response(call.answer)
        token = request.headers.get("Authorization", "").removeprefix("Bearer ") or call.arguments.pop("token", "")
        fault = self._faults.take(name, call.arguments)
        if fault is None or fault.after_processing:
            self._process(call, token)
        self._on_change()
        return (
            web.json_response(call.answer, headers=self._headers(call))
            if fault is None
            else await self._fail(call, fault, token, request)
        )

    def _process(self, call: ApiCall, token: str) -> None:
        try:
            call.answer = {"ok": True, **self._answer(call, token)}
        except ApiError as error:
            self._refuse(call, error)

    def _answer(self, call: ApiCall, token: str) -> Json:
        method = METHODS.get(call.method)
        if method is None:
            raise ApiError("unknown_method", is_violation=True, req_method=call.method)
        self._authenticate(method, token)
        args = Arguments(method, call.arguments)
        for name in args.unknown():
            self.violate(call.method, "unknown_argument", name, call.arguments)
        for check in self._checks:
            for detail in check(call.method, args.raw):
                self.violate(call.method, "schema", detail, call.arguments)
        call.scopes = self._needed_scopes(method, args)
        granted = self._backstage.app.app_scopes if method.token is TokenKind.APP else self._backstage.app.scopes
        if not call.scopes <= granted:
            needed, provided = ",".join(sorted(call.scopes)), ",".join(sorted(granted))
            raise ApiError("missing_scope", is_violation=True, needed=needed, provided=provided)
        args.check()
        try:
            return HANDLERS[call.method](self._backstage, args)
        except ApiError as error:
            if error.error not in method.errors | COMMON_ERRORS:
                raise AssertionError(f"{call.method} is not documented to answer {error.error}") from error
            raise

    def _authenticate(self, method: Method, token: str) -> None:
        app = self._backstage.app
        kinds = {app.bot_token: TokenKind.BOT, app.app_token: TokenKind.APP}
        if not token:
            raise ApiError("not_authed", is_violation=True)
        if token not in kinds:
            raise ApiError("invalid_auth")
        if kinds[token] is not method.token and method.name != "auth.test":
            raise ApiError("not_allowed_token_type", is_violation=True)

    def _needed_scopes(self, method: Method, args: Arguments) -> frozenset[str]:
        needed = set(method.scopes)
        if method.conversation_scope and args.has("channel"):
            channel = self._backstage.workspace.channel_named(args.text("channel"))
            if channel is not None and (not channel.is_private or self._backstage.is_member(channel)):
                needed.add(f"{channel.kind.scope_prefix}:{method.conversation_scope}")
        if method.name != "users.info" and any(args.has(name) for name in ("username", "icon_emoji", "icon_url")):
            needed.add("chat:write.customize")
        return frozenset(needed)

    def _refuse(self, call: ApiCall, error: ApiError) -> None:
        call.answer = error.answer()
        if error.is_violation:
            self.violate(call.method, error.error, str(error), call.arguments)

    def _headers(self, call: ApiCall) -> dict[str, str]:
        return {
            "x-oauth-scopes": ",".join(sorted(self._backstage.app.scopes)),
            "x-accepted-oauth-scopes": ",".join(sorted(call.scopes)),
        }

    async def _fail(self, call: ApiCall, fault: ApiFault, token: str, request: web.Request) -> web.StreamResponse:
        if fault.delay:
            await asyncio.sleep(fault.delay)
        if fault.hang:
            await self._faults.hang()
        if fault.hang or fault.drop:
            call.status = 0
            if request.transport is not None:
                request.transport.abort()
            return web.Response(status=500)
        if fault.status is not None:
            call.status = fault.status
            return web.Response(status=fault.status, text="upstream error", content_type="text/html")
        if fault.error is None:
            if not fault.after_processing:
                self._process(call, token)
                self._on_change()
            return web.json_response(call.answer, headers=self._headers(call))
        call.answer = {"ok": False, "error": fault.error}
        if fault.error in ("ratelimited", "rate_limited"):
            call.status = 429
            retry_after = 1 if fault.retry_after is None else fault.retry_after
            return web.json_response(call.answer, status=429, headers={"Retry-After": str(retry_after)})
        return web.json_response(call.answer)
