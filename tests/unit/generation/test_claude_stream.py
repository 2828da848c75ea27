from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

import pytest

from bot.standin.claude import (
    Chunking,
    ClaudeStandIn,
    CleanCut,
    Corrupt,
    Drop,
    ErrorEvent,
    Hangup,
    HttpFault,
    Quoted,
    Reply,
    Silent,
    Stall,
    Step,
    Text,
    Thought,
    ToolUse,
    bad_gateway,
    overloaded,
    rate_limited,
    refusal,
    server_error,
    unauthorized,
)
from core.generation.backoff import Attempt, Backoff
from core.generation.claude_stream import (
    Begun,
    CitationFound,
    ClaudeMessages,
    Finished,
    SourceDocument,
    StreamEvent,
    TextDelta,
    Turn,
)
from core.generation.errors import (
    ConnectionLost,
    CutShort,
    GenerationError,
    MalformedAnswer,
    Overloaded,
    ProtocolBroken,
    RateLimited,
    Refused,
    RejectedRequest,
    TimedOut,
)
from core.generation.partial_json import AnswerableRead, AnswerEvent, AnswerReader, ClaimRead, answer_schema
from core.generation.prices import Usage

SYSTEM = "You answer from the passages. " * 100
QUESTION = (Turn("user", "<passage id=p1>22 días</passage> ¿Cuántos días?"),)
ANSWER = {
    "answerable": True,
    "language": "es",
    "claims": [
        {
            "text": 'Son 22 días "laborables" 😀.',
            "kind": "quote",
            "citations": [{"passage": "p1", "quote": "22 días laborables — año"}],
            "calculation": None,
        }
    ],
    "missing": "",
}
SOON = 1000.0
"""Far enough on the frozen clock that no test waits for it."""


@dataclass
class Clock:
    """A clock that stands still unless it is moved."""

    now: float = 0.0
    slept: list[float] = field(default_factory=list)

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def client_of(
    server: ClaudeStandIn, *, api_key: str = "", stall: float = 60.0, max_tokens: int = 8192
) -> ClaudeMessages:
    return ClaudeMessages(
        api_key or server.api_key,
        "claude-sonnet-5-5",
        base_url=server.base_url,
        stall=stall,
        max_tokens=max_tokens,
        clock=Clock(),
    )


def asked(claude: ClaudeMessages, deadline: float = SOON) -> AsyncGenerator[StreamEvent, None]:
    return claude.stream(SYSTEM, QUESTION, answer_schema(), deadline)


async def collected(events: AsyncGenerator[StreamEvent, None]) -> list[StreamEvent]:
    return [event async for event in events]


