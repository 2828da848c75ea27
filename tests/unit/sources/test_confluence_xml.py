import datetime as dt
import io
import zipfile
from pathlib import Path

import pytest

from core.domain.document import DocumentStatus
from core.errors import SourceError
from core.settings import SourceKind, SourceSettings
from sync.sources import open_source
from sync.sources.confluence_xml import ConfluenceXmlSource
from sync.sources.confluence_xml_pages import BROKEN_BODY, BROKEN_RECORD
from tests.unit.sources.confluence_dump import Dump, documents, failures, many, prop, ref, text_of, thing

NIGHT = dt.datetime(2026, 3, 1, 22, 30, tzinfo=dt.UTC)


def test_page_has_its_text_place_author_and_dates(tmp_path: Path) -> None:
    dump = Dump().user("k1", "ana", "ana@x.com", display="Ana Rossi").page(1, "Home")
    more = (ref("creator", "ConfluenceUserImpl", "k1", "key"), prop("lastModificationDate", "2026-03-01 22:30:00.000"))
    dump.page(2, "Vacaciones", "<h2>Días</h2><p>Son 23 d&iacute;as.</p>", *more, parent=1)
    found = documents(dump.write(tmp_path))["2"]
    assert text_of(found) == "Días\nSon 23 días."
    assert found.metadata.title == "Vacaciones"
    assert found.metadata.breadcrumbs == ("Space S", "Home")
    assert found.metadata.author == "Ana Rossi"
    assert found.metadata.modified_at == NIGHT
    assert found.metadata.source_version == "1"


def test_dates_are_in_the_time_zone_of_the_export(tmp_path: Path) -> None:
    dump = Dump().page(2, "Page", None, prop("lastModificationDate", "2026-03-01 23:30:00.000"))
    source = dump.write(tmp_path)
    (tmp_path / "exportDescriptor.properties").write_text("source=server\ntimezoneId=Europe/Madrid\n")
    assert documents(source)["2"].metadata.modified_at == NIGHT


def test_author_whom_the_export_does_not_describe_keeps_the_user_name(tmp_path: Path) -> None:
    dump = Dump().page(2, "Page", None, prop("creatorName", "331651"))
    assert documents(dump.write(tmp_path))["2"].metadata.author == "331651"


def test_only_current_pages_are_documents(tmp_path: Path) -> None:
    original = ref("originalVersion", "Page", 2)
    dump = Dump().page(2, "Page", "<p>now</p>", many("historicalVersions", "Page", [8]))
    dump.page(3, "Page", "<p>before</p>", original)
    dump.page(4, "Page", "<p>before</p>", prop("originalVersionId", 2, cdata=False))
    dump.page(5, "Draft", "<p>d</p>", prop("contentStatus", "draft"))
    dump.page(6, "Deleted", "<p>d</p>", prop("contentStatus", "deleted"))
    dump.page(7, "Archived", "<p>d</p>", prop("contentStatus", "archived"))
    dump.page(8, "Page", "<p>before</p>")
    dump.raw(thing("Draft", 9, prop("title", "Old draft"))).body(9, "<p>d</p>", kind="Draft")
    source = dump.write(tmp_path)
    assert documents(source).keys() == {"2"}
    assert source.describe().documents == 1


def test_page_without_a_status_is_current_as_in_old_exports(tmp_path: Path) -> None:
    dump = Dump().raw(thing("Page", 2, prop("title", "Old"), ref("space", "Space", "S")))
    assert documents(dump.write(tmp_path)).keys() == {"2"}


def test_blog_posts_are_documents_and_templates_are_not(tmp_path: Path) -> None:
    dump = Dump().page(2, "News", "<p>n</p>", kind="BlogPost")
    dump.raw(thing("PageTemplate", 3, prop("name", "T"), prop("content", "<p>template</p>")))
    assert documents(dump.write(tmp_path)).keys() == {"2"}


