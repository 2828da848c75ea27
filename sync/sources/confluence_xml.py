"""A Confluence space (or site) exported as XML: entities.xml, and the attached files beside it.

    entities.xml  ──objects──►  Dump (temporary database)  ──►  pages, each with its rule, then its attachments

Unlike the HTML export it says who may see what; the members of groups come from the people file. An access.toml beside
it, or named in the settings, adds to that (it never takes a restriction away) and stands in for a space's rule where
the export has none. A users.toml beside it gives the e-mail addresses that an export of Confluence Cloud lacks.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from core.domain.document import SourceDocument
from sync.parsing.formats import AS_USUAL, FileReader
from sync.sources.base import FailedDocument, SourceDescription
from sync.sources.confluence_xml_export import XmlExport
from sync.sources.confluence_xml_pages import PageReader
from sync.sources.confluence_xml_records import Comment, OldVersion


class ConfluenceXmlSource:
    """Reads the pages and blog posts of an XML export, and the files attached to them."""

    kind = "confluence_xml"

    def __init__(
        self,
        name: str,
        path: Path,
        *,
        base_url: str = "",
        access_file: Path | None = None,
        users_file: Path | None = None,
        files: FileReader = AS_USUAL,
    ) -> None:
        """Read nothing yet.

        Args:
            name: the source's name.
            path: the export: a folder, a zip, or an entities.xml.
            base_url: the site's address, for links; access.toml's own counts more.
            access_file: an access.toml; by default the one beside entities.xml or above it in the export.
            users_file: a users.toml (see `parse_users_file`); by default the one in the same places.
            files: reads the attachments.
        """
        self.name = name
        self._export = XmlExport(path, base_url, access_file, users_file, files)

    @property
    def hosts(self) -> frozenset[str]:
        """The site's host, and those that access.toml says point into it."""
        host = urlsplit(self._export.base_url).hostname
        said = self._export.access.hosts if self._export.access is not None else frozenset()
        return said | (frozenset({host}) if host else frozenset())

    def describe(self) -> SourceDescription:
        """Count the pages, and tell what is wrong with access.toml.

        Reads through the whole of entities.xml; a `read` that follows does not read it again.
        """
        entries = self._export.access.entries if self._export.access is not None else ()
        with self._export.dump(keep=True) as dump:
            pages = dump.count_pages()
            stray = [
                f"[[page]] {entry.target} names no page of the export."
                for entry in entries
                if dump.content(entry.target) is None
            ]
        location = str(self._export.location)
        return SourceDescription(self.name, self.kind, location, pages, (*self._export.warnings, *stray))

    def read(self) -> Iterator[SourceDocument | FailedDocument]:
        """Read every current page and blog post, each followed by its current attachments.

        Raises:
            SourceError: the export is missing, incomplete or damaged; nothing may be concluded from it.
        """
        with self._export.dump() as dump:
            reader = PageReader(self.name, self._export, dump)
            for page in dump.pages():
                yield from reader.documents(page)

    def history(self) -> Iterator[OldVersion]:
        """Yield the versions before the current ones, by document, oldest first."""
        with self._export.dump() as dump:
            yield from PageReader(self.name, self._export, dump).history()

    def comments(self) -> Iterator[Comment]:
        """Yield the comments on current pages. They have their page's rule."""
        with self._export.dump() as dump:
            yield from PageReader(self.name, self._export, dump).comments()
