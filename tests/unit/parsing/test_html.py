import pytest

from core.domain.document import Block, BlockKind
from core.errors import ParsingError
from sync.parsing.html import parse_html


def read(body: str) -> tuple[Block, ...]:
    return parse_html(f"<html><body>{body}</body></html>".encode(), "page.html").blocks


def texts(body: str) -> list[str]:
    return [block.text for block in read(body)]


def rows(body: str) -> list[tuple[str, tuple[str, ...]]]:
    return [
        (block.kind.value.removeprefix("table_"), tuple(" ".join(cell.split()) for cell in block.cells))
        for block in read(body)
        if block.cells
    ]


def test_headings_and_paragraphs_come_in_order_with_their_levels() -> None:
    assert read("<h1>Viajes <em>y</em> gastos</h1>suelto <b>texto</b><div><h3>Hotel</h3><p>Hasta 120 €</p></div>") == (
        Block(BlockKind.HEADING, "Viajes y gastos", level=1),
        Block(BlockKind.PARAGRAPH, "suelto texto"),
        Block(BlockKind.HEADING, "Hotel", level=3),
        Block(BlockKind.PARAGRAPH, "Hasta 120 €"),
    )


def test_line_breaks_of_the_source_are_blanks_and_br_is_a_line_break() -> None:
    assert texts("<p>uno\n   dos<br>tres</p>") == ["uno dos\ntres"]


def test_what_a_browser_does_not_show_leaves_no_text() -> None:
    hidden = (
        "<script>a()</script><style>p{}</style><template>t</template><nav>menú</nav><!-- c --><noscript>n</noscript>"
        "<p hidden>h</p><p style='display: none'>d</p><select><option>o</option></select><button>Copy</button>"
    )
    assert texts(f"<p>a{hidden}</p><p>b</p>") == ["a", "b"]


def test_a_comment_inside_a_word_does_not_part_it() -> None:
    assert texts("<p>vaca<!-- x -->ciones</p>") == ["vacaciones"]


def test_lists_keep_their_nesting_and_their_numbers() -> None:
    body = "<ul><li>a<ol start=3><li>b</li><li><p>c</p><p>d</p></li></ol>e</li></ul><ol type=a><li>f</ol>"
    assert [(block.level, block.text.replace("\n\n", "\n")) for block in read(body)] == [
        (0, "a"),
        (1, "3. b"),
        (1, "4. c\nd"),
        (0, "e"),
        (0, "a. f"),
    ]


def test_a_list_inside_a_list_without_an_item_is_deeper() -> None:
    assert [block.level for block in read("<ul><li>a</li><ul><li>b</li></ul></ul>")] == [0, 1]


def test_items_without_text_are_left_out() -> None:
    assert texts("<ol><li></li><li>b</li></ol>") == ["2. b"]


def test_a_term_and_its_meaning_are_one_item() -> None:
    assert [text.split() for text in texts("<dl><dt>SLA<dd>Acuerdo<dd>de servicio<dt>KPI<dd>Medida</dl>")] == [
        ["SLA", "Acuerdo", "de", "servicio"],
        ["KPI", "Medida"],
    ]


def test_code_keeps_its_lines_and_its_language() -> None:
    (block,) = read("<pre><code class='language-sh'>a  b\n\tc<br>d</code></pre>")
    assert (block.kind, block.text, block.label) == (BlockKind.CODE, "a  b\n\tc\nd", "sh")


def test_a_quotation_is_a_quote() -> None:
    assert [block.kind for block in read("<blockquote><p>a</p><p>b</p></blockquote>")] == [BlockKind.QUOTE] * 2


def test_a_raised_number_is_not_read_as_digits_of_the_number_before() -> None:
    assert texts("<p>10<sup>2</sup> m<sup>2</sup>, H<sub>2</sub>O, 1<sup>st</sup>, sueldo<sup><a>1</a></sup></p>") == [
        "10² m², H₂O, 1st, sueldo1"
    ]


def test_struck_out_text_keeps_its_strokes() -> None:
    assert texts("<p><del>30</del> <s></s>23 días</p>") == ["~~30~~ 23 días"]
    assert texts("<p><del>a </del><a href='x'><del>b</del></a></p>") == ["~~a b~~"]


def test_check_boxes_are_shown() -> None:
    assert texts("<ul><li><input type=checkbox checked> hecho<li><p><input type=checkbox>por hacer</p></ul>") == [
        "[x]  hecho",
        "[ ] por hacer",
    ]


def test_links_are_collected_once_without_their_fragments() -> None:
    html = b"<a href='https://a.example/x#y'>1</a><a href='https://a.example/x'>2</a><a href='#z'>3</a>"
    assert parse_html(html, "p.html").links == ("https://a.example/x",)


