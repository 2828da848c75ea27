"""A question that was edited after it was asked: its author is offered a new answer, and gets it when they want it."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from bot.delivery import Delivery
from bot.earlier_answers import EarlierAnswers
from bot.identity import Directory
from bot.incoming import Incoming, Surface
from bot.metrics import Outcome
from bot.places import Places
from bot.rendering import sentence
from bot.rendering.edited_question import again_value, render_edited_question
from bot.tenancy import Tenancy
from bot.words import Words
from core.store.edited_questions import EditedQuestion
from core.store.events import ClaimedEvent
from core.store.place_settings import AnswersIn

TAKES_ITS_PLACE = frozenset({Outcome.ANSWERED, Outcome.ABSTAINED, Outcome.HELPED})
"""What ends a question so that an earlier answer to it is not needed any more."""


class Answers(Protocol):
    """Answers questions (`bot.answering`)."""

    async def answer(self, event: ClaimedEvent, incoming: Incoming) -> Outcome:
        """Answer, refuse or explain; which it was."""
        ...

    async def give_up(self, event: ClaimedEvent, incoming: Incoming) -> None:
        """Tell the person that it will not be answered."""
        ...


class OfferingAgain:
    """Tells the author of an edited question, and nobody else, that it can be answered again."""

    def __init__(self, tenancy: Tenancy, directory: Directory, places: Places, delivery: Delivery) -> None:
        self._tenancy = tenancy
        self._directory = directory
        self._places = places
        self._delivery = delivery

    async def handle(self, event: ClaimedEvent, incoming: Incoming) -> None:
        """Offer it, once for each edit, unless there is a newer one already.

        Raises:
            SlackError: it could not be shown.
        """
        tenant_id = self._tenancy.tenant_of(incoming.team_id, incoming.enterprise_id)
        if tenant_id is None:
            return
        edited = await self._places.edited(tenant_id, incoming.channel_id, incoming.ts)
        if edited is None or edited.edition != incoming.edition:
            return
        words = Words(await self._directory.locale(incoming.user_id))
        await self._delivery.whisper(event, incoming, [render_edited_question(again_value(incoming.ts), words)])

    async def give_up(self, event: ClaimedEvent, incoming: Incoming) -> None:
        """Nothing: nobody waits for an offer."""


class AnsweringAgain:
    """Answers an edited question as it reads now, in a run of its own, and then marks the old answer as replaced.

    Where none was given, because of a limit or a failure, the old one stays.
    """

    def __init__(
        self,
        answering: Answers,
        tenancy: Tenancy,
        directory: Directory,
        places: Places,
        delivery: Delivery,
        answers: EarlierAnswers,
    ) -> None:
        self._answering = answering
        self._tenancy = tenancy
        self._directory = directory
        self._places = places
        self._delivery = delivery
        self._answers = answers

    async def handle(self, event: ClaimedEvent, incoming: Incoming) -> None:
        """Answer, if the question was edited by the one who pressed the button: what comes with it is not believed.

        Raises:
            SlackError: nothing could be shown to the person.
        """
        tenant_id = self._tenancy.tenant_of(incoming.team_id, incoming.enterprise_id)
        words = Words(await self._directory.locale(incoming.user_id))
        if tenant_id is None:
            await self._delivery.whisper(event, incoming, [sentence(words.error_settings())])
            return
        edited = await self._places.edited(tenant_id, incoming.channel_id, incoming.ts)
        if edited is None or edited.author != incoming.user_id:
            await self._delivery.whisper(event, incoming, [sentence(words.again_unknown())])
            return
        outcome = await self._answering.answer(event, await self._as_asked(incoming, edited, tenant_id))
        if outcome in TAKES_ITS_PLACE:
            await self._replace_earlier(event, incoming, words)
        await self._places.drop_edited(tenant_id, incoming.channel_id, incoming.ts, up_to=edited.edition)

    async def _replace_earlier(self, event: ClaimedEvent, incoming: Incoming, words: Words) -> None:
        about = await self._places.about(incoming.team_id, f"{incoming.channel_id}:{incoming.ts}")
        old = [asked for asked in about if asked.event_id < event.id]
        await self._answers.replace(old, sentence(words.again_replaced()))

    async def give_up(self, event: ClaimedEvent, incoming: Incoming) -> None:
        """Tell the person that it will not be answered.

        Raises:
            SlackError: the person cannot be told either.
        """
        surface = Surface.DIRECT if incoming.channel_id.startswith("D") else Surface.MENTION
        await self._answering.give_up(event, replace(incoming, surface=surface))

    async def _as_asked(self, incoming: Incoming, edited: EditedQuestion, tenant_id: str) -> Incoming:
        """The question as it reads now, to be answered where the channel is set to be answered at this moment."""
        surface = Surface.DIRECT
        if not incoming.channel_id.startswith("D"):
            wanted = await self._places.settings(tenant_id, incoming.channel_id)
            surface = Surface.COMMAND if wanted.answers_in is AnswersIn.PRIVATE else Surface.MENTION
        return replace(incoming, surface=surface, text=edited.text, thread_ts=edited.thread)
