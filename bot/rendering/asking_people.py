"""Handing a question to people: the form that shows where it goes, what is posted there, and what comes back."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bot.rendering import blocks
from bot.rendering.blocks import Block, Element, View
from bot.rendering.escape import one_line
from bot.rendering.lists import paragraph
from bot.rendering.message import Message, message
from bot.rendering.split import cut, pieces
from bot.words import Words

ASK_PERSON_CALLBACK = "ask_person_form"
QUESTION_INPUT = "ask_person_question"
SUGGEST_ACTION = "suggest_answer"
LONGEST = 1_500
"""Characters of a question that is handed on."""

_LOADING_CALLBACK = "ask_person_loading"


class Reach(StrEnum):
    """Who will read the question."""

    PUBLIC = "public"
    CLOSED = "closed"
    DIRECT = "direct"


@dataclass(frozen=True, slots=True)
class Destination:
    """Where a question goes: the id of a channel, or of a person for a direct message; and who reads there."""

    id: str
    reach: Reach


class Handover(BaseModel):
    """What the form carries: which question, asked where, by whom, and where they were shown that it goes.

    `question` is theirs, once they sent it. Nothing of this is believed without being looked up again.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    run: str = Field(pattern=r"^[0-9a-f]{32}$")
    user: str = Field(max_length=64)
    place: str = Field(max_length=64)
    thread: str = Field(max_length=64)
    to: str = Field(max_length=64)
    reach: Reach
    question: str = Field(default="", max_length=2 * LONGEST)

    @classmethod
    def parse(cls, written: str) -> Handover | None:
        """Read it; None when it is nothing that we wrote."""
        try:
            return cls.model_validate_json(written)
        except ValidationError:
            return None

    @property
    def destination(self) -> Destination:
        """Where they were shown that it goes."""
        return Destination(self.to, self.reach)


def render_looking(words: Words) -> View:
    """What is shown until it is known whom to ask."""
    return _modal([blocks.rich(blocks.section(blocks.text(words.ask_person_looking(), italic=True)))], words)


def render_ask_sentence(said: str, words: Words) -> View:
    """A sentence instead of the form."""
    return _modal([blocks.rich(blocks.section(blocks.text(said)))], words)


def render_ask_form(handover: Handover, question: str, words: Words, *, linked: bool) -> View:
    """The form: where the question goes, who reads it there, and the question, which can be changed.

    `linked` says that the post links back to the thread.
    """
    where: Element = {"type": "channel", "channel_id": handover.to}
    if handover.reach is Reach.DIRECT:
        where = {"type": "user", "user_id": handover.to}
    goes = {
        "type": "rich_text_section",
        "elements": [
            blocks.text(f"{words.ask_person_goes_to()} ", bold=True),
            where,
            blocks.text(f". {_who(handover, words)}"),
        ],
    }
    field: Element = {
        "type": "plain_text_input",
        "action_id": QUESTION_INPUT,
        "multiline": True,
        "max_length": LONGEST,
    }
    if shown := cut(question.strip(), LONGEST):
        field["initial_value"] = shown
    drawn: list[Block] = [
        blocks.rich(goes),
        {
            "type": "input",
            "block_id": "question",
            "label": blocks.plain_text(words.ask_person_question()),
            "element": field,
        },
        blocks.note(words.ask_person_posted(), words.ask_person_linked() if linked else ""),
    ]
    return {
        **_modal(drawn, words),
        "callback_id": ASK_PERSON_CALLBACK,
        "submit": blocks.plain_text(words.ask_person_send()),
        "private_metadata": handover.model_dump_json(),
    }


def render_asked(user_id: str, question: str, link: str, words: Words) -> Message:
    """The question as people read it. `link` leads to where it was asked; empty: nowhere."""
    opening = {
        "type": "rich_text_section",
        "elements": [{"type": "user", "user_id": user_id}, blocks.text(f" {words.ask_person_asks()}")],
    }
    drawn = [blocks.rich(opening), *(blocks.rich(blocks.quote(blocks.text(piece))) for piece in pieces(question))]
    if link:
        drawn.append(blocks.rich(blocks.section(blocks.link(link, words.ask_person_link_back()))))
    return message(f"{words.ask_person_asks()} {question}", [*drawn, blocks.note(words.ask_person_how())])


def render_offer(value: str, words: Words) -> Message:
    """To who replied: whether the reply is the answer."""
    said = words.suggest_offer()
    drawn = [
        blocks.rich(blocks.section(blocks.text(said))),
        blocks.button(words.suggest_button(), SUGGEST_ACTION, value),
    ]
    return message(said, drawn)


def render_suggested(user_id: str, question: str, answer: str, link: str, words: Words) -> Message:
    """To who asked: what a person answered. `link` leads to the reply; empty: nowhere."""
    opening = {
        "type": "rich_text_section",
        "elements": [{"type": "user", "user_id": user_id}, blocks.text(f" {words.suggest_answered()}")],
    }
    parts = [opening, blocks.section(blocks.text(words.quoted(cut(one_line(question), 300)), italic=True))]
    drawn = [blocks.rich(*parts), *paragraph(answer)]
    if link:
        drawn.append(blocks.rich(blocks.section(blocks.link(link, words.suggest_link()))))
    drawn.append(blocks.note(words.suggest_unverified()))
    return message(f"{words.suggest_answered()}\n{answer}", drawn)


def _who(handover: Handover, words: Words) -> str:
    match handover.reach:
        case Reach.PUBLIC:
            return words.ask_person_public()
        case Reach.CLOSED:
            return words.ask_person_closed()
        case Reach.DIRECT:
            return words.ask_person_direct()


def _modal(drawn: list[Block], words: Words) -> View:
    return {
        "type": "modal",
        "callback_id": _LOADING_CALLBACK,
        "title": blocks.plain_text(words.ask_person_title()),
        "close": blocks.plain_text(words.ask_person_cancel()),
        "blocks": drawn,
    }
