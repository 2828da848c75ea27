import io
import tracemalloc
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sync.parsing.xml_repair import repair_markup
from sync.sources import confluence_xml_objects
from sync.sources.confluence_xml_dump import Dump
from sync.sources.confluence_xml_objects import ExportObject, read_objects
from tests.unit.sources.confluence_dump import HEAD, TAIL, prop, ref, thing


def read(*objects: str | bytes) -> list[ExportObject]:
    parts = (part.encode() if isinstance(part, str) else part for part in objects)
    return list(read_objects(io.BytesIO(HEAD.encode() + b"".join(parts) + TAIL.encode())))


def title_of(title: str | bytes) -> str:
    before, after = thing("Page", 1, "<property name='title'><![CDATA[@]]></property>").split("@")
    found = read(before.encode() + (title.encode() if isinstance(title, str) else title) + after.encode())
    assert not found[0].damaged
    return found[0].properties["title"]


def test_object_has_its_class_id_texts_references_and_lists() -> None:
    parts = (
        ref("space", "Space", 7),
        '<collection name="c"><element class="Page"><id name="id">8</id></element></collection>',
    )
    (found,) = read(thing("Page", 1, prop("title", "T"), prop("version", 3, cdata=False), *parts))
    assert (found.kind, found.id, found.damaged) == ("Page", "1", False)
    assert found.properties == {"title": "T", "version": "3", "space": "7"}
    assert found.classes == {"space": "Space"}
    assert found.lists == {"c": ("8",)}


@pytest.mark.parametrize(
    ("raw", "kept"),
    [
        (b"a\x08b\x1cc\x00d", "abcd"),
        (b"tab\tline\nend", "tab\tline\nend"),
        (b"a\xef\xbf\xbeb", "ab"),
        (b"a\xffb", "a�b"),
        ("ñ 🎉 �".encode(), "ñ 🎉 �"),
    ],
)
def test_forbidden_characters_go_and_nothing_else_does(raw: bytes, kept: str) -> None:
    assert title_of(raw) == kept


def test_character_references_inside_cdata_are_text() -> None:
    assert title_of("&#28; &nbsp; & <b>") == "&#28; &nbsp; & <b>"


@pytest.mark.parametrize(
    ("text", "read_as"),
    [
        ("a &#28; b", "a  b"),
        ("d&iacute;as", "días"),
        ("A & B", "A & B"),
        ("&foo; &amp;", "&foo; &"),
        ("&#x1F389;", "🎉"),
    ],
)
def test_references_outside_cdata_are_repaired(text: str, read_as: str) -> None:
    (found,) = read(thing("Page", 1, f'<property name="title">{text}</property>'))
    assert found.properties["title"] == read_as
    assert not found.damaged


def test_end_of_a_nested_section_that_was_not_escaped_does_not_end_the_property() -> None:
    body = "<p>a</p><ac:plain-text-body><![CDATA[x]]></ac:plain-text-body><p>b</p>"
    assert title_of(body) == body


def test_escaped_ends_of_sections_are_one_text() -> None:
    assert title_of("a]]]]><![CDATA[>b") == "a]]>b"


def test_words_that_look_like_objects_inside_a_text_or_a_comment_are_none() -> None:
    body = 'see </object> and <object class="Page"> and </hibernate-generic> and <!-- this'
    objects = read(f"<!-- <object class='Page'> -->{thing('Page', 1, prop('title', body), '<!-- </object> -->')}")
    assert [found.properties["title"] for found in objects] == [body]


def test_object_that_is_broken_leaves_the_next_one_alone() -> None:
    broken = thing("Page", 1, "<property name='a'>1 < 2</property>")
    without_end = thing("Page", 2).replace("</object>", "")
    found = read(broken, without_end, thing("Page", 3))
    assert [(each.id, each.damaged) for each in found] == [("1", True), ("2", True), ("3", False)]


def test_property_that_stands_twice_keeps_both_values() -> None:
    (found,) = read(thing("Page", 1, ref("parent", "Page", 12), ref("parent", "Page", 42)))
    assert found.properties["parent"] == "42"
    assert found.lists["parent"] == ("12",)


def test_utf_16_and_byte_order_marks_are_read() -> None:
    text = HEAD + thing("Page", 1, prop("title", "Módulo")) + TAIL
    for encoding in ("utf-16", "utf-8-sig"):
        (found,) = read_objects(io.BytesIO(text.encode(encoding)))
        assert found.properties["title"] == "Módulo"


_BODIES = st.lists(st.text(st.sampled_from("ab]>< &;ñ🎉\n"), max_size=40), max_size=5)


@given(_BODIES, st.integers(300, 700))
def test_where_the_stream_is_cut_into_pieces_makes_no_difference(bodies: list[str], size: int) -> None:
    escaped = [body.replace("]]>", "]] >") for body in bodies]
    data = (
        HEAD + "".join(thing("Page", n, prop("title", f"x{body}")) for n, body in enumerate(escaped)) + TAIL
    ).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(confluence_xml_objects, "_CHUNK", size)
        found = list(read_objects(io.BytesIO(data)))
    assert [each.properties["title"] for each in found] == [f"x{body}" for body in escaped]
    assert not any(each.damaged for each in found)


@given(st.text(st.characters(codec="utf-8"), max_size=60))
def test_repaired_markup_is_repaired_once_and_for_all(text: str) -> None:
    once = repair_markup(text)
    assert repair_markup(once) == once


class GeneratedExport(io.RawIOBase):
    """An export that is made while it is read."""

    def __init__(self, pages: int) -> None:
        self._pieces = self._generate(pages)
        self._rest = b""
        self.length = 0

    def _generate(self, pages: int) -> Iterator[bytes]:
        yield HEAD.encode()
        text = "<p>" + "palabras y más palabras &amp; " * 100 + "</p>"
        for number in range(pages):
            yield thing("Page", number, prop("title", f"Page {number}")).encode()
            parts = prop("body", text), ref("content", "Page", number), prop("bodyType", 2, cdata=False)
            yield thing("BodyContent", f"b{number}", *parts).encode()
        yield TAIL.encode()

    def read(self, size: int = -1, /) -> bytes:
        while len(self._rest) < size and (piece := next(self._pieces, None)) is not None:
            self._rest += piece
        taken, self._rest = self._rest[:size], self._rest[size:]
        self.length += len(taken)
        return taken


def test_memory_does_not_grow_with_the_export() -> None:
    peaks = []
    for pages in (200, 1_600):
        stream = GeneratedExport(pages)
        tracemalloc.start()
        with Dump(read_objects(stream)) as dump:  # type: ignore[arg-type]  # it only reads
            assert dump.count_pages() == pages
            peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert stream.length > 5_000_000
    assert peaks[1] < 1.5 * peaks[0]
