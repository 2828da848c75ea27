"""An XML export on disk: entities.xml, the attached files, and what admins put beside them."""

from __future__ import annotations

import datetime as dt
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from zoneinfo import ZoneInfo

from core.errors import ParsingError, SourceError
from sync.parsing.formats import AS_USUAL, FileReader
from sync.parsing.parsed import Hints
from sync.sources.access_file import FILE_NAME, AccessFile, parse_access_file
from sync.sources.confluence_xml_access import USERS_FILE, parse_users_file
from sync.sources.confluence_xml_dump import Dump
from sync.sources.confluence_xml_file import ENTITIES, find_entities, open_entities
from sync.sources.confluence_xml_objects import read_objects
from sync.sources.confluence_xml_records import Content
from sync.sources.export_tree import ExportTree, open_tree

_DESCRIPTOR = "exportDescriptor.properties"


class XmlExport:
    """Reads nothing before it is asked. `location` is a folder, a zip, or an entities.xml itself."""

    def __init__(
        self,
        location: Path,
        base_url: str,
        access_file: Path | None,
        users_file: Path | None,
        files: FileReader = AS_USUAL,
    ) -> None:
        self.files = files
        self.location = location.parent if location.name == ENTITIES and location.is_file() else location
        self._base_url = base_url.rstrip("/")
        self._access_file = access_file
        self._users_file = users_file
        self._kept: Dump | None = None

    @cached_property
    def _tree(self) -> ExportTree:
        return open_tree(self.location, self.files.limits)

    @cached_property
    def _entities(self) -> str:
        return find_entities(self._tree)

    @cached_property
    def _root(self) -> str:
        return self._entities.removesuffix(ENTITIES)

    @cached_property
    def access(self) -> AccessFile | None:
        """The access.toml; None where there is none, which most exports of this kind do not need."""
        text = self._text(FILE_NAME, self._access_file)
        return None if text is None else parse_access_file(text, "page")

    @cached_property
    def _zone(self) -> dt.tzinfo:
        """The time zone of the export's dates."""
        path = f"{self._root}{_DESCRIPTOR}"
        lines = self._tree.read(path).decode("utf-8", "replace").splitlines() if path in self._tree else []
        name = next((line.partition("=")[2].strip() for line in lines if line.startswith("timezoneId=")), "UTC")
        try:
            return ZoneInfo(name.replace("\\", ""))
        except (ValueError, OSError, KeyError):
            return dt.UTC

    @property
    def warnings(self) -> tuple[str, ...]:
        """What was left out of the export, and what is wrong with access.toml."""
        return (*self._tree.warnings, *(self.access.problems if self.access is not None else ()))

    @property
    def base_url(self) -> str:
        """The site's address; empty when neither access.toml nor the settings say it."""
        return (self.access.base_url if self.access is not None else "") or self._base_url

    @contextmanager
    def dump(self, *, keep: bool = False) -> Iterator[Dump]:
        """Read through entities.xml, and forget it again at the end; with `keep`, not before the next use.

        Raises:
            SourceError: the export is missing, incomplete or damaged.
        """
        dump, self._kept = self._kept or self._read_through(), None
        try:
            yield dump
        except BaseException:
            keep = False
            raise
        finally:
            if keep:
                self._kept = dump
                weakref.finalize(self, dump.close)
            else:
                dump.close()

    def _read_through(self) -> Dump:
        with open_entities(self.location, self._entities) as stream:
            return Dump(read_objects(stream, self._entities))

    def addresses(self) -> Mapping[str, str]:
        """The e-mail addresses that users.toml gives to user keys, account ids and user names."""
        text = self._text(USERS_FILE, self._users_file)
        return {} if text is None else parse_users_file(text)

    def address(self, space_key: str, page_id: str) -> str:
        """The address of a page: by the template of access.toml, else one that every Confluence understands."""
        if self.access is not None and self.access.link_template:
            return self.access.link(space=space_key, id=page_id)
        return f"{self.base_url}/pages/viewpage.action?pageId={page_id}" if self.base_url else ""

    def said_of(self, page_id: str) -> tuple[Hints, ...]:
        """What access.toml says of a page."""
        return self.access.metadata_of_page(page_id) if self.access is not None else ()

    def file(self, page_id: str, attachment: Content) -> str:
        """The path of an attachment's current version; empty when it is missing."""
        path = f"{self._root}attachments/{page_id}/{attachment.id}/{attachment.version}"
        return path if path in self._tree else ""

    def contents(self, path: str) -> bytes:
        """The bytes of a file of the export.

        Raises:
            ParsingError: it cannot be read.
        """
        return self._tree.read(path)

    def moment(self, text: str) -> dt.datetime | None:
        """A date of the export, `2016-10-11 14:47:37.000`, in UTC."""
        try:
            moment = dt.datetime.fromisoformat(text)
        except ValueError:
            return None
        return moment if moment.tzinfo else moment.replace(tzinfo=self._zone).astimezone(dt.UTC)

    def _text(self, name: str, named: Path | None) -> str | None:
        """The text of a file that the settings name, or that stands beside entities.xml or above it in the export."""
        try:
            if named is not None:
                return named.read_text("utf-8-sig")
            folder = self._root.rstrip("/")
            while True:
                path = f"{folder}/{name}" if folder else name
                if path in self._tree:
                    return self._tree.read(path).decode("utf-8-sig")
                if not folder:
                    return None
                folder = folder.rpartition("/")[0]
        except (OSError, UnicodeDecodeError, ParsingError) as error:
            raise SourceError(f"{named or name} cannot be read as UTF-8; nothing was read from the export.") from error
