"""What a person reads when something fails: a sentence, and the code by which the log knows it. Never the exception."""

from __future__ import annotations

from enum import StrEnum

from bot.rendering import blocks
from bot.rendering.escape import one_line
from bot.rendering.message import Message, message
from bot.words import Words
from core import errors


class ErrorKind(StrEnum):
    """What failed, as far as the person who asked is concerned."""

    UNEXPECTED = "unexpected"
    TIMEOUT = "timeout"
    INDEX = "index"
    SLACK = "slack"
    PERMISSION_CHECK = "permission_check"
    QUESTION = "question"
    NOT_ALLOWED = "not_allowed"
    SETTINGS = "settings"


_OWN_DOING = frozenset({ErrorKind.QUESTION, ErrorKind.NOT_ALLOWED})
"""Kinds that the person can mend alone, so that no code is needed."""


def error_kind(error: BaseException) -> ErrorKind:
    """The kind of an exception."""
    match error:
        case errors.SlackError():  # before TimeoutError: both are OSErrors
            return ErrorKind.SLACK
        case TimeoutError():
            return ErrorKind.TIMEOUT
        case errors.StorageError() | errors.ModelError():
            return ErrorKind.INDEX
        case errors.AccessError():
            return ErrorKind.NOT_ALLOWED
        case errors.QuestionError():
            return ErrorKind.QUESTION
        case errors.SettingsError():
            return ErrorKind.SETTINGS
    return ErrorKind.UNEXPECTED


def render_error(kind: ErrorKind, code: str, words: Words) -> Message:
    """Draw an error. `code` is the short id that the log line has too."""
    said = error_sentence(kind, words)
    if kind in _OWN_DOING:
        return message(said, [blocks.rich(blocks.section(blocks.text(said)))])
    where = words.error_code(one_line(code))
    return message(f"{said}\n{where}", [blocks.rich(blocks.section(blocks.text(said))), blocks.note(where)])


def error_sentence(kind: ErrorKind, words: Words) -> str:
    """A kind as a sentence."""
    match kind:
        case ErrorKind.UNEXPECTED:
            return words.error_unexpected()
        case ErrorKind.TIMEOUT:
            return words.error_timeout()
        case ErrorKind.INDEX:
            return words.error_index()
        case ErrorKind.SLACK:
            return words.error_slack()
        case ErrorKind.PERMISSION_CHECK:
            return words.error_permission_check()
        case ErrorKind.QUESTION:
            return words.error_question()
        case ErrorKind.NOT_ALLOWED:
            return words.error_not_allowed()
        case ErrorKind.SETTINGS:
            return words.error_settings()
