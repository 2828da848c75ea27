"""The objects of an entities.xml, one after the other, into the tables of a database."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from core.errors import SourceError
from sync.sources.confluence_xml_objects import ExportObject

_CACHE_KIB = 32 * 1024
_BATCH = 2_000

LOST_USER = "a user without a key"
PAGES = frozenset({"Page", "BlogPost"})
_WITH_BODIES = PAGES | {"Comment", ""}
_USERS = frozenset({"ConfluenceUserImpl", "InternalUser", "DefaultHibernateUser", "HibernateUser", "User", "UserImpl"})
# What decides who may see a page. If one of these cannot be read, nobody knows what it forbade; "" is none knows what.
_ABOUT_ACCESS = frozenset({"ContentPermission", "ContentPermissionSet", "SpacePermission", ""})

_SCHEMA = """
CREATE TABLE content (id TEXT PRIMARY KEY, kind TEXT, title TEXT, folded TEXT, space TEXT, parent TEXT, container TEXT,
    version INTEGER, status TEXT, original TEXT, creator TEXT, created TEXT, modifier TEXT, modified TEXT, note TEXT,
    media_type TEXT, damaged INTEGER);
CREATE TABLE historical (id TEXT PRIMARY KEY);
CREATE TABLE ancestor (content TEXT, ancestor TEXT);
CREATE TABLE body (id TEXT, content TEXT, type TEXT, text TEXT, damaged INTEGER);
CREATE TABLE content_body (content TEXT, body TEXT);
CREATE TABLE property (id TEXT PRIMARY KEY, name TEXT, value TEXT);
CREATE TABLE content_property (content TEXT, property TEXT);
CREATE TABLE label (id TEXT PRIMARY KEY, name TEXT, namespace TEXT);
CREATE TABLE labelling (content TEXT, label TEXT);
CREATE TABLE space (id TEXT PRIMARY KEY, key TEXT, name TEXT, status TEXT);
CREATE TABLE space_permission (space TEXT, type TEXT, user TEXT, grp TEXT, all_users TEXT);
CREATE TABLE permission_set (id TEXT PRIMARY KEY, type TEXT, content TEXT);
CREATE TABLE content_set (content TEXT, permission_set TEXT);
CREATE TABLE permission (id TEXT PRIMARY KEY, permission_set TEXT, type TEXT, user TEXT, grp TEXT);
CREATE TABLE person (key TEXT, name TEXT, folded TEXT, email TEXT, display TEXT, account TEXT);
"""
_INDEXES = """
CREATE INDEX content_title ON content (folded);
CREATE INDEX content_container ON content (container);
CREATE INDEX content_original ON content (original);
CREATE INDEX ancestor_content ON ancestor (content);
CREATE INDEX body_content ON body (content);
CREATE INDEX body_id ON body (id);
CREATE INDEX content_body_content ON content_body (content);
CREATE INDEX content_property_content ON content_property (content);
CREATE INDEX labelling_content ON labelling (content);
CREATE INDEX space_permission_space ON space_permission (space);
CREATE INDEX permission_set_content ON permission_set (content);
CREATE INDEX content_set_content ON content_set (content);
CREATE INDEX permission_of_set ON permission (permission_set);
CREATE INDEX person_key ON person (key);
CREATE INDEX person_name ON person (folded);
CREATE INDEX person_account ON person (account);
DELETE FROM body WHERE content IN (SELECT id FROM content WHERE original <> '' AND kind <> 'Comment');
"""


def load(connection: sqlite3.Connection, objects: Iterable[ExportObject]) -> None:
    """Make the tables and fill them.

    Raises:
        SourceError: the export is damaged where nobody could tell what it forbade.
    """
    connection.executescript(
        f"PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-{_CACHE_KIB};" + _SCHEMA
    )
    for number, found in enumerate(objects):
        _store(connection, found)
        if number % _BATCH == 0:
            connection.commit()
    connection.executescript(_INDEXES)
    connection.commit()


def _store(connection: sqlite3.Connection, found: ExportObject) -> None:
    if found.damaged and (found.kind in _ABOUT_ACCESS or not found.id):
        raise SourceError(
            f"The export is damaged where it says who may see what ({found.kind or 'an object'} {found.id}): "
            "nothing was read from it. Export the space again."
        )
    match found.kind:
        case "BodyContent":
            if found.classes.get("content", "") in _WITH_BODIES:
                _insert(connection, "body", found.id, found.get("content"), found.get("bodyType"),
                             found.properties.get("body", ""), found.damaged)  # fmt: skip
        case "Space":
            key = found.get("key")
            _insert(connection, "space", found.id, key, found.get("name") or key, found.get("spaceStatus").casefold())
        case "SpacePermission":
            _insert(connection, "space_permission", found.get("space"), found.get("type").upper(), _user(found),
                         found.get("group", "groupName"), found.get("allUsersSubject"))  # fmt: skip
        case "ContentPermissionSet":
            _insert(connection, "permission_set", found.id, found.get("type").casefold(), found.get("owningContent"))
        case "ContentPermission":
            _insert(connection, "permission", found.id, found.get("owningSet"), found.get("type").casefold(),
                         _user(found), found.get("groupName", "group"))  # fmt: skip
        case "ContentProperty":
            value = found.get("stringValue", "longValue", "dateValue")
            _insert(connection, "property", found.id, found.get("name"), value)
        case "Label":
            _insert(connection, "label", found.id, found.get("name"), found.get("namespace"))
        case "Labelling":
            _insert(connection, "labelling", found.get("content", "labelableId"), found.get("label"))
        case kind if kind in _USERS:
            _store_person(connection, found)
        case _ if found.id and "title" in found.properties:
            _store_content(connection, found)


def _store_person(connection: sqlite3.Connection, found: ExportObject) -> None:
    full = f"{found.get('firstName')} {found.get('lastName')}".strip()
    name = found.get("name", "lowerName")
    email = "" if found.damaged else found.get("email", "emailAddress")
    _insert(connection, "person", found.id, name, name.casefold(), email,
                 found.get("displayName", "fullName") or full, found.get("atlassianAccountId"))  # fmt: skip


def _store_content(connection: sqlite3.Connection, found: ExportObject) -> None:
    title = " ".join(found.get("title").split())
    version = found.get("version", "attachmentVersion")
    _insert(
        connection,
        "content",
        found.id,
        found.kind,
        title,
        title.casefold(),
        found.get("space"),
        found.get("parent", "parentContent"),
        found.get("containerContent", "owner", "content"),
        int(version) if version.isdigit() else 1,
        found.get("contentStatus").casefold(),
        found.get("originalVersion", "originalVersionId", "original"),
        _person(found, "creator"),
        found.get("creationDate"),
        _person(found, "lastModifier") or _person(found, "creator"),
        found.get("lastModificationDate", "creationDate"),
        found.get("versionComment"),
        found.get("contentType"),
        found.damaged,
    )
    for name, table in (
        ("ancestors", "ancestor"),
        ("parent", "ancestor"),
        ("bodyContents", "content_body"),
        ("contentProperties", "content_property"),
        ("contentPermissionSets", "content_set"),
    ):
        for other in found.lists.get(name, ()):
            _insert(connection, table, found.id, other)
    for child in (*found.lists.get("children", ()), *found.lists.get("childrens", ())):
        _insert(connection, "ancestor", child, found.id)
    for other in found.lists.get("historicalVersions", ()):
        _insert(connection, "historical", other)


def _insert(connection: sqlite3.Connection, table: str, *values: object) -> None:
    marks = ",".join("?" * len(values))
    connection.execute(f"INSERT OR REPLACE INTO {table} VALUES ({marks})", values)  # noqa: S608 our own names


def _user(found: ExportObject) -> str:
    """The user of a permission. One that is referred to without an id is somebody, not whoever comes."""
    return _person(found, "userSubject", "userName") or (LOST_USER if "userSubject" in found.classes else "")


def _person(found: ExportObject, key: str, name: str = "") -> str:
    """A user: a key, or in exports from before Confluence 5.2 a user name, written `~name`."""
    user_name = found.get(name or f"{key}Name")
    return found.get(key) or (f"~{user_name}" if user_name else "")
