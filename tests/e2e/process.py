"""A bot in a process of its own, which a test kills; `tests.forked` calls `main` in it.

It stops for ever at one point of its way, so that the kill finds it there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from bot.home_lookups import HomeLookups
from bot.ledger import Ledger
from bot.server import serve
from bot.services import build_services
from bot.slack_client import open_client
from bot.standin import AppConfig
from core.domain.evidence import Answer
from core.domain.message_life import Stage
from core.domain.question import Question
from core.embedding.language_means import LanguageMeans
from core.embedding.space import VectorSpace
from core.index.lexical import LexicalIndex
from core.index.reader import IndexReader
from core.index.tables import Tables
from core.private_addition import PrivateAddition
from core.settings import Settings
from core.store.database import open_database
from core.store.events import EventStore
from core.text.language import language_of
from tests.e2e.scripted import FixedGroups, ScriptedAsker, ScriptedReindexer
from tests.unit.pipeline.shelf import DIMENSION, WordVectors


async def for_ever(*_: object) -> None:
    """Stop here."""
    await asyncio.Event().wait()


def hang_at(ledger: Ledger, method: str) -> None:
    """Make one call of the ledger never come back."""
    setattr(ledger, method, for_ever)


def tell_one_claim(asker: ScriptedAsker) -> None:
    """Have a claim shown, and then wait."""
    asker.tells_claims, asker.claims_at_once = True, 1
    asker.go_on.clear()


class WaitingAdder:
    """Looks for a private addition for ever, and lets Slack see that it began."""

    def __init__(self, client: AsyncWebClient) -> None:
        self._client = client

    async def find(self, question: Question, whole: str, common: Answer) -> PrivateAddition | None:
        await self._client.bots_info(bot=AppConfig().bot_id)
        await for_ever()
        return None


def looked_up(database: str, settings: Settings) -> HomeLookups | None:
    """What the home tab is made of, where the test has an index beside its database."""
    engine = open_database(database)
    folder = Path(str(engine.url.database)).parent
    if not (folder / "lexical").exists():
        return None
    space = VectorSpace(WordVectors(), LanguageMeans({}))
    tables = Tables(str(folder / "index"), dimension=DIMENSION, model_id=space.model_id)
    return HomeLookups.of(engine, settings, IndexReader(tables, LexicalIndex(folder / "lexical")))


async def run(database: str, api_url: str, way: str) -> None:
    """Serve until killed."""
    app = AppConfig()
    given = {
        "_env_file": None,
        "tenant_id": "acme",
        "slack_bot_token": app.bot_token,
        "slack_app_token": app.app_token,
        "slack_api_url": api_url,
        "http_port": 0,
        "lease_seconds": 1,
    }
    settings = Settings(**given)  # type: ignore[arg-type]  # pydantic reads each value
    asker = ScriptedAsker()
    store = EventStore(open_database(database))
    client = open_client(settings)
    services = await build_services(
        settings,
        client,
        asker=asker,
        reindexer=ScriptedReindexer(),
        store=store,
        groups=FixedGroups(),
        adder=WaitingAdder(client) if way == "while_adding" else None,
        lookups=looked_up(database, settings),
    )
    ledger = services.ledger
    if way == "before_work":
        hang_at(ledger, "lease")
    elif way == "while_asking":
        asker.go_on.clear()
    elif way == "before_noting":
        hang_at(ledger, "note")
    elif way == "before_noting_the_end":
        note = ledger.note

        async def note_the_beginning(event_id: int, delivered: Mapping[str, Any], stage: Stage | None = None) -> bool:
            if delivered.get("final"):
                await for_ever()
            return await note(event_id, delivered, stage)

        ledger.note = note_the_beginning  # type: ignore[method-assign]  # a kill before the end is noted
    elif way == "while_streaming":
        tell_one_claim(asker)
    elif way == "before_noting_the_stream":
        tell_one_claim(asker)
        written = ledger.note

        async def note_all_but_the_stream(
            event_id: int, delivered: Mapping[str, Any], stage: Stage | None = None
        ) -> bool:
            if delivered.get("parts"):
                await for_ever()
            return await written(event_id, delivered, stage)

        ledger.note = note_all_but_the_stream  # type: ignore[method-assign]  # a kill before the message is noted
    elif way == "before_the_end":

        async def tell_slack_and_hang(event_id: int, state: str) -> None:
            await client.bots_info(bot=app.bot_id)
            await for_ever()

        ledger.finish = tell_slack_and_hang  # type: ignore[method-assign]  # a kill when all but the end is noted
    await serve(settings, services, asyncio.Event(), ping_seconds=2.0)


def main(database: str, api_url: str, way: str) -> None:
    """Be the victim."""
    asyncio.run(run(database, api_url, way))


language_of("¿cuántas vacaciones tengo?")  # loaded before anybody waits
