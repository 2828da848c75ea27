"""`access.toml`: who may read the documents of an export that does not say so itself.

It fails closed: whatever cannot be understood opens nothing, and is said in `problems`.
"""

from __future__ import annotations

import datetime as dt
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast
from urllib.parse import quote

from core.domain.access import AccessRule, Clause, Principal
from core.domain.document import DocumentStatus
from core.errors import ParsingError
from sync.parsing.parsed import Hints
from sync.sources.export_tree import ExportTree
from sync.sources.globs import matches

FILE_NAME = "access.toml"

_NOBODY_CLAUSE: Clause = frozenset()
_METADATA_KEYS = frozenset({"owner", "valid_from", "valid_until", "status", "superseded_by", "replaces"})
_ENTRY_KEYS = _METADATA_KEYS | {"allow", "also"}
_DEFAULT_KEYS = frozenset({"allow", "base_url", "hosts", "link_template"})


@dataclass(frozen=True, slots=True)
class Entry:
    """A `[[page]]` or `[[rule]]`. `clauses` is None when it says nothing of access."""

    target: str
    """The page's id, or the pattern."""
    clauses: tuple[Clause, ...] | None
    metadata: Hints


@dataclass(frozen=True, slots=True)
class AccessFile:
    """What an access.toml says. Without one, or with one that cannot be read, nobody may read anything."""

    default: Clause = _NOBODY_CLAUSE
    base_url: str = ""
    hosts: frozenset[str] = frozenset()
    link_template: str = ""
    entries: tuple[Entry, ...] = ()
    problems: tuple[str, ...] = field(default=())
    """Sentences for the report."""

    def rule_of_page(self, page_id: str, ancestors: Iterable[str]) -> AccessRule:
        """The rule of a Confluence page: the space's clause AND those of the page and of each ancestor."""
        ids = {page_id, *ancestors}
        clauses = [clause for entry in self.entries if entry.target in ids for clause in entry.clauses or ()]
        return AccessRule.of(self.default, *clauses)

    def rule_of_path(self, path: str) -> AccessRule | None:
        """The rule of a file in a folder: the last matching one decides, with the default; None when none matches."""
        for entry in reversed(self.entries):
            if entry.clauses is not None and matches(entry.target, path):
                return AccessRule.of(self.default, *entry.clauses)
        return None

    def metadata_of_page(self, page_id: str) -> tuple[Hints, ...]:
        """What is said of a page; the last word counts."""
        return tuple(entry.metadata for entry in self.entries if entry.target == page_id)

    def metadata_of_path(self, path: str) -> tuple[Hints, ...]:
        """What the matching rules say of a file; the last word counts."""
        return tuple(entry.metadata for entry in self.entries if matches(entry.target, path))

    def link(self, **values: str) -> str:
        """The address of a document, from the template; empty without one."""
        address = self.link_template.replace("{base_url}", self.base_url.rstrip("/"))
        for key, value in values.items():
            address = address.replace(f"{{{key}}}", quote(value, safe="/" if key == "path" else ""))
        return address


def load_access_file(tree: ExportTree, entry_table: str, elsewhere: Path | None = None) -> AccessFile:
    """Read the access.toml at the root of an export.

    Args:
        tree: the export.
        entry_table: `page` (Confluence) or `rule` (folder): the one kind of entries it may have.
        elsewhere: the file to read instead, where settings name one.
    """
    name = str(elsewhere) if elsewhere is not None else FILE_NAME
    if FILE_NAME not in tree if elsewhere is None else not elsewhere.is_file():
        where = f"There is no {name}" + ("" if elsewhere is not None else f" in {tree.location}")
        return AccessFile(problems=(f"{where}: nobody may read anything of it.",))
    try:
        content = elsewhere.read_bytes() if elsewhere is not None else tree.read(FILE_NAME)
        return parse_access_file(content.decode("utf-8-sig"), entry_table)
    except (UnicodeDecodeError, ParsingError, OSError):
        return AccessFile(problems=(f"{name} is not readable as UTF-8: nobody may read anything.",))


def parse_access_file(text: str, entry_table: str) -> AccessFile:
    """Read the text of an access.toml (see `load_access_file`)."""
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return AccessFile(problems=(f"{FILE_NAME} is no valid TOML ({error}): nobody may read anything.",))
    return _Parser(entry_table).parse(values)


