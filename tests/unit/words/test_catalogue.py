from __future__ import annotations

import ast
import string
from pathlib import Path

import pytest
from babel.messages.catalog import Message

from bot.words import LANGUAGES, language_of, words
from bot.words.catalogue import catalogue

CALLS = {
    node.args[0].value: ({keyword.arg for keyword in node.keywords if keyword.arg}, node.func.attr == "_count")
    for node in ast.walk(ast.parse(Path(words.__file__).read_text()))
    if isinstance(node, ast.Call)
    and isinstance(node.func, ast.Attribute)
    and node.func.attr in {"_say", "_count"}
    and isinstance(node.args[0], ast.Constant)
}
"""Each key that `Words` uses, with the names of its values and whether it counts something."""


def entries(language: str) -> dict[str, Message]:
    return {(m.id if isinstance(m.id, str) else m.id[0]): m for m in catalogue(language) if m.id}


def forms(message: Message) -> tuple[str, ...]:
    return (message.string,) if isinstance(message.string, str) else tuple(message.string or ())


def variables(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_catalogue_has_every_key_that_is_used_and_no_other(language: str) -> None:
    assert set(entries(language)) == set(CALLS)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_is_written(language: str) -> None:
    for key, message in entries(language).items():
        assert all(form.strip() for form in forms(message)), key
        assert not message.fuzzy, key


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_takes_the_values_that_it_is_given(language: str) -> None:
    for key, message in entries(language).items():
        given, counts = CALLS[key]
        if key == "reindex.progress":
            given = given | {"done", "total"}
        *_, most = forms(message)
        assert variables(most) - {"n"} == given, key
        assert all(variables(form) <= given | ({"n"} if counts else set()) for form in forms(message)), key


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_counted_has_a_singular_and_a_plural(language: str) -> None:
    for key, message in entries(language).items():
        assert len(forms(message)) == (2 if CALLS[key][1] else 1), key


def test_both_languages_use_the_same_values() -> None:
    english, spanish = entries("en"), entries("es")
    for key, message in english.items():
        assert [variables(form) for form in forms(message)] == [variables(form) for form in forms(spanish[key])], key


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_tone_is_calm(language: str) -> None:
    for key, message in entries(language).items():
        for form in forms(message):
            assert "!" not in form, key
            assert "¡" not in form, key
            assert all(ord(sign) < 0x2190 for sign in form), f"{key}: no emoji"


@pytest.mark.parametrize(
    ("tag", "language"),
    [
        ("es", "es"),
        ("es-MX", "es"),
        ("es_LA", "es"),
        ("ES", "es"),
        ("en-GB", "en"),
        ("fr", "en"),
        ("", "en"),
        (None, "en"),
    ],
)
def test_a_language_is_chosen_by_its_tag_and_english_is_the_rest(tag: str | None, language: str) -> None:
    assert language_of(tag) == language
