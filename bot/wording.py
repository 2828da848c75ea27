"""The words for somebody of whom hardly more is known than what they wrote."""

from __future__ import annotations

import asyncio

from bot.identity import Directory
from bot.incoming import Incoming
from bot.tenancy import Tenancy
from bot.words import Words
from core.text.language import language_of


async def words_for(incoming: Incoming, directory: Directory, tenancy: Tenancy) -> Words:
    """In the language that the person chose, else in the one that they wrote in. Slack is asked for nothing."""
    tenant_id = tenancy.tenant_of(incoming.team_id, incoming.enterprise_id)
    chosen = await directory.chosen_language(incoming.user_id, tenant_id) if tenant_id is not None else ""
    return Words(chosen or await asyncio.to_thread(language_of, incoming.text))
