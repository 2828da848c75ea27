"""Who got no answer hands the question to a person: after a form that shows where it goes, and nowhere else.

    button ─► form (looked up) ─► sent ─► looked up again ─► posted once, or not at all

Nothing that comes with a button or a form is believed: whose question it is, and where it goes, is looked up again.
"""

from __future__ import annotations

import asyncio
import logging

from slack_sdk.web.async_client import AsyncWebClient
from sqlalchemy.exc import SQLAlchemyError

from bot.auditing import Auditor
from bot.delivery import Delivery
from bot.destinations import Destinations
from bot.failures import NO_EVENT, log_failure, new_code
from bot.gate import Gate
from bot.identity import Directory, Person
from bot.incoming import Incoming, SubmittedView, Surface
from bot.ledger import Ledger
from bot.message_life import MessageLife
from bot.modals import LOOK_UP_SECONDS, open_modal, put_view
from bot.permalinks import permalink
from bot.pressing import Press, who_pressed
from bot.rendering import ErrorKind, error_kind, render_error, sentence
from bot.rendering.answer_buttons import parse_run
from bot.rendering.asking_people import (
    QUESTION_INPUT,
    Handover,
    render_ask_form,
    render_ask_sentence,
    render_asked,
    render_looking,
)
from bot.rendering.blocks import View
from bot.rendering.errors import error_sentence
from bot.reply import UNCERTAIN
from bot.slack_client import SlackRefusedError, post_message
from bot.tenancy import Tenancy
from bot.words import Words
from core.domain.access import Reader
from core.domain.auditing import AuditKind
from core.errors import SettingsError, SlackError, TestigoError
from core.store.events import ClaimedEvent
from core.store.gaps import GapStore, HandedOn, HandedOnStore
from core.store.runs import RunStore
from core.text.language import language_of

logger = logging.getLogger("testigo.asking")

POSTING = "posting"
"""What is noted before a question is posted: whoever takes the work up later must not post it again."""


