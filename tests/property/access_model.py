"""Random worlds of people, nested groups, rules, channels and revocations, and a second, naive model of who may read.

The model is written from the words of the design, with sets and loops over everything: it interns nothing, indexes
nothing, remembers nothing, and calls nothing of `core.access`.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from core.access.groups import Groups, _File, _GroupTable, _joined, _PersonTable
from core.access.rulebook import RuleBook
from core.domain.access import AccessRule, Audience, Principal, Reader

TENANT = "t"
RULES = 12
PEOPLE = ("ana", "ben", "carla", "dario", "eva", "farid")
EVERYBODY = "staff"
"""The group that settings name as everyone in these worlds."""
GROUPS = (EVERYBODY, "g1", "g2", "g3", "g4")
PLACE = "C1"
"""Where questions are asked."""

_NAMES = (
    "amber birch cedar delta ember fjord grove heron iris juniper kestrel lotus maple nectar olive poppy quartz raven "
    "saffron thistle tansy violet willow zephyr"
)
_GONE = "acorn bramble clover"


@dataclass(frozen=True, slots=True)
class Paper:
    """A document. Its name is a word that stands in its title and text, and in nothing else."""

    name: str
    rule: int
    """That of its latest version. The last rule is in no book: nobody."""
    first_rule: int
    """That of its first version, which old answers cite; of a document with one version the same."""
    versions: int = 1
    is_reworded: bool = False
    """Whether the latest version does not say any more what the first one did."""
    is_removed: bool = False


def _papers() -> tuple[Paper, ...]:
    papers = []
    for number, name in enumerate(_NAMES.split()):
        rule = 1 + number % RULES
        if number % 3:
            papers.append(Paper(name, rule, rule))
        else:
            papers.append(Paper(name, rule, 1 + rule * 5 % RULES, versions=2, is_reworded=number % 2 == 0))
    gone = [
        Paper(name, rule, 1 + rule * 5 % RULES, versions=2, is_removed=True)
        for rule, name in enumerate(_GONE.split(), 2)
    ]
    return (*papers, *gone)


PAPERS = _papers()
BY_NAME = {paper.name: paper for paper in PAPERS}
SERVED = tuple(paper for paper in PAPERS if not paper.is_removed)


@dataclass(frozen=True)
class World:
    """One world at one moment. A rule is a list of clauses, a clause a list of `kind:name`."""

    direct: dict[str, list[str]]
    """Person → groups that name them."""
    contains: dict[str, list[str]]
    """Group → groups in it, in circles too."""
    guests: set[str]
    rules: dict[int, list[list[str]]]
    revoked: set[str]
    asker: str
    channel: str
    """`person`, `public`, `refused`, or `members`."""
    members: list[str]

    # -- the naive model ------------------------------------------------------------------------------------------

    def groups_of(self, person: str) -> set[str]:
        """All groups of a person: the groups that name them, and whatever holds one of those, however deep."""
        mine = set(self.direct[person])
        for _ in range(len(self.contains) + 1):
            for group, inside in self.contains.items():
                if any(each in mine for each in inside):
                    mine.add(group)
        return mine

    def satisfies(self, words: list[str], person: str | None) -> bool:
        """Whether somebody satisfies a clause; None stands for any member of the company."""
        for word in words:
            kind, _, name = word.partition(":")
            if person is None:
                if kind == "everyone" or (kind == "group" and name == EVERYBODY):
                    return True
            elif kind == "everyone" or kind == "domain":
                if person not in self.guests and (kind == "everyone" or name == "x.com"):
                    return True
            elif (kind == "user" and name == address(person)) or (kind == "group" and name in self.groups_of(person)):
                return True
        return False

    def may_read(self, rule_id: int, person: str | None) -> bool:
        """Whether somebody satisfies a rule."""
        clauses = self.rules.get(rule_id, [])
        return bool(clauses) and all(self.satisfies(clause, person) for clause in clauses)

    def readers(self) -> list[str | None]:
        """Everybody who sees what is written where the question was asked, the asker among them."""
        match self.channel:
            case "person":
                return [self.asker]
            case "public":
                return [self.asker, None]
            case _:
                return [self.asker, *self.members]

    @property
    def shows_nothing(self) -> bool:
        """Whether nothing may be written where the question was asked."""
        return self.channel == "refused" or (self.channel == "members" and not self.members)

    def all_may_read(self, rule_id: int) -> bool:
        """Whether everybody who sees the answer satisfies a rule."""
        return not self.shows_nothing and all(self.may_read(rule_id, reader) for reader in self.readers())

    def shown(self) -> set[str]:
        """The documents that an answer may use."""
        return {p.name for p in SERVED if p.name not in self.revoked and self.all_may_read(p.rule)}

    def for_the_asker(self) -> set[str]:
        """The documents that the asker alone may read."""
        return {p.name for p in SERVED if p.name not in self.revoked and self.may_read(p.rule, self.asker)}

    def added_for_the_asker(self, told: set[str]) -> set[str]:
        """What the asker is told beyond what the channel was told; nothing, if the channel could be told all of it."""
        if self.channel == "person" or self.channel == "refused":
            return set()
        rest = self.for_the_asker() - told
        hidden = [p for p in SERVED if p.name in rest and not self.all_may_read(p.rule)]
        return rest if hidden else set()

    def allowed(self, paper: Paper, version: int, people: Iterable[str | None]) -> bool:
        """Whether people may see what a version said: by that version's rule, and by the document's rule of now."""
        cited = paper.rule if version == paper.versions else paper.first_rule
        return paper.name not in self.revoked and all(
            self.may_read(cited, person) and self.may_read(paper.rule, person) for person in people
        )

    # -- the same world, as the program has it ----------------------------------------------------------------------

    def book(self) -> RuleBook:
        """Its rules, interned."""
        rules = {
            rule_id: AccessRule.of(*([Principal.parse(word) for word in clause] for clause in clauses))
            for rule_id, clauses in self.rules.items()
        }
        return RuleBook(TENANT, rules)

    @cached_property
    def groups(self) -> Groups:
        """Its people and groups."""
        people = tuple(
            _PersonTable(email=address(p).upper(), groups=tuple(groups), guest=p in self.guests)
            for p, groups in self.direct.items()
        )
        named = tuple(_GroupTable(name=g.title(), contains=tuple(inside)) for g, inside in self.contains.items())
        return _joined(_File(person=people, group=named), Path("people.toml"))

    def reader(self, person: str) -> Reader:
        """Somebody, with what they hold."""
        return Reader(TENANT, self.groups.principals_of(address(person)), address(person))

    def audience(self) -> Audience:
        """Where the answer will be seen."""
        match self.channel:
            case "person":
                return Audience.person(self.reader(self.asker))
            case "public":
                return Audience.tenant(TENANT, [EVERYBODY])
            case "refused":
                return Audience.refused(TENANT)
        return Audience.members(TENANT, [self.reader(member) for member in self.members])


@dataclass(frozen=True)
class Story:
    """A question, what changes while it is answered, and the world in which its answer is opened later."""

    asked: World
    meanwhile: World
    """Other rules and revocations, from the moment at which so many claims were drafted as `drafts` says."""
    drafts: int
    later: World
    """People, groups, rules, revocations and the members of the channel are others."""
    other: str
    """Somebody who then opens it too; at times the one who asked."""
    unsaid: set[str]
    """Documents that the generator says nothing of when it is asked for what the asker alone may know."""

    def emitted(self) -> set[str]:
        """The documents that claims may be shown of: as they are drafted, in the order of names."""
        drafted = sorted(self.asked.shown())
        return set(drafted[: self.drafts]) | (set(drafted[self.drafts :]) & self.meanwhile.shown())

    def answered(self) -> set[str]:
        """The documents that the finished answer may cite."""
        return self.asked.shown() & self.meanwhile.shown()


def address(person: str) -> str:
    """A person's address."""
    return f"{person}@x.com"


