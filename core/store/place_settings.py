"""What is set for each place where questions are asked (a channel): what is searched there, and how answers are given.

A place of which nothing was set goes by the defaults, which come from the settings.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

from sqlalchemy import ColumnElement, Engine, and_, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from core.settings import Mode, Settings
from core.store.schema import place_settings

CACHE_SECONDS = 15.0
"""How long another process may go on by what was set before."""
CACHE_SIZE = 10_000


class AnswersIn(StrEnum):
    """Where an answer is given: to everybody in the thread, or to nobody but who asked."""

    THREAD = "thread"
    PRIVATE = "private"


class AnswerLanguage(StrEnum):
    """The language of answers: the question's, or one for all."""

    AUTO = "auto"
    SPANISH = "es"
    ENGLISH = "en"


@dataclass(frozen=True, slots=True)
class PlaceSettings:
    """What holds in one place.

    `sources` are the names of those that are searched (none named: all). `follow_ups`: whether a question in a thread
    that the bot takes part in is answered without a mention. `set_by` (a user id) is empty and `set_at` (epoch seconds)
    None where nothing was set and these are the defaults.
    """

    sources: tuple[str, ...] = ()
    mode: Mode = Mode.BALANCED
    answers_in: AnswersIn = AnswersIn.THREAD
    follow_ups: bool = False
    language: AnswerLanguage = AnswerLanguage.AUTO
    set_by: str = ""
    set_at: float | None = None

    @classmethod
    def defaults(cls, settings: Settings) -> PlaceSettings:
        """What holds where nothing was set."""
        return cls(mode=settings.mode, follow_ups=settings.follow_ups)

    @property
    def answer_language(self) -> str:
        """The ISO code that answers are given in; empty: the question's own."""
        return "" if self.language is AnswerLanguage.AUTO else self.language.value


class PlaceSettingsStore:
    """Reads and writes them, by tenant and place. Safe for several threads and processes."""

    def __init__(
        self,
        engine: Engine,
        defaults: PlaceSettings | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._engine = engine
        self._defaults = defaults or PlaceSettings()
        self._clock = clock
        self._lock = threading.Lock()
        self._known: dict[tuple[str, str], tuple[float, PlaceSettings]] = {}

    def of(self, tenant_id: str, place: str) -> PlaceSettings:
        """What holds in a place; remembered for `CACHE_SECONDS`.

        Raises:
            SQLAlchemyError: the database does not answer, and nothing is remembered.
        """
        known = self.remembered(tenant_id, place)
        if known is not None:
            return known
        found = self._read(tenant_id, place)
        with self._lock:
            if len(self._known) >= CACHE_SIZE:
                self._known.clear()
            self._known[tenant_id, place] = (self._clock(), found)
        return found

    def remembered(self, tenant_id: str, place: str) -> PlaceSettings | None:
        """What holds in a place, if that was read a moment ago; asks the database for nothing."""
        with self._lock:
            known = self._known.get((tenant_id, place))
        return known[1] if known is not None and self._clock() - known[0] < CACHE_SECONDS else None

    def put(self, tenant_id: str, place: str, wanted: PlaceSettings, by: str) -> PlaceSettings:
        """Set everything for a place, as of now and by a user id; what holds from here on."""
        stamped = replace(wanted, sources=tuple(dict.fromkeys(wanted.sources)), set_by=by, set_at=self._clock())
        values = {
            "sources": list(stamped.sources),
            "mode": stamped.mode.value,
            "answers_in": stamped.answers_in.value,
            "follow_ups": int(stamped.follow_ups),
            "language": stamped.language.value,
            "set_by": stamped.set_by,
            "set_at": stamped.set_at,
        }
        change = update(place_settings).where(_at(tenant_id, place)).values(values)
        with self._engine.begin() as connection:
            changed = connection.execute(change).rowcount
        if not changed:
            try:
                with self._engine.begin() as connection:
                    connection.execute(insert(place_settings).values(tenant_id=tenant_id, place=place, **values))
            except IntegrityError:  # another process was quicker: the later one wins
                with self._engine.begin() as connection:
                    connection.execute(change)
        self._drop(tenant_id, place)
        return stamped

    def reset(self, tenant_id: str, place: str) -> None:
        """Go back to the defaults in a place."""
        with self._engine.begin() as connection:
            connection.execute(delete(place_settings).where(_at(tenant_id, place)))
        self._drop(tenant_id, place)

    def _drop(self, tenant_id: str, place: str) -> None:
        with self._lock:
            self._known.pop((tenant_id, place), None)

    def _read(self, tenant_id: str, place: str) -> PlaceSettings:
        with self._engine.connect() as connection:
            row = connection.execute(select(place_settings).where(_at(tenant_id, place))).one_or_none()
        if row is None:
            return self._defaults
        return PlaceSettings(
            sources=tuple(row.sources),
            mode=Mode(row.mode),
            answers_in=AnswersIn(row.answers_in),
            follow_ups=bool(row.follow_ups),
            language=AnswerLanguage(row.language),
            set_by=row.set_by,
            set_at=row.set_at,
        )


def _at(tenant_id: str, place: str) -> ColumnElement[bool]:
    return and_(place_settings.c.tenant_id == tenant_id, place_settings.c.place == place)
