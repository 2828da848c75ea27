"""A scripted reply as what the API sends: a whole message, or the events of a stream.

Everything is built from the SDK's own types and validated by them once more, in strict mode, as the JSON it becomes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import anthropic.types as sdk
from pydantic import TypeAdapter

from bot.standin.claude.prompt_cache import token_count
from bot.standin.claude.recording import RecordedRequest
from bot.standin.claude.replies import Chunking, Part, Reply, Text, Thought, ToolUse

_EVENT: TypeAdapter[Any] = TypeAdapter(sdk.RawMessageStreamEvent)
_MESSAGE = TypeAdapter(sdk.Message)
_BYTES_PER_TOKEN = 4
_SIGNATURE = "c3RhbmQtaW4="


class ScriptError(ValueError):
    """The script does not fit the request that came for it."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One server-sent event as text, and how many characters of the answer it carries."""

    event: str
    data: str
    characters: int = 0

    def encoded(self) -> bytes:
        """The event as it goes over the wire."""
        return f"event: {self.event}\ndata: {self.data}\n\n".encode()


def finished_reply(reply: Reply, request: RecordedRequest) -> Reply:
    """The reply with its stop reason settled, cut where the request's `max_tokens` end."""
    budget = int(request.body["max_tokens"]) * _BYTES_PER_TOKEN
    parts: list[Part] = []
    for part in reply.parts:
        size = len(_words(part).encode("utf-8", "replace"))
        if size > budget and isinstance(part, Text):
            kept = part.text.encode("utf-8", "replace")[:budget].decode("utf-8", "ignore")
            return Reply((*parts, Text(kept)), "max_tokens", None, reply.fault, reply.chunking)
        budget -= size
        parts.append(part)
    natural: sdk.StopReason = "tool_use" if parts and isinstance(parts[-1], ToolUse) else "end_turn"
    return Reply(tuple(parts), reply.stop_reason or natural, reply.stop_details, reply.fault, reply.chunking)


def output_tokens(reply: Reply) -> int:
    """Tokens of the answer, thinking included."""
    return sum(token_count(_words(part)) for part in reply.parts)


def whole_message(reply: Reply, request: RecordedRequest, message_id: str, usage: sdk.Usage) -> str:
    """The answer as one JSON object."""
    content = [_block(part, request, f"{message_id}_{index}") for index, part in enumerate(reply.parts)]
    message = _message(request, message_id, usage, content)
    message.stop_reason, message.stop_details = reply.stop_reason, reply.stop_details
    data = message.model_dump(mode="json")
    _MESSAGE.validate_python(data, strict=True)
    return json.dumps(data, ensure_ascii=False)


def stream_frames(
    reply: Reply, request: RecordedRequest, message_id: str, usage: sdk.Usage, chunking: Chunking
) -> Iterator[Frame]:
    """The answer as events, in the order of https://platform.claude.com/docs/en/build-with-claude/streaming."""
    begun = usage.model_copy(update={"output_tokens": 1})
    start = sdk.RawMessageStartEvent(type="message_start", message=_message(request, message_id, begun, []))
    yield _frame(start, chunking)
    for index, part in enumerate(reply.parts):
        block = _block(part, request, f"{message_id}_{index}")
        yield _frame(
            sdk.RawContentBlockStartEvent(type="content_block_start", index=index, content_block=_opened(block)),
            chunking,
        )
        if index == 0:
            yield Frame("ping", '{"type": "ping"}')
        for delta in _deltas(block, chunking):
            event = sdk.RawContentBlockDeltaEvent(type="content_block_delta", index=index, delta=delta)
            yield _frame(event, chunking, len(delta.text) if isinstance(delta, sdk.TextDelta) else 0)
        yield _frame(sdk.RawContentBlockStopEvent(type="content_block_stop", index=index), chunking)
    yield _frame(
        sdk.RawMessageDeltaEvent(
            type="message_delta",
            delta=sdk.raw_message_delta_event.Delta(stop_reason=reply.stop_reason, stop_details=reply.stop_details),
            usage=sdk.MessageDeltaUsage(
                input_tokens=usage.input_tokens,
                output_tokens=usage.output_tokens,
                cache_creation_input_tokens=usage.cache_creation_input_tokens,
                cache_read_input_tokens=usage.cache_read_input_tokens,
            ),
        ),
        chunking,
    )
    yield _frame(sdk.RawMessageStopEvent(type="message_stop"), chunking)


