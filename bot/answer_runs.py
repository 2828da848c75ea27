"""One question's runs, from the pipeline's events to the messages that end it.

A run that fails before a claim was shown is made again, within the deadline; after one was shown the message is ended
with what stands there, or replaced whole. Nobody is shown anything made for other people than those who read there
now: that is looked at before the first title and the first claim are shown, and before the last word.
"""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, field

from bot.audience import Audiences
from bot.failures import log_failure, new_code
from bot.identity import Person
from bot.incoming import Incoming
from bot.ports import Asker, closing
from bot.rendering import Message, facts_of, render_answer, sentence
from bot.rendering.streaming import settled
from bot.reply import Reply
from bot.stopping import Stop, StoppedError
from bot.words import Words
from bot.words.catalogue import LANGUAGES
from core.domain.access import Audience, AudienceKind
from core.domain.events import ClaimVerified, Finished, Reading, Restarted, Searching
from core.domain.evidence import Answer, Claim, Passage, TokenUse
from core.domain.question import Question
from core.errors import QuestionError, SettingsError, SlackError
from core.text.language import language_of

TITLES_SHOWN = 3
AUDIENCE_TRIES = 2
"""An answer for people who are no longer those who read there is made once more, and then not shown."""
RUN_TRIES = 2
"""A run that failed before anything of it was shown is made once more."""
RETRY_SECONDS = 0.5
STOPPED = "stopped"
INTERRUPTED = "interrupted"
"""Notes of an answer that is not whole."""


class PermissionUnknownError(SlackError):
    """It cannot be found out who would see the answer."""


