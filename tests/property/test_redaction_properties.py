"""Redaction over generated text: nothing sensitive is left, nothing else is lost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from stdnum import iban, luhn
from stdnum.es import dni

from core.domain.document import Block, BlockKind
from core.domain.redaction import DEFAULT_POLICY, Policy, SensitiveKind
from core.redaction import redact_blocks, redact_text
from core.text.canonical import canonicalise

NOTHING: Policy = frozenset()
EVERYTHING: Policy = frozenset(SensitiveKind)

WORDS = st.text(alphabet="abcdefghijklmnñopqrstuvwxyzáéíóú .,\n\u00a0\u200bÑİß", max_size=60)
ANY = st.text(max_size=120)


@st.composite
def grouped(draw: st.DrawFn, number: str) -> str:
    separator = draw(st.sampled_from(["", " ", "-", "\u00a0"]))
    return separator.join(number[at : at + 4] for at in range(0, len(number), 4))


@st.composite
def spanish_ibans(draw: st.DrawFn) -> str:
    account = draw(st.text(alphabet="0123456789", min_size=20, max_size=20))
    return "ES" + iban.calc_check_digits("ES00" + account) + account


@st.composite
def card_numbers(draw: st.DrawFn) -> str:
    first = draw(st.sampled_from(["4", "51", "55"]))
    body = first + draw(st.text(alphabet="0123456789", min_size=15 - len(first), max_size=15 - len(first)))
    return body + luhn.calc_check_digit(body)


@st.composite
def dnis(draw: st.DrawFn) -> str:
    digits = draw(st.text(alphabet="0123456789", min_size=8, max_size=8))
    return digits + dni.calc_check_digit(digits)


@given(before=WORDS, after=WORDS, data=st.data())
def test_no_valid_number_is_left_in_the_canonical_text(before: str, after: str, data: st.DataObject) -> None:
    number = data.draw(st.one_of(spanish_ibans(), card_numbers()))
    written = data.draw(grouped(number))
    blocks, count = redact_blocks([Block(BlockKind.PARAGRAPH, f"{before}. Cuenta: {written} {after}")], DEFAULT_POLICY)
    plain = canonicalise(blocks).text.replace(" ", "").replace("-", "").replace("\n", "")
    assert number not in plain
    assert count.total() == 1


@given(before=WORDS, number=dnis(), after=WORDS)
def test_no_valid_dni_is_left(before: str, number: str, after: str) -> None:
    text, _ = redact_text(f"{before} (DNI {number}) {after}", DEFAULT_POLICY)
    assert number not in text


@given(st.lists(st.builds(Block, st.sampled_from(BlockKind), ANY, cells=st.just(())), max_size=6))
def test_with_nothing_to_redact_the_canonical_text_is_the_same(blocks: list[Block]) -> None:
    redacted, count = redact_blocks(blocks, NOTHING)
    assert canonicalise(redacted) == canonicalise(blocks)
    assert not count


@given(st.lists(st.one_of(ANY, WORDS, st.sampled_from(["password: Xk29!fj", "4111 1111 1111 1111"])), max_size=6))
def test_redacting_twice_changes_nothing_more(texts: list[str]) -> None:
    once, _ = redact_blocks([Block(BlockKind.PARAGRAPH, text) for text in texts], EVERYTHING)
    twice, again = redact_blocks(once, EVERYTHING)
    assert canonicalise(twice) == canonicalise(once)
    assert not again


@given(
    st.lists(st.sampled_from(["Verano2026 es buena.", "IBAN", "password: Xk29!fj", "DNI 12345678Z", "x"]), max_size=8)
)
def test_the_count_is_the_number_of_placeholders(texts: list[str]) -> None:
    blocks, count = redact_blocks([Block(BlockKind.PARAGRAPH, text) for text in texts], DEFAULT_POLICY)
    assert sum(block.text.count("[redacted: ") for block in blocks) == count.total()
