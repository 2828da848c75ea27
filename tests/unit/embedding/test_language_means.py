"""Language means: what they do to vectors, where they come from, where they are kept."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from core.embedding import language_means
from core.embedding.base import Embedder, PassageInput
from core.embedding.language_means import LanguageMean, LanguageMeans, load_language_means, mean_of
from core.embedding.onnx_e5 import OnnxE5
from core.embedding.vectors import check_vectors
from core.errors import ModelError

RANDOM = np.random.default_rng(7)


def unit(rows: int, towards: Sequence[float] = (0, 0, 0, 0)) -> np.ndarray:
    vectors = RANDOM.normal(size=(rows, 4)).astype(np.float32) + np.array(towards, np.float32)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)


SPANISH, ENGLISH = unit(50, (3, 0, 0, 0)), unit(50, (0, 3, 0, 0))
MEANS = LanguageMeans({"es": mean_of(SPANISH, SPANISH[:20]), "en": mean_of(ENGLISH, ENGLISH[:20])})


def test_centred_vectors_have_length_one_and_no_language() -> None:
    centred = np.concatenate([MEANS.center_passages(SPANISH, ["es"] * 50), MEANS.center_passages(ENGLISH, ["en"] * 50)])
    np.testing.assert_allclose(np.linalg.norm(centred, axis=1), 1, atol=1e-5)
    before = SPANISH.mean(axis=0) @ ENGLISH.mean(axis=0) - SPANISH.mean(axis=0) @ SPANISH.mean(axis=0)
    spanish, english = centred[:50].mean(axis=0), centred[50:].mean(axis=0)
    assert before < -0.5
    assert abs(spanish @ english - spanish @ spanish) < 0.2


def test_each_row_is_centred_by_its_own_language() -> None:
    rows = np.stack([SPANISH[0], ENGLISH[0]])
    together = MEANS.center_questions(rows, ["es", "en"])
    np.testing.assert_allclose(together[0], MEANS.center_questions(rows[:1], ["es"])[0], atol=1e-6)
    np.testing.assert_allclose(together[1], MEANS.center_questions(rows[1:], ["en"])[0], atol=1e-6)


def test_an_unknown_language_loses_what_all_languages_share() -> None:
    rows = unit(3)
    shared = np.mean([SPANISH.mean(axis=0), ENGLISH.mean(axis=0)], axis=0)
    expected = rows - 0.8 * shared
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    np.testing.assert_allclose(MEANS.center_passages(rows, ["de", "und", "fr"]), expected, atol=1e-5)


@pytest.mark.parametrize("means", [LanguageMeans({}), LanguageMeans({"es": mean_of(SPANISH, SPANISH)}, share=0.0)])
def test_without_means_vectors_stay_as_they_are(means: LanguageMeans) -> None:
    rows = unit(3)
    np.testing.assert_array_equal(means.center_passages(rows, ["es"] * 3), rows)
    assert means.id == "uncentred"


def test_no_rows_give_no_rows() -> None:
    assert MEANS.center_passages(np.zeros((0, 4), np.float32), []).shape == (0, 4)


def test_other_means_have_another_id_and_the_same_have_the_same() -> None:
    again = LanguageMeans({"en": mean_of(ENGLISH, ENGLISH[:20]), "es": mean_of(SPANISH, SPANISH[:20])})
    assert again.id == MEANS.id
    others = {MEANS.with_language("de", mean_of(unit(5), unit(5))).id, LanguageMeans({}).id, MEANS.id}
    assert len(others) == 3
    assert MEANS.with_language("de", mean_of(unit(5), unit(5))).languages == ("de", "en", "es")


def test_questions_that_are_missing_take_the_passages_mean() -> None:
    mean = mean_of(SPANISH, np.zeros((0, 4), np.float32))
    np.testing.assert_array_equal(mean.questions, mean.passages)


def test_means_of_another_dimension_are_an_error() -> None:
    with pytest.raises(ModelError, match="4 dimensions"):
        MEANS.center_passages(np.ones((2, 5), np.float32), ["es", "en"])


def test_the_samples_say_the_same_in_both_languages() -> None:
    samples = json.loads(Path(language_means.__file__).with_name("language_samples.json").read_text())
    for kind, least in (("passages", 30), ("questions", 80)):
        spanish, english = samples[kind]["es"], samples[kind]["en"]
        assert len(spanish) == len(english) >= least
        assert len(set(spanish)) == len(spanish)


def test_shipped_means_are_computed_once_and_then_read(
    packaged: Embedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    means = load_language_means(packaged, tmp_path, progress=said.append)
    assert means.languages == ("en", "es")
    assert said == ["Computing the language means; this happens once and takes some seconds."]
    monkeypatch.setattr(language_means, "compute_language_means", lambda embedder: pytest.fail("computed again"))
    assert load_language_means(packaged, tmp_path).id == means.id
    assert [path.suffix for path in (tmp_path / "models").iterdir()] == [".npz"]


def test_damaged_means_are_computed_again(packaged: Embedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    means = {"es": LanguageMean(np.ones(384, np.float32), np.ones(384, np.float32))}
    monkeypatch.setattr(language_means, "compute_language_means", lambda embedder: means)
    load_language_means(packaged, tmp_path)
    (stored,) = (tmp_path / "models").iterdir()
    for content in (b"", b"PK\x03\x04 half", stored.read_bytes()[:300]):
        stored.write_bytes(content)
        assert load_language_means(packaged, tmp_path).languages == ("es",)


def test_means_that_cannot_be_written_are_an_error(
    packaged: Embedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(language_means, "compute_language_means", lambda embedder: {})
    (tmp_path / "models").write_text("")
    with pytest.raises(ModelError, match="cannot be written"):
        load_language_means(packaged, tmp_path)


def test_a_question_no_longer_prefers_its_own_language(packaged: OnnxE5, model_dir: Path) -> None:
    means = load_language_means(packaged, model_dir)
    right = "Every employee has 25 days of paid leave a year."
    wrong = "Los visitantes llevan una tarjeta visible y siempre van acompañados por un empleado."
    vectors = np.stack([e.vector for e in packaged.embed_passages([PassageInput("", t) for t in (right, wrong)])])
    question = packaged.embed_queries(["¿Cuántos días de vacaciones tiene cada empleado?"])
    centred = means.center_questions(question, ["es"])[0] @ means.center_passages(vectors, ["en", "es"]).T
    plain = question[0] @ vectors.T
    assert centred[0] > centred[1]
    assert centred[0] - centred[1] > plain[0] - plain[1]


@pytest.mark.parametrize(
    ("vectors", "words"),
    [
        (np.array([[1, np.nan]], np.float32), "not a number"),
        (np.ones((1, 3), np.float32), "expected 2 numbers"),
        (np.ones(2, np.float32), "expected 2 numbers"),
    ],
)
def test_rows_that_do_not_fit_the_table_are_refused(vectors: np.ndarray, words: str) -> None:
    with pytest.raises(ModelError, match=words):
        check_vectors(vectors, 2, "some-model")
    check_vectors(np.ones((3, 2), np.float32), 2, "some-model")
