from itertools import pairwise

from core.chunking import LONGEST_CHUNK, chunk_version
from core.domain.document import Block, BlockKind, Chunk
from core.text.canonical import canonicalise

SENTENCE = "El gasto número {} se justifica con su recibo y se paga con la nómina siguiente."


def paragraph(count: int, first: int = 0) -> Block:
    return Block(BlockKind.PARAGRAPH, " ".join(SENTENCE.format(first + n) for n in range(count)))


def heading(text: str, level: int = 1) -> Block:
    return Block(BlockKind.HEADING, text, level=level)


def chunks_of(*blocks: Block, title: str = "Manual de viajes") -> tuple[Chunk, ...]:
    return chunk_version("manual-viajes", title, canonicalise(blocks), "es")


def test_a_short_document_is_one_chunk() -> None:
    (chunk,) = chunks_of(heading("Viajes"), paragraph(3))
    assert chunk.chunk_id == "manual-viajes#s1-p1"
    assert chunk.section_path == ("Viajes",)
    assert chunk.context == "Manual de viajes › Viajes"


def test_no_text_is_no_chunk() -> None:
    assert chunks_of() == ()


def test_a_long_section_is_cut_between_sentences_with_one_sentence_of_overlap() -> None:
    blocks = [heading("Gastos"), *(paragraph(4, first) for first in range(0, 60, 4))]
    text = canonicalise(blocks).text
    chunks = chunks_of(*blocks)
    assert len(chunks) > 3
    assert all(len(chunk.text) <= 1_250 for chunk in chunks)
    for before, after in pairwise(chunks):
        assert 0 < before.end - after.start <= 150
        assert text[after.start :].startswith("El gasto")
        assert before.text.endswith(".")
    assert [chunk.chunk_id for chunk in chunks][:2] == ["manual-viajes#s1-p1", "manual-viajes#s1-p2"]


def test_a_heading_travels_with_the_text_under_it() -> None:
    chunks = chunks_of(
        heading("Manual"), heading("Viajes", 2), paragraph(12), heading("Hotel", 2), paragraph(12), heading("Fin", 2)
    )
    assert [chunk.text.split("\n\n")[0] for chunk in chunks] == ["Manual", "Hotel"]
    assert chunks[-1].text.endswith("Fin")  # a heading with nothing under it


def test_small_sections_under_one_parent_share_a_chunk_and_name_their_parent() -> None:
    chunks = chunks_of(
        heading("Preguntas"), heading("¿Hotel?", 2), paragraph(1), heading("¿Tren?", 2), paragraph(2), title="FAQ"
    )
    assert len(chunks) == 1
    assert chunks[0].section_path == ("Preguntas",)


def test_a_section_under_another_parent_begins_a_new_chunk() -> None:
    chunks = chunks_of(heading("A"), heading("A1", 2), paragraph(1), heading("B"), paragraph(1))
    assert [chunk.section_path for chunk in chunks] == [("A", "A1"), ("B",)]


def test_a_table_over_two_chunks_has_its_header_in_each() -> None:
    header = Block(BlockKind.TABLE_HEADER, cells=("Código", "Acción"), table=1)
    rows = [Block(BlockKind.TABLE_ROW, cells=(f"E-{n}", SENTENCE.format(n)), table=1) for n in range(40)]
    blocks = [heading("Códigos"), header, *rows]
    text = canonicalise(blocks).text
    first, *others = chunks_of(*blocks)
    assert first.header is None
    assert others
    for chunk in others:
        assert chunk.header is not None
        assert text[slice(*chunk.header)] == "Código | Acción"
        assert chunk.context == "Manual de viajes › Códigos\nCódigo | Acción"
        assert chunk.text.startswith("E-")
        assert chunk.text.endswith(".")


def test_a_header_row_is_not_left_behind_by_its_rows() -> None:
    header = Block(BlockKind.TABLE_HEADER, cells=("Código", "Acción"), table=1)
    rows = [Block(BlockKind.TABLE_ROW, cells=(f"E-{n}", SENTENCE.format(n)), table=1) for n in range(9)]
    for chunk in chunks_of(heading("Códigos"), paragraph(12), header, *rows):
        assert not chunk.text.endswith("Acción")


def test_a_heading_longer_than_a_chunk_loses_nothing() -> None:
    title = "palabra " * 500
    chunks = chunks_of(heading(title), paragraph(2))
    assert all(len(chunk.text) <= LONGEST_CHUNK for chunk in chunks)
    assert sum(chunk.text.count("palabra") for chunk in chunks) == 500
    assert all(len(chunk.context) < 250 for chunk in chunks)


def test_text_without_any_blank_is_cut_all_the_same() -> None:
    chunks = chunks_of(Block(BlockKind.PARAGRAPH, "x" * 5_000))
    assert "".join(chunk.text for chunk in chunks) == "x" * 5_000
    assert all(chunk.sentences == ((chunk.start, chunk.end),) for chunk in chunks)


def test_repeated_paragraphs_have_their_own_true_offsets() -> None:
    blocks = [paragraph(8)] * 10
    text = canonicalise(blocks).text
    chunks = chunks_of(*blocks)
    assert len({chunk.start for chunk in chunks}) == len(chunks)
    assert all(chunk.text == text[chunk.start : chunk.end] for chunk in chunks)


def test_an_intro_that_ends_in_a_colon_stays_with_its_list() -> None:
    items = [Block(BlockKind.LIST_ITEM, SENTENCE.format(n)) for n in range(6)]
    chunks = chunks_of(paragraph(11), Block(BlockKind.PARAGRAPH, "Se pagan siempre:"), *items)
    assert not any(chunk.text.endswith(":") for chunk in chunks)


def test_code_is_not_cut_while_it_fits() -> None:
    code = "\n".join(f"paso_{n}()" for n in range(80))
    chunks = chunks_of(paragraph(6), Block(BlockKind.CODE, code, label="python"), paragraph(6))
    assert any(code in chunk.text for chunk in chunks)


def test_sentences_leave_out_headings_unless_there_is_nothing_else() -> None:
    blocks = [heading("Gastos"), paragraph(2)]
    text = canonicalise(blocks).text
    (chunk,) = chunks_of(*blocks)
    assert [text[start:end] for start, end in chunk.sentences] == [SENTENCE.format(0), SENTENCE.format(1)]
    (only_heading,) = chunks_of(heading("Gastos"))
    assert only_heading.sentences == ((0, 6),)


def test_a_chunk_knows_the_page_on_which_it_begins() -> None:
    pages = [Block(BlockKind.PARAGRAPH, paragraph(10).text, page=page) for page in (1, 2, 3)]
    assert [chunk.page for chunk in chunks_of(*pages)] == [1, 2, 3]


def test_a_title_that_the_first_heading_repeats_is_said_once() -> None:
    (chunk,) = chunks_of(heading("Manual de viajes"), heading("Hotel", 2), paragraph(1))
    assert chunk.context == "Manual de viajes › Hotel"
