"""Every way in which Claude answers or fails, through the pipeline, with the real client against the stand-in."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from bot.standin.claude import (
    Chunking,
    ClaudeStandIn,
    CleanCut,
    Corrupt,
    Drop,
    ErrorEvent,
    Hangup,
    Quoted,
    Reply,
    Silent,
    Stall,
    Step,
    Text,
    overloaded,
    rate_limited,
    refusal,
    server_error,
)
from core.domain.document import SourceDocument
from core.domain.events import ClaimVerified, Event, Restarted
from core.domain.evidence import AbstentionReason, Answer, ClaimKind, ClaimStatus, ReasonCode
from core.errors import ModelError
from core.generation.claude_judge import rubric
from core.generation.judge import ThreadedJudge
from core.generation.prices import Usage, cost_usd
from core.pipeline import Limits, Pipeline
from core.settings import Mode
from core.store.schema import runs
from core.verification.entailment import CrossEncoderJudge
from tests.unit.pipeline.claude import MODEL, Clock, Line, answered, claim, line
from tests.unit.pipeline.shelf import (
    HOLIDAY_QUESTION,
    HOLIDAYS,
    PARKING,
    QUOTE,
    Build,
    assert_sound,
    document,
    end_of,
    events_of,
)

CARRIED = "Up to 5 days may be carried over."
TRUE = claim("In Valencia everybody has 25 working days of holiday.", QUOTE)
ALSO_TRUE = claim("Up to 5 days may be carried over.", CARRIED)
FALSE = claim("Everybody in Valencia has 30 working days of holiday.", QUOTE)
INVENTED = claim("Everybody in Valencia has 31 free Fridays.", "Everybody in Valencia has 31 free Fridays a year.")
GOOD = answered([TRUE, FALSE, ALSO_TRUE])
SHOWN = [str(TRUE["text"]), str(ALSO_TRUE["text"])]
WHOLE = json.dumps(GOOD, ensure_ascii=False)
FIRST_CLAIM_ENDS = WHOLE.index("}, {") + 1
LIES = (str(FALSE["text"]), str(INVENTED["text"]), "30 working", "31 free")


@dataclass
class Asked:
    """A pipeline with Claude behind it, and how to ask it."""

    line: Line
    build: Build

    @property
    def server(self) -> ClaudeStandIn:
        return self.line.server

    @property
    def clock(self) -> Clock:
        return self.line.clock

    async def __call__(self, *steps: Step, pipeline: Pipeline | None = None, **options: Any) -> list[Event]:
        self.server.script(*steps)
        judge = options.pop("judge", None)
        limits = options.pop("limits", None)
        documents = options.pop("documents", (HOLIDAYS, PARKING))
        question = options.pop("question", HOLIDAY_QUESTION)
        generator = options.pop("generator", None) or self.line.writer(**options)
        self.pipeline = pipeline or self.build(
            generator, documents=documents, limits=limits, judge=judge, monotonic=self.clock
        )
        self.pipeline._generator = generator
        events = await events_of(self.pipeline, question)
        assert_sound(self.pipeline, events)
        assert not [lie for lie in LIES if lie in repr([e for e in events if not hasattr(e, "passages")])]
        return events

    async def answer(self, *steps: Step, **options: Any) -> Answer:
        return end_of(await self(*steps, **options)).answer

    def row(self, run_id: str) -> Any:
        with self.pipeline._runs._engine.connect() as connection:
            return connection.execute(select(runs).where(runs.c.run_id == run_id)).one()


@pytest.fixture
async def asked(build: Build) -> AsyncIterator[Asked]:
    async with line() as opened:
        yield Asked(opened, build)


def said(events_or_answer: Sequence[Event] | Answer) -> list[str]:
    if isinstance(events_or_answer, Answer):
        return [claim.text for claim in events_or_answer.claims]
    return [event.claim.text for event in events_or_answer if isinstance(event, ClaimVerified)]


# -- what goes well -------------------------------------------------------------------------------------------------


async def test_claims_are_shown_as_they_are_proved_and_the_rest_is_dropped_and_counted(asked: Asked) -> None:
    answer = await asked.answer(GOOD)
    assert said(answer) == SHOWN
    assert answer.dropped_claims == 1
    assert answer.generator == MODEL
    assert len(asked.server.requests) == 1, "what is shown is not repaired"


@pytest.mark.parametrize(
    "chunking",
    [Chunking(1, 1), Chunking(1, 1, ascii_escapes=True), Chunking(7, 1), Chunking(3, 5), Chunking(None, 1)],
)
async def test_wherever_the_wire_is_cut_the_claims_are_the_same(asked: Asked, chunking: Chunking) -> None:
    assert said(await asked.answer(Reply.text(GOOD, chunking=chunking))) == SHOWN


async def test_an_answer_cut_after_any_character_shows_the_claims_before_the_cut_or_begins_again(asked: Asked) -> None:
    pipeline = None
    for after in range(1, len(WHOLE), 37):
        events = await asked(Reply.text(GOOD, fault=Drop(after)), GOOD, pipeline=pipeline)
        pipeline = asked.pipeline
        answer = end_of(events).answer
        if after < FIRST_CLAIM_ENDS:
            assert said(answer) == SHOWN
            assert [type(e) for e in events].count(Restarted) == 1
            assert answer.notes == ()
        else:
            assert said(answer) == SHOWN[: len(answer.claims)]
            assert answer.claims
            assert answer.notes == ("interrupted",)
            asked.server._steps.clear()  # the second answer was never asked for


async def test_no_answer_means_no_claim_and_no_repair(asked: Asked) -> None:
    answer = await asked.answer(answered([], answerable=False, missing="It is not there."))
    assert answer.abstention is not None
    assert answer.abstention.reason is AbstentionReason.NOT_IN_PASSAGES
    assert len(asked.server.requests) == 1


async def test_the_stable_prefix_is_the_same_to_the_byte_and_is_read_from_the_cache(asked: Asked) -> None:
    first = await asked.answer(GOOD)
    parking = claim(
        "Parking at Ribarroja costs 35 euros a month.", "A parking space at Ribarroja costs 35 euros a month."
    )
    second = await asked.answer(
        answered([parking]), pipeline=asked.pipeline, question="How much does a parking space at Ribarroja cost?"
    )
    assert said(second) == [str(parking["text"])]
    one, other = asked.server.requests
    for part in ("system", "output_config", "model"):
        assert json.dumps(one.body[part]) == json.dumps(other.body[part])
    assert one.breakpoints == ("system.0",)
    assert first.use is not None
    assert second.use is not None
    assert first.use.cache_write_tokens == second.use.cache_read_tokens > 0
    assert second.use.cache_write_tokens == 0


async def test_token_use_and_cost_are_recorded_with_the_run(asked: Asked) -> None:
    answer = await asked.answer(GOOD)
    use = asked.row(answer.run_id).use
    assert use["output_tokens"] > 10
    counted = Usage(use["input_tokens"], use["output_tokens"], use["cache_write_tokens"], use["cache_read_tokens"])
    assert use["cost_usd"] == pytest.approx(cost_usd(MODEL, counted))
    assert use["model"] == MODEL


# -- what fails -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", [overloaded(), server_error(), Hangup()])
async def test_what_fails_before_it_answers_is_asked_again_as_a_new_run(asked: Asked, fault: Step) -> None:
    events = await asked(fault, GOOD)
    answer = end_of(events).answer
    [restarted] = [e for e in events if isinstance(e, Restarted)]
    assert said(answer) == SHOWN
    assert {c.run_id for c in answer.citations} == {restarted.run_id}
    assert asked.clock.slept == [0.0]
    assert answer.notes == ()


async def test_a_rate_limit_is_waited_for_within_the_deadline(asked: Asked) -> None:
    answer = await asked.answer(rate_limited(retry_after=20), GOOD)
    assert said(answer) == SHOWN
    assert asked.clock.slept == [20.0]


async def test_a_rate_limit_beyond_the_deadline_is_answered_by_the_documents_own_words_at_once(asked: Asked) -> None:
    answer = await asked.answer(rate_limited(retry_after=90), limits=Limits(answer_seconds=60))
    assert asked.clock.slept == []
    assert_extractive(answer)


async def test_an_overload_that_stays_is_answered_by_the_documents_own_words(asked: Asked) -> None:
    asked.server.always(overloaded())
    answer = await asked.answer()
    assert len(asked.server.requests) == 4
    assert_extractive(answer)


async def test_a_wrong_key_is_answered_by_the_documents_own_words_and_says_so(asked: Asked) -> None:
    answer = await asked.answer(api_key="sk-ant-wrong")
    assert len(asked.server.requests) == 1
    assert_extractive(answer)
    assert answer.use is None


@pytest.mark.parametrize(
    "fault", [Drop(30), CleanCut(30), Corrupt(30), ErrorEvent(30), Corrupt(30, b"\xff\xfe")], ids=repr
)
async def test_a_stream_that_breaks_before_the_first_claim_is_asked_for_again(asked: Asked, fault: Any) -> None:
    events = await asked(Reply.text(GOOD, fault=fault), GOOD)
    assert said(events) == SHOWN
    answer = end_of(events).answer
    assert answer.notes == ()
    assert answer.use is not None
    assert answer.use.input_tokens > 0


@pytest.mark.parametrize(
    "fault", [Drop(FIRST_CLAIM_ENDS + 9), CleanCut(FIRST_CLAIM_ENDS + 9), ErrorEvent(FIRST_CLAIM_ENDS + 9)], ids=repr
)
async def test_a_stream_that_breaks_after_a_claim_was_shown_ends_with_what_stands(asked: Asked, fault: Any) -> None:
    events = await asked(Reply.text(GOOD, fault=fault))
    answer = end_of(events).answer
    assert said(answer) == SHOWN[:1]
    assert answer.notes == ("interrupted",)
    assert answer.generator == MODEL
    assert len(asked.server.requests) == 1
    assert asked.row(answer.run_id).use is not None, "what a broken answer cost counts too"


@pytest.mark.parametrize("silence", [Silent(), Reply.text(GOOD, fault=Stall(30))], ids=["from the start", "midway"])
async def test_a_silence_is_not_waited_for(asked: Asked, silence: Step) -> None:
    assert said(await asked.answer(silence, GOOD, stall=0.3)) == SHOWN


async def test_a_refusal_is_answered_by_the_documents_own_words(asked: Asked) -> None:
    answer = await asked.answer(refusal('{"answerable": tr', explanation="policy"))
    assert len(asked.server.requests) == 1
    assert_extractive(answer)
    assert answer.use is not None, "a refusal is billed"


async def test_an_answer_too_long_for_its_limit_keeps_the_claims_that_fitted(asked: Asked) -> None:
    fits = (FIRST_CLAIM_ENDS + 20) // 4
    answer = await asked.answer(GOOD, max_tokens=fits)
    assert said(answer) == SHOWN[:1]
    assert answer.notes == ("interrupted",)


async def test_an_answer_whose_limit_ends_before_its_first_claim_is_the_documents_own(asked: Asked) -> None:
    assert_extractive(await asked.answer(GOOD, max_tokens=10))


async def test_an_answer_that_is_not_the_schema_is_asked_for_again(asked: Asked) -> None:
    assert said(await asked.answer("I think it is 25 days.", GOOD)) == SHOWN


async def test_use_of_failed_attempts_is_added_up(asked: Asked) -> None:
    once = await asked.answer(GOOD)
    asked.server._cache._seen.clear()
    twice = await asked.answer(Reply.text(GOOD, fault=CleanCut(30)), GOOD, pipeline=asked.pipeline)
    assert once.use is not None
    assert twice.use is not None
    assert twice.use.input_tokens == 2 * once.use.input_tokens
    assert twice.use.cache_read_tokens == once.use.cache_write_tokens


# -- one repair -----------------------------------------------------------------------------------------------------


async def test_claims_that_failed_before_anything_was_shown_are_sent_back_once_with_what_was_wrong(
    asked: Asked,
) -> None:
    events = await asked(answered([FALSE, INVENTED]), answered([TRUE]))
    answer = end_of(events).answer
    assert said(answer) == SHOWN[:1]
    assert answer.dropped_claims == 1, "one was mended, one was given up"
    assert answer.run_id == events[0].run_id, "a repair is a turn of the same run"
    first, repair = asked.server.requests
    assert repair.body["messages"][0] == first.body["messages"][0]
    assert repair.body["system"] == first.body["system"]
    assert json.loads(repair.body["messages"][1]["content"][0]["text"])["claims"] == [FALSE, INVENTED]
    found = json.loads(repair.last_user_text.split(">\n", 1)[1].split("\n</failures-", 1)[0])
    assert [[f["name"] for f in each["failures"]] for each in found] == [
        [ReasonCode.VALUE_NOT_IN_QUOTE.value],
        [ReasonCode.FABRICATED.value],
    ]


async def test_use_of_both_turns_is_added_up(asked: Asked) -> None:
    answer = await asked.answer(answered([FALSE]), answered([TRUE]))
    assert answer.use is not None
    spent = [request.body for request in asked.server.requests]
    assert len(spent) == 2
    assert answer.use.cache_read_tokens == answer.use.cache_write_tokens > 0
    assert asked.row(answer.run_id).use["output_tokens"] == answer.use.output_tokens


async def test_what_fails_again_is_dropped_and_counted_and_not_sent_back_twice(asked: Asked) -> None:
    answer = await asked.answer(answered([FALSE, INVENTED]), answered([FALSE, INVENTED]))
    assert answer.abstention is not None
    assert answer.abstention.reason is AbstentionReason.NOTHING_VERIFIED
    assert answer.dropped_claims == 2
    assert len(asked.server.requests) == 2
    assert asked.row(answer.run_id).dropped_claims == 2


async def test_a_repair_may_find_that_there_is_no_answer(asked: Asked) -> None:
    answer = await asked.answer(answered([FALSE]), answered([], answerable=False))
    assert answer.abstention is not None
    assert answer.abstention.reason is AbstentionReason.NOT_IN_PASSAGES
    assert answer.dropped_claims == 1


async def test_a_repair_that_cannot_be_had_leaves_the_documents_own_words(asked: Asked) -> None:
    asked.server.always(overloaded())
    events = await asked(answered([FALSE]))
    assert_extractive(end_of(events).answer)


async def test_a_repair_that_is_asked_for_again_is_a_new_run(asked: Asked) -> None:
    events = await asked(answered([FALSE]), overloaded(), answered([TRUE]))
    [restarted] = [e for e in events if isinstance(e, Restarted)]
    answer = end_of(events).answer
    assert said(answer) == SHOWN[:1]
    assert answer.run_id == restarted.run_id


async def test_there_is_no_repair_after_the_deadline(asked: Asked) -> None:
    def late(_: object) -> Step:
        asked.clock.now += 61
        return answered([FALSE])

    answer = await asked.answer(late, limits=Limits(answer_seconds=60))
    assert len(asked.server.requests) == 1
    assert not [claim for claim in answer.claims if claim.kind is not ClaimKind.QUOTE]


# -- Claude's own citations -----------------------------------------------------------------------------------------


def prose(*parts: str | Text) -> Reply:
    return Reply(tuple(Text(part) if isinstance(part, str) else part for part in parts))


CITED = prose(
    Text("In Valencia everybody has 25 working days of holiday.", (Quoted(0, QUOTE),)),
    " ",
    Text("Up to 5 days may be carried over", (Quoted(0, CARRIED),)),
    ".",
)


@pytest.mark.parametrize("chunking", [Chunking(), Chunking(1, 1), Chunking(None)])
async def test_native_citations_become_citations_of_ours(asked: Asked, chunking: Chunking) -> None:
    reply = Reply(CITED.parts, chunking=chunking)
    answer = await asked.answer(reply, generator=asked.line.citer())
    assert said(answer) == SHOWN
    assert [citation.quote for citation in answer.citations] == [QUOTE, CARRIED]
    assert answer.generator == f"{MODEL} (citations)"
    assert answer.use is not None
    assert answer.use.cost_usd is not None
    [request] = asked.server.requests
    assert "format" not in (request.body.get("output_config") or {}), "the API does not allow both"
    texts = [document["source"]["data"] for document in request.documents]
    assert QUOTE in texts[0]


async def test_offsets_of_a_passage_that_begins_later_are_shifted_to_the_document(asked: Asked) -> None:
    filler = [
        f"Paragraph {n} is about nothing in particular, and only fills the page, once more. " * 4 for n in range(9)
    ]
    long = document("Long handbook", *filler, QUOTE)
    answer = await asked.answer(
        prose(Text("In Valencia everybody has 25 working days of holiday.", (Quoted(0, QUOTE),))),
        generator=asked.line.citer(),
        documents=[long],
    )
    [citation] = answer.citations
    assert citation.quote == QUOTE
    assert citation.start_offset > 1000


async def test_sentences_without_a_citation_or_that_say_more_than_it_are_not_shown(asked: Asked) -> None:
    reply = prose(
        "Good morning! ", Text("Everybody in Valencia has 30 working days of holiday. ", (Quoted(0, QUOTE),)),
        Text("Up to 5 days may be carried over.", (Quoted(0, CARRIED),)), " Everybody in Valencia has 31 free Fridays.",
    )  # fmt: skip
    answer = await asked.answer(reply, generator=asked.line.citer())
    assert said(answer) == SHOWN[1:]
    assert answer.dropped_claims == 3


@pytest.mark.parametrize("text", ["NO_ANSWER", "NO_ANSWER\n", "NO_ANSWER. The documents do not say."])
async def test_the_agreed_line_means_no_answer(asked: Asked, text: str) -> None:
    answer = await asked.answer(Reply.text(text, chunking=Chunking(1)), generator=asked.line.citer())
    assert answer.abstention is not None
    assert answer.abstention.reason is AbstentionReason.NOT_IN_PASSAGES
    assert answer.dropped_claims == 0


async def test_cited_prose_is_repaired_once_too(asked: Asked) -> None:
    wrong = prose(Text("Everybody in Valencia has 30 working days of holiday.", (Quoted(0, QUOTE),)))
    answer = await asked.answer(wrong, CITED, generator=asked.line.citer())
    assert said(answer) == SHOWN
    assert "value_not_in_quote" in asked.server.requests[1].last_user_text


async def test_cited_prose_that_breaks_off_keeps_its_whole_sentences(asked: Asked) -> None:
    reply = Reply(CITED.parts, fault=Drop(75), chunking=Chunking(5))
    answer = await asked.answer(reply, generator=asked.line.citer())
    assert said(answer) == SHOWN[:1]
    assert answer.notes == ("interrupted",)


async def test_cited_prose_that_breaks_off_in_its_first_sentence_is_asked_for_again(asked: Asked) -> None:
    reply = Reply(CITED.parts, fault=Drop(20), chunking=Chunking(5))
    assert said(await asked.answer(reply, CITED, generator=asked.line.citer())) == SHOWN


# -- a judge --------------------------------------------------------------------------------------------------------


def verdict(label: str, confidence: float = 0.9) -> dict[str, object]:
    return {"label": label, "confidence": confidence, "missing": ""}


@pytest.fixture
async def bench(asked: Asked) -> AsyncIterator[Line]:
    async with line(asked.clock) as opened:
        yield opened


@pytest.mark.parametrize(
    ("label", "confidence", "status"),
    [
        ("entailment", 0.9, ClaimStatus.SUPPORTED),
        ("neutral", 0.9, ClaimStatus.PARTIAL),
        ("contradiction", 0.4, ClaimStatus.PARTIAL),
        ("contradiction", 0.9, None),
    ],
)
async def test_claude_as_judge_lowers_what_does_not_follow(
    asked: Asked, bench: Line, label: str, confidence: float, status: ClaimStatus | None
) -> None:
    bench.server.always(verdict(label, confidence))
    asked.server.always(answered([TRUE]))
    answer = await asked.answer(judge=bench.judge())
    assert [claim.status for claim in answer.claims] == ([status] if status else [])
    for shown in answer.claims:
        assert shown.judgement is not None
        assert shown.judgement.judge == MODEL
        assert (ReasonCode.NOT_ENTAILED in [r.code for r in shown.reasons]) == (label != "entailment")
    assert bench.server.requests[0].system_text == rubric()
    assert json.loads(bench.server.requests[0].last_user_text) == {"claim": TRUE["text"], "quotes": [QUOTE]}


async def test_a_judge_raises_nothing(asked: Asked, bench: Line) -> None:
    bench.server.always(verdict("entailment", 1.0))
    answer = await asked.answer(answered([FALSE]), answered([FALSE]), judge=bench.judge())
    assert answer.claims == ()
    assert bench.server.requests == [], "what the rules refuse is not even asked about"


async def test_what_the_judge_refuses_is_sent_back_with_its_name(asked: Asked, bench: Line) -> None:
    bench.server.script(verdict("contradiction"), verdict("entailment"))
    answer = await asked.answer(answered([TRUE]), answered([ALSO_TRUE]), judge=bench.judge())
    assert said(answer) == SHOWN[1:]
    assert "not_entailed" in asked.server.requests[1].last_user_text


@pytest.mark.parametrize("step", [overloaded(), Hangup(), "no judgement", Reply.text("{", fault=CleanCut())], ids=repr)
async def test_a_judge_that_cannot_be_reached_changes_nothing(asked: Asked, bench: Line, step: Step) -> None:
    bench.server.always(step)
    answer = await asked.answer(GOOD, judge=bench.judge())
    assert said(answer) == SHOWN
    assert len(bench.server.requests) == 1, "it is not asked again in this run"


async def test_what_the_judge_costs_counts(asked: Asked, bench: Line) -> None:
    without = await asked.answer(answered([TRUE]))
    asked.server._cache._seen.clear()
    bench.server.always(verdict("entailment"))
    judged = await asked.answer(answered([TRUE]), judge=bench.judge())
    assert without.use is not None
    assert judged.use is not None
    assert judged.use.output_tokens > without.use.output_tokens
    assert judged.use.model == MODEL


async def test_a_local_judge_that_is_not_there_says_so(asked: Asked, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot be loaded"):
        await asked.answer(GOOD, judge=ThreadedJudge(CrossEncoderJudge(str(tmp_path / "nowhere"))))


# -- languages (Q6) -------------------------------------------------------------------------------------------------

VACACIONES = "Todo el personal de Valencia tiene 25 días laborables de vacaciones."
SPANISH_QUESTION = "¿Cuántos días de vacaciones tengo en Valencia?"
SPANISH = document("Política de vacaciones", VACACIONES, "Se piden a la persona responsable.")


@pytest.fixture
def unsure(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hashed words know nothing of languages, so no threshold can hold across them."""
    monkeypatch.setattr("core.pipeline.THRESHOLDS", dict.fromkeys(Mode, 0.0))


