"""The first sign that a question has been heard: a status under its thread, before a worker has time for it.

Nothing here matters to the answer: where no sign can be shown, the person waits for the first words of the work.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress

from slack_sdk.web.async_client import AsyncWebClient

from bot.identity import Directory
from bot.incoming import Incoming, Surface
from bot.rendering.streaming import inert
from bot.streaming_support import StreamingSupport
from bot.tenancy import Tenancy
from bot.thread_status import ThreadStatus
from bot.words import Words
from core.errors import SettingsError, SlackError

logger = logging.getLogger("testigo.delivery")

SIGNED = frozenset({Surface.MENTION, Surface.DIRECT})
SIGN_SECONDS = 5.0
"""Longest time that a sign may take."""
PATIENCE_SECONDS = 1.0
"""How long the work waits for a sign that is on its way: it would stand under what comes next."""
KEPT = 1_000
"""Signs that are remembered. Those of questions that another process works on are never asked for."""


class FirstSigns:
    """Shows signs, each in a task of its own, and remembers them until the work goes on from there."""

    def __init__(
        self, client: AsyncWebClient, support: StreamingSupport, directory: Directory, tenancy: Tenancy
    ) -> None:
        self._client = client
        self._support = support
        self._directory = directory
        self._tenancy = tenancy
        self._signs: dict[tuple[str, str], asyncio.Task[str]] = {}

    def show(self, incoming: Incoming) -> None:
        """Begin to show that a question has been heard."""
        if incoming.surface not in SIGNED:
            return
        if len(self._signs) >= KEPT:
            self._signs = {name: sign for name, sign in self._signs.items() if not sign.done()}
        self._signs[_name(incoming)] = asyncio.create_task(self._show(incoming), name="a first sign")

    async def shown(self, incoming: Incoming) -> str:
        """The status that was shown for a question, once none is on its way any more; empty for none."""
        sign = self._signs.pop(_name(incoming), None)
        if sign is None:
            return ""
        await asyncio.wait({sign}, timeout=PATIENCE_SECONDS)
        if not sign.done():
            sign.cancel()
            return ""
        return "" if sign.cancelled() else sign.result()

    async def close(self) -> None:
        """Show no more."""
        signs = list(self._signs.values())
        for sign in signs:
            sign.cancel()
        await asyncio.gather(*signs, return_exceptions=True)

    async def _show(self, incoming: Incoming) -> str:
        tenant_id = self._tenancy.tenant_of(incoming.team_id, incoming.enterprise_id)
        if tenant_id is None:
            return ""
        with suppress(TimeoutError, SlackError, SettingsError):
            async with asyncio.timeout(SIGN_SECONDS):
                person = await self._directory.person(incoming.user_id, tenant_id)
                if not person.is_known:
                    return ""
                status = inert(Words(person.locale).searching())
                thread = ThreadStatus.under(self._client, self._support, incoming)
                return status if await thread.say(status) else ""
        return ""


def _name(incoming: Incoming) -> tuple[str, str]:
    return incoming.team_id, f"{incoming.channel_id}:{incoming.ts}"
