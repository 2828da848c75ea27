"""Word, Excel and PowerPoint, on files that the tests write with the same libraries."""

import datetime as dt
import io
import zipfile
from collections.abc import Callable

import docx
import openpyxl
import pptx
import pytest
from docx.oxml import OxmlElement
from openpyxl.styles import Font

from core.domain.document import Block, BlockKind, DocumentStatus
from core.errors import ParsingError
from sync.parsing import ParsedFile, parse_file
from sync.parsing.docx import parse_docx
from sync.parsing.pptx import parse_pptx
from sync.parsing.xlsx import parse_xlsx


def saved(document: object) -> bytes:
    out = io.BytesIO()
    document.save(out)  # type: ignore[attr-defined]  # docx, openpyxl and pptx are untyped here
    return out.getvalue()


def word(build: Callable[[object], None]) -> ParsedFile:
    document = docx.Document()
    build(document)
    return parse_docx(saved(document), "guia.docx")


class TestWord:
    def test_headings_lists_and_paragraphs_are_told_by_style(self) -> None:
        def build(document) -> None:  # type: ignore[no-untyped-def]
            document.add_heading("Guía", 0)
            document.add_heading("Horario", 2)
            document.add_paragraph("Abre a las 8.")
            document.add_paragraph("uno", style="List Bullet")
            document.add_paragraph("dos", style="List Bullet 2")
            document.add_paragraph("primero", style="List Number")
            document.add_paragraph("segundo", style="List Number")
            document.add_paragraph("cita", style="Quote")

        parsed = word(build)
        assert parsed.title == "Guía"
        assert parsed.blocks == (
            Block(BlockKind.HEADING, "Guía", level=1),
            Block(BlockKind.HEADING, "Horario", level=2),
            Block(BlockKind.PARAGRAPH, "Abre a las 8."),
            Block(BlockKind.LIST_ITEM, "uno"),
            Block(BlockKind.LIST_ITEM, "dos", level=1),
            Block(BlockKind.LIST_ITEM, "1. primero"),
            Block(BlockKind.LIST_ITEM, "2. segundo"),
            Block(BlockKind.QUOTE, "cita"),
        )

    def test_merged_cells_and_tables_in_cells_keep_each_text_once(self) -> None:
        def build(document) -> None:  # type: ignore[no-untyped-def]
            table = document.add_table(3, 3)
            for column, name in enumerate(("Zona", "Mes", "Año")):
                table.cell(0, column).paragraphs[0].add_run(name).bold = True
            table.cell(1, 0).merge(table.cell(2, 0)).text = "Norte"
            table.cell(1, 1).merge(table.cell(1, 2)).text = "gratis"
            inner = table.cell(2, 1).add_table(1, 2)
            inner.cell(0, 0).text, inner.cell(0, 1).text = "x", "y"
            table.cell(2, 2).text = "9"

        assert [(b.kind is BlockKind.TABLE_HEADER, b.table, b.cells) for b in word(build).blocks] == [
            (True, 1, ("Zona", "Mes", "Año")),
            (False, 1, ("Norte", "gratis", "")),
            (False, 1, ("", "", "9")),
            (False, 2, ("x", "y")),
        ]

    def test_struck_out_and_hidden_text_is_not_taken_for_what_holds(self) -> None:
        def build(document) -> None:  # type: ignore[no-untyped-def]
            paragraph = document.add_paragraph()
            paragraph.add_run("30").font.strike = True
            paragraph.add_run(" 23 días")
            paragraph.add_run(" oculto").font.hidden = True
            deleted = OxmlElement("w:del")
            run = OxmlElement("w:r")
            text = OxmlElement("w:delText")
            text.text = "borrado"
            run.append(text)
            deleted.append(run)
            paragraph._p.append(deleted)

        assert [block.text for block in word(build).blocks] == ["~~30~~ 23 días"]

    def test_properties_are_metadata(self) -> None:
        def build(document) -> None:  # type: ignore[no-untyped-def]
            document.core_properties.title = "Manual"
            document.core_properties.author = "Ana"
            document.core_properties.keywords = "vpn, obsoleto"
            document.core_properties.modified = dt.datetime(2026, 3, 2, 9)

        parsed = word(build)
        assert (parsed.title, parsed.hints.author, parsed.hints.labels) == ("Manual", "Ana", ("vpn", "obsoleto"))
        assert parsed.hints.modified_at == dt.datetime(2026, 3, 2, 9, tzinfo=dt.UTC)
        assert parsed.hints.status is DocumentStatus.OBSOLETE


