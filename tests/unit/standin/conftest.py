"""A stand-in that runs, and the real clients that are held against it."""

from collections.abc import AsyncIterator

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.standin import ManualClock, SlackStandIn


@pytest.fixture
async def slack() -> AsyncIterator[SlackStandIn]:
    async with SlackStandIn(ack_seconds=1.0, retry_delays=(0.0, 0.01, 0.02)) as standin:
        yield standin


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def still_slack(clock: ManualClock) -> AsyncIterator[SlackStandIn]:
    async with SlackStandIn(clock=clock) as standin:
        yield standin


@pytest.fixture
def client(slack: SlackStandIn) -> AsyncWebClient:
    return AsyncWebClient(token=slack.app.bot_token, base_url=slack.base_url, retry_handlers=[])


@pytest.fixture
def still_client(still_slack: SlackStandIn) -> AsyncWebClient:
    return AsyncWebClient(token=still_slack.app.bot_token, base_url=still_slack.base_url, retry_handlers=[])
