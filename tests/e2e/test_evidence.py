"""Opening the evidence of an answer (issue 7, item 5): who sees what of it, now and later."""

from __future__ import annotations

import datetime as dt
import threading
from collections.abc import Callable
from typing import Any

import pytest

from bot.rendering.answer_buttons import EVIDENCE_ACTION
from bot.rendering.evidence_view import NEXT_ACTION, PREVIOUS_ACTION
from bot.standin import Channel, Message, Person, SlackStandIn, View, view_text, visible_text
from core.administration import AccessDesk
from core.domain.access import AccessRule
from core.domain.document import SourceDocument, Version
from core.domain.evidence import Answer, Citation, Claim, ClaimKind, ClaimStatus, Evidence, text_hash
from core.evidence.opening import OpenedEvidence
from core.store.runs import RunRecord
from sync.engine import SyncEngine
from tests.e2e.conftest import Bot
from tests.e2e.real import SALARY, SALARY_QUESTION, furnish, groups, recorded
from tests.unit.pipeline.shelf import HOLIDAY_QUESTION, HOLIDAYS, HR, PARKING, QUOTE, SALARIES, Shelf, document

Sync = Callable[..., None]
NOW = dt.datetime(2026, 11, 29, tzinfo=dt.UTC)


def cited(version: Version, quote: str, run_id: str) -> Citation:
    """A true citation."""
    start = version.text.index(quote)
    return Citation(
        citation_id=f"c-{start}",
        tenant_id=version.tenant_id,
        document_id=version.document_id,
        document_version=version.number,
        chunk_id=version.chunk_ids[0],
        source_uri=version.metadata.uri,
        title=version.metadata.title,
        section_path=(),
        page=None,
        start_offset=start,
        end_offset=start + len(quote),
        quote=quote,
        text_hash=text_hash(quote),
        retrieved_at=NOW,
        visibility=version.rule_id,
        index_version=1,
        run_id=run_id,
    )


@pytest.fixture
async def bot_and_sync(socket_bot: Bot, ana: Person, ben: Person) -> tuple[Bot, Sync]:
    """Ana is in HR, Ben is not; and a way to read documents again."""
    pipeline = furnish(socket_bot)
    socket_bot.groups.groups = groups(socket_bot.folder, hr=["ana"])
    await socket_bot.start()

    def sync(*documents: SourceDocument) -> None:
        index = pipeline._index
        list(SyncEngine(index.tables, index.lexical, pipeline._searcher._space, "t").sync(Shelf(list(documents))))

    return socket_bot, sync


@pytest.fixture
def hr_bot(bot_and_sync: tuple[Bot, Sync]) -> Bot:
    return bot_and_sync[0]


def with_evidence(bot: Bot, channel: Channel) -> Message:
    """The last message that has the button."""
    return [m for m in bot.said(channel) if EVIDENCE_ACTION in str(m.all_blocks)][-1]


async def answered(bot: Bot, person: Person, channel: Channel, question: str = HOLIDAY_QUESTION) -> Message:
    await person.ask(channel, question)
    await bot.idle()
    return with_evidence(bot, channel)


async def opened(bot: Bot, person: Person, message: Message) -> str:
    """What the modal shows in the end."""
    await person.click(message, EVIDENCE_ACTION)
    await bot.idle()
    return view_text(view_of(person))


def view_of(person: Person) -> View:
    view = person.open_view()
    assert view is not None
    return view


async def test_each_quote_is_shown_within_its_paragraph_with_its_version_and_link(
    hr_bot: Bot, slack: SlackStandIn, ben: Person, general: Channel
) -> None:
    message = await answered(hr_bot, ben, general)
    text = await opened(hr_bot, ben, message)
    assert QUOTE in text
    assert "[1] Holiday policy" in text
    assert "version 1" in text
    assert "This is the version in force." in text
    assert view_of(ben).title == "Evidence"


