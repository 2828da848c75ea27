"""A question is asked as its place wants it: what is set for the channel, and what was said in its thread before.

It stands between who answers in Slack and the pipeline, which knows of neither.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import nullcontext
from dataclasses import replace

from bot.history import ThreadReader
from bot.places import Places
from bot.ports import Adder, Asker, closing
from bot.sessions import SessionNames
from core.domain.events import Event
from core.domain.evidence import Answer
from core.domain.question import Question
from core.private_addition import PrivateAddition
from core.retrieval.followup import is_follow_up


class PlacedAsker:
    """Asks the pipeline, and names the session in which somebody asks by their first question."""

    def __init__(self, asker: Asker, places: Places, threads: ThreadReader, names: SessionNames) -> None:
        self._asker = asker
        self._places = places
        self._threads = threads
        self._names = names

    async def ask(self, question: Question) -> AsyncIterator[Event]:
        """See `bot.ports.Asker`.

        Raises:
            StorageError: it is not known how the place is set, or what was asked there before.
        """
        placed = await placed_question(question, self._places)
        is_first = bool(placed.conversation) and not await self._places.has_asked(placed.reader, placed.conversation)
        if is_first and is_follow_up(placed.text) and not await self._opens_its_thread(placed):
            placed = await self._with_history(placed)
        naming = self._names.naming(placed) if is_first else nullcontext()
        with naming:
            async with closing(self._asker.ask(placed)) as steps:
                async for step in steps:
                    yield step

    async def _opens_its_thread(self, question: Question) -> bool:
        """Whether nothing was said before: the thread's first message is what is being answered at this moment."""
        team_id, channel_id, thread_ts = question.conversation.split(":")
        about = await self._places.about(team_id, f"{channel_id}:{thread_ts}")
        return any(asked.is_open for asked in about)

    async def _with_history(self, question: Question) -> Question:
        """What this person said in the thread before, from Slack. Others' words are data, and not looked at."""
        _, channel_id, thread_ts = question.conversation.split(":")
        said = await self._threads.read(channel_id, thread_ts, question.asked_by, question.text)
        return replace(question, earlier=said.own, partial_history=said.is_partial)


class PlacedAdder:
    """Looks for what only the asker may read, in the sources of the place."""

    def __init__(self, adder: Adder, places: Places) -> None:
        self._adder = adder
        self._places = places

    async def find(self, question: Question, whole: str, common: Answer) -> PrivateAddition | None:
        """See `bot.ports.Adder`."""
        return await self._adder.find(await placed_question(question, self._places), whole, common)


async def placed_question(question: Question, places: Places) -> Question:
    """A question with the sources, the mode and the language that are set where it was asked.

    Raises:
        StorageError: it is not known what is set there.
    """
    if not question.place:
        return question
    wanted = await places.settings(question.reader.tenant_id, question.place)
    return replace(question, sources=wanted.sources, mode=wanted.mode, language=wanted.answer_language)
