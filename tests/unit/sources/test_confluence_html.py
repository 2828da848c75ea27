from pathlib import Path

import pytest

from core.domain.access import EVERYONE, NOBODY, AccessRule, Principal
from core.domain.document import DocumentStatus, SourceDocument
from core.errors import SourceError
from sync.sources.base import FailedDocument
from sync.sources.confluence_html import UNKNOWN_ANCESTOR, ConfluenceHtmlSource, parse_index

INDEX = """<html><head><title>ALM (Casa)</title></head><body><div class="pageSection"><ul>
<li><a href="Casa_1.html">Casa</a><ul><li><a href="RRHH_2.html">RRHH</a>
<ul><li><a href="3.html">Nómina</a></li></ul><ul><li><a href="4.html">Bandas</a></li></ul></li></ul>
<ul><li><a href="TI_5.html">TI</a></li></ul></li></ul></div></body></html>"""
ACCESS = """[defaults]
allow = ["everyone"]
base_url = "https://casa.example/wiki"
hosts = ["otra.example"]
link_template = "{base_url}/spaces/{space}/pages/{id}"
[[page]]
id = "2"
allow = ["group:hr"]
owner = "ana@x.com"
[[page]]
id = "5"
status = "obsolete"
superseded_by = "1"
"""
NAMES = {"1": "Casa_1.html", "2": "RRHH_2.html", "3": "3.html", "4": "4.html", "5": "TI_5.html"}


def page(title: str, *ancestors: str, after: str = "") -> str:
    crumbs = "".join(f"<li><a href='{href}'>x</a></li>" for href in ("index.html", *ancestors))
    return (
        f"<html><body><ol id='breadcrumbs'>{crumbs}</ol><span id='title-text'>Casa : {title}</span><div id='content'>"
        f"<div id='main-content'><p>Texto de {title}</p></div>{after}</div></body></html>"
    )


PAGES: dict[str, str | bytes] = {
    "Casa_1.html": page("Casa"),
    "RRHH_2.html": page("RRHH", "Casa_1.html"),
    "3.html": page("Nómina", "Casa_1.html", "RRHH_2.html"),
    "4.html": page("Bandas", "Casa_1.html", "RRHH_2.html"),
    "TI_5.html": page("TI", "Casa_1.html"),
}


def export(root: Path, files: dict[str, str | bytes], access: str | None = ACCESS) -> ConfluenceHtmlSource:
    for name, data in {"index.html": INDEX, **files}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
    if access is not None:
        (root / "access.toml").write_text(access, "utf-8")
    return ConfluenceHtmlSource("wiki", root)


def documents(source: ConfluenceHtmlSource) -> dict[str, SourceDocument]:
    return {found.key: found for found in source.read() if isinstance(found, SourceDocument)}


HR = AccessRule.of([EVERYONE], [Principal.group("hr")])


def test_pages_have_their_id_title_address_and_space(tmp_path: Path) -> None:
    source = export(tmp_path, PAGES)
    found = documents(source)
    assert found.keys() == {"1", "2", "3", "4", "5"}
    assert found["3"].metadata.title == "Nómina"
    assert found["3"].metadata.uri == "https://casa.example/wiki/spaces/ALM/pages/3"
    assert len(found["3"].metadata.breadcrumbs) == 3
    assert found["5"].metadata.status is DocumentStatus.OBSOLETE
    assert found["5"].metadata.superseded_by == "1"
    assert source.hosts == {"casa.example", "otra.example"}
    assert source.describe().documents == 5


def test_a_child_of_a_restricted_page_is_as_restricted(tmp_path: Path) -> None:
    found = documents(export(tmp_path, PAGES))
    assert found["2"].rule == found["3"].rule == found["4"].rule == HR
    assert found["1"].rule == found["5"].rule == AccessRule.of([EVERYONE])


def test_owner_and_status_of_a_page_are_not_inherited(tmp_path: Path) -> None:
    found = documents(export(tmp_path, PAGES))
    assert (found["2"].metadata.owner, found["3"].metadata.owner) == ("ana@x.com", "")


