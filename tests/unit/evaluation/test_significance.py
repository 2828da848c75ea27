"""Intervals and paired tests: exact where they can be, the same every time."""

from __future__ import annotations

import numpy as np
import pytest

from core.evaluation.abstention import aurc
from core.evaluation.significance import RANDOMISATIONS, interval, mean, worse_by_chance


def column(*values: float) -> np.ndarray:
    return np.array(values, np.float64)[:, None]


def test_an_interval_holds_the_mean_and_narrows_with_more_questions() -> None:
    few, many = column(*[0, 1] * 10), column(*[0, 1] * 200)
    low, high = interval(few, mean)
    assert low < 0.5 < high
    narrow = interval(many, mean)
    assert high - low > 2 * (narrow[1] - narrow[0])
    assert interval(few, mean) == (low, high)


def test_where_every_question_is_equal_the_interval_is_a_point() -> None:
    assert interval(column(1, 1, 1), mean) == (1, 1)


@pytest.mark.parametrize(("broken", "p"), [(1, 1 / 2), (5, 1 / 32), (8, 1 / 256)])
def test_questions_that_break_together_are_tossed_like_coins(broken: int, p: float) -> None:
    before, now = column(*[1.0] * 40), column(*[0.0] * broken, *[1.0] * (40 - broken))
    assert worse_by_chance(before, now, mean, higher_is_better=True) == p
    assert worse_by_chance(before, now, mean, higher_is_better=False) == 1


def test_gains_and_losses_cancel() -> None:
    before, now = column(1, 1, 1, 0, 0, 0), column(0, 0, 0, 1, 1, 1)
    assert worse_by_chance(before, now, mean, higher_is_better=True) > 0.5


def test_equal_runs_are_never_worse() -> None:
    same = column(0.3, 0.7, 1)
    assert worse_by_chance(same, same.copy(), mean, higher_is_better=True) == 1


def test_many_differences_are_sampled_with_a_fixed_seed() -> None:
    before, now = column(*[1.0] * 60), column(*[0.5] * 30, *[1.0] * 30)
    p = worse_by_chance(before, now, mean, higher_is_better=True)
    assert p == worse_by_chance(before, now, mean, higher_is_better=True) == 1 / (RANDOMISATIONS + 1)


def test_a_metric_of_the_whole_set_is_tested_by_exchanging_whole_rows() -> None:
    right = np.array([1.0] * 8 + [0.0] * 8)
    sure = np.concatenate([np.linspace(0.9, 0.8, 8), np.linspace(0.2, 0.1, 8)])
    before, now = np.stack([sure, right], axis=1), np.stack([1 - sure, right], axis=1)

    def area(rows: np.ndarray) -> float:
        return aurc(rows[:, 0], rows[:, 1])

    assert worse_by_chance(before, now, area, higher_is_better=False) < 0.01
    assert worse_by_chance(now, before, area, higher_is_better=False) > 0.9
