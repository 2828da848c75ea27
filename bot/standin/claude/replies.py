"""What the stand-in answers, as values to script."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Union

from anthropic.types import RefusalStopDetails, StopReason

from bot.standin.claude.faults import RequestFault, StreamFault
from bot.standin.claude.recording import RecordedRequest


@dataclass(frozen=True, slots=True)
class Quoted:
    """A native citation, given by its words: the stand-in looks up where they stand in that document."""

    document: int
    quote: str


@dataclass(frozen=True, slots=True)
class Text:
    """A text block, with the native citations that support it."""

    text: str
    citations: tuple[Quoted, ...] = ()


@dataclass(frozen=True, slots=True)
class Thought:
    """A thinking block. The API omits its text unless asked to show it."""

    text: str = ""


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A call of one of the request's tools."""

    name: str
    input: Mapping[str, object]


Part = Text | Thought | ToolUse


@dataclass(frozen=True, slots=True)
class Chunking:
    """How an answer is cut.

    `delta_chars`: characters of text per delta (None: one delta a block), so that a delta may end inside an escape of
    the JSON that the text carries. `wire_bytes`: bytes per write (None: one write an event), so that a chunk may end
    inside a character. `ascii_escapes`: events in ASCII, where emoji are pairs of `\\uXXXX`. `pause`: seconds between
    deltas, for people who look on.
    """

    delta_chars: int | None = 24
    wire_bytes: int | None = None
    ascii_escapes: bool = False
    pause: float = 0.0


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer, how it stops, and what goes wrong on the way.

    `stop_reason` None means what fits the parts: `tool_use` after a tool call, else `end_turn`. An answer longer than
    the request's `max_tokens` is cut there, as the API does.
    """

    parts: tuple[Part, ...]
    stop_reason: StopReason | None = None
    stop_details: RefusalStopDetails | None = None
    fault: StreamFault | None = None
    chunking: Chunking | None = None

    @classmethod
    def text(
        cls,
        content: str | Mapping[str, object],
        *,
        stop_reason: StopReason | None = None,
        fault: StreamFault | None = None,
        chunking: Chunking | None = None,
    ) -> Reply:
        """A reply of one text block: words, or an object that is written as JSON."""
        return cls((Text(as_text(content)),), stop_reason, None, fault, chunking)


Step = Union[str, Mapping[str, object], Reply, RequestFault, Callable[[RecordedRequest], "Step"]]  # noqa: UP007 - refers to itself
"""One entry of a script. A callable sees the request and gives the entry."""


def as_text(content: str | Mapping[str, object]) -> str:
    """Words as they are; an object as the JSON that structured output writes."""
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)


def refusal(said: str = "", explanation: str | None = None) -> Reply:
    """The classifiers stop the answer after what it has said."""
    details = RefusalStopDetails(type="refusal", category=None, explanation=explanation)
    return Reply((Text(said),), "refusal", details)
