"""Answers whose sources have changed since, and what has been told of it: the flags are the queue, so none is lost."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Engine, Row, and_, delete, func, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from core.domain.access import AudienceKind
from core.domain.keeping import FlagKind
from core.store.schema import (
    events,
    evidence_documents,
    evidence_flags,
    living_threads,
    living_told,
    revocations,
    runs,
    shown_answers,
)
from core.store.shown import ShownAnswer

DAY = 86_400.0
MAX_ATTEMPTS = 5
"""After so many failed attempts a thread is left as it is, so that one which nobody can reach costs nothing."""
HIDDEN = "hidden"
"""Stands for the version of a document that an admin has hidden."""
RULE = "rule:"
"""Opens what stands for the version of a document that says the same still, but perhaps not to the same people."""
_AT_ONCE = 500

State = Mapping[str, str]
"""The documents under an answer that are not as they were cited, each with the version (or rule) that is served now."""


@dataclass(frozen=True, slots=True)
class Thread:
    """Where something is told at most once a day. Answers that only one person saw have a thread of that person's."""

    team_id: str
    place: str
    thread: str


@dataclass(frozen=True, slots=True)
class DueAnswer:
    """An answer of whose sources something new is to be told. `state` is empty when all of it stands again."""

    shown: ShownAnswer
    tenant_id: str
    reader: str
    state: State


@dataclass(frozen=True, slots=True)
class DueThread:
    """A thread, and its answers of which something is to be told."""

    thread: Thread
    answers: tuple[DueAnswer, ...]


class LivingStore:
    """Finds what is to be told, and notes what was. Safe for several processes on one database."""

    def __init__(self, engine: Engine, clock: Callable[[], float] = time.time) -> None:
        self._engine = engine
        self._clock = clock

    def due(self, tenant_id: str, since: float) -> list[DueThread]:
        """What is to be told now, by thread.

        Args:
            tenant_id: whose answers.
            since: epoch seconds; older answers are left as they are.
        """
        with self._engine.connect() as connection:
            states = self._states(connection, tenant_id, since)
            told = _told(connection, tenant_id, since)
            wanted = {
                run_id: states.get(run_id, {})
                for run_id in {*states, *told}
                if states.get(run_id, {}) != told.get(run_id, {})
            }
            answers = _shown(connection, wanted)
            busy = self._resting(connection)
        threads: dict[Thread, list[DueAnswer]] = {}
        for answer in answers:
            thread = thread_of(answer.shown)
            if thread not in busy:
                threads.setdefault(thread, []).append(answer)
        return [DueThread(thread, tuple(found)) for thread, found in threads.items()]

    def claim(self, thread: Thread, owner: str, seconds: float) -> int:
        """Take a thread for `seconds`; the number of this attempt, or 0 when somebody else has it or it was told."""
        now = self._clock()
        here = _at(thread)
        free = or_(living_threads.c.lease_until.is_(None), living_threads.c.lease_until < now)
        rested = or_(living_threads.c.told_at.is_(None), living_threads.c.told_at <= now - DAY)
        with self._engine.begin() as connection:
            attempts = connection.execute(select(living_threads.c.attempts).where(here)).scalar_one_or_none()
            if attempts is not None:
                taken = {"lease_owner": owner, "lease_until": now + seconds, "attempts": attempts + 1}
                won = connection.execute(update(living_threads).where(here, free, rested).values(taken)).rowcount
                return int(attempts) + 1 if won else 0
        row = {"team_id": thread.team_id, "place": thread.place, "thread": thread.thread, "attempts": 1}
        try:
            with self._engine.begin() as connection:
                connection.execute(insert(living_threads).values(**row, lease_owner=owner, lease_until=now + seconds))
        except IntegrityError:
            return 0
        return 1

    def told(self, thread: Thread, answers: Iterable[DueAnswer]) -> None:
        """Note that everything of these answers has been told, and let the thread rest for a day."""
        now = self._clock()
        with self._engine.begin() as connection:
            for run_id, state in {answer.shown.run_id: dict(answer.state) for answer in answers}.items():
                connection.execute(delete(living_told).where(living_told.c.run_id == run_id))
                if connection.execute(select(runs.c.run_id).where(runs.c.run_id == run_id)).first() is not None:
                    connection.execute(insert(living_told).values(run_id=run_id, state=state, at=now))
            done = {"told_at": now, "attempts": 0, "lease_owner": None, "lease_until": None}
            connection.execute(update(living_threads).where(_at(thread)).values(done))
            # Who has rested is free to be told, with or without a row.
            connection.execute(delete(living_threads).where(living_threads.c.told_at < now - 2 * DAY))

    def _states(self, connection: Connection, tenant_id: str, since: float) -> dict[str, dict[str, str]]:
        cites = evidence_documents.c
        young = (runs.c.tenant_id == tenant_id) & (runs.c.started_at >= since)
        flagged = (
            select(
                cites.run_id,
                cites.document_id,
                cites.checked_version,
                evidence_flags.c.kind,
                evidence_flags.c.rule_id,
            )
            .join(runs, runs.c.run_id == cites.run_id)
            .join(
                evidence_flags,
                and_(evidence_flags.c.run_id == cites.run_id, evidence_flags.c.document_id == cites.document_id),
            )
            .where(young, cites.cited == 1)
        )
        hidden = (
            select(cites.run_id, cites.document_id)
            .join(runs, runs.c.run_id == cites.run_id)
            .join(
                revocations,
                and_(revocations.c.tenant_id == cites.tenant_id, revocations.c.document_id == cites.document_id),
            )
            .where(young, cites.cited == 1)
        )
        states: dict[str, dict[str, str]] = {}
        for row in connection.execute(flagged):
            state = states.setdefault(row.run_id, {})
            if row.kind != FlagKind.ACCESS:
                state[row.document_id] = str(row.checked_version)
            else:  # by its rule: who may not read it any more is not told of each edit of it
                state.setdefault(row.document_id, f"{RULE}{row.rule_id}")
        for gone in connection.execute(hidden):
            states.setdefault(gone.run_id, {})[gone.document_id] = HIDDEN
        return states

    def _resting(self, connection: Connection) -> set[Thread]:
        """Threads that somebody is working on, or that were told something within a day."""
        now = self._clock()
        query = select(living_threads).where(
            or_(living_threads.c.lease_until >= now, living_threads.c.told_at > now - DAY)
        )
        return {Thread(row.team_id, row.place, row.thread) for row in connection.execute(query)}


