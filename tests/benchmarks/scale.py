"""Speed, memory and exactness with built vectors: one index of 100,000 or 1,000,000 chunks, kept in /tmp once built.

Vectors are drawn around 2,000 centres, text from a vocabulary with word frequencies by Zipf's law; sentence and word
vectors have their real size. Rule 1 is open and holds half of the chunks; 500 rules share the rest.
"""

from __future__ import annotations

import datetime as dt
import functools
import json
import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa

from core.embedding.space import VectorSpace
from core.index.lexical import LAYOUT, LexicalIndex
from core.index.schema import PASSAGE_COLUMNS, Vector, card_of, chunks_schema
from core.index.snapshot import Snapshot
from core.index.tables import PARTITION_ROWS, Tables
from core.retrieval.interaction import LateInteraction, QuestionWords
from core.retrieval.search import RERANKED, Searcher

DIMENSION = 384
MODEL = "scale"
CENTRES = 2_000
VOCABULARY = 60_000
WORDS = 130
SENTENCES = 6
TELLING = 85
RULES = 500
FEW = RULES + 1
"""A rule that one row in 10,000 has."""
QUESTIONS = 200
BATCH = 20_000
FOLDER = Path(os.environ.get("TESTIGO_BENCH_CACHE", "/tmp/testigo-bench"))


@dataclass(frozen=True, slots=True)
class Scale:
    """What was measured at one size; times in milliseconds."""

    rows: int
    dense_p50: float
    lexical_p50: float
    hybrid_p50: float
    hybrid_p95: float
    reranked_p50: float
    """The whole search, reranking included, without the question's embedding."""
    filtered_p50: float
    filtered_p99: float
    few_rows_p50: float
    few_rows_exact: float
    """Share of the exact first ten that a reader of few rows got."""
    recall_at_10: float
    """Share of the exact first ten, for a reader of everything."""
    rss_gib: float

    @property
    def over_slower_half(self) -> float:
        """Both halves together, against the slower of the two alone."""
        return self.hybrid_p50 / max(self.dense_p50, self.lexical_p50)


def build(rows: int) -> Path:
    """Write the index, or find it."""
    folder = FOLDER / f"scale-{rows}"
    if is_built(folder):
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    tables = Tables(str(folder / "index"), dimension=DIMENSION, model_id=MODEL)
    random = np.random.default_rng(1)
    for start in range(0, rows, BATCH):
        tables.chunks.add(_batch(random, start, min(BATCH, rows - start)))
    tables.ensure_indexes()
    tables.optimize()
    LexicalIndex(folder / "lexical").catch_up(tables)
    mark_built(folder)
    return folder


def is_built(folder: Path) -> bool:
    """Whether an index is there, and as the code of today would write it."""
    mark = folder / "built"
    return mark.exists() and mark.read_text() == _layout()


def mark_built(folder: Path) -> None:
    """Say that an index is whole."""
    (folder / "built").write_text(_layout())


def _layout() -> str:
    return f"{LAYOUT} {PARTITION_ROWS} {chunks_schema(DIMENSION, MODEL).names}"


def measure_apart(rows: int) -> Scale:
    """Measure in a process of its own, so that its memory is that of a search alone."""
    build(rows)
    done = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.scale", str(rows)], check=True, stdout=subprocess.PIPE, text=True
    )
    return Scale(**json.loads(done.stdout.splitlines()[-1]))


def measure(rows: int) -> Scale:
    """Ask some hundred questions of the index of this size."""
    folder = FOLDER / f"scale-{rows}"
    tables = Tables(str(folder / "index"), dimension=DIMENSION, model_id=MODEL)
    lexical = LexicalIndex(folder / "lexical")
    version = tables.refresh()
    pinned = tables.pinned(version)

    def seen(rules: Sequence[int]) -> Snapshot:
        return Snapshot(tables, pinned, version, lexical, "t", rules)

    random = np.random.default_rng(2)
    centres = _centres()
    vectors = _unit(centres[random.integers(CENTRES, size=QUESTIONS)] + _noise(random, QUESTIONS))
    questions = [(" ".join(_words(random, 7)), vector) for vector in vectors]
    everything, some, few = seen(range(1, FEW + 1)), seen([1, *range(2, 102)]), seen([FEW])
    finder = Searcher(_Prepared(vectors[0]))
    for text, vector in questions[:20]:
        finder.find(everything, text, vector)
    dense = _times(lambda _, v: everything.found(everything.dense(v, 50), [], RERANKED), questions)
    words = _times(lambda t, _: everything.found([], everything.lexical_names(t, 50), RERANKED), questions)
    both = _times(lambda t, v: finder.find(everything, t, v), questions)
    whole = _times(lambda t, v: _search(everything, t, v), questions)
    filtered = _times(lambda t, v: finder.find(some, t, v), questions)
    narrow = _times(lambda t, v: finder.find(few, t, v), questions)
    return Scale(
        rows=rows,
        dense_p50=_percentile(dense, 50),
        lexical_p50=_percentile(words, 50),
        hybrid_p50=_percentile(both, 50),
        hybrid_p95=_percentile(both, 95),
        reranked_p50=_percentile(whole, 50),
        filtered_p50=_percentile(filtered, 50),
        filtered_p99=_percentile(filtered, 99),
        few_rows_p50=_percentile(narrow, 50),
        few_rows_exact=_recall(few, vectors[:30]),
        recall_at_10=_recall(everything, vectors[:30]),
        rss_gib=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
    )


