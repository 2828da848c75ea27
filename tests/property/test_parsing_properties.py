"""Whatever bytes come in, a parser yields blocks or one sentence; nothing else ever comes out."""

import lxml.html
from hypothesis import given, settings
from hypothesis import strategies as st

from core.domain.document import BlockKind
from core.errors import ParsingError
from core.text.canonical import canonicalise
from sync.parsing import SUPPORTED, parse_file
from sync.parsing.html import parse_html
from sync.parsing.markdown import strip_generators

TAGS = [
    *("<p>", "</p>", "<ul>", "<li>", "</ul>", "<ol start=-3>", "<dl>", "<dt>", "<dd>", "<blockquote>", "<h2>"),
    *("</h2>", "<table>", "<tr>", "<td>", "<th>", "<td rowspan=2>", "<td colspan=3>", "</table>", "<caption>"),
    *("<pre>", "</pre>", "<b>", "</b>", "<del>", "<sup>2</sup>", "<br>", "<!-- -->", "<a href='x'>", "hola", "ñ"),
    *("&nbsp;", "&#0;", " ", "\n"),
]
pieces = st.sampled_from(TAGS)
soups = st.lists(pieces, max_size=40).map("".join)


@given(st.sampled_from(sorted(SUPPORTED)), st.binary(max_size=300))
@settings(max_examples=150)
def test_any_bytes_are_read_or_refused_with_one_sentence(suffix: str, data: bytes) -> None:
    try:
        canonicalise(parse_file(data, f"x{suffix}").blocks)
    except ParsingError as error:
        assert "\n" not in str(error)


@given(soups)
def test_rows_of_one_html_table_have_one_length(soup: str) -> None:
    lengths: dict[int | None, set[int]] = {}
    for block in parse_html(soup.encode(), "x.html").blocks:
        if block.kind in {BlockKind.TABLE_HEADER, BlockKind.TABLE_ROW}:
            lengths.setdefault(block.table, set()).add(len(block.cells))
    assert all(len(found) == 1 for found in lengths.values())


@given(soups)
def test_no_letter_of_html_is_lost_or_doubled(soup: str) -> None:
    text = canonicalise(parse_html(soup.encode(), "x.html").blocks).text
    shown = lxml.html.document_fromstring(f"<html><body>{soup}</body></html>").xpath("string()")
    assert text.count("hola") == str(shown).count("hola")
    assert text.count("ñ") == str(shown).count("ñ")


generators = st.sampled_from(["{% x %}", "{{ y }}", "\n", "a", "{:.b}", "<%= c %>", ":::"])


@given(st.lists(generators, max_size=30))
def test_no_tag_of_a_site_generator_is_left_outside_code(parts: list[str]) -> None:
    text = strip_generators("".join(parts))
    assert "{% x %}" not in text
    assert "<%= c %>" not in text
