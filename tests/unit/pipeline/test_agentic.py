"""Claude searches again where the first search is unsure: same access, same threshold, same verifier."""

from __future__ import annotations

import json

import pytest

from bot.standin.claude import RecordedRequest, Reply, Silent, Text, ToolUse, overloaded
from core.domain.access import Audience
from core.domain.evidence import AbstentionReason
from core.generation.claude_search import ClaudeSearch
from core.pipeline import Pipeline
from tests.unit.pipeline.claude import Line, answered, claim, line
from tests.unit.pipeline.shelf import HOLIDAY_QUESTION, HR, QUOTE, Build, asker, assert_sound, end_of, events_of

ASKED = "Tell me about resting time for my colleagues over there"
DONE = Reply((Text("Enough."),))
ANSWER = answered([claim(QUOTE, QUOTE, kind="quote")])


def search(*queries: str) -> Reply:
    return Reply(tuple(ToolUse("search", {"query": query}) for query in queries))


def agentic(build: Build, opened: Line) -> Pipeline:
    pipeline = build(opened.writer(), monotonic=opened.clock)
    pipeline._agent = ClaudeSearch(opened.messages())
    return pipeline


def results(request: RecordedRequest) -> list[dict[str, object]]:
    """What the last turn of a request tells of its searches."""
    return [block for block in request.body["messages"][-1]["content"] if block["type"] == "tool_result"]


async def test_what_claude_finds_in_other_words_is_answered_from_and_said_to_be(build: Build) -> None:
    async with line() as opened:
        pipeline = agentic(build, opened)
        opened.server.script(search(HOLIDAY_QUESTION), DONE, ANSWER)
        events = await events_of(pipeline, ASKED)
        assert [request.rejection for request in opened.server.requests] == [None, None, None]
    assert_sound(pipeline, events)
    answer = end_of(events).answer
    assert [each.text for each in answer.claims] == [QUOTE]
    assert answer.notes == ("explored",)
    assert answer.use is not None
    assert answer.use.output_tokens > 3


async def test_a_sure_first_search_asks_nobody_to_search(build: Build) -> None:
    async with line() as opened:
        pipeline = agentic(build, opened)
        opened.server.script(ANSWER)
        answer = end_of(await events_of(pipeline, HOLIDAY_QUESTION)).answer
        assert len(opened.server.requests) == 1
    assert answer.notes == ()


async def test_without_the_setting_an_unsure_search_calls_no_model(build: Build) -> None:
    async with line() as opened:
        answer = end_of(await events_of(build(opened.writer(), monotonic=opened.clock), ASKED)).answer
        assert opened.server.requests == []
    assert answer.abstention is not None


async def test_its_searches_see_what_the_asker_may_read_and_no_more(build: Build) -> None:
    salary = "What is the highest salary of band N4?"
    async with line() as opened:
        pipeline = agentic(build, opened)
        for audience, principals, seen in (
            (None, (), False),
            (Audience.tenant("t"), (HR,), False),
            (None, (HR,), True),
        ):
            opened.server.requests.clear()
            opened.server.script(search(salary), DONE, answered([], answerable=False))
            await events_of(pipeline, ASKED, asker(*principals), audience)
            assert ("58,500" in json.dumps([r.body for r in opened.server.requests])) == seen
            while opened.server.unplayed:
                opened.server._steps.clear()


async def test_a_search_that_is_no_surer_ends_in_an_abstention_without_an_answer_being_written(build: Build) -> None:
    async with line() as opened:
        pipeline = agentic(build, opened)
        opened.server.script(search("life on Mars"), search("life on Venus"), DONE)
        answer = end_of(await events_of(pipeline, ASKED)).answer
        assert len(opened.server.requests) == 3
    assert answer.abstention is not None
    assert answer.abstention.searched == ASKED
    assert answer.use is not None


async def test_there_are_four_rounds_at_most(build: Build) -> None:
    async with line() as opened:
        pipeline = agentic(build, opened)
        opened.server.always(search("life on Mars"))
        await events_of(pipeline, ASKED)
        assert len(opened.server.requests) == 4


async def test_tokens_end_the_rounds(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.generation.claude_search.TOKEN_BUDGET", 1)
    async with line() as opened:
        pipeline = agentic(build, opened)
        opened.server.always(search("life on Mars"))
        await events_of(pipeline, ASKED)
        assert len(opened.server.requests) == 1


async def test_a_claim_that_does_not_follow_is_dropped_as_always(build: Build) -> None:
    false = claim("Everybody in Valencia has 30 working days of holiday.", QUOTE)
    async with line() as opened:
        pipeline = agentic(build, opened)
        opened.server.script(search(HOLIDAY_QUESTION), DONE, answered([false]), answered([false]))
        answer = end_of(await events_of(pipeline, ASKED)).answer
    assert answer.claims == ()
    assert answer.abstention is not None


@pytest.mark.parametrize("number", [0, 1], ids=["at once", "after a search"])
async def test_when_the_search_fails_what_it_has_counts(build: Build, number: int) -> None:
    async with line() as opened:
        pipeline = agentic(build, opened)
        opened.server.script(*[search(HOLIDAY_QUESTION)][:number], overloaded(), ANSWER)
        answer = end_of(await events_of(pipeline, ASKED)).answer
    assert bool(answer.claims) == bool(number)


async def test_claude_is_waited_for_so_long_and_no_longer(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.pipeline.EXPLORE_SECONDS", 0.05)
    async with line() as opened:
        pipeline = agentic(build, opened)
        opened.server.script(Silent())
        assert end_of(await events_of(pipeline, ASKED)).answer.abstention is not None


async def test_when_nobody_can_write_the_answer_the_documents_are_not_quoted_instead(build: Build) -> None:
    async with line() as opened:
        pipeline = agentic(build, opened)
        opened.server.script(search(HOLIDAY_QUESTION), DONE)
        opened.server.always(overloaded())
        answer = end_of(await events_of(pipeline, ASKED)).answer
    assert answer.claims == ()
    assert answer.abstention is not None
    assert answer.abstention.reason is AbstentionReason.LOW_CONFIDENCE


@pytest.mark.parametrize("call", [{"query": ""}, {"query": " \n"}, {"text": "x"}, {"query": 3}, {}])
async def test_a_call_that_makes_no_sense_is_told_so(build: Build, call: dict[str, object]) -> None:
    async with line() as opened:
        pipeline = agentic(build, opened)
        opened.server.script(Reply((ToolUse("search", call),)), DONE)
        await events_of(pipeline, ASKED)
        (told,) = results(opened.server.requests[1])
    assert told["is_error"] is True


async def test_the_fourth_search_of_a_round_is_refused(build: Build) -> None:
    async with line() as opened:
        pipeline = agentic(build, opened)
        opened.server.script(search("a moon", "a star", "a comet", "a planet"), DONE)
        await events_of(pipeline, ASKED)
        told = results(opened.server.requests[1])
    assert [each.get("is_error", False) for each in told] == [False, False, False, True]
