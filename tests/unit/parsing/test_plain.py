"""Text, CSV, encodings, dates: what needs no library."""

import datetime as dt

import pytest

from core.domain.document import Block, BlockKind
from core.errors import ParsingError
from sync.parsing import parse_file
from sync.parsing.csv import parse_csv
from sync.parsing.dates import find_dates, read_moment
from sync.parsing.decoding import decode
from sync.parsing.formats import suffix_of
from sync.parsing.limits import FileLimits, check_size
from sync.parsing.sheets import column_name
from sync.parsing.text import parse_text


@pytest.mark.parametrize(
    "data",
    [
        "año: 5 €".encode(),
        b"\xef\xbb\xbf" + "año: 5 €".encode(),
        "año: 5 €".encode("cp1252"),
        "año: 5 €".encode("utf-16"),
        "año: 5 €".encode("utf-32"),
    ],
)
def test_encodings_are_recognised(data: bytes) -> None:
    assert decode(data) == "año: 5 €"


def test_utf_16_without_a_mark_is_recognised() -> None:
    assert decode("hola mundo".encode("utf-16-le")) == "hola mundo"
    assert decode("hola mundo".encode("utf-16-be")) == "hola mundo"


def test_a_declaration_counts_where_the_text_is_not_utf_8() -> None:
    page = "<meta charset='iso-8859-2'>Łódź".encode("iso-8859-2")
    assert decode(page).endswith("Łódź")
    wrong = "<meta charset='utf-8'>año".encode("cp1252")
    assert decode(wrong).endswith("año")
    assert decode("<meta charset='nonsense'>año".encode("cp1252")).endswith("año")


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("Jun 28, 2023", dt.date(2023, 6, 28)),
        ("Sept 26, 2024", dt.date(2024, 9, 26)),
        ("26 sept. 2024", dt.date(2024, 9, 26)),
        ("1 de enero de 2026", dt.date(2026, 1, 1)),
        ("3 d’agost de 2025", dt.date(2025, 8, 3)),
        ("5. März 2022", dt.date(2022, 3, 5)),
        ("14 août 2021", dt.date(2021, 8, 14)),
        ("2 de outubro de 2020", dt.date(2020, 10, 2)),
        ("2026-03-01T10:00:00Z", dt.date(2026, 3, 1)),
        ("01/12/2026", dt.date(2026, 12, 1)),
        ("12/31/2026", dt.date(2026, 12, 31)),
        ("5.4.2026", dt.date(2026, 4, 5)),
        ("2024年7月9日", dt.date(2024, 7, 9)),
    ],
)
def test_dates_are_read_in_many_forms(text: str, date: dt.date) -> None:
    assert find_dates(f"on {text} x") == [date]


def test_what_is_no_date_is_none() -> None:
    assert find_dates("31 Feb 2026, room 12 2026, 45/45/2026") == []


def test_moments_without_a_zone_are_utc() -> None:
    assert read_moment("2026-03-01") == dt.datetime(2026, 3, 1, tzinfo=dt.UTC)
    assert read_moment("2026-03-01T10:00:00.000Z") == dt.datetime(2026, 3, 1, 10, tzinfo=dt.UTC)
    assert read_moment("soon") is None


def test_plain_text_has_paragraphs_and_items() -> None:
    text = "Acta\n=====\n\nUno\ndos\n\n- a\n  sigue\n  * b\n1) c\n\nFin"
    assert parse_text(text.encode(), "acta.txt").blocks == (
        Block(BlockKind.PARAGRAPH, "Acta"),
        Block(BlockKind.PARAGRAPH, "Uno\ndos"),
        Block(BlockKind.LIST_ITEM, "a sigue"),
        Block(BlockKind.LIST_ITEM, "b", level=1),
        Block(BlockKind.LIST_ITEM, "1) c"),
        Block(BlockKind.PARAGRAPH, "Fin"),
    )
    assert parse_text(text.encode(), "acta.txt").title == "Acta"


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_csv_is_one_table_whatever_parts_its_cells(separator: str) -> None:
    lines = [["Plan", "Precio", "Nota"], ["Oro", "90", '"a\nb"'], ["Plata", "50", ""]]
    data = "\r\n".join(separator.join(line) for line in lines).encode("cp1252")
    header, first, _ = parse_csv(data, "x.csv").blocks
    assert (header.kind, header.cells, header.label) == (BlockKind.TABLE_HEADER, ("Plan", "Precio", "Nota"), "A1")
    assert (first.cells, first.label) == (("Oro", "90", "a\nb"), "A2")


def test_decimal_commas_do_not_part_cells() -> None:
    blocks = parse_csv(b"Zona;Precio\nNorte;1,50\nSur;2,75\n", "x.csv").blocks
    assert [block.cells for block in blocks] == [("Zona", "Precio"), ("Norte", "1,50"), ("Sur", "2,75")]


def test_rows_of_numbers_alone_have_no_header() -> None:
    assert {block.kind for block in parse_csv(b"1,2\n3,4\n", "x.csv").blocks} == {BlockKind.TABLE_ROW}


def test_an_empty_csv_is_nothing() -> None:
    assert parse_csv(b"", "x.csv").blocks == ()


def test_columns_have_letters() -> None:
    assert [column_name(number) for number in (1, 26, 27, 703)] == ["A", "Z", "AA", "AAA"]


def test_the_suffix_looks_through_templates() -> None:
    assert suffix_of("a/guide.html.md.erb") == ".md"
    assert suffix_of("X.PDF") == ".pdf"
    assert suffix_of("README") == ""


def test_a_kind_that_is_not_read_and_a_file_too_large_are_one_sentence() -> None:
    with pytest.raises(ParsingError, match=r"photo\.psd is of a kind"):
        parse_file(b"x", "photo.psd")
    with pytest.raises(ParsingError, match="more than the limit of 1 MB"):
        check_size(b"x" * (2**20 + 1), "big.txt", FileLimits(largest_file=2**20))
