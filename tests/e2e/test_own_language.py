"""The language that somebody chose is that of all words of the bot to them, and the help knows who is an admin."""

from __future__ import annotations

import pytest

from bot.standin import Channel, Person, SlackStandIn, view_text, visible_text
from core.store.person_settings import PersonSettingsStore
from tests.e2e.conftest import Bot
from tests.e2e.real import furnish, groups
from tests.unit.pipeline.shelf import HOLIDAY_QUESTION


@pytest.fixture
async def hr_bot(socket_bot: Bot, ana: Person, ben: Person) -> Bot:
    """Ana is in HR and an admin, Ben is neither; Ben's Slack is English, and he chose Spanish."""
    furnish(socket_bot)
    socket_bot.groups.groups = groups(socket_bot.folder, hr=["ana"])
    await socket_bot.start()
    assert socket_bot._engine is not None
    PersonSettingsStore(socket_bot._engine).choose("t", ben.id, "es")
    return socket_bot


async def last_said(bot: Bot, channel: Channel) -> str:
    await bot.idle()
    return visible_text(bot.said(channel)[-1])


@pytest.mark.parametrize("typed", ["", "help", "Ayuda"])
async def test_the_help_is_in_the_chosen_language_and_has_the_lines_of_admins_for_admins(
    hr_bot: Bot, ana: Person, ben: Person, general: Channel, typed: str
) -> None:
    for person, named in ((ana, True), (ben, False)):
        await person.slash("/rag", typed, general)
        text = await last_said(hr_bot, general)
        assert "Pregúntame por los documentos de la empresa" in text
        for command in ("/rag-reindex", "/rag-revoke", "/rag-why"):
            assert (command in text) is named, command
        assert "/rag-status" in text


async def test_a_mention_without_a_question_gets_the_same_help(
    hr_bot: Bot, slack: SlackStandIn, ana: Person, ben: Person, general: Channel
) -> None:
    for person, named in ((ana, True), (ben, False)):
        message = await person.ask(general, "")
        await hr_bot.idle()
        (told,) = hr_bot.said(general, message.ts)
        assert ("/rag-reindex" in visible_text(told)) is named


async def test_refusals_commands_and_status_lines_are_in_it_and_the_answer_in_that_of_the_question(
    hr_bot: Bot, slack: SlackStandIn, ben: Person, general: Channel
) -> None:
    await ben.slash("/rag", HOLIDAY_QUESTION, general)
    await hr_bot.idle()
    said = [visible_text(message) for message in hr_bot.said(general)]
    assert said[0] == "buscando en los documentos…"
    assert "Sources" in said[-1]
    await ben.slash("/rag-revoke", "parking", general)
    assert "Esta orden es para quienes administran el bot." in await last_said(hr_bot, general)
    await ben.slash("/rag-status", "", general)
    assert "Lo que conozco" in await last_said(hr_bot, general)
    await ben.slash("/rag-settings", "", general)
    await hr_bot.idle()
    view = ben.open_view()
    assert view is not None
    assert "quienes administran" in view_text(view)
    shared = slack.channel("with-partner", ben, is_ext_shared=True)
    await ben.ask(shared, HOLIDAY_QUESTION)
    assert "No respondo en conversaciones compartidas" in await last_said(hr_bot, shared)


async def test_where_nothing_can_be_looked_up_the_words_are_still_in_it(
    hr_bot: Bot, slack: SlackStandIn, ben: Person, general: Channel
) -> None:
    slack.faults.next("users.info", error="fatal_error", times=None)
    await ben.ask(general, HOLIDAY_QUESTION)
    await hr_bot.idle()
    told = visible_text([m for m in hr_bot.said(general) if m.ephemeral_to == ben.id][-1])
    assert "No he podido comprobar qué documentos puedes leer" in told