class _Prepared(VectorSpace):
    """A space that embeds nothing: every question has the vector that was made for it."""

    def __init__(self, vector: Vector) -> None:
        self._vector = vector

    def embed_query(self, text: str, language: str) -> Vector:
        return self._vector


class _PreparedWords(LateInteraction):
    """Late interaction without a model: twelve tokens that point anywhere."""

    def __init__(self) -> None:
        tokens = _noise(np.random.default_rng(3), 12)
        self._question = QuestionWords(_unit(tokens), np.full(12, 1 / 12, np.float32), np.eye(12, dtype=np.float32))

    def question(self, text: str, language: str) -> QuestionWords:
        return self._question


def _search(snapshot: Snapshot, text: str, vector: Vector) -> None:
    Searcher(_Prepared(vector), words=_PreparedWords()).search(snapshot, text, "en", dt.date(2026, 11, 29))


def _batch(random: np.random.Generator, start: int, rows: int) -> pa.Table:
    """Rows of `chunks`; ten rows of the whole table are under the rule FEW."""
    vectors = _unit(_centres()[random.integers(CENTRES, size=rows)] + _noise(random, rows))
    texts = [" ".join(_words(random, WORDS)) for _ in range(rows)]
    rules = np.where(random.random(rows) < 0.5, 1, random.integers(2, RULES + 1, size=rows))
    numbers = np.arange(start, start + rows)
    rules[numbers % (BATCH // 2) == 7] = FEW
    packed = random.bytes(rows * TELLING * DIMENSION // 8)
    sentences = random.bytes(rows * SENTENCES * DIMENSION)
    one, two = TELLING * DIMENSION // 8, SENTENCES * DIMENSION
    columns: dict[str, object] = {
        "key": [f"t/d{n // 10}#s0-p{n % 10}" for n in numbers],
        "chunk_id": [f"d{n // 10}#s0-p{n % 10}" for n in numbers],
        "document_id": [f"d{n // 10}" for n in numbers],
        "seq": np.full(rows, start // BATCH + 1),
        "rule_id": rules,
        "text": texts,
        "context": [text[:40] for text in texts],
        "title": [text[:20] for text in texts],
        "end": [len(text) for text in texts],
        "sentences": [_spans(len(text)) for text in texts],
        "sentence_vectors": [sentences[i * two : (i + 1) * two] for i in range(rows)],
        "word_vectors": [packed[i * one : (i + 1) * one] for i in range(rows)],
        "content_hash": [str(n) for n in numbers],
        "vector": pa.FixedSizeListArray.from_arrays(pa.array(vectors.reshape(-1)), DIMENSION),
    }
    same: dict[str, object] = {
        "tenant_id": "t", "document_version": 1, "source": "s", "uri": "", "section_path": [], "page": None,
        "language": "en", "start": 0, "about": "", "header": [], "modified_at": None, "valid_from": None,
        "valid_until": None, "status": "in_force", "superseded": False, "owner": "", "show_quotes": True,
    }  # fmt: skip
    own = [name for name in columns if name in PASSAGE_COLUMNS]
    columns["card"] = [card_of(same | {name: columns[name][i] for name in own}) for i in range(rows)]  # type: ignore[index]
    schema = chunks_schema(DIMENSION, MODEL)
    arrays = [
        columns[f.name]
        if f.name == "vector"
        else pa.array(columns[f.name] if f.name in columns else [same[f.name]] * rows, f.type)
        for f in schema
    ]
    return pa.Table.from_arrays(arrays, schema=schema)


def _spans(length: int) -> list[int]:
    """Cut a text into sentences of equal length: start, end, start, end …"""
    edges = [length * n // SENTENCES for n in range(SENTENCES + 1)]
    return [edge for pair in pairwise(edges) for edge in pair]


@functools.cache
def _centres() -> Vector:
    return _unit(np.random.default_rng(1).standard_normal((CENTRES, DIMENSION), np.float32))


def _unit(vectors: Vector) -> Vector:
    unit: Vector = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit


def _noise(random: np.random.Generator, rows: int) -> Vector:
    return random.standard_normal((rows, DIMENSION), np.float32) / np.float32(np.sqrt(DIMENSION))


def _words(random: np.random.Generator, count: int) -> list[str]:
    """Words of a vocabulary whose frequencies fall as one over the rank."""
    ranks = np.floor(VOCABULARY ** random.random(count)).astype(int)
    return [f"w{rank:x}k" for rank in ranks]


def _times(search: Callable[[str, Vector], object], questions: Sequence[tuple[str, Vector]]) -> list[float]:
    times = []
    for text, vector in questions:
        begun = time.perf_counter()
        search(text, vector)
        times.append((time.perf_counter() - begun) * 1000)
    return times


def _percentile(times: Sequence[float], share: float) -> float:
    return round(float(np.percentile(times, share)), 2)


def _recall(snapshot: Snapshot, vectors: Vector) -> float:
    """Share of the exact first ten that the search brings."""
    shares = []
    for vector in vectors:
        exact = {hit.key for hit in snapshot.dense(vector, 10, exact=True)}
        shares.append(len(exact & {hit.key for hit in snapshot.dense(vector, 50)[:10]}) / len(exact))
    return round(float(np.mean(shares)), 4)


if __name__ == "__main__":
    print(json.dumps(asdict(measure(int(sys.argv[1])))))
