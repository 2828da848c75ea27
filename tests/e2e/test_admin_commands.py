"""`/rag-revoke`, `/rag-why`, and what the audit record says of them."""

from __future__ import annotations

import pytest

from bot.standin import Channel, Message, Person, SlackStandIn, view_text, visible_text
from bot.standin.rendering import pings
from core.domain.auditing import AuditKind, AuditNote
from tests.e2e.conftest import Bot
from tests.e2e.real import SALARY, SALARY_QUESTION, furnish, groups, recorded


@pytest.fixture
async def hr_bot(socket_bot: Bot, ana: Person, ben: Person) -> Bot:
    furnish(socket_bot)
    socket_bot.groups.groups = groups(socket_bot.folder, hr=["ana"])
    await socket_bot.start()
    return socket_bot


async def last_said(bot: Bot, person: Person, channel: Channel) -> Message:
    await bot.idle()
    return [m for m in bot.said(channel) if m.ephemeral_to in {None, person.id}][-1]


async def test_a_revoked_document_is_gone_with_the_next_question_until_it_is_lifted(
    hr_bot: Bot, slack: SlackStandIn, ana: Person, general: Channel
) -> None:
    direct = ana.direct_channel()
    await ana.dm(SALARY_QUESTION)
    assert SALARY in visible_text(await last_said(hr_bot, ana, direct))
    await ana.slash("/rag-revoke", "shelf/Salary bands", general)
    assert "oculto" in visible_text(await last_said(hr_bot, ana, general))
    await ana.dm(SALARY_QUESTION)
    said = visible_text(await last_said(hr_bot, ana, direct))
    assert SALARY not in said
    assert "bands" not in said
    await ana.slash("/rag-revoke", "--lift salary-bands", general)
    await hr_bot.idle()
    await ana.dm(SALARY_QUESTION)
    assert SALARY in visible_text(await last_said(hr_bot, ana, direct))
    actions = [(e["action"], e["document"], e["outcome"]) for e in recorded(hr_bot) if e["kind"] == "admin"]
    assert actions == [("revoke", "salary-bands", "done"), ("lift", "salary-bands", "done")]


@pytest.mark.parametrize("command", ["/rag-revoke salary-bands", "/rag-why ana@x.com salary-bands", "/rag-reindex"])
async def test_who_is_no_admin_is_denied_and_that_is_recorded(
    hr_bot: Bot, slack: SlackStandIn, ben: Person, general: Channel, command: str
) -> None:
    name, _, text = command.partition(" ")
    await ben.slash(name, text, general)
    assert "administrators" in visible_text(await last_said(hr_bot, ben, general))
    (entry,) = recorded(hr_bot)
    assert (entry["kind"], entry["actor"], entry["place"]) == ("denied", ben.id, general.id)
    assert hr_bot.desk is not None
    assert hr_bot.desk.lift("t", "salary-bands") is None


async def test_workspace_admins_are_admins_only_where_settings_say_so(
    socket_bot: Bot, slack: SlackStandIn, general: Channel
) -> None:
    furnish(socket_bot)
    socket_bot.overrides |= {"admin_slack": True}
    await socket_bot.start()
    boss = slack.person("boss", is_admin=True)
    await boss.slash("/rag-revoke", "parking")
    assert "hidden" in visible_text(await last_said(socket_bot, boss, boss.direct_channel()))


async def test_why_names_the_clauses_that_hold_and_fail(
    hr_bot: Bot, slack: SlackStandIn, ana: Person, ben: Person, general: Channel
) -> None:
    await ana.slash("/rag-why", f"<@{ben.id}|ben> salary-bands", general)
    said = visible_text(await last_said(hr_bot, ana, general))
    assert "no puede leer" in said
    assert "✗ group:hr" in said
    await ana.slash("/rag-why", "ANA@brisa-logistics.example shelf/Salary bands", general)
    said = visible_text(await last_said(hr_bot, ana, general))
    assert "✓ group:hr" in said
    assert [e["about"] for e in recorded(hr_bot)] == [ben.id, ""]


@pytest.mark.parametrize(
    "text",
    ["<!channel> salary-bands", "ana@x.com <!here>", "ana@x.com ' OR 1=1 --", "", "<@U0NOBODY> salary-bands", "--lift"],
)
async def test_nonsense_in_a_command_is_shown_as_it_is_or_not_at_all(
    hr_bot: Bot, slack: SlackStandIn, ana: Person, general: Channel, text: str
) -> None:
    await ana.slash("/rag-why", text, general)
    await ana.slash("/rag-revoke", text, general)
    await hr_bot.idle()
    for message in hr_bot.said(general):
        assert message.ephemeral_to == ana.id
        assert not pings(message)
    assert hr_bot.audit.verify() == []
    assert text not in [e.get("document") for e in recorded(hr_bot)]


async def test_a_run_is_recorded_with_ids_and_without_words(
    hr_bot: Bot, slack: SlackStandIn, ana: Person, general: Channel
) -> None:
    await ana.dm(SALARY_QUESTION)
    await hr_bot.idle()
    (entry,) = recorded(hr_bot)
    assert entry["actor"] == ana.id
    assert entry["documents"] == [["salary-bands", 1, 1]]
    assert entry["decision"] == "answered"
    body = next(iter(hr_bot.audit.entries())).body
    for word in ("salary of", SALARY, "brisa", "highest"):
        assert word not in body
    assert entry["question"] == hr_bot.audit.committed("t", ana.id, SALARY_QUESTION)


async def test_who_is_refused_is_recorded(hr_bot: Bot, slack: SlackStandIn, ana: Person) -> None:
    shared = slack.channel("with-partner", ana, is_ext_shared=True)
    await ana.ask(shared, SALARY_QUESTION)
    await hr_bot.idle()
    (entry,) = recorded(hr_bot)
    assert (entry["kind"], entry["why"]) == ("refused", "refused")


async def test_what_cannot_be_recorded_is_not_done(
    hr_bot: Bot, slack: SlackStandIn, ana: Person, general: Channel, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert hr_bot.services is not None
    from core.errors import StorageError

    def fails(note: AuditNote) -> None:
        assert note.kind is AuditKind.ADMIN
        raise StorageError("full")

    monkeypatch.setattr("core.store.audit.AuditStore.note", lambda self, note: fails(note))
    await ana.slash("/rag-reindex", "", general)
    await hr_bot.idle()
    assert hr_bot.reindexer.asked == []


async def test_the_home_tab_names_the_commands_of_admins_to_admins_alone(
    hr_bot: Bot, slack: SlackStandIn, ana: Person, ben: Person
) -> None:
    for person, named in ((ana, True), (ben, False)):
        await person.open_home()
        await hr_bot.idle()
        home = await slack.wait_until(lambda person=person: slack.workspace.homes.get(person.id))  # type: ignore[misc]
        for command in ("/rag-reindex", "/rag-revoke", "/rag-why"):
            assert (command in view_text(home)) is named, command
