from __future__ import annotations

import pytest

from bot.rendering import ErrorKind, error_kind, render_error, sentence
from bot.words import Words
from core.errors import (
    AccessError,
    ModelError,
    QuestionError,
    SettingsError,
    SlackError,
    StorageError,
    TestigoError,
)
from tests.unit.rendering.slack_checks import check, said


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (TimeoutError(), ErrorKind.TIMEOUT),
        (StorageError("x"), ErrorKind.INDEX),
        (ModelError("x"), ErrorKind.INDEX),
        (AccessError("x"), ErrorKind.NOT_ALLOWED),
        (QuestionError("x"), ErrorKind.QUESTION),
        (SettingsError("x"), ErrorKind.SETTINGS),
        (SlackError("x"), ErrorKind.SLACK),
        (TestigoError("x"), ErrorKind.UNEXPECTED),
        (RuntimeError("x"), ErrorKind.UNEXPECTED),
    ],
)
def test_every_error_is_of_a_kind(error: Exception, kind: ErrorKind) -> None:
    assert error_kind(error) is kind


@pytest.mark.parametrize("kind", ErrorKind)
@pytest.mark.parametrize("language", ["es", "en"])
def test_every_kind_has_its_sentence_and_the_code_where_it_helps(kind: ErrorKind, language: str) -> None:
    message = render_error(kind, "7F3K-Q2", Words(language))
    check(message)
    own_doing = kind in {ErrorKind.QUESTION, ErrorKind.NOT_ALLOWED}
    assert ("7F3K-Q2" in said(message)) is not own_doing
    assert ("7F3K-Q2" in message.text) is not own_doing


def test_a_refusal_is_one_sentence() -> None:
    message = sentence(Words("es").refused_channel())
    check(message)
    assert said(message) == Words("es").refused_channel()
