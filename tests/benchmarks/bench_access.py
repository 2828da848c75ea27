"""Who may see what: random worlds against a naive model, and what filtering by access costs.

    make bench NAME=access            2,500 worlds, 100,000 passages
    FULL=1 make bench NAME=access     100,000 worlds, and 1,000,000 passages as well

The last line is one JSON object. `latency_ratio_filtered` is the worst median of a reader of up to 100 groups over that
of the same search without a filter; `worst_p50_ms` the median of the slowest reader; `dense_recall_min` the least share
of the exact first ten that any reader got.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
from rich.console import Console
from rich.table import Table

from core.access.rulebook import RuleBook
from core.domain.access import AccessRule, Principal, Reader
from core.index.lexical import LexicalIndex, _question
from core.index.schema import Vector
from core.index.snapshot import Snapshot, effort
from core.index.tables import Tables
from tests.benchmarks import scale
from tests.property.access_answers import compare
from tests.property.access_model import story
from tests.property.access_worlds import Company

FULL = os.environ.get("FULL", "") not in {"", "0"}
WORLDS = int(os.environ.get("WORLDS", 100_000 if FULL else 2_500))
SIZES = (100_000, 1_000_000) if FULL else (100_000,)
RULES = 10_000
GROUPS = (1, 100, 1_000, 5_000)
FEW = RULES + 1
"""A rule that one passage in 10,000 has."""
LIMIT = 50
TOP = 10
QUESTIONS = 100
RECALL_QUESTIONS = 30


@dataclass(slots=True)
class Worlds:
    """What came of the worlds."""

    worlds: int = 0
    leaks: int = 0
    missing: int = 0
    short: int = 0


@dataclass(frozen=True, slots=True)
class Row:
    """One reader's searches, in milliseconds."""

    size: int
    reader: str
    rules_ms: float
    dense_ms: float
    lexical_ms: float
    recall: float
    short: int

    @property
    def both_ms(self) -> float:
        """Both halves, one after the other."""
        return self.dense_ms + self.lexical_ms


def main() -> None:
    """Run all of it."""
    console = Console(file=sys.stdout, width=120)
    seen = _worlds()
    console.print(f"{seen.worlds} worlds: {seen.leaks} leaks, {seen.missing} missing, {seen.short} short results")
    rows = [row for size in SIZES for row in _sized(size)]
    table = Table("passages", "reader", "rules ms", "dense p50", "lexical p50", "both", "recall@10", "short")
    for row in rows:
        table.add_row(
            f"{row.size:,}", row.reader, f"{row.rules_ms:.1f}", f"{row.dense_ms:.1f}", f"{row.lexical_ms:.1f}",
            f"{row.both_ms:.1f}", f"{row.recall:.3f}", str(row.short),
        )  # fmt: skip
    console.print(table)
    small = {row.reader: row for row in rows if row.size == SIZES[0]}
    ratio = max(small[f"{n} groups"].both_ms for n in GROUPS if n <= 100) / small["no filter"].both_ms
    filtered = [row for row in rows if row.reader != "no filter"]
    print(
        json.dumps(
            {
                "worlds": seen.worlds,
                "leaks": seen.leaks,
                "missing": seen.missing,
                "latency_ratio_filtered": round(ratio, 3),
                "dense_recall_min": round(min(row.recall for row in filtered), 4),
                "short_results": seen.short + sum(row.short for row in filtered),
                "worst_p50_ms": round(max(row.both_ms for row in filtered), 2),
                "p50_ms_filtered": {f"{row.size}/{row.reader}": round(row.both_ms, 2) for row in filtered},
            }
        )
    )


def _worlds() -> Worlds:
    seen = Worlds()
    with TemporaryDirectory() as folder, Company(Path(folder)) as company:
        for seed in range(WORLDS):
            difference = compare(company, story(random.Random(seed)))
            seen.worlds += 1
            seen.leaks += len(difference.leaks)
            seen.missing += len(difference.missing)
            seen.short += difference.short
            if seed % 1_000 == 999:
                print(f"... {seed + 1} worlds", file=sys.stderr, flush=True)
    return seen


