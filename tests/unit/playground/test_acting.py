"""What people type and press in the page, and what they may not."""

from __future__ import annotations

import pytest

from bot.playground.acting import Actor, RefusedError, read_act
from bot.playground.company import Company
from bot.playground.typed import as_command, as_sent
from bot.standin import SlackStandIn


@pytest.fixture
def actor(slack: SlackStandIn, company: Company) -> Actor:
    return Actor(slack, company)


def channel(slack: SlackStandIn, name: str) -> str:
    found = slack.workspace.channel_named(name)
    assert found is not None
    return found.id


async def test_text_is_sent_as_slack_s_own_client_would(slack: SlackStandIn, company: Company) -> None:
    pau, general = slack.person("pau.ferrandis").id, channel(slack, "general")
    sent = as_sent("@testigo ask @pau.ferrandis. In #general <b> & https://a.example/x?y=1, ok a@b.c", slack.workspace)
    assert sent == (
        f"<@{slack.app.bot_user_id}> ask <@{pau}>. In <#{general}> &lt;b&gt; &amp; <https://a.example/x?y=1>, ok a@b.c"
    )


@pytest.mark.parametrize(
    ("typed", "command"),
    [("/rag how?", ("/rag", "how?")), ("  /rag  ", ("/rag", "")), ("1/2", None), ("/ no", None), ("/2026 was", None)],
)
def test_a_command_is_told_from_a_message(typed: str, command: tuple[str, str] | None) -> None:
    assert as_command(typed) == command


async def test_nobody_writes_where_they_are_not(actor: Actor, slack: SlackStandIn) -> None:
    pau, hidden = slack.person("pau.ferrandis").id, channel(slack, "rrhh-interno")
    for act in (
        f'{{"act": "write", "person": "{pau}", "channel": "{hidden}", "text": "hello"}}',
        f'{{"act": "join", "person": "{pau}", "channel": "{hidden}"}}',
        f'{{"act": "react", "person": "{pau}", "channel": "{hidden}", "ts": "1.0", "name": "eyes"}}',
        f'{{"act": "write", "person": "{slack.app.bot_user_id}", "channel": "{hidden}", "text": "hello"}}',
    ):
        with pytest.raises(RefusedError, match="gone"):
            await actor.do(read_act(act))
    assert slack.workspace.channels[hidden].messages == []


async def test_nobody_touches_another_s_message_or_modal(actor: Actor, slack: SlackStandIn) -> None:
    nerea, pau = slack.person("nerea.etxebarria"), slack.person("pau.ferrandis")
    message = await nerea.post("general", "mine")
    view = {"type": "modal", "title": {"type": "plain_text", "text": "Evidence"}, "blocks": []}
    opened = slack.workspace.add_view(nerea.id, view)
    place = f'"person": "{pau.id}", "channel": "{message.channel_id}", "ts": "{message.ts}"'
    for act in (
        f'{{"act": "edit", {place}, "text": "yours"}}',
        f'{{"act": "delete", {place}}}',
        f'{{"act": "close", "person": "{pau.id}", "view": "{opened.id}"}}',
    ):
        with pytest.raises(RefusedError, match="gone"):
            await actor.do(read_act(act))
    assert message.text == "mine" and not message.deleted and not opened.closed


async def test_commands_that_slack_would_not_take_are_refused(actor: Actor, slack: SlackStandIn) -> None:
    pau, general = slack.person("pau.ferrandis").id, channel(slack, "general")
    place = f'"person": "{pau}", "channel": "{general}"'
    with pytest.raises(RefusedError, match="no_command"):
        await actor.do(read_act(f'{{"act": "write", {place}, "text": "/nothing"}}'))
    with pytest.raises(RefusedError, match="command_in_thread"):
        await actor.do(read_act(f'{{"act": "write", {place}, "text": "/rag x", "thread_ts": "1.0"}}'))


@pytest.mark.parametrize(
    "body",
    ["", "[]", '{"act": "fly", "person": "U1"}', '{"act": "join", "person": "U1", "channel": "C", "more": 1}'],
)
def test_what_is_no_act_is_refused(body: str) -> None:
    with pytest.raises(RefusedError, match="invalid"):
        read_act(body)
