import contextlib
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain.document import Block, BlockKind
from core.errors import ParsingError
from sync.parsing.confluence_conditions import is_condition
from sync.parsing.confluence_library import IncludedPage, PageReference
from sync.parsing.confluence_macros import HIDDEN_BY_MACRO, NOT_INCLUDED, TOO_MANY_INCLUDES
from sync.parsing.confluence_storage import StorageText, read_storage, storage_tree

POLICY = '<ri:page ri:content-title="Policy"/>'


def macro(macro_name: str, body: str = "", plain: str = "", /, **parameters: str) -> str:
    said = "".join(f'<ac:parameter ac:name="{key}">{value}</ac:parameter>' for key, value in parameters.items())
    rich = f"<ac:rich-text-body>{body}</ac:rich-text-body>" if body else ""
    raw = f"<ac:plain-text-body><![CDATA[{plain}]]></ac:plain-text-body>" if plain else ""
    return f'<ac:structured-macro ac:name="{macro_name}" ac:schema-version="1">{said}{rich}{raw}</ac:structured-macro>'


def include(macro_name: str, title: str, /, **parameters: str) -> str:
    page = f'<ac:parameter ac:name=""><ac:link><ri:page ri:content-title="{title}"/></ac:link></ac:parameter>'
    return macro(macro_name, **parameters).replace("</ac:structured-macro>", f"{page}</ac:structured-macro>")


class Library:
    """Pages by title, in one space; people by reference."""

    def __init__(self, **pages: str) -> None:
        self.pages = pages
        self.asked: list[PageReference] = []

    def included(self, page: PageReference) -> IncludedPage | None:
        self.asked.append(page)
        body = self.pages.get(page.title)
        return None if body is None else IncludedPage(page.title, "S", storage_tree(body, page.title))

    def person(self, reference: str) -> str:
        return {"k1": "Ana Rossi", "~bea": "Bea Gil"}.get(reference, "")

    def address(self, page: PageReference) -> str:
        return f"https://x.example/{page.space}/{page.title}" if page.title in self.pages else ""


def read(body: str, library: Library | None = None) -> StorageText:
    return read_storage(body, "page", library or Library(), key="self", space="S")


def lines(body: str, library: Library | None = None) -> list[str]:
    return [" | ".join(block.cells) or block.text for block in read(body, library).blocks]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<p>d&iacute;as&nbsp;&euro; &unknown; A & B</p>", ["días\xa0€ &unknown; A & B"]),
        ("<p>a\x08b&#28;c</p>", ["abc"]),
        ("<h2>Title</h2><p>one<br/>two</p>", ["Title", "one\ntwo"]),
        ("plain text", ["plain text"]),
        ("", []),
        ("<p><ac:placeholder>Type here</ac:placeholder>x</p>", ["x"]),
        ('<p>x<ac:inline-comment-marker ac:ref="1">y</ac:inline-comment-marker></p>', ["xy"]),
        ("<ac:layout><ac:layout-section><ac:layout-cell>a</ac:layout-cell></ac:layout-section></ac:layout>", ["a"]),
        ('<p>by <time datetime="2026-03-01"/></p>', ["by 2026-03-01"]),
        ('<ul><li><time datetime="2026-03-01"/></li></ul>', ["2026-03-01"]),
        ('<p><custom:thing xmlns:custom="urn:x" custom:a="b">kept</custom:thing></p>', ["kept"]),
        ('<p xmlns="http://www.w3.org/1999/xhtml">kept</p>', ["kept"]),
        ("<!-- note --><p>a<!-- b -->c</p>", ["ac"]),
    ],
)  # fmt: skip
def test_text_is_what_a_reader_of_the_page_sees(body: str, expected: list[str]) -> None:
    assert lines(body) == expected


def test_code_keeps_its_language_its_blanks_and_its_signs() -> None:
    code = "if [[ -f a ]] >log; then\n  x = &nbsp; <b>\nfi"
    (found,) = read(macro("code", "", code, language="bash")).blocks
    assert found == Block(BlockKind.CODE, code, label="bash")


def test_section_inside_a_section_ends_where_confluence_says() -> None:
    body = macro("code", "", "a]]]]><![CDATA[>b").replace("]]>", "]] >") + "<p>after</p>"
    assert [block.text for block in read(body).blocks] == ["a]]>b", "after"]


def test_title_of_a_code_block_stands_before_it() -> None:
    assert lines(macro("code", "", "x", title="main.py", linenumbers="true")) == ["main.py", "x"]


@pytest.mark.parametrize(
    ("name", "label"),
    [("info", "information"), ("note", "note"), ("tip", "tip"), ("warning", "warning"), ("panel", "panel")],
)
def test_panels_keep_what_they_are(name: str, label: str) -> None:
    blocks = read(macro(name, "<p>Text</p><ul><li>item</li></ul>", title="Title", icon="false")).blocks
    assert [(block.text, block.label) for block in blocks] == [("Title", label), ("Text", label), ("item", label)]


