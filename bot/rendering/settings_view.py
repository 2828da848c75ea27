"""What is set for a place, as a modal: its sources, how sure answers must be, where they are given, their language."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bot.rendering import blocks, limits
from bot.rendering.blocks import Block, View
from bot.words import LANGUAGES, Words
from core.settings import Mode
from core.store.place_settings import AnswerLanguage, AnswersIn, PlaceSettings

SETTINGS_CALLBACK = "place_settings"
RESET_ACTION = "settings_reset"
SOURCES_INPUT, MODE_INPUT, ANSWERS_INPUT = "settings_sources", "settings_mode", "settings_answers"
FOLLOW_UPS_INPUT, LANGUAGE_INPUT = "settings_follow_ups", "settings_language"
"""Each field is also the id of its block, under which an error of it is shown."""
ON = "on"


@dataclass(frozen=True, slots=True)
class SettingsForm:
    """An open form: of which tenant's place it is, and for whom it was opened."""

    tenant_id: str
    place: str
    user_id: str

    @property
    def is_direct(self) -> bool:
        """Whether the place is a direct message, where some things cannot be set."""
        return self.place.startswith("D")

    def to_metadata(self) -> str:
        """As the modal carries it, under a seal."""
        return _Metadata(tenant=self.tenant_id, place=self.place, user=self.user_id).model_dump_json()

    @classmethod
    def parse(cls, metadata: str) -> SettingsForm | None:
        """Read what a modal carries; None when it is nothing that `to_metadata` wrote."""
        try:
            said = _Metadata.model_validate_json(metadata)
        except ValidationError:
            return None
        return cls(said.tenant, said.place, said.user)


class _Metadata(BaseModel):
    model_config = ConfigDict(extra="forbid")

    tenant: str = Field(max_length=64)
    place: str = Field(max_length=64, pattern=r"^[A-Z][A-Z0-9]+$")
    user: str = Field(max_length=64)


def render_settings(form: SettingsForm, sealed: str, now: PlaceSettings, sources: Sequence[str], words: Words) -> View:
    """Draw the form with what is set now.

    Args:
        form: the place.
        sealed: what the modal is to carry.
        now: what is set there.
        sources: the sources that can be chosen.
        words: the language.
    """
    about = words.settings_for_direct() if form.is_direct else words.settings_for_channel()
    fields = [*_sources(now, sources, words), _mode(now, words)]
    if not form.is_direct:
        fields += [_answers(now, words), _follow_ups(now, words)]
    fields.append(_language(now, words))
    if now.set_at is None:
        known = words.settings_default()
        reset = []
    else:
        known = words.settings_set(dt.datetime.fromtimestamp(now.set_at, dt.UTC))
        reset = [blocks.button(words.settings_reset(), RESET_ACTION, RESET_ACTION)]
    return {
        **_modal([blocks.note(about, known), *fields, *reset], words),
        "callback_id": SETTINGS_CALLBACK,
        "private_metadata": sealed,
        "submit": blocks.plain_text(words.settings_save()),
    }


def render_settings_sentence(said: str, words: Words) -> View:
    """Draw a modal that says one thing, with nothing to be saved."""
    return _modal([blocks.rich(blocks.section(blocks.text(said)))], words)


def _modal(drawn: Sequence[Block], words: Words) -> View:
    return {
        "type": "modal",
        "title": blocks.plain_text(words.settings_title()),
        "close": blocks.plain_text(words.settings_cancel()),
        "blocks": list(drawn),
    }


def _sources(now: PlaceSettings, sources: Sequence[str], words: Words) -> list[Block]:
    if not sources:
        return []
    options = [blocks.option(source, source) for source in sources[: limits.OPTIONS]]
    menu = blocks.choices("multi_static_select", SOURCES_INPUT, options, now.sources)
    label, hint = words.settings_sources(), words.settings_sources_hint()
    return [blocks.entry(SOURCES_INPUT, label, menu, hint=hint, optional=True)]


def _mode(now: PlaceSettings, words: Words) -> Block:
    options = [blocks.option(words.settings_mode_name(mode.value), mode.value) for mode in Mode]
    return blocks.entry(
        MODE_INPUT, words.settings_mode(), blocks.choice("radio_buttons", MODE_INPUT, options, now.mode.value)
    )


def _answers(now: PlaceSettings, words: Words) -> Block:
    options = [
        blocks.option(words.settings_in_thread(), AnswersIn.THREAD.value),
        blocks.option(words.settings_in_private(), AnswersIn.PRIVATE.value),
    ]
    buttons = blocks.choice("radio_buttons", ANSWERS_INPUT, options, now.answers_in.value)
    return blocks.entry(ANSWERS_INPUT, words.settings_answers(), buttons)


def _follow_ups(now: PlaceSettings, words: Words) -> Block:
    options = [blocks.option(words.settings_follow_ups_on(), ON)]
    boxes = blocks.choices("checkboxes", FOLLOW_UPS_INPUT, options, (ON,) if now.follow_ups else ())
    return blocks.entry(FOLLOW_UPS_INPUT, words.settings_follow_ups(), boxes, optional=True)


def _language(now: PlaceSettings, words: Words) -> Block:
    options = [
        blocks.option(words.settings_language_auto(), AnswerLanguage.AUTO.value),
        *(blocks.option(words.language_name(language), language) for language in LANGUAGES),
    ]
    menu = blocks.choice("static_select", LANGUAGE_INPUT, options, now.language.value)
    return blocks.entry(LANGUAGE_INPUT, words.settings_language(), menu)
