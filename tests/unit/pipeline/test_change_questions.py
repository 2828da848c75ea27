"""What changed in … since …: answered from versions, each read only by who may."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

from core.domain.access import OPEN_TO_TENANT, AccessRule, Audience, Principal
from core.domain.document import SourceDocument
from core.domain.events import Reading
from core.domain.evidence import AbstentionReason, Answer, ClaimStatus
from core.pipeline import Pipeline
from sync.engine import SyncEngine
from tests.unit.pipeline.shelf import HR, PARKING, Build, Shelf, asker, assert_sound, document, end_of, events_of

ASKED = "What changed in the holiday policy since 1 March 2026?"
FIRST, SECOND, THIRD = (dt.datetime(2026, month, 10, tzinfo=dt.UTC) for month in (1, 5, 9))
HR_ONLY = AccessRule.of({HR})


def policy(days: int, when: dt.datetime, rule: AccessRule = OPEN_TO_TENANT, *more: str) -> SourceDocument:
    said = f"Everybody in Valencia has {days} working days of holiday."
    return document("Holiday policy", said, "Holidays are asked for in March.", *more, rule=rule, modified_at=when)


def again(pipeline: Pipeline, *documents: SourceDocument) -> None:
    """Sync once more, with these documents and no other."""
    index = pipeline._index
    engine = SyncEngine(index.tables, index.lexical, pipeline._searcher._space, "t")
    list(engine.sync(Shelf(list(documents)), confirm_removals=True))


async def answer_of(pipeline: Pipeline, text: str = ASKED, *principals: Principal) -> Answer:
    return end_of(await events_of(pipeline, text, asker(*principals))).answer


async def test_the_new_sentence_comes_first_and_then_what_it_replaced(build: Build) -> None:
    pipeline = build(documents=[policy(23, FIRST), PARKING])
    again(pipeline, policy(25, SECOND), PARKING)
    events = await events_of(pipeline, ASKED)
    assert_sound(pipeline, events)
    answer = end_of(events).answer
    assert [claim.text for claim in answer.claims] == [
        "Everybody in Valencia has 25 working days of holiday.",
        "Everybody in Valencia has 23 working days of holiday.",
    ]
    assert [claim.citations[0].document_version for claim in answer.claims] == [2, 1]
    assert all(claim.status is ClaimStatus.SUPPORTED for claim in answer.claims)
    assert answer.notes == ("changes",)
    read = next(event for event in events if isinstance(event, Reading))
    assert {(p.document_version, p.superseded) for p in read.passages} == {(1, True), (2, False)}


async def test_the_version_of_the_day_is_compared_not_the_last_one_but_one(build: Build) -> None:
    pipeline = build(documents=[policy(22, FIRST)])
    again(pipeline, policy(23, SECOND))
    again(pipeline, policy(25, THIRD))
    before = "Everybody in Valencia has {} working days of holiday."
    assert (await answer_of(pipeline)).claims[1].text == before.format(22)
    since_june = await answer_of(pipeline, "What changed in the holiday policy since June 2026?")
    assert since_june.claims[1].text == before.format(23)


async def test_what_was_added_and_what_is_gone_are_told_alone(build: Build) -> None:
    pipeline = build(documents=[policy(23, FIRST)])
    again(pipeline, policy(23, SECOND, OPEN_TO_TENANT, "Up to 5 days may be carried over."))
    added = await answer_of(pipeline)
    assert [claim.text for claim in added.claims] == ["Up to 5 days may be carried over."]
    again(pipeline, policy(23, THIRD))
    gone = await answer_of(pipeline, "What changed in the holiday policy since June 2026?")
    assert [claim.text for claim in gone.claims] == ["Up to 5 days may be carried over."]
    assert gone.claims[0].citations[0].document_version == 2


async def test_nothing_changed_is_said(build: Build) -> None:
    pipeline = build(documents=[policy(23, FIRST)])
    again(pipeline, policy(23, SECOND))
    for text in (ASKED, "What changed in the holiday policy since June 2026?"):
        abstention = (await answer_of(pipeline, text)).abstention
        assert abstention is not None
        assert abstention.reason is AbstentionReason.NOTHING_CHANGED
        assert [near.title for near in abstention.near] == ["Holiday policy"]


async def test_without_a_day_it_is_asked_for(build: Build) -> None:
    for text in ("What changed in the holiday policy?", "What changed in the holiday policy since whenever?"):
        abstention = (await answer_of(build(documents=[policy(23, FIRST)]), text)).abstention
        assert abstention is not None
        assert abstention.reason is AbstentionReason.DATE_NEEDED


async def test_one_version_that_is_younger_than_the_day_has_no_earlier_one(build: Build) -> None:
    abstention = (await answer_of(build(documents=[policy(23, THIRD)]))).abstention
    assert abstention is not None
    assert abstention.reason is AbstentionReason.NO_EARLIER_VERSION


async def test_an_old_version_that_was_restricted_is_not_shown_to_who_might_not_read_it(build: Build) -> None:
    pipeline = build(documents=[policy(23, FIRST, HR_ONLY), PARKING])
    again(pipeline, policy(25, SECOND), PARKING)
    events = await events_of(pipeline, ASKED)
    assert "23 working" not in str(events)
    assert end_of(events).answer.abstention is not None
    allowed = await answer_of(pipeline, ASKED, HR)
    assert len(allowed.claims) == 2


async def test_an_old_version_that_was_open_is_not_shown_once_the_document_is_restricted(build: Build) -> None:
    pipeline = build(documents=[policy(23, FIRST), PARKING])
    again(pipeline, policy(25, SECOND, HR_ONLY), PARKING)
    events = await events_of(pipeline, ASKED)
    assert "23 working" not in str(events)
    assert "Holiday" not in str(end_of(events).answer.abstention)
    assert len((await answer_of(pipeline, ASKED, HR)).claims) == 2


async def test_in_a_channel_only_what_everybody_may_read_of_either_version_is_compared(build: Build) -> None:
    pipeline = build(documents=[policy(23, FIRST, HR_ONLY), PARKING])
    again(pipeline, policy(25, SECOND), PARKING)
    events = await events_of(pipeline, ASKED, asker(HR), Audience.tenant("t"))
    assert "23 working" not in str(events)


async def test_a_document_that_is_restricted_while_the_answer_is_made_is_not_shown_in_any_version(build: Build) -> None:
    pipeline = build(documents=[policy(23, FIRST)])
    again(pipeline, policy(25, SECOND, HR_ONLY))
    tables = pipeline._index.tables
    now = tables.history("t", "holiday-policy")[-1].rule_id
    assert len((await answer_of(pipeline, ASKED, HR)).claims) == 2
    pipeline._visible_now = lambda _: lambda rule: rule != now  # type: ignore[assignment, method-assign]
    answer = await answer_of(pipeline, ASKED, HR)
    assert answer.claims == ()
    assert answer.abstention is not None


async def test_a_revoked_document_is_not_compared(build: Build) -> None:
    pipeline = build(documents=[policy(23, FIRST), PARKING])
    again(pipeline, policy(25, SECOND), PARKING)
    pipeline._index.revoked = lambda _: frozenset({"holiday-policy"})
    assert "working days" not in str(await events_of(pipeline, ASKED))


async def test_a_title_that_nobody_has_leads_to_an_ordinary_search(build: Build) -> None:
    pipeline = build(documents=[policy(23, FIRST), PARKING])
    abstention = (await answer_of(pipeline, "What changed in the moon landing manual since 2025?")).abstention
    assert abstention is not None
    assert abstention.reason in (AbstentionReason.LOW_CONFIDENCE, AbstentionReason.NOTHING_FOUND)


async def test_more_changes_than_are_shown_are_said_to_be_more(build: Build) -> None:
    old = [f"Rule {i} costs {i} euros." for i in range(9)]
    new = [f"Rule {i} costs {i + 10} euros." for i in range(9)]
    pipeline = build(documents=[policy(23, FIRST, OPEN_TO_TENANT, *old)])
    again(pipeline, policy(23, SECOND, OPEN_TO_TENANT, *new))
    answer = await answer_of(pipeline)
    assert len(answer.claims) == 12
    assert answer.notes == ("changes", "more_changes")


async def test_what_its_owner_forbids_to_quote_now_is_not_quoted_from_before(build: Build) -> None:
    pipeline = build(documents=[policy(23, FIRST), PARKING])
    now = policy(25, SECOND)
    again(pipeline, replace(now, metadata=replace(now.metadata, show_quotes=False)), PARKING)
    answer = await answer_of(pipeline)
    assert answer.claims == ()
    assert "working days" not in repr(answer)
