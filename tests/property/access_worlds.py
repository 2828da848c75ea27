"""Random worlds of people, nested groups, rules, channels and revocations, and a second, naive model of who may read.

The model is written from the words of the design, with sets and loops over everything: it interns nothing, indexes
nothing, remembers nothing, and calls nothing of `core.access`.
"""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from core.access.groups import Groups, _File, _GroupTable, _joined, _PersonTable
from core.access.rulebook import RuleBook
from core.domain.access import AccessRule, Audience, Principal, Reader
from core.domain.document import Block, BlockKind, Chunk, Metadata, Version
from core.domain.evidence import Citation, text_hash
from core.evidence.proof import Known, Standing, prove
from core.index.lexical import LexicalIndex
from core.index.schema import EmbeddedChunk
from core.index.snapshot import Snapshot
from core.index.tables import Tables
from core.text.canonical import canonicalise

TENANT = "t"
DIMENSION = 8
RULES = 12
DOCUMENTS = 36
PEOPLE = 6
GROUPS = 5
EVERYBODY = "staff"
"""The group that settings name as everyone in these worlds."""
TODAY = dt.date(2026, 11, 29)


@dataclass(frozen=True)
class World:
    """One world. Names are plain words; a rule is a list of clauses, a clause a list of `kind:name`."""

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
        """Everybody who sees the answer, the asker among them."""
        match self.channel:
            case "person":
                return [self.asker]
            case "public":
                return [self.asker, None]
            case _:
                return [self.asker, *self.members]

    def shown(self) -> set[str]:
        """The documents that an answer may use."""
        if self.channel == "refused" or (self.channel == "members" and not self.members):
            return set()
        return {
            name
            for name, rule_id in documents()
            if name not in self.revoked and all(self.may_read(rule_id, reader) for reader in self.readers())
        }

    def for_the_asker(self) -> set[str]:
        """The documents that the asker alone may read."""
        return {n for n, rule_id in documents() if n not in self.revoked and self.may_read(rule_id, self.asker)}

    # -- the same world, as the program has it ----------------------------------------------------------------------

    def book(self) -> RuleBook:
        """Its rules, interned."""
        rules = {
            rule_id: AccessRule.of(*([Principal.parse(word) for word in clause] for clause in clauses))
            for rule_id, clauses in self.rules.items()
        }
        return RuleBook(TENANT, rules)

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
        return Reader(TENANT, self.groups().principals_of(address(person)), address(person))

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


def address(person: str) -> str:
    """A person's address."""
    return f"{person}@x.com"


def documents() -> Iterator[tuple[str, int]]:
    """Each document with the id of its rule. One rule has no document, one document's rule is in no book."""
    for number in range(DOCUMENTS):
        yield f"d{number}", 1 + number % RULES


def world(rng: random.Random) -> World:
    """A random world."""
    people = [f"p{n}" for n in range(PEOPLE)]
    groups = [EVERYBODY, *(f"g{n}" for n in range(1, GROUPS))]
    words = [
        "everyone",
        "domain:x.com",
        "domain:y.com",
        *(f"group:{g}" for g in groups),
        *(f"user:{address(p)}" for p in people),
    ]

    def some(things: list[str], most: int) -> list[str]:
        return [rng.choice(things) for _ in range(rng.randint(0, most))]

    rules = {
        rule_id: [some(words, 3) if rng.random() < 0.9 else ["everyone"] for _ in range(rng.randint(0, 3))]
        for rule_id in range(1, RULES)  # the last rule is unknown: nobody
    }
    return World(
        direct={p: some(groups, 2) for p in people},
        contains={g: some(groups, 2) for g in groups},
        guests={p for p in people if rng.random() < 0.15},
        rules=rules,
        revoked={name for name, _ in documents() if rng.random() < 0.1} if rng.random() < 0.5 else set(),
        asker=rng.choice(people),
        channel=rng.choice(["person", "public", "members", "members", "refused"]),
        members=some(people, 4),
    )


