import datetime as dt
import json
from pathlib import Path
from typing import Any

import pytest

from core.domain.access import EVERYONE, NOBODY, AccessRule, Principal
from core.domain.document import DocumentStatus, SourceDocument
from core.errors import SourceError
from sync.sources.base import FailedDocument
from sync.sources.drive import NO_PERMISSIONS, NO_READER, DriveSource
from sync.sources.drive_listing import FOLDER, SHORTCUT, parse_listing

NOW = dt.datetime(2026, 11, 29, 12, tzinfo=dt.UTC)
ANA, LUIS = Principal.user("ana@x.com"), Principal.user("luis@x.com")

USER: dict[str, Any] = {"type": "user", "role": "reader", "emailAddress": "Ana@X.com"}
GROUP = {"type": "group", "role": "commenter", "emailAddress": "it@x.com"}
DOMAIN = {"type": "domain", "role": "reader", "domain": "x.com", "allowFileDiscovery": True}


def entry(file_id: str = "f1", **more: Any) -> dict[str, Any]:
    return {
        "id": file_id,
        "name": "Doc",
        "mimeType": "text/plain",
        "exportPath": "files/doc.txt",
        "version": "7",
    } | more


def drive(root: Path, *files: dict[str, Any], **more: Any) -> DriveSource:
    (root / "files").mkdir(parents=True, exist_ok=True)
    (root / "files" / "doc.txt").write_text("Hola", "utf-8")
    (root / "drive.json").write_text(json.dumps({"kind": "drive#fileList", "files": files} | more), "utf-8")
    return DriveSource("drive", root, now=lambda: NOW)


def rule(root: Path, *permissions: dict[str, Any]) -> AccessRule:
    (document,) = drive(root, entry(permissions=list(permissions))).read()
    assert isinstance(document, SourceDocument)
    return document.rule


def test_permissions_are_alternatives(tmp_path: Path) -> None:
    assert rule(tmp_path, USER, GROUP, DOMAIN) == AccessRule.of(
        [ANA, Principal.group("it@x.com"), Principal.domain("x.com")]
    )


def test_what_anybody_may_find_is_open_to_the_tenant(tmp_path: Path) -> None:
    assert rule(tmp_path, {"type": "anyone", "role": "reader", "allowFileDiscovery": True}) == AccessRule.of([EVERYONE])


@pytest.mark.parametrize(
    "permission",
    [
        {"type": "anyone", "role": "reader", "allowFileDiscovery": False},
        {"type": "anyone", "role": "reader"},
        {"type": "domain", "role": "reader", "domain": "x.com", "allowFileDiscovery": False},
        USER | {"deleted": True},
        USER | {"view": "metadata"},
        USER | {"view": "published"},
        USER | {"expirationTime": "2026-11-29T11:59:59.000Z"},
        USER | {"emailAddress": ""},
        USER | {"role": "seer"},
        {"type": "alien", "role": "reader"},
        {},
    ],
    ids=str,
)
def test_link_only_deleted_expired_and_unknown_grants_open_nothing(tmp_path: Path, permission: dict[str, Any]) -> None:
    (document,) = drive(tmp_path, entry(permissions=[permission])).read()
    assert isinstance(document, SourceDocument)
    assert document.rule == NOBODY
    assert document.warnings == (NO_READER,)


def test_a_grant_counts_until_it_expires(tmp_path: Path) -> None:
    assert rule(tmp_path, USER | {"expirationTime": "2026-11-29T12:00:01Z"}) == AccessRule.of([ANA])


def test_a_listing_without_permissions_takes_the_folder_s(tmp_path: Path) -> None:
    folder = {"id": "d1", "name": "Carpeta", "mimeType": FOLDER, "permissions": [USER]}
    (document,) = drive(tmp_path, folder, entry(parents=["d1"])).read()
    assert isinstance(document, SourceDocument)
    assert document.rule == AccessRule.of([ANA])


def test_a_file_of_which_nothing_is_said_is_for_nobody(tmp_path: Path) -> None:
    (document,) = drive(tmp_path, entry()).read()
    assert isinstance(document, SourceDocument)
    assert (document.rule, document.warnings) == (NOBODY, (NO_PERMISSIONS,))


def test_an_inherited_grant_does_not_pass_a_folder_of_limited_access(tmp_path: Path) -> None:
    def grant(person: str, inherited: bool) -> dict[str, Any]:
        detail = {"permissionType": "member", "role": "reader", "inherited": inherited, "inheritedFrom": "root"}
        return USER | {"emailAddress": person, "permissionDetails": [detail]}

    root = {"id": "root", "name": "Unidad", "mimeType": FOLDER, "permissions": [grant("luis@x.com", False)]}
    limited = {
        "id": "d1",
        "name": "Dirección",
        "mimeType": FOLDER,
        "parents": ["root"],
        "inheritedPermissionsDisabled": True,
        "permissions": [grant("ana@x.com", False)],
    }
    eva = grant("eva@x.com", False)
    file = entry(parents=["d1"], permissions=[grant("luis@x.com", True), grant("ana@x.com", True), eva])
    (document,) = drive(tmp_path, root, limited, file).read()
    assert isinstance(document, SourceDocument)
    assert document.rule == AccessRule.of([ANA, Principal.user("eva@x.com")])


