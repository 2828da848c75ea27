from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

import aiohttp
import anthropic
import httpx2
import pytest
from anthropic import AsyncAnthropic
from anthropic.types import Message, MessageParam, RawMessageStreamEvent, TextBlockParam, ToolParam
from pydantic import TypeAdapter

from bot.standin.claude import (
    Chunking,
    ClaudeStandIn,
    CleanCut,
    Corrupt,
    Drop,
    ErrorEvent,
    Hangup,
    Quoted,
    RecordedRequest,
    Reply,
    Silent,
    Stall,
    Step,
    Text,
    Thought,
    ToolUse,
    overloaded,
    rate_limited,
    refusal,
    server_error,
    unauthorized,
)
from bot.standin.claude.faults import StreamFault

MODEL = "claude-sonnet-5-5"
HELLO: list[MessageParam] = [{"role": "user", "content": "Hola"}]
TOOLS: list[ToolParam] = [{"name": "search", "input_schema": {"type": "object"}}]
GUIDE = "Bienvenidos 😀. Son 22 días. Fin."
CITED: list[MessageParam] = [
    {
        "role": "user",
        "content": [
            {
                "type": "document",
                "source": {"type": "text", "media_type": "text/plain", "data": GUIDE},
                "title": "Guía",
                "citations": {"enabled": True},
            },
            {"type": "text", "text": "¿Cuántos?"},
        ],
    }
]
EVENT: TypeAdapter[Any] = TypeAdapter(RawMessageStreamEvent)


async def created(sdk: AsyncAnthropic, messages: Sequence[MessageParam] = HELLO) -> Message:
    return await sdk.messages.create(model=MODEL, max_tokens=1000, messages=messages, tools=TOOLS)


async def streamed(sdk: AsyncAnthropic, messages: Sequence[MessageParam] = HELLO) -> Message:
    async with sdk.messages.stream(model=MODEL, max_tokens=1000, messages=messages, tools=TOOLS) as stream:
        return await stream.get_final_message()


REPLIES: dict[str, tuple[Reply, list[MessageParam]]] = {
    "text": (Reply.text("Son 22 días 😀."), HELLO),
    "an object": (Reply.text({"answerable": True, "missing": "¿año?"}), HELLO),
    "thoughts": (Reply((Thought("Veamos."), Text("Sí."))), HELLO),
    "a tool call": (Reply((Text("Busco."), ToolUse("search", {"query": "días", "k": 3}))), HELLO),
    "citations": (Reply((Text("Según la guía, "), Text("22", (Quoted(0, "Son 22 días."),)), Text("."))), CITED),
    "a refusal": (refusal("No", "Bad idea"), HELLO),
    "max_tokens": (Reply.text("Son", stop_reason="max_tokens"), HELLO),
    "nothing": (Reply(()), HELLO),
}


@pytest.mark.parametrize("size", [1, 3, None])
@pytest.mark.parametrize("name", REPLIES)
async def test_a_stream_adds_up_to_the_whole_message(
    server: ClaudeStandIn, sdk: AsyncAnthropic, name: str, size: int | None
) -> None:
    reply, messages = REPLIES[name]
    server.always(Reply(reply.parts, reply.stop_reason, reply.stop_details, chunking=Chunking(delta_chars=size)))
    whole, added = await created(sdk, messages), await streamed(sdk, messages)
    without_ids = {"id": True, "content": {"__all__": {"id"}}, "usage": {"cache_creation", "service_tier"}}
    assert added.model_dump(mode="json", exclude=without_ids) == whole.model_dump(mode="json", exclude=without_ids)  # type: ignore[arg-type]  # pydantic's type for nested excludes is narrower than what it takes


async def test_a_stop_reason_follows_from_the_parts(server: ClaudeStandIn, sdk: AsyncAnthropic) -> None:
    server.script("Sí.", Reply((ToolUse("search", {}),)), refusal())
    assert [(await created(sdk)).stop_reason for _ in range(3)] == ["end_turn", "tool_use", "refusal"]


