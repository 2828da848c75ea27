"""Write `drive.json`, and fetch the files it lists, with an admin's own credentials.

    export GOOGLE_OAUTH_TOKEN="$(gcloud auth print-access-token)"
    python scripts/drive_permissions.py FOLDER                  # what the admin can see
    python scripts/drive_permissions.py FOLDER --drive ID       # one shared drive

The token needs the scope `drive.readonly`. It is sent to www.googleapis.com only, and written nowhere. FOLDER then is
the `path` of a source of the kind `drive`. Needs nothing but Python.

Google: https://developers.google.com/workspace/drive/api/reference/rest/v3/files/list and …/permissions/list
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

API = "https://www.googleapis.com/drive/v3"
LARGEST = 100 * 1024 * 1024
NATIVE = "application/vnd.google-apps."
EXPORTS = {
    f"{NATIVE}document": ("text/html", ".html"),
    f"{NATIVE}spreadsheet": ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", ".xlsx"),
    f"{NATIVE}presentation": ("application/vnd.openxmlformats-officedocument.presentationml.presentation", ".pptx"),
}
READ = (".html", ".htm", ".md", ".txt", ".csv", ".tsv", ".pdf", ".docx", ".pptx", ".xlsx")

Get = Callable[[str, dict[str, str]], bytes]


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description="Write drive.json and fetch its files.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--drive", default="", help="id of a shared drive")
    parser.add_argument("--query", default="", help="a query of files.list, such as \"'FOLDER_ID' in parents\"")
    parser.add_argument("--list-only", action="store_true", help="write drive.json without fetching the files")
    options = parser.parse_args()
    token = os.environ.get("GOOGLE_OAUTH_TOKEN", "").strip()
    if not token:
        print("Set GOOGLE_OAUTH_TOKEN: see the head of this file.", file=sys.stderr)
        return 1
    try:
        write_export(options.folder, getter(token), options.drive, options.query, fetch=not options.list_only)
    except urllib.error.HTTPError as error:
        print(f"Google answered {error.code}: check the token, its scope and the ids.", file=sys.stderr)
        return 1
    return 0


def write_export(folder: Path, get: Get, drive: str = "", query: str = "", *, fetch: bool = True) -> None:
    """List everything, fetch what can be read, and write drive.json at last, whole."""
    folder.mkdir(parents=True, exist_ok=True)
    files = [with_permissions(file, get) for file in list_files(get, drive, query)]
    for file in files:
        path = local_path(file)
        if not path or file.get("trashed"):
            continue
        if not fetch or fetch_file(file, folder / path, get):
            file["exportPath"] = path
    listing = json.dumps({"kind": "drive#fileList", "files": files}, ensure_ascii=False, indent=1)
    partial = folder / "drive.json.partial"
    partial.write_text(listing, encoding="utf-8")
    partial.replace(folder / "drive.json")


def list_files(get: Get, drive: str, query: str) -> Iterator[dict[str, Any]]:
    """Every file, page by page. A page that is missing ends in an error, never in a shorter list."""
    asked = {"fields": "nextPageToken,incompleteSearch,files(*)", "pageSize": "200", "supportsAllDrives": "true"}
    asked |= {"includeItemsFromAllDrives": "true"}
    asked |= {"corpora": "drive", "driveId": drive} if drive else {}
    asked |= {"q": query} if query else {}
    while True:
        page = json.loads(get(f"{API}/files", asked))
        if page.get("incompleteSearch"):
            raise RuntimeError("Google did not search everything: name one drive with --drive.")
        yield from page.get("files", [])
        if not page.get("nextPageToken"):
            return
        asked["pageToken"] = page["nextPageToken"]


def with_permissions(file: dict[str, Any], get: Get) -> dict[str, Any]:
    """A file with all its permissions: files.list leaves them out in shared drives. Refused: none, read by nobody."""
    if "permissions" in file:
        return file
    permissions: list[Any] = []
    asked = {"fields": "nextPageToken,permissions(*)", "pageSize": "100", "supportsAllDrives": "true"}
    try:
        while True:
            page = json.loads(get(f"{API}/files/{file['id']}/permissions", asked))
            permissions += page.get("permissions", [])
            if not page.get("nextPageToken"):
                return file | {"permissions": permissions}
            asked["pageToken"] = page["nextPageToken"]
    except urllib.error.HTTPError as error:
        if error.code not in {403, 404}:
            raise
        return file


def local_path(file: dict[str, Any]) -> str:
    """Where a file's copy is kept; empty for what cannot be read. The id makes it unique and keeps names harmless."""
    kind, name = str(file.get("mimeType", "")), str(file.get("name", ""))
    suffix = EXPORTS[kind][1] if kind in EXPORTS else Path(name).suffix.lower()
    if suffix not in READ or (kind.startswith(NATIVE) and kind not in EXPORTS):
        return ""
    if not re.fullmatch(r"[A-Za-z0-9_-]+", str(file["id"])):
        raise RuntimeError(f"{file['id']!r} is no id of Google's.")
    return f"files/{file['id']}{suffix}"


def fetch_file(file: dict[str, Any], path: Path, get: Get) -> bool:
    """Fetch one file; False when it is too large or Google does not give it."""
    if int(file.get("size", 0)) > LARGEST:
        return False
    kind = str(file.get("mimeType", ""))
    address = f"{API}/files/{file['id']}"
    try:
        if kind in EXPORTS:
            data = get(f"{address}/export", {"mimeType": EXPORTS[kind][0]})
        else:
            data = get(address, {"alt": "media", "supportsAllDrives": "true"})
    except urllib.error.HTTPError as error:
        if error.code not in {403, 404}:
            raise
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return True


def getter(token: str) -> Get:
    """Ask Google with a token."""

    def get(address: str, asked: dict[str, str]) -> bytes:
        request = urllib.request.Request(f"{address}?{urllib.parse.urlencode(asked)}")  # noqa: S310  # API, https
        request.add_header("Authorization", f"Bearer {token}")
        with urllib.request.urlopen(request, timeout=120) as answer:  # noqa: S310  # as above
            data: bytes = answer.read()
        return data

    return get


if __name__ == "__main__":
    sys.exit(main())
