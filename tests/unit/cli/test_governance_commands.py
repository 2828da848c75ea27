"""`testigo revoke`, `audit` and `forget`, over a small index."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result
from sqlalchemy import Engine, update

from bot.cli.audit import audit
from bot.cli.forget import forget
from bot.cli.revoke import revoke
from core.access.groups import GroupsFile
from core.administration import AccessDesk
from core.domain.access import AccessRule, Audience, Principal, Reader
from core.domain.events import ClaimVerified, Finished
from core.domain.question import Question
from core.errors import SettingsError
from core.index.reader import IndexReader
from core.index.tables import Tables
from core.pipeline import Pipeline
from core.settings import Settings
from core.store.audit import AuditStore
from core.store.database import open_database
from core.store.evidence import EvidenceStore
from core.store.revocations import RevocationStore
from core.store.runs import RunStore
from core.store.schema import audit as audit_table
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


@dataclass
class Parts:
    settings: Settings
    database: Engine
    stored: Tables
    groups: GroupsFile
    pipeline: Pipeline
    has_index: bool = True


@pytest.fixture
def parts(tmp_path: Path) -> Parts:
    pipeline = built(tmp_path)
    database = open_database(f"sqlite:///{tmp_path}/testigo.db")
    tables = pipeline._index.tables
    pipeline._index = IndexReader(tables, pipeline._index.lexical, RevocationStore(database).revoked)
    pipeline._audit = AuditStore(database)
    settings = Settings(_env_file=None, tenant_id="t", data_dir=tmp_path)
    return Parts(settings, database, tables, GroupsFile(None), pipeline)


def run(parts: Parts, command: object, *arguments: str) -> Result:
    return CliRunner().invoke(command, arguments, obj=parts)  # type: ignore[arg-type]  # a command or a group


async def answers(parts: Parts, question: str = HOLIDAY_QUESTION) -> bool:
    return end_of(await events_of(parts.pipeline, question, asker())).answer.abstention is None


async def test_what_is_revoked_is_gone_and_no_sync_brings_it_back_until_it_is_lifted(parts: Parts) -> None:
    assert await answers(parts)
    assert "hidden from everybody now" in run(parts, revoke, "shelf/Holiday policy").output
    assert not await answers(parts)
    changed = document("Holiday policy", "Everybody in Valencia has 26 working days of holiday.")
    index = parts.pipeline._index
    engine = SyncEngine(index.tables, index.lexical, parts.pipeline._searcher._space, "t")
    list(engine.sync(Shelf([changed, SALARIES, PARKING])))
    assert not await answers(parts)
    assert "holiday-policy" in run(parts, revoke).output
    assert "shown again" in run(parts, revoke, "--lift", "holiday-policy").output
    assert await answers(parts)
    assert [json.loads(e.body).get("action") for e in AuditStore(parts.database).entries()].count("revoke") == 1


async def test_what_is_revoked_counts_in_no_statistics(parts: Parts) -> None:
    parts.pipeline._index.revoked = lambda _: frozenset({"holiday-policy"})
    with_hidden = parts.pipeline._index.snapshot(asker(), _alone())
    without = built(parts.settings.data_dir / "other", documents=[SALARIES, PARKING])._index.snapshot(asker(), _alone())
    for text in ("working days", "parking space"):
        assert with_hidden.statistics(text, "en") == without.statistics(text, "en")
        assert [h.key for h in with_hidden.lexical(text, 9)] == [h.key for h in without.lexical(text, 9)]


def _alone() -> Audience:
    return Audience.person(asker())


async def test_what_is_revoked_while_it_is_being_answered_is_not_shown(parts: Parts) -> None:
    asked = iter([frozenset[str]()])
    parts.pipeline._index.revoked = lambda _: next(asked, frozenset({"holiday-policy"}))
    assert not await answers(parts)


def test_an_unknown_document_cannot_be_revoked(parts: Parts) -> None:
    assert isinstance(run(parts, revoke, "nothing").exception, SettingsError)


async def test_the_record_is_verified_and_exported(parts: Parts, tmp_path: Path) -> None:
    await answers(parts)
    await answers(parts, "Where is the moon?")
    result = run(parts, audit, "verify")
    assert (result.exit_code, result.output.split()[0]) == (0, "2")
    head = result.output.split()[-1]
    assert run(parts, audit, "verify", "--head", head).exit_code == 0
    assert run(parts, audit, "verify", "--head", f"1:{'0' * 64}").exit_code == 1
    lines = [json.loads(line) for line in run(parts, audit, "export").output.splitlines()]
    assert [line["decision"] == "answered" for line in lines] == [True, False]
    assert run(parts, audit, "export", "--since", "2999-01-01").output == ""
    to = tmp_path / "audit.parquet"
    assert run(parts, audit, "export", "--format", "parquet", "--output", str(to)).exit_code == 0
    assert pq.read_table(to).column("seq").to_pylist() == [1, 2]
    with parts.database.begin() as connection:
        connection.execute(update(audit_table).where(audit_table.c.seq == 1).values(body="{}"))
    broken = run(parts, audit, "verify")
    assert (broken.exit_code, broken.output.strip()) == (1, "row 1: its content was changed")


async def test_a_person_is_forgotten_and_the_record_stays_whole(parts: Parts) -> None:
    await events_of(parts.pipeline, HOLIDAY_QUESTION, asker(), conversation="C1:1")
    assert AuditStore(parts.database).committed("t", "ana@x.com", HOLIDAY_QUESTION) is not None
    assert "1 questions deleted, 1 runs" in run(parts, forget, "Ana@X.com").output
    assert AuditStore(parts.database).committed("t", "ana@x.com", HOLIDAY_QUESTION) is None
    assert run(parts, audit, "verify").exit_code == 0
    assert "ana" not in "".join(entry.body for entry in AuditStore(parts.database).entries())


async def test_evidence_opened_later_is_seen_by_the_rights_of_that_moment(parts: Parts) -> None:
    evidence, runs = EvidenceStore(parts.database), RunStore(parts.database)
    revocations = RevocationStore(parts.database)
    desk = AccessDesk(parts.pipeline._index, revocations, evidence, runs, today=lambda: TODAY)
    question = "What is the highest salary of band N4?"
    answer = end_of(await events_of(parts.pipeline, question, asker(HR))).answer
    (citation,) = answer.citations

    def opened(reader: Reader) -> str | None:
        """The quote that is shown; empty when it may not be seen, None when the run may not be opened."""
        found = desk.opened(answer.run_id, "", reader)
        if found is None:
            return None
        (quote,) = found.quotes
        return quote.shown.citation.quote if quote.shown else ""

    assert opened(asker(HR)) == citation.quote
    assert opened(asker()) == ""
    assert opened(Reader("other", asker(HR).principals, "ana@x.com")) is None
    assert opened(Reader("t", asker(HR).principals, "eve@x.com")) is None
    desk.revoke("t", "salary-bands", "test")
    assert opened(asker(HR)) == ""
    desk.lift("t", "salary-bands")
    assert opened(asker(HR)) == citation.quote
    # The document's rule of now counts as well as the version's own.
    index = parts.pipeline._index
    engine = SyncEngine(index.tables, index.lexical, parts.pipeline._searcher._space, "t")
    board = document(
        "Salary bands",
        "The highest salary of band N4 is 58,500 euros.",
        rule=AccessRule.of({Principal.group("board")}),
        owner="hr@x.com",
    )
    list(engine.sync(Shelf([HOLIDAYS, board, PARKING])))
    assert opened(asker(HR)) == ""
    assert opened(asker(HR, Principal.group("board"))) == citation.quote
    assert not end_of(await events_of(parts.pipeline, question, asker(HR))).answer.claims


async def test_claims_are_looked_at_once_more_when_the_answer_ends(parts: Parts) -> None:
    """Revoked after each claim was verified, and before the answer is handed over."""
    question = Question(HOLIDAY_QUESTION, asker(), _alone())
    last = None
    async for event in parts.pipeline.ask(question):
        if isinstance(event, ClaimVerified):
            RevocationStore(parts.database).revoke("t", "holiday-policy", "test")
        last = event
    assert isinstance(last, Finished)
    assert last.answer.claims == ()
    assert last.answer.abstention is not None
