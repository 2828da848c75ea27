"""A bot with all that follows an answer, over a small real index that a test reads again."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from sqlalchemy import Engine

from bot.aftercare import Aftercare
from core.administration import AccessDesk
from core.alerts.watch import AlertWatch, Thresholds
from core.domain.document import SourceDocument
from core.evidence.keeper import EvidenceKeeper
from core.gaps import Gaps, NearestDocuments
from core.living import LivingDesk
from core.pipeline import Pipeline
from core.store.alerts import AlertStore, ToldStore
from core.store.conversations import ConversationStore
from core.store.evidence import EvidenceStore
from core.store.gaps import GapStore, HandedOnStore
from core.store.living import LivingStore
from core.store.runs import RunStore
from core.store.shown import ShownStore
from core.store.sync_runs import SyncRunStore
from core.store.sync_schedule import SyncScheduleStore
from sync.engine import SyncEngine
from tests.e2e.conftest import Bot
from tests.e2e.real import furnish
from tests.unit.pipeline.shelf import HOLIDAYS, PARKING, SALARIES, TODAY, Shelf, document

OTHERS = [document(f"Page {n}", f"Page {n} says something of its own.") for n in range(8)]
"""So that a document that goes is less than a fifth of all."""


@dataclass
class Clock:
    """A time that a test moves on."""

    seconds: float = dt.datetime(2026, 11, 29, 12, tzinfo=dt.UTC).timestamp()

    def __call__(self) -> float:
        return self.seconds


@dataclass
class Company:
    """A bot and its documents."""

    bot: Bot
    pipeline: Pipeline
    clock: Clock

    def sync(self, *documents: SourceDocument) -> None:
        """Read these documents, as another process does: the index, then the evidence."""
        index = self.pipeline._index
        engine = SyncEngine(index.tables, index.lexical, self.pipeline._searcher._space, "t")
        list(engine.sync(Shelf([*documents, *OTHERS])))
        desk = self.desk
        keeper = EvidenceKeeper(desk.evidence, index.tables, "t", dt.timedelta(days=180))
        keeper.maintain(dt.datetime.fromtimestamp(self.clock(), dt.UTC))

    @property
    def desk(self) -> AccessDesk:
        """What admins do with documents."""
        assert isinstance(self.bot.desk, AccessDesk)
        return self.bot.desk

    async def tell(self) -> None:
        """One round of telling what became of answers."""
        assert self.bot.services is not None
        assert self.bot.services.living is not None
        await self.bot.services.living.round()
        await self.bot.idle()


def bot_engine(bot: Bot) -> Engine:
    """The database of a furnished bot."""
    assert isinstance(bot.desk, AccessDesk)
    return bot.desk.evidence._engine


def company(bot: Bot) -> Company:
    """Furnish a bot that has not started."""
    clock = Clock()
    bot.clock = clock
    pipeline = furnish(bot, (HOLIDAYS, SALARIES, PARKING, *OTHERS))
    pipeline._clock = clock
    pipeline._conversations = ConversationStore(bot_engine(bot), clock)
    desk = bot.desk
    assert isinstance(desk, AccessDesk)
    engine = desk.evidence._engine
    nearest = NearestDocuments(desk.index, pipeline._searcher, today=lambda: TODAY)
    bot.aftercare = Aftercare(
        shown=ShownStore(engine),
        living_store=LivingStore(engine, clock),
        living_desk=LivingDesk(desk.index, desk.revocations, EvidenceStore(engine), today=lambda: TODAY),
        told=ToldStore(engine, clock),
        runs=RunStore(engine),
        questions=GapStore(engine),
        handed=HandedOnStore(engine, clock),
        nearest=nearest,
        watch=AlertWatch(
            "t",
            ["wiki"],
            AlertStore(engine),
            SyncRunStore(engine, clock),
            SyncScheduleStore(engine),
            Thresholds(least=4),
        ),
        gaps=Gaps(
            GapStore(engine),
            pipeline._searcher._space,
            NearestDocuments(desk.index, pipeline._searcher, today=lambda: TODAY),
        ),
    )
    return Company(bot, pipeline, clock)
