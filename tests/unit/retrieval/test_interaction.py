from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from core.embedding.base import PassageEmbedding, PassageInput, TokenVectors, Vectors
from core.embedding.language_means import LanguageMeans
from core.retrieval.interaction import NO_WORDS, LateInteraction, max_similarities

DIMENSION = 64


class WordEmbedder:
    """Gives each word a direction of its own, whatever its language: words of one meaning share theirs."""

    model_id = "words"
    dimension = DIMENSION
    token_dimension = DIMENSION
    meanings = {"vacaciones": "holidays", "dias": "days"}  # noqa: RUF012

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        raise NotImplementedError

    def embed_passages(self, passages: Sequence[PassageInput]) -> list[PassageEmbedding]:
        raise NotImplementedError

    def query_token_vectors(self, texts: Sequence[str]) -> list[TokenVectors]:
        return [self._tokens(text) for text in texts]

    def passage_token_vectors(self, passages: Sequence[PassageInput]) -> list[TokenVectors]:
        return [self._tokens(passage.text) for passage in passages]

    def _tokens(self, text: str) -> TokenVectors:
        offsets, vectors, start = [], [], 0
        for word in text.split():
            start = text.index(word, start)
            meaning = self.meanings.get(word.lower().strip("?.¿"), word.lower().strip("?.¿"))
            seed = int.from_bytes(meaning.encode()[:8], "little") % 2**31
            vector = np.random.RandomState(seed).standard_normal(DIMENSION)
            offsets.append((start, start + len(word)))
            vectors.append(vector / np.linalg.norm(vector))
            start += len(word)
        shape = np.array(vectors, np.float32).reshape(-1, DIMENSION)
        return TokenVectors(np.zeros(len(offsets), np.int32), np.array(offsets, np.int32).reshape(-1, 2), shape)


@pytest.fixture
def late() -> LateInteraction:
    return LateInteraction(WordEmbedder(), LanguageMeans({}))


def scores(late: LateInteraction, question: str, *passages: str) -> list[float]:
    asked = late.question(question, "en")
    assert asked is not None
    packed = late.passages([PassageInput("", p) for p in passages], ["en"] * len(passages))
    return [found.mean for found in max_similarities(asked, packed)]


def test_a_passage_with_the_words_of_the_question_is_above_one_without(late: LateInteraction) -> None:
    with_words, without = scores(late, "How many holidays", "holidays are counted yearly", "parking costs money here")
    assert with_words > without + 0.3


def test_words_meet_across_languages(late: LateInteraction) -> None:
    spanish, other = scores(late, "holidays days", "vacaciones y dias", "aparcamiento y garaje")
    assert spanish > other + 0.3


def test_words_that_only_ask_hardly_count(late: LateInteraction) -> None:
    about, asking = scores(late, "how many holidays", "holidays elsewhere", "how many garages")
    assert about > asking + 0.3


def test_a_word_takes_one_sign_for_each_component(late: LateInteraction) -> None:
    (packed,) = late.passages([PassageInput("", "the holidays of apprentices")], ["en"])
    assert len(packed) == 2 * DIMENSION // 8  # "the" and "of" tell nothing


def test_a_passage_of_signs_alone_has_no_words_and_scores_nothing(late: LateInteraction) -> None:
    packed = late.passages([PassageInput("", "— * —"), PassageInput("", "holidays")], ["en", "en"])
    asked = late.question("holidays", "en")
    assert asked is not None
    assert packed[0] == NO_WORDS
    none, some = max_similarities(asked, packed)
    assert none.mean == none.weakest == 0 < some.mean


def test_a_question_of_signs_alone_is_not_compared(late: LateInteraction) -> None:
    assert late.question("¿? 😀", "es") is None
    assert late.question("", "es") is None


def test_the_weakest_word_is_the_one_that_the_passage_does_not_speak_of(late: LateInteraction) -> None:
    asked = late.question("how many holidays for grandparents", "en")
    assert asked is not None
    packed = late.passages(
        [PassageInput("", "many holidays for employees"), PassageInput("", "holidays for grandparents")], ["en", "en"]
    )
    without, about = max_similarities(asked, packed)
    assert without.weakest < 0.5 < about.weakest