def text_of(events: Sequence[object]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


async def failure(server: ClaudeStandIn, step: Step, **options: float) -> tuple[GenerationError, str]:
    """The error that a step leads to, and the text that came before it."""
    server.script(step)
    deadline = options.pop("deadline", SOON)
    events: list[StreamEvent] = []
    async with client_of(server, stall=options.pop("stall", 60.0)) as claude:
        with pytest.raises(GenerationError) as caught:
            async for event in asked(claude, deadline):
                events.append(event)  # noqa: PERF401 - a comprehension would lose what came before the error
    assert len(server.requests) == 1, "the SDK must not retry by itself"
    return caught.value, text_of(events)


async def test_the_text_streams_and_ends_with_usage(server: ClaudeStandIn) -> None:
    server.script(ANSWER)
    async with client_of(server) as claude:
        events = await collected(asked(claude))
    assert json.loads(text_of(events)) == ANSWER
    assert len(events) > 5
    end = events[-1]
    assert isinstance(end, Finished)
    assert end.stop_reason == "end_turn"
    assert end.usage.output_tokens > 10
    assert end.request_id is not None
    assert end.request_id.startswith("req_")


CHUNKINGS = [
    Chunking(delta_chars=1),
    Chunking(delta_chars=1, wire_bytes=1),
    Chunking(delta_chars=7, wire_bytes=1),
    Chunking(delta_chars=3, wire_bytes=5, ascii_escapes=True),
    Chunking(delta_chars=1, wire_bytes=1, ascii_escapes=True),
    Chunking(delta_chars=None, wire_bytes=None),
]


@pytest.mark.parametrize("chunking", CHUNKINGS, ids=repr)
async def test_the_claims_are_the_same_however_the_stream_is_cut(server: ClaudeStandIn, chunking: Chunking) -> None:
    server.script(Reply.text(json.dumps(ANSWER, ensure_ascii=chunking.ascii_escapes), chunking=chunking))
    reader = AnswerReader()
    found = []
    async with client_of(server) as claude:
        async for event in asked(claude):
            if isinstance(event, TextDelta):
                found += reader.feed(event.text)
    reader.close()
    claims = [event.claim.text for event in found if isinstance(event, ClaimRead)]
    assert claims == ['Son 22 días "laborables" 😀.']


async def test_the_stable_prefix_is_marked_and_read_from_the_cache_the_second_time(server: ClaudeStandIn) -> None:
    server.always(ANSWER)
    async with client_of(server) as claude:
        first = (await collected(asked(claude)))[-1]
        second = (await collected(asked(claude)))[-1]
    assert [request.breakpoints for request in server.requests] == [("system.0",), ("system.0",)]
    assert isinstance(first, Finished)
    assert isinstance(second, Finished)
    assert first.usage.cache_creation_tokens > 512
    assert (first.usage.cache_read_tokens, second.usage.cache_creation_tokens) == (0, 0)
    assert second.usage.cache_read_tokens == first.usage.cache_creation_tokens
    assert server.requests[0].body["output_config"]["format"]["schema"] == answer_schema()


async def test_a_cache_of_an_hour_is_counted_apart(server: ClaudeStandIn) -> None:
    server.script(ANSWER)
    async with ClaudeMessages(
        server.api_key, "claude-sonnet-5-5", base_url=server.base_url, cache_ttl="1h", clock=Clock()
    ) as claude:
        end = (await collected(asked(claude)))[-1]
    assert isinstance(end, Finished)
    assert end.usage.cache_creation_1h_tokens == end.usage.cache_creation_tokens > 0


async def test_effort_and_thinking_are_sent_and_thoughts_are_not_passed_on(server: ClaudeStandIn) -> None:
    server.script(Reply((Thought("hm"), Text("{}"))))
    async with ClaudeMessages(
        server.api_key,
        "claude-sonnet-5-5",
        base_url=server.base_url,
        effort="low",
        thinking="between_tools",
        clock=Clock(),
    ) as claude:
        events = await collected(asked(claude))
    assert text_of(events) == "{}"
    assert server.requests[0].body["output_config"]["effort"] == "low"
    assert server.requests[0].body["thinking"] == {"type": "between_tools"}


async def test_native_citations_come_with_offsets_into_their_document(server: ClaudeStandIn) -> None:
    guide = SourceDocument("Guía 😀", "Bienvenidos 😀. Son 22 días. Fin.", context="v3")
    server.script(Reply((Text("Tienes "), Text("22 días", (Quoted(1, "Son 22 días."),)))))
    turn = Turn("user", "¿Cuántos?", (SourceDocument("Otra", "Nada."), guide))
    async with client_of(server) as claude:
        events = await collected(claude.stream(SYSTEM, [turn], None, SOON))
    found = [event for event in events if isinstance(event, CitationFound)]
    assert found == [CitationFound(1, 1, 15, 27, "Son 22 días.")]
    assert guide.text[found[0].start : found[0].end] == found[0].cited_text
    assert [event.block for event in events if isinstance(event, TextDelta)] == [0, 1]


async def test_earlier_turns_go_along(server: ClaudeStandIn) -> None:
    server.script(ANSWER)
    turns = [Turn("user", "¿Y el año?"), Turn("assistant", "2026"), Turn("user", "¿Cuántos días?")]
    async with client_of(server) as claude:
        await collected(claude.stream(SYSTEM, turns, answer_schema(), SOON))
    assert [message["role"] for message in server.requests[0].body["messages"]] == ["user", "assistant", "user"]
    assert server.requests[0].last_user_text == "¿Cuántos días?"


LONG = "a" * 200
FAULTS: dict[str, tuple[Step, type[GenerationError], bool, str]] = {
    "529": (overloaded(), Overloaded, True, "again"),
    "500": (server_error(), Overloaded, True, "again"),
    "502 page": (bad_gateway(), Overloaded, True, "again"),
    "429": (rate_limited(3), RateLimited, True, "Console"),
    "401": (unauthorized(), RejectedRequest, False, "ANTHROPIC_API_KEY"),
    "402": (HttpFault(402, "billing_error", "Pay"), RejectedRequest, False, "billing"),
    "403": (HttpFault(403, "permission_error", "No"), RejectedRequest, False, "claude-sonnet-5-5"),
    "404": (HttpFault(404, "not_found_error", "model: x"), RejectedRequest, False, "claude-sonnet-5-5"),
    "413": (HttpFault(413, "request_too_large", "Too big"), RejectedRequest, False, "fewer"),
    "400": (HttpFault(400, "invalid_request_error", "messages: odd"), RejectedRequest, False, "messages: odd"),
    "504": (HttpFault(504, "timeout_error", "Slow"), TimedOut, True, "again"),
    "hangup": (Hangup(), ConnectionLost, True, "network"),
    "refusal": (refusal("No", "Bad idea"), Refused, False, "Bad idea"),
    "max_tokens": (Reply.text("a", stop_reason="max_tokens"), CutShort, False, "max_tokens"),
    "context full": (Reply.text("a", stop_reason="model_context_window_exceeded"), CutShort, False, "fewer"),
    "pause": (Reply.text("a", stop_reason="pause_turn"), ProtocolBroken, True, "pause_turn"),
    "error event": (Reply.text(LONG, fault=ErrorEvent(50)), Overloaded, True, "mid-stream"),
    "rate limit event": (Reply.text(LONG, fault=ErrorEvent(50, "rate_limit_error", "x")), RateLimited, True, "limit"),
    "bad request event": (
        Reply.text(LONG, fault=ErrorEvent(50, "invalid_request_error", "odd")),
        RejectedRequest,
        False,
        "odd",
    ),
    "drop": (Reply.text(LONG, fault=Drop(50)), ConnectionLost, True, "network"),
    "clean cut": (Reply.text(LONG, fault=CleanCut(50)), CutShort, True, "again"),
    "no stop reason": (Reply.text(LONG, fault=CleanCut()), CutShort, True, "again"),
    "half an event": (Reply.text(LONG, fault=Corrupt(50)), ProtocolBroken, True, "protocol"),
    "bad UTF-8": (Reply.text(LONG, fault=Corrupt(50, b'{"a": "\xff"}')), ProtocolBroken, True, "protocol"),
    "an event without its parts": (
        Reply.text(LONG, fault=Corrupt(50, b'{"type": "content_block_delta", "index": 0}')),
        ProtocolBroken,
        True,
        "missing",
    ),
    "text that is no text": (
        Reply.text(
            LONG, fault=Corrupt(50, b'{"type": "content_block_delta", "delta": {"type": "text_delta", "text": 1}}')
        ),
        ProtocolBroken,
        True,
        "missing",
    ),
    "an event that is a list": (Reply.text(LONG, fault=Corrupt(50, b"[1]")), ProtocolBroken, True, "missing"),
}


@pytest.mark.parametrize("name", FAULTS)
async def test_every_fault_is_one_of_the_family_and_says_what_to_do(server: ClaudeStandIn, name: str) -> None:
    step, kind, retryable, words = FAULTS[name]
    error, _ = await failure(server, step)
    assert type(error) is kind
    assert error.retryable is retryable
    assert words in str(error)
    assert str(error).endswith(".")


@pytest.mark.parametrize("name", ["error event", "drop", "clean cut", "half an event"])
async def test_the_text_before_a_fault_arrives_and_the_usage_so_far_is_known(server: ClaudeStandIn, name: str) -> None:
    error, text = await failure(server, FAULTS[name][0])
    assert text == "a" * 50
    assert error.usage is not None
    assert error.usage.prompt_tokens > 0


async def test_a_refused_answer_was_still_billed(server: ClaudeStandIn) -> None:
    error, text = await failure(server, refusal("No puedo"))
    assert text == "No puedo"
    assert error.usage is not None
    assert error.usage.output_tokens > 0


async def test_an_answer_over_the_limit_is_cut_short(server: ClaudeStandIn) -> None:
    server.script(LONG)
    async with client_of(server, max_tokens=10) as claude:
        with pytest.raises(CutShort, match="max_tokens"):
            await collected(asked(claude))


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "12"}, 12.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "Wed, 21 Oct 2026 07:28:00 GMT"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
        ({}, None),
    ],
)
async def test_a_rate_limit_tells_when_to_come_back(
    server: ClaudeStandIn, headers: dict[str, str], seconds: float | None
) -> None:
    error, _ = await failure(server, HttpFault(429, "rate_limit_error", "Slow down", headers))
    assert isinstance(error, RateLimited)
    assert error.retry_after == seconds


