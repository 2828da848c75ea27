from __future__ import annotations

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from bot.rendering import draw_answer
from bot.words import Words
from core.domain.evidence import Answer
from tests.pictures.samples import (
    ABSTENTION_EN,
    ANSWER_EN,
    ANSWER_ES,
    ANSWER_PARTIAL,
    ANSWER_TABLE,
    FACTS,
    HOSTS,
    NOW,
    answer_with,
    cite,
    claim_of,
)


def drawn(answer: Answer, language: str = "es", *, terminal: bool = False) -> str:
    output = io.StringIO()
    console = Console(file=output, width=200, force_terminal=terminal, color_system="truecolor" if terminal else None)
    console.print(draw_answer(answer, Words(language), HOSTS, NOW, FACTS))
    return output.getvalue()


def test_claims_come_with_numbers_and_sources_below() -> None:
    shown = drawn(ANSWER_ES)
    assert "vacaciones por año natural. [1]" in shown
    assert "[1] Manual de vacaciones › Días por año · versión 3 · 12 mar 2026" in shown
    assert "    «Toda persona con jornada completa" in shown
    assert "https://wiki.faroazul.example/spaces/RRHH/pages/1201/Manual-de-vacaciones" in shown


def test_marks_notes_and_cautions_are_the_same_as_in_slack() -> None:
    shown = drawn(ANSWER_PARTIAL)
    for text in ("No es seguro", "Vale en parte.", "versión anterior", "El servicio de redacción no está disponible"):
        assert text in shown
    assert "Inferred from [1] and [3]" in drawn(ANSWER_EN, "en")


def test_a_table_is_drawn_as_one() -> None:
    assert "│ Portugal │ 48,00 €" in drawn(ANSWER_TABLE)


def test_an_abstention_says_what_was_searched_and_whom_to_ask() -> None:
    shown = drawn(answer_with(abstention=ABSTENTION_EN), "en")
    for text in ("I can’t find", "Is there life on Mars?", "Who may know: Marta Gil", "• Travel policy"):
        assert text in shown


def test_the_run_is_named_so_that_it_can_be_verified_later() -> None:
    assert "ejecución 01d2c7" in drawn(ANSWER_ES)


def test_a_terminal_that_can_follow_links_is_led_to_the_sentence() -> None:
    assert "#:~:text=Toda%20persona" in drawn(ANSWER_ES, terminal=True)


@pytest.mark.parametrize(
    "evil", ["\x1b[2J\x1b[H", "\x1b]0;title\x07", "\x9b31m", "\x1b]8;;https://evil.example\x1b\\x", "\r"]
)
def test_escape_sequences_of_documents_do_nothing(evil: str) -> None:
    answer = answer_with(
        claim_of(f"a{evil}b", cite(f"quote {evil} of a document", title=f"t{evil}", section=(f"s{evil}",))), notes=()
    )
    shown = drawn(answer)
    assert not set("\x1b\x9b\x07\r") & set(shown)


def test_markup_of_rich_in_documents_is_just_text() -> None:
    assert "[red]a[/red] [link=https://evil.example]b[/link]" in drawn(
        answer_with(claim_of("[red]a[/red] [link=https://evil.example]b[/link]", cite("Uno es uno.")))
    )


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=200))
def test_whatever_a_document_holds_no_control_character_reaches_the_terminal(text: str) -> None:
    shown = drawn(answer_with(claim_of(text, cite(text + "x", title=text, section=(text,)))))
    assert not any((ord(sign) < 32 and sign != "\n") or 127 <= ord(sign) < 160 for sign in shown)