async def test_it_opens_before_anything_has_been_looked_up(
    hr_bot: Bot, slack: SlackStandIn, ana: Person, general: Channel, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = threading.Event()
    look_up = AccessDesk.opened

    def slowly(*arguments: Any) -> OpenedEvidence | None:
        go_on.wait(10)
        return look_up(*arguments)

    message = await answered(hr_bot, ana, general)
    monkeypatch.setattr(AccessDesk, "opened", slowly)
    await ana.click(message, EVIDENCE_ACTION)
    await slack.wait_until(lambda: ana.open_view() is not None)
    assert "Comprobando" in view_text(view_of(ana))
    assert QUOTE not in view_text(view_of(ana))
    go_on.set()
    await hr_bot.idle()
    assert QUOTE in view_text(view_of(ana))


async def test_anybody_in_a_public_channel_may_open_it(
    hr_bot: Bot, slack: SlackStandIn, ana: Person, ben: Person, general: Channel
) -> None:
    assert QUOTE in await opened(hr_bot, ben, await answered(hr_bot, ana, general))


async def test_what_the_document_says_now_stands_below_what_it_said(
    bot_and_sync: tuple[Bot, Sync], slack: SlackStandIn, ben: Person, general: Channel
) -> None:
    bot, sync = bot_and_sync
    message = await answered(bot, ben, general)
    changed = document("Holiday policy", "Everybody in Valencia has 26 working days of holiday.")
    sync(changed, SALARIES, PARKING)
    text = await opened(bot, ben, message)
    assert QUOTE in text
    assert "The document has changed since. Version 2" in text
    assert "Everybody in Valencia has 26 working days of holiday." in text


async def test_a_revoked_document_has_no_title_and_no_text(
    hr_bot: Bot, slack: SlackStandIn, ben: Person, general: Channel
) -> None:
    """Issue 5, item 4."""
    message = await answered(hr_bot, ben, general)
    assert hr_bot.desk is not None
    hr_bot.desk.revoke("t", "holiday-policy", "test")
    text = await opened(hr_bot, ben, message)
    assert "A document that you can no longer open." in text
    assert "Holiday" not in text
    assert "25" not in text


async def test_a_document_whose_readers_changed_is_hidden_from_who_is_none_any_more(
    bot_and_sync: tuple[Bot, Sync], slack: SlackStandIn, ana: Person, ben: Person, general: Channel
) -> None:
    bot, sync = bot_and_sync
    message = await answered(bot, ben, general)
    only_hr = document("Holiday policy", QUOTE, rule=AccessRule.of({HR}))
    sync(only_hr, SALARIES, PARKING)
    assert "25 working days" not in await opened(bot, ben, message)
    assert "25 working days" in await opened(bot, ana, message)


async def test_a_removed_document_is_said_to_be_gone(
    bot_and_sync: tuple[Bot, Sync], slack: SlackStandIn, ben: Person, general: Channel
) -> None:
    bot, sync = bot_and_sync
    message = await answered(bot, ben, general)
    more = [document(f"Page {n}", f"Page {n} says something of its own.") for n in range(8)]
    sync(HOLIDAYS, SALARIES, PARKING, *more)
    sync(SALARIES, PARKING, *more)
    text = await opened(bot, ben, message)
    assert "A document that is no longer at its source" in text
    assert "Holiday" not in text


async def test_a_private_answer_opens_for_who_asked_also_where_it_was_shown_alone(
    hr_bot: Bot, slack: SlackStandIn, ana: Person, general: Channel
) -> None:
    await ana.slash("/rag", SALARY_QUESTION, general)
    await hr_bot.idle()
    assert SALARY in await opened(hr_bot, ana, with_evidence(hr_bot, general))
    await ana.dm(SALARY_QUESTION)
    await hr_bot.idle()
    assert SALARY in await opened(hr_bot, ana, with_evidence(hr_bot, ana.direct_channel()))


async def test_what_was_shared_opens_for_who_may_read_it(
    hr_bot: Bot, slack: SlackStandIn, ana: Person, ben: Person, general: Channel
) -> None:
    await ana.slash("/rag", HOLIDAY_QUESTION, general)
    await hr_bot.idle()
    await ana.click(with_evidence(hr_bot, general), "share_answer")
    await hr_bot.idle()
    (shared,) = (m for m in hr_bot.said(general) if m.ephemeral_to is None)
    assert QUOTE in await opened(hr_bot, ben, shared)


async def test_evidence_whose_time_is_over_is_said_to_be_over(
    hr_bot: Bot, slack: SlackStandIn, ben: Person, general: Channel
) -> None:
    message = await answered(hr_bot, ben, general)
    assert isinstance(hr_bot.desk, AccessDesk)
    later = dt.datetime.now(dt.UTC) + dt.timedelta(days=1)
    assert hr_bot.desk.evidence.delete_before("t", later.timestamp()) == 1
    text = await opened(hr_bot, ben, message)
    assert "There is no evidence of this answer to show you." in text


def rule(n: int) -> str:
    return f"Rule number {n} of the house asks for {n} signatures."


def long_answer(desk: AccessDesk, place: str) -> Answer:
    """An answer with a claim for each of ten rules, recorded as if it had been asked in a place."""
    version = desk.index.tables.version("t", "house-rules", 1)
    assert version is not None
    run_id = "b" * 32
    claims = tuple(
        Claim(rule(n), ClaimKind.QUOTE, ClaimStatus.SUPPORTED, (cited(version, rule(n), run_id),)) for n in range(1, 11)
    )
    answer = Answer(run_id, "all rules", "en", claims, None, 0.9, "extractive", 1)
    evidence = Evidence(run_id, "t", 1, NOW, ())
    desk.runs.save(RunRecord(run_id, "t", "ana@brisa-logistics.example", place, 1.0, 2.0, {}), answer, evidence)
    return answer


async def test_a_long_answer_is_turned_page_by_page_and_rights_are_looked_up_at_each(
    socket_bot: Bot, slack: SlackStandIn, ben: Person, general: Channel
) -> None:
    furnish(socket_bot, (HOLIDAYS, document("House rules", *map(rule, range(1, 11)))))
    assert isinstance(socket_bot.desk, AccessDesk)
    given = long_answer(socket_bot.desk, general.id)
    socket_bot.real_asker = None
    socket_bot.asker.script = lambda _question: given
    await socket_bot.start()
    first = await opened(socket_bot, ben, await answered(socket_bot, ben, general, "all rules"))
    assert [n for n in range(1, 11) if rule(n) in first] == [1, 2, 3, 4]
    await ben.click(view_of(ben), NEXT_ACTION)
    await socket_bot.idle()
    assert [n for n in range(1, 11) if rule(n) in view_text(view_of(ben))] == [5, 6, 7, 8]
    await ben.click(view_of(ben), PREVIOUS_ACTION)
    await socket_bot.idle()
    assert view_text(view_of(ben)) == first
    socket_bot.desk.revoke("t", "house-rules", "test")
    await ben.click(view_of(ben), NEXT_ACTION)
    await socket_bot.idle()
    assert "A document that you can no longer open." in view_text(view_of(ben))
    assert "House" not in view_text(view_of(ben))
    assert "signatures" not in view_text(view_of(ben))


async def test_a_trigger_that_ran_out_is_told_and_nothing_is_lost(
    hr_bot: Bot, slack: SlackStandIn, ben: Person, general: Channel
) -> None:
    message = await answered(hr_bot, ben, general)
    slack.faults.next("views.open", error="expired_trigger_id")
    await ben.click(message, EVIDENCE_ACTION)
    await hr_bot.idle()
    assert ben.open_view() is None
    assert any("Press the button again" in visible_text(m) for m in ben.sees(general))
    assert QUOTE in await opened(hr_bot, ben, message)


async def test_what_fails_is_said_in_the_modal(
    hr_bot: Bot, slack: SlackStandIn, ben: Person, general: Channel, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_arguments: Any) -> OpenedEvidence | None:
        raise OSError("disk")

    message = await answered(hr_bot, ben, general)
    monkeypatch.setattr(AccessDesk, "opened", fails)
    text = await opened(hr_bot, ben, message)
    assert "disk" not in text
    assert "Checking" not in text
    assert "again" in text


async def test_who_opened_which_documents_stands_in_the_record_and_no_text_does(
    hr_bot: Bot, slack: SlackStandIn, ben: Person, general: Channel
) -> None:
    await opened(hr_bot, ben, await answered(hr_bot, ben, general))
    (entry,) = (e for e in recorded(hr_bot) if e["kind"] == "opened")
    assert (entry["actor"], entry["place"], entry["documents"]) == (ben.id, general.id, [["holiday-policy", 1]])
    assert "25 working" not in str(entry)
    assert hr_bot.audit.verify() == []


async def test_the_buttons_stand_at_the_end_of_the_answer(
    hr_bot: Bot, slack: SlackStandIn, ben: Person, general: Channel
) -> None:
    message = await answered(hr_bot, ben, general)
    kinds = [block["type"] for block in message.all_blocks]
    assert kinds[-2:] == ["actions", "context_actions"]
