"""Folding any text keeps the way back to its own code points, and never touches what carries meaning."""

import itertools
import re
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from core.verification.folding import fold, presentation_equal

PIECES = [
    *(
        "día",
        "vacación",
        "Ærø",
        "ﬁn",
        "oﬃce",
        "cafe\u0301",
        "İ",
        "ß",
        "½",
        "10²",
        "−5",
        "-5",
        "–5",
        "3–5",
        '12"',
        "5'",
        "″",
    ),
    *(
        "…",
        "«a»",
        "“b”",
        "‘c’",
        "don’t",
        "--",
        "—",
        "-",
        "*",
        "**",
        "_",
        "`",
        "#",
        ">",
        "•",
        "\u00ad",
        "\u200b",
        "\u00a0",
    ),
    *(
        "\u2009",
        "\n",
        "\n\n",
        "\t",
        "(",
        ")",
        "[",
        "]",
        "|",
        "€",
        "$",
        "%",
        "°",
        "1.500,50",
        "€1,500",
        "C++",
        "__init__",
    ),
    *("**neg**", "*cur*", "`cod`", "-\n", "ａ", "１", "\u0338", "\u1100", "\u1161", " ", " "),
]
texts = st.one_of(st.text(max_size=60), st.lists(st.sampled_from(PIECES), max_size=30).map("".join))

MEANING = re.compile(r"[^\W_]|[−+±%‰°€$£¥″′½²³=<≤≥≠/\\~^|&@]")


@given(st.text("abcÑñ ABC 0123456789.,;:!?()%€$/+=\"'\n", max_size=60))
def test_folding_plain_text_changes_nothing_but_white_space(text: str) -> None:
    assert fold(text).text.split() == text.split()


@given(texts, st.data())
def test_every_slice_of_the_fold_leads_back_to_a_slice_of_the_source(text: str, data: st.DataObject) -> None:
    folded = fold(text)
    if not folded.text:
        return
    start = data.draw(st.integers(0, len(folded.text) - 1))
    end = data.draw(st.integers(start + 1, len(folded.text)))
    first, last = folded.source_span(start, end)
    assert 0 <= first < last <= len(text)


@given(texts)
def test_positions_never_run_backwards_and_never_overlap(text: str) -> None:
    folded = fold(text)
    spans = [folded.source_span(place, place + 1) for place in range(len(folded.text))]
    for (first, last), (following, until) in itertools.pairwise(spans):
        assert first <= following
        assert last <= until
        assert following >= last or (first, last) == (following, until) or not text.isascii()


@given(texts)
def test_letters_digits_signs_and_units_survive_in_their_order(text: str) -> None:
    def meaning(one: str) -> str:
        spelled = (
            unicodedata.normalize("NFKC", char) if unicodedata.category(char)[0] == "L" else char for char in one
        )
        return "".join(MEANING.findall(unicodedata.normalize("NFC", "".join(spelled))))

    assert meaning(fold(text).text) == meaning(unicodedata.normalize("NFC", text))


@given(texts)
def test_the_key_is_the_text_in_small_letters_of_the_same_length(text: str) -> None:
    folded = fold(text)
    assert len(folded.key) == len(folded.text)
    assert folded.key == fold(text.replace("\r", " ")).key or "\r" in text


@given(st.text(max_size=40), st.sampled_from(["NFC", "NFD"]))
def test_a_text_and_its_normal_forms_are_presentation_equal(text: str, form: str) -> None:
    changed = unicodedata.normalize(form, text)  # type: ignore[arg-type]  # one of the two names above
    assert presentation_equal(text, changed)


@given(
    st.text("0123456789.,-−+–%€$½²\"'″ ", min_size=1, max_size=12), st.text("0123456789.,-−+–%€$½²\"'″ ", max_size=12)
)
def test_two_numbers_in_different_characters_are_different_but_for_spaces_and_ranges(one: str, other: str) -> None:
    def strict(text: str) -> str:
        return re.sub(r"(?<=[\d%€$½²\"'″.,–-])–|–(?=[ .,\-–−+%€$\"'″]|$)", "-", " ".join(text.split()))

    if presentation_equal(one, other):
        assert strict(one).replace("–", "-") == strict(other).replace("–", "-")
