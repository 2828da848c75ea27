"""Fixtures that all tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sync.parsing.tesseract import Tesseract
from tests.postgres import server_programs

ROOT = Path(__file__).resolve().parent.parent
CHROMIUM = Path(os.environ.get("CHROMIUM", "/usr/bin/chromium"))
SHARED_DATA = Path(os.environ.get("TESTIGO_DATA", ROOT.parent / "shared" / "data"))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests that need what is not here: a line says how many, and what it is."""
    absent = {
        "shared": "" if SHARED_DATA.is_dir() else f"{SHARED_DATA}, which is absent",
        "tesseract": Tesseract("spa+eng").missing(),
        "chromium": "" if CHROMIUM.is_file() else f"{CHROMIUM} (chromium)",
        "postgres": "" if server_programs() is not None else "the server programs of PostgreSQL (postgresql)",
    }
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    for mark, reason in absent.items():
        left_out = [item for item in items if reason and item.get_closest_marker(mark)]
        if left_out:
            config.hook.pytest_deselected(items=left_out)
            items[:] = [item for item in items if item not in set(left_out)]
            if reporter is not None:
                reporter.write_line(f"{len(left_out)} tests left out: they need {reason.removeprefix('OCR needs ')}")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data beside the repository. Only for tests marked `shared`."""
    return SHARED_DATA
