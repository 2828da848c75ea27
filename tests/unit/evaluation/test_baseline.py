"""A run is kept, read again, and later runs are held against it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from core.errors import EvaluationError
from core.evaluation.baseline import Compared, compare, load_baseline, save_baseline
from core.evaluation.outcome import Outcome
from core.evaluation.report import baseline_of
from tests.unit.evaluation.made import found, outcome, question, report

COUNT = 20


def a_run(broken: int = 0, *, forbidden: int = 0, relevance: float = 0.5, changed: int = 0) -> list[Outcome]:
    """Twenty answers; of some the fact is found too late and not quoted, some show what they must not."""
    return [
        outcome(
            question(f"q{n}", answer="another" if n < changed else ""),
            [found(9, quoted=False)] if n < broken else [found()],
            forbidden=("names wiki/9",) if n < forbidden else (),
            relevance=relevance,
        )
        for n in range(COUNT)
    ]


def held_against(before: Sequence[Outcome], now: Sequence[Outcome], folder: Path) -> Compared:
    path = folder / "baseline.json"
    save_baseline(path, baseline_of(report(before)))
    fingerprints = {o.question.id: o.question.fingerprint for o in now}
    return compare(report(now).numbers.rows, fingerprints, load_baseline(path))


def worse(compared: Compared) -> set[str]:
    return {each.metric.name for each in compared.regressions}


def test_the_same_run_is_no_regression(tmp_path: Path) -> None:
    compared = held_against(a_run(3), a_run(3), tmp_path)
    assert worse(compared) == set()
    assert not any(each.improved for each in compared.comparisons)
    assert compared.left_out == 0


def test_what_breaks_is_named_with_by_how_much(tmp_path: Path) -> None:
    compared = held_against(a_run(), a_run(6), tmp_path)
    assert {"reranked.recall@5", "answer.exact_sentence"} <= worse(compared)
    assert "reranked.recall@10" not in worse(compared)
    (sentence,) = (each for each in compared.regressions if each.metric.name == "answer.exact_sentence")
    assert (sentence.before, sentence.now) == (1.0, 0.7)
    assert sentence.worse == 1 / 2**6


def test_one_broken_question_may_be_chance_and_a_mended_one_is_no_regression(tmp_path: Path) -> None:
    assert worse(held_against(a_run(), a_run(1), tmp_path)) == set()
    compared = held_against(a_run(6), a_run(), tmp_path)
    assert worse(compared) == set()
    assert any(each.improved for each in compared.comparisons)


def test_one_answer_that_shows_what_is_forbidden_is_enough(tmp_path: Path) -> None:
    assert worse(held_against(a_run(), a_run(forbidden=1), tmp_path)) == {"answer.forbidden"}
    assert worse(held_against(a_run(forbidden=1), a_run(forbidden=1), tmp_path)) == set()


def test_nearness_of_topic_alone_stops_nobody(tmp_path: Path) -> None:
    compared = held_against(a_run(relevance=0.6), a_run(relevance=0.4), tmp_path)
    assert worse(compared) == set()
    assert [e.now - e.before for e in compared.comparisons if e.metric.name == "answer.relevance"] == [
        pytest.approx(-0.2)
    ]


def test_a_question_that_was_changed_is_not_compared(tmp_path: Path) -> None:
    compared = held_against(a_run(), a_run(6, changed=6), tmp_path)
    assert compared.left_out == 6
    assert worse(compared) == set()
    with pytest.raises(EvaluationError, match="none of these questions"):
        held_against(a_run(), a_run(changed=COUNT), tmp_path)


def test_what_is_no_baseline_is_told(tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    with pytest.raises(EvaluationError, match="cannot be read"):
        load_baseline(path)
    path.write_text('{"metrics": {}}')
    with pytest.raises(EvaluationError, match="is not a baseline"):
        load_baseline(path)
    save_baseline(path, baseline_of(report(a_run())).model_copy(update={"format": 99}))
    with pytest.raises(EvaluationError, match="format 99"):
        load_baseline(path)