async def test_an_answer_longer_than_its_max_tokens_is_cut_there(server: ClaudeStandIn, sdk: AsyncAnthropic) -> None:
    server.script("ñ" * 100)
    message = await sdk.messages.create(model=MODEL, max_tokens=3, messages=HELLO)
    assert message.stop_reason == "max_tokens"
    assert message.content[0].type == "text"
    assert message.content[0].text == "ñ" * 6


async def test_citations_point_at_the_words_in_the_document(server: ClaudeStandIn, sdk: AsyncAnthropic) -> None:
    server.script(REPLIES["citations"][0])
    block = (await streamed(sdk, CITED)).content[1]
    assert block.type == "text"
    assert block.citations is not None
    cited = block.citations[0]
    assert cited.type == "char_location"
    assert (cited.document_index, cited.document_title) == (0, "Guía")
    assert GUIDE[cited.start_char_index : cited.end_char_index] == cited.cited_text == "Son 22 días."


async def test_a_tool_turn_goes_on_with_its_result(server: ClaudeStandIn, sdk: AsyncAnthropic) -> None:
    server.script(Reply((ToolUse("search", {"q": "x"}),)), "Listo.")
    call = (await streamed(sdk)).content[0]
    assert call.type == "tool_use"
    assert call.input == {"q": "x"}
    done = await created(
        sdk,
        [
            *HELLO,
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call.id, "content": "ok"}]},
        ],
    )
    assert done.content[0].type == "text"


WRONG_SCRIPTS: dict[str, tuple[Reply, list[MessageParam]]] = {
    "words that do not stand there": (Reply((Text("x", (Quoted(0, "Son 23 días."),)),)), CITED),
    "a tool that is not offered": (Reply((ToolUse("delete", {}),)), HELLO),
}


@pytest.mark.parametrize("name", WRONG_SCRIPTS)
async def test_a_script_that_does_not_fit_the_request_is_told(
    server: ClaudeStandIn, sdk: AsyncAnthropic, name: str
) -> None:
    reply, messages = WRONG_SCRIPTS[name]
    server.script(reply)
    with pytest.raises(anthropic.BadRequestError, match="script is wrong"):
        await streamed(sdk, messages)


async def test_an_empty_script_is_told_and_not_retried_away(server: ClaudeStandIn, sdk: AsyncAnthropic) -> None:
    with pytest.raises(anthropic.BadRequestError, match="nothing left in its script"):
        await created(sdk)


async def test_a_step_may_be_made_from_the_request(server: ClaudeStandIn, sdk: AsyncAnthropic) -> None:
    def echo(request: RecordedRequest) -> Step:
        return f"{request.system_text} {request.last_user_text}"

    server.always(echo)
    message = await sdk.messages.create(model=MODEL, max_tokens=10, system="Di:", messages=HELLO)
    assert message.content[0].type == "text"
    assert message.content[0].text == "Di: Hola"


async def test_the_queue_comes_before_what_is_always_said(server: ClaudeStandIn, sdk: AsyncAnthropic) -> None:
    server.always("siempre")
    server.script(overloaded(), "una vez")
    with pytest.raises(anthropic.OverloadedError):
        await created(sdk)
    said = [(await created(sdk)).content[0] for _ in range(3)]
    assert [block.text for block in said if block.type == "text"] == ["una vez", "siempre", "siempre"]
    assert server.unplayed == 0


async def test_requests_are_kept_for_assertions(server: ClaudeStandIn, sdk: AsyncAnthropic) -> None:
    server.always("Sí.")
    stable: TextBlockParam = {"type": "text", "text": "Reglas", "cache_control": {"type": "ephemeral"}}
    await sdk.messages.create(model=MODEL, max_tokens=10, system=[stable], messages=CITED)
    request = server.requests[0]
    assert (request.system_text, request.last_user_text, request.stream) == ("Reglas", "¿Cuántos?", False)
    assert request.breakpoints == ("system.0",)
    assert request.documents[0]["title"] == "Guía"
    assert request.headers["anthropic-version"] == "2026-10-21"
    assert request.rejection is None


async def test_tokens_are_counted(server: ClaudeStandIn, sdk: AsyncAnthropic) -> None:
    few = await sdk.messages.count_tokens(model=MODEL, messages=HELLO)
    many = await sdk.messages.count_tokens(model=MODEL, system="x" * 4000, messages=HELLO)
    assert many.input_tokens - few.input_tokens > 900
    assert (len(server.counted), len(server.requests)) == (2, 0)


