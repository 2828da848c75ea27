"""What only the asker may read, and sharing it (cases A9, D12)."""

from __future__ import annotations

import re

import pytest

from bot.rendering import SHARE_ACTION
from bot.standin import Channel, Message, Person, SlackStandIn, visible_text
from tests.e2e.conftest import Bot
from tests.e2e.real import SALARY, SALARY_QUESTION, furnish, groups, recorded


@pytest.fixture
async def hr_bot(socket_bot: Bot, ana: Person, ben: Person) -> Bot:
    """Ana is in HR, Ben is not."""
    furnish(socket_bot)
    socket_bot.groups.groups = groups(socket_bot.folder, hr=["ana"])
    await socket_bot.start()
    return socket_bot


def public(bot: Bot, channel: Channel) -> list[Message]:
    return [message for message in bot.said(channel) if message.ephemeral_to is None]


def with_button(bot: Bot, channel: Channel) -> Message:
    (found,) = (m for m in bot.said(channel) if SHARE_ACTION in str(m.blocks))
    return found


async def asked(bot: Bot, slack: SlackStandIn, person: Person, channel: Channel) -> None:
    await person.ask(channel, SALARY_QUESTION)
    await bot.idle()


async def test_the_channel_gets_what_all_may_read_and_the_asker_the_rest(
    hr_bot: Bot, slack: SlackStandIn, ana: Person, ben: Person, general: Channel
) -> None:
    await asked(hr_bot, slack, ana, general)
    (seen,) = public(hr_bot, general)
    assert SALARY not in visible_text(seen)
    assert "Salary" not in visible_text(seen).replace(SALARY_QUESTION, "")
    told = [m for m in hr_bot.said(general) if m.ephemeral_to is not None]
    assert {m.ephemeral_to for m in told} == {ana.id}
    assert any(SALARY in visible_text(m) for m in told)
    assert all(SALARY not in visible_text(m) for m in ben.sees(general))


async def test_what_the_channel_reads_is_the_same_whoever_asks(
    hr_bot: Bot, slack: SlackStandIn, ana: Person, ben: Person, general: Channel
) -> None:
    await asked(hr_bot, slack, ben, general)
    assert len(hr_bot.said(general)) == 1, "Ben may read no more than all"
    await asked(hr_bot, slack, ana, general)
    first, second = public(hr_bot, general)
    assert visible_text(first) == visible_text(second)


async def test_sharing_what_not_everybody_may_read_is_blocked(
    hr_bot: Bot, slack: SlackStandIn, ana: Person, general: Channel
) -> None:
    """A9."""
    await asked(hr_bot, slack, ana, general)
    before = len(public(hr_bot, general))
    await ana.click(with_button(hr_bot, general), SHARE_ACTION)
    await hr_bot.idle()
    assert len(public(hr_bot, general)) == before
    assert any("not everyone here" in visible_text(m) or "no todas" in visible_text(m) for m in ana.sees(general))
    assert [e["kind"] for e in recorded(hr_bot)][-1] == "denied"


async def test_sharing_looks_at_who_is_there_at_that_moment(
    hr_bot: Bot, slack: SlackStandIn, ana: Person, ben: Person
) -> None:
    """A9."""
    private = slack.channel("pay", ana, ben, private=True)
    await asked(hr_bot, slack, ana, private)
    button = with_button(hr_bot, private)
    assert not any(SALARY in visible_text(m) for m in public(hr_bot, private))
    await ben.leave(private)
    await slack.settled()
    await ana.click(button, SHARE_ACTION)
    await hr_bot.idle()
    shared = public(hr_bot, private)[-1]
    assert SALARY in visible_text(shared)
    (entry,) = (e for e in recorded(hr_bot) if e["kind"] == "shared")
    assert (entry["actor"], entry["whole"], entry["documents"]) == (ana.id, True, [["salary-bands", 1]])


async def test_a_document_revoked_in_between_is_not_shared(
    hr_bot: Bot, slack: SlackStandIn, ana: Person, ben: Person
) -> None:
    private = slack.channel("pay", ana, ben, private=True)
    await asked(hr_bot, slack, ana, private)
    await ben.leave(private)
    await slack.settled()
    assert hr_bot.desk is not None
    assert hr_bot.desk.revoke("t", "salary-bands", "test") == "salary-bands"
    await ana.click(with_button(hr_bot, private), SHARE_ACTION)
    await hr_bot.idle()
    assert not any(SALARY in visible_text(m) for m in public(hr_bot, private))


async def test_a_private_answer_to_a_command_can_be_shared(
    hr_bot: Bot, slack: SlackStandIn, ana: Person, general: Channel
) -> None:
    await ana.slash("/rag", "How many working days of holiday has everybody in Valencia?", general)
    await hr_bot.idle()
    await ana.click(with_button(hr_bot, general), SHARE_ACTION)
    await hr_bot.idle()
    (shared,) = public(hr_bot, general)
    assert "25 working days" in visible_text(shared)
    assert not slack.violations


@pytest.mark.parametrize("stolen", [True, False])
async def test_a_button_that_names_another_run_shares_nothing(
    hr_bot: Bot, slack: SlackStandIn, ana: Person, ben: Person, stolen: bool
) -> None:
    """The run of somebody else, or one of another place."""
    private = slack.channel("pay", ana, private=True)
    await ana.slash("/rag", SALARY_QUESTION, private)
    await hr_bot.idle()
    message = with_button(hr_bot, private)
    (value,) = re.findall(rf"'action_id': '{SHARE_ACTION}', 'value': '([^']+)'", str(message.blocks))
    hr_bot.groups.groups = groups(hr_bot.folder, hr=["ana", "ben"])  # even where Ben could read it himself
    elsewhere = slack.channel("elsewhere", ana, ben, private=True)
    person = ben if stolen else ana
    await person.slash("/rag", "How many working days of holiday has everybody in Valencia?", elsewhere)
    await hr_bot.idle()
    forged = with_button(hr_bot, elsewhere)
    for block in forged.blocks:
        for element in block.get("elements", ()):
            if element.get("action_id") == SHARE_ACTION:
                element["value"] = value
    await person.click(forged, SHARE_ACTION)
    await hr_bot.idle()
    assert public(hr_bot, elsewhere) == []
    assert recorded(hr_bot)[-1]["kind"] == "denied"


@pytest.mark.parametrize("value", ["", ":", "x:y:z", "x:1.0:0,1,a", "' OR 1=1 --::", "x" * 2000])
async def test_nonsense_in_a_button_shares_nothing(
    hr_bot: Bot, slack: SlackStandIn, ana: Person, general: Channel, value: str
) -> None:
    await ana.slash("/rag", "How many working days of holiday has everybody in Valencia?", general)
    await hr_bot.idle()
    message = with_button(hr_bot, general)
    for block in message.blocks:
        for element in block.get("elements", ()):
            if element.get("action_id") == SHARE_ACTION:
                element["value"] = value
    await ana.click(message, SHARE_ACTION)
    await hr_bot.idle()
    assert public(hr_bot, general) == []
