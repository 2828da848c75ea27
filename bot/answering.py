"""One question, from who asks to the last word they see."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from bot.answer_runs import AnswerRuns, Asked, PermissionUnknownError
from bot.audience import Audiences
from bot.auditing import Auditor
from bot.delivery import Delivery
from bot.failures import log_failure, new_code
from bot.gate import Excess, Gate
from bot.identity import Directory, Person, Standing
from bot.incoming import Incoming, Surface
from bot.metrics import Metrics, Outcome
from bot.ports import Adder, Asker
from bot.reindexing import is_admin
from bot.rendering import (
    ErrorKind,
    Message,
    error_kind,
    render_error,
    render_help,
    render_private_addition,
    sentence,
    share_value,
    with_share_button,
)
from bot.reply import Reply
from bot.showing import ADDITION as PRIVATE_ADDITION
from bot.showing import Showing
from bot.stopping import Stop, Stops
from bot.tenancy import Tenancy
from bot.wording import words_for
from bot.words import Words
from core.asking import can_be_handed_on
from core.domain.access import Audience, AudienceKind
from core.domain.auditing import AuditKind
from core.domain.evidence import Answer, Claim, ClaimKind, ClaimStatus, TokenUse
from core.domain.message_life import Stage
from core.errors import SettingsError, SlackError, StorageError
from core.settings import Settings
from core.store.events import ClaimedEvent

ADDITION = "addition"
"""What is noted of a private addition that is still due; `core.store.events` forgets it at the end."""


class Answering:
    """Answers one claimed question. Raises only what is worth another attempt later."""

    def __init__(
        self,
        settings: Settings,
        asker: Asker,
        tenancy: Tenancy,
        directory: Directory,
        audiences: Audiences,
        delivery: Delivery,
        metrics: Metrics,
        hosts: Collection[str],
        clock: Callable[[], float] = time.time,
        *,
        gate: Gate | None = None,
        adder: Adder | None = None,
        auditor: Auditor | None = None,
        stops: Stops,
        showing: Showing | None = None,
    ) -> None:
        self._settings = settings
        self._tenancy = tenancy
        self._directory = directory
        self._runs = AnswerRuns(
            asker, audiences, hosts, settings.answer_seconds, clock, people=can_be_handed_on(settings)
        )
        self._delivery = delivery
        self._metrics = metrics
        self._clock = clock
        self._stops = stops
        self._gate = gate
        self._adder = adder
        self._auditor = auditor or Auditor()
        self._showing = showing or Showing()

    async def handle(self, event: ClaimedEvent, incoming: Incoming) -> None:
        """See `answer`."""
        await self.answer(event, incoming)

    async def answer(self, event: ClaimedEvent, incoming: Incoming) -> Outcome:
        """Answer, refuse or explain; which it was.

        Raises:
            SlackError: nothing could be shown to the person.
        """
        began = self._clock()
        outcome = await self._handle(event, incoming)
        self._metrics.questions.labels(outcome.value).inc()
        self._metrics.seconds.observe(max(0.0, self._clock() - began))
        return outcome

    async def give_up(self, event: ClaimedEvent, incoming: Incoming) -> None:
        """Tell the person that no attempt came to an end.

        Raises:
            SlackError: the person cannot be told either.
        """
        code = new_code()
        log_failure(event.id, RuntimeError("too many attempts"), code)
        words = await words_for(incoming, self._directory, self._tenancy)
        reply = await self._delivery.open(event, incoming)
        await reply.finish([render_error(ErrorKind.UNEXPECTED, code, words)], Stage.FAILED)
        self._metrics.questions.labels(Outcome.FAILED.value).inc()

    async def _handle(self, event: ClaimedEvent, incoming: Incoming) -> Outcome:
        tenant_id = self._tenancy.tenant_of(incoming.team_id, incoming.enterprise_id)
        if tenant_id is None:
            words = await words_for(incoming, self._directory, self._tenancy)
            await self._tell_privately(event, incoming, sentence(words.error_settings()))
            return Outcome.REFUSED
        try:
            person = await self._directory.person(incoming.user_id, tenant_id)
            audience = await self._runs.audience(incoming, person)
        except (SlackError, SettingsError) as error:
            code = new_code()
            log_failure(event.id, error, code)
            words = await words_for(incoming, self._directory, self._tenancy)
            await self._note_refusal(event, incoming, tenant_id, ErrorKind.PERMISSION_CHECK.value)
            await self._tell_privately(event, incoming, render_error(ErrorKind.PERMISSION_CHECK, code, words))
            return Outcome.FAILED
        words = Words(person.locale)
        refusal = _refusal(person, audience, words)
        if refusal is not None:
            if person.standing is not Standing.BOT:  # two bots would refuse each other for ever
                why = audience.kind.value if audience.kind is AudienceKind.REFUSED else person.standing.value
                await self._note_refusal(event, incoming, tenant_id, why)
                await self._tell_privately(event, incoming, refusal)
            return Outcome.REFUSED
        reply = await self._delivery.open(event, incoming)
        due = reply.life.noted(ADDITION)
        if reply.is_finished and not due:
            return Outcome.ANSWERED
        if not incoming.text:
            await reply.finish([render_help(words, admin=is_admin(person, self._settings))])
            return Outcome.HELPED
        if len(incoming.text) > self._settings.max_question:
            await reply.finish([sentence(words.error_question_too_long(self._settings.max_question))])
            return Outcome.REFUSED
        if self._gate is None:
            return await self._answer(event, incoming, person, audience, reply, words)
        try:
            excess = await self._gate.enter(event.id, tenant_id, incoming.user_id, again=event.attempts > 1)
        except StorageError as error:
            code = new_code()
            log_failure(event.id, error, code)
            await self._tell_privately(event, incoming, render_error(ErrorKind.INDEX, code, words))
            return Outcome.FAILED
        if excess is not None:
            await self._note_refusal(event, incoming, tenant_id, excess.value)
            await self._tell_privately(event, incoming, sentence(_excess_sentence(excess, words)))
            return Outcome.REFUSED
        spent: list[TokenUse] = []
        try:
            if reply.is_finished:
                asked = self._asked_before(incoming, person, audience, due)
                await self._add_privately(event, incoming, asked, reply, spent.append)
                return Outcome.ANSWERED
            return await self._answer(event, incoming, person, audience, reply, words, spent.append)
        finally:
            await self._leave(event, tenant_id, spent)

    async def _leave(self, event: ClaimedEvent, tenant_id: str, spent: Sequence[TokenUse]) -> None:
        assert self._gate is not None
        total = None
        for use in spent:
            total = use.plus(total)
        try:
            await self._gate.leave(event.id, tenant_id, total)
        except StorageError as error:
            log_failure(event.id, error, new_code())

    async def _note_refusal(self, event: ClaimedEvent, incoming: Incoming, tenant_id: str, why: str) -> None:
        try:
            await self._auditor.note(AuditKind.REFUSED, tenant_id, incoming, why=why)
        except StorageError as error:  # they are refused all the same
            log_failure(event.id, error, new_code())

    async def _tell_privately(self, event: ClaimedEvent, incoming: Incoming, message: Message) -> None:
        reply = await self._delivery.private(event, incoming)
        await reply.finish([message])

    async def _answer(
        self,
        event: ClaimedEvent,
        incoming: Incoming,
        person: Person,
        audience: Audience,
        reply: Reply,
        words: Words,
        spend: Callable[[TokenUse], None] = lambda _: None,
    ) -> Outcome:
        try:
            async with self._stops.watching(event.id) as stop:
                messages, outcome, asked = await self._made(
                    event, incoming, person, audience, reply, words, spend, stop
                )
        except Exception as error:
            code = new_code()
            log_failure(event.id, error, code)
            kind = ErrorKind.PERMISSION_CHECK if isinstance(error, PermissionUnknownError) else error_kind(error)
            await self._note_refusal(event, incoming, person.reader.tenant_id, f"failed_{kind.value}")
            await reply.finish([render_error(kind, code, words)], Stage.FAILED)
            return Outcome.FAILED
        if asked is not None:
            await self._showing.note(event, incoming, asked.answer.run_id, asked.question.audience.kind)
        if asked is None or incoming.surface is not Surface.MENTION or self._adder is None:
            await reply.finish(messages)
            return outcome
        reply.life.keep(**{ADDITION: _due(asked)})  # written down together with the last word
        await reply.finish(messages)
        await self._add_privately(event, incoming, asked, reply, spend)
        return outcome

    async def _made(
        self,
        event: ClaimedEvent,
        incoming: Incoming,
        person: Person,
        audience: Audience,
        reply: Reply,
        words: Words,
        spend: Callable[[TokenUse], None],
        stop: Stop,
    ) -> tuple[tuple[Message, ...], Outcome, Asked | None]:
        """The messages to end with, and what was asked where more may be worth adding."""
        made = await self._runs.make(incoming, person, audience, reply, stop, spend)
        if not made.is_whole:
            if (shown := made.asked) is not None:  # it stands there all the same, should a source of it change
                await self._showing.note(event, incoming, shown.answer.run_id, shown.question.audience.kind)
            return made.messages, Outcome.STOPPED, None
        if made.asked is None:
            return made.messages, Outcome.REFUSED, None
        answer = made.asked.answer
        if answer.abstention is not None or not answer.claims:
            return made.messages, Outcome.ABSTAINED, made.asked
        drawn = made.messages
        if incoming.surface is Surface.COMMAND and not incoming.channel_id.startswith("D"):
            drawn = with_share_button(drawn, share_value(answer.run_id, ""), words)
        return drawn, Outcome.ANSWERED, made.asked

    async def _add_privately(
        self,
        event: ClaimedEvent,
        incoming: Incoming,
        asked: Asked,
        reply: Reply,
        spend: Callable[[TokenUse], None],
    ) -> None:
        """Show the person what only they may read. The channel has its answer by now, which does not depend on this.

        It cannot be found again once it is shown: a process killed between that and its note shows it twice.

        Raises:
            SlackError: it could not be shown; the next attempt does only that.
        """
        if self._adder is None:
            return
        try:
            async with asyncio.timeout(self._settings.answer_seconds):
                found = await self._adder.find(asked.question, asked.whole, asked.answer)
            if found is not None:
                if found.whole_answer.use is not None:
                    spend(found.whole_answer.use)
                value = share_value(found.answer.run_id, incoming.thread, found.positions)
                words = Words(found.answer.language)
                drawn = self._runs.drawn(found.answer, words, found.passages)
                run_id = found.answer.run_id
                await self._showing.note(event, incoming, run_id, AudienceKind.PERSON, PRIVATE_ADDITION)
                await self._delivery.whisper(event, incoming, render_private_addition(drawn, value, words))
        except SlackError:
            raise
        except Exception as error:
            log_failure(event.id, error, new_code())
        await reply.life.try_note(**{ADDITION: None})

    def _asked_before(self, incoming: Incoming, person: Person, audience: Audience, due: Mapping[str, Any]) -> Asked:
        """What an earlier attempt has answered in the channel, as far as a private addition needs to know it."""
        claims = tuple(Claim(str(text), ClaimKind.QUOTE, ClaimStatus.SUPPORTED, ()) for text in due["said"])
        question = self._runs.question(incoming, person, audience)
        answer = Answer("", incoming.text, str(due["language"]), claims, None, 0.0, "", 0)
        return Asked(question, str(due["whole"]), answer, ())


def _due(asked: Asked) -> dict[str, Any]:
    """What must be known to look for a private addition, should this process not come to it."""
    said = [claim.text for claim in asked.answer.claims]
    return {"whole": asked.whole, "language": asked.answer.language, "said": said}


def _refusal(person: Person, audience: Audience, words: Words) -> Message | None:
    if audience.kind is AudienceKind.REFUSED:
        return sentence(words.refused_channel())
    return None if person.is_known else sentence(words.refused_person())


def _excess_sentence(excess: Excess, words: Words) -> str:
    match excess:
        case Excess.USER_RATE:
            return words.limit_user()
        case Excess.WORKSPACE_RATE:
            return words.limit_workspace()
        case Excess.AT_ONCE:
            return words.limit_at_once()
        case Excess.TOKENS:
            return words.limit_tokens()
