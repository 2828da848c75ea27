from __future__ import annotations

import pytest

from core.index.interleaving import interleave
from core.retrieval.fusion import reciprocal_rank_fusion


def test_what_both_halves_find_comes_first() -> None:
    fused = reciprocal_rank_fusion([["a", "b", "c"], ["d", "b"]])
    assert [key for key, _ in fused] == ["b", "a", "d", "c"]


def test_scores_are_those_of_the_paper() -> None:
    assert dict(reciprocal_rank_fusion([["a"], ["b", "a"]]))["a"] == pytest.approx(1 / 61 + 1 / 62)


def test_neither_half_crowds_the_other_out() -> None:
    noise = [f"noise{i}" for i in range(50)]
    assert "right" in interleave([noise, ["right"]], limit=10)
    assert interleave([["a", "b"], ["a", "c"]], limit=10) == ["a", "b", "c"]
    assert len(interleave([noise, ["x"]], limit=10)) == 10
