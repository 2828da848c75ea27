"""A whole request: headers, parameters and what may not go together.

https://platform.claude.com/docs/en/api/messages and /errors#common-validation-errors. The names of parameters come
from the SDK's types, so a new SDK brings its new parameters with it (`temperature` and its like are gone since API
version 2026-10-21).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, get_args

from anthropic.types import CacheControlEphemeralParam, JSONOutputFormatParam, MetadataParam, Model, OutputConfigParam
from anthropic.types.message_count_tokens_params import MessageCountTokensParams
from anthropic.types.message_create_params import MessageCreateParamsStreaming

from bot.standin.claude.fields import check_choice, check_object, fields_of
from bot.standin.claude.message_checks import check_messages, check_text_blocks
from bot.standin.claude.recording import cacheable_blocks, content_blocks
from bot.standin.claude.rejection import Rejection
from bot.standin.claude.schema_checks import check_schema

KNOWN_MODELS = frozenset(get_args(get_args(Model)[0]))
MAX_OUTPUT_TOKENS = 128_000
_VERSIONS = ("2026-10-21", "2023-06-01", "2023-01-01")
_HEADERS = {"user_profile_id", "workspace_id"}
_EFFORTS = ("low", "medium", "high", "xhigh", "max")
_THINKING = ("enabled", "adaptive", "disabled", "between_tools")
_MAX_BREAKPOINTS = 4
_UNCACHEABLE = ("thinking", "redacted_thinking")


def check_headers(headers: Mapping[str, str], api_key: str) -> None:
    """Reject a wrong key or a missing version. SDK 2.14 sends its key as a bearer token, others as `x-api-key`."""
    key = headers.get("x-api-key") or headers.get("authorization", "").removeprefix("Bearer ")
    if not key:
        raise Rejection("x-api-key header is required", status=401, kind="authentication_error")
    if key != api_key:
        raise Rejection("invalid x-api-key", status=401, kind="authentication_error")
    version = headers.get("anthropic-version")
    if not version:
        raise Rejection("anthropic-version: header is required")
    if version not in _VERSIONS:
        raise Rejection(f'anthropic-version: "{version}" is not a valid version')


def check_message_request(body: Any) -> None:
    """Reject a request to write a message that the API would not take."""
    _check_parameters(body, MessageCreateParamsStreaming, ("model", "max_tokens", "messages"))
    _check_max_tokens(body["max_tokens"], body["model"])
    _check_common(body)
    if not isinstance(body.get("stream", False), bool):
        raise Rejection("stream: Input should be a valid boolean")
    if body.get("metadata") is not None:
        check_object(body["metadata"], MetadataParam, "metadata")
    stops = body.get("stop_sequences") or []
    if not isinstance(stops, list) or not all(isinstance(stop, str) for stop in stops):
        raise Rejection("stop_sequences: Input should be a valid list")
    if any(not stop.strip() for stop in stops):
        raise Rejection("stop_sequences: each stop sequence must contain non-whitespace")


def check_count_request(body: Any) -> None:
    """Reject a request to count tokens that the API would not take."""
    _check_parameters(body, MessageCountTokensParams, ("model", "messages"))
    _check_common(body)


def _check_parameters(body: Any, shape: Any, required: tuple[str, ...]) -> None:
    if not isinstance(body, dict):
        raise Rejection("Input should be a valid dictionary")
    for name in required:
        if name not in body:
            raise Rejection(f"{name}: Field required")
    for name in body:
        if name not in fields_of(shape) or name in _HEADERS:
            raise Rejection(f"{name}: Extra inputs are not permitted")
    if body["model"] not in KNOWN_MODELS:
        raise Rejection(f"model: {body['model']}", status=404, kind="not_found_error")


def _check_max_tokens(value: Any, model: str) -> None:
    if not isinstance(value, int) or isinstance(value, bool):
        raise Rejection("max_tokens: Input should be a valid integer")
    if value < 0:
        raise Rejection("max_tokens: Input should be greater than or equal to 0")
    if value > MAX_OUTPUT_TOKENS:
        raise Rejection(
            f"max_tokens: {value} > {MAX_OUTPUT_TOKENS}, which is the maximum allowed number of output tokens for "
            f"{model}"
        )


def _check_common(body: Mapping[str, Any]) -> None:
    check_messages(body["messages"])
    if body.get("system") is not None:
        check_text_blocks(body["system"], "system")
    _check_tools(body)
    _check_thinking(body)
    _check_output_config(body)
    _check_cache_control(body)


def _check_tools(body: Mapping[str, Any]) -> None:
    tools = body.get("tools") or []
    if not isinstance(tools, list) or not all(isinstance(tool, dict) for tool in tools):
        raise Rejection("tools: Input should be a valid list")
    names = [tool.get("name") for tool in tools]
    for index, tool in enumerate(tools):
        if not isinstance(tool.get("name"), str) or not re.fullmatch(r"[a-zA-Z0-9_-]{1,128}", tool["name"]):
            raise Rejection(f"tools.{index}.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'")
        if tool.get("type", "custom") != "custom":
            continue
        if not isinstance(tool.get("input_schema"), dict):
            raise Rejection(f"tools.{index}.custom.input_schema: Field required")
        check_choice(tool["input_schema"].get("type"), ("object",), f"tools.{index}.custom.input_schema.type")
    if len(set(names)) != len(names):
        raise Rejection("tools: Tool names must be unique.")
    choice = body.get("tool_choice")
    if choice is None:
        return
    check_choice(choice.get("type"), ("auto", "any", "tool", "none"), "tool_choice.type")
    if not tools:
        raise Rejection("tool_choice may only be specified while providing tools.")
    if body["model"] == "claude-sonnet-5-5" and choice["type"] in ("any", "tool"):
        raise Rejection('tool_choice: type "tool" and "any" are not supported for this model.')


def _check_thinking(body: Mapping[str, Any]) -> None:
    thinking = body.get("thinking")
    if thinking is None:
        return
    if not isinstance(thinking, dict) or "type" not in thinking:
        raise Rejection("thinking.type: Field required")
    check_choice(thinking["type"], _THINKING, "thinking.type")
    if body["model"] == "claude-sonnet-5-5" and thinking["type"] not in ("adaptive", "between_tools"):
        raise Rejection(f'thinking.type: "{thinking["type"]}" is not supported for this model.')


def _check_output_config(body: Mapping[str, Any]) -> None:
    config = body.get("output_config")
    if config is None:
        return
    check_object(config, OutputConfigParam, "output_config")
    if config.get("effort") is not None:
        check_choice(config["effort"], _EFFORTS, "output_config.effort")
    if config.get("format") is None:
        return
    check_object(config["format"], JSONOutputFormatParam, "output_config.format")
    check_choice(config["format"]["type"], ("json_schema",), "output_config.format.type")
    check_schema(config["format"]["schema"])
    for message in body["messages"]:
        for block in content_blocks(message["content"]):
            if block["type"] == "document" and (block.get("citations") or {}).get("enabled"):
                raise Rejection("output_config.format: Structured outputs cannot be used together with citations")


def _check_cache_control(body: Mapping[str, Any]) -> None:
    marks = [("", body)] if body.get("cache_control") is not None else []
    marks = [(path, b) for path, b in cacheable_blocks(body) if b.get("cache_control") is not None] + marks
    hours_may_come = True
    for path, block in marks:
        where = f"{path}.cache_control".removeprefix(".")
        control = block["cache_control"]
        if block.get("type") in _UNCACHEABLE:
            raise Rejection(f"{where}: Extra inputs are not permitted")
        check_object(control, CacheControlEphemeralParam, where)
        check_choice(control["type"], ("ephemeral",), f"{where}.type")
        ttl = control.get("ttl", "5m")
        check_choice(ttl, ("5m", "1h"), f"{where}.ttl")
        if ttl == "1h" and not hours_may_come:
            raise Rejection(
                f"{where}.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note "
                "that blocks are processed in the following order: `tools`, `system`, `messages`."
            )
        hours_may_come = ttl == "1h"
    if len(marks) > _MAX_BREAKPOINTS:
        raise Rejection(
            f"A maximum of {_MAX_BREAKPOINTS} blocks with cache_control may be provided. Found {len(marks)}."
        )
