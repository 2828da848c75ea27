"""Compound questions: each part searched, weighed and answered for itself."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence

from core.domain.events import Reading
from core.domain.evidence import ClaimKind, DraftClaim, DraftQuote
from core.generation.errors import Overloaded
from core.generation.generator import (
    Answerable,
    Attempted,
    Drafted,
    FailedClaim,
    GenerationEvent,
    GenerationRequest,
)
from tests.unit.pipeline.shelf import HR, QUOTE, Build, asker, assert_sound, document, end_of, events_of

HOLIDAYS = "How many working days of holiday has everybody in Valencia"
PARKING = "what does a parking space at Ribarroja cost a month?"
SALARY = "what is the highest salary of band N4?"
MARS = "what is the weather on Mars tomorrow?"
COST = "A parking space at Ribarroja costs 35 euros a month."


async def test_each_part_is_answered_from_its_own_passages(build: Build) -> None:
    pipeline = build()
    events = await events_of(pipeline, f"{HOLIDAYS}, and {PARKING}")
    assert_sound(pipeline, events)
    answer = end_of(events).answer
    assert [claim.text for claim in answer.claims] == [QUOTE, COST]
    assert answer.unanswered == ()


async def test_a_part_that_is_not_found_is_named(build: Build) -> None:
    pipeline = build()
    events = await events_of(pipeline, f"{HOLIDAYS}, and {MARS}")
    assert_sound(pipeline, events)
    answer = end_of(events).answer
    assert [claim.text for claim in answer.claims] == [QUOTE]
    assert answer.unanswered == (MARS,)


async def test_nothing_found_for_any_part_is_one_abstention(build: Build) -> None:
    answer = end_of(await events_of(build(), f"Is there life on Venus, and {MARS}")).answer
    assert answer.abstention is not None
    assert answer.unanswered == ()
    assert answer.abstention.searched == f"Is there life on Venus, and {MARS}"


async def test_a_part_that_only_others_may_read_is_as_one_that_is_not_there(build: Build) -> None:
    pipeline = build()
    events = await events_of(pipeline, f"{HOLIDAYS}, and {SALARY}")
    answer = end_of(events).answer
    assert answer.unanswered == (SALARY,)
    assert "58,500" not in str(events)
    allowed = end_of(await events_of(pipeline, f"{HOLIDAYS}, and {SALARY}", asker(HR))).answer
    assert [claim.text for claim in allowed.claims] == [QUOTE, "The highest salary of band N4 is 58,500 euros."]


async def test_the_confidence_is_that_of_the_weakest_part_that_is_answered(build: Build) -> None:
    pipeline = build()
    both = end_of(await events_of(pipeline, f"{HOLIDAYS}, and {PARKING}")).answer.confidence
    apart = [end_of(await events_of(pipeline, text)).answer.confidence for text in (f"{HOLIDAYS}?", PARKING)]
    assert both == min(apart)


class PerPart:
    """A generator that does for each question what a test says."""

    name = "per part"

    def __init__(self, *turns: list[GenerationEvent | Exception]) -> None:
        self.turns = list(turns)
        self.asked: list[tuple[str, list[str]]] = []

    async def generate(self, request: GenerationRequest) -> AsyncGenerator[GenerationEvent, None]:
        self.asked.append((request.question, [p.passage.title for p in request.evidence.passages]))
        for event in self.turns.pop(0):
            if isinstance(event, Exception):
                raise event
            yield event

    def repair(self, request: GenerationRequest, failures: Sequence[FailedClaim]) -> None:
        return None


def quoted(text: str, passage: str) -> Drafted:
    return Drafted(DraftClaim(text, ClaimKind.QUOTE, (DraftQuote(passage, text),)))


async def test_a_generator_sees_each_part_with_its_passages_alone(build: Build) -> None:
    generator = PerPart([Answerable(True), quoted(QUOTE, "p1")], [Answerable(False)])
    documents = (
        document("Holiday policy", QUOTE),
        document("Parking", COST),
    )
    events = await events_of(build(generator, documents), f"{HOLIDAYS}, and {PARKING}")
    assert [question for question, _ in generator.asked] == [f"{HOLIDAYS}?", PARKING]
    assert generator.asked[0][1][0] == "Holiday policy"
    assert generator.asked[1][1][0] == "Parking"
    assert end_of(events).answer.unanswered == (PARKING,)
    read = next(event for event in events if isinstance(event, Reading))
    assert len({p.chunk_id for p in read.passages}) == len(read.passages)


async def test_a_new_attempt_for_a_later_part_does_not_take_back_what_was_shown(build: Build) -> None:
    generator = PerPart(
        [Attempted(1), Answerable(True), quoted(QUOTE, "p1")],
        [Attempted(1), Attempted(2), Answerable(True), quoted(COST, "p2")],
    )
    pipeline = build(generator)
    events = await events_of(pipeline, f"{HOLIDAYS}, and {PARKING}")
    assert_sound(pipeline, events)
    assert [claim.text for claim in end_of(events).answer.claims] == [QUOTE, COST]


async def test_a_failure_in_a_later_part_keeps_what_was_shown(build: Build) -> None:
    generator = PerPart([Answerable(True), quoted(QUOTE, "p1")], [Overloaded("full")])
    pipeline = build(generator)
    events = await events_of(pipeline, f"{HOLIDAYS}, and {PARKING}")
    assert_sound(pipeline, events)
    answer = end_of(events).answer
    assert [claim.text for claim in answer.claims] == [QUOTE]
    assert "interrupted" in answer.notes


async def test_claims_that_were_lost_in_any_part_are_counted(build: Build) -> None:
    false = Drafted(DraftClaim("Everybody has 99 days.", ClaimKind.SYNTHESIS, (DraftQuote("p1", QUOTE),)))
    generator = PerPart([Answerable(True), false], [Answerable(True), quoted(COST, "p2")])
    answer = end_of(await events_of(build(generator), f"{HOLIDAYS}, and {PARKING}")).answer
    assert answer.dropped_claims == 1
    assert answer.unanswered == (f"{HOLIDAYS}?",)


async def test_a_follow_up_does_not_ask_the_last_question_again(build: Build) -> None:
    pipeline = build()
    await events_of(pipeline, f"{HOLIDAYS}?", conversation="D1")
    answer = end_of(await events_of(pipeline, "And what is the price of it?", conversation="D1")).answer
    assert answer.unanswered == ()
