from __future__ import annotations

import asyncio
import logging

import pytest

from bot.background import Background
from bot.failures import log_failure, new_code
from core.errors import StorageError


def test_a_failure_is_logged_by_kind_and_place_and_never_by_its_words(caplog: pytest.LogCaptureFixture) -> None:
    try:
        try:
            raise KeyError("Begoña's salary")
        except KeyError as cause:
            raise StorageError("INSERT 'a question'") from cause
    except StorageError as error:
        log_failure(7, error, "0123abcd")
    (line,) = (record.getMessage() for record in caplog.records)
    assert "event 7 failed [0123abcd]: StorageError < KeyError at test_failures.py:" in line
    assert "salary" not in line
    assert "question" not in line


def test_codes_are_short_and_differ() -> None:
    codes = {new_code() for _ in range(50)}
    assert len(codes) == 50
    assert {len(code) for code in codes} == {8}


async def test_background_work_that_fails_is_logged_by_kind(caplog: pytest.LogCaptureFixture) -> None:
    background, failed = Background(), asyncio.Event()

    async def fail() -> None:
        failed.set()
        raise ValueError("words")

    with caplog.at_level(logging.WARNING, "testigo.background"):
        background.start("a home tab", fail())
        await failed.wait()
        await background.close()
    assert "a home tab failed (ValueError)" in caplog.text
    assert "words" not in caplog.text


async def test_background_work_that_hangs_is_stopped_at_the_end() -> None:
    background, began, stopped = Background(), asyncio.Event(), asyncio.Event()

    async def hang() -> None:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()

    background.start("a home tab", hang())
    await began.wait()
    await background.close()
    assert stopped.is_set()