async def asked_with_cache(sdk: AsyncAnthropic, system: str, question: str = "Hola") -> anthropic.types.Usage:
    stable: TextBlockParam = {"type": "text", "text": system, "cache_control": {"type": "ephemeral"}}
    messages: list[MessageParam] = [{"role": "user", "content": question}]
    return (await sdk.messages.create(model=MODEL, max_tokens=10, system=[stable], messages=messages)).usage


async def test_a_prefix_is_written_once_and_then_read(server: ClaudeStandIn, sdk: AsyncAnthropic) -> None:
    server.always("Sí.")
    first = await asked_with_cache(sdk, "x" * 4000)
    second = await asked_with_cache(sdk, "x" * 4000, "¿Y hoy?")
    other = await asked_with_cache(sdk, "y" * 4000)
    assert first.cache_creation_input_tokens == second.cache_read_input_tokens == other.cache_creation_input_tokens
    assert first.cache_read_input_tokens == second.cache_creation_input_tokens == other.cache_read_input_tokens == 0
    assert first.cache_creation is not None
    assert first.cache_creation.ephemeral_5m_input_tokens == first.cache_creation_input_tokens


async def test_a_prefix_under_the_minimum_is_silently_not_cached(server: ClaudeStandIn, sdk: AsyncAnthropic) -> None:
    server.always("Sí.")
    usages = [await asked_with_cache(sdk, "x" * 400) for _ in range(2)]
    assert {(usage.cache_creation_input_tokens, usage.cache_read_input_tokens) for usage in usages} == {(0, 0)}


async def wire(server: ClaudeStandIn) -> AsyncIterator[bytes]:
    """The HTTP chunks of a streamed answer, as they were written."""
    body = {"model": MODEL, "max_tokens": 1000, "stream": True, "messages": HELLO}
    headers = {"x-api-key": server.api_key, "anthropic-version": "2023-06-01"}
    async with (
        aiohttp.ClientSession() as session,
        session.post(server.base_url + "/v1/messages", json=body, headers=headers) as response,
    ):
        assert response.content_type == "text/event-stream"
        piece = b""
        async for data, chunk_ends in response.content.iter_chunks():
            piece += data
            if chunk_ends:
                yield piece
                piece = b""


async def test_events_come_in_the_documented_order_with_a_ping(server: ClaudeStandIn) -> None:
    server.script(Reply((Text("uno"), Text("dos"))))
    events = b"".join([chunk async for chunk in wire(server)]).decode().strip().split("\n\n")
    named = []
    for event in events:
        name, data = event.split("\n")
        content = json.loads(data.removeprefix("data: "))
        assert name == f"event: {content['type']}"
        if content["type"] != "ping":
            EVENT.validate_python(content, strict=True)
        named.append(content["type"])
    block = ["content_block_start", "content_block_delta", "content_block_stop"]
    assert named == ["message_start", block[0], "ping", *block[1:], *block, "message_delta", "message_stop"]


async def test_the_wire_may_be_cut_inside_a_character(server: ClaudeStandIn) -> None:
    server.script(Reply.text("😀", chunking=Chunking(wire_bytes=1)))
    chunks = [chunk async for chunk in wire(server)]
    assert {len(chunk) for chunk in chunks} == {1}
    assert "😀".encode() in b"".join(chunks)


async def test_events_may_be_written_in_ascii_and_deltas_cut_inside_an_escape(server: ClaudeStandIn) -> None:
    server.script(Reply.text('{"a": "\\u00e9😀"}', chunking=Chunking(delta_chars=9, ascii_escapes=True)))
    data = b"".join([chunk async for chunk in wire(server)])
    assert data.isascii()
    assert b'"text": "{\\"a\\": \\"\\\\u"' in data
    assert b"\\ud83d\\ude00" in data


