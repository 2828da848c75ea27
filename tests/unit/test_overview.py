"""What is known, source by source, for whom; and which answers an admin reviews."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest
from sqlalchemy import Engine

from core.domain.access import EVERYONE, Audience, Principal, Reader
from core.domain.evidence import ReasonCode
from core.domain.question import Question
from core.domain.syncing import SyncCounts, SyncFinished
from core.generation.generator import Answerable
from core.overview import Overviews, SourceOverview
from core.pipeline import Pipeline
from core.reviews import Review, Reviews
from core.store.database import open_database
from core.store.evidence import EvidenceStore
from core.store.revocations import RevocationStore
from core.store.runs import RunStore
from core.store.sync_runs import SyncRunStore
from tests.unit.pipeline.shelf import (
    FALSE_CLAIM,
    HOLIDAY_QUESTION,
    HR,
    QUOTE,
    TODAY,
    TRUE_CLAIM,
    Scripted,
    asker,
    built,
)

SALARY_QUESTION = "What is the highest salary of band N4?"
NOON = 1_796_000_000.0


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return open_database(f"sqlite:///{tmp_path}/testigo.db")


def overviews(pipeline: Pipeline, engine: Engine, *sources: str) -> Overviews:
    return Overviews(pipeline._index, SyncRunStore(engine, lambda: NOON), sources or ("shelf",))


def reviews(pipeline: Pipeline, engine: Engine) -> Reviews:
    return Reviews(pipeline._index, RunStore(engine), EvidenceStore(engine), today=lambda: TODAY)


async def test_a_reader_counts_what_they_may_read_and_nobody_else_can_tell_what_that_is(
    tmp_path: Path, engine: Engine
) -> None:
    known = overviews(built(tmp_path), engine)
    assert known.of_reader(asker(HR)) == (SourceOverview("shelf", 3, None),)
    assert known.of_reader(asker()) == (SourceOverview("shelf", 2, None),)
    assert known.of_reader(Reader.nobody("t")) == ()
    assert known.of_reader(Reader("other", frozenset({EVERYONE, HR}), "ana@x.com")) == ()


async def test_a_source_without_documents_is_named_to_admins_alone(tmp_path: Path, engine: Engine) -> None:
    known = overviews(built(tmp_path), engine, "empty", "shelf")
    assert [each.source for each in known.of_reader(asker(HR))] == ["shelf"]
    assert [(each.source, each.documents) for each in known.sources("t")] == [("empty", 0), ("shelf", 3)]


async def test_freshness_is_that_of_the_last_sync_that_came_to_an_end(tmp_path: Path, engine: Engine) -> None:
    pipeline = built(tmp_path)
    runs = SyncRunStore(engine, lambda: NOON)
    runs.finish(runs.begin("shelf", "ana"), SyncFinished("shelf", SyncCounts(unchanged=3), 1.0))
    runs.fail(runs.begin("shelf", "ana"), "It is gone.")
    known = overviews(pipeline, engine)
    (read,) = known.of_reader(asker())
    assert read.read_at == dt.datetime.fromtimestamp(NOON, dt.UTC)
    (state,) = known.sources("t")
    assert state.last is not None
    assert (state.read_at, state.last.state) == (read.read_at, "failed")


async def test_a_revoked_document_is_counted_for_nobody_who_reads(tmp_path: Path, engine: Engine) -> None:
    pipeline = built(tmp_path)
    pipeline._index.revoked = RevocationStore(engine).revoked
    known = overviews(pipeline, engine)
    assert known.of_reader(asker())[0].documents == 2
    RevocationStore(engine).revoke("t", "parking", "ana")
    assert known.of_reader(asker())[0].documents == 1


async def test_the_index_says_what_it_is_made_of(tmp_path: Path, engine: Engine) -> None:
    pipeline = built(tmp_path)
    state = overviews(pipeline, engine).index("t")
    assert (state.documents, state.passages, state.behind) == (3, 3, 0)
    assert state.model_id == pipeline._index.tables.model_id
    assert state.version == pipeline._index.tables.refresh()


async def asked(pipeline: Pipeline, text: str, *principals: Principal, public: bool = True) -> None:
    """Ask in a channel of those who hold this, or alone."""
    reader = asker(*principals)
    audience = Audience.members("t", [reader]) if public else Audience.person(reader)
    async for _ in pipeline.ask(Question(text, reader, audience, place="C1")):
        pass


async def test_an_admin_reviews_only_what_others_were_shown_and_they_may_read_whole(
    tmp_path: Path, engine: Engine
) -> None:
    pipeline = built(tmp_path)
    await asked(pipeline, HOLIDAY_QUESTION)
    await asked(pipeline, SALARY_QUESTION, HR)
    await asked(pipeline, "A parking space at Ribarroja, what does it cost a month?", public=False)
    await asked(pipeline, "Is there life on Mars?")
    drawn = reviews(pipeline, engine)

    def titles(*principals: Principal) -> list[tuple[str, ...]]:
        return [review.titles for review in drawn.sample(asker(*principals), 5)]

    assert titles() == [("Holiday policy",)]
    assert titles(HR) == [("Salary bands",), ("Holiday policy",)]
    assert [r.titles for r in drawn.sample(asker(HR), 1)] == [("Salary bands",)]
    assert drawn.sample(Reader("other", asker(HR).principals, "ana@x.com"), 5) == ()


async def test_a_review_says_what_was_dropped_and_why(tmp_path: Path, engine: Engine) -> None:
    generator = Scripted([Answerable(True), TRUE_CLAIM, FALSE_CLAIM])
    pipeline = built(tmp_path, generator)
    await asked(pipeline, HOLIDAY_QUESTION)
    (review,) = reviews(pipeline, engine).sample(asker(), 5)
    assert isinstance(review, Review)
    assert [claim.text for claim in review.claims] == [QUOTE]
    assert review.dropped == 1
    assert review.dropped_for == {ReasonCode.VALUE_NOT_IN_QUOTE.value: 1}


async def test_an_answer_of_which_a_document_was_revoked_is_reviewed_by_nobody(tmp_path: Path, engine: Engine) -> None:
    pipeline = built(tmp_path)
    pipeline._index.revoked = RevocationStore(engine).revoked
    await asked(pipeline, HOLIDAY_QUESTION)
    RevocationStore(engine).revoke("t", "holiday-policy", "ana")
    assert reviews(pipeline, engine).sample(asker(HR), 5) == ()
