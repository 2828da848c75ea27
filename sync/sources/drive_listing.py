"""`drive.json`: what the Drive API's `files.list` and `permissions.list` answered, parsed into typed values."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from core.domain.access import EVERYONE, Principal
from core.errors import SourceError

FOLDER = "application/vnd.google-apps.folder"
SHORTCUT = "application/vnd.google-apps.shortcut"

_READING_ROLES = frozenset({"owner", "organizer", "fileOrganizer", "writer", "commenter", "reader"})


class _Resource(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="ignore", frozen=True)


class PermissionDetail(_Resource):
    """Where a permission in a shared drive comes from."""

    inherited: bool = False
    inherited_from: str = ""


class Permission(_Resource):
    """One grant on a file."""

    type: str = ""
    role: str = ""
    email_address: str = ""
    domain: str = ""
    allow_file_discovery: bool | None = None
    deleted: bool = False
    expiration_time: dt.datetime | None = None
    view: str = ""
    permission_details: tuple[PermissionDetail, ...] = ()

    def principal(self, now: dt.datetime) -> Principal | None:
        """Who may read by this grant; None when nobody may.

        Link-only sharing (`anyone` or `domain` that search does not discover) is not an invitation to read, nor are a
        deleted account, a grant that has expired, or one for a view of the file only (`metadata`, `published`).
        """
        if self.deleted or self.view or self.role not in _READING_ROLES:
            return None
        if self.expiration_time is not None and _aware(self.expiration_time) <= now:
            return None
        match self.type:
            case "user" if self.email_address:
                return Principal.user(self.email_address)
            case "group" if self.email_address:
                return Principal.group(self.email_address)
            case "domain" if self.domain and self.allow_file_discovery:
                return Principal.domain(self.domain)
            case "anyone" if self.allow_file_discovery:
                return EVERYONE
        return None

    @property
    def is_inherited(self) -> bool:
        """Whether it is known to come from a folder above only."""
        return bool(self.permission_details) and all(detail.inherited for detail in self.permission_details)


class Person(_Resource):
    """An owner or editor."""

    display_name: str = ""
    email_address: str = ""


class DriveFile(_Resource):
    """One entry of the listing."""

    id: str
    name: str = ""
    mime_type: str = ""
    parents: tuple[str, ...] = ()
    trashed: bool = False
    web_view_link: str = ""
    modified_time: dt.datetime | None = None
    version: str = ""
    owners: tuple[Person, ...] = ()
    last_modifying_user: Person = Person()
    permissions: tuple[Permission, ...] | None = None
    inherited_permissions_disabled: bool = False
    properties: Mapping[str, str] = Field(default_factory=dict)
    export_path: str = ""


@dataclass(frozen=True, slots=True)
class DriveListing:
    """The files of a drive by id."""

    files: Mapping[str, DriveFile]
    repeated: frozenset[str]
    """Ids that are listed more than once."""

    def ancestors(self, file: DriveFile) -> list[DriveFile]:
        """The folders above a file that are listed, innermost first; circles end."""
        found: dict[str, DriveFile] = {}
        above = list(file.parents)
        while above:
            folder_id = above.pop(0)
            folder = self.files.get(folder_id)
            if folder is not None and folder_id not in found:
                found[folder_id] = folder
                above.extend(folder.parents)
        return list(found.values())

    def readers(self, file: DriveFile, now: dt.datetime) -> frozenset[Principal] | None:
        """Who may read a file, any of them; None when the listing does not say.

        The API lists inherited grants with a file's own. What a listing without them (a shared drive, listed without
        `permissions.list`) leaves out is taken from the nearest folder that has them; a grant that is only inherited
        does not pass a folder of limited access that does not have it.
        """
        if file.permissions is None:
            for folder in self.ancestors(file):
                if folder.permissions is not None:
                    return self.readers(folder, now)
                if folder.inherited_permissions_disabled:
                    return None
            return None
        walls = [self._granted(folder, now) for folder in self.ancestors(file) if folder.inherited_permissions_disabled]
        return frozenset(
            principal
            for grant, principal in self._grants(file, now)
            if not grant.is_inherited or all(principal in wall for wall in walls)
        )

    def _granted(self, file: DriveFile, now: dt.datetime) -> frozenset[Principal]:
        return frozenset(principal for _, principal in self._grants(file, now))

    @staticmethod
    def _grants(file: DriveFile, now: dt.datetime) -> Iterator[tuple[Permission, Principal]]:
        for grant in file.permissions or ():
            principal = grant.principal(now)
            if principal is not None:
                yield grant, principal


class _FileList(_Resource):
    files: tuple[DriveFile, ...]
    next_page_token: str = ""
    incomplete_search: bool = False


def parse_listing(data: bytes) -> DriveListing:
    """Read a drive.json.

    Raises:
        SourceError: it is not the API's answer, or not the whole of it.
    """
    try:
        listing = _FileList.model_validate_json(data.removeprefix(b"\xef\xbb\xbf"))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise SourceError(f"drive.json is not what the Drive API answers ({place}: {first['msg']}).") from error
    if listing.next_page_token or listing.incomplete_search:
        raise SourceError("drive.json holds only a part of the drive (it was not read to its last page).")
    files: dict[str, DriveFile] = {}
    repeated: set[str] = set()
    for file in listing.files:
        if file.id in files:
            repeated.add(file.id)
        files[file.id] = file
    return DriveListing(files, frozenset(repeated))


def _aware(moment: dt.datetime) -> dt.datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)
