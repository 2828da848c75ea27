"""What the place of a question asks for: sources, mode, language; and what was said before it elsewhere."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from core.domain.access import Audience
from core.domain.evidence import Answer
from core.domain.question import Question
from core.index.reader import IndexReader
from core.pipeline import Pipeline
from core.private_addition import PrivateAdditions
from core.settings import Mode
from sync.engine import SyncEngine
from tests.unit.pipeline.shelf import (
    HOLIDAY_QUESTION,
    HOLIDAYS,
    HR,
    PARKING,
    SALARIES,
    TODAY,
    Shelf,
    asker,
    built,
    document,
    end_of,
    events_of,
)

ASKED = Question(HOLIDAY_QUESTION, asker(), Audience.person(asker()))
OTHER = document("Other holidays", "Everybody in Lisbon has 22 working days of holiday.")


@pytest.fixture
def pipeline(tmp_path: Path) -> Pipeline:
    """A pipeline over two sources: `shelf`, and `other`, which knows of Lisbon."""
    made = built(tmp_path, documents=(HOLIDAYS, SALARIES, PARKING))
    index = made._index
    list(
        SyncEngine(index.tables, index.lexical, made._searcher._space, "t").sync(
            Shelf([replace(OTHER, source="other")], name="other")
        )
    )
    return made


async def answered(pipeline: Pipeline, question: Question) -> Answer:
    return end_of([event async for event in pipeline.ask(question)]).answer


async def test_only_the_sources_of_the_place_are_searched_by_both_halves(pipeline: Pipeline) -> None:
    everywhere = await answered(pipeline, ASKED)
    here = await answered(pipeline, replace(ASKED, sources=("other",)))
    assert {c.title for c in everywhere.citations} == {"Holiday policy"}
    assert {c.title for c in here.citations} <= {"Other holidays"}
    snapshot = pipeline._index.snapshot(ASKED.reader, ASKED.audience, ("other",))
    assert snapshot.newest_documents() == ["other-holidays"]
    assert {hit.key for hit in snapshot.lexical(HOLIDAY_QUESTION, 10)} == {
        hit.key for hit in snapshot.dense(pipeline._searcher._space.embed_query(HOLIDAY_QUESTION, "en"), 10)
    }
    statistics = snapshot.statistics("working Valencia Lisbon", "en")
    assert (statistics.visible, statistics.frequencies["valencia"]) == (
        len(snapshot.passages_of(["other-holidays"])),
        0,
    )


async def test_an_abstention_says_which_sources_were_searched(pipeline: Pipeline) -> None:
    abstained = await answered(pipeline, replace(ASKED, text="What is on Mars?", sources=("other",)))
    assert abstained.abstention is not None
    assert abstained.abstention.sources == ("other",)


async def test_a_source_that_is_no_more_holds_nothing(pipeline: Pipeline) -> None:
    assert (await answered(pipeline, replace(ASKED, sources=("gone",)))).abstention is not None


async def test_the_mode_of_the_place_decides_how_sure_an_answer_must_be(
    pipeline: Pipeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    sure = (await answered(pipeline, ASKED)).confidence
    thresholds = {Mode.STRICT: sure + 0.01, Mode.BALANCED: sure - 0.01, Mode.OPEN: 0.0}
    monkeypatch.setattr("core.pipeline.THRESHOLDS", thresholds)
    assert (await answered(pipeline, ASKED)).abstention is None
    assert (await answered(pipeline, replace(ASKED, mode=Mode.STRICT))).abstention is not None


async def test_the_language_of_the_place_is_that_of_the_answer_and_not_of_the_search(pipeline: Pipeline) -> None:
    answer = await answered(pipeline, replace(ASKED, language="es"))
    assert answer.language == "es"
    assert answer.confidence == (await answered(pipeline, ASKED)).confidence
    assert (await answered(pipeline, replace(ASKED, language="xx"))).language == "en"


async def test_what_the_asker_said_before_elsewhere_gives_a_follow_up_its_topic(pipeline: Pipeline) -> None:
    asked = replace(ASKED, text="And in Valencia?", conversation="T:C1:1.0", earlier=(HOLIDAY_QUESTION, "Mars?"))
    events = [event async for event in pipeline.ask(asked)]
    assert events[0].question == f"{HOLIDAY_QUESTION} And in Valencia?"  # type: ignore[union-attr]  # Searching
    assert end_of(events).answer.notes == ()


async def test_what_was_asked_here_before_goes_before_what_was_said_elsewhere(pipeline: Pipeline) -> None:
    await events_of(pipeline, HOLIDAY_QUESTION, conversation="T:C1:1.0")
    asked = replace(ASKED, text="And in Valencia?", conversation="T:C1:1.0", earlier=("Is there life on Mars?",))
    events = [event async for event in pipeline.ask(asked)]
    assert "Mars" not in events[0].question  # type: ignore[union-attr]  # Searching


@pytest.mark.parametrize(("text", "said"), [("And in Valencia?", True), (HOLIDAY_QUESTION, False)])
async def test_a_follow_up_says_that_its_history_is_partial(pipeline: Pipeline, text: str, said: bool) -> None:
    asked = replace(ASKED, text=text, conversation="T:C1:1.0", earlier=(HOLIDAY_QUESTION,), partial_history=True)
    assert ("partial_history" in (await answered(pipeline, asked)).notes) is said


async def test_a_private_addition_stays_within_the_sources_of_the_place(pipeline: Pipeline) -> None:
    reader = asker(HR)
    index: IndexReader = pipeline._index
    additions = PrivateAdditions(index, pipeline._searcher, pipeline, today=lambda: TODAY)
    question = Question("What is the highest salary of band N4?", reader, Audience.tenant("t"))
    common = await answered(pipeline, question)
    assert await additions.find(question, question.text, common) is not None
    assert await additions.find(replace(question, sources=("other",)), question.text, common) is None
