"""Questions that documents did not answer: those that were abstained from, voted down, or handed to people."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Engine, and_, delete, exists, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from core.domain.access import AudienceKind
from core.domain.evidence import AbstentionReason
from core.store.feedback import Verdict
from core.store.schema import asked_people, feedback, private_runs, runs, shown_answers, turns

NO_GAPS = frozenset(
    {AbstentionReason.NOTHING_CHANGED, AbstentionReason.DATE_NEEDED, AbstentionReason.NO_EARLIER_VERSION}
)
"""Abstentions that say nothing of what the documents lack."""
MOST = 500
"""Questions that are looked at, the newest first."""
LONGEST_SUGGESTION = 2_000
"""Characters of a suggested answer that are kept."""


@dataclass(frozen=True, slots=True)
class GapQuestion:
    """One question that was not answered well. `person` only tells people apart; `asked_at` is in epoch seconds."""

    run_id: str
    question: str
    person: str
    asked_at: float
    is_abstained: bool
    is_disliked: bool
    suggestion: str = ""
    """What a person has offered as its answer."""


@dataclass(frozen=True, slots=True)
class HandedOn:
    """A question that somebody handed to people. `channel` and `ts` name the message that asks it, once it stands.

    `user_id` and `suggested_by` are ids of the front end, `place` and `thread` where the question was asked.
    """

    id: int
    run_id: str
    team_id: str
    user_id: str
    reader: str
    place: str
    thread: str
    question: str
    channel: str
    ts: str
    suggestion: str = ""
    suggested_by: str = ""


class GapStore:
    """Reads the questions that documents did not answer."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def questions(self, tenant_id: str, since: float, *, private: bool = False, most: int = MOST) -> list[GapQuestion]:
        """The questions since a moment, newest first, of public places alone unless `private`.

        What somebody handed to people is among them wherever it was asked: they were told so and agreed.
        """
        bad = exists().where(feedback.c.run_id == runs.c.run_id, feedback.c.verdict == Verdict.BAD.value)
        abstained = runs.c.decision.in_([reason.value for reason in AbstentionReason if reason not in NO_GAPS])
        in_public = and_(
            exists().where(
                shown_answers.c.run_id == runs.c.run_id, shown_answers.c.audience == AudienceKind.TENANT.value
            ),
            ~exists().where(private_runs.c.run_id == runs.c.run_id),
        )
        query = (
            select(
                turns.c.run_id,
                turns.c.question,
                turns.c.reader,
                turns.c.asked_at,
                abstained.label("no"),
                bad.label("bad"),
            )
            .join(runs, runs.c.run_id == turns.c.run_id)
            .where(turns.c.tenant_id == tenant_id, turns.c.asked_at >= since, or_(abstained, bad))
            .order_by(turns.c.asked_at.desc())
            .limit(most)
        )
        handed = select(asked_people).where(
            asked_people.c.tenant_id == tenant_id, asked_people.c.asked_at >= since, asked_people.c.ts != ""
        )
        with self._engine.connect() as connection:
            found = {
                row.run_id: GapQuestion(row.run_id, row.question, row.reader, row.asked_at, bool(row.no), bool(row.bad))
                for row in connection.execute(query if private else query.where(in_public))
            }
            for row in connection.execute(handed.order_by(asked_people.c.asked_at.desc()).limit(most)):
                found[row.run_id] = GapQuestion(
                    row.run_id, row.question, row.reader, row.asked_at, True, False, row.suggestion or ""
                )
        return sorted(found.values(), key=lambda question: -question.asked_at)[:most]

    def question_of(self, tenant_id: str, run_id: str) -> str:
        """The question of a run as it was understood; empty when it is not remembered (any more)."""
        query = select(turns.c.question).where(turns.c.tenant_id == tenant_id, turns.c.run_id == run_id)
        with self._engine.connect() as connection:
            return str(connection.execute(query).scalars().first() or "")


class HandedOnStore:
    """Keeps the questions that were handed to people, once each, and what they offer as answers."""

    def __init__(self, engine: Engine, clock: Callable[[], float] = time.time) -> None:
        self._engine = engine
        self._clock = clock

    def begin(self, tenant_id: str, handed: HandedOn) -> bool:
        """Write down that a question is about to be handed on; False when it was already, or its run is gone."""
        row = {
            "tenant_id": tenant_id,
            "run_id": handed.run_id,
            "team_id": handed.team_id,
            "user_id": handed.user_id,
            "reader": handed.reader,
            "place": handed.place,
            "thread": handed.thread,
            "question": handed.question,
            "asked_at": self._clock(),
        }
        try:
            with self._engine.begin() as connection:
                connection.execute(insert(asked_people).values(row))
        except IntegrityError:
            return False
        return True

    def posted(self, tenant_id: str, run_id: str, channel: str, ts: str) -> None:
        """Note the message that asks it."""
        mine = (asked_people.c.tenant_id == tenant_id) & (asked_people.c.run_id == run_id)
        with self._engine.begin() as connection:
            connection.execute(update(asked_people).where(mine).values(channel=channel, ts=ts))

    def take_back(self, tenant_id: str, run_id: str) -> None:
        """Forget one that could not be posted, so that it can be tried again."""
        mine = (asked_people.c.tenant_id == tenant_id) & (asked_people.c.run_id == run_id)
        with self._engine.begin() as connection:
            connection.execute(delete(asked_people).where(mine, asked_people.c.ts == ""))

    def of_run(self, tenant_id: str, run_id: str) -> HandedOn | None:
        """What was handed on for a run."""
        return self._one(tenant_id, asked_people.c.run_id == run_id)

    def in_thread(self, tenant_id: str, team_id: str, channel: str, ts: str) -> HandedOn | None:
        """What a thread in which people answer is about."""
        here = (asked_people.c.team_id == team_id) & (asked_people.c.channel == channel) & (asked_people.c.ts == ts)
        return self._one(tenant_id, here) if ts else None

    def of_id(self, tenant_id: str, number: int) -> HandedOn | None:
        """What was handed on under a number."""
        return self._one(tenant_id, asked_people.c.id == number)

    def suggest(self, tenant_id: str, number: int, text: str, by: str) -> bool:
        """Keep what a person offers as the answer, in place of what they offered before.

        False when there is no such question (any more), or somebody else has offered an answer already.
        """
        open_to_them = or_(asked_people.c.suggested_by.is_(None), asked_people.c.suggested_by == by)
        said = {"suggestion": text[:LONGEST_SUGGESTION], "suggested_by": by, "suggested_at": self._clock()}
        mine = (asked_people.c.tenant_id == tenant_id) & (asked_people.c.id == number)
        with self._engine.begin() as connection:
            return bool(connection.execute(update(asked_people).where(mine, open_to_them).values(said)).rowcount)

    def _one(self, tenant_id: str, condition: ColumnElement[bool]) -> HandedOn | None:
        query = select(asked_people).where(asked_people.c.tenant_id == tenant_id, condition)
        with self._engine.connect() as connection:
            row = connection.execute(query).one_or_none()
        if row is None:
            return None
        return HandedOn(
            row.id,
            row.run_id,
            row.team_id,
            row.user_id,
            row.reader,
            row.place,
            row.thread,
            row.question,
            row.channel,
            row.ts,
            row.suggestion or "",
            row.suggested_by or "",
        )
