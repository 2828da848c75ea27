"""The audit record for an async program: each entry is written in a thread, before the person is told."""

from __future__ import annotations

import asyncio

from sqlalchemy.exc import SQLAlchemyError

from bot.incoming import Incoming
from bot.ports import Recorder
from core.domain.auditing import AuditKind, AuditNote
from core.errors import StorageError


class Auditor:
    """Notes who did what; without a record, nothing."""

    def __init__(self, recorder: Recorder | None = None) -> None:
        self._recorder = recorder

    async def note(self, kind: AuditKind, tenant_id: str, incoming: Incoming, **facts: object) -> None:
        """Append an entry about what somebody asked for.

        Raises:
            StorageError: it cannot be written. Then it must not be done.
        """
        if self._recorder is None:
            return
        facts = {"surface": incoming.surface.value, **facts}
        note = AuditNote(kind, tenant_id, incoming.user_id, incoming.channel_id, facts)
        try:
            await asyncio.to_thread(self._recorder.note, note)
        except SQLAlchemyError as error:
            raise StorageError(f"The database does not answer ({type(error).__name__}).") from None