class Index:
    """A small real index of both halves; each document is one passage."""

    def __init__(self, folder: Path) -> None:
        self.tables = Tables(str(folder / "index"), dimension=DIMENSION, model_id="tiny")
        self.lexical = LexicalIndex(folder / "lexical")
        rng = np.random.default_rng(7)
        written = []
        for name, rule_id in documents():
            canonical = canonicalise([Block(BlockKind.PARAGRAPH, f"Shared words about holidays, of document {name}.")])
            chunk_id = f"{name}#s0-p1"
            chunk = Chunk(
                chunk_id=chunk_id,
                document_id=name,
                start=0,
                end=len(canonical.text),
                text=canonical.text,
                section_path=(),
                context=name,
                language="en",
                sentences=((0, len(canonical.text)),),
            )
            version = Version(
                tenant_id=TENANT,
                document_id=name,
                number=1,
                source="s",
                source_key=name,
                metadata=Metadata(name),
                canonical=canonical,
                rule_id=rule_id,
                language="en",
                content_hash=text_hash(canonical.text),
                observed_at=dt.datetime(2026, 3, 2, tzinfo=dt.UTC),
                chunk_ids=(chunk_id,),
            )
            vector = rng.standard_normal(DIMENSION).astype(np.float32)
            vector /= np.linalg.norm(vector)
            written.append((version, [EmbeddedChunk(chunk, vector, vector[None, :])]))
        self.stored = {version.document_id: version for version, _ in written}
        self.tables.write_versions([version for version, _ in written])
        self.tables.commit_chunks(TENANT, written)
        self.version = self.tables.refresh()
        self.pinned = self.tables.pinned(self.version)
        self.lexical.catch_up(self.tables)

    def snapshot(self, rules: frozenset[int], revoked: set[str]) -> Snapshot:
        """The index under some rules."""
        return Snapshot(self.tables, self.pinned, self.version, self.lexical, TENANT, rules, revoked)

    def citation(self, name: str) -> Citation:
        """A citation of a document's whole passage."""
        version = self.stored[name]
        return Citation(
            citation_id=name,
            tenant_id=TENANT,
            document_id=name,
            document_version=1,
            chunk_id=version.chunk_ids[0],
            source_uri=version.metadata.uri,
            title=version.metadata.title,
            section_path=(),
            page=None,
            start_offset=0,
            end_offset=len(version.text),
            quote=version.text,
            text_hash=text_hash(version.text),
            retrieved_at=dt.datetime(2026, 11, 29, tzinfo=dt.UTC),
            visibility=version.rule_id,
            index_version=1,
            run_id="r",
        )


@dataclass
class Difference:
    """What the program showed that the model hides, and the other way round; and results that were too few."""

    leaks: set[str]
    missing: set[str]
    short: int = 0

    def __bool__(self) -> bool:
        return bool(self.leaks or self.missing or self.short)


def compare(index: Index, world: World, k: int = 5) -> Difference:
    """Search, cite, add and open as the program does, and compare each with the model."""
    difference = Difference(set(), set())

    def same(found: set[str], expected: set[str]) -> None:
        difference.leaks.update(found - expected)
        difference.missing.update(expected - found)

    book, asker = world.book(), world.reader(world.asker)
    mine = book.visible_to(asker)
    shared = mine & book.visible_in(world.audience())
    expected, alone = world.shown(), world.for_the_asker()
    vector = np.ones(DIMENSION, np.float32) / np.sqrt(DIMENSION).astype(np.float32)

    # Somebody else's search first: whatever it leaves in caches must not reach this reader.
    other = index.snapshot(mine, set())
    other.dense(vector, 1)
    other.statistics("shared words", "en")

    seen = index.snapshot(shared, world.revoked)
    dense = [_document(hit.key) for hit in seen.dense(vector, DOCUMENTS)]
    same(set(dense), expected)
    lexical = [_document(hit.key) for hit in seen.lexical("shared words", DOCUMENTS)]
    same(set(lexical), expected)
    statistics = seen.statistics("shared", "en")
    difference.short += statistics.visible != len(expected)
    difference.short += sum(n != len(expected) for n in statistics.frequencies.values() if expected)
    for half in (seen.dense(vector, k), seen.lexical("shared words", k)):
        difference.short += len(half) != min(k, len(expected))
    read = seen.candidates([f"{TENANT}/{name}#s0-p1" for name, _ in documents()])
    same({c.passage.document_id for c in read}, expected)

    if world.channel != "person":
        privately = index.snapshot(mine, world.revoked)
        found = {_document(hit.key) for hit in privately.dense(vector, DOCUMENTS)}
        same(found, alone)
        addition = {n for n, rule_id in documents() if n in found and rule_id not in shared}
        same(addition, alone - {n for n, r in documents() if r in shared})

    # Evidence opened later: by the version's own rule and by the document's rule of now, which may be another.
    for name, rule_id in documents():
        now = 1 + (rule_id * 5) % RULES
        visible = (lambda _: False) if name in world.revoked else shared.__contains__
        known = Known(index.stored[name], index.stored[name], now)
        proof = prove(index.citation(name), known, tenant_id=TENANT, today=TODAY, visible=visible)
        readers_may = name in expected and _all_may(world, now)
        same({name} if proof.standing is not Standing.FORBIDDEN else set(), {name} if readers_may else set())
    return difference


def _all_may(world: World, rule_id: int) -> bool:
    return all(world.may_read(rule_id, reader) for reader in world.readers())


def _document(key: str) -> str:
    return key.partition("/")[2].partition("#")[0]
