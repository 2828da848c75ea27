"""Who gets nothing, and how they are told (cases A7, A8, D12)."""

from __future__ import annotations

import logging
import re
from typing import Any

import pytest

from bot.standin import Channel, Person, SlackStandIn, visible_text
from core.access.groups import load_groups
from core.domain.access import EVERYONE, Principal
from core.errors import SettingsError
from tests.conftest import ROOT
from tests.e2e.conftest import Bot
from tests.e2e.scripted import QUOTE, answer_to


def told_privately(bot: Bot, person: Person, channel: Channel) -> str:
    """What the bot has said in a channel, all of which only this person may see."""
    said = bot.said(channel)
    assert said
    assert {message.ephemeral_to for message in said} == {person.id}
    return "\n".join(visible_text(message) for message in said)


async def test_an_address_is_the_same_person_whatever_its_case(bot: Bot, slack: SlackStandIn) -> None:
    """A7."""
    anna = slack.person("anna.rossi", email="Anna.Rossi@Brisa-Logistics.Example")
    await anna.dm("¿cuántas vacaciones tengo?")
    await slack.wait_for_message(anna.direct_channel(), QUOTE)
    await bot.idle()
    principals = bot.asker.questions[0].reader.principals
    assert Principal.user("anna.rossi@brisa-logistics.example") in principals
    assert Principal.domain("brisa-logistics.example") in principals
    assert EVERYONE in principals


@pytest.mark.parametrize("facts", [{"is_ext_shared": True}, {"is_pending_ext_shared": True}])
async def test_a_channel_that_another_company_reads_or_will_read_is_refused_kindly(
    bot: Bot, slack: SlackStandIn, ana: Person, facts: dict[str, bool]
) -> None:
    """A8."""
    shared = slack.channel("with-partner", ana, **facts)
    await ana.ask(shared, "¿cuántas vacaciones tengo?")
    await slack.wait_for_call("chat.postEphemeral")
    await bot.idle()
    assert "otras empresas" in told_privately(bot, ana, shared)
    assert bot.asker.questions == []


async def test_a_channel_that_cannot_be_looked_up_is_refused(
    bot: Bot, slack: SlackStandIn, ana: Person, general: Channel
) -> None:
    """A8."""
    slack.faults.next("conversations.info", error="fatal_error", times=None)
    await ana.ask(general, "¿cuántas vacaciones tengo?")
    await slack.wait_for_call("chat.postEphemeral")
    await bot.idle()
    assert told_privately(bot, ana, general)
    assert bot.asker.questions == []


async def test_a_channel_that_is_shared_while_the_question_is_answered_gets_no_answer(
    bot: Bot, slack: SlackStandIn, ana: Person, general: Channel
) -> None:
    bot.asker.go_on.clear()
    await ana.ask(general, "¿cuántas vacaciones tengo?")
    await bot.shows(general, "leyendo")
    await slack.happens.share_channel(general, slack.workspace.add_team("Partner"))
    bot.asker.go_on.set()
    await slack.wait_for_message(general, "otras empresas")
    await bot.idle()
    assert not any(QUOTE in visible_text(message) for message in bot.said(general))


async def test_who_joins_a_private_channel_meanwhile_counts_among_its_readers(
    bot: Bot, slack: SlackStandIn, ana: Person, ben: Person
) -> None:
    private = slack.channel("hr", ana, private=True)
    bot.asker.go_on.clear()
    await ana.ask(private, "¿cuántas vacaciones tengo?")
    await bot.shows(private, "leyendo")
    await ben.join(private)
    await slack.settled()
    bot.asker.go_on.set()
    await slack.wait_for_message(private, QUOTE)
    await bot.idle()
    assert [len(question.audience.readers) for question in bot.asker.questions] == [1, 2]


async def test_when_slack_does_not_say_who_asks_they_get_a_sentence_privately(
    bot: Bot, slack: SlackStandIn, ana: Person, general: Channel, caplog: pytest.LogCaptureFixture
) -> None:
    """D12."""
    slack.faults.next("users.info", error="fatal_error", times=None)
    with caplog.at_level(logging.DEBUG):
        await ana.ask(general, "¿cuántas vacaciones tengo?")
        await slack.wait_for_call("chat.postEphemeral")
        await bot.idle()
    said = told_privately(bot, ana, general)
    assert "No pude comprobar" in said or "documentos" in said
    code = re.search(r"\b[0-9a-f]{8}\b", said)
    assert code and code.group() in caplog.text
    assert bot.asker.questions == []