class AskingPeople:
    """Opens the form, and carries out what was sent with it."""

    def __init__(
        self,
        client: AsyncWebClient,
        runs: RunStore,
        questions: GapStore,
        handed: HandedOnStore,
        destinations: Destinations,
        tenancy: Tenancy,
        directory: Directory,
        delivery: Delivery,
        ledger: Ledger,
        auditor: Auditor,
        gate: Gate | None = None,
    ) -> None:
        self._client = client
        self._runs = runs
        self._questions = questions
        self._handed = handed
        self._destinations = destinations
        self._tenancy = tenancy
        self._directory = directory
        self._delivery = delivery
        self._ledger = ledger
        self._auditor = auditor
        self._gate = gate

    # The form

    async def open(self, press: Press) -> None:
        """Open the form for a pressed button. Never fails: whoever pressed is told."""
        words = Words(await self._directory.locale(press.user_id))
        view_id = await open_modal(
            self._client,
            render_looking(words),
            sentence(words.evidence_not_opened()),
            trigger_id=press.payload.trigger_id,
            user_id=press.user_id,
            channel_id=press.channel_id,
            thread_ts=press.thread_ts,
        )
        if view_id is None:
            return
        try:
            async with asyncio.timeout(LOOK_UP_SECONDS):
                view = await self._form(press, words)
        except Exception as error:
            code = new_code()
            log_failure(NO_EVENT, error, code)
            said = f"{error_sentence(error_kind(error), words)} {words.error_code(code)}"
            view = render_ask_sentence(said, words)
        await put_view(self._client, view_id, view)

    async def _form(self, press: Press, words: Words) -> View:
        person = await who_pressed(press, self._tenancy, self._directory)
        run_id = parse_run(press.value)
        if not await self._may_hand_on(person, run_id, press.place):
            tenant_id = person.reader.tenant_id
            incoming = press.incoming(Surface.ASK_PERSON)
            await self._auditor.note(AuditKind.DENIED, tenant_id, incoming, action="ask_person", run=run_id)
            return render_ask_sentence(words.ask_person_not_yours(), words)
        tenant_id = person.reader.tenant_id
        if await asyncio.to_thread(self._handed.of_run, tenant_id, run_id) is not None:
            return render_ask_sentence(words.ask_person_already(), words)
        question = await asyncio.to_thread(self._questions.question_of, tenant_id, run_id)
        destination = await self._destinations.of(person, question)
        if destination is None:
            return render_ask_sentence(words.ask_person_nobody(), words)
        handover = Handover(
            run=run_id, user=press.user_id, place=press.channel_id, thread=press.thread_ts,
            to=destination.id, reach=destination.reach,
        )  # fmt: skip
        return render_ask_form(
            handover, question, words, linked=await self._destinations.is_public(press.channel_id, tenant_id)
        )

    # What was sent

    def incoming(self, submitted: SubmittedView, team_id: str, enterprise_id: str) -> Incoming | None:
        """A sent form as it is claimed; None when it is not the sender's own."""
        handover = Handover.parse(submitted.view.private_metadata)
        if handover is None or handover.user != submitted.user.id:
            logger.warning("a form came that is not of the person who sent it")
            return None
        question = submitted.view.input(QUESTION_INPUT).value.strip()
        said = handover.model_copy(update={"question": question}).model_dump_json()
        return Incoming(
            Surface.ASK_PERSON, team_id, submitted.user.id, handover.place, said, enterprise_id,
            thread_ts=handover.thread,
        )  # fmt: skip

    async def handle(self, event: ClaimedEvent, incoming: Incoming) -> None:
        """Post the question, if it still goes where the person was shown, and tell them.

        Raises:
            SlackError: the person could not be told.
        """
        tenant_id = self._tenancy.tenant_of(incoming.team_id, incoming.enterprise_id)
        if tenant_id is None:
            await self._tell(event, incoming, Words(None).error_settings())
            return
        words = Words(await self._directory.locale(incoming.user_id))
        try:
            said = await self._let_in(event, incoming, tenant_id, words)
        except (TestigoError, SQLAlchemyError) as error:
            code = new_code()
            log_failure(event.id, error, code)
            kind = ErrorKind.PERMISSION_CHECK if isinstance(error, SlackError | SettingsError) else ErrorKind.INDEX
            await self._delivery.whisper(event, incoming, [render_error(kind, code, words)])
            return
        await self._tell(event, incoming, said)

    async def give_up(self, event: ClaimedEvent, incoming: Incoming) -> None:
        """Tell the person that it is not known whether it was posted.

        Raises:
            SlackError: the person cannot be told either.
        """
        await self._tell(event, incoming, Words(None).ask_person_uncertain())

    async def _let_in(self, event: ClaimedEvent, incoming: Incoming, tenant_id: str, words: Words) -> str:
        if self._gate is None:
            return await self._hand_on(event, incoming, tenant_id, words)
        excess = await self._gate.enter(event.id, tenant_id, incoming.user_id, again=event.attempts > 1)
        if excess is not None:
            return words.limit_user()
        try:
            return await self._hand_on(event, incoming, tenant_id, words)
        finally:
            await self._gate.leave(event.id, tenant_id)

    async def _hand_on(self, event: ClaimedEvent, incoming: Incoming, tenant_id: str, words: Words) -> str:
        """Do it; what to tell the person."""
        handover = Handover.parse(incoming.text)
        person = await self._directory.person(incoming.user_id, tenant_id)
        place = "" if incoming.channel_id.startswith("D") else incoming.channel_id
        if handover is None or not await self._may_hand_on(person, handover.run, place):
            await self._auditor.note(AuditKind.DENIED, tenant_id, incoming, action="ask_person")
            return words.ask_person_not_yours()
        if not handover.question:
            return words.ask_person_empty()
        life = MessageLife(self._ledger, event)
        if life.noted(POSTING):
            return await self._after_a_crash(tenant_id, handover, words)
        question = await asyncio.to_thread(self._questions.question_of, tenant_id, handover.run)
        if await self._destinations.of(person, question) != handover.destination:
            return words.ask_person_changed()
        facts = {"action": "ask_person", "run": handover.run, "to": handover.to, "reach": handover.reach.value}
        await self._auditor.note(AuditKind.HANDED_ON, tenant_id, incoming, **facts)
        handed = HandedOn(
            0, handover.run, incoming.team_id, incoming.user_id, person.reader.email, incoming.channel_id,
            incoming.thread_ts, handover.question, "", "",
        )  # fmt: skip
        if not await asyncio.to_thread(self._handed.begin, tenant_id, handed):
            return words.ask_person_already()
        life.keep(**{POSTING: True})
        await life.note()
        return await self._post(tenant_id, handover, incoming, words)

    async def _after_a_crash(self, tenant_id: str, handover: Handover, words: Words) -> str:
        """A process was killed while it was posting."""
        handed = await asyncio.to_thread(self._handed.of_run, tenant_id, handover.run)
        return words.ask_person_done() if handed is not None and handed.ts else words.ask_person_uncertain()

    async def _post(self, tenant_id: str, handover: Handover, incoming: Incoming, words: Words) -> str:
        link = ""
        if await self._destinations.is_public(incoming.channel_id, tenant_id) and incoming.thread_ts:
            link = await permalink(self._client, incoming.channel_id, incoming.thread_ts)
        language = Words(await asyncio.to_thread(language_of, handover.question))
        asked = render_asked(incoming.user_id, handover.question, link, language)
        try:
            answer = await post_message(self._client, handover.to, asked)
        except SlackRefusedError as error:
            logger.warning("a question could not be handed on (%s)", error.code)
            if error.code in UNCERTAIN:
                return words.ask_person_uncertain()
            await asyncio.to_thread(self._handed.take_back, tenant_id, handover.run)
            return words.ask_person_failed()
        except SlackError:
            return words.ask_person_uncertain()
        channel, ts = str(answer.get("channel") or handover.to), str(answer["ts"])
        await asyncio.to_thread(self._handed.posted, tenant_id, handover.run, channel, ts)
        return words.ask_person_done()

    # Who

    async def _may_hand_on(self, person: Person, run_id: str, place: str) -> bool:
        """Whether a question is this person's own, asked here."""
        reader: Reader = person.reader
        if not person.is_known or not reader.email or not run_id:
            return False
        origin = await asyncio.to_thread(self._runs.origin, reader.tenant_id, run_id)
        return origin is not None and origin.reader == reader.email and place in {"", origin.place}

    async def _tell(self, event: ClaimedEvent, incoming: Incoming, said: str) -> None:
        await self._delivery.whisper(event, incoming, [sentence(said)])
