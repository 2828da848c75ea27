"""What people chose for themselves: the language that the bot speaks to them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from sqlalchemy import Engine, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from core.store.schema import person_settings

CACHE_SECONDS = 15.0
"""How long another process may go on by what somebody chose before."""


class PersonSettingsStore:
    """Reads and writes choices, by tenant and person. Safe for several threads and processes."""

    def __init__(self, engine: Engine, clock: Callable[[], float] = time.time) -> None:
        self._engine = engine
        self._clock = clock
        self._lock = threading.Lock()
        self._known: dict[str, tuple[float, dict[str, str]]] = {}

    def language(self, tenant_id: str, person: str) -> str:
        """The ISO code of the language that a person chose; empty: none, so that it is the front end's to say.

        All choices of a tenant are read at once and remembered for `CACHE_SECONDS`: few people make one, and each
        message asks for it.

        Raises:
            SQLAlchemyError: the database does not answer.
        """
        known = self._remembered(tenant_id)
        if known is None:
            query = select(person_settings.c.person, person_settings.c.language)
            with self._engine.connect() as connection:
                rows = connection.execute(query.where(person_settings.c.tenant_id == tenant_id)).all()
            known = {row.person: row.language for row in rows}
            with self._lock:
                self._known[tenant_id] = (self._clock(), known)
        return known.get(person, "")

    def remembers(self, tenant_id: str) -> bool:
        """Whether the next look-up asks the database for nothing."""
        return self._remembered(tenant_id) is not None

    def choose(self, tenant_id: str, person: str, language: str, reader: str = "") -> None:
        """Keep a person's choice of a language; with none (empty), forget that there was one.

        `reader` is their address, by which they can be forgotten as well.
        """
        mine = (person_settings.c.tenant_id == tenant_id) & (person_settings.c.person == person)
        values = {"language": language, "reader": reader, "set_at": self._clock()}
        if not language:
            with self._engine.begin() as connection:
                connection.execute(delete(person_settings).where(mine))
        else:
            with self._engine.begin() as connection:
                changed = connection.execute(update(person_settings).where(mine).values(values)).rowcount
            if not changed:
                try:
                    with self._engine.begin() as connection:
                        row = {"tenant_id": tenant_id, "person": person, **values}
                        connection.execute(insert(person_settings).values(row))
                except IntegrityError:  # chosen twice at the same time: the later one wins
                    with self._engine.begin() as connection:
                        connection.execute(update(person_settings).where(mine).values(values))
        self.forget_remembered(tenant_id)

    def forget_remembered(self, tenant_id: str) -> None:
        """Look again with the next question: a person was forgotten."""
        with self._lock:
            self._known.pop(tenant_id, None)

    def _remembered(self, tenant_id: str) -> dict[str, str] | None:
        with self._lock:
            known = self._known.get(tenant_id)
        return known[1] if known is not None and self._clock() - known[0] < CACHE_SECONDS else None