def test_expand_shows_its_title_and_its_text() -> None:
    assert lines(macro("expand", "<p>inside</p>", title="More")) == ["More", "inside"]


def test_status_is_its_title_without_its_colour() -> None:
    assert lines(f"<p>It is{macro('status', colour='Green', title='DONE')}today</p>") == ["It is DONE today"]


@pytest.mark.parametrize(
    "name", ["toc", "children", "pagetree", "attachments", "anchor", "recently-updated", "gallery"]
)
def test_lists_that_confluence_makes_leave_nothing(name: str) -> None:
    assert lines(f"<p>a</p>{macro(name, maxLevel='3', style='none')}<p>b</p>") == ["a", "b"]


def test_unknown_macro_leaves_its_body_and_none_of_its_parameters() -> None:
    assert lines(macro("some-plugin", "<p>text</p>", width="50%", data="falsefalse")) == ["text"]
    assert lines(macro("some-plugin", "", '{"json": 1}', id="x")) == []


def test_old_macros_without_structure_are_read_too() -> None:
    body = macro("info", "<p>x</p>", title="T").replace("ac:structured-macro", "ac:macro")
    assert lines(body) == ["T", "x"]


def test_profile_macro_is_the_name_and_no_falsefalse() -> None:
    user = '<ac:parameter ac:name="user"><ri:user ri:userkey="k1"/></ac:parameter>'
    body = macro("profile", showEmail="false", showPhone="false", property="fullName")
    assert lines(f"<p>{body.replace('</ac:structured', user + '</ac:structured')}</p>") == ["Ana Rossi"]


@pytest.mark.parametrize(
    ("user", "name"),
    [
        ('ri:userkey="k1"', "Ana Rossi"),
        ('ri:account-id="k1"', "Ana Rossi"),
        ('ri:username="bea"', "Bea Gil"),
        ('ri:username="cai"', "cai"),
        ('ri:account-id="557058:none"', "(unknown user)"),
    ],
)
def test_mentions_are_names(user: str, name: str) -> None:
    assert lines(f"<p>Ask <ac:link><ri:user {user}/></ac:link>.</p>") == [f"Ask {name}."]


@pytest.mark.parametrize(
    ("link", "text"),
    [
        ('<ac:link><ri:page ri:content-title="Policy"/></ac:link>', "Policy"),
        (f"<ac:link>{POLICY}<ac:plain-text-link-body><![CDATA[a <b>]]></ac:plain-text-link-body></ac:link>", "a <b>"),
        (f"<ac:link>{POLICY}<ac:link-body>the <em>policy</em></ac:link-body></ac:link>", "the policy"),
        ('<ac:link><ri:attachment ri:filename="a.pdf"/></ac:link>', "a.pdf"),
        ('<ac:link><ri:space ri:space-key="HR"/></ac:link>', "HR"),
        ('<ac:link ac:anchor="part"/>', "part"),
    ],
)  # fmt: skip
def test_links_show_their_text_or_what_they_point_to(link: str, text: str) -> None:
    assert lines(f"<p>See {link} now</p>") == [f"See {text} now"]


def test_item_that_is_only_a_link_is_kept() -> None:
    assert lines('<ul><li><ac:link><ri:page ri:content-title="Policy"/></ac:link></li></ul>') == ["Policy"]


def test_addresses_of_links_are_collected_where_they_are_known() -> None:
    body = '<p><ac:link><ri:page ri:content-title="A"/></ac:link><ac:link><ri:page ri:content-title="B"/></ac:link>'
    found = read(body + '<a href="https://y.example/z">z</a></p>', Library(A=""))
    assert found.links == ("https://x.example/S/A", "https://y.example/z")


def test_tasks_have_their_boxes_and_no_numbers() -> None:
    task = "<ac:task><ac:task-id>{0}</ac:task-id><ac:task-uuid>u-{0}</ac:task-uuid>"
    task += "<ac:task-status>{1}</ac:task-status><ac:task-body><span>{2}</span></ac:task-body></ac:task>"
    body = f"<ac:task-list>{task.format(17, 'complete', 'done')}{task.format(18, 'incomplete', 'open')}</ac:task-list>"
    assert [(b.kind, b.text) for b in read(body).blocks] == [
        (BlockKind.LIST_ITEM, "[x] done"),
        (BlockKind.LIST_ITEM, "[ ] open"),
    ]


