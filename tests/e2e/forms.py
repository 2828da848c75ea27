"""Forms that a command opens."""

from __future__ import annotations

from bot.standin import Channel, Person, View
from tests.e2e.conftest import Bot


async def form_of(bot: Bot, person: Person, channel: Channel | None = None) -> View:
    """The settings' form, opened by a person."""
    await person.slash("/rag-settings", "", channel)
    await bot.idle()
    view = person.open_view()
    assert view is not None
    return view