def test_the_title_is_that_of_the_page_or_its_first_heading() -> None:
    assert parse_html(b"<title> Gu\xc3\xada  VPN </title><h1>x</h1>", "p.html").title == "Guía VPN"
    assert parse_html(b"<h1>Hola</h1>", "p.html").title == "Hola"


@pytest.mark.parametrize("html", [b"", b"   ", b"\0", b"<", b"<table><tr><td", b"</p></p>", b"\xff\xfe<\0p\0>\0x\0"])
def test_bad_html_is_read_as_far_as_it_goes(html: bytes) -> None:
    parse_html(html, "p.html")


def test_a_document_nested_beyond_reason_is_read_or_refused_with_a_sentence() -> None:
    try:
        parse_html(b"<div>" * 50_000 + b"x", "deep.html")
    except ParsingError as error:
        assert "deep.html" in str(error)


# Tables


def test_header_cells_make_a_header_row() -> None:
    assert rows("<table><tr><th>Plan<th>Precio<tr><td>Oro<td>90 €</table>") == [
        ("header", ("Plan", "Precio")),
        ("row", ("Oro", "90 €")),
    ]


def test_a_first_row_in_bold_is_a_header_row() -> None:
    body = "<table><tr><td><p><b>Plan</b></p><td><b>Pre</b><b>cio</b><tr><td>Oro<td><b>90 €</b></table>"
    assert [kind for kind, _ in rows(body)] == ["header", "row"]


def test_a_heading_cell_at_the_left_makes_no_header_row() -> None:
    assert [kind for kind, _ in rows("<table><tr><th>Dueña<td>Ana<tr><th>Fecha<td>2026</table>")] == ["row", "row"]


def test_merged_cells_keep_every_text_once_in_its_column() -> None:
    body = """<table>
        <tr><th rowspan=2>Zona<th colspan=2>Precio</tr><tr><th>Mes<th>Año</tr>
        <tr><td rowspan=3>Norte<td>1<td>2</tr><tr><td colspan=2>gratis</tr><tr><td>3<td>4</tr>
        <tr><td>Sur<td>5<td>6</tr></table>"""
    assert rows(body) == [
        ("header", ("Zona", "Precio", "")),
        ("header", ("", "Mes", "Año")),
        ("row", ("Norte", "1", "2")),
        ("row", ("", "gratis", "")),
        ("row", ("", "3", "4")),
        ("row", ("Sur", "5", "6")),
    ]


@pytest.mark.parametrize("span", ["0", "-1", "x", "99999999999", ""])
def test_spans_that_make_no_sense_do_no_harm(span: str) -> None:
    body = f"<table><tr><th>A<th>B<tr><td rowspan='{span}' colspan='{span}'>c<td>d<tr><td>e</table>"
    found = [cell for _, row in rows(body) for cell in row if cell]
    assert found == ["A", "B", "c", "d", "e"]


def test_a_table_in_a_cell_follows_its_row_under_its_own_header() -> None:
    inner = "<table><tr><th>Mes<th>Días<tr><td>Enero<td>31</table>"
    body = f"<table><tr><th>A<th>B<tr><td>a<td>antes {inner} después<tr><td>c<td>d</table>"
    blocks = read(body)
    assert [(b.table, b.kind is BlockKind.TABLE_HEADER, " ".join(" ".join(b.cells).split())) for b in blocks] == [
        (1, True, "A B"),
        (1, False, "a antes después"),
        (2, True, "Mes Días"),
        (2, False, "Enero 31"),
        (1, False, "c d"),
    ]


def test_a_table_that_only_lays_out_a_page_is_read_cell_by_cell() -> None:
    body = "<table><tr><td><h2>Izquierda</h2><p>a</p><td><h2>Derecha</h2><p>b</p></table>"
    assert texts(body) == ["Izquierda", "a", "Derecha", "b"]
    assert [block.kind for block in read("<table><tr><td>solo<tr><td>una</table>")] == [BlockKind.PARAGRAPH] * 2


def test_lists_and_paragraphs_in_a_cell_are_lines_of_it() -> None:
    (_, block) = read("<table><tr><th>A<th>B<tr><td><p>a</p><ol><li>b<li>c</ol><td>d</table>")
    assert block.cells[0].split("\n")[0] == "a"
    assert [line for line in block.cells[0].split("\n") if line] == ["a", "1. b", "2. c"]


def test_a_caption_goes_before_its_table() -> None:
    blocks = read("<table><caption>Tarifas</caption><tr><td>a<td>b</table>")
    assert [block.kind for block in blocks] == [BlockKind.PARAGRAPH, BlockKind.TABLE_ROW]


def test_an_empty_table_is_nothing() -> None:
    assert read("<table></table>") == ()
