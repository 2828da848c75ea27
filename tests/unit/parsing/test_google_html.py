from core.domain.document import Block, BlockKind
from sync.parsing.google_html import looks_like_google, parse_google_html, unwrap_redirect

STYLE = """<style>.lst-kix_a1-0 > li:before{content:"" counter(lst-ctn-kix_a1-0,decimal) ". "}
.lst-kix_a1-1 > li:before{content:"" counter(lst-ctn-kix_a1-1,lower-latin) ". "}
.c1{font-weight:700}.c2{text-decoration:line-through;color:#000}.c3{font-weight:400}</style>"""


def read(body: str) -> tuple[Block, ...]:
    html = f"<html><head>{STYLE}</head><body class='doc-content'>{body}</body></html>"
    return parse_google_html(html.encode(), "doc.html").blocks


def test_the_depth_of_a_list_is_in_its_class() -> None:
    body = (
        "<ol class='c5 lst-kix_a1-0 start' start='1'><li>uno</li></ol><ol class='lst-kix_a1-1 start' start='1'>"
        "<li>dos</li></ol><ol class='lst-kix_a1-0' start='2'><li>tres</li></ol>"
    )
    assert [(block.level, block.text) for block in read(body)] == [(0, "1. uno"), (1, "a. dos"), (0, "2. tres")]


def test_bold_cells_in_the_first_row_make_a_header_and_bold_paragraphs_no_heading() -> None:
    cell = "<td><p><span class='{}'>{}</span></p></td>"
    row = "<tr>" + cell + cell + "</tr>"
    table = "<table>" + row.format("c1", "Plan", "c1", "Precio") + row.format("c3", "Oro", "c3", "90 €") + "</table>"
    assert [block.kind for block in read(f"<p><span class='c1'>Nota</span></p>{table}")] == [
        BlockKind.PARAGRAPH,
        BlockKind.TABLE_HEADER,
        BlockKind.TABLE_ROW,
    ]


def test_struck_out_text_keeps_its_strokes() -> None:
    assert read("<p><span class='c2'>30</span><span> 23</span></p>")[0].text == "~~30~~ 23"


def test_the_title_is_the_first_heading() -> None:
    blocks = read("<p class='c9 title' id='h.1'><span>Viajes</span></p><h1 id='h.2'>Hotel</h1>")
    assert [(block.kind, block.level, block.text) for block in blocks] == [
        (BlockKind.HEADING, 1, "Viajes"),
        (BlockKind.HEADING, 1, "Hotel"),
    ]


def test_comments_in_the_margin_are_left_out() -> None:
    body = (
        "<p>Se paga<sup><a href='#cmnt1' id='cmnt_ref1'>[a]</a></sup> todo.</p>"
        "<div><p><a href='#cmnt_ref1' id='cmnt1'>[a]</a><span>¿Seguro?</span></p></div>"
    )
    assert [block.text for block in read(body)] == ["Se paga todo."]


def test_redirects_are_unwrapped_whatever_changes_with_the_export() -> None:
    wrapped = "https://www.google.com/url?q=https://a.example/x?y%3D1%26z%3D2&sa=D&source=editors&ust=17&usg=AOv"
    assert unwrap_redirect(wrapped) == "https://a.example/x?y=1&z=2"
    assert (
        unwrap_redirect("https://google.example/url?q=https://evil.example")
        == "https://google.example/url?q=https://evil.example"
    )
    link = f"<p><a href='{wrapped.replace('&', '&amp;')}'>x</a></p>"
    assert parse_google_html(link.encode(), "d.html").links == ("https://a.example/x?y=1&z=2",)


def test_a_google_doc_is_recognised() -> None:
    assert looks_like_google(b"<ul class='lst-kix_x-0'>")
    assert not looks_like_google(b"<p>hola</p>")
