from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

import aiohttp
import pytest
from anthropic.types.shared import ErrorResponse

from bot.standin.claude import ClaudeStandIn

SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": False}
VALID: dict[str, Any] = {
    "model": "claude-sonnet-5-5",
    "max_tokens": 100,
    "messages": [{"role": "user", "content": "Hola"}],
}
NULL = {"type": "null"}
CACHED = {"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}}
HOUR = {"type": "text", "text": "x", "cache_control": {"type": "ephemeral", "ttl": "1h"}}
TOOL = {"name": "search", "input_schema": {"type": "object"}}
CALL = {"type": "tool_use", "id": "t1", "name": "search", "input": {}}
RESULT = {"type": "tool_result", "tool_use_id": "t1", "content": "ok"}


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in VALID.items() if key != name}


def user(*blocks: object) -> dict[str, Any]:
    return {**VALID, "messages": [{"role": "user", "content": list(blocks)}]}


def document(**changes: object) -> dict[str, Any]:
    source = {"type": "text", "media_type": "text/plain", "data": "Son 22 días."}
    return {"type": "document", "source": source, "citations": {"enabled": True}, **changes}


def formatted(schema: object) -> dict[str, Any]:
    return {**VALID, "output_config": {"format": {"type": "json_schema", "schema": schema}}}


def property_of(schema: object) -> dict[str, Any]:
    return formatted({**SCHEMA, "properties": {"a": schema}})


async def post(
    server: ClaudeStandIn, body: object, headers: Mapping[str, str] | None = None, path: str = "/v1/messages"
) -> tuple[int, dict[str, Any]]:
    sent = {"x-api-key": server.api_key, "anthropic-version": "2026-10-21", **(headers or {})}
    sent = {name: value for name, value in sent.items() if value}
    async with aiohttp.ClientSession() as session:
        data = io.BytesIO(body) if isinstance(body, bytes) else None
        async with session.post(
            server.base_url + path, headers=sent, data=data, json=None if data else body
        ) as response:
            return response.status, await response.json()


