"""Fixtures that all tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SHARED_DATA = Path(os.environ.get("TESTIGO_DATA", ROOT.parent / "shared" / "data"))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests that need the shared data, only where it is absent."""
    if SHARED_DATA.is_dir():
        return
    kept: list[pytest.Item] = []
    left_out: list[pytest.Item] = []
    for item in items:
        (left_out if item.get_closest_marker("shared") else kept).append(item)
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = kept
        reporter = config.pluginmanager.get_plugin("terminalreporter")
        if reporter is not None:
            reporter.write_line(f"{len(left_out)} tests need {SHARED_DATA}, which is absent: left out")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data beside the repository. Only for tests marked `shared`."""
    return SHARED_DATA
