"""`/rag-settings`: who may set a place, what the form keeps, and that answers go by it."""

from __future__ import annotations

from typing import Any

import pytest

from bot.rendering.settings_view import (
    ANSWERS_INPUT,
    FOLLOW_UPS_INPUT,
    LANGUAGE_INPUT,
    MODE_INPUT,
    RESET_ACTION,
    SOURCES_INPUT,
)
from bot.standin import Channel, Person, SlackStandIn, View, view_text, visible_text
from core.settings import Mode
from core.store.place_settings import AnswerLanguage, AnswersIn, PlaceSettings
from tests.e2e.conftest import Bot
from tests.e2e.forms import form_of
from tests.e2e.scripted import QUOTE

SOURCES = tuple({"name": name, "kind": "folder", "path": name} for name in ("wiki", "drive"))
DENIED = "Only administrators may change the settings here."


@pytest.fixture
async def set_bot(socket_bot: Bot, ana: Person, ben: Person) -> Bot:
    """A bot with two sources; Ana is an admin."""
    socket_bot.overrides |= {"sources": SOURCES}
    await socket_bot.start()
    return socket_bot


async def holds_in(bot: Bot, channel: Channel) -> PlaceSettings:
    """What is set for a channel."""
    assert bot.services is not None
    assert bot.services.places is not None
    return await bot.services.places.settings(bot.settings.tenant_id, channel.id)


async def submitted(bot: Bot, person: Person, view: View, **values: Any) -> None:
    """Send the form with these values; a field has the name of its block."""
    await person.submit_view({name: {name: value} for name, value in values.items()}, view)
    await bot.idle()


async def test_what_an_admin_sets_is_what_the_next_question_is_asked_with(
    set_bot: Bot, slack: SlackStandIn, ana: Person, ben: Person, general: Channel
) -> None:
    view = await form_of(set_bot, ana, general)
    assert "Aquí todavía no se ha fijado nada" in view_text(view)
    wanted = {
        SOURCES_INPUT: ["drive"],
        MODE_INPUT: "strict",
        ANSWERS_INPUT: "private",
        FOLLOW_UPS_INPUT: ["on"],
        LANGUAGE_INPUT: "en",
    }
    await submitted(set_bot, ana, view, **wanted)
    assert view.closed
    assert "Los ajustes están guardados." in visible_text(set_bot.said(general)[-1])
    now = await holds_in(set_bot, general)
    assert (now.sources, now.mode, now.answers_in, now.follow_ups, now.language, now.set_by) == (
        ("drive",), Mode.STRICT, AnswersIn.PRIVATE, True, AnswerLanguage.ENGLISH, ana.id,
    )  # fmt: skip
    await ben.ask(general, "¿cuántas vacaciones tengo?")
    answer = await slack.wait_for_message(general, QUOTE, seen_by=ben)
    await set_bot.idle()
    (asked,) = set_bot.asker.questions
    assert (asked.sources, asked.mode, asked.language) == (("drive",), Mode.STRICT, "en")
    assert answer.ephemeral_to == ben.id


async def test_the_form_shows_what_is_set_and_goes_back_to_the_defaults(
    set_bot: Bot, ana: Person, general: Channel
) -> None:
    await submitted(set_bot, ana, await form_of(set_bot, ana, general), **{MODE_INPUT: "open"})
    view = await form_of(set_bot, ana, general)
    chosen = next(b for b in view.blocks if b.get("block_id") == MODE_INPUT)["element"]["initial_option"]["value"]
    assert chosen == "open"
    await ana.click(view, RESET_ACTION)
    await set_bot.idle()
    assert "Aquí todavía no se ha fijado nada" in view_text(view)
    assert (await holds_in(set_bot, general)).mode is Mode.BALANCED


async def test_follow_ups_that_are_set_are_answered_without_a_mention(
    set_bot: Bot, slack: SlackStandIn, ana: Person, general: Channel
) -> None:
    question = await ana.ask(general, "¿cuántas vacaciones tengo?")
    await slack.wait_for_message(general, QUOTE, thread_ts=question.ts)
    await set_bot.idle()
    set_bot.memory.add("acme", set_bot.asker.questions[0].conversation, "ana@brisa-logistics.example", "v", "run")
    await submitted(set_bot, ana, await form_of(set_bot, ana, general), **{FOLLOW_UPS_INPUT: ["on"]})
    await ana.post(general, "¿cuántos días de vacaciones hay en Dublín?", question.ts)
    await set_bot.idle()
    assert len(set_bot.asker.questions) == 2


