"""A pipeline over a small index, for each test its own."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from tests.unit.pipeline.shelf import Build, built


@pytest.fixture
def build(tmp_path: Path) -> Build:
    return partial(built, tmp_path)