class TestExcel:
    def test_a_sheet_is_a_section_and_each_row_knows_its_cell(self) -> None:
        book = openpyxl.Workbook()
        sheet = book.active
        sheet.title = "Tarifas 2026"
        for row in (["Tarifas por zona"], [], [], ["", "Zona", "Precio", "IVA", "Desde"]):
            sheet.append(row)
        sheet.append([None, "Norte", 90.5, 0.21, dt.datetime(2026, 1, 31)])
        sheet.append([None, "Sur", 1200, 0.1, dt.datetime(2026, 2, 1)])
        sheet["C5"].number_format = '#,##0.00 "€"'
        sheet["D5"].number_format = sheet["D6"].number_format = "0%"
        sheet["B4"].font = Font(bold=True)
        book.create_sheet("Vacía")
        hidden = book.create_sheet("Oculta")
        hidden.append(["secreto", "x"])
        hidden.sheet_state = "hidden"
        assert parse_xlsx(saved(book), "t.xlsx").blocks == (
            Block(BlockKind.HEADING, "Tarifas 2026", level=1, label="Tarifas 2026"),
            Block(BlockKind.PARAGRAPH, "Tarifas por zona", label="Tarifas 2026!A1"),
            Block(BlockKind.TABLE_HEADER, cells=("Zona", "Precio", "IVA", "Desde"), table=2, label="Tarifas 2026!B4"),
            Block(
                BlockKind.TABLE_ROW, cells=("Norte", "90.50 €", "21 %", "2026-01-31"), table=2, label="Tarifas 2026!B5"
            ),
            Block(BlockKind.TABLE_ROW, cells=("Sur", "1200", "10 %", "2026-02-01"), table=2, label="Tarifas 2026!B6"),
        )

    def test_a_title_and_notes_around_a_table_are_paragraphs(self) -> None:
        book = openpyxl.Workbook()
        for row in (["Presupuesto"], ["Área", "Gasto", "Total"], ["IT", 1, 2], ["Nota: sin IVA"]):
            book.active.append(row)
        kinds = [block.kind for block in parse_xlsx(saved(book), "t.xlsx").blocks]
        assert kinds[1:] == [BlockKind.PARAGRAPH, BlockKind.TABLE_HEADER, BlockKind.TABLE_ROW, BlockKind.PARAGRAPH]

    def test_binary_fractions_leave_no_noise(self) -> None:
        book = openpyxl.Workbook()
        book.active.append(["a", 0.1 + 0.2, True, 3.0])
        assert parse_xlsx(saved(book), "t.xlsx").blocks[1].cells == ("a", "0.3", "TRUE", "3")


class TestPowerPoint:
    def test_a_slide_is_a_section_and_a_page(self) -> None:
        deck = pptx.Presentation()
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = "Plan 2026"
        body = slide.placeholders[1].text_frame
        body.text = "uno"
        second = body.add_paragraph()
        second.text, second.level = "dos", 1
        slide.notes_slide.notes_text_frame.text = "decir despacio"
        second_slide = deck.slides.add_slide(deck.slide_layouts[6])
        table = second_slide.shapes.add_table(2, 2, 0, 0, 3_000_000, 900_000).table
        for row, cells in enumerate((("Mes", "Venta"), ("Enero", "5"))):
            for column, text in enumerate(cells):
                table.cell(row, column).text = text
        hidden = deck.slides.add_slide(deck.slide_layouts[1])
        hidden.shapes.title.text = "no"
        hidden._element.set("show", "0")
        assert parse_pptx(saved(deck), "p.pptx").blocks == (
            Block(BlockKind.HEADING, "Plan 2026", level=1, page=1),
            Block(BlockKind.LIST_ITEM, "uno", page=1),
            Block(BlockKind.LIST_ITEM, "dos", level=1, page=1),
            Block(BlockKind.PARAGRAPH, "decir despacio", page=1, label="notes"),
            Block(BlockKind.HEADING, "2", level=1, page=2),
            Block(BlockKind.TABLE_HEADER, cells=("Mes", "Venta"), table=1, page=2),
            Block(BlockKind.TABLE_ROW, cells=("Enero", "5"), table=1, page=2),
        )


def bomb() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("word/document.xml", b"0" * (50 * 1024 * 1024))
    return out.getvalue()


def incomplete() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as package:
        package.writestr("readme.txt", "no Office file")
    return out.getvalue()


@pytest.mark.parametrize("suffix", ["docx", "xlsx", "pptx"])
@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "broken"),
        (b"PK\x03\x04 cut off", "broken"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "password"),
        (bomb(), "refused"),
        (incomplete(), "broken"),
    ],
    ids=["empty", "cut off", "encrypted", "bomb", "no parts"],
)
def test_a_file_that_cannot_be_read_is_one_sentence(suffix: str, data: bytes, sentence: str) -> None:
    with pytest.raises(ParsingError, match=sentence) as caught:
        parse_file(data, f"x.{suffix}")
    assert f"x.{suffix}" in str(caught.value)
    assert "\n" not in str(caught.value)