async def test_when_a_member_of_a_private_channel_cannot_be_looked_up_nothing_is_shown(
    bot: Bot, slack: SlackStandIn, ana: Person, ben: Person
) -> None:
    """D12."""
    private = slack.channel("hr", ana, ben, private=True)
    slack.faults.next("users.info", error="fatal_error", times=None, when=lambda call: call.get("user") == ben.id)
    await ana.ask(private, "¿cuántas vacaciones tengo?")
    await slack.wait_for_call("chat.postEphemeral")
    await bot.idle()
    assert told_privately(bot, ana, private)
    assert bot.asker.questions == []


async def test_when_the_groups_cannot_be_read_nothing_is_shown(
    bot: Bot, slack: SlackStandIn, ana: Person, general: Channel
) -> None:
    """D12."""
    bot.groups.error = SettingsError("unreadable")
    await ana.ask(general, "¿cuántas vacaciones tengo?")
    await slack.wait_for_call("chat.postEphemeral")
    await bot.idle()
    assert told_privately(bot, ana, general)


async def test_when_no_ephemeral_message_can_be_shown_the_sentence_comes_directly(
    bot: Bot, slack: SlackStandIn, ana: Person, general: Channel
) -> None:
    slack.faults.next("users.info", error="fatal_error", times=None)
    slack.faults.next("chat.postEphemeral", error="user_not_in_channel")
    await ana.ask(general, "¿cuántas vacaciones tengo?")
    await slack.wait_for_message(ana.direct_channel())
    await bot.idle()
    assert bot.said(general) == []


@pytest.mark.parametrize("facts", [{"is_restricted": True}, {"is_ultra_restricted": True}])
async def test_a_guest_holds_only_what_names_them(bot: Bot, slack: SlackStandIn, facts: dict[str, Any]) -> None:
    guest = slack.person("gus", **facts)
    await guest.dm("how many holidays?")
    await slack.wait_for_message(guest.direct_channel(), QUOTE)
    await bot.idle()
    assert bot.asker.questions[0].reader.principals == {Principal.user("gus@brisa-logistics.example")}


async def test_somebody_of_another_workspace_is_nobody_whatever_their_address(bot: Bot, slack: SlackStandIn) -> None:
    partner = slack.workspace.add_team("Partner")
    other = slack.person("eve", team=partner, email="ana@brisa-logistics.example", is_stranger=False)
    await other.dm("how many holidays?")
    await slack.wait_for_message(other.direct_channel(), "only members")
    await bot.idle()
    assert bot.asker.questions == []


async def test_a_workspace_that_is_not_mapped_to_a_tenant_gets_a_refusal_and_nothing_else(
    socket_bot: Bot, slack: SlackStandIn, ana: Person, general: Channel
) -> None:
    socket_bot.overrides = {"teams": {"T0OTHER": "acme"}}
    await socket_bot.start()
    await ana.ask(general, "¿cuántas vacaciones tengo?")
    await slack.wait_for_call("chat.postEphemeral")
    await ana.slash("/rag", "", general)
    await ana.open_home()
    await slack.wait_for_call("views.publish")
    await socket_bot.idle()
    assert told_privately(socket_bot, ana, general)
    assert socket_bot.asker.questions == []
    assert not slack.calls_of("conversations.info")


async def test_two_bots_do_not_talk_to_each_other(bot: Bot, slack: SlackStandIn, general: Channel) -> None:
    other = slack.other_bot("echo")
    await other.ask(general, "how many holidays?")
    await other.dm("how many holidays?")
    await bot.idle()
    assert bot.said(general) == []
    assert bot.asker.questions == []


async def test_groups_of_the_people_file_and_their_circles_are_held(bot: Bot, slack: SlackStandIn) -> None:
    bot.groups.groups = load_groups(ROOT / "tests" / "corpus" / "people.toml")
    inigo = slack.person("inigo", email="Inigo.Penalver@almendro.example")
    await inigo.dm("¿qué es Atlas?")
    await slack.wait_for_message(inigo.direct_channel(), QUOTE)
    await bot.idle()
    held = bot.asker.questions[0].reader.principals
    assert {Principal.group("atlas-partners"), Principal.group("operations"), Principal.group("staff")} <= held


async def test_a_changed_user_counts_at_the_next_question(bot: Bot, slack: SlackStandIn, ana: Person) -> None:
    await ana.dm("¿cuántas vacaciones tengo?")
    await slack.wait_for_message(ana.direct_channel(), QUOTE)
    await slack.happens.change_user(ana.user, is_restricted=True)
    await bot.idle()
    bot.asker.script = lambda question: answer_to(question, "Otra respuesta, con su propia cita exacta.")
    await ana.dm("¿y ahora?")
    await slack.wait_for_message(ana.direct_channel(), "Otra respuesta")
    await bot.idle()
    assert EVERYONE not in bot.asker.questions[1].reader.principals
