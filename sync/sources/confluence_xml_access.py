"""Who may see a page of an XML export: the space's VIEWSPACE AND every ancestor's View restriction AND its own.

    SpacePermission (VIEWSPACE)           ─┐
    ContentPermissionSet of each ancestor ─┼──AND──►  AccessRule
    ContentPermissionSet of the page      ─┤
    access.toml, where there is one       ─┘

Each is an OR of groups and people; Confluence stores restrictions on the page where somebody set them and lets its
descendants inherit by rule. Whatever cannot be resolved opens nothing, and is said in a warning.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from core.domain.access import EVERYONE, NOBODY, AccessRule, Clause, Principal
from core.errors import SettingsError
from sync.sources.access_file import AccessFile
from sync.sources.confluence_xml_dump import Dump
from sync.sources.confluence_xml_records import Content, Permission

USERS_FILE = "users.toml"

NO_SPACE_RULE = "The export does not say who may view its space: nobody may read it, unless an access.toml says who."
NO_VIEWERS = "Nobody of those who may view its space can be resolved: nobody may read it."
NO_SPACE = "The export does not say in which space it is: nobody may read it."
UNKNOWN_ANCESTOR = (
    "An ancestor of it is not in the export, so nobody knows how that was restricted: nobody may read it. "
    "Export the whole space, or describe the ancestor ({}) in an access.toml."
)
UNRESOLVED = (
    "People in its restrictions have no e-mail address in the export and were left out ({}): name them in users.toml."
)
CLOSED = "Nobody whom a restriction names can be resolved: nobody may read it."
LOST_RESTRICTION = "A restriction is listed whose content is not in the export: nobody may read it."


@dataclass(frozen=True, slots=True)
class Ruling:
    """Who may see a page, and what the admin should know of it."""

    rule: AccessRule
    warnings: tuple[str, ...] = ()


_KNOWN_TYPES = frozenset({"view", "edit", "share"})
_UNRESTRICTED = Ruling(AccessRule.of())
"""Demands nothing more; it is only ever joined to the space's rule."""


def parse_users_file(text: str) -> dict[str, str]:
    """Read users.toml: in `[users]`, user keys, account ids or user names, and the e-mail address of each.

    Raises:
        SettingsError: it is not such a file.
    """
    try:
        users = tomllib.loads(text).get("users", {})
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{USERS_FILE} is no valid TOML ({error}): correct it.") from None
    if not isinstance(users, dict) or not all(isinstance(address, str) for address in users.values()):
        raise SettingsError(f'{USERS_FILE} must hold a table [users] of lines such as "8a7f…" = "ana@example.com".')
    return {str(reference).casefold(): address for reference, address in users.items()}


class People:
    """Users as the export names them: their principals and their names."""

    def __init__(self, dump: Dump, addresses: Mapping[str, str]) -> None:
        self._dump = dump
        self._addresses = addresses
        self._principals: dict[str, Principal | None] = {}

    def principal(self, reference: str) -> Principal | None:
        """Who a user key or `~name` is; None when the export and users.toml give no e-mail address, or two."""
        if reference not in self._principals:
            self._principals[reference] = self._find(reference)
        return self._principals[reference]

    def _find(self, reference: str) -> Principal | None:
        people = self._dump.people(reference)
        known = [reference.removeprefix("~"), *(name for p in people for name in (p.key, p.account, p.name) if name)]
        mapped = {self._addresses[name.casefold()] for name in known if name.casefold() in self._addresses}
        principals = {Principal.user(address) for address in mapped or {p.email for p in people} if "@" in address}
        return principals.pop() if len(principals) == 1 else None  # of two directories' users nobody knows which it is

    def name(self, reference: str) -> str:
        """The name of a user as people write it; the user name where there is no other; empty when not known."""
        people = self._dump.people(reference) if reference else []
        login = reference[1:] if reference.startswith("~") else ""
        return next((p.display for p in people if p.display), next((p.name for p in people if p.name), login))


