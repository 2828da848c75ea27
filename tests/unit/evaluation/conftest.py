"""The sample company, read once with the packaged model, for tests that ask it questions."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bot.cli.demo import SAMPLE_CONFIG
from bot.main import Composition
from core.settings import load_settings

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="session")
def company(tmp_path_factory: pytest.TempPathFactory) -> Composition:
    """Every part of the bot over an index of the sample company's exports; nothing is taken from the environment."""
    folder = tmp_path_factory.mktemp("company")
    settings = load_settings(
        SAMPLE_CONFIG,
        data_dir=folder,
        model_dir=Path(os.environ.get("TESTIGO_TEST_MODEL_DIR", ROOT / ".testigo" / "test-model")),
        index_uri="",
        database_url="",
        generator="extractive",
        judge="none",
        mode="balanced",
        embedder="packaged",
    )
    composition = Composition(settings)
    for _ in composition.sync.run(None, "tests"):
        pass
    return composition
