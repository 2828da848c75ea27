"""PDF, on files that are written here by hand: a font, and text at places."""

from pathlib import Path

import pytest

from core.domain.document import BlockKind
from core.errors import ParsingError
from sync.parsing.pdf import parse_pdf
from sync.parsing.pdf_text import join_lines
from tests.unit.parsing.pdf_files import Text, lines, pdf

CORPUS = Path(__file__).resolve().parents[2] / "corpus"


def test_headings_are_told_by_size_and_lines_joined_to_paragraphs() -> None:
    page = [
        (70, 780, 18, "Plan de emergencia"),
        (70, 740, 14, "1. Alarma"),
        *lines(715, "Quien vea fuego pulsa el", "pulsador más cercano y llama a la exten-", "sión 1112 sin demora."),
        *lines(640, "Otro párrafo, que va después y que es bastante", "más largo que los títulos."),
    ]
    blocks = parse_pdf(pdf(page), "plan.pdf").blocks
    assert [(block.kind, block.level, block.text) for block in blocks] == [
        (BlockKind.HEADING, 1, "Plan de emergencia"),
        (BlockKind.HEADING, 2, "1. Alarma"),
        (
            BlockKind.PARAGRAPH,
            0,
            "Quien vea fuego pulsa el pulsador más cercano y llama a la extensión 1112 sin demora.",
        ),
        (BlockKind.PARAGRAPH, 0, "Otro párrafo, que va después y que es bastante más largo que los títulos."),
    ]


def test_running_heads_and_page_numbers_are_left_out_and_a_sentence_goes_over_the_page() -> None:
    def page(number: int, *body: str) -> list[Text]:
        return [(70, 820, 8, "Manual de Casa"), *lines(600, *body), (290, 20, 8, f"Página {number}")]

    parsed = parse_pdf(
        pdf(page(1, "La primera página dice que el plazo"), page(2, "termina en marzo."), page(3, "Fin.")), "m.pdf"
    )
    assert [(block.page, block.text) for block in parsed.blocks] == [
        (1, "La primera página dice que el plazo termina en marzo."),
        (3, "Fin."),
    ]


def test_items_are_told_by_their_marks() -> None:
    page = lines(700, "Se pagan:", "\x95 el hotel", "\x95 el tren", "1. Primero", "2. Segundo")
    blocks = parse_pdf(pdf([(x, y, s, t.replace("\x95", "\\225")) for x, y, s, t in page]), "l.pdf").blocks
    assert [(block.kind, block.text) for block in blocks] == [
        (BlockKind.PARAGRAPH, "Se pagan:"),
        (BlockKind.LIST_ITEM, "el hotel"),
        (BlockKind.LIST_ITEM, "el tren"),
        (BlockKind.LIST_ITEM, "1. Primero"),
        (BlockKind.LIST_ITEM, "2. Segundo"),
    ]


def test_two_columns_are_read_one_after_the_other() -> None:
    left = lines(760, *(f"izquierda línea {n} con varias palabras" for n in range(20)), size=9)
    right = lines(760, *(f"derecha línea {n} con varias palabras" for n in range(20)), size=9, left=320)
    text = " ".join(block.text for block in parse_pdf(pdf([*left, *right]), "c.pdf").blocks)
    assert text.index("izquierda línea 19") < text.index("derecha línea 0")


def test_a_ruled_table_has_its_header_and_its_cells_and_goes_on_over_the_page() -> None:
    rules = "".join(f"70 {y} m 470 {y} l S\n" for y in (800, 780, 760)) + "".join(
        f"{x} 760 m {x} 800 l S\n" for x in (70, 200, 330, 470)
    )

    def page(*rows: tuple[str, str, str]) -> list[Text]:
        return [
            (x, 786 - 20 * n, 10, cell)
            for n, row in enumerate(rows)
            for x, cell in zip((75, 205, 335), row, strict=True)
        ]

    head = ("Zona", "Punto", "Responsable")
    parsed = parse_pdf(pdf(page(head, ("A", "P1", "Ana")), page(head, ("B", "P2", "Luis")), drawing=rules), "t.pdf")
    assert [(block.kind.value, block.table, block.page, block.cells) for block in parsed.blocks] == [
        ("table_header", 1, 1, head),
        ("table_row", 1, 1, ("A", "P1", "Ana")),
        ("table_row", 1, 2, ("B", "P2", "Luis")),
    ]


def test_a_file_without_text_needs_ocr() -> None:
    with pytest.raises(ParsingError, match=r"scan\.pdf has no text: it needs OCR"):
        parse_pdf(pdf([], []), "scan.pdf")


def test_a_protected_file_is_one_sentence() -> None:
    lock = "/Encrypt << /Filter /Standard /V 1 /R 2 /O ({0}) /U ({0}) /P -44 >> /ID [(a) (a)]".format("x" * 32)
    with pytest.raises(ParsingError, match="protected by a password"):
        parse_pdf(pdf([(70, 700, 10, "secreto")], trailer=lock), "s.pdf")


@pytest.mark.parametrize("data", [b"", b"%PDF-1.4", b"<html>", pdf([(70, 700, 10, "x")])[:300]])
def test_a_broken_file_is_one_sentence(data: bytes) -> None:
    with pytest.raises(ParsingError, match=r"^b\.pdf (is broken|has no text)"):
        parse_pdf(data, "b.pdf")


def test_a_hyphen_of_its_own_stays() -> None:
    assert (
        join_lines(["un contrato low-", "cost y la infor-", "mación"], {"low-cost": 1})
        == "un contrato low-cost y la información"
    )
    assert join_lines(["de Ribarroja-", "Valencia"], {}) == "de Ribarroja- Valencia"


def test_the_sample_plan_is_read_with_its_tables_and_pages() -> None:
    parsed = parse_pdf((CORPUS / "folder/seguridad/plan-emergencia-ribarroja.pdf").read_bytes(), "plan.pdf")
    assert parsed.title == "Plan de emergencia de Ribarroja"
    assert {block.page for block in parsed.blocks} == {1, 2}
    assert ("Zona", "Punto de encuentro", "Responsable del recuento") in [block.cells for block in parsed.blocks]
