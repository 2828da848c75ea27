"""A plain folder (or zip) of files with an `access.toml` at its root."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

from core.domain.access import NOBODY
from core.domain.document import SourceDocument
from core.errors import ParsingError, SourceError
from sync.parsing.formats import AS_USUAL, FileReader, suffix_of
from sync.sources.access_file import FILE_NAME, AccessFile, load_access_file
from sync.sources.base import FailedDocument, SourceDescription, metadata_of
from sync.sources.export_tree import ExportTree, open_tree

NO_RULE = f"No rule of {FILE_NAME} matches it: nobody may read it."
CLOSED_RULE = f"Its rule in {FILE_NAME} is satisfied by nobody."

# Never documents, whatever they are called in a rule.
_RUBBISH_NAMES = frozenset({".DS_Store", "Thumbs.db", "desktop.ini", FILE_NAME})
_RUBBISH_FOLDERS = frozenset({".git", "__MACOSX", ".svn", "node_modules"})
# Nothing that could be read: not worth a line in the report.
_WITHOUT_TEXT = frozenset(
    {".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".bmp", ".ico", ".tif", ".tiff", ".heic", ".mp3", ".wav", ".mp4"}
    | {
        ".mov",
        ".avi",
        ".webm",
        ".woff",
        ".woff2",
        ".ttf",
        ".css",
        ".js",
        ".zip",
        ".map",
        ".json",
        ".toml",
        ".yaml",
        ".yml",
    }
)


class FolderSource:
    """Reads every file of a folder that is in a format Testigo knows."""

    kind = "folder"

    def __init__(self, name: str, path: Path, access_file: Path | None = None, *, files: FileReader = AS_USUAL) -> None:
        """Read the export at a path; `access_file` is read instead of its own access.toml."""
        self._files = files
        self.name = name
        self._path = path
        self._access_file = access_file

    @cached_property
    def _tree(self) -> ExportTree:
        tree = open_tree(self._path, self._files.limits)
        if not len(tree):
            raise SourceError(f"{self._path} is empty, so nothing was concluded from it.")
        return tree

    @cached_property
    def _access(self) -> AccessFile:
        return load_access_file(self._tree, "rule", self._access_file)

    @property
    def hosts(self) -> frozenset[str]:
        """The host of the addresses that the link template makes."""
        host = urlsplit(self._access.link(path="x")).hostname
        return frozenset({host}) if host else frozenset()

    def describe(self) -> SourceDescription:
        """Count the files that would be read, and tell what is wrong with access.toml."""
        documents = sum(self._files.reads(path) for path in self._paths())
        warnings = (*self._tree.warnings, *self._access.problems)
        return SourceDescription(self.name, self.kind, str(self._path), documents, warnings)

    def read(self) -> Iterator[SourceDocument | FailedDocument]:
        """Read every file, in the order of their paths."""
        for path in self._paths():
            if suffix_of(path) in _WITHOUT_TEXT and not self._files.reads(path):
                continue
            try:
                yield self._document(path)
            except ParsingError as error:
                yield FailedDocument(path, str(error))

    def _paths(self) -> Iterator[str]:
        for path in self._tree:
            *folders, name = path.split("/")
            if name not in _RUBBISH_NAMES and not name.startswith("~$") and not _RUBBISH_FOLDERS.intersection(folders):
                yield path

    def _document(self, path: str) -> SourceDocument:
        parsed = self._files.parse(self._tree.read(path), path)
        pure = PurePosixPath(path)
        rule = self._access.rule_of_path(path)
        warnings = parsed.warnings
        if rule is None:
            warnings = (*warnings, NO_RULE)
        elif rule == NOBODY:
            warnings = (*warnings, CLOSED_RULE)
        metadata = replace(
            metadata_of(parsed.title or pure.stem, parsed.hints, *self._access.metadata_of_path(path)),
            uri=self._access.link(path=path),
            breadcrumbs=pure.parts[:-1],
            media_type=self._files.media_types().get(suffix_of(path), ""),
        )
        return SourceDocument(
            self.name, path, metadata, parsed.blocks, rule or NOBODY, warnings, ocr_pages=parsed.ocr_pages
        )
