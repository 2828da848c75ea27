"""The sample company, read once with the packaged model, for tests that ask it questions."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from bot.cli.demo import SAMPLE_CONFIG
from bot.main import Composition
from core.embedding.base import Embedder, Vectors
from core.embedding.onnx_e5 import OnnxE5
from core.settings import load_settings

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
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
    _remember_what_was_read(composition.embedder)
    return composition


def _remember_what_was_read(embedder: Embedder) -> None:
    """Have the model read each question once: the same 60 are asked over and over, and its answer is the same."""
    assert isinstance(embedder, OnnxE5)
    read = embedder._run
    known: dict[tuple[bytes, ...], Vectors] = {}

    def read_once(rows: Sequence[NDArray[np.int64]]) -> Vectors:
        batch = tuple(row.tobytes() for row in rows)
        if batch not in known:
            known[batch] = read(rows)
            known[batch].flags.writeable = False
        return known[batch]

    embedder._run = read_once  # type: ignore[method-assign]  # the same, without the work
