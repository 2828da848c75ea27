"""Fixtures that all tests share."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

from sync.parsing.tesseract import Tesseract
from tests.postgres import server_programs

ROOT = Path(__file__).resolve().parent.parent
CHROMIUM = Path(os.environ.get("CHROMIUM", "/usr/bin/chromium"))
SHARED_DATA = Path(os.environ.get("TESTIGO_DATA", ROOT.parent / "shared" / "data"))


MEMORY = Path("/dev/shm")  # a file system in memory, where Linux has one
ENOUGH_MEMORY = 2 * 1024**3
"""Bytes; one run of everything writes a tenth of it, and keeps what failed."""
FIRST = (
    "tests/unit/embedding/test_contract.py",
    "tests/unit/evaluation/test_sample_company.py",
    "tests/browser/",
    "tests/e2e/test_crashes.py",
    "tests/e2e/test_asking_again_crashes.py",
    "tests/unit/pipeline/test_pipeline_claude.py",
    "tests/property/",
    "tests/security/",
    "tests/e2e/",
)
"""Where the long files are. They come first, so that no worker begins with one when the others have ended."""


# No deadline, since the machine that runs them may be busy. `--hypothesis-profile thorough` looks further.
settings.register_profile("short", deadline=None, max_examples=40)
settings.register_profile("thorough", deadline=None, max_examples=1_000)
settings.load_profile("short")


def pytest_configure(config: pytest.Config) -> None:
    """Make the tests' machine quick: folders in memory, and one thread of torch for each of several workers."""
    # Every database and index that a test makes is flushed to the disk many times: on a disk that was half the time of
    # all tests. That it is flushed cannot be tested here anyway: only a power cut would show it.
    if MEMORY.is_dir() and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ENOUGH_MEMORY:
        os.environ.setdefault("TMPDIR", str(MEMORY))
        tempfile.tempdir = None  # it is asked again
    # The threads of OpenMP spin while they wait for one another: two workers of two threads on two cores spin a lot.
    if config.getoption("numprocesses", None) or "PYTEST_XDIST_WORKER" in os.environ:
        os.environ.setdefault("OMP_NUM_THREADS", "1")


def _place(item: pytest.Item) -> int:
    return next((n for n, path in enumerate(FIRST) if item.nodeid.startswith(path)), len(FIRST))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put the long files first, and leave out the tests that need what is not here: a line says how many, and what."""
    items.sort(key=_place)
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
