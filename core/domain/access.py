"""Who may see what: principals, access rules, readers, audiences.

An `AccessRule` is an AND of ORs of principals, because Confluence is a conjunction (space AND every restricted
ancestor AND the page) and Drive a disjunction. Everything fails closed: an empty clause is satisfied by nobody.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class PrincipalKind(StrEnum):
    """What kind of holder of rights a principal is."""

    USER = "user"
    GROUP = "group"
    DOMAIN = "domain"
    EVERYONE = "everyone"
    """Everybody of the tenant (its members; not guests, not other companies)."""


def fold_name(name: str) -> str:
    """Fold an e-mail address, group or domain name, so that `Anna.Rossi@X.com` and `anna.rossi@x.com` are one."""
    return unicodedata.normalize("NFKC", name).strip().casefold()


@dataclass(frozen=True, slots=True, order=True)
class Principal:
    """A holder of rights. `name` is folded; build with `parse` or the constructors below."""

    kind: PrincipalKind
    name: str = ""

    @classmethod
    def user(cls, email: str) -> Principal:
        """A person, by e-mail address."""
        return cls(PrincipalKind.USER, fold_name(email))

    @classmethod
    def group(cls, name: str) -> Principal:
        """A group, by name."""
        return cls(PrincipalKind.GROUP, fold_name(name))

    @classmethod
    def domain(cls, name: str) -> Principal:
        """All addresses of a mail domain."""
        return cls(PrincipalKind.DOMAIN, fold_name(name))

    @classmethod
    def parse(cls, text: str) -> Principal:
        """Read `everyone`, `user:ana@x.com`, `group:hr` or `domain:x.com`.

        Raises:
            ValueError: the text is none of these.
        """
        if text.strip().casefold() == PrincipalKind.EVERYONE:
            return EVERYONE
        kind, colon, name = text.partition(":")
        if not colon or not name.strip() or kind.strip() not in {"user", "group", "domain"}:
            raise ValueError(f"{text!r} is not a principal: write everyone, user:ADDRESS, group:NAME or domain:NAME")
        return cls(PrincipalKind(kind.strip()), fold_name(name))

    def __str__(self) -> str:
        return self.kind.value if self.kind is PrincipalKind.EVERYONE else f"{self.kind.value}:{self.name}"


EVERYONE = Principal(PrincipalKind.EVERYONE)

Clause = frozenset[Principal]


@dataclass(frozen=True, slots=True)
class AccessRule:
    """An AND of clauses, each an OR of principals. No clause at all is a mistake and reads as *nobody*."""

    clauses: frozenset[Clause]

    @classmethod
    def of(cls, *clauses: Iterable[Principal]) -> AccessRule:
        """Build a rule from clauses; clauses implied by a stricter one are dropped, so equal rules compare equal."""
        sets = {frozenset(clause) for clause in clauses}
        return cls(frozenset(s for s in sets if not any(other < s for other in sets)))

    def satisfied_by(self, principals: frozenset[Principal]) -> bool:
        """Whether a holder of these principals may read."""
        return bool(self.clauses) and all(not clause.isdisjoint(principals) for clause in self.clauses)

    def admits_all_of(self, other: AccessRule) -> bool:
        """Whether who may read by `other` may by this too. Only what the rules say counts: groups are not looked into.

        False means that it cannot be told from them.
        """
        return bool(self.clauses) and all(any(theirs <= mine for theirs in other.clauses) for mine in self.clauses)

    def conjoin(self, other: AccessRule) -> AccessRule:
        """The rule that demands both (an included page is governed by both pages' rules)."""
        if not self.clauses or not other.clauses:
            return NOBODY
        return AccessRule.of(*self.clauses, *other.clauses)

    def key(self) -> str:
        """The canonical text of the rule, by which it is interned."""
        return json.dumps(sorted(sorted(str(p) for p in clause) for clause in self.clauses), ensure_ascii=False)

    @classmethod
    def from_key(cls, key: str) -> AccessRule:
        """The inverse of `key`."""
        return cls(frozenset(frozenset(Principal.parse(p) for p in clause) for clause in json.loads(key)))


NOBODY = AccessRule(frozenset({frozenset()}))
OPEN_TO_TENANT = AccessRule(frozenset({frozenset({EVERYONE})}))


@dataclass(frozen=True, slots=True)
class Reader:
    """Who asks: a tenant and the principals held in it. A reader without principals may read nothing."""

    tenant_id: str
    principals: frozenset[Principal] = frozenset()
    email: str = ""

    @classmethod
    def nobody(cls, tenant_id: str = "") -> Reader:
        """Somebody of whom nothing is known."""
        return cls(tenant_id)


class AudienceKind(StrEnum):
    """Where an answer will be seen."""

    PERSON = "person"
    """Only by who asks: a direct message, an ephemeral message, the terminal."""
    TENANT = "tenant"
    """In a public channel, which any member may open."""
    MEMBERS = "members"
    """In a private channel or group message: by each of its members."""
    REFUSED = "refused"
    """In a channel shared with another company, or one that could not be looked up: nothing is shown."""


@dataclass(frozen=True, slots=True)
class Audience:
    """Who will see the answer. `readers` holds one reader for each distinct set of principals."""

    kind: AudienceKind
    tenant_id: str
    readers: tuple[Reader, ...] = ()

    @classmethod
    def person(cls, reader: Reader) -> Audience:
        """Only the one who asks."""
        return cls(AudienceKind.PERSON, reader.tenant_id, (reader,))

    @classmethod
    def tenant(cls, tenant_id: str, everyone_groups: Iterable[str] = ()) -> Audience:
        """Any member of the tenant: holds `everyone` and the groups that settings name as everyone."""
        principals = frozenset({EVERYONE, *(Principal.group(g) for g in everyone_groups)})
        return cls(AudienceKind.TENANT, tenant_id, (Reader(tenant_id, principals),))

    @classmethod
    def members(cls, tenant_id: str, readers: Iterable[Reader]) -> Audience:
        """Each of these readers; equal sets of principals are kept once."""
        distinct = {reader.principals: Reader(tenant_id, reader.principals) for reader in readers}
        return cls(AudienceKind.MEMBERS, tenant_id, tuple(distinct.values()))

    @classmethod
    def refused(cls, tenant_id: str = "") -> Audience:
        """A place where nothing may be shown."""
        return cls(AudienceKind.REFUSED, tenant_id)