def _build(size: int) -> Path:
    """An index whose passages are spread evenly over 10,000 rules, one for each of 10,000 groups."""
    folder = scale.FOLDER / f"access-{size}"
    if scale.is_built(folder):
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    tables = Tables(str(folder / "index"), dimension=scale.DIMENSION, model_id=scale.MODEL)
    rng = np.random.default_rng(5)
    for start in range(0, size, scale.BATCH):
        rows = min(scale.BATCH, size - start)
        rules = rng.integers(1, RULES + 1, size=rows)
        rules[np.arange(start, start + rows) % (scale.BATCH // 2) == 7] = FEW
        batch = scale._batch(rng, start, rows)
        for name, column in {
            "rule_id": pa.array(rules, pa.int64()),
            "sentence_vectors": pa.array([b""] * rows, pa.binary()),
            "word_vectors": pa.array([b""] * rows, pa.binary()),
        }.items():
            batch = batch.set_column(batch.schema.get_field_index(name), batch.schema.field(name), column)
        tables.chunks.add(batch)
        print(f"... {start + rows:,} passages", file=sys.stderr, flush=True)
    tables.ensure_indexes()
    tables.optimize()
    LexicalIndex(folder / "lexical").catch_up(tables)
    scale.mark_built(folder)
    return folder


def _sized(size: int) -> list[Row]:
    folder = _build(size)
    tables = Tables(str(folder / "index"), dimension=scale.DIMENSION, model_id=scale.MODEL)
    lexical = LexicalIndex(folder / "lexical")
    version = tables.refresh()
    pinned = tables.pinned(version)
    rules = {n: AccessRule.of({Principal.group(f"g{n}")}) for n in range(1, FEW + 1)}
    book = RuleBook("t", rules)
    rng = np.random.default_rng(2)
    centres = scale._centres()[rng.integers(scale.CENTRES, size=QUESTIONS)]
    vectors = scale._unit(centres + scale._noise(rng, QUESTIONS))
    questions = [(" ".join(scale._words(rng, 7)), vector) for vector in vectors]
    rows = [_unfiltered(size, pinned, lexical, questions)]
    readers = {f"{n} groups": range(1, n + 1) for n in GROUPS} | {"0.01 % visible": [FEW], "everything": range(1, FEW)}
    for name, groups in readers.items():
        reader = Reader("t", frozenset(Principal.group(f"g{n}") for n in groups))
        begun = time.perf_counter()
        visible = book.visible_to(reader)
        rules_ms = (time.perf_counter() - begun) * 1000
        seen = Snapshot(tables, pinned, version, lexical, "t", visible)
        rows.append(_filtered(size, name, rules_ms, seen, questions, vectors))
    return rows


def _unfiltered(size: int, pinned: Any, lexical: LexicalIndex, questions: list[tuple[str, Vector]]) -> Row:
    searcher, how = lexical._searcher(), effort(size, size)
    assert searcher is not None and how is not None

    def dense(_: str, vector: Vector) -> object:
        search = pinned.search(vector, vector_column_name="vector").distance_type("dot")
        search = search.select(["key", "_distance"]).limit(LIMIT)
        return (
            search.minimum_nprobes(how.partitions).maximum_nprobes(how.partitions).refine_factor(how.refined).to_list()
        )

    def words(text: str, _: Vector) -> object:
        query = _question(text)
        assert query is not None
        hits = searcher.search(query, int(LIMIT * 1.5), count=False).hits
        return [searcher.doc(address)["key"] for _, address in hits]

    return Row(size, "no filter", 0, _median(dense, questions), _median(words, questions), 1.0, 0)


def _filtered(
    size: int, name: str, rules_ms: float, seen: Snapshot, questions: list[tuple[str, Vector]], vectors: Vector
) -> Row:
    dense = _median(lambda _, vector: seen.dense(vector, LIMIT), questions)
    lexical = _median(lambda text, _: seen.lexical_names(text, LIMIT), questions)
    visible = seen._tables.visible_rows(seen._chunks, seen._visible().to_sql())
    short = sum(len(seen.dense(vector, LIMIT)) < min(LIMIT, visible) for _, vector in questions)
    recall = _recall(seen, vectors[:RECALL_QUESTIONS])
    return Row(size, name, rules_ms, dense, lexical, recall, short)


def _recall(seen: Snapshot, vectors: Vector) -> float:
    """Share of the exact first ten among the first ten of a search for as many as questions ask for."""
    shares = []
    for vector in vectors:
        exact = {hit.key for hit in seen.dense(vector, TOP, exact=True)}
        shares.append(len(exact & {hit.key for hit in seen.dense(vector, LIMIT)[:TOP]}) / len(exact))
    return float(np.mean(shares))


def _median(search: Callable[[str, Vector], object], questions: list[tuple[str, Vector]]) -> float:
    for text, vector in questions[:10]:
        search(text, vector)  # warm
    return scale._percentile(scale._times(search, questions), 50)


if __name__ == "__main__":
    main()
