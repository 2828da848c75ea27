"""Documents whose chunks lack what their document says, and Claude's stand-in that writes sentences about them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial

from bot.standin.claude import ClaudeStandIn, RecordedRequest
from core.domain.document import SourceDocument
from core.generation.backoff import Backoff
from core.generation.claude_contexts import MOST_TOKENS, ClaudeContexts
from core.generation.claude_stream import ClaudeMessages
from tests.fakes import document

MODEL = "claude-sonnet-5-5"
WORDS = "Goods that come back are counted, photographed, labelled and put on the shelf that the screen names."

_CHUNK = re.compile(r'<chunk-(\w+) number="(\d+)">\n(.*?)\n</chunk-\1>', re.DOTALL)


def manual(key: str = "manual", paragraphs: int = 60, edited: int | None = None) -> SourceDocument:
    """A long page of which each paragraph names itself."""
    return document(
        key,
        *(f"{key} step {i}{' was edited' if i == edited else ''}: {' '.join([WORDS] * 4)}" for i in range(paragraphs)),
    )


def chunks_of(request: RecordedRequest) -> dict[int, str]:
    """The chunks that a request asks about, by number."""
    return {int(number): text for _, number, text in _CHUNK.findall(request.last_user_text)}


def sentences(write: Callable[[str], str], request: RecordedRequest) -> Mapping[str, object]:
    """An answer with a sentence about each chunk."""
    written = [{"chunk": number, "sentence": write(text)} for number, text in chunks_of(request).items()]
    return {"contexts": written}


writing = partial(partial, sentences)
"""`writing(f)` is a step of a script: it answers with what `f` says of each chunk's text."""

plain = writing(lambda _: "How the warehouse deals with a boomerang parcel.")


def contextualiser(server: ClaudeStandIn, model: str = MODEL) -> ClaudeContexts:
    """The real client; it waits for nothing between attempts."""

    async def at_once(_: float) -> None:
        return None

    def connect() -> ClaudeMessages:
        return ClaudeMessages(server.api_key, model, base_url=server.base_url, max_tokens=MOST_TOKENS, effort="low",
                              thinking="between_tools")  # fmt: skip

    return ClaudeContexts(connect, model, Backoff(attempts=3, sleep=at_once))