class _OtherReadersError(Exception):
    """The people who read there are not those that the run was made for."""

    def __init__(self, audience: Audience) -> None:
        super().__init__("other people read there now")
        self.audience = audience


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and what came of it. `whole` is the question as it was understood."""

    question: Question
    whole: str
    answer: Answer
    passages: tuple[Passage, ...]


@dataclass(slots=True)
class _Run:
    """What one run has brought so far."""

    question: Question
    whole: str
    run_id: str = ""
    passages: tuple[Passage, ...] = ()
    claims: list[Claim] = field(default_factory=list)
    """Those that are shown, or would be by a reply that shows claims."""
    is_shown: bool = False
    language: str = ""
    """That of the question, once it is needed."""
    use: TokenUse | None = None
    """What is known to be used when the last of them came."""


@dataclass(frozen=True, slots=True)
class Made:
    """The messages to end with. `asked` is None where nothing was answered; `is_whole` says whether the run ended."""

    messages: tuple[Message, ...]
    asked: Asked | None
    is_whole: bool = True


class AnswerRuns:
    """Makes answers. One object serves a whole process."""

    def __init__(
        self,
        asker: Asker,
        audiences: Audiences,
        hosts: Collection[str],
        answer_seconds: float,
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        *,
        people: bool = False,
    ) -> None:
        """`people` says that a question without an answer can be handed to somebody."""
        self._asker = asker
        self._audiences = audiences
        self._hosts = hosts
        self._answer_seconds = answer_seconds
        self._clock = clock
        self._sleep = sleep
        self._people = people

    async def audience(self, incoming: Incoming, person: Person) -> Audience:
        """Who sees the answer at this moment.

        Raises:
            PermissionUnknownError: it cannot be found out.
        """
        try:
            return await self._audiences.of(incoming, person)
        except (SlackError, SettingsError) as error:
            raise PermissionUnknownError("It cannot be found out who reads there.") from error

    def drawn(
        self, answer: Answer, words: Words, passages: tuple[Passage, ...], *, is_kept: bool = True
    ) -> tuple[Message, ...]:
        """An answer as messages; without buttons where its run is not kept, since there is nothing behind them."""
        now = dt.datetime.fromtimestamp(self._clock(), dt.UTC)
        return render_answer(answer, words, self._hosts, now, facts_of(passages), buttons=is_kept, people=self._people)

    async def make(
        self,
        incoming: Incoming,
        person: Person,
        audience: Audience,
        reply: Reply,
        stop: Stop,
        spend: Callable[[TokenUse], None],
    ) -> Made:
        """Answer for those who read there.

        Raises:
            PermissionUnknownError: it is not known who reads there, or they keep changing.
            TestigoError, TimeoutError: no run came to an end, and nothing of one was shown.
        """
        words = Words(person.locale)
        for _ in range(AUDIENCE_TRIES):
            try:
                made = await self._for(incoming, person, audience, reply, stop, words)
            except _OtherReadersError as error:
                now = error.audience
            else:
                if made.asked is None:
                    return made
                if made.asked.answer.use is not None:
                    spend(made.asked.answer.use)
                # Somebody may have joined, or the channel may have been shared, while the question was being answered.
                now = await self.audience(incoming, person)
                if _same(audience, now):
                    return made
            if now.kind is AudienceKind.REFUSED:
                return Made((sentence(words.refused_channel()),), None)
            await reply.withdraw(sentence(words.searching()))
            audience = now
        raise PermissionUnknownError("The people in the channel keep changing: ask in a direct message.")

    async def _for(
        self, incoming: Incoming, person: Person, audience: Audience, reply: Reply, stop: Stop, words: Words
    ) -> Made:
        """The answer for this audience, or what was shown of it when it was stopped or failed."""
        async with asyncio.timeout(self._answer_seconds) as deadline:
            for number in range(1, RUN_TRIES + 1):
                run = _Run(self.question(incoming, person, audience), incoming.text)
                try:
                    answer = await stop.ends(self._ask(run, incoming, person, reply, words))
                except StoppedError:
                    return await self._cut_short(run, person, STOPPED, words)
                except (_OtherReadersError, PermissionUnknownError, QuestionError):
                    raise
                except asyncio.CancelledError:
                    if run.is_shown and _is_over(deadline):
                        break
                    raise
                except Exception as error:
                    log_failure(reply.life.event_id, error, new_code())
                    if run.is_shown:
                        break
                    if number == RUN_TRIES:
                        raise
                    await self._sleep(RETRY_SECONDS)
                else:
                    asked = Asked(run.question, run.whole, answer, run.passages)
                    drawn = self.drawn(answer, Words(answer.language or person.locale), run.passages)
                    return Made(drawn, asked)
        return await self._cut_short(run, person, INTERRUPTED, words)

    async def _ask(self, run: _Run, incoming: Incoming, person: Person, reply: Reply, words: Words) -> Answer:
        async with closing(self._asker.ask(run.question)) as steps:
            async for step in steps:
                match step:
                    case Searching():
                        run.whole = step.question
                        await reply.progress(sentence(words.searching()))
                    case Reading():
                        run.passages = step.passages
                        titles = list(dict.fromkeys(passage.title for passage in step.passages))[:TITLES_SHOWN]
                        await self._require_same_readers(run, incoming, person)
                        await reply.progress(sentence(words.reading(len(step.passages), titles)))
                    case Restarted():
                        run.claims.clear()
                    case ClaimVerified():
                        run.run_id = step.run_id
                        run.claims.append(step.claim)
                        run.use = step.use
                        await self._show(run, incoming, person, reply, words)
                    case Finished():
                        return step.answer
        raise RuntimeError("the pipeline ended without an answer")

    async def _show(self, run: _Run, incoming: Incoming, person: Person, reply: Reply, words: Words) -> None:
        """Show the claims so far, if they can be shown one by one, to those whom they were verified for."""
        if not reply.takes_claims:
            return
        if not run.is_shown:
            await self._require_same_readers(run, incoming, person)
            await reply.progress(sentence(words.checking()))
        answer = await self._partial(run, person)
        blocks = settled(answer, lambda longer: self.drawn(longer, Words(longer.language), run.passages))
        run.is_shown = run.is_shown or bool(blocks)
        await reply.show(blocks)

    async def _require_same_readers(self, run: _Run, incoming: Incoming, person: Person) -> None:
        now = await self.audience(incoming, person)
        if not _same(run.question.audience, now):
            raise _OtherReadersError(now)

    async def _partial(self, run: _Run, person: Person, *notes: str) -> Answer:
        """The claims of a run that has not ended, as an answer."""
        if not run.language:
            found = await asyncio.to_thread(language_of, run.whole)
            run.language = Words(found if found in LANGUAGES else person.locale).language
        versions = [citation.index_version for claim in run.claims for citation in claim.citations]
        index_version = versions[0] if versions else 0
        claims = tuple(run.claims)
        return Answer(
            run.run_id, run.question.text, run.language, claims, None, 0.0, "", index_version, notes=notes, use=run.use
        )

    async def _cut_short(self, run: _Run, person: Person, note: str, words: Words) -> Made:
        """End with what was shown, and say that it is not all."""
        if not run.is_shown:
            return Made((sentence(words.stopped()),), None, is_whole=False)
        answer = await self._partial(run, person, note)
        drawn = self.drawn(answer, Words(answer.language), run.passages, is_kept=False)
        return Made(drawn, Asked(run.question, run.whole, answer, run.passages), is_whole=False)

    def question(self, incoming: Incoming, person: Person, audience: Audience) -> Question:
        """What is asked, by whom, for whom."""
        return Question(
            text=incoming.text,
            reader=person.reader,
            audience=audience,
            conversation=incoming.conversation,
            place=incoming.channel_id,
            asked_by=incoming.user_id,
        )


def _is_over(deadline: asyncio.Timeout) -> bool:
    when = deadline.when()
    return when is not None and asyncio.get_running_loop().time() >= when


def _same(before: Audience, now: Audience) -> bool:
    """Whether an answer made for the one may be shown to the other."""
    principals = {reader.principals for reader in before.readers}
    return before.kind is now.kind and all(reader.principals in principals for reader in now.readers)
