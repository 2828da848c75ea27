"""Somebody says whether an answer helped, and perhaps why it did not."""

from __future__ import annotations

import asyncio
import logging

from slack_sdk.web.async_client import AsyncWebClient
from sqlalchemy.exc import SQLAlchemyError

from bot.asides import tell
from bot.failures import NO_EVENT, log_failure, new_code
from bot.identity import Directory, Person
from bot.incoming import SubmittedView
from bot.ports import Desk
from bot.pressing import Press, who_pressed
from bot.rendering import ErrorKind, Message, error_kind, render_error, sentence
from bot.rendering.answer_buttons import parse_verdict
from bot.rendering.feedback_view import NOTE_INPUT, REASON_INPUT, Rated, render_feedback_form
from bot.slack_client import slack_errors
from bot.tenancy import Tenancy
from bot.words import Words
from core.errors import SlackError, TestigoError
from core.store.feedback import Complaint, FeedbackStore, Verdict

logger = logging.getLogger("testigo.rating")


class Rating:
    """Keeps verdicts of those who may see the answer. Raises nothing: whoever pressed is told."""

    def __init__(
        self,
        client: AsyncWebClient,
        desk: Desk,
        store: FeedbackStore,
        tenancy: Tenancy,
        directory: Directory,
        note_days: int,
    ) -> None:
        """`note_days` is how long a person's own words are kept."""
        self._client = client
        self._desk = desk
        self._store = store
        self._tenancy = tenancy
        self._directory = directory
        self._note_days = note_days

    async def take(self, press: Press) -> None:
        """Keep the verdict of a pressed thumb; ask why where it is a bad one."""
        meant = parse_verdict(press.value)
        rated = Rated(meant[1] if meant else "", press.channel_id, press.thread_ts, press.user_id)
        try:
            person = await who_pressed(press, self._tenancy, self._directory)
            words = Words(person.locale)
            kept = meant is not None and await self._keep(person, meant[0], rated, press.place)
        except (TestigoError, SQLAlchemyError) as error:
            await self._tell_failure(error, rated)
            return
        if not kept or meant is None:
            await self._tell(rated, words.feedback_unavailable())
        elif meant[0] is Verdict.GOOD or not await self._asks_why(press, rated, words):
            await self._tell(rated, words.feedback_thanks())

    async def explain(self, submitted: SubmittedView, team_id: str, enterprise_id: str) -> None:
        """Keep why somebody's verdict was bad."""
        rated = Rated.parse(submitted.view.private_metadata)
        if rated is None or rated.user_id != submitted.user.id:
            logger.warning("a reason came in a modal that is not of the person who sent it")
            return
        chosen = submitted.view.input(REASON_INPUT).selected_option.value
        complaint = Complaint(chosen) if chosen in set(Complaint) else None
        note = submitted.view.input(NOTE_INPUT).value
        try:
            tenant_id = self._tenancy.tenant_of(team_id, enterprise_id) or ""
            words = Words(await self._directory.locale(rated.user_id))
            kept = await asyncio.to_thread(self._store.explain, tenant_id, rated.run_id, rated.user_id, complaint, note)
        except SQLAlchemyError as error:
            await self._tell_failure(error, rated)
            return
        await self._tell(rated, words.feedback_thanks() if kept else words.feedback_unavailable())

    async def _keep(self, person: Person, verdict: Verdict, rated: Rated, place: str) -> bool:
        if not person.is_known:
            return False
        reader = person.reader
        if not await asyncio.to_thread(self._desk.may_open, rated.run_id, place, reader):
            return False
        return await asyncio.to_thread(
            self._store.keep, reader.tenant_id, rated.run_id, rated.user_id, verdict, reader.email
        )

    async def _asks_why(self, press: Press, rated: Rated, words: Words) -> bool:
        """Open the question why; False when Slack does not: the verdict is kept all the same."""
        view = render_feedback_form(rated, self._note_days, words)
        try:
            with slack_errors("views.open"):
                await self._client.views_open(trigger_id=press.payload.trigger_id, view=view)
        except SlackError as error:
            log_failure(NO_EVENT, error, new_code())
            return False
        return True

    async def _tell_failure(self, error: TestigoError | SQLAlchemyError, rated: Rated) -> None:
        code = new_code()
        log_failure(NO_EVENT, error, code)
        words = Words(await self._directory.locale(rated.user_id))
        kind = ErrorKind.INDEX if isinstance(error, SQLAlchemyError) else error_kind(error)
        await self._say(rated, render_error(kind, code, words))

    async def _tell(self, rated: Rated, said: str) -> None:
        await self._say(rated, sentence(said))

    async def _say(self, rated: Rated, message: Message) -> None:
        await tell(self._client, message, user_id=rated.user_id, channel_id=rated.channel_id, thread_ts=rated.thread_ts)
