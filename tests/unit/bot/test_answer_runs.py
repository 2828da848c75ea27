"""What one question's runs show, and to whom."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from typing import Any

from bot.answer_runs import AnswerRuns
from bot.identity import Person, Standing
from bot.incoming import Incoming, Surface
from bot.rendering import Message
from bot.rendering.blocks import Block
from bot.reply import plain_text
from bot.stopping import Stop
from core.domain.access import EVERYONE, Audience, Principal, Reader
from core.domain.events import ClaimVerified, Event, Finished, Reading, Searching
from core.domain.evidence import TokenUse
from core.domain.message_life import Stage
from core.domain.question import Question
from tests.e2e.scripted import answer_to
from tests.unit.retrieval.passages import passage

ANA = Reader("t", frozenset({EVERYONE, Principal.group("hr")}), "ana@x.com")
BEN = Reader("t", frozenset({EVERYONE}), "ben@x.com")
ASKED = Incoming(Surface.MENTION, "T1", "U1", "C1", "how many?", ts="1.0")
USE = TokenUse("claude", 900, 1, 0, 0, None)


class Joined:
    """A private channel in which Ben is from the look-up of this number on."""

    def __init__(self, joins_at: int = 1_000) -> None:
        self._joins_at = joins_at
        self.looked = 0

    async def of(self, incoming: Incoming, person: Person) -> Audience:
        self.looked += 1
        return Audience.members("t", [ANA, BEN] if self.looked >= self._joins_at else [ANA])


class Screen:
    """A reply that keeps all that it shows."""

    takes_claims = True
    is_finished = False

    class life:  # noqa: N801 - stands for the attribute of that name
        event_id = 1

    def __init__(self) -> None:
        self.seen: list[str] = []

    async def progress(self, message: Message) -> None:
        self.seen.append(plain_text(message))

    async def show(self, blocks: Sequence[Block]) -> None:
        self.seen.append(str(blocks))

    async def withdraw(self, message: Message) -> None:
        self.seen.append("withdrawn")

    async def finish(self, messages: Sequence[Message], ending: Stage = Stage.FINISHED) -> None:
        raise AssertionError("the runs do not say the last word")


class Secretive:
    """Reads a secret document where only Ana reads along, and an open one elsewhere."""

    def __init__(self, stop: Stop | None = None) -> None:
        self._stop = stop

    async def ask(self, question: Question) -> AsyncIterator[Event]:
        title = "Salary bands" if len(question.audience.readers) == 1 else "Parking"
        yield Searching("run", question.text)
        yield Reading("run", (passage(title=title),))
        answer = answer_to(question)
        yield ClaimVerified("run", 0, answer.claims[0], USE)
        if self._stop is not None:
            self._stop.ask()
            await _never()
        yield Finished("run", answer)


async def _never() -> None:
    await asyncio.Event().wait()


async def made(audiences: Any, screen: Any, asker: Secretive, stop: Stop | None = None) -> list[TokenUse]:
    spent: list[TokenUse] = []
    runs = AnswerRuns(asker, audiences, (), 60, time.time)
    person = Person("U1", Standing.MEMBER, ANA, "en")
    audience = await audiences.of(ASKED, person)
    await runs.make(ASKED, person, audience, screen, stop or Stop(), spent.append)
    return spent


async def test_no_title_is_named_to_somebody_who_has_come_in_since_it_was_searched() -> None:
    screen = Screen()
    await made(Joined(joins_at=2), screen, Secretive())
    assert "Salary bands" not in str(screen.seen)
    assert "Parking" in str(screen.seen)


async def test_to_those_who_read_there_all_along_titles_are_named() -> None:
    screen = Screen()
    await made(Joined(), screen, Secretive())
    assert "Salary bands" in str(screen.seen)


async def test_what_a_stopped_answer_has_used_is_counted() -> None:
    stop = Stop()
    assert await made(Joined(), Screen(), Secretive(stop), stop) == [USE]
