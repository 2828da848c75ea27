"""Kill a sync with SIGKILL at any moment, and look at what it leaves behind.

`main` is the victim, in a process of its own: it syncs one changed export after the other, beginning with a round, and
kills itself after so many seconds.
"""

from __future__ import annotations

import os
import random
import signal
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from core.domain.access import OPEN_TO_TENANT, AccessRule, Principal
from core.domain.document import Version
from core.embedding.language_means import LanguageMeans
from core.embedding.space import VectorSpace
from core.index.lance import col, lit
from core.index.lexical import LexicalIndex
from core.index.schema import TOMBSTONE_RULE
from core.index.tables import Tables
from sync.engine import SyncEngine
from sync.lock import writer_lock
from tests.fakes import DIMENSION, Shelf, WordVectors, document
from tests.forked import fork_of

DOCUMENTS = 30
_RULES = (OPEN_TO_TENANT, AccessRule.of({Principal.group("hr")}))


@dataclass
class Damage:
    """What was found after kills; document ids."""

    torn: list[str] = field(default_factory=list)
    """Documents whose chunks are not those of one version, or not its text."""
    lost: list[str] = field(default_factory=list)
    """Documents that were there before and are not served."""


def export_of(round_number: int) -> Shelf:
    """The export as it is in one round: a third of the documents changes its text, some their rule or their title."""
    shelf = Shelf()
    for i in range(DOCUMENTS):
        edition = (round_number + i) // 3
        paragraphs = [
            f"Document {i}, edition {edition}, paragraph {n}: the warehouse keeps {n * edition + i} pallets."
            for n in range(2 + (i * edition) % 6)
        ]
        rule = _RULES[(round_number + i) // 5 % 2]
        title = f"Page {i} {'again' if (round_number + i) % 7 == 0 else ''}".strip()
        shelf.put(document(f"page-{i}", *paragraphs, rule=rule, title=title))
    return shelf


def open_index(folder: Path) -> tuple[Tables, LexicalIndex, SyncEngine]:
    """The parts of a sync over the index in a folder."""
    space = VectorSpace(WordVectors(), LanguageMeans({}))
    tables = Tables(str(folder / "index"), dimension=DIMENSION, model_id=space.model_id)
    lexical = LexicalIndex(folder / "lexical")
    return tables, lexical, SyncEngine(tables, lexical, space, "t")


def sync_round(folder: Path, engine: SyncEngine, round_number: int) -> None:
    """Sync one round to its end."""
    with writer_lock(folder, "test", wait_seconds=10):
        list(engine.sync(export_of(round_number)))


def damage_of(tables: Tables) -> Damage:
    """Compare every served chunk with the version that it says it is of."""
    tables.refresh()
    live = col("rule_id") != lit(TOMBSTONE_RULE)
    columns = ["document_id", "document_version", "chunk_id", "rule_id", "start", "end", "text", "vector"]
    found: dict[str, list[dict[str, object]]] = {}
    for row in tables.chunks.search().where(live).select(columns).to_list():
        found.setdefault(str(row["document_id"]), []).append(row)
    served = tables.current_versions("t")
    versions = tables.versions(("t", document_id, number) for document_id, number in served.items())
    damage = Damage()
    for document_id, rows in found.items():
        version = versions.get((document_id, served[document_id]))
        ids = sorted(str(row["chunk_id"]) for row in rows)
        if version is None or sorted(version.chunk_ids) != ids or not all(_fits(row, version) for row in rows):
            damage.torn.append(document_id)
    keys = {head.source_key for head in tables.heads("t").values() if head.served is not None}
    damage.lost = sorted({f"page-{i}" for i in range(DOCUMENTS)} - keys)
    return damage


def _fits(row: dict[str, object], version: Version | None) -> bool:
    return (
        version is not None
        and row["document_version"] == version.number
        and row["rule_id"] == version.rule_id
        and row["text"] == version.text[int(str(row["start"])) : int(str(row["end"]))]
        and row["vector"] is not None
    )


def kill_often(folder: Path, kills: int, seed: int, longest: float = 0.6) -> Iterator[Damage]:
    """Kill so many syncs, each at a moment of its own, and yield what each kill left."""
    moments = random.Random(seed)
    tables, _, engine = open_index(folder)
    sync_round(folder, engine, 0)
    fork = fork_of("tests.crashing")
    for number in range(kills):
        fork.start(str(folder), str(number * 3 + 1), str(moments.uniform(0, longest)))
        ended = fork.wait()
        assert ended == -signal.SIGKILL, ended
        yield damage_of(tables)


def main(folder: str, round_number: str, seconds: str) -> None:
    """Be the victim."""
    _, _, engine = open_index(Path(folder))
    killer = threading.Timer(float(seconds), os.kill, (os.getpid(), signal.SIGKILL))
    killer.daemon = True
    killer.start()
    for each in range(int(round_number), int(round_number) + 10_000):
        sync_round(Path(folder), engine, each)
