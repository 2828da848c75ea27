"""Which documents answers have cited most, over everybody in a tenant: names of documents and nothing else."""

from __future__ import annotations

from sqlalchemy import Engine, func, select

from core.store.schema import evidence_documents

LOOKED_AT = 200


class Readership:
    """Counts citations in the evidence that is kept."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def most_cited(self, tenant_id: str) -> tuple[str, ...]:
        """The ids of the documents that the most answers cite, most first; who sees them is for the caller."""
        cites = func.count()
        query = (
            select(evidence_documents.c.document_id)
            .where(evidence_documents.c.tenant_id == tenant_id, evidence_documents.c.cited == 1)
            .group_by(evidence_documents.c.document_id)
            .order_by(cites.desc(), evidence_documents.c.document_id)
            .limit(LOOKED_AT)
        )
        with self._engine.connect() as connection:
            return tuple(connection.execute(query).scalars())
