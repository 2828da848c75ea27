import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from core.domain.document import Block, BlockKind
from core.text.canonical import canonicalise, clean_code, clean_prose
from core.text.sentences import sentence_spans, split_sentences

texts = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from("ab. \n\r\t|é¿?\u0301\u00a0\u200b\u202e\u00ad\u2028\x0b\x1c\ufeff1"),
    ),
    max_size=60,
)
levels = st.integers(0, 6)


@st.composite
def blocks(draw: st.DrawFn) -> Block:
    kind = draw(st.sampled_from(list(BlockKind)))
    if kind in {BlockKind.TABLE_HEADER, BlockKind.TABLE_ROW}:
        return Block(kind, cells=tuple(draw(st.lists(texts, max_size=4))), table=draw(st.integers(1, 2)))
    return Block(kind, draw(texts), level=draw(levels))


documents = st.lists(blocks(), max_size=12)


@given(documents)
def test_the_canonical_text_has_one_normal_form(document: list[Block]) -> None:
    text = canonicalise(document).text
    assert unicodedata.is_normalized("NFC", text)
    text.encode("utf-8")
    assert not [c for c in text if unicodedata.category(c) in {"Cc", "Cs"} and c not in "\n\t"]
    assert not set(text) & set("\u200b\u202e\u00ad\u2028\ufeff\r")


@given(texts)
def test_cleaning_twice_is_cleaning_once(text: str) -> None:
    assert clean_prose(clean_prose(text)) == clean_prose(text)
    assert clean_code(clean_code(text)) == clean_code(text)


@given(documents)
def test_every_visible_character_is_in_exactly_one_block_and_one_section(document: list[Block]) -> None:
    canonical = canonicalise(document)
    covered = 0
    for block in canonical.blocks:
        assert not canonical.text[covered : block.start].strip()
        assert covered <= block.start < block.end
        section = canonical.sections[block.section]
        assert section.start <= block.start and block.end <= section.end
        covered = block.end
    assert covered == len(canonical.text)
    assert "".join(canonical.text[s.start : s.end] for s in canonical.sections) == canonical.text


@given(documents)
def test_each_cell_lies_in_its_row_and_holds_its_text(document: list[Block]) -> None:
    canonical = canonicalise(document)
    rows = [b for b in document if b.cells and any(clean_prose(c) for c in b.cells)]
    spans = [b for b in canonical.blocks if b.cells]
    for row, span in zip(rows, [s for s in spans if len(s.cells)], strict=False):
        if len(row.cells) == len(span.cells):
            assert [canonical.text[a:b] for a, b in span.cells] == [clean_prose(c) for c in row.cells]


@given(documents)
def test_sentences_hold_every_visible_character_of_prose_once(document: list[Block]) -> None:
    canonical = canonicalise(document)
    position = 0
    for start, end in sentence_spans(canonical):
        assert position <= start < end
        assert canonical.text[start:end] == canonical.text[start:end].strip()
        position = end


@given(texts)
def test_only_blanks_stand_between_sentences(text: str) -> None:
    text = clean_prose(text)
    position = 0
    for start, end in split_sentences(text):
        assert not text[position:start].strip()
        position = end
    assert not text[position:].strip()
