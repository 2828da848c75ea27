"""People and their groups, from the people file (TOML, or CSV of group and member). The format is described in
`tests/corpus/README.md`.

Names are folded. A group has a name and may have an e-mail address as its other name; both are principals. Groups
contain groups, and may do so in circles.
"""

from __future__ import annotations

import csv
import io
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.domain.access import EVERYONE, Principal, fold_name
from core.errors import SettingsError


class _PersonTable(BaseModel):
    model_config = ConfigDict(extra="ignore")  # role, office, language… are for people

    email: str = Field(min_length=3, pattern=r"@")
    name: str = ""
    slack_id: str = ""
    aliases: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    guest: bool = False
    admin: bool = False


class _GroupTable(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1)
    email: str = ""
    contains: tuple[str, ...] = ()


class _File(BaseModel):
    model_config = ConfigDict(extra="ignore")

    person: tuple[_PersonTable, ...] = ()
    group: tuple[_GroupTable, ...] = ()


@dataclass(frozen=True, slots=True)
class ListedPerson:
    """A person as the file lists them; names and addresses as written."""

    email: str
    name: str = ""
    slack_id: str = ""
    is_guest: bool = False
    is_admin: bool = False


@dataclass(frozen=True, slots=True)
class Groups:
    """Who is in which group. Without a file nobody is in any."""

    people: tuple[ListedPerson, ...] = ()
    _by_email: Mapping[str, ListedPerson] = field(default_factory=dict)
    _aliases: Mapping[str, str] = field(default_factory=dict)
    _direct: Mapping[str, frozenset[str]] = field(default_factory=dict)
    _containers: Mapping[str, frozenset[str]] = field(default_factory=dict)
    _names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def member_count(self) -> int:
        """How many people are listed."""
        return len(self.people)

    @property
    def group_count(self) -> int:
        """How many groups are named."""
        return len(set(self._names).union(*self._direct.values()))

    def canonical_email(self, address: str) -> str:
        """The folded address under which somebody is known, whichever of theirs is given."""
        folded = fold_name(address)
        return self._aliases.get(folded, folded)

    def person(self, address: str) -> ListedPerson | None:
        """What the file says of somebody."""
        return self._by_email.get(self.canonical_email(address))

    def groups_of(self, address: str, also: Iterable[str] = ()) -> frozenset[str]:
        """The groups that somebody is in, through nesting, under all their names; `also` are groups known elsewhere."""
        reached: set[str] = set()
        waiting = [*self._direct.get(self.canonical_email(address), ()), *map(fold_name, also)]
        while waiting:
            group = waiting.pop()
            if group not in reached:  # circles end here
                reached.add(group)
                waiting.extend(self._containers.get(group, ()))
        return frozenset(name for group in reached for name in self._names.get(group, (group,)))

    def principals_of(self, address: str, also: Iterable[str] = ()) -> frozenset[Principal]:
        """What a member of the tenant holds: everyone, the address, its domain, and the groups.

        Whom the file calls a guest holds only the address and the groups. No address holds nothing. `also` are groups
        that are known elsewhere (Slack's).
        """
        email = self.canonical_email(address)
        if not email:
            return frozenset()
        principals = {Principal.user(email), *(Principal.group(name) for name in self.groups_of(email, also))}
        listed = self._by_email.get(email)
        if listed is None or not listed.is_guest:
            principals |= {EVERYONE, Principal.domain(email.rpartition("@")[2])}
        return frozenset(principals)


class GroupsFile:
    """The groups as the file has them now: it is read again when it has changed."""

    def __init__(self, path: Path | None, aliases: Mapping[str, str] | None = None) -> None:
        """`aliases` are other names of groups, each with the group whose members it means."""
        self._path = path
        self._aliases = dict(aliases or {})
        self._read: tuple[tuple[int, int, int], Groups] | None = None

    def current(self) -> Groups:
        """The groups.

        Raises:
            SettingsError: the file cannot be read. Old groups are not used in its stead.
        """
        if self._path is None:
            return with_aliases(Groups(), self._aliases)
        try:
            status = self._path.stat()
        except OSError as error:
            raise _unreadable(self._path, error) from error
        stamp = (status.st_mtime_ns, status.st_size, status.st_ino)
        if self._read is None or self._read[0] != stamp:
            self._read = (stamp, with_aliases(load_groups(self._path), self._aliases))
        return self._read[1]


def with_aliases(groups: Groups, aliases: Mapping[str, str]) -> Groups:
    """Groups, each of which may be held under the names that other systems have for it."""
    if not aliases:
        return groups
    own = {name: group for group, names in groups._names.items() for name in names}
    containers = {group: set(holders) for group, holders in groups._containers.items()}
    for alias, group in aliases.items():
        meant = own.get(fold_name(group), fold_name(group))
        containers.setdefault(meant, set()).add(own.get(fold_name(alias), fold_name(alias)))
    return replace(groups, _containers={group: frozenset(holders) for group, holders in containers.items()})


