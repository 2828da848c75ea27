"""One question, from who asks to the last word they see."""

from __future__ import annotations

import asyncio
import datetime as dt
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from bot.audience import Audiences
from bot.auditing import Auditor
from bot.delivery import Delivery
from bot.failures import log_failure, new_code
from bot.gate import Excess, Gate
from bot.identity import Directory, Person, Standing
from bot.incoming import Incoming, Surface
from bot.metrics import Metrics, Outcome
from bot.ports import Adder, Asker, closing
from bot.rendering import (
    ErrorKind,
    Message,
    error_kind,
    facts_of,
    render_answer,
    render_error,
    render_help,
    render_private_addition,
    sentence,
    share_value,
    with_share_button,
)
from bot.reply import Reply
from bot.tenancy import Tenancy
from bot.words import Words
from core.domain.access import Audience, AudienceKind
from core.domain.auditing import AuditKind
from core.domain.events import Finished, Reading, Searching
from core.domain.evidence import Answer, Passage, TokenUse
from core.domain.question import Question
from core.errors import SettingsError, SlackError, StorageError
from core.settings import Settings
from core.store.events import ClaimedEvent
from core.text.language import language_of

TITLES_SHOWN = 3
AUDIENCE_TRIES = 2
"""An answer for people who are no longer those who read there is made once more, and then not shown."""


