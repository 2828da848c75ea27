from __future__ import annotations

import pytest

from bot.rendering import Message
from bot.rendering.settings_view import (
    ANSWERS_INPUT,
    FOLLOW_UPS_INPUT,
    LANGUAGE_INPUT,
    MODE_INPUT,
    RESET_ACTION,
    SOURCES_INPUT,
    SettingsForm,
    render_settings,
    render_settings_sentence,
)
from bot.sealing import Sealing
from bot.words import Words
from core.store.place_settings import PlaceSettings
from tests.pictures.home_samples import DIRECT_FORM, FORM, SET, settings_views
from tests.unit.rendering.slack_checks import check_view, elements

EN = Words("en")


@pytest.mark.parametrize("name", sorted(settings_views()))
def test_slack_takes_every_sample(name: str) -> None:
    check_view(settings_views()[name])


def test_each_field_begins_with_what_is_set() -> None:
    view = render_settings(FORM, "sealed", SET, ("rrhh", "finanzas"), EN)
    chosen = {
        e["action_id"]: e.get("initial_option", {}).get("value") or [o["value"] for o in e.get("initial_options", ())]
        for e in elements(Message("", tuple(view["blocks"])))
        if "action_id" in e
    }
    assert chosen == {
        SOURCES_INPUT: ["rrhh"],
        MODE_INPUT: "strict",
        ANSWERS_INPUT: "thread",
        FOLLOW_UPS_INPUT: ["on"],
        LANGUAGE_INPUT: "es",
        RESET_ACTION: [],
    }


def test_in_a_direct_message_only_what_can_be_set_there_is_asked() -> None:
    view = render_settings(DIRECT_FORM, "sealed", PlaceSettings(), ("rrhh",), EN)
    assert [b["block_id"] for b in view["blocks"] if "block_id" in b] == [SOURCES_INPUT, MODE_INPUT, LANGUAGE_INPUT]


def test_without_sources_the_rest_can_be_set() -> None:
    view = render_settings(FORM, "sealed", PlaceSettings(), (), EN)
    check_view(view)
    assert SOURCES_INPUT not in str(view)


def test_with_more_sources_than_a_menu_holds_slack_still_takes_it() -> None:
    check_view(render_settings(FORM, "sealed", PlaceSettings(), [f"s{n}-{'x' * 60}" for n in range(300)], EN))


def test_a_sentence_has_nothing_to_be_sent() -> None:
    view = render_settings_sentence("No.", EN)
    check_view(view)
    assert "submit" not in view


def test_what_a_form_carries_is_read_back_and_nothing_else() -> None:
    assert SettingsForm.parse(FORM.to_metadata()) == FORM
    for forged in ("", "{}", "[]", '{"tenant":"t","place":"x/../y","user":"U"}', '{"tenant":"t","place":"C1"}'):
        assert SettingsForm.parse(forged) is None


def test_a_seal_holds_for_one_text_one_purpose_and_one_secret() -> None:
    sealing = Sealing("token", "settings")
    sealed = sealing.seal("place C1")
    assert sealing.open(sealed) == "place C1"
    for forged in (sealed[:-1] + "2", "0" + sealed[1:], "place C1", "", "é" * 70):
        assert sealing.open(forged) is None
    assert Sealing("token", "other").open(sealed) is None
    assert Sealing("other", "settings").open(sealed) is None
