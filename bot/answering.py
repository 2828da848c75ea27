"""One question, from who asks to the last word they see."""

from __future__ import annotations

import asyncio
import datetime as dt
import time
from collections.abc import Callable, Collection

from bot.audience import Audiences
from bot.delivery import Delivery
from bot.failures import log_failure, new_code
from bot.identity import Directory, Person, Standing
from bot.incoming import Incoming
from bot.metrics import Metrics, Outcome
from bot.ports import Asker, closing
from bot.rendering import (
    ErrorKind,
    Message,
    error_kind,
    facts_of,
    render_answer,
    render_error,
    render_help,
    sentence,
)
from bot.reply import Reply
from bot.tenancy import Tenancy
from bot.words import Words
from core.domain.access import Audience, AudienceKind
from core.domain.events import Finished, Reading, Searching
from core.domain.evidence import Answer, Passage
from core.domain.question import Question
from core.errors import SettingsError, SlackError
from core.settings import Settings
from core.store.events import ClaimedEvent
from core.text.language import language_of

TITLES_SHOWN = 3
AUDIENCE_TRIES = 2
"""An answer for people who are no longer those who read there is made once more, and then not shown."""


class PermissionUnknownError(SlackError):
    """It cannot be found out who would see the answer."""


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
            await self._tell_privately(event, incoming, render_error(ErrorKind.PERMISSION_CHECK, code, words))
            return Outcome.FAILED
        words = Words(person.locale)
        refusal = _refusal(person, audience, words)
        if refusal is not None:
            if person.standing is not Standing.BOT:  # two bots would refuse each other for ever
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
        return await self._answer(event, incoming, person, audience, reply, words)

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
    ) -> Outcome:
        try:
            messages, outcome = await self._messages(incoming, person, audience, reply, words)
        except Exception as error:
            code = new_code()
            log_failure(event.id, error, code)
            kind = ErrorKind.PERMISSION_CHECK if isinstance(error, PermissionUnknownError) else error_kind(error)
            await reply.finish([render_error(kind, code, words)])
            return Outcome.FAILED
        await reply.finish(messages)
        return outcome

    async def _messages(
        self, incoming: Incoming, person: Person, audience: Audience, reply: Reply, words: Words
    ) -> tuple[tuple[Message, ...], Outcome]:
        for _ in range(AUDIENCE_TRIES):
            async with asyncio.timeout(self._settings.answer_seconds):
                answer, passages = await self._ask(incoming, person, audience, reply, words)
            # Somebody may have joined, or the channel may have been shared, while the question was being answered.
            now = await self._audience(incoming, person)
            if _same(audience, now):
                drawn = render_answer(
                    answer,
                    Words(answer.language or person.locale),
                    self._hosts,
                    dt.datetime.fromtimestamp(self._clock(), dt.UTC),
                    facts_of(passages),
                )
                abstained = answer.abstention is not None or not answer.claims
                return drawn, Outcome.ABSTAINED if abstained else Outcome.ANSWERED
            if now.kind is AudienceKind.REFUSED:
                return (sentence(words.refused_channel()),), Outcome.REFUSED
            audience = now
        raise PermissionUnknownError("The people in the channel keep changing: ask in a direct message.")

    async def _audience(self, incoming: Incoming, person: Person) -> Audience:
        try:
            return await self._audiences.of(incoming, person)
        except (SlackError, SettingsError) as error:
            raise PermissionUnknownError("It cannot be found out who reads there.") from error

    async def _ask(
        self, incoming: Incoming, person: Person, audience: Audience, reply: Reply, words: Words
    ) -> tuple[Answer, tuple[Passage, ...]]:
        question = Question(
            text=incoming.text,
            reader=person.reader,
            audience=audience,
            conversation=f"{incoming.team_id}:{incoming.channel_id}:{incoming.thread}" if incoming.thread else "",
            place=incoming.channel_id,
        )
        passages: tuple[Passage, ...] = ()
        async with closing(self._asker.ask(question)) as steps:
            async for step in steps:
                match step:
                    case Searching():
                        await reply.progress(sentence(words.searching()))
                    case Reading():
                        passages = step.passages
                        titles = list(dict.fromkeys(passage.title for passage in passages))[:TITLES_SHOWN]
                        await reply.progress(sentence(words.reading(len(passages), titles)))
                    case Finished():
                        return step.answer, passages
        raise RuntimeError("the pipeline ended without an answer")


async def words_for_text(text: str) -> Words:
    """The words for somebody of whom only what they wrote is known."""
    return Words(await asyncio.to_thread(language_of, text))


def _refusal(person: Person, audience: Audience, words: Words) -> Message | None:
    if audience.kind is AudienceKind.REFUSED:
        return sentence(words.refused_channel())
    return None if person.is_known else sentence(words.refused_person())


def _same(before: Audience, now: Audience) -> bool:
    """Whether an answer made for the one may be shown to the other."""
    principals = {reader.principals for reader in before.readers}
    return before.kind is now.kind and all(reader.principals in principals for reader in now.readers)