REJECTED: dict[str, tuple[object, str]] = {
    "no model": (without("model"), "model: Field required"),
    "no max_tokens": (without("max_tokens"), "max_tokens: Field required"),
    "no messages": (without("messages"), "messages: Field required"),
    "no JSON": (b"{", "not valid JSON"),
    "no object": ([1], "Input should be a valid dictionary"),
    "an unknown parameter": ({**VALID, "response_format": {}}, "response_format: Extra inputs are not permitted"),
    "a temperature": ({**VALID, "temperature": 0}, "temperature: Extra inputs are not permitted"),
    "a header's parameter": ({**VALID, "workspace_id": "w"}, "workspace_id: Extra inputs are not permitted"),
    "no number of tokens": ({**VALID, "max_tokens": "100"}, "max_tokens: Input should be a valid integer"),
    "too many tokens": ({**VALID, "max_tokens": 200_000}, "max_tokens: 200000 > 128000"),
    "fewer than no tokens": ({**VALID, "max_tokens": -1}, "greater than or equal to 0"),
    "no messages in the list": ({**VALID, "messages": []}, "messages: at least one message is required"),
    "messages that are no list": ({**VALID, "messages": "Hola"}, "messages: Input should be a valid list"),
    "an unknown role": (
        {**VALID, "messages": [{"role": "bot", "content": "x"}]},
        "messages.0.role: Input should be 'user', 'assistant' or 'system'",
    ),
    "no content": ({**VALID, "messages": [{"role": "user"}]}, "messages.0.content: Field required"),
    "empty content": ({**VALID, "messages": [{"role": "user", "content": ""}]}, "non-empty content"),
    "an unknown field of a message": (
        {**VALID, "messages": [{"role": "user", "content": "x", "name": "Ana"}]},
        "messages.0.name: Extra inputs are not permitted",
    ),
    "the assistant first": (
        {**VALID, "messages": [{"role": "assistant", "content": "x"}, {"role": "user", "content": "x"}]},
        'first message must use the "user" role',
    ),
    "a prefill": (
        {**VALID, "messages": [*VALID["messages"], {"role": "assistant", "content": "{"}]},
        "does not support assistant message prefill",
    ),
    "an unknown block": (user({"type": "video"}), "Input tag 'video' found using 'type'"),
    "a block without type": (user({"text": "x"}), "messages.0.content.0.type: Field required"),
    "an unknown field of a block": (
        user({"type": "text", "text": "x", "bold": True}),
        "messages.0.content.0.text.bold: Extra inputs are not permitted",
    ),
    "an empty text": (user({"type": "text", "text": ""}), "text content blocks must be non-empty"),
    "a blank text": (user({"type": "text", "text": " \n"}), "must contain non-whitespace text"),
    "citations in a user's text": (
        user({"type": "text", "text": "x", "citations": [{"type": "char_location"}]}),
        "not permitted in user messages",
    ),
    "a document of the assistant": (
        {
            **VALID,
            "messages": [*VALID["messages"], {"role": "assistant", "content": [document()]}, VALID["messages"][0]],
        },
        "not permitted in assistant messages",
    ),
    "a document without source": (user({"type": "document"}), "messages.0.content.0.document.source: Field required"),
    "a document of another media type": (
        user(document(source={"type": "text", "media_type": "text/html", "data": "x"})),
        "media_type: Input should be 'text/plain'",
    ),
    "an empty document": (
        user(document(source={"type": "text", "media_type": "text/plain", "data": ""})),
        "at least 1 character",
    ),
    "citations for one document of two": (user(document(), document(citations=None)), "for all documents or none"),
    "citations with structured output": (
        {**formatted(SCHEMA), "messages": [{"role": "user", "content": [document()]}]},
        "citations",
    ),
    "a system of another type": ({**VALID, "system": 5}, "system: Input should be a valid string"),
    "a system of images": ({**VALID, "system": [{"type": "image", "text": "x"}]}, "system.0.type: Input should be"),
    "an empty block of the system": ({**VALID, "system": [{"type": "text", "text": ""}]}, "must be non-empty"),
    "five breakpoints": (user(*[CACHED] * 5), "A maximum of 4 blocks with cache_control may be provided. Found 5."),
    "an hour after five minutes": (user(CACHED, HOUR), "a ttl='1h' cache_control block must not come after"),
    "an unknown kind of cache": (
        user({**CACHED, "cache_control": {"type": "forever"}}),
        "cache_control.type: Input should be 'ephemeral'",
    ),
    "an unknown time to live": (
        user({**CACHED, "cache_control": {"type": "ephemeral", "ttl": "2h"}}),
        "ttl: Input should be '5m' or '1h'",
    ),
    "an unknown field of the cache": (
        user({**CACHED, "cache_control": {"type": "ephemeral", "scope": "global"}}),
        "messages.0.content.0.cache_control.scope: Extra inputs are not permitted",
    ),
    "a cached thought": (
        {
            **VALID,
            "messages": [
                *VALID["messages"],
                {
                    "role": "assistant",
                    "content": [{"type": "thinking", "thinking": "", "signature": "s", "cache_control": None}],
                },
                VALID["messages"][0],
            ],
        },
        "thinking.cache_control: Extra inputs are not permitted",
    ),
    "an unknown effort": (
        {**VALID, "output_config": {"effort": "huge"}},
        "output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'",
    ),
    "an unknown output option": (
        {**VALID, "output_config": {"style": "x"}},
        "output_config.style: Extra inputs are not permitted",
    ),
    "an unknown format": (
        {**VALID, "output_config": {"format": {"type": "xml", "schema": SCHEMA}}},
        "output_config.format.type: Input should be 'json_schema'",
    ),
    "a format without schema": (
        {**VALID, "output_config": {"format": {"type": "json_schema"}}},
        "output_config.format.schema: Field required",
    ),
    "an open object": (
        formatted({"type": "object", "properties": {}}),
        "For 'object' type, 'additionalProperties' must be explicitly set to false",
    ),
    "an open object inside": (property_of({"type": "object"}), "'additionalProperties' must be explicitly set"),
    "a longest list": (
        property_of({"type": "array", "items": {"type": "string"}, "maxItems": 3}),
        "For 'array' type, property 'maxItems' is not supported",
    ),
    "a least number of items": (
        property_of({"type": "array", "items": {"type": "string"}, "minItems": 2}),
        "'minItems' values other than 0 or 1 are not supported",
    ),
    "bounds of a number": (
        property_of({"type": "number", "minimum": 0, "maximum": 1}),
        "For 'number' type, properties maximum, minimum are not supported",
    ),
    "a required property that is none": (formatted({**SCHEMA, "required": ["b"]}), "'required' names no property: b"),
    "a schema that contains itself": (
        formatted(
            {**SCHEMA, "$defs": {"n": {"anyOf": [{"$ref": "#/$defs/n"}]}}, "properties": {"a": {"$ref": "#/$defs/n"}}}
        ),
        "Recursive schemas are not supported",
    ),
    "a reference outside": (property_of({"$ref": "https://example.org/x"}), "External references are not supported"),
    "a reference to nothing": (property_of({"$ref": "#/$defs/none"}), "leads nowhere"),
    "a schema that says nothing": (property_of({"title": "x"}), "Schema must have a 'type'"),
    "oneOf": (property_of({"oneOf": [{"type": "string"}]}), "'oneOf' is not supported"),
    "an unknown format of a string": (property_of({"type": "string", "format": "iban"}), "format 'iban'"),
    "thinking turned off": ({**VALID, "thinking": {"type": "disabled"}}, 'thinking.type: "disabled" is not supported'),
    "thinking of no kind": ({**VALID, "thinking": {}}, "thinking.type: Field required"),
    "two tools of one name": ({**VALID, "tools": [TOOL, TOOL]}, "Tool names must be unique"),
    "a tool with a bad name": ({**VALID, "tools": [{**TOOL, "name": "a b"}]}, "tools.0.name: String should match"),
    "a tool without schema": ({**VALID, "tools": [{"name": "a"}]}, "tools.0.custom.input_schema: Field required"),
    "a forced tool": ({**VALID, "tools": [TOOL], "tool_choice": {"type": "any"}}, "are not supported for this model"),
    "a choice of no tools": ({**VALID, "tool_choice": {"type": "auto"}}, "only be specified while providing tools"),
    "a call without its result": (
        {**VALID, "messages": [VALID["messages"][0], {"role": "assistant", "content": [CALL]}, VALID["messages"][0]]},
        "`tool_use` ids were found without `tool_result` blocks immediately after: t1",
    ),
    "a result without its call": (
        {
            **VALID,
            "messages": [
                VALID["messages"][0],
                {"role": "assistant", "content": "x"},
                {"role": "user", "content": [RESULT]},
            ],
        },
        "unexpected `tool_use_id` found in `tool_result` blocks: t1",
    ),
    "a stream that is no boolean": ({**VALID, "stream": "yes"}, "stream: Input should be a valid boolean"),
    "unknown metadata": ({**VALID, "metadata": {"team": "x"}}, "metadata.team: Extra inputs are not permitted"),
    "a blank stop sequence": ({**VALID, "stop_sequences": [" "]}, "each stop sequence must contain non-whitespace"),
}