async def test_in_a_direct_message_everybody_sets_their_own(
    set_bot: Bot, slack: SlackStandIn, ana: Person, ben: Person
) -> None:
    view = await form_of(set_bot, ben)
    assert "They hold for your questions in this conversation." in view_text(view)
    inputs = {block.get("block_id") for block in view.blocks}
    assert not inputs & {ANSWERS_INPUT, FOLLOW_UPS_INPUT}
    await submitted(set_bot, ben, view, **{LANGUAGE_INPUT: "es"})
    await ben.dm("how many holidays?")
    await ana.dm("how many holidays?")
    await set_bot.idle()
    assert {asked.asked_by: asked.language for asked in set_bot.asker.questions} == {ben.id: "es", ana.id: ""}


async def test_who_is_no_admin_is_told_so_and_nothing_of_what_is_set(
    set_bot: Bot, ben: Person, general: Channel
) -> None:
    view = await form_of(set_bot, ben, general)
    assert DENIED in view_text(view)
    assert "drive" not in str(view.payload)
    assert "submit" not in view.payload


@pytest.mark.parametrize(("by", "creator", "may"), [
    ("creator", "ben", True), ("creator", "ana", False), ("members", "ana", True), ("admins", "ben", False),
])  # fmt: skip
async def test_the_settings_may_let_the_creator_or_all_members_set_a_channel(
    socket_bot: Bot, slack: SlackStandIn, ana: Person, ben: Person, by: str, creator: str, may: bool
) -> None:
    socket_bot.overrides |= {"sources": SOURCES, "channel_settings_by": by}
    await socket_bot.start()
    made = slack.channel("made", ana, ben, creator=slack.person(creator).id)
    view = await form_of(socket_bot, ben, made)
    assert ("submit" in view.payload) is may
    if may:
        await submitted(socket_bot, ben, view, **{MODE_INPUT: "strict"})
    assert (await holds_in(socket_bot, made)).mode is (Mode.STRICT if may else Mode.BALANCED)


async def test_a_member_does_not_undo_the_sources_that_they_cannot_choose(
    socket_bot: Bot, slack: SlackStandIn, ana: Person, ben: Person, general: Channel
) -> None:
    socket_bot.overrides |= {"sources": SOURCES, "channel_settings_by": "members"}
    await socket_bot.start()
    await submitted(socket_bot, ana, await form_of(socket_bot, ana, general), **{SOURCES_INPUT: ["wiki", "drive"]})
    view = await form_of(socket_bot, ben, general)
    assert "wiki" not in str(view.payload)
    await submitted(socket_bot, ben, view, **{MODE_INPUT: "open"})
    now = await holds_in(socket_bot, general)
    assert (now.sources, now.mode) == (("wiki", "drive"), Mode.OPEN)


async def test_a_source_that_went_meanwhile_is_an_error_of_its_field_and_nothing_is_kept(
    set_bot: Bot, ana: Person, general: Channel
) -> None:
    view = await form_of(set_bot, ana, general)
    field = next(block for block in view.blocks if block.get("block_id") == SOURCES_INPUT)
    field["element"]["options"].append({"text": {"type": "plain_text", "text": "old"}, "value": "old"})
    await submitted(set_bot, ana, view, **{SOURCES_INPUT: ["old"], MODE_INPUT: "open"})
    assert view.errors == {SOURCES_INPUT: "Esa fuente ya no existe. Elige otra vez."}
    assert not view.closed
    assert (await holds_in(set_bot, general)).mode is Mode.BALANCED


async def test_whether_somebody_may_is_checked_again_when_the_form_is_sent(
    set_bot: Bot, slack: SlackStandIn, ana: Person, general: Channel
) -> None:
    view = await form_of(set_bot, ana, general)
    await slack.happens.change_user(ana.user, email="ana@elsewhere.example")
    await set_bot.idle()
    await submitted(set_bot, ana, view, **{MODE_INPUT: "open"})
    assert "quienes administran" in view_text(view)
    assert (await holds_in(set_bot, general)).mode is Mode.BALANCED


async def test_a_form_that_slack_does_not_open_is_told_of(set_bot: Bot, slack: SlackStandIn, ana: Person) -> None:
    slack.faults.next("views.open", error="expired_trigger_id")
    await ana.slash("/rag-settings")
    await set_bot.idle()
    assert "Los ajustes no se han abierto." in visible_text(set_bot.said(ana.direct_channel())[-1])
