from __future__ import annotations

import pytest

from bot.rendering import render_abstention
from bot.rendering.abstention import headline
from bot.words import Words
from core.domain.evidence import Abstention, AbstentionReason, NearDocument
from tests.pictures.samples import ABSTENTION_EN, ABSTENTION_ES, HOSTS
from tests.unit.rendering.slack_checks import check, said, urls

ES, EN = Words("es"), Words("en")


def test_an_abstention_says_what_was_searched_and_where() -> None:
    assert "He buscado: «¿Hay vida en Marte?», en Wiki de RRHH y Drive de Finanzas" in said(
        render_abstention(ABSTENTION_ES, ES, HOSTS)
    )


def test_the_nearest_documents_are_linked_where_their_host_is_declared() -> None:
    message = render_abstention(ABSTENTION_EN, EN, HOSTS)
    assert "Calendario laboral" in said(message)
    assert len(urls(message)) == 2
    assert urls(render_abstention(ABSTENTION_EN, EN, ())) == []


def test_the_owners_of_the_nearest_documents_are_whom_to_ask() -> None:
    assert "Who may know: Marta Gil and Equipo de Personas." in said(render_abstention(ABSTENTION_EN, EN, HOSTS))


def test_without_an_owner_the_contact_of_the_settings_is_whom_to_ask() -> None:
    nobody = Abstention(AbstentionReason.NOTHING_FOUND, "x", (), (NearDocument("a", "A", "", ""),))
    assert "You can ask here: #ask-people." in said(render_abstention(nobody, EN, HOSTS, "#ask-people"))
    assert EN.ask_team() in said(render_abstention(nobody, EN, HOSTS))


@pytest.mark.parametrize("reason", AbstentionReason)
@pytest.mark.parametrize("words", [ES, EN])
def test_every_reason_has_its_sentence(reason: AbstentionReason, words: Words) -> None:
    message = render_abstention(Abstention(reason, "x", (), ()), words, HOSTS)
    check(message)
    assert headline(reason, words) in said(message)


def test_many_and_long_neighbours_are_shortened() -> None:
    near = tuple(NearDocument(str(n), "Título " * 100, "", "Nombre " * 100) for n in range(50))
    message = render_abstention(Abstention(AbstentionReason.NOTHING_FOUND, "x" * 5000, ("y" * 900,), near), ES, HOSTS)
    check(message)
    assert len(said(message)) < 3_000


@pytest.mark.parametrize(
    ("reason", "spanish", "english"),
    [
        (AbstentionReason.NOTHING_CHANGED, "No ha cambiado nada.", "Nothing has changed."),
        (AbstentionReason.DATE_NEEDED, "¿Desde cuándo?", "Since when?"),
        (AbstentionReason.LOW_CONFIDENCE, ES.not_found(), EN.not_found()),
    ],
)
def test_an_abstention_begins_with_what_it_is(reason: AbstentionReason, spanish: str, english: str) -> None:
    for words, begins in ((ES, spanish), (EN, english)):
        message = render_abstention(Abstention(reason, "x", (), ()), words, HOSTS)
        assert message.text.startswith(begins)
        assert begins in said(message)
