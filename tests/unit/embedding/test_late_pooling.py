"""Windows and pooling, with an encoder that reads letters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from core.embedding.base import PassageInput
from core.embedding.late_pooling import PassageSums, TokenStates, Window, encodable, text_tokens, windows_of

LIMIT = 40


def offsets(texts: Sequence[str]) -> list[NDArray[np.int32]]:
    """One token a letter, none for a space, and a special token at either end."""
    return [
        np.array([(0, 0), *((i, i + 1) for i, sign in enumerate(text) if sign != " "), (0, 0)], np.int32)
        for text in texts
    ]


def read(text: str) -> TokenStates:
    """A letter's state is (its code, 1)."""
    spans = offsets([text])[0]
    codes = [ord(text[start]) if end else 0 for start, end in spans]
    states = np.array([(code, 1) for code in codes], np.float32)
    return TokenStates(np.array(codes, np.int32), spans, states, states.mean(axis=0))


def windows(passage: PassageInput, prefix: str = "p: ") -> list[Window]:
    return windows_of([passage], prefix, LIMIT, offsets)


def bodies(passage: PassageInput) -> list[str]:
    return [window.input[window.body :] for window in windows(passage)]


def test_a_passage_that_fits_is_one_window_behind_prefix_and_context() -> None:
    (window,) = windows(PassageInput("Title", "Text here."))
    assert window == Window(0, "p: Title\nText here.", 9, 0)
    (window,) = windows(PassageInput("", "Text here."))
    assert window == Window(0, "p: Text here.", 3, 0)


def test_a_long_passage_is_cut_between_sentences() -> None:
    text = "aaaaaaaaaa. bbbbbbbbbb. cccccccccc. dddddddddd."
    sentences = ((0, 11), (12, 23), (24, 35), (36, 47))
    assert bodies(PassageInput("", text, sentences)) == [text[:23], text[23:]]


def test_a_long_sentence_is_cut_where_the_window_ends() -> None:
    text = "a" * 100
    assert "".join(bodies(PassageInput("", text, ((0, 100),)))) == text
    assert max(map(len, bodies(PassageInput("", text)))) < LIMIT


def test_every_window_carries_the_context() -> None:
    assert all(window.input.startswith("p: Title\n") for window in windows(PassageInput("Title", "a" * 100)))


def test_a_long_context_is_cut_to_a_quarter_of_the_window() -> None:
    found = windows(PassageInput("t" * 200, "a" * 60))
    assert all(len(window.input) <= LIMIT for window in found)
    assert "".join(window.input[window.body :] for window in found) == "a" * 60
    assert found[0].input.startswith("p: tttt")


def test_a_sentence_is_the_mean_of_its_own_tokens_only() -> None:
    passage = PassageInput("zzzz", "aa bb", ((0, 2), (3, 5)))
    sums = PassageSums(passage)
    for window in windows(passage):
        sums.add(window, read(window.input))
    np.testing.assert_allclose(sums.sentence_vectors(), [(2 * ord("a"), 2), (2 * ord("b"), 2)])
    assert 0 < sums.vector()[0] / sums.vector()[1] < ord("z")


def test_a_sentence_without_tokens_is_its_passage() -> None:
    passage = PassageInput("", "aa   ", ((0, 2), (2, 5)))
    sums = PassageSums(passage)
    for window in windows(passage):
        sums.add(window, read(window.input))
    np.testing.assert_array_equal(sums.sentence_vectors()[1], sums.vector())


def test_lone_surrogates_are_replaced_one_for_one() -> None:
    assert encodable("a\ud83db😀") == "a\ufffdb😀"


@given(
    text=st.text(st.sampled_from("abc. "), max_size=300),
    context=st.text(st.sampled_from("xyz "), max_size=80),
    cuts=st.sets(st.integers(0, 300), max_size=12),
)
def test_windows_cover_every_letter_once_and_sentences_get_exactly_their_letters(
    text: str, context: str, cuts: set[int]
) -> None:
    ends = sorted({min(cut, len(text)) for cut in cuts} | {len(text)})
    sentences = tuple(zip([0, *ends[:-1]], ends, strict=True))
    passage = PassageInput(context, text, sentences)
    found = windows(passage)
    assert "".join(window.input[window.body :] for window in found) == text
    assert all(len(offsets([window.input])[0]) <= LIMIT for window in found)
    sums = PassageSums(passage)
    reads = [read(window.input) for window in found]
    for window, states in zip(found, reads, strict=True):
        sums.add(window, states)
    vectors = sums.sentence_vectors()
    for (start, end), vector in zip(sentences, vectors, strict=True):
        letters = text[start:end].replace(" ", "")
        if letters:
            np.testing.assert_allclose(vector, (sum(map(ord, letters)), len(letters)))
    tokens = text_tokens(found, reads)
    assert [(text[start:end]) for start, end in tokens.offsets] == list(text.replace(" ", ""))
    assert "".join(map(chr, tokens.ids)) == text.replace(" ", "")
