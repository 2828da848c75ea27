"""The objects of an entities.xml in a temporary database, so that memory stays bounded whatever the export's size.

SQLite keeps a database without a name in its page cache, spills it to a file that has no name either, and forgets it
when it is closed.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from typing import Self

from core.errors import SourceError
from sync.sources.confluence_xml_load import load
from sync.sources.confluence_xml_objects import ExportObject
from sync.sources.confluence_xml_records import Body, Content, Permission, PermissionSet, Person, Space

_CURRENT = "original = '' AND status IN ('', 'current') AND id NOT IN (SELECT id FROM historical)"


_FIELDS = (
    "id, kind, title, space, parent, container, version, status, original, creator, created, modifier, modified, note, "
    "media_type, damaged"
)


class Dump:
    """An export's objects, to be asked for one at a time. Close it after use, or open it with `with`."""

    def __init__(self, objects: Iterable[ExportObject]) -> None:
        self._connection = sqlite3.connect("", check_same_thread=False)
        try:
            load(self._connection, objects)
        except sqlite3.Error as error:
            self.close()
            raise SourceError(f"The export does not fit into the temporary folder: {error}.") from error
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Forget everything."""
        self._connection.close()

    # Reading

    def content(self, content_id: str) -> Content | None:
        """One page, folder or attachment, current or not."""
        return next(self._contents("id = ?", content_id), None)

    def is_current_page(self, content: Content) -> bool:
        """Whether a page is one of `pages`."""
        return (
            next(self._contents(f"id = ? AND kind IN ('Page', 'BlogPost') AND {_CURRENT}", content.id), None)
            is not None
        )

    def pages(self) -> Iterator[Content]:
        """The current pages and blog posts, in the order of the file."""
        return self._contents(f"kind IN ('Page', 'BlogPost') AND {_CURRENT} ORDER BY rowid")

    def count_pages(self) -> int:
        """How many `pages` there are."""
        query = f"SELECT count(*) FROM content WHERE kind IN ('Page', 'BlogPost') AND {_CURRENT}"  # noqa: S608
        return int(self._one(query)[0])

    def page_titled(self, title: str, space: str) -> Content | None:
        """The current page with a title in a space (its id)."""
        folded = " ".join(title.split()).casefold()
        where = f"folded = ? AND space = ? AND kind IN ('Page', 'BlogPost') AND {_CURRENT} ORDER BY kind DESC, rowid"
        found = list(self._contents(where, folded, space))
        return next((page for page in found if page.title == title), found[0] if found else None)

    def attachments(self, page_id: str) -> Iterator[Content]:
        """The current files attached to a page."""
        return self._contents(f"container = ? AND kind = 'Attachment' AND {_CURRENT} ORDER BY rowid", page_id)

    def comments(self) -> Iterator[Content]:
        """The current comments."""
        return self._contents(f"kind = 'Comment' AND {_CURRENT} ORDER BY rowid")

    def older_versions(self) -> Iterator[Content]:
        """The versions of current pages and attachments that came before."""
        where = (
            "kind IN ('Page', 'BlogPost', 'Attachment') AND original <> '' AND status IN ('', 'current') "
            "ORDER BY original, version"
        )
        return self._contents(where)

    def body(self, content_id: str) -> Body | None:
        """The markup of a page: that which says it is its own, else the one that the page lists."""
        row = self._one(
            "SELECT type, text, damaged FROM body WHERE content = ?1 ORDER BY type = '2' DESC, type = '0' DESC",
            content_id,
        ) or self._one(
            "SELECT type, text, damaged FROM body JOIN content_body ON body = body.id "
            "WHERE content_body.content = ?1 AND body.content = ''",
            content_id,
        )
        return Body(row[0], row[1], bool(row[2])) if row else None

    def ancestors_listed(self, content_id: str) -> list[str]:
        """The ancestors that a page itself lists, and the pages that list it as their child."""
        return [row[0] for row in self._all("SELECT ancestor FROM ancestor WHERE content = ?", content_id)]

    def properties(self, content_id: str) -> dict[str, str]:
        """The properties of a page or file."""
        query = (
            "SELECT name, value FROM content_property JOIN property ON property.id = property "
            "WHERE content_property.content = ?"
        )
        return {row[0]: row[1] for row in self._all(query, content_id)}

    def labels(self, content_id: str) -> tuple[str, ...]:
        """The labels that everybody sees; a person's own (`my:favourite`) are left out."""
        query = (
            "SELECT DISTINCT name FROM labelling JOIN label ON label.id = label "
            "WHERE labelling.content = ? AND namespace IN ('', 'global') ORDER BY name"
        )
        return tuple(row[0] for row in self._all(query, content_id))

    def space(self, space_id: str) -> Space | None:
        """A space by id."""
        row = self._one("SELECT id, key, name, status FROM space WHERE id = ?", space_id)
        return Space(*row) if row else None

    def space_keyed(self, key: str) -> Space | None:
        """A space by key."""
        row = self._one("SELECT id, key, name, status FROM space WHERE key = ? COLLATE NOCASE", key)
        return Space(*row) if row else None

    def viewers(self, space_id: str) -> list[Permission]:
        """Who may view a space. One with neither user nor group nor `all_users` is whoever is not logged in."""
        query = "SELECT DISTINCT user, grp, all_users FROM space_permission WHERE space = ? AND type = 'VIEWSPACE'"
        return [Permission(user, group, bool(everybody)) for user, group, everybody in self._all(query, space_id)]

    def restrictions(self, content_id: str) -> list[PermissionSet]:
        """The restrictions of one page: those that say it is theirs, and those that it lists."""
        query = (
            "SELECT id FROM permission_set WHERE content = ?1 "
            "UNION SELECT permission_set FROM content_set WHERE content = ?1"
        )
        return [self._restriction(row[0]) for row in self._all(query, content_id)]

    def _restriction(self, set_id: str) -> PermissionSet:
        kind = self._one("SELECT type FROM permission_set WHERE id = ?", set_id)
        rows = self._all("SELECT DISTINCT type, user, grp FROM permission WHERE permission_set = ?", set_id)
        said = (kind[0] if kind else "") or next((row[0] for row in rows if row[0]), "")
        return PermissionSet(said, tuple(Permission(user, group) for _, user, group in rows))

    def people(self, reference: str) -> list[Person]:
        """The users who have a key, an account id or (`~name`) a user name, and those of the same user name.

        A key and a name are never taken for each other: whoever may choose a name could choose somebody's key.
        """
        fields = "SELECT key, name, email, display, account FROM person WHERE"
        if reference.startswith("~"):
            found: list[Person] = []
            names = {reference[1:].casefold()}
        else:
            found = [Person(*row) for row in self._all(f"{fields} key = ?1 OR account = ?1", reference)]
            names = {person.name.casefold() for person in found if person.name}
        for name in names:
            rows = self._all(f"{fields} folded = ?", name)
            found += [person for row in rows if (person := Person(*row)) not in found]
        return found

    def _contents(self, where: str, *values: object) -> Iterator[Content]:
        for row in self._connection.execute(f"SELECT {_FIELDS} FROM content WHERE {where}", values):  # noqa: S608
            yield Content(*row)

    def _all(self, query: str, *values: object) -> list[tuple[str, ...]]:
        return self._connection.execute(query, values).fetchall()

    def _one(self, query: str, *values: object) -> tuple[str, ...]:
        row: tuple[str, ...] | None = self._connection.execute(query, values).fetchone()
        return row or ()