@pytest.mark.parametrize(
    ("emoticon", "shown"),
    [
        ('ac:name="smile" ac:emoji-shortname=":slight_smile:" ac:emoji-id="1f642" ac:emoji-fallback="🙂"', "🙂"),
        ('ac:name="blue-star" ac:emoji-id="1f1ea-1f1f8" ac:emoji-fallback=":flag_es:"', "🇪🇸"),
        ('ac:name="tick"', "(tick)"),
        ('ac:name="x" ac:emoji-id="atlassian-check_mark"', "(x)"),
    ],
)
def test_emoji_are_characters_or_their_names(emoticon: str, shown: str) -> None:
    assert lines(f"<p>ok <ac:emoticon {emoticon}/></p>") == [f"ok {shown}"]


def test_pictures_leave_their_description_and_caption() -> None:
    picture = '<ac:image ac:alt="{}" ac:width="3"><ri:attachment ri:filename="a.png"/>{}</ac:image>'
    assert lines(picture.format("Plan of the office", "<ac:caption><p>Figure 1</p></ac:caption>")) == [
        "Plan of the office",
        "Figure 1",
    ]
    assert lines(picture.format("image-2026.png", "")) == []


def test_content_of_the_new_editor_is_read_once() -> None:
    body = (
        '<ac:adf-extension><ac:adf-node type="panel"><ac:adf-attribute key="panel-type">note</ac:adf-attribute>'
        "<ac:adf-content><p>Once</p></ac:adf-content></ac:adf-node>"
        '<ac:adf-fallback><div class="panel"><p>Once</p></div></ac:adf-fallback></ac:adf-extension>'
    )
    assert read(body).blocks == (Block(BlockKind.PARAGRAPH, "Once", label="note"),)


def test_fallback_is_read_where_there_is_no_content() -> None:
    body = (
        '<ac:adf-extension><ac:adf-node type="extension"><ac:adf-attribute key="k">v</ac:adf-attribute></ac:adf-node>'
    )
    assert lines(body + "<ac:adf-fallback><p>Once</p></ac:adf-fallback></ac:adf-extension>") == ["Once"]


# Text for some readers only


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("show-if", {"group": "hr"}),
        ("show-if", {"user": "ana"}),
        ("show-if", {"special": "@self"}),
        ("show-if", {"special": "@authenticated", "group": "hr"}),
        ("show-if", {"something-new": "x"}),
        ("hide-if", {"group": "guests"}),
        ("hide-if", {}),
        ("hide-if", {"special": "@authenticated"}),
        ("Show-If", {"group": "hr"}),
        ("restricted-content", {}),
        ("secret-text", {}),
        ("showto", {"group": "hr"}),
    ],
)
def test_text_for_some_readers_only_is_left_out_with_a_warning(name: str, parameters: dict[str, str]) -> None:
    hidden = macro(name, f"<p>SECRET</p>{macro('code', '', 'SECRET')}", **parameters)
    found = read(f"<p>open</p>{hidden}<p>end</p>")
    assert [block.text for block in found.blocks] == ["open", "end"]
    assert HIDDEN_BY_MACRO in found.warnings


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("show-if", {}),
        ("show-if", {"special": "@authenticated"}),
        ("show-if", {"display": "printable", "match": "all"}),
        ("hide-if", {"special": "@anonymous"}),
    ],
)
def test_text_for_everybody_who_is_logged_in_is_kept(name: str, parameters: dict[str, str]) -> None:
    found = read(macro(name, "<p>text</p>", **parameters))
    assert [block.text for block in found.blocks] == ["text"]
    assert not found.warnings


@pytest.mark.parametrize("name", ["info", "expand", "show-children", "section", "code", "excerpt", "hideelements"])
def test_other_macros_are_no_conditions(name: str) -> None:
    assert not is_condition(name)


def test_broken_page_that_hides_text_is_not_read_at_all() -> None:
    with pytest.raises(ParsingError):
        read(macro("show-if", "<p>SECRET", group="hr"))


def test_broken_page_without_hidden_text_is_read_with_a_warning() -> None:
    found = read("<p>one <b>two</p><p>three</p>")
    assert "one two" in found.blocks[0].text and found.blocks[-1].text == "three"
    assert found.warnings


@given(st.text(st.sampled_from("ab <>/&;\n"), max_size=30), st.text(st.sampled_from("ab <>/&;\n"), max_size=30))
def test_hidden_text_never_shows_whatever_stands_around_it(before: str, after: str) -> None:
    hidden = macro("show-if", "<p>SECRET</p>", group="hr")
    try:
        found = read(f"{before}{hidden}{after}")
    except ParsingError:
        return
    assert "SECRET" not in repr(found)


# Includes and excerpts


def test_included_page_stands_where_it_is_included() -> None:
    found = read(f"<p>a</p>{include('include', 'Other')}<p>b</p>", Library(Other="<h1>T</h1><p>text</p>"))
    assert [block.text for block in found.blocks] == ["a", "T", "text", "b"]
    assert found.included == ("Other",)