def test_history_tells_who_changed_what_when(tmp_path: Path) -> None:
    dump = Dump().user("k1", "ana", display="Ana Rossi", email="ana@x.com").page(2, "Page")
    for number, key in ((2, 11), (1, 10)):
        more = ref("originalVersion", "Page", 2), ref("lastModifier", "ConfluenceUserImpl", "k1", "key")
        dates = prop("lastModificationDate", "2026-03-01 22:30:00.000"), prop("versionComment", "typo")
        number_said = prop("version", number, cdata=False)
        dump.raw(
            thing("Page", key, prop("title", "Page"), number_said, prop("contentStatus", "current"), *more, *dates)
        )
    versions = list(dump.write(tmp_path).history())
    assert [(v.key, v.number, v.author, v.comment) for v in versions] == [
        ("2", 1, "Ana Rossi", "typo"),
        ("2", 2, "Ana Rossi", "typo"),
    ]
    assert versions[0].modified_at == NIGHT


def test_labels_tell_the_status_and_private_ones_are_nobodys_business(tmp_path: Path) -> None:
    dump = Dump().page(2, "Page").label(2, "obsolete").label(2, "favourite", "my").page(3, "Other").label(3, "rrhh")
    found = documents(dump.write(tmp_path))
    assert found["2"].metadata.labels == ("obsolete",)
    assert found["2"].metadata.status is DocumentStatus.OBSOLETE
    assert found["3"].metadata.status is DocumentStatus.IN_FORCE


def test_pages_of_an_archived_space_are_archived(tmp_path: Path) -> None:
    dump = Dump().raw(
        thing("Space", "S", prop("name", "Old"), prop("key", "S"), prop("spaceStatus", "ARCHIVED", cdata=False))
    )
    assert documents(dump.page(2, "Page").write(tmp_path))["2"].metadata.status is DocumentStatus.ARCHIVED


def test_comments_are_apart_from_the_text_of_the_page(tmp_path: Path) -> None:
    dump = Dump().user("k1", "ana", display="Ana Rossi", email="a@x.com").page(2, "Page", "<p>text</p>")
    author = ref("creator", "ConfluenceUserImpl", "k1", "key")
    dump.raw(
        thing("Comment", 3, prop("title"), ref("containerContent", "Page", 2), author, prop("contentStatus", "current"))
    )
    source = dump.body(3, "<p>I disagree</p>", kind="Comment").write(tmp_path)
    assert text_of(documents(source)["2"]) == "text"
    assert [(c.page_key, c.author, c.text) for c in source.comments()] == [("2", "Ana Rossi", "I disagree")]


def attach(root: Path, path: str, data: bytes = b"attached text") -> None:
    file = root / "attachments" / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)


def test_current_version_of_an_attachment_is_a_document(tmp_path: Path) -> None:
    dump = Dump().page(2, "Page").attachment(5, 2, "plan.txt", version=3)
    dump.attachment(6, 2, "plan.txt", ref("originalVersion", "Attachment", 5), version=2)
    dump.attachment(7, 2, "gone.txt", prop("contentStatus", "deleted"))
    for path, text in {"2/5/3": b"three", "2/5/2": b"two", "2/7/1": b"gone"}.items():
        attach(tmp_path, path, text)
    found = documents(dump.write(tmp_path))
    assert found.keys() == {"2", "2/5"}
    assert text_of(found["2/5"]) == "three"
    assert found["2/5"].metadata.title == "plan.txt"
    assert found["2/5"].metadata.breadcrumbs == ("Space S", "Page")
    assert found["2/5"].metadata.source_version == "3"


def test_type_of_an_attachment_without_a_suffix_comes_from_its_properties(tmp_path: Path) -> None:
    dump = Dump().page(2, "Page").attachment(5, 2, "prices", media_type="text/csv; charset=utf-8")
    attach(tmp_path, "2/5/1", b"item,price\npen,2\n")
    found = documents(dump.write(tmp_path))["2/5"]
    assert found.metadata.media_type == "text/csv"
    assert found.blocks[-1].cells == ("pen", "2")


def test_pictures_are_left_out_and_missing_files_are_said(tmp_path: Path) -> None:
    dump = Dump().page(2, "Page").attachment(5, 2, "a.png", media_type="image/png").attachment(6, 2, "lost.pdf")
    found = documents(dump.write(tmp_path))
    assert found.keys() == {"2"}
    assert "1 of its attachments" in found["2"].warnings[0]


