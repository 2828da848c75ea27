"""A Google Drive export: the files, and beside them `drive.json`, the listing that the Drive API gave."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from core.domain.access import NOBODY, AccessRule
from core.domain.document import SourceDocument
from core.errors import ParsingError
from sync.parsing.dates import read_date
from sync.parsing.formats import AS_USUAL, FileReader
from sync.parsing.front_matter import status_of
from sync.parsing.parsed import Hints
from sync.sources.access_file import FILE_NAME as ACCESS_FILE
from sync.sources.base import FailedDocument, SourceDescription, metadata_of
from sync.sources.drive_listing import FOLDER, SHORTCUT, DriveFile, DriveListing, parse_listing
from sync.sources.export_tree import ExportTree, open_tree
from sync.sources.folder import FolderSource

LISTING = "drive.json"
NO_READER = "Its sharing in Drive names nobody who could read it here (link-only sharing is not public)."
NO_PERMISSIONS = f"{LISTING} does not say who may read it: nobody may."
REPEATED = f"It is in {LISTING} twice: nobody may read it."

_HOSTS = frozenset({"drive.google.com", "docs.google.com"})
_NATIVE = "application/vnd.google-apps."
_WITHOUT_TEXT = ("image/", "audio/", "video/", "font/")
_NATIVE_WITHOUT_TEXT = frozenset({"form", "map", "site", "script", "fusiontable", "photo", "jam", "drive-sdk", "vid"})


def _now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)


class DriveSource:
    """Reads the exported files of a drive."""

    kind = "drive"

    def __init__(
        self,
        name: str,
        path: Path,
        access_file: Path | None = None,
        now: Callable[[], dt.datetime] = _now,
        *,
        files: FileReader = AS_USUAL,
    ) -> None:
        """Read the export at a path; `access_file` stands for the access.toml of a Takeout folder."""
        self._reader = files
        self.name = name
        self._path = path
        self._access_file = access_file
        self._now = now

    @property
    def hosts(self) -> frozenset[str]:
        """Google's hosts; those of a Takeout folder are those of its access.toml."""
        return self._takeout.hosts if self._takeout is not None else _HOSTS

    @cached_property
    def _takeout(self) -> FolderSource | None:
        """The folder as Google Takeout writes it: files without a listing, of which an access.toml says who reads.

        A folder with neither is no export: it may be one whose listing is still being written.
        """
        tree = open_tree(self._path, self._reader.limits)
        if any(path.rpartition("/")[2] == LISTING for path in tree):
            return None
        if self._access_file is None and ACCESS_FILE not in tree:
            return None
        return FolderSource(self.name, self._path, self._access_file, files=self._reader)

    @cached_property
    def _tree(self) -> ExportTree:
        return open_tree(self._path, self._reader.limits).rooted_at(LISTING)

    @cached_property
    def _listing(self) -> DriveListing:
        return parse_listing(self._tree.read(LISTING))

    def describe(self) -> SourceDescription:
        """Count the files that would be read."""
        if self._takeout is not None:
            return replace(self._takeout.describe(), kind=self.kind)
        documents = sum(1 for _ in self._files())
        return SourceDescription(self.name, self.kind, str(self._path), documents, self._tree.warnings)

    def read(self) -> Iterator[SourceDocument | FailedDocument]:
        """Read every file that is listed and not in the bin, in the order of the listing."""
        if self._takeout is not None:
            yield from self._takeout.read()
            return
        for file in self._files():
            try:
                yield self._document(file)
            except ParsingError as error:
                yield FailedDocument(file.id, str(error))

    def _files(self) -> Iterator[DriveFile]:
        for file in self._listing.files.values():
            if file.mime_type in {FOLDER, SHORTCUT}:
                continue
            if file.mime_type.startswith(_WITHOUT_TEXT) and not self._reader.reads_picture(file.export_path):
                continue
            if file.mime_type.removeprefix(_NATIVE) in _NATIVE_WITHOUT_TEXT:
                continue
            if not file.trashed and not any(folder.trashed for folder in self._listing.ancestors(file)):
                yield file

    def _document(self, file: DriveFile) -> SourceDocument:
        if not file.export_path:
            raise ParsingError(f"{file.name} has no copy in the export (exportPath).")
        if not self._reader.reads(file.export_path):
            raise ParsingError(f"{file.name} is of a kind that Testigo does not read.")
        parsed = self._reader.parse(self._tree.read(file.export_path), file.export_path)
        rule, warnings = self._rule(file)
        folders = [folder.name for folder in self._listing.ancestors(file)]
        metadata = replace(
            metadata_of(file.name or parsed.title, parsed.hints, _hints(file)),
            uri=file.web_view_link,
            breadcrumbs=tuple(reversed(folders)),
            media_type=file.mime_type,
        )
        warnings = (*parsed.warnings, *warnings)
        return SourceDocument(self.name, file.id, metadata, parsed.blocks, rule, warnings, ocr_pages=parsed.ocr_pages)

    def _rule(self, file: DriveFile) -> tuple[AccessRule, tuple[str, ...]]:
        if file.id in self._listing.repeated:
            return NOBODY, (REPEATED,)
        readers = self._listing.readers(file, self._now())
        if readers is None:
            return NOBODY, (NO_PERMISSIONS,)
        return (AccessRule.of(readers), ()) if readers else (NOBODY, (NO_READER,))


def _hints(file: DriveFile) -> Hints:
    """What the listing says of a file; its free properties hold validity and status."""
    owner = file.owners[0] if file.owners else file.last_modifying_user
    return Hints(
        author=(file.last_modifying_user.display_name or owner.display_name),
        owner=file.properties.get("owner", "") or (file.owners[0].email_address if file.owners else ""),
        modified_at=file.modified_time,
        source_version=file.version,
        valid_from=read_date(file.properties.get("valid_from")),
        valid_until=read_date(file.properties.get("valid_until")),
        status=status_of([file.properties.get("status", "")]),
        superseded_by=file.properties.get("superseded_by", ""),
        replaces=tuple(file.properties.get("replaces", "").split()),
    )
