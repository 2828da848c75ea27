from core.domain.document import Block, BlockKind, CanonicalText
from core.text.canonical import canonicalise, clean_code, clean_prose


def paragraph(text: str) -> Block:
    return Block(BlockKind.PARAGRAPH, text)


def heading(text: str, level: int = 1) -> Block:
    return Block(BlockKind.HEADING, text, level=level)


def row(*cells: str, kind: BlockKind = BlockKind.TABLE_ROW, table: int = 1) -> Block:
    return Block(kind, cells=cells, table=table)


def slices(canonical: CanonicalText) -> list[str]:
    return [canonical.text[block.start : block.end] for block in canonical.blocks]


def test_prose_is_composed_and_its_blanks_are_single() -> None:
    assert clean_prose("  Vacacio\u0301nes\u00a0 de\tverano ") == "Vacaciónes de verano"


def test_every_kind_of_line_break_is_one_line_feed() -> None:
    assert clean_prose("a\r\nb\rc\u2028d\x0be\n\n\nf") == "a\nb\nc\nd\ne\nf"


def test_invisible_characters_leave_no_trace_even_in_code() -> None:
    hidden = "sa\u00adla\u200brio\u202e \U000e0041\ufeffx\x00\x1b"
    assert clean_prose(hidden) == "salario x"
    assert clean_code("if\u202e x:\u200b") == "if x:"


def test_a_letter_and_an_accent_that_a_hidden_character_parted_are_composed() -> None:
    assert clean_prose("e\u200b\u0301") == "é"


def test_code_keeps_its_indentation_and_empty_lines() -> None:
    assert clean_code("\n\ndef f():\r\n\treturn  1\n\n\nf()\n \n") == "def f():\n\treturn  1\n\n\nf()"


def test_blocks_are_parted_by_an_empty_line_and_items_by_a_line_break() -> None:
    canonical = canonicalise(
        [paragraph("Se pagan:"), Block(BlockKind.LIST_ITEM, "hotel"), Block(BlockKind.LIST_ITEM, "tren", level=1)]
    )
    assert canonical.text == "Se pagan:\n\nhotel\ntren"
    assert slices(canonical) == ["Se pagan:", "hotel", "tren"]


def test_rows_of_one_table_stand_together_and_two_tables_apart() -> None:
    canonical = canonicalise(
        [row("Plan", "Precio", kind=BlockKind.TABLE_HEADER), row("Oro", "90 €"), row("x", "y", table=2)]
    )
    assert canonical.text == "Plan | Precio\nOro | 90 €\n\nx | y"


def test_each_cell_has_its_own_offsets_even_with_bars_and_holes() -> None:
    canonical = canonicalise([row("a | b", "", "c\nd", "", "")])
    (block,) = canonical.blocks
    assert canonical.text == "a | b |  | c\nd"
    assert [canonical.text[start:end] for start, end in block.cells] == ["a | b", "", "c\nd", "", ""]


def test_sections_hold_their_headings_from_the_outermost() -> None:
    canonical = canonicalise(
        [paragraph("intro"), heading("A"), heading("A1", 2), paragraph("x"), heading("A2", 2), heading("B")]
    )
    assert [section.path for section in canonical.sections] == [(), ("A",), ("A", "A1"), ("A", "A2"), ("B",)]
    assert [block.section for block in canonical.blocks] == [0, 1, 2, 2, 3, 4]


def test_sections_partition_the_text() -> None:
    canonical = canonicalise([paragraph("intro"), heading("A"), paragraph("x"), heading("B"), paragraph("y")])
    assert "".join(canonical.text[s.start : s.end] for s in canonical.sections) == canonical.text


def test_a_level_that_is_skipped_does_not_break_the_path() -> None:
    canonical = canonicalise([heading("A", 1), heading("deep", 4), heading("B", 2)])
    assert canonical.sections[-1].path == ("A", "B")


def test_blocks_without_visible_text_leave_no_trace() -> None:
    canonical = canonicalise([heading(" \u200b"), paragraph(""), row("", " "), paragraph("x")])
    assert canonical.text == "x"
    assert [section.path for section in canonical.sections] == [()]


def test_nothing_is_an_empty_text_with_one_section() -> None:
    assert canonicalise([]) == CanonicalText("", (), canonicalise([]).sections)
    assert len(canonicalise([]).sections) == 1


def test_page_table_and_label_come_through() -> None:
    canonical = canonicalise([Block(BlockKind.CODE, "x = 1", label="python", page=3)])
    assert (canonical.blocks[0].label, canonical.blocks[0].page) == ("python", 3)