class _Parser:
    def __init__(self, entry_table: str) -> None:
        self._table = entry_table
        self._target_key = "id" if entry_table == "page" else "glob"
        self._problems: list[str] = []

    def parse(self, values: Mapping[str, object]) -> AccessFile:
        closed = False
        for key in values.keys() - {"defaults", self._table}:
            closed = self._report(
                f"[{key}] is not known in {FILE_NAME}: nobody may read anything until it is corrected."
            )
        defaults = values.get("defaults")
        if not isinstance(defaults, dict) or "allow" not in defaults:
            closed = self._report(f"{FILE_NAME} lacks [defaults].allow: nobody may read anything.")
            defaults = defaults if isinstance(defaults, dict) else {}
        default = self._clause(defaults.get("allow", []), "[defaults].allow")
        for key in defaults.keys() - (_DEFAULT_KEYS if self._table == "page" else _DEFAULT_KEYS - {"hosts"}):
            closed = self._report(f"[defaults] has an unknown key {key!r}: nobody may read anything.")
        entries, unattached = self._entries(values.get(self._table, []))
        return AccessFile(
            default=_NOBODY_CLAUSE if closed or unattached else default,
            base_url=self._string(defaults, "base_url").rstrip("/"),
            hosts=frozenset(host.casefold() for host in _strings(defaults.get("hosts"))),
            link_template=self._string(defaults, "link_template"),
            entries=entries,
            problems=tuple(self._problems),
        )

    def _entries(self, tables: object) -> tuple[tuple[Entry, ...], bool]:
        """Read the entries, and tell whether there is one of which nobody knows where it belongs."""
        if not isinstance(tables, list):
            return (), self._report(f"[[{self._table}]] is not a list of tables: nobody may read anything.")
        entries: list[Entry] = []
        unattached = False
        for table in cast("list[dict[str, object]]", tables):
            target = table.get(self._target_key)
            if target is None or not str(target).strip():
                unattached = self._report(
                    f"A [[{self._table}]] lacks its {self._target_key}: nobody may read anything."
                )
                continue
            name = f"[[{self._table}]] {target}"
            clauses = self._entry_clauses(table, name)
            if not isinstance(target, str):
                self._report(f"{name}: its {self._target_key} must be a string; nobody may read what it names.")
                clauses = (_NOBODY_CLAUSE,)
            entries.append(Entry(str(target), clauses, self._metadata(table, name)))
        if self._table == "page":
            targets = [entry.target for entry in entries]
            for target in sorted({target for target in targets if targets.count(target) > 1}):
                self._report(f"[[page]] {target} is there twice; the clauses of both count.")
        return tuple(entries), unattached

    def _entry_clauses(self, table: Mapping[str, object], name: str) -> tuple[Clause, ...] | None:
        unknown = sorted(table.keys() - _ENTRY_KEYS - {self._target_key})
        if unknown:
            self._report(f"{name} has an unknown key {unknown[0]!r}: nobody may read what it names.")
            return (_NOBODY_CLAUSE,)
        clauses: list[Clause] = []
        if "allow" in table:
            clauses.append(self._clause(table["allow"], f"{name}.allow"))
        elif "also" in table and self._table == "rule":
            self._report(f"{name} has `also` without `allow`: nobody may read what it names.")
            return (_NOBODY_CLAUSE,)
        also = table.get("also", [])
        if not isinstance(also, list):
            self._report(f"{name}.also must be a list of lists: nobody may read what it names.")
            return (_NOBODY_CLAUSE,)
        clauses.extend(self._clause(clause, f"{name}.also") for clause in also)
        return tuple(clauses) if "allow" in table or "also" in table else None

    def _clause(self, value: object, name: str) -> Clause:
        """Read a clause. One principal that cannot be read closes it: the others do not rescue it."""
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            self._report(f"{name} must be a list of strings; it is satisfied by nobody.")
            return _NOBODY_CLAUSE
        try:
            return frozenset(Principal.parse(item) for item in cast("list[str]", value))
        except ValueError as error:
            self._report(f"{name}: {error}; it is satisfied by nobody.")
            return _NOBODY_CLAUSE

    def _metadata(self, table: Mapping[str, object], name: str) -> Hints:
        status = table.get("status")
        known = isinstance(status, str) and status in {item.value for item in DocumentStatus}
        if status is not None and not known:
            self._report(f"{name}: status must be in_force, draft, obsolete or archived.")
        return Hints(
            owner=self._string(table, "owner"),
            valid_from=self._date(table, "valid_from", name),
            valid_until=self._date(table, "valid_until", name),
            status=DocumentStatus(str(status)) if known else None,
            superseded_by=self._string(table, "superseded_by"),
            replaces=self._names(table, "replaces"),
        )

    def _date(self, table: Mapping[str, object], key: str, name: str) -> dt.date | None:
        match table.get(key):
            case None:
                return None
            case dt.datetime() as moment:
                return moment.date()
            case dt.date() as date:
                return date
        self._report(f"{name}: {key} must be a date such as 2026-01-31, without quotation marks.")
        return None

    def _names(self, table: Mapping[str, object], key: str) -> tuple[str, ...]:
        """One name or a list of names."""
        value = table.get(key)
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return tuple(_strings(value))
        name = self._string(table, key)
        return (name,) if name else ()

    def _string(self, table: Mapping[str, object], key: str) -> str:
        value = table.get(key, "")
        if isinstance(value, str):
            return value
        self._report(f"{FILE_NAME}: {key} must be a string.")
        return ""

    def _report(self, sentence: str) -> bool:
        self._problems.append(sentence)
        return True


def _strings(value: object) -> Sequence[str]:
    return [item for item in cast("list[object]", value) if isinstance(item, str)] if isinstance(value, list) else ()