@pytest.mark.parametrize("name", REJECTED)
async def test_a_bad_request_is_rejected_in_the_words_of_the_api(server: ClaudeStandIn, name: str) -> None:
    body, words = REJECTED[name]
    server.always("{}")
    status, answer = await post(server, body)
    error = ErrorResponse.model_validate(answer, strict=True)
    assert (status, error.error.type) == (400, "invalid_request_error")
    assert words in error.error.message
    assert error.request_id is not None
    assert server.requests[0].rejection is not None


ACCEPTED: dict[str, dict[str, Any]] = {
    "the least": VALID,
    "no tokens, to warm the cache": {**VALID, "max_tokens": 0},
    "a system of blocks": {**VALID, "system": [CACHED]},
    "automatic caching": {**VALID, "cache_control": {"type": "ephemeral"}},
    "an hour before five minutes": user(HOUR, CACHED),
    "four breakpoints": user(*[CACHED] * 4),
    "documents with citations": user(document(), document(), {"type": "text", "text": "?"}),
    "a schema with references": formatted(
        {**SCHEMA, "$defs": {"n": {"type": "integer"}}, "properties": {"a": {"anyOf": [{"$ref": "#/$defs/n"}, NULL]}}}
    ),
    "a schema with two types": property_of({"type": ["string", "null"]}),
    "a schema with a constant": property_of({"const": "x"}),
    "a date": property_of({"type": "string", "format": "date"}),
    "thinking between tools": {**VALID, "thinking": {"type": "between_tools"}},
    "a tool turn": {
        **VALID,
        "tools": [TOOL],
        "tool_choice": {"type": "auto"},
        "messages": [
            VALID["messages"][0],
            {"role": "assistant", "content": [CALL]},
            {"role": "user", "content": [RESULT]},
        ],
    },
    "a system message at the end": {**VALID, "messages": [*VALID["messages"], {"role": "system", "content": "Now."}]},
    "everything else": {
        **VALID,
        "metadata": {"user_id": "u"},
        "stop_sequences": ["END"],
        "service_tier": "auto",
        "output_config": {"effort": "low"},
        "stream": False,
    },
}  # fmt: skip