def load_groups(path: Path) -> Groups:
    """Read a people file: TOML, or CSV where its name ends in `.csv`.

    Raises:
        SettingsError: it cannot be read, is neither, lacks something, or names somebody twice.
    """
    if path.suffix.casefold() == ".csv":
        return _joined(_from_csv(path), path)
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise _unreadable(path, error) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"The people file {path} is not valid TOML: {error}. Correct the file.") from None
    try:
        parsed = _File.model_validate(data)
    except ValidationError as error:
        problems = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors())
        raise SettingsError(f"The people file {path} is wrong: {problems}. Correct the file.") from None
    return _joined(parsed, path)


def _from_csv(path: Path) -> _File:
    """Rows of `group, member`: a member with an @ is a person's address, any other the name of a contained group."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise _unreadable(path, error) from error
    except UnicodeDecodeError as error:
        raise SettingsError(f"The people file {path} is not UTF-8: {error}. Save it so.") from None
    rows = csv.DictReader(io.StringIO(text), skipinitialspace=True)
    if [fold_name(name) for name in rows.fieldnames or ()] != ["group", "member"]:
        raise SettingsError(f"The people file {path} must begin with the line `group,member`: correct the file.")
    rows.fieldnames = ["group", "member"]
    people: dict[str, list[str]] = {}
    contained: dict[str, list[str]] = {}
    for row in rows:
        group, member = (row["group"] or "").strip(), (row["member"] or "").strip()
        if not group or not member or None in row:
            raise SettingsError(f"The people file {path} is wrong in line {rows.line_num}: write group,member there.")
        contained.setdefault(fold_name(group), [])
        if "@" in member:
            people.setdefault(fold_name(member), []).append(group)
        else:
            contained[fold_name(group)].append(member)
    return _File(
        person=tuple(_PersonTable(email=email, groups=tuple(groups)) for email, groups in people.items()),
        group=tuple(_GroupTable(name=name, contains=tuple(members)) for name, members in contained.items()),
    )


def _joined(parsed: _File, path: Path) -> Groups:
    by_email: dict[str, ListedPerson] = {}
    direct: dict[str, frozenset[str]] = {}
    names = _group_names(parsed.group, path)
    own = {other: fold_name(group.name) for group in parsed.group for other in names[fold_name(group.name)]}

    def resolved(groups: Iterable[str]) -> frozenset[str]:
        return frozenset(own.get(fold_name(group), fold_name(group)) for group in groups)

    for person in parsed.person:
        email = fold_name(person.email)
        if email in by_email:
            raise SettingsError(f"The people file {path} lists {person.email} twice: join the two entries.")
        by_email[email] = ListedPerson(person.email, person.name, person.slack_id, person.guest, person.admin)
        direct[email] = resolved(person.groups)
    containers: dict[str, set[str]] = {}
    for group in parsed.group:
        for contained in resolved(group.contains):
            containers.setdefault(contained, set()).add(fold_name(group.name))
    return Groups(
        people=tuple(by_email.values()),
        _by_email=by_email,
        _aliases=_aliases(parsed.person, by_email, path),
        _direct=direct,
        _containers={group: frozenset(holders) for group, holders in containers.items()},
        _names=names,
    )


def _group_names(groups: Iterable[_GroupTable], path: Path) -> dict[str, tuple[str, ...]]:
    """Each group's names: its own and its address."""
    names: dict[str, tuple[str, ...]] = {}
    taken: set[str] = set()
    for group in groups:
        mine = tuple(dict.fromkeys(fold_name(name) for name in (group.name, group.email) if name.strip()))
        if not taken.isdisjoint(mine):
            raise SettingsError(f"The people file {path} gives two groups the name of {group.name}: rename one.")
        taken.update(mine)
        names[mine[0]] = mine
    return names


def _aliases(people: Iterable[_PersonTable], known: Mapping[str, ListedPerson], path: Path) -> dict[str, str]:
    """Other addresses of people. One that two people share would let one read as the other."""
    aliases: dict[str, str] = {}
    for person in people:
        email = fold_name(person.email)
        for alias in map(fold_name, person.aliases):
            if alias != email and (alias in known or aliases.get(alias, email) != email):
                raise SettingsError(f"The people file {path} gives the address {alias} to two people: correct it.")
            aliases[alias] = email
    return aliases


def _unreadable(path: Path, error: OSError) -> SettingsError:
    return SettingsError(f"The people file {path} cannot be read ({error.strerror}): correct TESTIGO_PEOPLE_FILE.")
