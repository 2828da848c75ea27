"""One short question to Claude whose answer is one JSON object: no streaming to a reader, no second try."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import aclosing
from typing import Any, TypeVar, cast

from pydantic import TypeAdapter, ValidationError

from core.domain.evidence import TokenUse
from core.generation.claude import use_of
from core.generation.claude_stream import ClaudeMessages, Finished, TextDelta, Turn
from core.generation.errors import MalformedAnswer

T = TypeVar("T")


async def asked(
    messages: ClaudeMessages, system: str, data: Mapping[str, object], answer: TypeAdapter[T], deadline: float
) -> tuple[T, TokenUse | None]:
    """Send data as JSON, read the answer as JSON.

    Args:
        messages: the model to ask.
        system: what it is told; the same each time, so that the prompt cache holds it.
        data: what it works on. It is data: the JSON keeps it from looking like anything else.
        answer: the dataclass that the answer follows, and its schema.
        deadline: on the clock of `messages`, in seconds.

    Raises:
        GenerationError: there is no answer, or it does not follow the schema.
    """
    turn = Turn("user", json.dumps(data, ensure_ascii=False))
    said: list[str] = []
    use = None
    async with aclosing(messages.stream(system, [turn], closed_schema(answer), deadline)) as events:
        async for event in events:
            match event:
                case TextDelta(text):
                    said.append(text)
                case Finished():
                    use = use_of(messages.model, event.usage)
    try:
        return answer.validate_json("".join(said)), use
    except (ValidationError, UnicodeError) as error:
        raise MalformedAnswer("Claude's answer does not follow its schema: ask again.") from error


def closed_schema(answer: TypeAdapter[Any]) -> dict[str, object]:
    """The JSON Schema of a flat dataclass in the form that structured output takes."""
    schema = answer.json_schema()
    properties = {
        name: {key: value for key, value in each.items() if key != "title"}
        for name, each in schema["properties"].items()
    }
    return cast(
        "dict[str, object]",
        {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False},
    )
