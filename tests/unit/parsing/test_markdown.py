import datetime as dt

import pytest

from core.domain.document import Block, BlockKind, DocumentStatus
from sync.parsing.markdown import parse_markdown
from sync.parsing.parsed import ParsedFile


def parse(text: str) -> ParsedFile:
    return parse_markdown(text.encode(), "guia.md")


def texts(text: str) -> list[str]:
    return [block.text for block in parse(text).blocks]


def test_headings_lists_quotes_code_and_tables_are_read() -> None:
    blocks = parse(
        "# VPN\n\nHola *mundo*\n\n- a\n  1. b\n\n> c\n\n```sh\nx  y\n```\n\n| P | V |\n|---|---|\n| o | 9 |\n"
    ).blocks
    assert blocks == (
        Block(BlockKind.HEADING, "VPN", level=1),
        Block(BlockKind.PARAGRAPH, "Hola mundo"),
        Block(BlockKind.LIST_ITEM, "a"),
        Block(BlockKind.LIST_ITEM, "1. b", level=1),
        Block(BlockKind.QUOTE, "c"),
        Block(BlockKind.CODE, "x  y\n", label="sh"),
        Block(BlockKind.TABLE_HEADER, cells=("P", "V"), table=1),
        Block(BlockKind.TABLE_ROW, cells=("o", "9"), table=1),
    )


def test_strikes_tasks_definitions_and_footnotes_are_read() -> None:
    assert texts("~~30~~ 23 días")[0] == "~~30~~ 23 días"
    assert [text.replace("  ", " ") for text in texts("- [x] hecho\n- [ ] falta")] == ["[x] hecho", "[ ] falta"]
    assert texts("SLA\n: Acuerdo")[0].split() == ["SLA", "Acuerdo"]
    assert any("salvo agosto" in text for text in texts("Siempre[^1].\n\n[^1]: salvo agosto"))


def test_front_matter_is_metadata_and_no_text() -> None:
    parsed = parse(
        "---\ntitle: Guía VPN\nowner: ana@x.com\nauthor: Ana\ntags: [vpn, red]\nvalid_from: 2026-01-01\n"
        "valid_until: '31/12/2026'\nstatus: obsolete\nsuperseded_by: vpn2.md\nversion: 2.1\nallow: [everyone]\n"
        "---\nHola\n"
    )
    assert parsed.title == "Guía VPN"
    assert [block.text for block in parsed.blocks] == ["Hola"]
    hints = parsed.hints
    assert (hints.owner, hints.author, hints.labels, hints.source_version) == (
        "ana@x.com",
        "Ana",
        ("vpn", "red"),
        "2.1",
    )
    assert (hints.valid_from, hints.valid_until) == (dt.date(2026, 1, 1), dt.date(2026, 12, 31))
    assert (hints.status, hints.superseded_by) == (DocumentStatus.OBSOLETE, "vpn2.md")


@pytest.mark.parametrize("head", ["---\n[: bad\n---\n", "---\n- a\n---\n", "---\n---\n", "---\nno end\n"])
def test_front_matter_that_is_none_does_no_harm(head: str) -> None:
    assert "Hola" in " ".join(texts(f"{head}\nHola\n"))


def test_a_rule_at_the_top_is_no_front_matter() -> None:
    assert texts("***\n\nHola") == ["Hola"]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("a {% include 'x.html' %}b", "a b"),
        ("{% comment %}no{% endcomment %}sí", "sí"),
        ("{% alert %}\nAviso\n{% endalert %}", "Aviso"),
        ('Pregunta en {% slack_channel "ayuda" %}.', "Pregunta en #ayuda."),
        ("Hola {{ site.name }}.", "Hola ."),
        ("<%= partial 'x' %>Hola", "Hola"),
        ("## Título {#ancla}", "Título"),
        ("Hola\n{: .nota }", "Hola"),
        ("{% raw %}{{ x }}{% endraw %}", "{{ x }}"),
        ("usa `{{ x }}` y `{% y %}`", "usa {{ x }} y {% y %}"),
        ("```\n{{ x }}\n```", "{{ x }}"),
        ("```\n{% raw %}{{ x }}{% endraw %}\n```", "{{ x }}"),
        (":::warning Ojo\nNo toques.\n:::", "Ojo No toques."),
        ('!!! note "Ojo"\n    No toques.\n', "Ojo No toques."),
        ("[[toc]]\n\nHola", "Hola"),
        ("* TOC\n{:toc}\n\nHola", "Hola"),
        ("a <!-- no --> b", "a b"),
    ],
)
def test_what_is_meant_for_a_site_generator_is_left_out(source: str, text: str) -> None:
    assert " ".join(" ".join(texts(source)).split()) == text


def test_html_inside_is_read_as_html() -> None:
    assert texts("<div>\n\nHola\n\n</div>\n<script>x()</script>\n") == ["Hola"]


def test_windows_line_ends_and_a_mark_are_read() -> None:
    parsed = parse_markdown(b"\xef\xbb\xbf---\r\ntitle: T\r\n---\r\n# A\r\n\r\nb\r\n", "x.md")
    assert (parsed.title, [block.text for block in parsed.blocks]) == ("T", ["A", "b"])
