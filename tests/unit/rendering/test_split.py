from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.rendering import limits
from bot.rendering.split import cut, pack, pieces


def test_a_short_quote_is_shown_whole() -> None:
    assert cut(" Son 23 días. ") == "Son 23 días."


def test_a_long_quote_ends_with_a_sentence() -> None:
    quote = "La primera frase cabe entera. La segunda también cabe. " + "La tercera no cabe " * 30
    assert cut(quote, 80) == "La primera frase cabe entera. La segunda también cabe. …"


def test_a_sentence_too_long_ends_with_a_word() -> None:
    assert cut("una frase muy larga que no cabe", 20) == "una frase muy larga…"


def test_a_word_too_long_is_cut_anywhere() -> None:
    assert len(cut("a" * 400)) <= limits.QUOTE_SHOWN


@given(st.text(), st.integers(min_value=5, max_value=400))
def test_a_cut_text_is_never_longer_than_its_limit_and_begins_as_the_text_does(text: str, limit: int) -> None:
    shown = cut(text, limit)
    assert len(shown) <= limit
    assert text.strip().startswith(shown.removesuffix("…").rstrip())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("one two three\n\nfour five six", ["one two three", "four five six"]),
        ("one two three\nfour five six", ["one two three", "four five six"]),
        ("One two three. Four five six.", ["One two three.", "Four five six."]),
        ("one two three four five six", ["one two three four", "five six"]),
        ("a" * 30, ["a" * 20, "a" * 10]),
        ("", []),
    ],
)
def test_text_is_broken_at_the_kindest_place(text: str, expected: list[str]) -> None:
    assert pieces(text, 20) == expected


@given(st.text(alphabet=st.sampled_from("ab .,\n&<é😀"), max_size=2000), st.integers(min_value=10, max_value=300))
def test_pieces_fit_and_lose_nothing_but_white_space(text: str, limit: int) -> None:
    found = pieces(text, limit)
    assert all(0 < limits.size(piece) <= limit for piece in found)
    assert "".join("".join(found).split()) == "".join(text.split())


@given(st.lists(st.integers(min_value=1, max_value=15)))
def test_parts_are_packed_in_order_and_each_once(parts: list[int]) -> None:
    groups = list(pack(parts, lambda group: sum(group) <= 10))
    assert [part for group in groups for part in group] == parts
    assert all(sum(group) <= 10 or len(group) == 1 for group in groups)