def test_broken_attachment_fails_alone(tmp_path: Path) -> None:
    dump = Dump().page(2, "Page").attachment(5, 2, "a.pdf")
    attach(tmp_path, "2/5/1", b"no pdf")
    source = dump.write(tmp_path)
    assert failures(source).keys() == {"2/5"}
    assert documents(source).keys() == {"2"}


def test_page_that_includes_a_page_of_another_space_has_its_text(tmp_path: Path) -> None:
    include = '<ac:structured-macro ac:name="include"><ac:parameter ac:name=""><ac:link><ri:page ri:space-key="T" '
    include += 'ri:content-title="B"/></ac:link></ac:parameter></ac:structured-macro>'
    nested = '<ac:structured-macro ac:name="include"><ac:parameter ac:name=""><ac:link><ri:page ri:content-title="C"/>'
    nested += "</ac:link></ac:parameter></ac:structured-macro>"
    dump = Dump().page(2, "A", f"<p>before</p>{include}<p>after</p>")
    dump.raw(thing("Space", "T", prop("name", "T"), prop("key", "T"))).page(3, "B", f"<p>b</p>{nested}", space="T")
    dump.page(4, "C", "<p>c of S</p>").page(5, "C", "<p>c of T</p>", space="T")
    assert text_of(documents(dump.write(tmp_path))["2"]) == "before\nb\nc of T\nafter"


def test_pages_that_include_each_other_end(tmp_path: Path) -> None:
    macro = '<ac:structured-macro ac:name="include"><ac:parameter ac:name=""><ac:link><ri:page ri:content-title="{}"/>'
    macro += "</ac:link></ac:parameter></ac:structured-macro>"
    dump = Dump().page(2, "A", "<p>a</p>" + macro.format("B")).page(3, "B", "<p>b</p>" + macro.format("A"))
    found = documents(dump.write(tmp_path))
    assert text_of(found["2"]) == "a\nb"
    assert text_of(found["3"]) == "b\na"


def test_mentions_are_names(tmp_path: Path) -> None:
    body = '<p>Ask <ac:link><ri:user ri:userkey="k1"/></ac:link> or '
    body += '<ac:link><ri:user ri:account-id="acc:2"/></ac:link>.</p>'
    dump = Dump().user("k1", "ana", "ana@x.com", display="Ana Rossi").page(2, "Page", body)
    dump.raw(thing("ConfluenceUserImpl", "k2", prop("name", "bea"), prop("atlassianAccountId", "acc:2"), id_name="key"))
    assert text_of(documents(dump.write(tmp_path))["2"]) == "Ask Ana Rossi or bea."


def test_wiki_markup_of_old_exports_is_read(tmp_path: Path) -> None:
    dump = Dump().page(2, "Old", "h1. Title\n* item\n||a||b||\n|1|2|", body_type=0)
    found = documents(dump.write(tmp_path))["2"]
    assert text_of(found) == "Title\nitem\na | b\n1 | 2"


def test_addresses_come_from_the_settings_or_the_template(tmp_path: Path) -> None:
    Dump().page(2, "Page").write(tmp_path)
    source = ConfluenceXmlSource("wiki", tmp_path, base_url="https://acme.example/wiki/")
    assert documents(source)["2"].metadata.uri == "https://acme.example/wiki/pages/viewpage.action?pageId=2"
    assert source.hosts == {"acme.example"}
    access = tmp_path / "mine.toml"
    access.write_text(
        '[defaults]\nallow=["everyone"]\nbase_url="https://b.example"\nlink_template="{base_url}/{space}/{id}"\n'
        '[[page]]\nid="2"\nowner="ana@x.com"\n[[page]]\nid="99"\n'
    )
    source = ConfluenceXmlSource("wiki", tmp_path, access_file=access)
    assert documents(source)["2"].metadata.uri == "https://b.example/S/2"
    assert documents(source)["2"].metadata.owner == "ana@x.com"
    assert source.hosts == {"b.example"}
    assert source.describe().warnings == ("[[page]] 99 names no page of the export.",)


def test_settings_open_the_source(tmp_path: Path) -> None:
    Dump().page(2, "Page", "<p>x</p>").write(tmp_path)
    source = open_source(SourceSettings(name="wiki", kind=SourceKind.CONFLUENCE_XML, path=tmp_path))
    assert (source.name, source.kind, source.describe().documents) == ("wiki", "confluence_xml", 1)