def test_folders_shortcuts_and_what_is_in_the_bin_are_no_documents(tmp_path: Path) -> None:
    source = drive(
        tmp_path,
        {"id": "d1", "name": "x", "mimeType": FOLDER, "trashed": True},
        {"id": "s1", "name": "x", "mimeType": SHORTCUT, "shortcutDetails": {"targetId": "f1"}, "permissions": [DOMAIN]},
        entry("f1", trashed=True),
        entry("f2", parents=["d1"]),
        entry("f3", mimeType="image/png"),
        entry("f4", mimeType="application/vnd.google-apps.form"),
        entry("f5", permissions=[USER]),
    )
    assert [found.key for found in source.read()] == ["f5"]
    assert source.describe().documents == 1


def test_metadata_comes_from_the_listing(tmp_path: Path) -> None:
    folders: list[dict[str, Any]] = [
        {"id": "a", "name": "Finanzas", "mimeType": FOLDER, "parents": ["r"]},
        {"id": "r", "name": "Unidad", "mimeType": FOLDER},
    ]
    file = entry(
        parents=["a"],
        webViewLink="https://docs.google.com/document/d/f1/edit",
        version="7",
        modifiedTime="2026-03-01T10:00:00.000Z",
        owners=[{"displayName": "Ana Ruiz", "emailAddress": "ana@x.com"}],
        properties={
            "status": "obsolete",
            "valid_from": "2025-01-01",
            "valid_until": "2025-12-31",
            "superseded_by": "f9",
        },
    )
    (document,) = drive(tmp_path, *folders, file).read()
    assert isinstance(document, SourceDocument)
    metadata = document.metadata
    assert (metadata.title, metadata.breadcrumbs) == ("Doc", ("Unidad", "Finanzas"))
    assert (metadata.author, metadata.owner, metadata.source_version) == ("Ana Ruiz", "ana@x.com", "7")
    assert metadata.uri == "https://docs.google.com/document/d/f1/edit"
    assert metadata.modified_at == dt.datetime(2026, 3, 1, 10, tzinfo=dt.UTC)
    assert (metadata.valid_from, metadata.valid_until) == (dt.date(2025, 1, 1), dt.date(2025, 12, 31))
    assert (metadata.status, metadata.superseded_by) == (DocumentStatus.OBSOLETE, "f9")


def test_folders_that_contain_each_other_end(tmp_path: Path) -> None:
    loop = [
        {"id": "a", "name": "A", "mimeType": FOLDER, "parents": ["b"]},
        {"id": "b", "name": "B", "mimeType": FOLDER, "parents": ["a"]},
    ]
    (document,) = drive(tmp_path, *loop, entry(parents=["a"])).read()
    assert isinstance(document, SourceDocument)
    assert document.rule == NOBODY


def test_a_file_without_its_copy_is_one_line(tmp_path: Path) -> None:
    source = drive(
        tmp_path,
        entry("f1", exportPath="files/missing.txt"),
        entry("f2", exportPath=""),
        entry("f3", exportPath="../../etc/passwd.txt"),
        entry("f4", exportPath="files/x.bin"),
        entry("f5"),
    )
    found = list(source.read())
    assert [item.key for item in found if isinstance(item, FailedDocument)] == ["f1", "f2", "f3", "f4"]
    assert isinstance(found[-1], SourceDocument)


def test_an_id_that_is_listed_twice_is_for_nobody(tmp_path: Path) -> None:
    (document,) = drive(tmp_path, entry(permissions=[USER]), entry(permissions=[DOMAIN])).read()
    assert isinstance(document, SourceDocument)
    assert document.rule == NOBODY


@pytest.mark.parametrize(
    "data", [b"", b"[]", b"{}", b'{"files": [{"name": "x"}]}', b'{"files": [], "nextPageToken": "x"}']
)
def test_what_is_not_the_whole_answer_of_the_api_is_no_export(data: bytes) -> None:
    with pytest.raises(SourceError, match=r"drive\.json"):
        parse_listing(data)


def test_a_folder_without_a_listing_is_no_export(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"holds no drive\.json"):
        list(DriveSource("drive", tmp_path).read())


@pytest.mark.shared
def test_the_api_s_own_samples_are_understood(shared_data: Path) -> None:
    sample = (shared_data / "drive" / "api_samples" / "files_list.json").read_bytes()
    with pytest.raises(SourceError, match="only a part"):
        parse_listing(sample)
    assert parse_listing(sample.replace(b"nextPageToken", b"token")).files


def test_a_takeout_folder_is_read_by_its_access_file(tmp_path: Path) -> None:
    (tmp_path / "Takeout" / "Drive").mkdir(parents=True)
    (tmp_path / "Takeout" / "Drive" / "Notes.txt").write_text("Hola", "utf-8")
    (tmp_path / "Takeout" / "Drive" / "Secret.txt").write_text("Nada", "utf-8")
    rules = '[defaults]\nallow = ["everyone"]\n[[rule]]\nglob = "**/Notes.txt"\nallow = ["everyone"]\n'
    (tmp_path / "access.toml").write_text(rules)
    source = DriveSource("drive", tmp_path)
    found = {item.key: item for item in source.read() if isinstance(item, SourceDocument)}
    assert found["Takeout/Drive/Notes.txt"].rule == AccessRule.of([EVERYONE])
    assert found["Takeout/Drive/Secret.txt"].rule == NOBODY
    assert source.describe().documents == 2


def test_a_folder_with_neither_listing_nor_access_file_is_no_export(tmp_path: Path) -> None:
    (tmp_path / "Notes.txt").write_text("Hola", "utf-8")
    with pytest.raises(SourceError, match=r"drive\.json"):
        list(DriveSource("drive", tmp_path).read())
