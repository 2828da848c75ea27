"""The script that writes drive.json: what it writes, the drive source reads."""

from __future__ import annotations

import importlib.util
import io
import json
import urllib.error
from email.message import Message
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from core.domain.access import NOBODY, AccessRule, Principal
from core.domain.document import SourceDocument
from sync.sources.drive import DriveSource

SCRIPT = Path(__file__).resolve().parents[3] / "scripts" / "drive_permissions.py"
ANA = {"type": "user", "role": "reader", "emailAddress": "ana@x.com"}
DOC = {"id": "doc1", "name": "Política", "mimeType": "application/vnd.google-apps.document", "permissions": [ANA]}
SHARED = {"id": "txt1", "name": "notes.txt", "mimeType": "text/plain", "size": "5"}
REFUSED = {"id": "txt2", "name": "secret.txt", "mimeType": "text/plain"}
PICTURE = {"id": "png1", "name": "a.png", "mimeType": "image/png", "permissions": [ANA]}


@pytest.fixture
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("drive_permissions", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def google(address: str, asked: dict[str, str]) -> bytes:
    """The Drive API of a drive of four files on two pages."""
    path = address.partition("/files")[2]
    answers: dict[str, Any] = {
        "": {"files": [SHARED, REFUSED, PICTURE]} if "pageToken" in asked else {"files": [DOC], "nextPageToken": "2"},
        "/txt1/permissions": {"permissions": [ANA]},
        "/doc1/export": b"<html><body><p>Hola.</p></body></html>",
        "/txt1": b"Notas",
        "/txt2": b"Nada",
    }
    if path not in answers:
        raise urllib.error.HTTPError(address, 403, "no", Message(), io.BytesIO())
    found = answers[path]
    return found if isinstance(found, bytes) else json.dumps(found).encode()


def test_what_the_script_writes_is_read_with_its_permissions(script: ModuleType, tmp_path: Path) -> None:
    script.write_export(tmp_path, google)
    found = {item.key: item for item in DriveSource("drive", tmp_path).read() if isinstance(item, SourceDocument)}
    ana = AccessRule.of([Principal.user("ana@x.com")])
    assert {key: document.rule for key, document in found.items()} == {"doc1": ana, "txt1": ana, "txt2": NOBODY}
    assert found["doc1"].metadata.title == "Política"


def test_an_answer_that_is_not_whole_writes_nothing(script: ModuleType, tmp_path: Path) -> None:
    def partial(address: str, asked: dict[str, str]) -> bytes:
        return json.dumps({"files": [DOC], "incompleteSearch": True}).encode()

    with pytest.raises(RuntimeError, match="--drive"):
        script.write_export(tmp_path, partial)
    assert not (tmp_path / "drive.json").exists()


def test_an_id_that_is_a_path_is_refused(script: ModuleType) -> None:
    with pytest.raises(RuntimeError):
        script.local_path({"id": "../../x", "name": "a.txt", "mimeType": "text/plain"})