async def test_a_rate_limit_that_the_service_says_not_to_retry_is_not_retryable(server: ClaudeStandIn) -> None:
    error, _ = await failure(server, HttpFault(429, "rate_limit_error", "Spent", {"x-should-retry": "false"}))
    assert not error.retryable


async def test_a_wrong_key_is_told_without_showing_the_key(server: ClaudeStandIn) -> None:
    async with client_of(server, api_key="sk-ant-secret-wrong") as claude:
        with pytest.raises(RejectedRequest, match="ANTHROPIC_API_KEY") as caught:
            await collected(asked(claude))
    assert "secret" not in str(caught.value)


def test_no_key_is_told_before_anything_is_sent() -> None:
    with pytest.raises(RejectedRequest, match="ANTHROPIC_API_KEY"):
        ClaudeMessages(" ", "claude-sonnet-5-5")


async def test_an_unknown_model_is_told_by_name(server: ClaudeStandIn) -> None:
    async with ClaudeMessages(server.api_key, "claude-nonsense-9", base_url=server.base_url, clock=Clock()) as claude:
        with pytest.raises(RejectedRequest, match="claude-nonsense-9"):
            await collected(asked(claude))


async def test_a_server_that_is_not_there_is_a_lost_connection() -> None:
    async with ClaudeStandIn() as gone:
        pass
    async with client_of(gone) as claude:
        with pytest.raises(ConnectionLost, match="network"):
            await collected(asked(claude))


