from __future__ import annotations

import pytest

from core.retrieval.confidence import THRESHOLDS, confidence
from core.settings import Mode
from tests.unit.retrieval.passages import passage


def test_nothing_found_is_no_confidence() -> None:
    assert confidence([], "en") == 0


def test_a_passage_with_the_words_and_the_sense_is_trusted_and_one_without_is_not() -> None:
    good = passage(best_sentence=0.75, coverage=0.9, reranked=2.0)
    bad = passage(best_sentence=0.25, coverage=0.2, reranked=0.8)
    assert confidence([good, bad], "en") > THRESHOLDS[Mode.BALANCED] > confidence([bad], "en")


def test_a_copy_of_the_best_passage_takes_nothing_from_it() -> None:
    best = passage("a#s0-p1", best_sentence=0.7, coverage=0.8, reranked=2.0)
    other = passage("b#s0-p1", "Something else.", reranked=1.0)
    copies = [passage(f"copy{i}#s0-p1", best_sentence=0.7, reranked=2.0) for i in range(3)]
    assert confidence([best, *copies, other], "en") == confidence([best, other], "en")


def test_another_language_is_judged_without_the_words() -> None:
    spanish = passage(best_sentence=0.7, coverage=0.0, reranked=1.5, language="es")
    assert confidence([spanish], "en") > THRESHOLDS[Mode.BALANCED] > confidence([spanish], "es")


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize("weakest", [None, 0.4])
def test_a_name_that_the_passage_does_not_hold_lowers_confidence(language: str, weakest: float | None) -> None:
    about = passage(best_sentence=0.6, language=language, weakest_word=weakest)
    of_another = passage(best_sentence=0.6, language=language, weakest_word=weakest, names_missing=1.0)
    assert confidence([of_another], "en") < confidence([about], "en")


@pytest.mark.parametrize("language", ["en", "es"])
def test_a_word_that_the_passage_does_not_speak_of_lowers_confidence(language: str) -> None:
    speaks = passage(best_sentence=0.6, language=language, weakest_word=0.45)
    silent = passage(best_sentence=0.6, language=language, weakest_word=0.1)
    assert confidence([silent], "en") < confidence([speaks], "en")


def test_strict_asks_for_more_than_open() -> None:
    assert THRESHOLDS[Mode.STRICT] > THRESHOLDS[Mode.BALANCED] > THRESHOLDS[Mode.OPEN]
