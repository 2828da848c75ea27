"""Where answers were shown: the run, the event that showed it, who asked, and who read along."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Engine, delete, insert, select
from sqlalchemy.exc import IntegrityError

from core.domain.access import AudienceKind
from core.store.schema import events, runs, shown_answers


@dataclass(frozen=True, slots=True)
class ShownAnswer:
    """An answer, or an abstention, as it was shown by one event. `thread` is empty where there is none."""

    run_id: str
    event_id: int
    team_id: str
    enterprise_id: str
    user_id: str
    place: str
    thread: str
    audience: AudienceKind
    surface: str
    """How it was asked, as the front end names it."""


class ShownStore:
    """Writes and reads where answers were shown."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def note(self, shown: ShownAnswer) -> bool:
        """Write down where an answer is about to be shown; False when its run is not known (any more)."""
        row = {
            "run_id": shown.run_id,
            "event_id": shown.event_id,
            "team_id": shown.team_id,
            "enterprise_id": shown.enterprise_id,
            "user_id": shown.user_id,
            "place": shown.place,
            "thread": shown.thread,
            "audience": shown.audience.value,
            "surface": shown.surface,
        }
        same = (shown_answers.c.run_id == shown.run_id) & (shown_answers.c.event_id == shown.event_id)
        try:
            with self._engine.begin() as connection:
                if connection.execute(select(runs.c.run_id).where(runs.c.run_id == shown.run_id)).first() is None:
                    return False
                connection.execute(delete(shown_answers).where(same))
                connection.execute(insert(shown_answers).values(row))
        except IntegrityError:  # the run has just gone, or another attempt wrote the same
            return False
        return True

    def delivered(self, event_id: int) -> Mapping[str, Any]:
        """What an event has shown, as its reply has noted it: the channel, and the message's parts."""
        with self._engine.connect() as connection:
            found = connection.execute(select(events.c.delivered).where(events.c.id == event_id)).scalar_one_or_none()
        return found or {}