@pytest.mark.usefixtures("unsure")
@pytest.mark.parametrize(
    ("question", "language", "documents", "text", "quote"),
    [
        (HOLIDAY_QUESTION, "en", [SPANISH], "Everybody in Valencia has 25 working days of holiday.", VACACIONES),
        (
            "¿Cuántos días de vacaciones tengo en Valencia?",
            "es",
            [HOLIDAYS],
            "En Valencia son 25 días laborables.",
            QUOTE,
        ),
    ],
)
async def test_claims_are_in_the_questions_language_and_quotes_in_the_documents(
    asked: Asked, question: str, language: str, documents: list[SourceDocument], text: str, quote: str
) -> None:
    answer = await asked.answer(answered([claim(text, quote)]), documents=documents, question=question)
    assert said(answer) == [text]
    assert [citation.quote for citation in answer.citations] == [quote]
    assert answer.language == language
    assert answer.notes == ()
    assert f"in language {language!r}" in asked.server.requests[0].last_user_text


@pytest.mark.usefixtures("unsure")
@pytest.mark.parametrize(
    ("question", "documents", "quote"),
    [
        (HOLIDAY_QUESTION, [SPANISH], VACACIONES),
        (SPANISH_QUESTION, [HOLIDAYS], QUOTE),
    ],
)
async def test_the_documents_own_words_in_another_language_stay_as_they_are_and_say_so(
    build: Build, question: str, documents: list[SourceDocument], quote: str
) -> None:
    answer = end_of(await events_of(build(documents=documents), question)).answer
    assert quote in said(answer)
    assert answer.notes == ("other_language",)


def assert_extractive(answer: Answer) -> None:
    assert answer.generator == "extractive"
    assert "fallback_extractive" in answer.notes
    assert said(answer)[0] == QUOTE
    assert all(claim.kind is ClaimKind.QUOTE for claim in answer.claims)