def test_an_ancestor_counts_though_its_own_page_is_missing(tmp_path: Path) -> None:
    source = export(tmp_path, {name: text for name, text in PAGES.items() if name != "RRHH_2.html"})
    assert documents(source)["3"].rule == HR
    missing = [found for found in source.read() if isinstance(found, FailedDocument)]
    assert [found.key for found in missing] == ["2"]
    assert "missing" in missing[0].sentence


def test_ancestors_of_the_breadcrumbs_and_of_the_index_both_count(tmp_path: Path) -> None:
    only_index = documents(export(tmp_path / "a", PAGES | {"3.html": page("Nómina", "Casa_1.html")}))
    assert only_index["3"].rule == HR
    only_crumbs = documents(export(tmp_path / "b", PAGES | {"TI_5.html": page("TI", "RRHH_2.html")}))
    assert only_crumbs["5"].rule == HR


def test_a_breadcrumb_without_an_id_closes_the_page(tmp_path: Path) -> None:
    found = documents(export(tmp_path, PAGES | {"TI_5.html": page("TI", "weird.html")}))
    assert found["5"].rule == NOBODY
    assert found["5"].warnings == (UNKNOWN_ANCESTOR,)


def test_without_an_access_file_nobody_reads_anything(tmp_path: Path) -> None:
    source = export(tmp_path, PAGES, access=None)
    assert {document.rule for document in documents(source).values()} == {NOBODY}
    assert all(document.warnings for document in documents(source).values())
    assert "nobody" in source.describe().warnings[0]


def test_an_entry_for_a_page_that_is_not_there_is_reported(tmp_path: Path) -> None:
    source = export(tmp_path, PAGES, access=ACCESS + "[[page]]\nid='99'\nallow=['group:hr']\n")
    assert source.describe().warnings == ("[[page]] 99 names no page of the export.",)


def test_attachments_are_documents_under_the_rule_of_their_page(tmp_path: Path) -> None:
    after = (
        "<h2 id='attachments'>Attachments:</h2><div class='greybox'><a href='attachments/3/7.csv'>pagos.csv</a> (x)"
        "<br><a href='attachments/3/8.png'>foto.png</a> (image/png)<br><a href='attachments/3/9.pdf'>falta.pdf</a>"
        "<br><a href='attachments/3/10.pdf'>malo.pdf</a></div>"
    )
    files = PAGES | {"3.html": page("Nómina", "Casa_1.html", "RRHH_2.html", after=after)}
    source = export(tmp_path, files | {"attachments/3/7.csv": "Mes,Día\nEnero,28\n", "attachments/3/10.pdf": b"x"})
    attached = documents(source)["3/7.csv"]
    assert attached.rule == HR
    assert attached.metadata.title == "pagos.csv"
    assert attached.metadata.uri == "https://casa.example/wiki/spaces/ALM/pages/3"
    assert attached.metadata.breadcrumbs[-1] == "Nómina"
    assert documents(source)["3"].warnings == ("1 of its attachments are missing from the export.",)
    assert [found.key for found in source.read() if isinstance(found, FailedDocument)] == ["3/10.pdf"]


def test_a_folder_without_an_index_is_no_export(tmp_path: Path) -> None:
    (tmp_path / "3.html").write_text("x")
    with pytest.raises(SourceError, match=r"holds no index\.html"):
        list(ConfluenceHtmlSource("wiki", tmp_path).read())


def test_the_index_tells_the_space_and_the_tree() -> None:
    index = parse_index(INDEX)
    assert (index.space_key, index.space_name) == ("ALM", "Casa")
    assert index.ancestors == {"1": (), "2": ("1",), "3": ("1", "2"), "4": ("1", "2"), "5": ("1",)}


@pytest.mark.shared
def test_a_real_export_is_read_whole_with_its_titles_and_breadcrumbs(shared_data: Path) -> None:
    source = ConfluenceHtmlSource("varlab", shared_data / "confluence_html" / "space_export")
    found = documents(source)
    assert len(found) == 203
    assert {document.rule for document in found.values()} == {NOBODY}
    assert not [document.key for document in found.values() if document.metadata.title.startswith("VARLab :")]
    assert all(document.metadata.breadcrumbs[:1] == ("VARLab",) for document in found.values())
    bloom = found["7766081"].metadata
    assert (bloom.title, bloom.breadcrumbs[-1]) == ("LSM2.00 - Bloom", "General Release DLX")
