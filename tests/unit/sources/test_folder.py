import datetime as dt
from pathlib import Path

import pytest

from core.domain.access import EVERYONE, NOBODY, AccessRule, Principal
from core.domain.document import DocumentStatus, SourceDocument
from core.errors import SourceError
from sync.sources.base import FailedDocument
from sync.sources.folder import NO_RULE, FolderSource

ACCESS = """
[defaults]
allow = ["everyone"]
base_url = "https://files.example"
link_template = "{base_url}/{path}"
[[rule]]
glob = "pub/**"
allow = ["everyone"]
owner = "equipo@x.com"
[[rule]]
glob = "pub/rrhh/**"
allow = ["group:hr"]
status = "archived"
"""


def folder(root: Path, files: dict[str, str | bytes], access: str | None = ACCESS) -> FolderSource:
    for name, data in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
    if access is not None:
        (root / "access.toml").write_text(access, "utf-8")
    return FolderSource("manual", root)


def documents(source: FolderSource) -> dict[str, SourceDocument]:
    return {found.key: found for found in source.read() if isinstance(found, SourceDocument)}


def test_a_file_is_a_document_with_its_path_for_a_key(tmp_path: Path) -> None:
    source = folder(tmp_path, {"pub/viajes/guía.md": "---\ntitle: Guía\nvalid_from: 2026-01-01\n---\n# Hola\n"})
    (document,) = documents(source).values()
    assert document.key == "pub/viajes/guía.md"
    assert document.rule == AccessRule.of([EVERYONE])
    metadata = document.metadata
    assert (metadata.title, metadata.breadcrumbs, metadata.owner) == ("Guía", ("pub", "viajes"), "equipo@x.com")
    assert metadata.uri == "https://files.example/pub/viajes/gu%C3%ADa.md"
    assert metadata.valid_from == dt.date(2026, 1, 1)
    assert metadata.media_type == "text/markdown"
    assert source.hosts == {"files.example"}


def test_a_file_that_calls_itself_nothing_is_called_by_its_name(tmp_path: Path) -> None:
    (document,) = documents(folder(tmp_path, {"pub/precios.csv": "Plan,Precio,Nota\nOro,9,x\n"})).values()
    assert document.metadata.title == "precios"


def test_a_file_without_a_rule_is_for_nobody_and_says_so(tmp_path: Path) -> None:
    (document,) = documents(folder(tmp_path, {"x.md": "hola"})).values()
    assert document.rule == NOBODY
    assert document.warnings == (NO_RULE,)


def test_without_an_access_file_everything_is_for_nobody(tmp_path: Path) -> None:
    source = folder(tmp_path, {"pub/x.md": "hola"}, access=None)
    assert {document.rule for document in source.read() if isinstance(document, SourceDocument)} == {NOBODY}
    assert "access.toml" in source.describe().warnings[0]


def test_front_matter_never_opens_a_document_and_the_access_file_has_the_last_word(tmp_path: Path) -> None:
    text = "---\nallow: [everyone]\nowner: otra@x.com\nstatus: in_force\n---\nhola"
    document = documents(folder(tmp_path, {"pub/rrhh/a.md": text}))["pub/rrhh/a.md"]
    assert document.rule == AccessRule.of([EVERYONE], [Principal.group("hr")])
    assert document.metadata.owner == "equipo@x.com"
    assert document.metadata.status is DocumentStatus.ARCHIVED


def test_labels_tell_the_status_where_nothing_else_does(tmp_path: Path) -> None:
    document = documents(folder(tmp_path, {"pub/a.md": "---\ntags: [borrador]\n---\nhola"}))["pub/a.md"]
    assert document.metadata.status is DocumentStatus.DRAFT


def test_a_file_that_cannot_be_read_is_one_line_and_the_rest_goes_on(tmp_path: Path) -> None:
    source = folder(tmp_path, {"pub/a.pdf": b"no pdf", "pub/b.md": "hola", "pub/c.odt": b"x", "pub/d.png": b"x"})
    found = list(source.read())
    assert [type(item).__name__ for item in found] == ["FailedDocument", "SourceDocument", "FailedDocument"]
    assert [item.key for item in found] == ["pub/a.pdf", "pub/b.md", "pub/c.odt"]
    assert isinstance(found[0], FailedDocument)
    assert "broken" in found[0].sentence


def test_what_is_no_document_is_passed_over(tmp_path: Path) -> None:
    rubbish: dict[str, str | bytes] = {
        ".git/x.md": "x",
        "__MACOSX/a.md": "x",
        "pub/~$a.docx": "x",
        "pub/.DS_Store": "x",
    }
    assert documents(folder(tmp_path, rubbish | {"pub/.oculto.md": "hola"})).keys() == {"pub/.oculto.md"}


def test_an_empty_folder_is_no_export(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="empty"):
        list(folder(tmp_path, {}, access=None).read())
    with pytest.raises(SourceError, match="does not exist"):
        FolderSource("x", tmp_path / "missing").describe()


def test_describing_counts_without_reading(tmp_path: Path) -> None:
    description = folder(tmp_path, {"pub/a.pdf": b"no pdf", "pub/b.md": "hola", "pub/d.png": b"x"}).describe()
    assert (description.name, description.kind, description.documents) == ("manual", "folder", 2)
    assert description.warnings == ()
