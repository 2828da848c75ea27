from __future__ import annotations

import pytest

from core.index.spelling import distance, may_be_a_slip, nearest


@pytest.mark.parametrize(
    ("one", "other", "slips"),
    [
        ("viage", "viaje", 1),
        ("vacatoin", "vacation", 1),
        ("noxe", "noche", 2),
        ("hotel", "hotel", 0),
        ("a", "abcdef", 3),
    ],
)
def test_distance_counts_slips_up_to_the_most_that_matter(one: str, other: str, slips: int) -> None:
    assert distance(one, other, 2) == slips == distance(other, one, 2)


def test_short_words_numbers_and_codes_are_no_slips() -> None:
    assert may_be_a_slip("viage")
    assert not any(map(may_be_a_slip, ("vaje", "2026", "wms77")))


def test_the_nearest_visible_word_wins_and_then_the_most_frequent() -> None:
    dictionary = [("viaje", 3), ("viajes", 9), ("viaja", 1), ("vacaciones", 50)]
    assert nearest("viage", dictionary, dict(dictionary).__getitem__) == "viaje"
    assert nearest("kilometro", dictionary, dict(dictionary).__getitem__) is None


def test_a_word_that_only_hidden_chunks_hold_is_never_offered() -> None:
    visible = {"viaje": 0, "viaja": 1}
    assert nearest("viage", [("viaje", 3)], visible.__getitem__) is None
    assert nearest("viaga", [("viaje", 3), ("viaja", 1)], visible.__getitem__) == "viaja"
