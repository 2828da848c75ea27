"""Claude against the stand-in, on a clock that a test moves."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from bot.standin.claude import ClaudeStandIn
from core.generation.backoff import Backoff
from core.generation.claude import ClaudeGenerator
from core.generation.claude_citations import ClaudeCitationsGenerator
from core.generation.claude_judge import ClaudeJudge
from core.generation.claude_rewriter import ClaudeRewriter
from core.generation.claude_stream import ClaudeMessages

MODEL = "claude-sonnet-5-5"


@dataclass
class Clock:
    """A clock that stands still unless somebody sleeps by it."""

    now: float = 0.0
    slept: list[float] = field(default_factory=list)

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@dataclass
class Line:
    """A stand-in, and the real clients that talk to it."""

    server: ClaudeStandIn
    clock: Clock = field(default_factory=Clock)
    opened: list[ClaudeMessages] = field(default_factory=list)

    def messages(self, *, api_key: str = "", stall: float = 30.0, max_tokens: int = 8192) -> ClaudeMessages:
        client = ClaudeMessages(
            api_key or self.server.api_key,
            MODEL,
            base_url=self.server.base_url,
            stall=stall,
            max_tokens=max_tokens,
            clock=self.clock,
        )
        self.opened.append(client)
        return client

    def writer(self, *, api_key: str = "", stall: float = 30.0, max_tokens: int = 8192) -> ClaudeGenerator:
        return ClaudeGenerator(self.messages(api_key=api_key, stall=stall, max_tokens=max_tokens), self._backoff())

    def citer(self) -> ClaudeCitationsGenerator:
        return ClaudeCitationsGenerator(self.messages(), self._backoff())

    def judge(self) -> ClaudeJudge:
        return ClaudeJudge(self.messages(), self.clock)

    def rewriter(self) -> ClaudeRewriter:
        return ClaudeRewriter(self.messages(), clock=self.clock)

    def _backoff(self) -> Backoff:
        return Backoff(clock=self.clock, sleep=self.clock.sleep, jitter=lambda: 0.0)


@asynccontextmanager
async def line(clock: Clock | None = None) -> AsyncIterator[Line]:
    async with ClaudeStandIn() as server:
        opened = Line(server, clock or Clock())
        yield opened
        for client in opened.opened:
            await client.aclose()


def claim(
    text: str, *quotes: str, passage: str = "p1", kind: str = "synthesis", calculation: object = None
) -> dict[str, object]:
    cited = [{"passage": passage, "quote": quote} for quote in quotes]
    return {"text": text, "kind": kind, "citations": cited, "calculation": calculation}


def answered(claims: Sequence[dict[str, object]], *, answerable: bool = True, missing: str = "") -> dict[str, object]:
    return {"answerable": answerable, "language": "en", "claims": list(claims), "missing": missing}
