"""The question why an answer did not help, as a modal with a few reasons and room for one's own words."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bot.rendering import blocks
from bot.rendering.blocks import View
from bot.words import Words
from core.store.feedback import LONGEST_NOTE, Complaint

FEEDBACK_CALLBACK = "feedback_reason"
REASON_INPUT, NOTE_INPUT = "feedback_complaint", "feedback_note"

_RUN = r"^[0-9a-f]{32}$"


@dataclass(frozen=True, slots=True)
class Rated:
    """Which answer was rated, by whom, and where they are to be thanked (`thread_ts` empty: in no thread)."""

    run_id: str
    channel_id: str
    thread_ts: str
    user_id: str

    def to_metadata(self) -> str:
        """As the modal carries it."""
        said = _Metadata(run=self.run_id, channel=self.channel_id, thread=self.thread_ts, user=self.user_id)
        return said.model_dump_json()

    @classmethod
    def parse(cls, metadata: str) -> Rated | None:
        """Read what a modal carries; None when it is nothing that `to_metadata` wrote."""
        try:
            said = _Metadata.model_validate_json(metadata)
        except ValidationError:
            return None
        return cls(said.run, said.channel, said.thread, said.user)


class _Metadata(BaseModel):
    model_config = ConfigDict(extra="forbid")

    run: str = Field(pattern=_RUN)
    channel: str = Field(max_length=64)
    thread: str = Field(max_length=64)
    user: str = Field(max_length=64)


def render_feedback_form(rated: Rated, note_days: int, words: Words) -> View:
    """Draw the question. `note_days` is how long a person's own words are kept."""
    choices = [
        {"text": blocks.plain_text(words.complaint(complaint.value)), "value": complaint.value}
        for complaint in Complaint
    ]
    return {
        "type": "modal",
        "callback_id": FEEDBACK_CALLBACK,
        "private_metadata": rated.to_metadata(),
        "title": blocks.plain_text(words.feedback_title()),
        "submit": blocks.plain_text(words.feedback_send()),
        "close": blocks.plain_text(words.feedback_skip()),
        "blocks": [
            blocks.note(words.feedback_kept()),
            {
                "type": "input",
                "block_id": "reason",
                "optional": True,
                "label": blocks.plain_text(words.feedback_reason()),
                "element": {"type": "radio_buttons", "action_id": REASON_INPUT, "options": choices},
            },
            {
                "type": "input",
                "block_id": "note",
                "optional": True,
                "label": blocks.plain_text(words.feedback_note()),
                "hint": blocks.plain_text(words.feedback_note_hint(note_days)),
                "element": {
                    "type": "plain_text_input",
                    "action_id": NOTE_INPUT,
                    "multiline": True,
                    "max_length": LONGEST_NOTE,
                },
            },
        ],
    }