def test_excerpt_is_only_the_excerpt_of_the_page() -> None:
    page = (
        f"<p>rest</p>{macro('excerpt', '<p>excerpt</p>', hidden='true')}{macro('excerpt', '<p>second</p>', name='two')}"
    )
    found = read(include("excerpt-include", "Other", nopanel="true"), Library(Other=page))
    assert [block.text for block in found.blocks] == ["excerpt"]
    named = read(include("excerpt-include", "Other", name="two"), Library(Other=page))
    assert [block.text for block in named.blocks] == ["second"]


def test_hidden_excerpt_is_not_shown_on_its_own_page() -> None:
    assert lines(f"<p>a</p>{macro('excerpt', '<p>x</p>', hidden='true')}{macro('excerpt', '<p>y</p>')}") == ["a", "y"]


def test_excerpt_inside_text_for_some_readers_is_not_included() -> None:
    page = macro("show-if", macro("excerpt", "<p>SECRET</p>"), group="hr")
    assert lines(include("excerpt-include", "Other"), Library(Other=page)) == []


def test_page_that_is_not_there_is_said() -> None:
    found = read(f"<p>a</p>{include('include', 'Lost')}")
    assert [block.text for block in found.blocks] == ["a"]
    assert found.warnings == (NOT_INCLUDED,)
    assert found.included == ()


def test_page_of_another_space_is_asked_for_there() -> None:
    library = Library()
    read(
        '<ac:structured-macro ac:name="include"><ac:parameter ac:name="">HR:Leave</ac:parameter></ac:structured-macro>',
        library,
    )
    read(include("include", "Here"), library)
    assert [(page.space, page.title) for page in library.asked] == [("HR", "Leave"), ("S", "Here")]


def test_page_inside_hidden_text_is_not_even_asked_for() -> None:
    library = Library(Other="<p>x</p>")
    found = read(macro("show-if", include("include", "Other"), group="hr"), library)
    assert not library.asked and not found.included


def test_pages_that_include_each_other_many_times_end() -> None:
    library = Library(**{f"P{n}": include("include", f"P{n + 1}") * 10 for n in range(9)}, P9="<p>x</p>")
    found = read(include("include", "P0"), library)
    assert TOO_MANY_INCLUDES in found.warnings
    assert len(library.asked) <= 200


# Tables


def test_merged_cells_and_tables_in_cells_stand_once_under_their_headers() -> None:
    body = (
        "<table><tbody><tr><th>Zone</th><th>Price</th><th>Notes</th></tr>"
        "<tr><td rowspan='2'>North</td><td>5</td><td><p>a</p><table><tbody><tr><th>k</th><th>v</th></tr>"
        "<tr><td>x</td><td>y</td></tr></tbody></table></td></tr>"
        "<tr><td colspan='2'><ac:link><ri:page ri:content-title='Free'/></ac:link></td></tr></tbody></table>"
    )
    rows = [(b.kind, tuple(cell.strip() for cell in b.cells), b.table) for b in read(body).blocks]
    assert rows == [
        (BlockKind.TABLE_HEADER, ("Zone", "Price", "Notes"), 1),
        (BlockKind.TABLE_ROW, ("North", "5", "a"), 1),
        (BlockKind.TABLE_HEADER, ("k", "v"), 2),
        (BlockKind.TABLE_ROW, ("x", "y"), 2),
        (BlockKind.TABLE_ROW, ("", "Free", ""), 1),
    ]


def test_macros_in_cells_are_read_in_the_cell() -> None:
    status, panel = macro("status", title="OK"), macro("info", "<p>note</p>")
    body = f"<table><tbody><tr><th>a</th><th>b</th></tr><tr><td>{status}</td><td>{panel}</td></tr></tbody></table>"
    assert [cell.strip() for cell in read(body).blocks[1].cells] == ["OK", "note"]


# Limits


def test_too_deep_and_too_large_bodies_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ParsingError):
        read("<div>" * 3_000 + "x" + "</div>" * 3_000)
    monkeypatch.setattr("sync.parsing.confluence_storage.LARGEST_BODY", 10)
    with pytest.raises(ParsingError):
        read("<p>more than ten</p>")


def test_entities_are_never_declared_or_fetched() -> None:
    body = '<!DOCTYPE x [<!ENTITY a "SECRET"><!ENTITY f SYSTEM "file:///etc/passwd">]><p>&a;&f;</p>'
    assert "SECRET" not in repr(lines(body)) and "root:" not in repr(lines(body))


@pytest.mark.parametrize("piece", ["<![CDATA[", "&", "]] >", " a:b", '<ac:structured-macro ac:name="toc"/>x'])
def test_time_grows_with_the_length_and_not_with_its_square(piece: str) -> None:
    begun = time.process_time()
    with contextlib.suppress(ParsingError):
        read(f"<p>{piece * 20_000}</p>")
    assert time.process_time() - begun < 10
