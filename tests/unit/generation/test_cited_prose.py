"""Sentences out of blocks with native citations, however they are cut."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from core.generation.cited_prose import CitedProse, CitedSentence
from core.generation.claude_events import CitationFound, TextDelta

Block = tuple[str, Sequence[str]]


def cited(block: int, words: str) -> CitationFound:
    return CitationFound(block, 0, 0, len(words), words)


def read(blocks: Sequence[Block], size: int = 1000) -> tuple[list[CitedSentence], CitedProse]:
    prose = CitedProse()
    found: list[CitedSentence] = []
    for number, (text, quotes) in enumerate(blocks):
        for at in range(0, len(text), size):
            found += prose.feed(TextDelta(text[at : at + size], number))
        for quote in quotes:
            found += prose.feed(cited(number, quote))
    return [*found, *prose.close()], prose


def plainly(sentences: Sequence[CitedSentence]) -> list[tuple[str, list[str]]]:
    return [(s.text, [c.cited_text for c in s.citations]) for s in sentences]


BLOCKS: list[Block] = [
    ("Employees have ", ()),
    ("25 days", ("25 días",)),
    (". Up to 5 carry over. ", ("hasta 5",)),
    ("Ask Dr. Ruiz", ("Dra. Ruiz",)),
    (".\n- **Not** in May!", ()),
]
SENTENCES = [
    ("Employees have 25 days.", ["25 días"]),
    ("Up to 5 carry over.", ["hasta 5"]),
    ("Ask Dr. Ruiz.", ["Dra. Ruiz"]),
    ("Not in May!", []),
]


@given(st.integers(1, 40))
def test_a_sentence_takes_the_citations_of_the_blocks_it_has_words_in(size: int) -> None:
    sentences, prose = read(BLOCKS, size)
    assert plainly(sentences) == SENTENCES
    assert prose.answerable is True


def test_a_sentence_is_given_as_soon_as_nothing_can_be_added_to_it() -> None:
    prose = CitedProse()
    assert prose.feed(TextDelta("One is true. Two", 0)) == [], "its block is open: a citation may follow"
    assert prose.feed(cited(0, "uno")) == []
    assert plainly(prose.feed(TextDelta(" is", 1))) == [("One is true.", ["uno"])]
    assert prose.feed(TextDelta(" not.", 1)) == []
    assert plainly(prose.close()) == [("Two is not.", ["uno"])]


@given(
    st.sampled_from(["NO_ANSWER", "NO_ANSWER\n", "\n NO_ANSWER.", "**NO_ANSWER**\nIt is not there."]), st.integers(1, 9)
)
def test_the_agreed_line_means_no_answer(text: str, size: int) -> None:
    sentences, prose = read([(text, ())], size)
    assert sentences == []
    assert prose.answerable is False


def test_an_empty_answer_is_none() -> None:
    assert read([])[1].answerable is False


def test_no_is_not_yet_no_answer() -> None:
    sentences, prose = read([("No. That is not allowed.", ("no",))], 1)
    assert prose.answerable is True
    assert [s.text for s in sentences] == ["No.", "That is not allowed."]
