"""A playground that runs in a thread of its own, so that a browser can be driven beside it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from bot.cli.demo import SAMPLE_QUESTIONS
from bot.cli.people import read_people
from bot.main import Composition
from bot.playground import PlaygroundServer, Session, open_session
from bot.serving import serve_slack

T = TypeVar("T")

QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
"""Flags of a Chromium that speaks with nobody but the playground."""
START_SECONDS = 300
CALL_SECONDS = 30


@dataclass(frozen=True, slots=True)
class Visit:
    """A playground that is running."""

    session: Session
    address: str
    loop: asyncio.AbstractEventLoop

    def call(self, work: Callable[[], Awaitable[T]]) -> T:
        """Do something in the playground's own loop."""

        async def run() -> T:
            return await work()

        return asyncio.run_coroutine_threadsafe(run(), self.loop).result(CALL_SECONDS)

    def person(self, name: str) -> str:
        """The user id of a person, by the first part of their address."""
        return self.session.slack.person(name).id


@dataclass(slots=True)
class _Host:
    composition: Composition
    started: Future[Visit] = field(default_factory=Future)
    stop: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        try:
            asyncio.run(self._serve())
        except BaseException as error:
            if not self.started.done():
                self.started.set_exception(error)
            raise

    async def _serve(self) -> None:
        composition = self.composition

        async def run_bot(slack: Mapping[str, Any], stop: asyncio.Event, ready: asyncio.Event) -> None:
            settings = composition.settings.model_copy(update=dict(slack))
            await serve_slack(composition, stop, settings=settings, ready=ready)

        people = read_people(composition.settings.people_file)
        async with open_session(people, run_bot, SAMPLE_QUESTIONS) as session:
            server = PlaygroundServer(session)
            async with server.listening():
                self.started.set_result(Visit(session, server.address, asyncio.get_running_loop()))
                await asyncio.to_thread(self.stop.wait)


@contextmanager
def hosted(composition: Composition) -> Iterator[Visit]:
    """Read the documents, then serve the playground until the end of the block."""
    for _ in composition.sync.run(None, "playground"):
        pass
    host = _Host(composition)
    thread = threading.Thread(target=host.run, name="playground")
    thread.start()
    try:
        yield host.started.result(START_SECONDS)
    finally:
        host.stop.set()
        thread.join()
        composition.database.dispose()
