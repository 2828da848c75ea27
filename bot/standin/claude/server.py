"""The loopback server: takes requests, checks them, plays the script, remembers what was asked."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections import deque
from collections.abc import Mapping
from types import TracebackType
from typing import Any

from aiohttp import web
from anthropic.types import MessageTokensCount

from bot.standin.claude import rendering
from bot.standin.claude.faults import CleanCut, Corrupt, Drop, ErrorEvent, Hangup, HttpFault, Silent, Stall, StreamFault
from bot.standin.claude.prompt_cache import PromptCache, prompt_tokens
from bot.standin.claude.recording import RecordedRequest
from bot.standin.claude.rejection import Rejection
from bot.standin.claude.replies import Chunking, Reply, Step
from bot.standin.claude.request_checks import check_count_request, check_headers, check_message_request

_MAX_BODY = 32 * 1024 * 1024
_STATUS_OF = {"overloaded_error": 529, "rate_limit_error": 429, "timeout_error": 504}


class ClaudeStandIn:
    """Anthropic's Messages API on 127.0.0.1, for one test or one playground.

    `script` queues what the next requests get; `always` sets what they get when the queue is empty. `requests` holds
    every request in order, rejected ones too; `counted` those that only asked to count tokens, `abandoned` those whose
    client went away before the last token of its answer.
    """

    def __init__(self, api_key: str = "sk-ant-stand-in", *, chunking: Chunking | None = None) -> None:
        self.api_key = api_key
        self.requests: list[RecordedRequest] = []
        self.counted: list[RecordedRequest] = []
        self.abandoned: list[RecordedRequest] = []
        self._was_abandoned = asyncio.Event()
        self.base_url = ""
        self._chunking = chunking or Chunking()
        self._steps: deque[Step] = deque()
        self._always: Step | None = None
        self._cache = PromptCache()
        self._numbers = itertools.count(1)
        self._runner: web.AppRunner | None = None
        self._stopping = asyncio.Event()

    async def __aenter__(self) -> ClaudeStandIn:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    def script(self, *steps: Step) -> None:
        """Queue what the next requests get, one step each."""
        self._steps.extend(steps)

    def always(self, step: Step) -> None:
        """What a request gets when the queue is empty."""
        self._always = step

    async def wait_until_abandoned(self) -> None:
        """Wait until a client has gone away before the last token of its answer."""
        await self._was_abandoned.wait()

    @property
    def unplayed(self) -> int:
        """How many queued steps no request has come for."""
        return len(self._steps)

    async def start(self, port: int = 0) -> None:
        """Listen on 127.0.0.1, on a free port unless one is given; `base_url` says where."""
        app = web.Application(client_max_size=_MAX_BODY)
        app.router.add_post("/v1/messages", self._messages)
        app.router.add_post("/v1/messages/count_tokens", self._count)
        # handler_cancellation: a stalled answer ends when its client goes away.
        self._runner = web.AppRunner(app, handler_cancellation=True, access_log=None, shutdown_timeout=1.0)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", port)
        await site.start()
        self.base_url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"

    async def stop(self) -> None:
        """Stop listening; stalled answers end."""
        self._stopping.set()
        if self._runner is not None:
            await self._runner.cleanup()

    async def _count(self, http: web.Request) -> web.StreamResponse:
        request = await self._received(http, check_count_request)
        self.counted.append(request)
        if request.rejection:
            return _error_response(request.rejection, self._request_id())
        count = MessageTokensCount(input_tokens=prompt_tokens(request.body))
        return web.json_response(count.model_dump(mode="json"), headers={"request-id": self._request_id()})

    async def _messages(self, http: web.Request) -> web.StreamResponse:
        request = await self._received(http, check_message_request)
        self.requests.append(request)
        if request.rejection:
            return _error_response(request.rejection, self._request_id())
        match self._next_step(request):
            case HttpFault() as fault:
                return _fault_response(fault, self._request_id())
            case Silent():
                await self._stopping.wait()
                return _hung_up(http)
            case Hangup():
                return _hung_up(http)
            case Reply() as reply:
                try:
                    return await self._reply(http, request, rendering.finished_reply(reply, request))
                except (asyncio.CancelledError, ConnectionError):
                    self.abandoned.append(request)
                    self._was_abandoned.set()
                    raise
                except rendering.ScriptError as error:
                    return _error_response(Rejection(f"The stand-in's script is wrong: {error}."), self._request_id())

    async def _received(self, http: web.Request, check: Any) -> RecordedRequest:
        headers = {name.lower(): value for name, value in http.headers.items()}
        body: Any = {}
        try:
            check_headers(headers, self.api_key)
            body = json.loads(await http.read())
            check(body)
        except Rejection as rejection:
            return RecordedRequest(http.path, headers, body if isinstance(body, dict) else {}, rejection)
        except web.HTTPRequestEntityTooLarge:
            too_large = Rejection("Request exceeds the maximum size", status=413, kind="request_too_large")
            return RecordedRequest(http.path, headers, {}, too_large)
        except ValueError as error:
            return RecordedRequest(http.path, headers, {}, Rejection(f"The request body is not valid JSON: {error}"))
        return RecordedRequest(http.path, headers, body)

    def _next_step(self, request: RecordedRequest) -> Reply | HttpFault | Silent | Hangup:
        step = self._steps.popleft() if self._steps else self._always
        while callable(step):
            step = step(request)
        if step is None:
            return HttpFault(400, "invalid_request_error", "The stand-in has nothing left in its script.")
        if isinstance(step, str | Mapping):
            return Reply.text(step)
        return step

    async def _reply(self, http: web.Request, request: RecordedRequest, reply: Reply) -> web.StreamResponse:
        message_id = f"msg_{next(self._numbers):024d}"
        usage = self._cache.usage(request.body, rendering.output_tokens(reply))
        headers = {"request-id": self._request_id()}
        if not request.stream:
            return await self._whole(http, reply, rendering.whole_message(reply, request, message_id, usage), headers)
        chunking = reply.chunking or self._chunking
        # All made before the status is sent: a mistake in the script becomes an HTTP error, not a broken stream.
        frames = list(rendering.stream_frames(reply, request, message_id, usage, chunking))
        response = web.StreamResponse(headers={**headers, "cache-control": "no-cache"})
        response.content_type = "text/event-stream"
        response.charset = "utf-8"
        response.enable_chunked_encoding()
        await response.prepare(http)
        await self._play(http, response, frames, reply.fault, chunking)
        return response

    async def _whole(
        self, http: web.Request, reply: Reply, message: str, headers: Mapping[str, str]
    ) -> web.StreamResponse:
        match reply.fault:
            case None | CleanCut():
                return web.Response(text=message, content_type="application/json", headers=headers)
            case ErrorEvent(_, kind, said):
                return _fault_response(HttpFault(_STATUS_OF.get(kind, 500), kind, said), headers["request-id"])
            case Corrupt():
                return web.Response(text=message[: len(message) // 2], content_type="application/json", headers=headers)
            case Stall():
                await self._stopping.wait()
        return _hung_up(http)

    async def _play(
        self,
        http: web.Request,
        response: web.StreamResponse,
        frames: list[rendering.Frame],
        fault: StreamFault | None,
        chunking: Chunking,
    ) -> None:
        limit = None if fault is None else fault.after
        written = 0
        for frame in frames:
            if limit is None and fault is not None and frame.event == "message_delta":
                break
            if limit is not None and frame.characters and written + frame.characters >= limit:
                if limit > written:
                    frame = rendering.shortened(frame, limit - written)
                    await _write(response, frame.encoded(), chunking)
                break
            await _write(response, frame.encoded(), chunking)
            written += frame.characters
            if chunking.pause and frame.characters:
                await asyncio.sleep(chunking.pause)
        match fault:
            case ErrorEvent(_, kind, said):
                error = json.dumps({"type": "error", "error": {"type": kind, "message": said}})
                await _write(response, rendering.Frame("error", error).encoded(), chunking)
            case Corrupt(_, data):
                await _write(response, b"event: content_block_delta\ndata: " + data + b"\n\n", chunking)
            case Stall():
                await self._stopping.wait()
            case Drop() if http.transport is not None:
                http.transport.close()

    def _request_id(self) -> str:
        return f"req_{next(self._numbers):024d}"


async def _write(response: web.StreamResponse, data: bytes, chunking: Chunking) -> None:
    size = chunking.wire_bytes or len(data)
    for at in range(0, len(data), size):
        await response.write(data[at : at + size])


def _hung_up(http: web.Request) -> web.StreamResponse:
    if http.transport is not None:
        http.transport.close()
    return web.Response()


def _error_response(rejection: Rejection, request_id: str) -> web.Response:
    return _fault_response(HttpFault(rejection.status, rejection.kind, rejection.message), request_id)


def _fault_response(fault: HttpFault, request_id: str) -> web.Response:
    headers = {"request-id": request_id, **fault.headers}
    if fault.type is None:
        return web.Response(status=fault.status, text=fault.message, content_type="text/html", headers=headers)
    error = {"type": "error", "error": {"type": fault.type, "message": fault.message}, "request_id": request_id}
    return web.json_response(error, status=fault.status, headers=headers)
