from __future__ import annotations

from bot.rendering import render_help
from bot.words import Words
from tests.unit.rendering.slack_checks import check, said

ES = Words("es")


def test_the_help_says_how_to_ask_in_each_place() -> None:
    message = render_help(ES)
    check(message)
    for line in (ES.help_mention(), ES.help_direct(), ES.help_command("/rag")):
        assert line in said(message)


def test_only_an_administrator_reads_of_reindexing() -> None:
    assert "/rag-reindex" not in said(render_help(ES))
    assert "/rag-reindex" in said(render_help(ES, admin=True))


def test_examples_are_shown_when_there_are_some() -> None:
    assert ES.help_examples() not in said(render_help(ES, ("", " ")))
    assert "«¿Qué hotel puedo reservar?»" in said(render_help(ES, ("¿Qué hotel puedo reservar?",)))