def thread_of(shown: ShownAnswer) -> Thread:
    """Where what is to be told of an answer is told at most once a day."""
    return Thread(shown.team_id, shown.place, shown.thread or f"~{shown.user_id}")


def _told(connection: Connection, tenant_id: str, since: float) -> dict[str, dict[str, str]]:
    young = (runs.c.tenant_id == tenant_id) & (runs.c.started_at >= since)
    query = select(living_told.c.run_id, living_told.c.state).join(runs).where(young)
    return {row.run_id: dict(row.state) for row in connection.execute(query)}


def _shown(connection: Connection, states: Mapping[str, State]) -> list[DueAnswer]:
    ids = sorted(states)
    found = []
    for at in range(0, len(ids), _AT_ONCE):
        query = (
            select(shown_answers, runs.c.tenant_id, runs.c.reader)
            .join(runs)
            .join(events, events.c.id == shown_answers.c.event_id, isouter=True)
            # A message that is still being made is told when it stands.
            .where(shown_answers.c.run_id.in_(ids[at : at + _AT_ONCE]), func.coalesce(events.c.state, "done") != "open")
            .order_by(runs.c.started_at, shown_answers.c.event_id)
        )
        found += [
            DueAnswer(_read(row), row.tenant_id, row.reader, states[row.run_id]) for row in connection.execute(query)
        ]
    return found


def _read(row: Row[Any]) -> ShownAnswer:
    return ShownAnswer(
        row.run_id,
        row.event_id,
        row.team_id,
        row.enterprise_id,
        row.user_id,
        row.place,
        row.thread,
        AudienceKind(row.audience),
        row.surface,
    )


def _at(thread: Thread) -> ColumnElement[bool]:
    return (
        (living_threads.c.team_id == thread.team_id)
        & (living_threads.c.place == thread.place)
        & (living_threads.c.thread == thread.thread)
    )