async def test_a_page_instead_of_a_stream_is_not_the_protocol(server: ClaudeStandIn) -> None:
    error, _ = await failure(server, HttpFault(200, None, "<html>Sign in to the guest network</html>"))
    assert isinstance(error, ProtocolBroken)
    assert "base URL" in str(error)


@pytest.mark.parametrize("step", [Silent(), Reply.text(LONG, fault=Stall(50))], ids=["silent", "stall"])
async def test_a_stall_ends_after_the_silence_allowed(server: ClaudeStandIn, step: Step) -> None:
    error, _ = await failure(server, step, stall=0.05)
    assert isinstance(error, TimedOut)
    assert error.retryable
    assert "silent" in str(error)


@pytest.mark.parametrize("step", [Silent(), Reply.text(LONG, fault=Stall(50))], ids=["silent", "stall"])
async def test_a_stall_ends_at_the_deadline(server: ClaudeStandIn, step: Step) -> None:
    error, _ = await failure(server, step, deadline=0.05)
    assert isinstance(error, TimedOut)
    assert "deadline" in str(error)


async def test_a_deadline_that_has_passed_sends_nothing(server: ClaudeStandIn) -> None:
    async with client_of(server) as claude:
        with pytest.raises(TimedOut, match="deadline"):
            await collected(asked(claude, deadline=0.0))
    assert server.requests == []


async def test_a_stream_left_early_frees_its_connection(server: ClaudeStandIn) -> None:
    server.script(Reply.text(LONG, fault=Stall(100)), ANSWER)
    async with client_of(server) as claude:
        async with aclosing(asked(claude)) as events:
            async for _ in events:
                break
        assert json.loads(text_of(await collected(asked(claude)))) == ANSWER


async def test_a_tool_call_nobody_offered_cannot_be_scripted(server: ClaudeStandIn) -> None:
    error, _ = await failure(server, Reply((ToolUse("search", {}),)))
    assert isinstance(error, RejectedRequest)
    assert "search" in str(error)


