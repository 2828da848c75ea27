from hypothesis import given
from hypothesis import strategies as st

from core.chunking import LONGEST_CHUNK, align_chunk_ids, chunk_version
from core.domain.document import Block, BlockKind, Chunk
from core.text.canonical import canonicalise

words = st.sampled_from(["vacaciones", "hotel", "E-4012", "90 €", "no", "según el artículo 5", "x" * 400, "¿cuándo?"])
sentences = st.builds(
    lambda ws, end: " ".join(ws).capitalize() + end,
    st.lists(words, min_size=1, max_size=25),
    st.sampled_from([". ", "? ", "\n", " "]),
)
prose = st.builds("".join, st.lists(sentences, max_size=12))


@st.composite
def blocks(draw: st.DrawFn) -> Block:
    kind = draw(st.sampled_from(list(BlockKind)))
    if kind in {BlockKind.TABLE_HEADER, BlockKind.TABLE_ROW}:
        return Block(kind, cells=tuple(draw(st.lists(prose, max_size=3))), table=draw(st.integers(1, 2)))
    return Block(kind, draw(prose), level=draw(st.integers(0, 3)))


documents = st.lists(blocks(), max_size=14)


def chunks_of(document: list[Block]) -> tuple[Chunk, ...]:
    return chunk_version("d", "Title", canonicalise(document), "es")


@given(documents)
def test_a_chunk_is_exactly_its_slice_and_never_too_long(document: list[Block]) -> None:
    text = canonicalise(document).text
    for chunk in chunks_of(document):
        assert chunk.text == text[chunk.start : chunk.end] == chunk.text.strip()
        assert 0 < len(chunk.text) <= LONGEST_CHUNK


@given(documents)
def test_every_visible_character_is_in_a_chunk(document: list[Block]) -> None:
    text = canonicalise(document).text
    covered = 0
    for chunk in chunks_of(document):
        assert not text[covered : chunk.start].strip()
        assert chunk.end > covered
        covered = chunk.end
    assert not text[covered:].strip()


@given(documents)
def test_chunks_overlap_little_and_come_in_order(document: list[Block]) -> None:
    end = 0
    start = -1
    for chunk in chunks_of(document):
        assert chunk.start > start
        assert end - chunk.start <= 150
        start, end = chunk.start, chunk.end


@given(documents)
def test_ids_are_unique_and_sentences_lie_inside(document: list[Block]) -> None:
    chunks = chunks_of(document)
    assert len({chunk.chunk_id for chunk in chunks}) == len(chunks)
    for chunk in chunks:
        assert chunk.sentences
        assert all(chunk.start <= start < end <= chunk.end for start, end in chunk.sentences)
        if chunk.header is not None:
            assert chunk.header[1] <= chunk.start


@given(documents, documents, st.sets(st.sampled_from([f"d#s{s}-p{p}" for s in range(3) for p in (1, 2, 3)])))
def test_no_id_is_given_twice_and_no_used_id_comes_back(one: list[Block], other: list[Block], used: set[str]) -> None:
    old = align_chunk_ids([], chunks_of(one), used)
    new = align_chunk_ids([(c.chunk_id, c.text) for c in old], chunks_of(other), used)
    ids = [chunk.chunk_id for chunk in new]
    assert len(set(ids)) == len(ids)
    assert not used & {chunk.chunk_id for chunk in old}
    assert not used & set(ids)


@given(documents, documents)
def test_unchanged_text_keeps_its_id_wherever_it_goes(kept: list[Block], added: list[Block]) -> None:
    old = chunks_of(kept)
    new = align_chunk_ids([(c.chunk_id, c.text) for c in old], chunks_of([*added, *kept]))
    by_text: dict[str, set[str]] = {}
    for chunk in old:
        by_text.setdefault(chunk.text, set()).add(chunk.chunk_id)
    for text, ids in by_text.items():
        here = [chunk.chunk_id for chunk in new if chunk.text == text]
        assert len(ids & set(here)) == min(len(ids), len(here))
