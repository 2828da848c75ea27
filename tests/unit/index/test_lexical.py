"""Words: mistyped ones, and an index of an older layout."""

from __future__ import annotations

import json

import pytest

from core.index.lexical import LAYOUT, LexicalIndex
from core.index.tables import Tables
from tests.unit.index.conftest import Write


@pytest.fixture
def shelf(tables: Tables, lexical: LexicalIndex, write: Write) -> LexicalIndex:
    write("viajes", "El viaje de trabajo se pide con una semana.", language="es")
    write("secreto", "La fusión con Avellanera se firma el lunes.", language="es", rule_id=2)
    write("leave", "Your vacation is booked in the portal.", language="en")
    lexical.catch_up(tables)
    return lexical


def keys(lexical: LexicalIndex, text: str, *, alternatives: tuple[str, ...] = ()) -> list[str]:
    return [hit.key for hit in lexical.search(text, {1}, 10, alternatives=alternatives)]


def test_a_mistyped_word_is_read_as_the_nearest_that_the_reader_may_see(shelf: LexicalIndex) -> None:
    assert shelf.respelled(["viage", "trabajo"], "es", {1}) == {"viage": "viaje"}
    assert keys(shelf, "viage") == []
    assert keys(shelf, "viage", alternatives=("viaje",)) == ["t/viajes#s0-p1"]


def test_a_word_of_a_hidden_chunk_is_never_offered(shelf: LexicalIndex) -> None:
    assert shelf.respelled(["avelanera"], "es", {1, 2}) == {"avelanera": "avellanera"}
    assert shelf.respelled(["avelanera"], "es", {1}) == {}
    assert shelf.respelled(["avelanera"], "es", set()) == {}


def test_a_word_is_respelled_within_its_language_only(shelf: LexicalIndex) -> None:
    assert shelf.respelled(["vacatoin"], "en", {1}) == {"vacatoin": "vacation"}
    assert shelf.respelled(["vacatoin"], "es", {1}) == {}


def test_an_accent_or_another_form_is_no_slip(shelf: LexicalIndex) -> None:
    assert shelf.respelled(["VIAJES", "viajé", "vacations"], "es", {1, 2}) == {}


def test_a_hit_by_what_was_meant_stands_behind_one_by_what_was_written(
    tables: Tables, lexical: LexicalIndex, write: Write
) -> None:
    write("meant", "Ask for the parking permit.")
    write("written", "Ask for the barking permit.")
    lexical.catch_up(tables)
    assert keys(lexical, "barking", alternatives=("parking",)) == ["t/written#s0-p1", "t/meant#s0-p1"]


def test_an_index_of_an_older_layout_is_built_anew(tables: Tables, shelf: LexicalIndex) -> None:
    state = shelf.folder / "testigo.json"
    state.write_text(json.dumps({"layout": LAYOUT - 1, "seq": json.loads(state.read_text())["seq"]}))
    again = LexicalIndex(shelf.folder)
    again.catch_up(tables)
    assert json.loads(state.read_text())["layout"] == LAYOUT
    assert keys(again, "vacation") == ["t/leave#s0-p1"]


@pytest.mark.parametrize("meta", ["{", "other fields"])
def test_an_index_that_cannot_be_opened_finds_nothing_and_is_built_anew(
    tables: Tables, shelf: LexicalIndex, meta: str
) -> None:
    described = shelf.folder / "meta.json"
    described.write_text(described.read_text().replace("context_plain", "context_other") if meta != "{" else meta)
    again = LexicalIndex(shelf.folder)
    assert keys(again, "vacation") == []
    again.catch_up(tables)
    assert keys(again, "vacation") == ["t/leave#s0-p1"]