def zipped(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


@pytest.mark.parametrize("place", ["folder", "entities", "zip", "folder with a zip", "zip in a zip"])
def test_export_may_be_a_folder_a_zip_or_a_zip_inside(tmp_path: Path, place: str) -> None:
    dump = Dump().page(2, "Page", "<p>text</p>").attachment(5, 2, "a.txt")
    files = {"x/entities.xml": dump.text().encode(), "x/attachments/2/5/1": b"attached"}
    inner = zipped(files)
    path = tmp_path
    if place in {"folder", "entities"}:
        for name, data in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_bytes(data)
        path = tmp_path / "x/entities.xml" if place == "entities" else tmp_path
    elif place == "zip":
        path = tmp_path / "export.zip"
        path.write_bytes(inner)
    elif place == "folder with a zip":
        (tmp_path / "Exportación.zip").write_bytes(inner)
        (tmp_path / "access.toml").write_text('[defaults]\nallow=["everyone"]\n')
    else:
        path = tmp_path / "outer.zip"
        path.write_bytes(zipped({"inner/space.zip": inner}))
    found = documents(ConfluenceXmlSource("wiki", path))
    assert text_of(found["2"]) == "text"
    assert text_of(found["2/5"]) == "attached"
    assert len(found["2"].rule.clauses) == (2 if place == "folder with a zip" else 1)


def test_two_exports_in_one_place_are_refused(tmp_path: Path) -> None:
    Dump().page(2, "Page").write(tmp_path / "a")
    Dump().page(2, "Page").write(tmp_path / "b")
    with pytest.raises(SourceError, match="2 exports"):
        documents(ConfluenceXmlSource("wiki", tmp_path))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda text: text[: len(text) // 2], "ends in the middle"),
        (lambda text: text.replace("</hibernate-generic>", ""), "ends in the middle"),
        (lambda text: text.replace("]]></property>", "", 1)[:-300], "ends in the middle"),
        (lambda _: "", "not a Confluence XML export"),
        (lambda _: "<html><body>Log in</body></html>", "not a Confluence XML export"),
        (lambda text: text.replace("<hib", '<!DOCTYPE x [<!ENTITY a "b">]><hib', 1), "DTD"),
        (lambda text: text.replace('<id name="id">9001</id>', '<id name="id">9001</oops>'), "may see what"),
    ],
)
def test_export_of_which_nothing_may_be_concluded_is_refused(tmp_path: Path, change: object, sentence: str) -> None:
    assert callable(change)
    source = Dump().page(2, "Page", "<p>text</p>").write(tmp_path)
    (tmp_path / "entities.xml").write_text(change(Dump().page(2, "Page", "<p>text</p>").text()), "utf-8")
    with pytest.raises(SourceError, match=sentence):
        documents(source)


def test_export_is_read_through_once_to_be_described_and_read(tmp_path: Path) -> None:
    source = Dump().page(2, "Page", "<p>text</p>").write(tmp_path)
    assert source.describe().documents == 1
    (tmp_path / "entities.xml").unlink()
    assert documents(source).keys() == {"2"}
    with pytest.raises(SourceError):
        documents(source)


def test_missing_export_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError):
        documents(ConfluenceXmlSource("wiki", tmp_path))
    with pytest.raises(SourceError):
        documents(ConfluenceXmlSource("wiki", tmp_path / "nowhere"))


def test_broken_record_fails_alone_and_is_not_taken_for_removed(tmp_path: Path) -> None:
    bad = thing("Page", 3, prop("title", "Bad"), "<property name='x'>a < b</property>", ref("space", "Space", "S"))
    body = thing("BodyContent", 60, "<property name='y'><z></property>", prop("body", "x"), ref("content", "Page", 4))
    dump = Dump().page(2, "Good", "<p>text</p>").raw(bad).page(4, "Bad body").raw(body)
    source = dump.write(tmp_path)
    assert documents(source).keys() == {"2"}
    assert failures(source) == {"3": BROKEN_RECORD, "4": BROKEN_BODY}