@pytest.mark.parametrize("name", ACCEPTED)
async def test_a_good_request_is_answered(server: ClaudeStandIn, name: str) -> None:
    server.script("{}")
    status, answer = await post(server, ACCEPTED[name])
    assert (status, answer["type"]) == (200, "message")


@pytest.mark.parametrize(
    ("headers", "status", "kind", "words"),
    [
        ({"x-api-key": ""}, 401, "authentication_error", "x-api-key header is required"),
        ({"x-api-key": "sk-other"}, 401, "authentication_error", "invalid x-api-key"),
        ({"x-api-key": "", "authorization": "Bearer sk-other"}, 401, "authentication_error", "invalid x-api-key"),
        ({"anthropic-version": ""}, 400, "invalid_request_error", "anthropic-version: header is required"),
        ({"anthropic-version": "tomorrow"}, 400, "invalid_request_error", "is not a valid version"),
    ],
)
async def test_wrong_headers_are_rejected(
    server: ClaudeStandIn, headers: dict[str, str], status: int, kind: str, words: str
) -> None:
    given, answer = await post(server, VALID, headers)
    assert (given, answer["error"]["type"]) == (status, kind)
    assert words in answer["error"]["message"]


async def test_an_unknown_model_is_not_found(server: ClaudeStandIn) -> None:
    status, answer = await post(server, {**VALID, "model": "claude-nonsense"})
    assert (status, answer["error"]) == (404, {"type": "not_found_error", "message": "model: claude-nonsense"})


async def test_a_request_over_32_megabytes_is_too_large(server: ClaudeStandIn) -> None:
    status, answer = await post(server, b'"' + b"x" * (32 * 1024 * 1024) + b'"')
    assert (status, answer["error"]["type"]) == (413, "request_too_large")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (without("messages"), "messages: Field required"),
        (VALID, "max_tokens: Extra inputs are not permitted"),
        ({**without("max_tokens"), "stream": True}, "stream: Extra inputs are not permitted"),
    ],
)
async def test_counting_tokens_takes_only_what_it_counts(
    server: ClaudeStandIn, body: dict[str, Any], words: str
) -> None:
    status, answer = await post(server, body, path="/v1/messages/count_tokens")
    assert (status, answer["error"]["message"]) == (400, words)
    assert server.counted[0].rejection is not None
