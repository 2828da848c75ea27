"""The evidence of runs as the store keeps it: which documents it points at, its claims, and its flags."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from pydantic import TypeAdapter
from sqlalchemy import ColumnElement, Engine, delete, insert, select, update

from core.domain.evidence import Claim
from core.domain.keeping import EvidenceFlag, FlagKind
from core.store.schema import evidence, evidence_documents, evidence_flags, runs

REMOVED = 0
"""Stands for the version of a document that was removed. Versions count from 1."""

_CLAIMS: TypeAdapter[tuple[Claim, ...]] = TypeAdapter(tuple[Claim, ...])
_AT_ONCE = 500


class EvidenceStore:
    """Reads and deletes evidence. `RunStore.save` writes it."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def claims(self, tenant_id: str, run_id: str) -> tuple[Claim, ...] | None:
        """The claims of a run with their citations; None when nothing is known of it (any more)."""
        query = select(evidence.c.claims).join(runs).where(runs.c.run_id == run_id, runs.c.tenant_id == tenant_id)
        with self._engine.connect() as connection:
            found = connection.execute(query).scalar_one_or_none()
        return None if found is None else _CLAIMS.validate_python(found)

    def pointed_at(self, tenant_id: str) -> set[tuple[str, int]]:
        """The (document id, version) that some evidence points at, cited or only read."""
        mine = evidence_documents.c.tenant_id == tenant_id
        query = select(evidence_documents.c.document_id, evidence_documents.c.document_version).where(mine).distinct()
        with self._engine.connect() as connection:
            return {(row.document_id, row.document_version) for row in connection.execute(query)}

    def checked(self, tenant_id: str) -> set[tuple[str, int]]:
        """The cited documents, each with the version against which its citations were last looked at."""
        mine = (evidence_documents.c.tenant_id == tenant_id) & (evidence_documents.c.cited == 1)
        query = select(evidence_documents.c.document_id, evidence_documents.c.checked_version).where(mine).distinct()
        with self._engine.connect() as connection:
            return {(row.document_id, row.checked_version) for row in connection.execute(query)}

    def mark_checked(self, tenant_id: str, versions: Mapping[str, int]) -> None:
        """Note the version against which the citations of documents were looked at."""
        with self._engine.begin() as connection:
            for document_id, number in versions.items():
                connection.execute(
                    update(evidence_documents)
                    .where(evidence_documents.c.tenant_id == tenant_id, evidence_documents.c.document_id == document_id)
                    .values(checked_version=number)
                )

    def citing(self, tenant_id: str, document_ids: Collection[str]) -> dict[str, tuple[Claim, ...]]:
        """The claims of the runs that cite one of these documents, by run."""
        ids = list(document_ids)
        found: dict[str, tuple[Claim, ...]] = {}
        with self._engine.connect() as connection:
            for at in range(0, len(ids), _AT_ONCE):
                cites = (
                    (evidence_documents.c.tenant_id == tenant_id)
                    & (evidence_documents.c.cited == 1)
                    & evidence_documents.c.document_id.in_(ids[at : at + _AT_ONCE])
                )
                wanted = select(evidence_documents.c.run_id).where(cites)
                rows = connection.execute(
                    select(evidence.c.run_id, evidence.c.claims).where(evidence.c.run_id.in_(wanted))
                )
                found |= {row.run_id: _CLAIMS.validate_python(row.claims) for row in rows}
        return found

    def add_flags(self, flags: Iterable[EvidenceFlag]) -> list[EvidenceFlag]:
        """Keep flags; those that are new. A run is flagged once for a document and kind, and anew for another rule."""
        new = []
        with self._engine.begin() as connection:
            for flag in flags:
                same = _same(flag.run_id, flag.document_id, flag.kind)
                known = connection.execute(select(evidence_flags.c.rule_id).where(same)).first()
                if known is not None and known.rule_id == flag.rule_id:
                    continue
                values = {"at": flag.at, "rule_id": flag.rule_id}
                if known is not None:
                    connection.execute(update(evidence_flags).where(same).values(values))
                else:
                    row = {"run_id": flag.run_id, "document_id": flag.document_id, "kind": flag.kind.value, **values}
                    connection.execute(insert(evidence_flags).values(row))
                new.append(flag)
        return new

    def drop_flags(self, kind: FlagKind, cited: Iterable[tuple[str, str]]) -> None:
        """Take back the flags of a kind on some (run id, document id), where there are any."""
        query = select(evidence_flags.c.run_id, evidence_flags.c.document_id).where(evidence_flags.c.kind == kind.value)
        with self._engine.begin() as connection:
            flagged = {(row.run_id, row.document_id) for row in connection.execute(query)}
            for run_id, document_id in flagged.intersection(cited):
                connection.execute(delete(evidence_flags).where(_same(run_id, document_id, kind)))

    def flags(self, tenant_id: str, since: float = 0) -> list[EvidenceFlag]:
        """The flags on a tenant's runs that were set at a time (epoch seconds) or later, in order of time."""
        query = (
            select(evidence_flags)
            .join(runs)
            .where(runs.c.tenant_id == tenant_id, evidence_flags.c.at >= since)
            .order_by(evidence_flags.c.at, evidence_flags.c.run_id)
        )
        with self._engine.connect() as connection:
            rows = connection.execute(query).all()
        return [EvidenceFlag(row.run_id, row.document_id, FlagKind(row.kind), row.at, row.rule_id) for row in rows]

    def delete_before(self, tenant_id: str, moment: float) -> int:
        """Delete runs that began before a moment (epoch seconds), with their evidence and flags; how many."""
        old = (runs.c.tenant_id == tenant_id) & (runs.c.started_at < moment)
        with self._engine.begin() as connection:
            return connection.execute(delete(runs).where(old)).rowcount


def _same(run_id: str, document_id: str, kind: FlagKind) -> ColumnElement[bool]:
    return (
        (evidence_flags.c.run_id == run_id)
        & (evidence_flags.c.document_id == document_id)
        & (evidence_flags.c.kind == kind.value)
    )
