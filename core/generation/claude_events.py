"""What Claude's stream says, in our words: text, native citations, and how it ended."""

from __future__ import annotations

from dataclasses import dataclass, replace

from anthropic.types import MessageDeltaUsage, RawMessageStreamEvent, StopReason
from anthropic.types import Usage as SDKUsage

from core.generation.errors import CutShort, ProtocolBroken, Refused
from core.generation.prices import Usage


@dataclass(frozen=True, slots=True)
class Begun:
    """Claude begins to write. `usage` is billed whatever comes of it: all of the input, of the output what there is."""

    usage: Usage


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of text of the content block number `block`."""

    text: str
    block: int = 0


@dataclass(frozen=True, slots=True)
class CitationFound:
    """A native citation of the text in `block`: the document's number, and offsets into its text in code points."""

    block: int
    document: int
    start: int
    end: int
    cited_text: str


@dataclass(frozen=True, slots=True)
class Finished:
    """The answer is whole. `request_id` is what Anthropic's support asks for."""

    stop_reason: str
    usage: Usage
    request_id: str | None = None


StreamEvent = Begun | TextDelta | CitationFound | Finished


class Ending:
    """What one stream has said so far about how it ends."""

    def __init__(self) -> None:
        self.usage: Usage | None = None
        self.request_id: str | None = None
        self._stop_reason: StopReason | None = None
        self._explanation: str | None = None

    def follow(self, event: RawMessageStreamEvent) -> StreamEvent | None:
        """Take one event in; return what the caller should hear of it. Unknown events mean nothing, by the API's rules.

        The SDK does not validate what it reads, so a missing field shows only here.
        """
        try:
            return self._follow(event)
        except AttributeError as error:
            raise ProtocolBroken("Claude sent an event with a part missing: ask again.") from error

    def _follow(self, event: RawMessageStreamEvent) -> StreamEvent | None:
        if event.type == "message_start":
            self.usage = _first_usage(event.message.usage)
            return Begun(self.usage)
        if event.type == "message_delta":
            self._stop_reason = event.delta.stop_reason or self._stop_reason
            self._explanation = event.delta.stop_details.explanation if event.delta.stop_details else None
            self.usage = _later_usage(self.usage or Usage(), event.usage)
        elif event.type == "content_block_delta" and event.delta.type == "text_delta":
            if not isinstance(event.delta.text, str):
                raise AttributeError("text")
            return TextDelta(event.delta.text, event.index)
        elif event.type == "content_block_delta" and event.delta.type == "citations_delta":
            cited = event.delta.citation
            if cited.type == "char_location":
                return CitationFound(
                    event.index, cited.document_index, cited.start_char_index, cited.end_char_index, cited.cited_text
                )
        return None

    def finish(self) -> Finished:
        """The end as an event, or as the error it is."""
        match self._stop_reason:
            case "end_turn":
                return Finished("end_turn", self.usage or Usage(), self.request_id)
            case None if self.usage is None:
                raise ProtocolBroken("What answered is not Claude's API: check the base URL and any proxy.")
            case None:
                raise CutShort("Claude's answer breaks off: ask again.", retryable=True, usage=self.usage)
            case "max_tokens":
                raise CutShort(
                    "Claude's answer is longer than allowed: raise the answer's max_tokens.", usage=self.usage
                )
            case "model_context_window_exceeded":
                raise CutShort("The passages fill Claude's context: send fewer of them.", usage=self.usage)
            case "refusal":
                why = f" ({self._explanation})" if self._explanation else ""
                raise Refused(f"Claude declined to answer{why}: ask in other words.", usage=self.usage)
            case other:
                raise ProtocolBroken(
                    f"Claude stopped for a reason not asked for ({other}): ask again.", usage=self.usage
                )


def _first_usage(usage: SDKUsage) -> Usage:
    hour = usage.cache_creation.ephemeral_1h_input_tokens if usage.cache_creation else 0
    return Usage(
        usage.input_tokens or 0,
        usage.output_tokens or 0,
        usage.cache_creation_input_tokens or 0,
        usage.cache_read_input_tokens or 0,
        hour,
    )


def _later_usage(known: Usage, usage: MessageDeltaUsage) -> Usage:
    """The counts of `message_delta` are cumulative, and those of the input may be left out."""
    given = {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cache_creation_tokens": usage.cache_creation_input_tokens,
        "cache_read_tokens": usage.cache_read_input_tokens,
    }
    return replace(known, **{name: count for name, count in given.items() if count is not None})