@pytest.mark.parametrize(
    ("step", "error"),
    [
        (overloaded(), anthropic.OverloadedError),
        (rate_limited(2), anthropic.RateLimitError),
        (server_error(), anthropic.InternalServerError),
        (unauthorized(), anthropic.AuthenticationError),
        (Hangup(), anthropic.APIConnectionError),
        (Reply.text("x", fault=ErrorEvent(0)), anthropic.OverloadedError),
        (Reply.text("x", fault=Drop(0)), anthropic.APIConnectionError),
    ],
)
async def test_faults_of_a_whole_message_are_the_sdks_own_errors(
    server: ClaudeStandIn, sdk: AsyncAnthropic, step: Step, error: type[Exception]
) -> None:
    server.script(step)
    with pytest.raises(error):
        await created(sdk)


async def test_a_rate_limit_says_when_to_come_back(server: ClaudeStandIn, sdk: AsyncAnthropic) -> None:
    server.script(rate_limited(2.5))
    with pytest.raises(anthropic.RateLimitError) as caught:
        await created(sdk)
    assert caught.value.response.headers["retry-after"] == "2.5"
    assert caught.value.request_id is not None


MID_STREAM: dict[str, tuple[Reply, type[Exception]]] = {
    "an error event is a status error with status 200": (
        Reply.text("abcdef", fault=ErrorEvent(3)),
        anthropic.APIStatusError,
    ),
    "a dropped connection is a broken protocol": (Reply.text("abcdef", fault=Drop(3)), httpx2.RemoteProtocolError),
    "corrupt data is bad JSON": (Reply.text("abcdef", fault=Corrupt(3)), json.JSONDecodeError),
    "corrupt bytes are bad UTF-8": (Reply.text("abcdef", fault=Corrupt(3, b"\xff")), UnicodeDecodeError),
    "a stall is a raw read timeout": (Reply.text("abcdef", fault=Stall(3)), httpx2.ReadTimeout),
}


@pytest.mark.parametrize("name", MID_STREAM)
async def test_mid_stream_faults_look_to_the_sdk_as_facts_say(server: ClaudeStandIn, name: str) -> None:
    reply, kind = MID_STREAM[name]
    server.script(reply)
    said = ""
    async with AsyncAnthropic(
        api_key=server.api_key, base_url=server.base_url, max_retries=0, timeout=anthropic.Timeout(0.1)
    ) as sdk:
        stream = await sdk.messages.create(model=MODEL, max_tokens=10, messages=HELLO, stream=True)
        with pytest.raises(kind) as caught:
            async for event in stream:
                if event.type == "content_block_delta" and event.delta.type == "text_delta":
                    said += event.delta.text
    assert said == "abc"
    if isinstance(caught.value, anthropic.APIStatusError):
        assert (caught.value.status_code, caught.value.type) == (200, "overloaded_error")


async def test_a_clean_cut_raises_nothing_and_leaves_no_stop_reason(server: ClaudeStandIn, sdk: AsyncAnthropic) -> None:
    server.script(Reply.text("abcdef", fault=CleanCut(3)))
    message = await streamed(sdk)
    assert message.stop_reason is None
    assert message.content[0].type == "text"
    assert message.content[0].text == "abc"


async def test_silence_lasts_until_the_client_gives_up(server: ClaudeStandIn) -> None:
    server.script(Silent(), "Sí.")
    async with AsyncAnthropic(
        api_key=server.api_key, base_url=server.base_url, max_retries=0, timeout=anthropic.Timeout(0.1)
    ) as sdk:
        with pytest.raises(anthropic.APITimeoutError):
            await created(sdk)
        assert (await created(sdk)).stop_reason == "end_turn"


async def test_no_fault_makes_the_server_itself_fail(
    server: ClaudeStandIn, sdk: AsyncAnthropic, caplog: pytest.LogCaptureFixture
) -> None:
    faults: list[StreamFault] = [Drop(2), Drop(0), CleanCut(1), Corrupt(1), ErrorEvent(1)]
    server.script(Hangup(), *(Reply.text("abcdef", fault=fault) for fault in faults))
    for _ in range(6):
        try:
            await streamed(sdk)
        except (anthropic.APIError, httpx2.TransportError, ValueError):
            continue
    assert server.unplayed == 0
    assert [record.getMessage() for record in caplog.records if record.levelname == "ERROR"] == []
