"""The record of runs and the evidence frozen for them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from sqlalchemy import Engine, delete, insert, select

from core.domain.evidence import Answer, Evidence
from core.store.schema import evidence as evidence_table
from core.store.schema import evidence_documents, private_runs, runs

ANSWERED = "answered"
STOPPED = "stopped"
"""Given up by whoever asked or listened, after something of it was shown."""
CUT_SHORT = "interrupted"
"""It broke after something of it was shown."""


@dataclass(frozen=True, slots=True)
class RunRecord:
    """What is kept of one run, apart from its evidence. `reader` and `place` are ids; times are epoch seconds.

    `is_private` says that the answer is shown to nobody but who asked.
    """

    run_id: str
    tenant_id: str
    reader: str
    place: str
    started_at: float
    finished_at: float
    timings: Mapping[str, float]
    is_private: bool = False
    dropped_for: Mapping[str, int] = field(default_factory=dict)
    """How many claims were dropped for which reason."""
    cut_short: str = ""
    """How the run came to no end; empty for one that did."""

    def decision(self, answer: Answer) -> str:
        """What became of the question, in one word."""
        if self.cut_short:
            return self.cut_short
        return ANSWERED if answer.abstention is None else answer.abstention.reason.value


@dataclass(frozen=True, slots=True)
class RunOrigin:
    """Who asked, as the record has it, where, and whether nobody else was shown the answer."""

    reader: str
    place: str
    is_private: bool


@dataclass(frozen=True, slots=True)
class AnsweredRun:
    """An answer, and how many claims were dropped from it, by reason where the verifier gave one."""

    run_id: str
    started_at: float
    dropped: int
    dropped_for: Mapping[str, int]


class RunStore:
    """Writes and reads runs."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def save(self, record: RunRecord, answer: Answer, evidence: Evidence | None) -> None:
        """Keep a run with the ids, versions, offsets and hashes of what it read, and its claims."""
        row = {
            "run_id": record.run_id,
            "tenant_id": record.tenant_id,
            "reader": record.reader,
            "channel": record.place,
            "started_at": record.started_at,
            "finished_at": record.finished_at,
            "decision": record.decision(answer),
            "generator": answer.generator,
            "index_version": answer.index_version,
            "confidence": answer.confidence,
            "claims": len(answer.claims),
            "dropped_claims": answer.dropped_claims,
            "dropped_reasons": dict(record.dropped_for) or None,
            "use": asdict(answer.use) if answer.use else None,
            "timings": dict(record.timings),
        }
        with self._engine.begin() as connection:
            connection.execute(insert(runs).values(row))
            if record.is_private:
                connection.execute(insert(private_runs).values(run_id=record.run_id))
            if evidence is not None:
                connection.execute(
                    insert(evidence_table).values(
                        run_id=record.run_id,
                        passages=[_frozen(p.label, p.passage) for p in evidence.passages],
                        claims=[_plain(asdict(claim)) for claim in answer.claims],
                    )
                )
                if pointed := _pointed_at(record, answer, evidence):
                    connection.execute(insert(evidence_documents), pointed)

    def asked_by(self, tenant_id: str, run_id: str) -> tuple[str, str] | None:
        """Who asked (as the record has it) and where; None when nothing is known of the run."""
        query = select(runs.c.reader, runs.c.channel).where(runs.c.tenant_id == tenant_id, runs.c.run_id == run_id)
        with self._engine.connect() as connection:
            row = connection.execute(query).one_or_none()
        return None if row is None else (row.reader, row.channel)

    def origin(self, tenant_id: str, run_id: str) -> RunOrigin | None:
        """Where a run comes from; None when nothing is known of it (any more)."""
        query = (
            select(runs.c.reader, runs.c.channel, private_runs.c.run_id.label("private"))
            .join(private_runs, private_runs.c.run_id == runs.c.run_id, isouter=True)
            .where(runs.c.tenant_id == tenant_id, runs.c.run_id == run_id)
        )
        with self._engine.connect() as connection:
            row = connection.execute(query).one_or_none()
        return None if row is None else RunOrigin(row.reader, row.channel, row.private is not None)

    def lately_answered(self, tenant_id: str, limit: int) -> list[AnsweredRun]:
        """The last answers that others than the asker were shown, newest first, without a word of who asked what."""
        query = (
            select(runs.c.run_id, runs.c.started_at, runs.c.dropped_claims, runs.c.dropped_reasons)
            .join(private_runs, private_runs.c.run_id == runs.c.run_id, isouter=True)
            .where(runs.c.tenant_id == tenant_id, runs.c.decision == ANSWERED, private_runs.c.run_id.is_(None))
            .order_by(runs.c.started_at.desc(), runs.c.run_id)
            .limit(limit)
        )
        with self._engine.connect() as connection:
            return [
                AnsweredRun(row.run_id, row.started_at, row.dropped_claims, row.dropped_reasons or {})
                for row in connection.execute(query)
            ]

    def publish(self, tenant_id: str, run_id: str) -> None:
        """Note that a run's answer was shared where it was asked."""
        mine = select(runs.c.run_id).where(runs.c.tenant_id == tenant_id, runs.c.run_id == run_id)
        with self._engine.begin() as connection:
            connection.execute(delete(private_runs).where(private_runs.c.run_id.in_(mine)))

    def claims(self, run_id: str) -> list[dict[str, Any]] | None:
        """The claims of a run as they were kept, or None when nothing is known of it."""
        with self._engine.connect() as connection:
            found = connection.execute(
                select(evidence_table.c.claims).where(evidence_table.c.run_id == run_id)
            ).scalar_one_or_none()
        return None if found is None else list(found)


def _pointed_at(record: RunRecord, answer: Answer, evidence: Evidence) -> list[dict[str, Any]]:
    read = {(p.passage.document_id, p.passage.document_version) for p in evidence.passages}
    cited = {(c.document_id, c.document_version) for c in answer.citations}
    return [
        {
            "run_id": record.run_id,
            "tenant_id": record.tenant_id,
            "document_id": document_id,
            "document_version": version,
            "cited": int((document_id, version) in cited),
            "checked_version": version,
        }
        for document_id, version in sorted(read | cited)
    ]


def _frozen(label: str, passage: Any) -> dict[str, Any]:
    names = (
        "chunk_id", "document_id", "document_version", "rule_id", "start", "end", "content_hash",
    )  # fmt: skip
    return {"label": label, **{name: getattr(passage, name) for name in names}}


def _plain(value: Any) -> Any:
    """Dates and tuples as JSON has them."""
    match value:
        case dict():
            return {k: _plain(v) for k, v in value.items()}
        case list() | tuple():
            return [_plain(v) for v in value]
        case dt.date():
            return value.isoformat()
        case _:
            return value