def story(rng: random.Random) -> Story:
    """A random story."""
    asked = world(rng)
    meanwhile = _changed(rng, asked) if rng.random() < 0.5 else asked
    later = _changed(rng, meanwhile)
    if rng.random() < 0.5:
        later = replace(later, direct={p: _some(rng, GROUPS, 2) for p in PEOPLE}, members=_some(rng, PEOPLE, 4))
    unsaid = {p.name for p in SERVED if not meanwhile.all_may_read(p.rule)} if rng.random() < 0.3 else set()
    return Story(asked, meanwhile, rng.randint(0, len(asked.shown())), later, rng.choice(PEOPLE), unsaid)


def world(rng: random.Random) -> World:
    """A random world."""
    return World(
        direct={p: _some(rng, GROUPS, 2) for p in PEOPLE},
        contains={g: _some(rng, GROUPS, 2) for g in GROUPS},
        guests={p for p in PEOPLE if rng.random() < 0.15},
        rules={rule_id: _rule(rng) for rule_id in range(1, RULES)},
        revoked=_revoked(rng),
        asker=rng.choice(PEOPLE),
        channel=rng.choice(["person", "public", "public", "members", "members", "refused"]),
        members=_some(rng, PEOPLE, 4),
    )


def _changed(rng: random.Random, before: World) -> World:
    """Some rules anew, and others revoked."""
    rules = {rule_id: _rule(rng) if rng.random() < 0.3 else rule for rule_id, rule in before.rules.items()}
    return replace(before, rules=rules, revoked=_revoked(rng) if rng.random() < 0.7 else before.revoked)


def _rule(rng: random.Random) -> list[list[str]]:
    words = (
        "everyone",
        "domain:x.com",
        "domain:y.com",
        *(f"group:{g}" for g in GROUPS),
        *(f"user:{address(p)}" for p in PEOPLE),
    )
    clauses = rng.choice((0, 1, 1, 1, 2, 2, 3))
    return [_some(rng, words, 4) if rng.random() < 0.6 else ["everyone"] for _ in range(clauses)]


def _revoked(rng: random.Random) -> set[str]:
    return {paper.name for paper in PAPERS if rng.random() < 0.2} if rng.random() < 0.7 else set()


def _some(rng: random.Random, things: tuple[str, ...], most: int) -> list[str]:
    return [rng.choice(things) for _ in range(rng.randint(0, most))]
