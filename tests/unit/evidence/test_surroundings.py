from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain.document import Block, BlockKind, CanonicalText
from core.evidence.surroundings import AROUND, paragraph_of, said_now
from core.text.canonical import canonicalise


def text_of(*paragraphs: str) -> CanonicalText:
    return canonicalise([Block(BlockKind.PARAGRAPH, paragraph) for paragraph in paragraphs])


def around(canonical: CanonicalText, quote: str) -> tuple[str, str, str]:
    start = canonical.text.index(quote)
    paragraph = paragraph_of(canonical, start, start + len(quote))
    return paragraph.before, paragraph.quote, paragraph.after


def test_a_quote_stands_within_its_own_paragraph_and_no_other() -> None:
    text = text_of("Before it.", "Leave is paid. It is 25 days. Ask early.", "After it.")
    assert around(text, "It is 25 days.") == ("Leave is paid. ", "It is 25 days.", " Ask early.")


def test_a_quote_over_two_paragraphs_shows_both() -> None:
    text = text_of("Leave is paid. Ask early.", "It is 25 days. No more.")
    before, quote, after = around(text, text.text[text.text.index("Ask") : text.text.index(" No more")])
    assert (before, quote.split(), after) == (
        "Leave is paid. ",
        ["Ask", "early.", "It", "is", "25", "days."],
        " No more.",
    )


def test_a_long_paragraph_is_cut_at_words_on_both_sides() -> None:
    filler = "word " * 300
    before, quote, after = around(text_of(f"{filler}It is 25 days. {filler}"), "It is 25 days.")
    assert quote == "It is 25 days."
    assert before.startswith("… word")
    assert after.endswith("word…")
    assert max(len(before), len(after)) <= AROUND + 1


def test_a_row_brings_the_header_of_its_own_table() -> None:
    def row(kind: BlockKind, table: int, *cells: str) -> Block:
        return Block(kind, cells=cells, table=table)

    text = canonicalise(
        [
            row(BlockKind.TABLE_HEADER, 1, "Colour", "Code"),
            row(BlockKind.TABLE_ROW, 1, "Red", "R"),
            row(BlockKind.TABLE_HEADER, 2, "Country", "Hotel"),
            row(BlockKind.TABLE_ROW, 2, "France", "165"),
            row(BlockKind.TABLE_ROW, 2, "Portugal", "120"),
        ]
    )
    start = text.text.index("Portugal")
    paragraph = paragraph_of(text, start, len(text.text))
    assert paragraph.header == "Country | Hotel"
    assert (paragraph.before, paragraph.quote) == ("", "Portugal | 120")


@given(st.lists(st.text(alphabet="ab .\n", max_size=900), min_size=1, max_size=4), st.data())
def test_the_quote_itself_is_never_cut_or_moved(paragraphs: list[str], data: st.DataObject) -> None:
    text = text_of(*paragraphs)
    start = data.draw(st.integers(0, len(text.text)))
    end = data.draw(st.integers(start, len(text.text)))
    paragraph = paragraph_of(text, start, end)
    assert paragraph.quote == text.text[start:end]
    assert text.text[:start].endswith(paragraph.before.removeprefix("…"))
    assert text.text[end:].startswith(paragraph.after.removesuffix("…"))


@pytest.mark.parametrize(
    ("now", "said"),
    [
        ("Annual leave is 24 working days.", "Annual leave is 24 working days."),
        ("Sick leave is paid. Annual leave is now 30 working days.", "Annual leave is now 30 working days."),
        ("Parking costs 35 euros a month.", ""),
        ("", ""),
    ],
)
def test_what_is_said_in_the_place_of_a_quote_is_the_sentence_most_like_it(now: str, said: str) -> None:
    assert said_now(text_of(now), "Annual leave is 25 working days.") == said


def test_of_two_quoted_sentences_the_one_that_still_stands_is_itself() -> None:
    quote = "Annual leave is 25 working days. Up to 5 days may be carried over."
    now = text_of("Up to 3 days may be carried over.", "Annual leave is 25 working days.")
    assert said_now(now, quote) == "Annual leave is 25 working days.\nUp to 3 days may be carried over."


def test_a_changed_row_is_found_among_its_neighbours() -> None:
    rows = [("France", "62,00 €", "165,00 €"), ("Portugal", "50,00 €", "125,00 €"), ("Italy", "60,00 €", "160,00 €")]
    text = canonicalise([Block(BlockKind.TABLE_ROW, cells=row, table=1) for row in rows])
    assert said_now(text, "Portugal | 48,00 € | 125,00 €") == "Portugal | 50,00 € | 125,00 €"