async def retried(
    claude: ClaudeMessages, clock: Clock, *, shown: list[str] | None = None, deadline: float = SOON
) -> list[Attempt | StreamEvent]:
    events: list[Attempt | StreamEvent] = []
    backoff = Backoff(clock=clock, sleep=clock.sleep, jitter=lambda: 0.0)
    stream = claude.stream_with_retries(
        SYSTEM, QUESTION, answer_schema(), deadline, backoff=backoff, may_retry=lambda: not shown
    )
    async with aclosing(stream):
        async for event in stream:
            events.append(event)
            if shown is not None and isinstance(event, TextDelta):
                shown.append(event.text)
    return events


async def test_a_failed_attempt_is_voided_and_the_next_begins_anew(server: ClaudeStandIn) -> None:
    server.script(overloaded(), rate_limited(4), Reply.text(ANSWER, fault=Drop(30)), ANSWER)
    clock = Clock()
    async with client_of(server) as claude:
        events = await retried(claude, clock)
    starts = [index for index, event in enumerate(events) if isinstance(event, Attempt)]
    attempts = [event for event in events if isinstance(event, Attempt)]
    assert [attempt.number for attempt in attempts] == [1, 2, 3, 4]
    assert [type(attempt.failed) for attempt in attempts] == [type(None), Overloaded, RateLimited, ConnectionLost]
    assert json.loads(text_of(events[starts[-1] :])) == ANSWER
    assert clock.slept == [0.0, 4.0, 0.0]
    third = attempts[3].failed
    assert third is not None
    assert isinstance(third.usage, Usage)


async def test_nothing_is_retried_once_something_was_shown(server: ClaudeStandIn) -> None:
    server.script(Reply.text(ANSWER, fault=Drop(30)), ANSWER)
    shown: list[str] = []
    async with client_of(server) as claude:
        with pytest.raises(ConnectionLost):
            await retried(claude, Clock(), shown=shown)
    assert "".join(shown) == json.dumps(ANSWER, ensure_ascii=False)[:30]
    assert (len(server.requests), server.unplayed) == (1, 1)


async def test_a_wait_past_the_deadline_gives_up_at_once(server: ClaudeStandIn) -> None:
    server.script(rate_limited(60), ANSWER)
    clock = Clock()
    async with client_of(server) as claude:
        with pytest.raises(RateLimited):
            await retried(claude, clock, deadline=30.0)
    assert (clock.slept, server.unplayed) == ([], 1)


async def test_a_rejected_request_is_asked_once(server: ClaudeStandIn) -> None:
    server.script(unauthorized(), ANSWER)
    async with client_of(server) as claude:
        with pytest.raises(RejectedRequest):
            await retried(claude, Clock())
    assert server.unplayed == 1


async def answered(claude: ClaudeMessages, clock: Clock) -> list[Attempt | AnswerEvent | Begun | Finished]:
    """The events of an answer whose claims are shown as they come, until it ends or fails for good."""
    events: list[Attempt | AnswerEvent | Begun | Finished] = []
    backoff = Backoff(clock=clock, sleep=clock.sleep, jitter=lambda: 0.0)
    stream = claude.answer_with_retries(
        SYSTEM,
        QUESTION,
        SOON,
        backoff=backoff,
        may_retry=lambda: not any(isinstance(event, ClaimRead) for event in events),
    )
    async with aclosing(stream):
        async for event in stream:
            events.append(event)  # noqa: PERF401 - `may_retry` looks at them on the way
    return events


async def test_an_answer_that_breaks_its_schema_is_asked_for_again(server: ClaudeStandIn) -> None:
    server.script('{"answerable": "yes"}', '{"answerable": true, "language": "es"', ANSWER)
    async with client_of(server) as claude:
        events = await answered(claude, Clock())
    failures = [event.failed for event in events if isinstance(event, Attempt)]
    assert [type(failed) for failed in failures] == [type(None), MalformedAnswer, CutShort]
    assert failures[2] is not None
    assert failures[2].usage is not None
    last = [type(event) for event in events][-5:]
    assert last[0] is AnswerableRead
    assert last[-1] is Finished


async def test_a_claim_that_was_shown_is_not_followed_by_another_attempt(server: ClaudeStandIn) -> None:
    text = json.dumps(ANSWER)
    server.script(Reply.text(text.replace('"missing"', '"lacking"'), chunking=Chunking(delta_chars=1)), ANSWER)
    async with client_of(server) as claude:
        with pytest.raises(MalformedAnswer, match="lacking"):
            await answered(claude, Clock())
    assert server.unplayed == 1
