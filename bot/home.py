"""The home tab of one person: drawn when they open it and after each thing that they do in it.

What comes with a press is not believed: who presses, and what they may see or do, is found out again each time. A view
is published over the one that it was made from (`hash`), so that an old drawing never covers a newer one.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from slack_sdk.web.async_client import AsyncWebClient
from sqlalchemy.exc import SQLAlchemyError

from bot.auditing import Auditor
from bot.failures import NO_EVENT, log_failure, new_code
from bot.home_lookups import HomeLookups
from bot.identity import Directory, Person
from bot.incoming import Surface
from bot.languages import Languages
from bot.pressing import Press, who_pressed
from bot.reindexing import is_admin
from bot.rendering import error_kind, render_error, render_help, sentence
from bot.rendering.blocks import View
from bot.rendering.errors import ErrorKind, error_sentence
from bot.rendering.home import AS_IN_SLACK, AdminsPart, HomeContents, home_of, render_home, render_home_sentence
from bot.slack_client import SlackRefusedError, slack_errors
from bot.tenancy import Tenancy
from bot.words import LANGUAGES, Words
from core.domain.auditing import AuditKind
from core.errors import SettingsError, SlackError, TestigoError
from core.settings import Settings
from core.store.forgetting import Forgotten

logger = logging.getLogger("testigo.home")

QUESTIONS = 5
REVIEWS = 4
LOOK_UP_SECONDS = 20.0
DAY = 86_400.0
CONFLICT = "hash_conflict"

Notice = Callable[[Words], str]
"""What is said at the top of a tab, once its language is known."""


def _nothing(_words: Words) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Visitor:
    """Whose tab it is, and the view that stands there (`hash`; empty: whichever)."""

    user_id: str
    team_id: str
    enterprise_id: str = ""
    hash: str = ""

    @classmethod
    def of(cls, press: Press) -> Visitor:
        """Who pressed something in the tab."""
        return cls(press.user_id, press.team_id, press.enterprise_id, press.payload.view.hash)


class Home:
    """Draws tabs, and does what is pressed in them but for what takes long, which is claimed."""

    def __init__(
        self,
        client: AsyncWebClient,
        settings: Settings,
        lookups: HomeLookups | None,
        languages: Languages | None,
        tenancy: Tenancy,
        directory: Directory,
        auditor: Auditor,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Without `lookups` and `languages` the tab is the help alone."""
        self._client = client
        self._settings = settings
        self._lookups = lookups
        self._languages = languages
        self._tenancy = tenancy
        self._directory = directory
        self._auditor = auditor
        self._clock = clock

    async def show(self, visitor: Visitor, notice: Notice = _nothing) -> None:
        """Draw somebody's tab, with a notice at its top; where it cannot be drawn, that is what it says.

        Raises:
            SlackError: Slack does not take the view.
        """
        try:
            async with asyncio.timeout(LOOK_UP_SECONDS):
                view = await self._view(visitor, notice)
        except Exception as error:
            code = new_code()
            log_failure(NO_EVENT, error, code)
            words = Words(await self._directory.locale(visitor.user_id))
            view = render_home_sentence(render_error(_kind(error), code, words))
        await self._publish(visitor, view)

    async def choose_language(self, press: Press) -> None:
        """Keep somebody's choice of a language, and draw their tab in it.

        Raises:
            SlackError: Slack does not take the view.
        """
        languages = self._languages
        chosen = press.payload.actions[0].selected_option.value if press.payload.actions else ""
        if languages is None or chosen not in {AS_IN_SLACK, *LANGUAGES}:
            logger.warning("a language was chosen that is not offered")
            return
        language = "" if chosen == AS_IN_SLACK else chosen

        async def keep(person: Person) -> None:
            await languages.choose(person.reader.tenant_id, person.user_id, language, person.reader.email)

        await self._act(press, keep)

    async def forget(self, press: Press) -> None:
        """Delete what is kept of who pressed, as `testigo forget` does, and say how much it was.

        Raises:
            SlackError: Slack does not take the view.
        """
        lookups, languages = self._lookups, self._languages
        if lookups is None or languages is None:
            return
        done: list[Forgotten] = []

        async def forget(person: Person) -> None:
            tenant_id, email = person.reader.tenant_id, person.reader.email
            await self._auditor.note(AuditKind.OWN, tenant_id, press.incoming(Surface.HOME), action="forget")
            also = [email] if email else []
            done.append(await asyncio.to_thread(lookups.forgetting.forget, tenant_id, person.user_id, also))
            languages.forget(tenant_id)

        def notice(words: Words) -> str:
            return words.forget_done(done[0].questions, done[0].verdicts, done[0].runs)

        await self._act(press, forget, notice)

    async def _act(
        self,
        press: Press,
        action: Callable[[Person], Awaitable[None]],
        notice: Notice = _nothing,
    ) -> None:
        """Do something for who pressed, if they are known, and draw their tab again with what came of it."""
        try:
            person = await who_pressed(press, self._tenancy, self._directory)
            if person.is_known:
                await action(person)
        except (TestigoError, SQLAlchemyError) as error:
            code = new_code()
            log_failure(NO_EVENT, error, code)
            kind = _kind(error)
            await self.show(Visitor.of(press), lambda words: f"{error_sentence(kind, words)} {words.error_code(code)}")
        else:
            await self.show(Visitor.of(press), notice if person.is_known else _nothing)

    async def _view(self, visitor: Visitor, notice: Notice) -> View:
        tenant_id = self._tenancy.tenant_of(visitor.team_id, visitor.enterprise_id)
        if tenant_id is None:
            words = Words(await self._directory.locale(visitor.user_id))
            return render_home_sentence(sentence(words.error_settings()))
        person = await self._directory.person(visitor.user_id, tenant_id)
        words = Words(person.locale)
        if not person.is_known:
            return render_home_sentence(sentence(words.refused_person()))
        if self._lookups is None or self._languages is None:
            return home_of(render_help(words, admin=is_admin(person, self._settings)).blocks)
        language = await self._languages.of(tenant_id, visitor.user_id)
        contents = await asyncio.to_thread(self._contents, self._lookups, person, language, notice(words))
        return render_home(contents, words)

    def _contents(self, lookups: HomeLookups, person: Person, language: str, notice: str) -> HomeContents:
        reader = person.reader
        days = self._settings.question_days
        since = self._clock() - days * DAY
        questions = lookups.conversations.recent(reader.tenant_id, reader.email, since, QUESTIONS)
        admin = _admins_part(lookups, person) if is_admin(person, self._settings) else None
        return HomeContents(lookups.readable(reader), tuple(questions), language, days, notice, admin)

    async def _publish(self, visitor: Visitor, view: View) -> None:
        try:
            await self._put(visitor.user_id, view, visitor.hash)
        except SlackRefusedError as error:
            if error.code != CONFLICT:
                raise
            # Something was drawn since: this was made after it, from what holds now.
            await self._put(visitor.user_id, view, "")

    async def _put(self, user_id: str, view: View, seen: str) -> None:
        with slack_errors("views.publish"):
            await self._client.views_publish(user_id=user_id, view=view, hash=seen or None)


def _kind(error: Exception) -> ErrorKind:
    """What a failure means to who sees it."""
    if isinstance(error, SlackError | SettingsError):
        return ErrorKind.PERMISSION_CHECK
    return ErrorKind.INDEX if isinstance(error, SQLAlchemyError) else error_kind(error)


def _admins_part(lookups: HomeLookups, person: Person) -> AdminsPart:
    tenant_id = person.reader.tenant_id
    sources, held = lookups.all_sources(tenant_id)
    machinery, _ = lookups.machinery(tenant_id)
    gaps = tuple(lookups.gaps(tenant_id)) if lookups.gaps is not None else ()
    return AdminsPart(sources, held, machinery, gaps, lookups.reviews.sample(person.reader, REVIEWS))
