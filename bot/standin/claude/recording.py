"""What the client sent, kept for assertions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bot.standin.claude.rejection import Rejection


@dataclass(frozen=True, slots=True)
class RecordedRequest:
    """One request, with the reason why it was rejected, if it was. Header names are in lower case."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]
    rejection: Rejection | None = None

    @property
    def stream(self) -> bool:
        """Whether the answer was asked for as a stream."""
        return self.body.get("stream") is True

    @property
    def system_text(self) -> str:
        """The system prompt, its blocks joined."""
        return "\n".join(block.get("text", "") for block in content_blocks(self.body.get("system", "")))

    @property
    def last_user_text(self) -> str:
        """The text of the last message of the user, its blocks joined."""
        said = [message for message in self.body["messages"] if message["role"] == "user"]
        return "\n".join(block["text"] for block in content_blocks(said[-1]["content"]) if block["type"] == "text")

    @property
    def documents(self) -> tuple[Mapping[str, Any], ...]:
        """The document blocks of all messages, in the order in which citations count them."""
        return tuple(
            block
            for message in self.body["messages"]
            for block in content_blocks(message["content"])
            if block["type"] == "document"
        )

    @property
    def breakpoints(self) -> tuple[str, ...]:
        """Where `cache_control` stands, as paths such as `system.0`."""
        return tuple(path for path, block in cacheable_blocks(self.body) if block.get("cache_control"))


def content_blocks(content: Any) -> list[Mapping[str, Any]]:
    """Content as blocks: a string is short for one block of text."""
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def cacheable_blocks(body: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """All blocks that may carry `cache_control`, in the order in which the API reads them, with their paths."""
    for place in ("tools", "system"):
        for index, block in enumerate(content_blocks(body.get(place) or [])):
            yield f"{place}.{index}", block
    for number, message in enumerate(body.get("messages") or []):
        for index, block in enumerate(content_blocks(message["content"])):
            yield f"messages.{number}.content.{index}", block
