"""A bot in a process of its own, which a test kills: `python -m tests.e2e.process DATABASE API_URL WAY_TO_HANG`.

It stops for ever at one point of its way, so that the kill finds it there.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from typing import Any

from bot.ledger import Ledger
from bot.server import serve
from bot.services import build_services
from bot.slack_client import open_client
from bot.standin import AppConfig
from core.settings import Settings
from core.store.database import open_database
from core.store.events import EventStore
from tests.e2e.scripted import FixedGroups, ScriptedAsker, ScriptedReindexer


async def for_ever(*_: object) -> None:
    """Stop here."""
    await asyncio.Event().wait()


def hang_at(ledger: Ledger, method: str) -> None:
    """Make one call of the ledger never come back."""
    setattr(ledger, method, for_ever)


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
    services = await build_services(
        settings,
        open_client(settings),
        asker=asker,
        reindexer=ScriptedReindexer(),
        store=store,
        groups=FixedGroups(),
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

        async def note_the_beginning(event_id: int, delivered: Mapping[str, Any]) -> None:
            await (for_ever() if delivered.get("final") else note(event_id, delivered))

        ledger.note = note_the_beginning  # type: ignore[method-assign]  # a kill before the end is noted
    elif way == "before_the_end":
        hang_at(ledger, "finish")
    await serve(settings, services, asyncio.Event(), ping_seconds=0.2)


if __name__ == "__main__":
    asyncio.run(run(*sys.argv[1:]))
