"""A workspace of the sample company without a bot in it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from bot.cli.demo import SAMPLE_CONFIG, SAMPLE_QUESTIONS
from bot.cli.people import read_people
from bot.playground.company import Company, move_in, read_manifest
from bot.standin import SlackStandIn


@pytest.fixture
async def slack() -> AsyncIterator[SlackStandIn]:
    app, _ = read_manifest()
    async with SlackStandIn(app, team_name="Almendro") as standin:
        yield standin


@pytest.fixture
def company(slack: SlackStandIn) -> Company:
    people = read_people(SAMPLE_CONFIG.with_name("people.toml"))
    return move_in(slack, people, read_manifest()[1], SAMPLE_QUESTIONS)
