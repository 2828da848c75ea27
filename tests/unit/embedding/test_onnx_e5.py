"""The packaged model as it is served: batches, and the refusal of nonsense (case R7)."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.embedding.base import PassageInput
from core.embedding.onnx_e5 import BATCH_TOKENS, OnnxE5, _batches
from core.embedding.packaged_e5 import MODEL_ID, prepare_packaged_e5
from core.errors import ModelError


class Session:
    """Stands in for ONNX Runtime and returns `value` for every number."""

    def __init__(self, value: float, dimension: int = 384) -> None:
        self.value, self.dimension = value, dimension

    def run(self, outputs: list[str], inputs: dict[str, Any]) -> list[Any]:
        return [np.full((*inputs["input_ids"].shape, self.dimension), self.value, np.float32)]


class BrokenSession(Session):
    def run(self, outputs: list[str], inputs: dict[str, Any]) -> list[Any]:
        raise RuntimeError("bad allocation")


@pytest.fixture
def embedder(packaged: OnnxE5, monkeypatch: pytest.MonkeyPatch) -> OnnxE5:
    """The model of the whole file, whose session a test may replace: it has its own again afterwards."""
    monkeypatch.setattr(packaged, "_session", packaged._session)
    return packaged


@pytest.mark.parametrize(
    ("session", "words"),
    [
        (Session(float("nan")), "not a number"),
        (Session(float("inf")), "not a number"),
        (Session(0.0), "zero"),
        (Session(1.0, 385), "expected 384 numbers"),
        (BrokenSession(0.0), "failed while it ran: bad allocation"),
    ],
)
def test_a_model_that_yields_nonsense_is_an_error_and_gives_no_vectors(
    embedder: OnnxE5, session: Session, words: str
) -> None:
    embedder._session = session
    passage = PassageInput("Title", "A text.", ((0, 7),))
    with pytest.raises(ModelError, match=words):
        embedder.embed_queries(["A question?"])
    with pytest.raises(ModelError, match=words):
        embedder.embed_passages([passage])


def test_one_bad_vector_among_good_ones_spoils_the_batch(embedder: OnnxE5) -> None:
    run = embedder._session.run

    class OneBad(Session):
        def run(self, outputs: list[str], inputs: dict[str, Any]) -> list[Any]:
            (states,) = run(outputs, inputs)
            states[-1, 0, 0] = np.nan
            return [states]

    embedder._session = OneBad(0)
    with pytest.raises(ModelError, match="not a number"):
        embedder.embed_passages([PassageInput("", text) for text in ("one", "two", "three")])


@pytest.mark.parametrize("file", ["model.onnx", "tokenizer.json"])
def test_an_unreadable_file_is_named(model_dir: Path, tmp_path: Path, file: str) -> None:
    folder = tmp_path / "model"
    shutil.copytree(prepare_packaged_e5(model_dir), folder)
    (folder / file).write_text("{}")
    with pytest.raises(ModelError, match=file):
        OnnxE5(folder, MODEL_ID, 384)


def test_batches_keep_to_their_budget_and_lose_nothing() -> None:
    lengths = [int(length) for length in np.random.default_rng(1).integers(3, 513, 500)]
    batches = list(_batches(lengths))
    assert sorted(index for batch in batches for index in batch) == list(range(500))
    assert all(max(lengths[index] for index in batch) * len(batch) <= BATCH_TOKENS for batch in batches)
    assert len(batches) < 1.2 * sum(lengths) / BATCH_TOKENS + 2
    assert list(_batches([])) == []


def test_an_endless_question_is_cut_at_the_window(embedder: OnnxE5) -> None:
    long = "How many days of leave do I have? " * 500
    assert embedder.embed_queries([long]).shape == (1, 384)
    np.testing.assert_allclose(embedder.embed_queries([long]), embedder.embed_queries([long + "And more?"]), atol=1e-6)