def shortened(frame: Frame, characters: int) -> Frame:
    """A text delta cut after so many characters of its text."""
    data = json.loads(frame.data)
    data["delta"]["text"] = data["delta"]["text"][:characters]
    return Frame(frame.event, json.dumps(data), characters)


def _words(part: Part) -> str:
    return json.dumps(dict(part.input), ensure_ascii=False) if isinstance(part, ToolUse) else part.text


def _message(request: RecordedRequest, message_id: str, usage: sdk.Usage, content: list[Any]) -> sdk.Message:
    return sdk.Message(
        id=message_id, type="message", role="assistant", model=request.body["model"], content=content, usage=usage
    )


def _block(part: Part, request: RecordedRequest, block_id: str) -> sdk.TextBlock | sdk.ThinkingBlock | sdk.ToolUseBlock:
    if isinstance(part, Thought):
        return sdk.ThinkingBlock(type="thinking", thinking=part.text, signature=_SIGNATURE)
    if isinstance(part, ToolUse):
        if part.name not in {tool["name"] for tool in request.body.get("tools") or []}:
            raise ScriptError(f"the script calls the tool {part.name!r}, which the request does not offer")
        return sdk.ToolUseBlock(type="tool_use", id=f"toolu_{block_id}", name=part.name, input=dict(part.input))
    cited: list[sdk.TextCitation] = [_citation(request, quoted.document, quoted.quote) for quoted in part.citations]
    return sdk.TextBlock(type="text", text=part.text, citations=cited or None)


def _citation(request: RecordedRequest, number: int, quote: str) -> sdk.CitationCharLocation:
    document = request.documents[number]
    if not (document.get("citations") or {}).get("enabled"):
        raise ScriptError(f"the script cites document {number}, whose citations the request has not enabled")
    if document["source"]["type"] != "text":
        raise ScriptError(f"the script cites document {number}, which is not plain text")
    start = document["source"]["data"].find(quote)
    if start < 0:
        raise ScriptError(f"the script cites words that do not stand in document {number}: {quote!r}")
    return sdk.CitationCharLocation(
        type="char_location",
        cited_text=quote,
        document_index=number,
        document_title=document.get("title"),
        start_char_index=start,
        end_char_index=start + len(quote),
    )


def _opened(block: sdk.TextBlock | sdk.ThinkingBlock | sdk.ToolUseBlock) -> Any:
    """The block as it stands at its start: empty."""
    if isinstance(block, sdk.TextBlock):
        return sdk.TextBlock(type="text", text="", citations=[] if block.citations else None)
    if isinstance(block, sdk.ThinkingBlock):
        return sdk.ThinkingBlock(type="thinking", thinking="", signature="")
    return sdk.ToolUseBlock(type="tool_use", id=block.id, name=block.name, input={})


def _deltas(
    block: sdk.TextBlock | sdk.ThinkingBlock | sdk.ToolUseBlock, chunking: Chunking
) -> Iterator[sdk.RawContentBlockDelta]:
    if isinstance(block, sdk.ThinkingBlock):
        for piece in _pieces(block.thinking, chunking):
            yield sdk.ThinkingDelta(type="thinking_delta", thinking=piece)
        yield sdk.SignatureDelta(type="signature_delta", signature=block.signature)
    elif isinstance(block, sdk.ToolUseBlock):
        yield sdk.InputJSONDelta(type="input_json_delta", partial_json="")
        for piece in _pieces(json.dumps(block.input, ensure_ascii=False), chunking):
            yield sdk.InputJSONDelta(type="input_json_delta", partial_json=piece)
    else:
        for piece in _pieces(block.text, chunking):
            yield sdk.TextDelta(type="text_delta", text=piece)
        for citation in block.citations or ():
            yield sdk.CitationsDelta(type="citations_delta", citation=citation)


def _pieces(text: str, chunking: Chunking) -> Iterator[str]:
    size = chunking.delta_chars or max(1, len(text))
    for at in range(0, len(text), size):
        yield text[at : at + size]


def _frame(event: Any, chunking: Chunking, characters: int = 0) -> Frame:
    data = event.model_dump(mode="json")
    _EVENT.validate_python(data, strict=True)
    return Frame(event.type, json.dumps(data, ensure_ascii=chunking.ascii_escapes), characters)
