"""The pipeline over a real index with tiny vectors, and generators that do what a test says."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from core.domain.access import EVERYONE, AccessRule, Audience, Reader
from core.domain.events import ClaimVerified, Event, Finished, Reading, Restarted, Searching
from core.domain.evidence import AbstentionReason, ClaimStatus, ReasonCode, text_hash
from core.domain.question import Question
from core.errors import QuestionError
from core.generation.errors import Overloaded
from core.generation.generator import Answerable, Attempted, Generator
from core.pipeline import Limits
from sync.sources.base import FailedDocument
from tests.unit.pipeline.shelf import (
    FALSE_CLAIM,
    HOLIDAY_QUESTION,
    HOLIDAYS,
    HR,
    PARKING,
    QUOTE,
    SALARIES,
    TRUE_CLAIM,
    Build,
    Found,
    Scripted,
    asker,
    document,
    drafted,
    end_of,
    events_of,
    synced,
)

FOR_HR = document("Holiday policy", QUOTE, "Up to 5 days may be carried over.", rule=AccessRule.of({HR}))


async def test_an_answer_goes_through_its_stages_in_order(build: Build) -> None:
    events = await events_of(build(), HOLIDAY_QUESTION)
    assert [type(event) for event in events[:3]] == [Searching, Reading, ClaimVerified]
    answer = end_of(events).answer
    assert answer.claims[0].text == QUOTE
    assert answer.claims[0].status is ClaimStatus.SUPPORTED
    assert len({event.run_id for event in events}) == 1


async def test_a_citation_is_an_exact_slice_of_the_version_it_names(build: Build) -> None:
    pipeline = build()
    answer = end_of(await events_of(pipeline, HOLIDAY_QUESTION)).answer
    tables = pipeline._index.tables
    assert answer.citations
    for citation in answer.citations:
        version = tables.version(citation.tenant_id, citation.document_id, citation.document_version)
        assert version is not None
        slice_ = version.text[citation.start_offset : citation.end_offset]
        assert slice_ == citation.quote
        assert text_hash(slice_) == citation.text_hash


async def test_a_claim_that_does_not_follow_is_never_emitted(build: Build) -> None:
    generator = Scripted([Attempted(1), Answerable(True), FALSE_CLAIM, TRUE_CLAIM])
    events = await events_of(build(generator), HOLIDAY_QUESTION)
    assert [e.claim.text for e in events if isinstance(e, ClaimVerified)] == [QUOTE]
    assert end_of(events).answer.dropped_claims == 1


async def test_an_invented_source_cannot_be_shown(build: Build) -> None:
    invented = [drafted(QUOTE, QUOTE, passage=label) for label in ("p5", "p7", "p999", "p1' OR '1", "")]
    events = await events_of(build(Scripted([Answerable(True), *invented])), HOLIDAY_QUESTION)
    assert not [e for e in events if isinstance(e, ClaimVerified)]
    abstention = end_of(events).answer.abstention
    assert abstention is not None
    assert abstention.reason is AbstentionReason.NOTHING_VERIFIED


async def test_when_the_generator_finds_no_answer_its_claims_are_not_shown(build: Build) -> None:
    events = await events_of(build(Scripted([Answerable(False), TRUE_CLAIM])), HOLIDAY_QUESTION)
    abstention = end_of(events).answer.abstention
    assert abstention is not None
    assert abstention.reason is AbstentionReason.NOT_IN_PASSAGES
    assert not [e for e in events if isinstance(e, ClaimVerified)]


async def test_below_the_threshold_the_model_is_not_called_and_the_nearest_documents_are_named(build: Build) -> None:
    generator = Scripted([Answerable(True)])
    answer = end_of(await events_of(build(generator), "Is there life on Mars?")).answer
    assert generator.asked == 0
    assert answer.abstention is not None
    assert answer.abstention.searched == "Is there life on Mars?"
    assert answer.abstention.sources == ("shelf",)
    assert {near.title for near in answer.abstention.near} <= {"Holiday policy", "Parking"}


async def test_a_failure_before_the_first_claim_begins_again_under_a_new_run(build: Build) -> None:
    events = await events_of(build(Scripted([Attempted(1), Answerable(True), Overloaded("busy")])), HOLIDAY_QUESTION)
    [restarted] = [e for e in events if isinstance(e, Restarted)]
    answer = end_of(events).answer
    assert answer.run_id == restarted.run_id != restarted.failed_run_id
    assert {c.run_id for c in answer.citations} == {restarted.run_id}
    assert answer.generator == "extractive"
    assert "fallback_extractive" in answer.notes
    assert answer.claims[0].text == QUOTE


async def test_a_failure_after_a_claim_was_shown_ends_the_answer_with_what_stands(build: Build) -> None:
    generator = Scripted([Attempted(1), Answerable(True), TRUE_CLAIM, Overloaded("busy")])
    events = await events_of(build(generator), HOLIDAY_QUESTION)
    answer = end_of(events).answer
    assert not [e for e in events if isinstance(e, Restarted)]
    assert "interrupted" in answer.notes
    assert [claim.text for claim in answer.claims] == [QUOTE]


async def test_a_new_attempt_of_the_generator_is_a_new_run(build: Build) -> None:
    generator = Scripted([Attempted(1), Answerable(True), Attempted(2), Answerable(True), TRUE_CLAIM])
    events = await events_of(build(generator), HOLIDAY_QUESTION)
    [restarted] = [e for e in events if isinstance(e, Restarted)]
    assert {c.run_id for c in end_of(events).answer.citations} == {restarted.run_id}


async def test_a_hidden_document_is_neither_quoted_nor_suggested(build: Build) -> None:
    question = "What is the highest salary of band N4?"
    hidden = end_of(await events_of(build(), question)).answer
    assert hidden.abstention is not None
    assert "Salary bands" not in {near.title for near in hidden.abstention.near}
    shown = end_of(await events_of(build(), question, asker(HR))).answer
    assert "58,500" in shown.claims[0].text


async def test_the_answer_is_the_same_whether_a_hidden_document_exists_or_not(build: Build, tmp_path: Path) -> None:
    question = "What is the highest salary of band N4?"
    with_it = end_of(await events_of(build(), question)).answer
    without = end_of(await events_of(build(documents=[HOLIDAYS, PARKING]), question)).answer
    assert with_it.abstention == without.abstention
    assert with_it.confidence == without.confidence


async def test_a_public_channel_gets_only_what_everybody_may_read(build: Build) -> None:
    question = "What is the highest salary of band N4?"
    answer = end_of(await events_of(build(), question, asker(HR), Audience.tenant("t"))).answer
    assert answer.abstention is not None
    assert "58,500" not in repr(answer)


async def test_a_right_that_is_lost_between_search_and_claim_counts(build: Build) -> None:
    pipeline = build(documents=[SALARIES])
    reader = asker(HR)
    question = Question("What is the highest salary of band N4?", reader, Audience.person(reader))
    shown = []
    async for event in pipeline.ask(question):
        if isinstance(event, Reading):
            pipeline._visible_now = lambda _: lambda _: False  # type: ignore[assignment, method-assign]
        shown.append(event)
    assert not [e for e in shown if isinstance(e, ClaimVerified)]


async def test_a_follow_up_is_understood_in_its_thread_and_only_by_who_asked_before(build: Build) -> None:
    pipeline = build()
    await events_of(pipeline, "How much is parking at Ribarroja?", conversation="C1:1")
    mine = await events_of(pipeline, "And how much a month?", conversation="C1:1")
    assert isinstance(mine[0], Searching)
    assert mine[0].question == "How much is parking at Ribarroja? And how much a month?"
    other = Reader("t", frozenset({EVERYONE}), "bo@x.com")
    theirs = await events_of(pipeline, "And how much a month?", other, conversation="C1:1")
    assert isinstance(theirs[0], Searching)
    assert theirs[0].question == "And how much a month?"


@pytest.mark.parametrize("text", ["", "   \n"])
async def test_an_empty_question_is_refused_with_an_example(build: Build, text: str) -> None:
    with pytest.raises(QuestionError, match="for example"):
        await events_of(build(), text)


async def test_a_question_that_is_too_long_is_refused_with_the_limit(build: Build) -> None:
    with pytest.raises(QuestionError, match="10 is the most"):
        await events_of(build(limits=Limits(max_question=10)), "How long may this be?")


async def test_an_empty_index_abstains(build: Build) -> None:
    answer = end_of(await events_of(build(documents=[]), HOLIDAY_QUESTION)).answer
    assert answer.abstention is not None
    assert answer.abstention.near == ()


async def test_logs_hold_no_words_of_questions_or_documents(build: Build, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    generator = Scripted([Attempted(1), Answerable(True), FALSE_CLAIM, Overloaded("busy")])
    await events_of(build(generator), HOLIDAY_QUESTION)
    assert caplog.records
    ours = [r.getMessage() for r in caplog.records if r.name.startswith(("core", "sync", "bot"))]
    assert not [m for m in ours if "holiday" in m.lower() or "valencia" in m.lower()]


async def test_a_failed_document_does_not_stop_the_sync(build: Build) -> None:
    build(documents=[HOLIDAYS, FailedDocument("broken.pdf", "It is broken.")])


FEE = document("Parking fees", "A parking space at Ribarroja costs 35 euros a month.")
OTHER_FEE = document("Office guide", "A parking space at Ribarroja costs 42 euros a month.")
FEE_QUESTION = "How much does a parking space at Ribarroja cost a month?"


@pytest.mark.parametrize("generator", [None, Scripted([Answerable(True), drafted(
    "A parking space at Ribarroja costs 35 euros a month.", "A parking space at Ribarroja costs 35 euros a month."
)])])  # fmt: skip
async def test_two_documents_in_force_that_disagree_are_both_shown(build: Build, generator: Generator | None) -> None:
    answer = end_of(await events_of(build(generator, documents=[FEE, OTHER_FEE]), FEE_QUESTION)).answer
    said = " ".join(claim.text for claim in answer.claims)
    assert "35 euros" in said
    assert "42 euros" in said
    assert len(answer.claims) == 2
    assert "contradiction" in answer.notes


async def test_an_old_version_does_not_contradict_the_one_in_force(build: Build) -> None:
    old = document("Old fees", "A parking space at Ribarroja costs 42 euros a month.", superseded_by="Parking fees")
    answer = end_of(await events_of(build(documents=[FEE, old]), FEE_QUESTION)).answer
    assert {citation.title for citation in answer.citations} == {"Parking fees"}
    assert answer.notes == ()


async def test_an_old_version_that_is_asked_for_is_cited_as_what_it_is(build: Build) -> None:
    old = document("Old fees", "A parking space at Ribarroja costs 42 euros a month.", superseded_by="Parking fees")
    question = "How much did a parking space at Ribarroja cost a month by the old fees?"
    answer = end_of(await events_of(build(documents=[old]), question)).answer
    assert "42 euros" in answer.claims[0].text
    assert [reason.code for reason in answer.claims[0].reasons] == [ReasonCode.STALE_VERSION]


async def test_a_source_that_forbids_extracts_is_referred_to_and_never_quoted(build: Build) -> None:
    secret = document("Holiday policy", QUOTE, show_quotes=False)
    answer = end_of(await events_of(build(documents=[secret]), HOLIDAY_QUESTION)).answer
    assert answer.claims == ()
    assert answer.abstention is not None
    assert [near.title for near in answer.abstention.near] == ["Holiday policy"]
    written = Scripted([Answerable(True), drafted("In Valencia everybody has 25 working days of holiday.", QUOTE)])
    answer = end_of(await events_of(build(written, documents=[secret]), HOLIDAY_QUESTION)).answer
    assert answer.claims[0].text == "In Valencia everybody has 25 working days of holiday."


async def test_what_may_not_be_read_any_more_at_the_end_is_not_named_as_near_either(build: Build) -> None:
    pipeline = build(documents=[SALARIES, PARKING])
    reader = asker(HR)
    question = Question("What is the highest salary of band N4?", reader, Audience.person(reader))
    open_to_all = pipeline._index.rulebook("t").visible_to(asker())
    answer = None
    async for event in pipeline.ask(question):
        if isinstance(event, ClaimVerified):
            pipeline._visible_now = lambda _: open_to_all.__contains__  # type: ignore[assignment, method-assign]
        answer = event.answer if isinstance(event, Finished) else answer
    assert answer is not None
    assert answer.abstention is not None
    assert "Salary bands" not in {near.title for near in answer.abstention.near}
    assert "58,500" not in repr(answer)


async def test_a_document_that_is_hidden_meanwhile_is_not_named_as_near(build: Build) -> None:
    pipeline = build(documents=[SALARIES, PARKING])
    reader = asker(HR)
    question = Question("What is the highest salary of band N4?", reader, Audience.person(reader))
    answer = None
    async for event in pipeline.ask(question):
        if isinstance(event, Reading):
            pipeline._index.revoked = lambda _: frozenset({"salary-bands"})
        answer = event.answer if isinstance(event, Finished) else answer
    assert answer is not None
    assert answer.abstention is not None
    assert "Salary bands" not in repr(answer.abstention.near)


@pytest.mark.parametrize("when", [Reading, ClaimVerified])
@pytest.mark.parametrize("now", [[PARKING, SALARIES], [PARKING, SALARIES, FOR_HR]], ids=["removed", "restricted"])
async def test_what_a_sync_takes_away_while_an_answer_is_made_is_not_in_it(
    build: Build, tmp_path: Path, when: type[Event], now: list[Found]
) -> None:
    pipeline = build()
    question = Question(HOLIDAY_QUESTION, asker(), Audience.person(asker()))
    events: list[Event] = []
    async for event in pipeline.ask(question):
        events.append(event)
        if isinstance(event, when):
            synced(pipeline._index.tables, tmp_path, now)
    answer = end_of(events).answer
    assert answer.claims == ()
    assert "Holiday policy" not in repr(answer.abstention)


async def test_what_a_sync_reads_anew_under_the_same_rule_stays_in_an_answer(build: Build, tmp_path: Path) -> None:
    pipeline = build()
    question = Question(HOLIDAY_QUESTION, asker(), Audience.person(asker()))
    events: list[Event] = []
    async for event in pipeline.ask(question):
        events.append(event)
        if isinstance(event, Reading):
            renewed = document("Holiday policy", f"{QUOTE} It was so before.")
            synced(pipeline._index.tables, tmp_path, [renewed, PARKING, SALARIES])
    assert end_of(events).answer.claims[0].text == QUOTE
