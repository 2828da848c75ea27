"""A Slack to ask, and a client that asks it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from slack_sdk.http_retry.builtin_interval_calculators import FixedValueRetryIntervalCalculator
from slack_sdk.web.async_client import AsyncWebClient

from bot.slack_client import close_client, open_client
from bot.standin import SlackStandIn
from core.settings import Settings


@pytest.fixture
async def slack() -> AsyncIterator[SlackStandIn]:
    async with SlackStandIn() as standin:
        yield standin
        assert standin.violations == []


@pytest.fixture
def settings(slack: SlackStandIn) -> Settings:
    given = {
        "_env_file": None,
        "tenant_id": "acme",
        "slack_bot_token": slack.app.bot_token,
        "slack_api_url": slack.base_url,
    }
    return Settings(**given)  # type: ignore[arg-type]  # pydantic reads each value


@pytest.fixture
async def client(settings: Settings) -> AsyncIterator[AsyncWebClient]:
    opened = open_client(settings)
    for handler in opened.retry_handlers:
        handler.interval_calculator = FixedValueRetryIntervalCalculator(0.01)  # they are counted here, not timed
    yield opened
    await close_client(opened)
