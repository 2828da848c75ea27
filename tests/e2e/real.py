"""A bot over a real, small index, for what must hold from the search to the last message."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from core.access.groups import Groups, load_groups
from core.administration import AccessDesk
from core.domain.document import SourceDocument
from core.index.reader import IndexReader
from core.pipeline import Pipeline
from core.private_addition import PrivateAdditions
from core.store.audit import AuditStore
from core.store.conversations import ConversationStore
from core.store.database import open_database
from core.store.evidence import EvidenceStore
from core.store.revocations import RevocationStore
from core.store.runs import RunStore
from tests.e2e.conftest import Bot
from tests.tables import lay_tables
from tests.unit.pipeline.shelf import HOLIDAYS, PARKING, SALARIES, TODAY, built

SALARY_QUESTION = "What is the highest salary of band N4?"
SALARY = "58,500"


def furnish(bot: Bot, documents: Sequence[SourceDocument] = (HOLIDAYS, SALARIES, PARKING)) -> Pipeline:
    """Give a bot that has not started a pipeline over documents, and all that goes with it."""
    bot.overrides |= {"tenant_id": "t"}
    pipeline = built(bot.folder, documents=documents)
    lay_tables(bot.settings.database_location)
    engine = open_database(bot.settings.database_location)
    revocations = RevocationStore(engine)
    old = pipeline._index
    index = IndexReader(old.tables, old.lexical, revocations.revoked)
    pipeline._index = index
    pipeline._runs = RunStore(engine)
    pipeline._audit = AuditStore(engine)
    pipeline._conversations = ConversationStore(engine)
    bot.real_asker = pipeline
    bot.index = index
    bot.adder = PrivateAdditions(index, pipeline._searcher, pipeline, today=lambda: TODAY)
    bot.desk = AccessDesk(index, revocations, EvidenceStore(engine), RunStore(engine), today=lambda: TODAY)
    return pipeline


def groups(folder: Path, **members: Sequence[str]) -> Groups:
    """Groups of the stand-in's people, by their first names."""
    path = folder / "groups.csv"
    rows = [f"{group},{name}@brisa-logistics.example" for group, names in members.items() for name in names]
    path.write_text("\n".join(["group,member", *rows]))
    return load_groups(path)


def recorded(bot: Bot) -> list[dict[str, Any]]:
    """What the audit record says."""
    return [json.loads(entry.body) for entry in bot.audit.entries()]
