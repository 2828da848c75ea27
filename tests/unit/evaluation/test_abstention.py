"""Risk, coverage and calibration against values worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from core.evaluation.abstention import aurc, best_aurc, bins, expected_calibration_error, risk_coverage


def test_the_curve_goes_from_the_surest_question_to_all() -> None:
    coverage, risk = risk_coverage(np.array([0.2, 0.9, 0.5, 0.7]), np.array([0.0, 1.0, 1.0, 0.0]))
    assert coverage.tolist() == [0.25, 0.5, 0.75, 1.0]
    assert risk.tolist() == pytest.approx([0, 1 / 2, 1 / 3, 1 / 2])


def test_the_area_is_least_when_all_that_is_right_is_surer() -> None:
    right = np.array([1.0, 1.0, 0.0, 0.0])
    good, bad = np.array([0.9, 0.8, 0.2, 0.1]), np.array([0.1, 0.2, 0.8, 0.9])
    assert aurc(good, right) == best_aurc(right) == pytest.approx((0 + 0 + 1 / 3 + 1 / 2) / 4)
    assert aurc(bad, right) == pytest.approx((1 + 1 + 2 / 3 + 1 / 2) / 4)


def test_equal_confidence_tells_nothing_whatever_the_order_of_the_questions() -> None:
    same = np.full(4, 0.5)
    for right in ([1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]):
        assert aurc(same, np.array(right)) == pytest.approx(0.5)


def test_calibration_is_the_gap_within_each_tenth_weighed_by_its_size() -> None:
    confidence = np.array([0.95, 0.95, 0.95, 1.0, 0.1])
    right = np.array([1.0, 1.0, 0.0, 1.0, 0.0])
    gap = 4 / 5 * abs(3 / 4 - 3.85 / 4) + 1 / 5 * 0.1
    assert expected_calibration_error(confidence, right) == pytest.approx(gap)
    assert [(b.low, b.count, b.right) for b in bins(confidence, right)] == [(0.1, 1, 0.0), (0.9, 4, 0.75)]
    assert expected_calibration_error(np.array([1.0, 0.0]), np.array([1.0, 0.0])) == 0
