"""Documents that an admin has hidden, whatever their rules say, until it is lifted. No sync lifts it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import Engine, delete, insert, select, update
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from core.errors import StorageError
from core.store.schema import revocations


@dataclass(frozen=True, slots=True)
class Revocation:
    """A hidden document: since when (epoch seconds), by whom, and what it was at the last sync; empty before one."""

    document_id: str
    revoked_at: float
    revoked_by: str
    source: str = ""
    source_key: str = ""
    title: str = ""
    content_hash: str = ""


class RevocationStore:
    """Writes and reads what is hidden. Read afresh for each question, so that it works at once."""

    def __init__(self, engine: Engine, clock: Callable[[], float] = time.time) -> None:
        self._engine = engine
        self._clock = clock

    def revoke(self, tenant_id: str, document_id: str, by: str) -> bool:
        """Hide a document; False when it is hidden already."""
        row = {"tenant_id": tenant_id, "document_id": document_id, "revoked_at": self._clock(), "revoked_by": by}
        try:
            with self._engine.begin() as connection:
                connection.execute(insert(revocations).values(row))
        except IntegrityError:
            return False
        return True

    def describe(
        self, tenant_id: str, document_id: str, source: str, source_key: str, title: str, content_hash: str
    ) -> None:
        """Write down what a hidden document is, for when it comes back under another id."""
        mine = (revocations.c.tenant_id == tenant_id) & (revocations.c.document_id == document_id)
        said = {"source": source, "source_key": source_key, "title": title, "content_hash": content_hash}
        with self._engine.begin() as connection:
            connection.execute(update(revocations).where(mine).values(said))

    def lift(self, tenant_id: str, document_id: str) -> bool:
        """Let a document's own rules decide again; False when it was not hidden."""
        mine = (revocations.c.tenant_id == tenant_id) & (revocations.c.document_id == document_id)
        with self._engine.begin() as connection:
            return bool(connection.execute(delete(revocations).where(mine)).rowcount)

    def revoked(self, tenant_id: str) -> frozenset[str]:
        """The ids of the hidden documents.

        Raises:
            StorageError: it cannot be found out. Then nothing may be shown.
        """
        query = select(revocations.c.document_id).where(revocations.c.tenant_id == tenant_id)
        try:
            with self._engine.connect() as connection:
                return frozenset(connection.execute(query).scalars())
        except SQLAlchemyError as error:
            raise StorageError(f"The database does not answer ({type(error).__name__}).") from None

    def listed(self, tenant_id: str) -> list[Revocation]:
        """The hidden documents, oldest first."""
        query = (
            select(revocations)
            .where(revocations.c.tenant_id == tenant_id)
            .order_by(revocations.c.revoked_at, revocations.c.document_id)
        )
        with self._engine.connect() as connection:
            rows = connection.execute(query).all()
        return [
            Revocation(
                row.document_id,
                row.revoked_at,
                row.revoked_by,
                row.source or "",
                row.source_key or "",
                row.title or "",
                row.content_hash or "",
            )
            for row in rows
        ]
