"""`/rag-status`: what each person learns of the sources, and what admins learn of the syncs."""

from __future__ import annotations

import datetime as dt

import pytest

from bot.standin import Channel, Person, visible_text
from core.domain.syncing import ScheduledSync, SyncCounts, SyncFailure, SyncFinished
from tests.e2e.conftest import Bot
from tests.e2e.real import furnish, groups
from tests.unit.pipeline.shelf import SALARIES

NEXT = ScheduledSync("shelf", "every 6 hours", dt.datetime(2027, 3, 1, 4, 30, tzinfo=dt.UTC), missed=2)


@pytest.fixture
async def hr_bot(socket_bot: Bot, ana: Person, ben: Person) -> Bot:
    """Ana is in HR and an admin, Ben is neither."""
    socket_bot.overrides |= {"sources": ({"name": "shelf", "kind": "folder", "path": "shelf"},)}
    socket_bot.upcoming = (NEXT,)
    furnish(socket_bot)
    socket_bot.groups.groups = groups(socket_bot.folder, hr=["ana"])
    await socket_bot.start()
    return socket_bot


async def status_of(bot: Bot, person: Person, channel: Channel) -> str:
    """What somebody is told, and nobody but them."""
    await person.slash("/rag-status", "", channel)
    await bot.idle()
    told = bot.said(channel)[-1]
    assert told.ephemeral_to == person.id
    return visible_text(told)


async def test_who_is_no_admin_learns_which_sources_they_may_read_and_how_fresh_they_are(
    hr_bot: Bot, ben: Person, general: Channel
) -> None:
    run = hr_bot.syncs.begin("shelf", "boss@brisa-logistics.example")
    failure = SyncFailure("pay.xlsx", "It has a password.")
    hr_bot.syncs.finish(run, SyncFinished("shelf", SyncCounts(added=3), 1.0, (failure,)))
    text = await status_of(hr_bot, ben, general)
    assert "shelf: 2 documents · read" in text
    for hidden in ("boss@", "pay.xlsx", "every 6 hours", "words", "passages"):
        assert hidden not in text, hidden


async def test_an_admin_learns_how_the_last_syncs_went_when_the_next_come_and_which_versions_these_are(
    hr_bot: Bot, ana: Person, general: Channel
) -> None:
    failures = tuple(SyncFailure(f"{n}.xlsx", f"It has a password of kind {n * 'x'}.") for n in range(1, 6))
    run = hr_bot.syncs.begin("shelf", "boss@brisa-logistics.example")
    hr_bot.syncs.finish(run, SyncFinished("shelf", SyncCounts(added=3, failed=5), 1.0, failures))
    text = await status_of(hr_bot, ana, general)
    assert "shelf: 3 documentos" in text
    assert "terminó bien (boss@brisa-logistics.example)" in text
    assert "1.xlsx" in text
    assert "y 2 más" in text
    assert "próxima 1 mar 2027, 4:30 UTC (every 6 hours) · 2 no se hicieron" in text
    assert "3 documentos en 3 pasajes, versión" in text
    assert "vectores de words+uncentred; respuestas de extractive" in text


async def test_somebody_who_may_read_nothing_learns_no_names(socket_bot: Bot, ben: Person, general: Channel) -> None:
    furnish(socket_bot, [SALARIES])
    await socket_bot.start()
    assert await status_of(socket_bot, ben, general) == "There is no document yet that you may read."