class PermissionUnknownError(SlackError):
    """It cannot be found out who would see the answer."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question and what came of it. `whole` is the question as it was understood."""

    question: Question
    whole: str
    answer: Answer
    passages: tuple[Passage, ...]


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
    ) -> None:
        self._settings = settings
        self._asker = asker
        self._tenancy = tenancy
        self._directory = directory
        self._audiences = audiences
        self._delivery = delivery
        self._metrics = metrics
        self._clock = clock
        self._hosts = hosts
        self._gate = gate
        self._adder = adder
        self._auditor = auditor or Auditor()

    async def handle(self, event: ClaimedEvent, incoming: Incoming) -> None:
        """Answer, refuse or explain.

        Raises:
            SlackError: nothing could be shown to the person.
        """
        began = self._clock()
        outcome = await self._handle(event, incoming)
        self._metrics.questions.labels(outcome.value).inc()
        self._metrics.seconds.observe(max(0.0, self._clock() - began))

    async def give_up(self, event: ClaimedEvent, incoming: Incoming) -> None:
        """Tell the person that no attempt came to an end.

        Raises:
            SlackError: the person cannot be told either.
        """
        code = new_code()
        log_failure(event.id, RuntimeError("too many attempts"), code)
        words = await words_for_text(incoming.text)
        reply = await self._delivery.open(event, incoming)
        await reply.finish([render_error(ErrorKind.UNEXPECTED, code, words)])
        self._metrics.questions.labels(Outcome.FAILED.value).inc()

    async def _handle(self, event: ClaimedEvent, incoming: Incoming) -> Outcome:
        tenant_id = self._tenancy.tenant_of(incoming.team_id, incoming.enterprise_id)
        if tenant_id is None:
            words = await words_for_text(incoming.text)
            await self._tell_privately(event, incoming, sentence(words.error_settings()))
            return Outcome.REFUSED
        try:
            person = await self._directory.person(incoming.user_id, tenant_id)
            audience = await self._audience(incoming, person)
        except (SlackError, SettingsError) as error:
            code = new_code()
            log_failure(event.id, error, code)
            words = await words_for_text(incoming.text)
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
        if reply.is_finished:
            return Outcome.ANSWERED
        if not incoming.text:
            await reply.finish([render_help(words)])
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
            messages, outcome, asked = await self._messages(incoming, person, audience, reply, words, spend)
        except Exception as error:
            code = new_code()
            log_failure(event.id, error, code)
            kind = ErrorKind.PERMISSION_CHECK if isinstance(error, PermissionUnknownError) else error_kind(error)
            await self._note_refusal(event, incoming, person.reader.tenant_id, f"failed_{kind.value}")
            await reply.finish([render_error(kind, code, words)])
            return Outcome.FAILED
        await reply.finish(messages)
        if asked is not None and incoming.surface is Surface.MENTION:
            await self._add_privately(event, incoming, asked, spend)
        return outcome

    async def _add_privately(
        self, event: ClaimedEvent, incoming: Incoming, asked: _Asked, spend: Callable[[TokenUse], None]
    ) -> None:
        """Show the person what only they may read. The channel has its answer by now, which does not depend on this."""
        if self._adder is None:
            return
        try:
            async with asyncio.timeout(self._settings.answer_seconds):
                found = await self._adder.find(asked.question, asked.whole, asked.answer)
            if found is None:
                return
            if found.whole_answer.use is not None:
                spend(found.whole_answer.use)
            value = share_value(found.answer.run_id, incoming.thread, found.positions)
            words = Words(found.answer.language)
            drawn = self._drawn(found.answer, words, found.passages)
            await self._delivery.whisper(event, incoming, render_private_addition(drawn, value, words))
        except Exception as error:
            log_failure(event.id, error, new_code())

    def _drawn(self, answer: Answer, words: Words, passages: tuple[Passage, ...]) -> tuple[Message, ...]:
        now = dt.datetime.fromtimestamp(self._clock(), dt.UTC)
        return render_answer(answer, words, self._hosts, now, facts_of(passages))

    async def _messages(
        self,
        incoming: Incoming,
        person: Person,
        audience: Audience,
        reply: Reply,
        words: Words,
        spend: Callable[[TokenUse], None],
    ) -> tuple[tuple[Message, ...], Outcome, _Asked | None]:
        for _ in range(AUDIENCE_TRIES):
            async with asyncio.timeout(self._settings.answer_seconds):
                asked = await self._ask(incoming, person, audience, reply, words)
            answer = asked.answer
            if answer.use is not None:
                spend(answer.use)
            # Somebody may have joined, or the channel may have been shared, while the question was being answered.
            now = await self._audience(incoming, person)
            if _same(audience, now):
                drawn = self._drawn(answer, Words(answer.language or person.locale), asked.passages)
                if answer.abstention is not None or not answer.claims:
                    return drawn, Outcome.ABSTAINED, asked
                if incoming.surface is Surface.COMMAND and not incoming.channel_id.startswith("D"):
                    drawn = with_share_button(drawn, share_value(answer.run_id, ""), words)
                return drawn, Outcome.ANSWERED, asked
            if now.kind is AudienceKind.REFUSED:
                return (sentence(words.refused_channel()),), Outcome.REFUSED, None
            audience = now
        raise PermissionUnknownError("The people in the channel keep changing: ask in a direct message.")

    async def _audience(self, incoming: Incoming, person: Person) -> Audience:
        try:
            return await self._audiences.of(incoming, person)
        except (SlackError, SettingsError) as error:
            raise PermissionUnknownError("It cannot be found out who reads there.") from error

    async def _ask(self, incoming: Incoming, person: Person, audience: Audience, reply: Reply, words: Words) -> _Asked:
        question = Question(
            text=incoming.text,
            reader=person.reader,
            audience=audience,
            conversation=f"{incoming.team_id}:{incoming.channel_id}:{incoming.thread}" if incoming.thread else "",
            place=incoming.channel_id,
            asked_by=incoming.user_id,
        )
        whole = incoming.text
        passages: tuple[Passage, ...] = ()
        async with closing(self._asker.ask(question)) as steps:
            async for step in steps:
                match step:
                    case Searching():
                        whole = step.question
                        await reply.progress(sentence(words.searching()))
                    case Reading():
                        passages = step.passages
                        titles = list(dict.fromkeys(passage.title for passage in passages))[:TITLES_SHOWN]
                        await reply.progress(sentence(words.reading(len(passages), titles)))
                    case Finished():
                        return _Asked(question, whole, step.answer, passages)
        raise RuntimeError("the pipeline ended without an answer")


async def words_for_text(text: str) -> Words:
    """The words for somebody of whom only what they wrote is known."""
    return Words(await asyncio.to_thread(language_of, text))


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


def _same(before: Audience, now: Audience) -> bool:
    """Whether an answer made for the one may be shown to the other."""
    principals = {reader.principals for reader in before.readers}
    return before.kind is now.kind and all(reader.principals in principals for reader in now.readers)
