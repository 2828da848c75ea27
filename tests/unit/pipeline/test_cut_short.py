"""A run that does not come to its end after something of it was shown is recorded, with what it has used by then."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Any

import pytest
from sqlalchemy import Row, select

from bot.standin.claude import Reply, Stall
from core.domain.access import Audience
from core.domain.events import ClaimVerified, Finished, Reading
from core.domain.evidence import TokenUse
from core.domain.question import Question
from core.errors import StorageError
from core.generation.generator import (
    Answerable,
    Attempted,
    Billed,
    FailedClaim,
    GenerationEvent,
    GenerationRequest,
    Spent,
)
from core.pipeline import Pipeline
from core.store.alerts import AlertStore
from core.store.audit import AuditStore
from core.store.schema import evidence, runs
from tests.unit.pipeline.claude import MODEL, answered, claim, line
from tests.unit.pipeline.shelf import HOLIDAY_QUESTION, HOLIDAYS, QUOTE, TRUE_CLAIM, Build, Scripted, asker

EARLIER = TokenUse("claude", 100, 20, 0, 0, None)
BILLED = TokenUse("claude", 900, 1, 0, 0, None)


class Waiting:
    """A generator that says some things, and then nothing until it is cancelled."""

    name = "waiting"

    def __init__(self, *events: GenerationEvent) -> None:
        self._events = events
        self.waits = asyncio.Event()

    async def generate(self, request: GenerationRequest) -> AsyncGenerator[GenerationEvent, None]:
        for event in self._events:
            yield event
        self.waits.set()
        await asyncio.Event().wait()

    def repair(self, request: GenerationRequest, failures: Sequence[FailedClaim]) -> None:
        return None


def audited(pipeline: Pipeline) -> AuditStore:
    pipeline._audit = AuditStore(pipeline._runs._engine)
    return pipeline._audit


def question() -> Question:
    reader = asker()
    return Question(HOLIDAY_QUESTION, reader, Audience.person(reader), "C1:1")


def recorded(pipeline: Pipeline) -> Sequence[Row[Any]]:
    with pipeline._runs._engine.connect() as connection:
        return connection.execute(select(runs, evidence.c.claims.label("said")).join(evidence, isouter=True)).all()


async def stopped(pipeline: Pipeline, generator: Waiting) -> list[ClaimVerified]:
    """The claims that a run shows before it is cancelled in the middle of what its generator does."""
    shown: list[ClaimVerified] = []

    async def listen() -> None:
        async with aclosing(pipeline.ask(question())) as events:
            async for event in events:
                if isinstance(event, ClaimVerified):
                    shown.append(event)  # noqa: PERF401 - a comprehension that is cancelled keeps nothing

    listening = asyncio.create_task(listen())
    await generator.waits.wait()
    listening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await listening
    return shown


async def test_a_stopped_run_is_recorded_with_the_claims_it_has_shown(build: Build) -> None:
    generator = Waiting(Attempted(1), Spent(EARLIER), Billed(BILLED), Answerable(True), TRUE_CLAIM)
    pipeline = build(generator)
    audit = audited(pipeline)
    (shown,) = await stopped(pipeline, generator)
    (row,) = recorded(pipeline)
    assert (row.run_id, row.decision, row.claims, row.generator) == (shown.run_id, "stopped", 1, "waiting")
    assert [said["text"] for said in row.said] == [QUOTE]
    assert (row.use["input_tokens"], row.use["output_tokens"]) == (1000, 21)
    assert shown.use == BILLED.plus(EARLIER)
    (entry,) = audit.entries()
    said = json.loads(entry.body)
    assert (said["kind"], said["run"], said["decision"]) == ("run", shown.run_id, "stopped")
    assert said["documents"] == [["holiday-policy", 1, 1]]
    assert said["tokens"] == [1000, 21, 0, 0]
    assert not audit.verify()


async def test_who_leaves_after_a_claim_leaves_a_record(build: Build) -> None:
    pipeline = build(Scripted([Attempted(1), Answerable(True), TRUE_CLAIM]))
    async with aclosing(pipeline.ask(question())) as events:
        async for event in events:
            if isinstance(event, ClaimVerified):
                break
    assert [row.decision for row in recorded(pipeline)] == ["stopped"]


async def test_a_run_that_breaks_after_a_claim_is_recorded_as_that(build: Build) -> None:
    pipeline = build(Scripted([Attempted(1), Answerable(True), TRUE_CLAIM, StorageError("the disk is gone")]))
    audit = audited(pipeline)
    with pytest.raises(StorageError):
        [event async for event in pipeline.ask(question())]
    assert [row.decision for row in recorded(pipeline)] == ["interrupted"]
    assert [json.loads(entry.body)["decision"] for entry in audit.entries()] == ["interrupted"]


async def test_before_a_claim_was_shown_there_is_nothing_to_record(build: Build) -> None:
    generator = Waiting(Attempted(1), Answerable(True))
    pipeline = build(generator)
    assert await stopped(pipeline, generator) == []
    assert recorded(pipeline) == []


async def test_a_run_that_ended_is_recorded_once_whoever_leaves_then(build: Build) -> None:
    pipeline = build()
    async with aclosing(pipeline.ask(question())) as events:
        async for event in events:
            if isinstance(event, Finished):
                break
    assert [row.decision for row in recorded(pipeline)] == ["answered"]


async def test_where_it_cannot_be_recorded_the_run_ends_as_it_would_have(
    build: Build, caplog: pytest.LogCaptureFixture
) -> None:
    generator = Waiting(Attempted(1), Answerable(True), TRUE_CLAIM)
    pipeline = build(generator)

    def broken(*_: object) -> None:
        raise OSError(QUOTE)

    pipeline._runs.save = broken  # type: ignore[method-assign, assignment]
    assert len(await stopped(pipeline, generator)) == 1
    assert "not recorded (OSError)" in caplog.text
    assert QUOTE not in caplog.text


async def test_a_question_that_was_stopped_is_no_part_of_the_thread(build: Build) -> None:
    generator = Waiting(Attempted(1), Answerable(True), TRUE_CLAIM)
    pipeline = build(generator)
    await stopped(pipeline, generator)
    assert pipeline._conversations.last("t", "C1:1", "ana@x.com") == []


async def test_a_stopped_answer_is_not_one_that_was_not_found(build: Build) -> None:
    generator = Waiting(Attempted(1), Answerable(True), TRUE_CLAIM)
    pipeline = build(generator)
    await stopped(pipeline, generator)
    quality = AlertStore(pipeline._runs._engine).quality("t", 0, 1e12)
    assert (quality.questions, quality.abstained) == (1, 0)


async def test_what_claude_bills_for_the_part_of_an_answer_is_counted(build: Build) -> None:
    said = json.dumps(answered([claim("In Valencia everybody has 25 working days of holiday.", QUOTE)]))
    async with line() as opened:
        opened.server.script(Reply.text(said, fault=Stall(said.rindex("]"))))
        pipeline = build(opened.writer(), documents=[HOLIDAYS])
        async with aclosing(pipeline.ask(question())) as events:
            async for event in events:
                if isinstance(event, ClaimVerified):
                    break
                assert not isinstance(event, Finished)
                if isinstance(event, Reading):
                    assert recorded(pipeline) == []
    (row,) = recorded(pipeline)
    assert (row.decision, row.use["model"]) == ("stopped", MODEL)
    assert row.use["input_tokens"] > 0