class PageRules:
    """The rules of an export's pages."""

    def __init__(self, dump: Dump, people: People, access: AccessFile | None) -> None:
        self._dump = dump
        self._people = people
        self._access = access
        self._spaces: dict[str, Ruling] = {}
        self._restrictions: dict[str, Ruling] = {}
        self._described = {entry.target for entry in access.entries} if access is not None else set()

    def of(self, page: Content) -> Ruling:
        """The rule of a page."""
        ancestors, lost = self.ancestors(page)
        rulings = [self._space(page, ancestors)]
        rulings += [self._restriction(content) for content in (*ancestors, page)]
        unknown = sorted(lost - self._described)
        if unknown or any(ancestor.damaged for ancestor in ancestors):
            rulings.append(Ruling(NOBODY, (UNKNOWN_ANCESTOR.format(", ".join(unknown)),)))
        if self._access is not None:
            rulings.append(Ruling(self._access.rule_of_page(page.id, {*(a.id for a in ancestors), *lost})))
        rule = AccessRule.of(*(clause for ruling in rulings for clause in ruling.rule.clauses))
        return Ruling(rule, tuple(dict.fromkeys(warning for ruling in rulings for warning in ruling.warnings)))

    def ancestors(self, page: Content) -> tuple[list[Content], set[str]]:
        """A page's ancestors, outermost first, by its parents and by what each lists; and the ids of those missing."""
        found: dict[str, Content] = {}
        lost: set[str] = set()
        waiting = self._above(page)
        while waiting:
            ancestor_id = waiting.pop(0)
            if ancestor_id in found or ancestor_id in lost or ancestor_id == page.id:
                continue
            ancestor = self._dump.content(ancestor_id)
            if ancestor is None:
                lost.add(ancestor_id)
            else:
                found[ancestor_id] = ancestor
                waiting += self._above(ancestor)
        return list(reversed(found.values())), lost

    def breadcrumbs(self, page: Content) -> tuple[str, ...]:
        """The titles of a page's ancestors, outermost first."""
        titles: list[str] = []
        met = {page.id}
        content: Content | None = page
        while content is not None and content.parent and content.parent not in met:
            met.add(content.parent)
            content = self._dump.content(content.parent)
            if content is not None:
                titles.insert(0, content.title)
        return tuple(titles)

    def _above(self, content: Content) -> list[str]:
        return [*filter(None, (content.parent,)), *reversed(self._dump.ancestors_listed(content.id))]

    def _space(self, page: Content, ancestors: Iterable[Content]) -> Ruling:
        space_id = page.space or next((a.space for a in reversed(list(ancestors)) if a.space), "")
        if space_id not in self._spaces:
            self._spaces[space_id] = self._space_ruling(space_id)
        return self._spaces[space_id]

    def _space_ruling(self, space_id: str) -> Ruling:
        viewers = self._dump.viewers(space_id) if space_id else []
        if viewers:
            anonymous = [v for v in viewers if not (v.user or v.group)]  # all who are logged in, or whoever comes
            if anonymous:
                return Ruling(AccessRule.of({EVERYONE}))
            clause, unresolved = self._clause(viewers)
            return Ruling(AccessRule.of(clause), () if clause else (NO_VIEWERS, *_unresolved(unresolved)))
        if self._access is not None:  # whose default every page demands in any case
            return Ruling(AccessRule.of(self._access.default))
        return Ruling(NOBODY, (NO_SPACE_RULE if space_id else NO_SPACE,))

    def _restriction(self, content: Content) -> Ruling:
        if content.id not in self._restrictions:
            self._restrictions[content.id] = self._restriction_ruling(content)
        return self._restrictions[content.id]

    def _restriction_ruling(self, content: Content) -> Ruling:
        """The View restriction of one page. A page has at most one set for viewing and one for editing."""
        sets = self._dump.restrictions(content.id)
        if not sets:
            return _UNRESTRICTED
        viewing = [each for each in sets if each.type == "view"]
        untold = [each for each in sets if each.type not in _KNOWN_TYPES]
        if untold and not viewing:
            return Ruling(NOBODY, (LOST_RESTRICTION,))
        clauses: list[Clause] = []
        warnings: list[str] = []
        for each in viewing:
            clause, unresolved = self._clause(each.permissions)
            clauses.append(clause)
            warnings += _unresolved(unresolved)
            if not clause:
                warnings.append(CLOSED)
        return Ruling(AccessRule.of(*clauses), tuple(warnings))

    def _clause(self, permissions: Iterable[Permission]) -> tuple[Clause, list[str]]:
        """An OR of those who can be resolved, and those who cannot. Leaving one out never opens anything."""
        principals: set[Principal] = set()
        unresolved: list[str] = []
        for permission in permissions:
            if permission.group:
                principals.add(Principal.group(permission.group))
            if permission.user:
                principal = self._people.principal(permission.user)
                if principal is None:
                    unresolved.append(permission.user)
                else:
                    principals.add(principal)
        return frozenset(principals), unresolved


def _unresolved(users: list[str]) -> list[str]:
    return [UNRESOLVED.format(", ".join(sorted(users)))] if users else []
