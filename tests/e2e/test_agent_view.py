"""The agent's view: suggested questions, names of sessions, and the older assistant's events."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from bot.standin import Person, SlackStandIn
from core.domain.access import Reader
from core.errors import ModelError
from core.suggestions import Topic
from tests.e2e.conftest import Bot, app_from_manifest
from tests.e2e.scripted import QUOTE

OLDER_EVENTS = {"assistant_thread_started", "assistant_thread_context_changed"}


class ScriptedSuggester:
    """Suggests one question about a document with a name that has no harm in it, and remembers for whom."""

    def __init__(self) -> None:
        self.readers: list[Reader] = []
        self.error: Exception | None = None

    def suggest(self, reader: Reader, language: str, phrase: Callable[[Topic], str]) -> Sequence[str]:
        self.readers.append(reader)
        if self.error is not None:
            raise self.error
        return (phrase(Topic("travel", "Travel <!channel> policy", "Hotels", language)), "x" * 100)


@pytest.fixture
def suggester() -> ScriptedSuggester:
    return ScriptedSuggester()


@pytest.fixture
async def agent(socket_bot: Bot, suggester: ScriptedSuggester) -> Bot:
    socket_bot.suggester = suggester
    await socket_bot.start()
    return socket_bot


async def test_whoever_opens_the_messages_tab_is_shown_what_they_can_ask_in_their_language(
    agent: Bot, slack: SlackStandIn, suggester: ScriptedSuggester, ana: Person, ben: Person
) -> None:
    for person in (ana, ben):
        await person.open_home("messages")
    await slack.wait_for_call("assistant.threads.setSuggestedPrompts", count=2)
    shown = {prompts.channel_id: prompts for prompts in slack.workspace.prompts}
    spanish, english = shown[ana.direct_channel().id], shown[ben.direct_channel().id]
    assert spanish.title == "Puedes preguntar"
    assert spanish.prompts[0][1] == "¿Qué hay sobre Hotels en Travel <!channel> policy?"
    assert english.prompts[0][1] == "What is there about Hotels in Travel <!channel> policy?"
    assert english.prompts[1] == ("x" * 74 + "…", "x" * 100)
    # Slack shows nothing in the agent's view where a thread is named.
    assert spanish.thread_ts is None
    assert {reader.email for reader in suggester.readers} == {
        "ana@brisa-logistics.example",
        "ben@brisa-logistics.example",
    }


async def test_nothing_is_suggested_to_whom_nothing_would_be_answered(
    agent: Bot, slack: SlackStandIn, suggester: ScriptedSuggester
) -> None:
    partner = slack.workspace.add_team("Partner")
    await slack.person("eve", team=partner).open_home("messages")
    await slack.person("gone", deleted=True).open_home("messages")
    await slack.wait_for_call("users.info", count=2)
    await agent.idle()
    assert suggester.readers == []


@pytest.mark.parametrize("fails", ["who they are", "what they may read", "Slack"])
async def test_a_failure_of_suggestions_matters_to_nothing(
    agent: Bot, slack: SlackStandIn, suggester: ScriptedSuggester, ana: Person, fails: str
) -> None:
    match fails:
        case "who they are":
            slack.faults.next("users.info", error="fatal_error")
        case "what they may read":
            suggester.error = ModelError("no model")
        case "Slack":
            slack.faults.next("assistant.threads.setSuggestedPrompts", error="not_agent_app")
    opened = await ana.open_home("messages")
    await agent.idle()
    assert opened is not None
    assert opened.error is None
    await ana.dm("¿cuántas vacaciones tengo?")
    await slack.wait_for_message(ana.direct_channel(), QUOTE)
    await agent.idle()


async def test_a_session_is_named_by_its_first_question(agent: Bot, slack: SlackStandIn, ana: Person) -> None:
    question = await ana.dm("¿cuántas vacaciones\n tengo?")
    await slack.wait_for_message(ana.direct_channel(), QUOTE)
    await slack.wait_until(lambda: (s := ana.session(ana.direct_channel(), question.ts)) is not None and bool(s.title))
    await agent.idle()
    session = ana.session(ana.direct_channel(), question.ts)
    assert session is not None
    assert session.title == "¿cuántas vacaciones tengo?"


async def test_a_session_without_a_name_is_answered_all_the_same(agent: Bot, slack: SlackStandIn, ana: Person) -> None:
    slack.faults.next("agents.sessions.rename", error="feature_disabled", times=None)
    await ana.dm("¿cuántas vacaciones tengo?")
    await slack.wait_for_message(ana.direct_channel(), QUOTE)
    await agent.idle()


async def test_threads_in_channels_are_not_named(agent: Bot, slack: SlackStandIn, ana: Person) -> None:
    channel = slack.channel("general", ana)
    await ana.ask(channel, "¿cuántas vacaciones tengo?")
    await slack.wait_for_message(channel, QUOTE)
    await agent.idle()
    assert not slack.calls_of("agents.sessions.rename")


@pytest.fixture
async def older_slack() -> AsyncIterator[SlackStandIn]:
    """A workspace whose app was made with the assistant's view of before."""
    app = app_from_manifest()
    assert app.events is not None
    async with SlackStandIn(replace(app, events=app.events | OLDER_EVENTS), retry_delays=(0.0,)) as standin:
        yield standin
        assert standin.violations == []


async def test_the_older_assistant_events_still_work(
    older_slack: SlackStandIn, suggester: ScriptedSuggester, tmp_path: Path
) -> None:
    bot = Bot(older_slack, "socket", tmp_path, suggester=suggester)
    await bot.start()
    try:
        ana = older_slack.person("ana", locale="es-ES")
        started = await ana.start_assistant_thread(older_slack.channel("general", ana))
        assert started is not None
        thread_ts = started.event["assistant_thread"]["thread_ts"]
        await older_slack.wait_for_call("assistant.threads.setSuggestedPrompts")
        assert older_slack.workspace.prompts[0].thread_ts == thread_ts
        await ana.change_assistant_context(thread_ts, older_slack.channel("other", ana))
        await ana.dm("¿cuántas vacaciones tengo?", thread_ts=thread_ts)
        await older_slack.wait_for_message(ana.direct_channel(), QUOTE, thread_ts=thread_ts)
        await bot.idle()
        assert len(suggester.readers) == 1
    finally:
        await bot.stop()
