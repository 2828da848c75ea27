"""Kill a rebuild with SIGKILL at any moment, and look at what is served.

`main` is the victim, in a process of its own: it rebuilds the index with one model after the other, deletes what was
served before, and kills itself after so many seconds.
"""

from __future__ import annotations

import datetime as dt
import os
import signal
import threading
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from core.embedding.language_means import LanguageMeans
from core.embedding.space import VectorSpace
from core.index import rebuild, rereading
from core.index.generations import read_serving
from core.index.lexical import LexicalIndex
from core.index.rebuild import Rebuild, drop_retired
from core.index.tables import Tables
from tests.crashing import damage_of
from tests.fakes import DIMENSION, WordVectors
from tests.forked import fork_of


class OtherVectors(WordVectors):
    """Another model, with vectors of another length."""

    model_id = "other"
    dimension = 2 * DIMENSION

    def _vector(self, text: str) -> np.ndarray:
        half = super()._vector(text)
        whole: np.ndarray = np.concatenate([half, half[::-1]]) / np.sqrt(2).astype(np.float32)
        return whole


SPACES = [VectorSpace(embedder, LanguageMeans({})) for embedder in (WordVectors(), OtherVectors())]


@dataclass(frozen=True, slots=True)
class Served:
    """What a process finds that begins after a kill."""

    model_id: str
    documents: int
    torn: tuple[str, ...]
    wrong_vectors: int
    lexical: int
    """Chunks that hold the word which every document has, by the lexical index."""
    chunks: int


def look(folder: Path) -> Served:
    """Open what is served with the model that it names, and compare every row with what it must be."""
    location = str(folder / "index")
    stored = Tables.as_stored(location)
    space = next(space for space in SPACES if space.model_id == stored.model_id)
    tables = Tables(location, dimension=space.dimension, model_id=space.model_id)
    rows = tables.chunks.search().where("rule_id >= 0").select(["text", "vector", "language"]).to_list()
    vectors = [space.embed_query(row["text"], row["language"]) for row in rows]
    wrong = sum(not np.allclose(row["vector"], v, atol=1e-6) for row, v in zip(rows, vectors, strict=True))
    lexical = LexicalIndex(folder / "lexical").of(tables.chunks_table)
    lexical.catch_up(tables)
    rules = {int(row["rule_id"]) for row in tables.rules.to_arrow().to_pylist()}
    found = {hit.key for hit in lexical.search("warehouse", rules, 1000)}
    damage = damage_of(tables)
    return Served(
        stored.model_id,
        documents=tables.counts("t")[0],
        torn=tuple(damage.torn + damage.lost),
        wrong_vectors=wrong,
        lexical=len(found),
        chunks=len(rows),
    )


def kill_after(folder: Path, seconds: float) -> None:
    """Start a victim and let it kill itself so many seconds after it began to work."""
    fork = fork_of("tests.crashing_rebuild")
    fork.start(str(folder), str(seconds))
    ended = fork.wait()
    assert ended == -signal.SIGKILL, ended


def _same(now: dt.datetime) -> dt.datetime:
    return now


def main(named: str, seconds: str) -> None:
    """Be the victim."""
    folder = Path(named)
    rereading.ROWS = 16  # many commits, so that there are many moments to die at
    rebuild.ROWS = 16  # type: ignore[attr-defined]  # the name that it borrows from there
    killer = threading.Timer(float(seconds), os.kill, (os.getpid(), signal.SIGKILL))
    killer.daemon = True
    killer.start()
    location, lexical = str(folder / "index"), LexicalIndex(folder / "lexical")
    while True:
        model = read_serving(location).model_id or SPACES[0].model_id
        space = next(space for space in SPACES if space.model_id != model)
        now = dt.datetime.now(dt.UTC)
        list(Rebuild(location, lexical, space, None, nullcontext, now=partial(_same, now)).run())
        drop_retired(location, lexical, now, dt.timedelta(0))
