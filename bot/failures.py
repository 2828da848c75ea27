"""Failures: a short code that the person and the log share, and a log line without anybody's words in it."""

from __future__ import annotations

import logging
import secrets
import traceback
from pathlib import Path

logger = logging.getLogger("testigo.failures")

FRAMES = 6

NO_EVENT = 0
"""Stands in the log for the event that a pressed button, a typed command or a chore is not."""


def new_code() -> str:
    """A code that a person can read out: eight hexadecimal digits."""
    return secrets.token_hex(4)


def log_failure(event_id: int, error: BaseException, code: str) -> None:
    """Write down what failed and where. Not the exception's text: it may repeat a question, a document or a name."""
    frames = traceback.extract_tb(error.__traceback__)[-FRAMES:]
    where = " > ".join(f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames)
    causes: list[str] = []
    cause: BaseException | None = error
    while cause is not None and len(causes) < FRAMES:
        causes.append(type(cause).__name__)
        cause = cause.__cause__
    logger.error("event %d failed [%s]: %s at %s", event_id, code, " < ".join(causes), where or "an unknown place")
