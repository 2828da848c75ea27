"""The sample company in a Slack stand-in, and `testigo serve` as a process of its own, to be measured and killed."""

from __future__ import annotations

import asyncio
import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import func, select

from bot.cli.demo import SAMPLE_CONFIG
from bot.cli.people import read_people
from bot.playground.company import move_in, read_manifest
from bot.standin import Message, Person, SlackStandIn
from core.settings import load_settings
from core.store.database import open_database
from core.store.schema import events
from tests.benchmarks import scale

ROOT = Path(__file__).resolve().parents[2]
DATA_DIR = scale.FOLDER / "slack-company"
RETRY_DELAYS = (0.0, 2.0, 10.0)
"""Slack's own are 0, 60 and 300 seconds."""
LEASE_SECONDS = 5
"""The setting's default is 20: shorter, so that what a kill leaves behind is soon taken up again."""
START_SECONDS = 120.0
ANSWER_SECONDS = 180.0


@dataclass(frozen=True, slots=True)
class Question:
    """A question of the sample company's own 60, and who asks it."""

    text: str
    asker: str


def read_questions() -> list[Question]:
    """Those that stand alone: a follow-up needs the thread of what it follows."""
    lines = SAMPLE_CONFIG.with_name("questions.jsonl").read_text(encoding="utf-8").splitlines()
    listed = [json.loads(line) for line in lines]
    return [Question(each["question"], each["asker"]) for each in listed if not each.get("previous")]


def build_index() -> None:
    """Read the sample exports into `DATA_DIR`, if that has not been done."""
    if not scale.is_built(DATA_DIR):
        shutil.rmtree(DATA_DIR, ignore_errors=True)
        _testigo("sync", env=_environment()).check_returncode()
        scale.mark_built(DATA_DIR)


def _testigo(*arguments: str, env: Mapping[str, str]) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*_COMMAND, *arguments], env=dict(env), cwd=ROOT, check=False)


_COMMAND = (sys.executable, "-m", "bot.main", "--config", str(SAMPLE_CONFIG))


def _environment() -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("SLACK_", "ANTHROPIC_"))}
    return {
        **kept,
        "TESTIGO_DATA_DIR": str(DATA_DIR),
        "TESTIGO_MODEL_DIR": os.environ.get("TESTIGO_MODEL_DIR") or str(ROOT / ".testigo"),
        "TESTIGO_GENERATOR": "extractive",
        "TESTIGO_MODE": "balanced",
        "TESTIGO_HTTP_PORT": "0",
        # Eleven people ask for a whole company here.
        "TESTIGO_USER_RATE": "",
        "TESTIGO_WORKSPACE_RATE": "",
        "TESTIGO_USER_RUNS": "10000",
        "TESTIGO_LEASE_SECONDS": str(LEASE_SECONDS),
    }


@dataclass(slots=True)
class Company:
    """The company at work: people ask, and a bot in another process answers."""

    slack: SlackStandIn
    folder: Path
    asked: list[Message] = field(default_factory=list)
    choose: random.Random = field(default_factory=lambda: random.Random(7))
    starts: int = 0
    _questions: Sequence[Question] = field(default_factory=read_questions)
    _process: asyncio.subprocess.Process | None = None

    @property
    def database(self) -> str:
        """The address of the bot's database."""
        return f"sqlite:///{self.folder / 'testigo.db'}"

    @property
    def process_id(self) -> int:
        """The bot's."""
        assert self._process is not None
        return self._process.pid

    async def start(self) -> None:
        """Start the bot, and wait until it hears."""
        before = self.slack.sockets.connections
        app = self.slack.app
        environment = _environment() | {
            "TESTIGO_DATABASE_URL": self.database,
            "SLACK_BOT_TOKEN": app.bot_token,
            "SLACK_APP_TOKEN": app.app_token,
            "SLACK_API_URL": self.slack.base_url,
        }
        self.starts += 1
        with (self.folder / "bot.log").open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *_COMMAND, "serve", env=environment, cwd=ROOT, stdout=log, stderr=log
            )
        await self.slack.wait_until(lambda: self.slack.sockets.connections > before or None, START_SECONDS)

    async def kill(self) -> None:
        """End the bot without a word."""
        assert self._process is not None
        self._process.kill()
        await self._process.wait()

    async def ask(self) -> Message:
        """Have somebody ask something: half of the time directly, else in #general."""
        question = self.choose.choice(self._questions)
        return await self.ask_this(question, in_channel=self.choose.random() < 0.5)

    async def ask_this(self, question: Question, *, in_channel: bool) -> Message:
        """Have a question asked; who is not in #general asks directly."""
        person = self.slack.person(question.asker.partition("@")[0])
        if in_channel and self._is_in_general(person):
            message = await person.ask("general", question.text)
        else:
            message = await person.dm(question.text)
        self.asked.append(message)
        return message

    def _is_in_general(self, person: Person) -> bool:
        general = self.slack.workspace.channel_named("general")
        return general is not None and person.id in general.members

    def answers(self, question: Message) -> list[Message]:
        """The first messages of the answers to a question (a long one has several): each has ended and is whole."""
        return [
            reply
            for reply in self.slack.workspace.thread(question.channel_id, question.ts)[1:]
            if reply.bot_id == self.slack.app.bot_id and not reply.is_streaming and _part(reply) == 0
        ]

    def unfinished(self, question: Message) -> list[Message]:
        """Messages that still grow."""
        thread = self.slack.workspace.thread(question.channel_id, question.ts)[1:]
        return [reply for reply in thread if reply.is_streaming]

    async def answered(self, question: Message) -> None:
        """Return once a question has its answer."""
        await self.slack.wait_until(lambda: bool(self.answers(question)) or None, ANSWER_SECONDS)

    async def all_ended(self, seconds: float = ANSWER_SECONDS) -> int:
        """Wait until nothing is on its way and no event is open any more; how many are, if that takes too long."""
        deadline = asyncio.get_running_loop().time() + seconds
        while asyncio.get_running_loop().time() < deadline:
            if self.slack.courier.under_way == 0 and await asyncio.to_thread(self.open_events) == 0:
                return 0
            await asyncio.sleep(0.2)
        return await asyncio.to_thread(self.open_events)

    def open_events(self) -> int:
        """Events of the database with work left."""
        engine = open_database(self.database)
        try:
            with engine.connect() as connection:
                wanted = select(func.count()).where(events.c.state == "open")
                return connection.execute(wanted).scalar_one()
        finally:
            engine.dispose()


def _part(message: Message) -> int | None:
    """Which message of its answer it is; None for one that carries no mark."""
    payload = (message.metadata or {}).get("event_payload") or {}
    return payload.get("part")


@asynccontextmanager
async def company(folder: Path) -> AsyncIterator[Company]:
    """The company with its bot, which has answered a question already; the bot is killed at the end."""
    people = read_people(load_settings(SAMPLE_CONFIG).people_file)
    app, commands = read_manifest()
    async with SlackStandIn(app, retry_delays=RETRY_DELAYS) as slack:
        move_in(slack, people, commands)
        at_work = Company(slack, folder)
        await at_work.start()
        try:
            for in_channel in (True, False):
                await at_work.answered(await at_work.ask_this(read_questions()[0], in_channel=in_channel))
            await at_work.all_ended()
            at_work.asked.clear()
            yield at_work
        finally:
            await at_work.kill()
