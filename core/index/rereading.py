"""Stored chunks, read with the model again: for a rebuild, and for sentences that were written about them later."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from core.domain.document import indexed_context
from core.embedding.base import PassageInput
from core.embedding.space import VectorSpace
from core.embedding.vectors import check_vectors
from core.index.lance import col, lit
from core.index.schema import TOMBSTONE_RULE, quantise
from core.index.tables import Tables
from core.index.vectors import ChunkVectors, chunk_vectors
from core.retrieval.interaction import LateInteraction

ROWS = 256
"""Chunks that are read with the model and written together."""

_COMPUTED = frozenset({"seq", "vector", "sentence_vectors", "word_vectors"})


@dataclass(frozen=True, slots=True)
class Lacking:
    """A live chunk that no sentence was written about: its key, and where its text stands."""

    key: str
    document_id: str
    version: int
    start: int
    end: int


def chunks_lacking_a_sentence(tables: Tables, tenant_id: str, source: str) -> list[Lacking]:
    """The live chunks of a source without a sentence about them, by document, in reading order."""
    mine = (col("tenant_id") == lit(tenant_id)) & (col("source") == lit(source))
    live = f"({mine.to_sql()}) AND rule_id != {TOMBSTONE_RULE} AND (about IS NULL OR about = '')"
    columns = ["key", "document_id", "document_version", "start", "end"]
    rows = tables.chunks.search().where(live).select(columns).to_list()
    found = [Lacking(r["key"], r["document_id"], r["document_version"], r["start"], r["end"]) for r in rows]
    return sorted(found, key=lambda chunk: (chunk.document_id, chunk.start))


def write_sentences(
    tables: Tables, space: VectorSpace, words: LateInteraction | None, sentences: Mapping[str, str]
) -> None:
    """Store a sentence about each of these chunks, by key, and read the chunks with the model anew.

    Nothing else of them changes. To be called by who holds the writer's lock.

    Raises:
        StorageError: the index cannot be written; the sentences written before stay.
        ModelError: a vector is not a number or has another dimension.
    """
    keys = list(sentences)
    for at in range(0, len(keys), ROWS):
        rows = stored_rows(tables.chunks, keys[at : at + ROWS])
        about = pa.array([sentences[key] for key in rows["key"].to_pylist()], pa.string())
        rows = rows.set_column(rows.schema.get_field_index("about"), "about", about)
        tables.upsert_chunks(with_vectors(rows, tables, space, words))


def stored_rows(source: Any, keys: Collection[str]) -> pa.Table:
    """Rows of `chunks` by key, without what the model computes."""
    names = [name for name in source.schema.names if name not in _COMPUTED]
    return source.search().where(col("key").isin(list(keys))).select(names).limit(len(keys)).to_arrow()


def with_vectors(rows: pa.Table, tables: Tables, space: VectorSpace, words: LateInteraction | None) -> pa.Table:
    """The same rows, with vectors of a model, as the next commit to these tables writes them.

    Raises:
        ModelError: a vector is not a number or has another dimension.
    """
    inputs = [
        PassageInput(
            indexed_context(row["context"], row["about"] or ""),
            row["text"],
            _spans(row["sentences"] or [], row["start"]),
        )
        for row in rows.select(["context", "about", "text", "sentences", "start"]).to_pylist()
    ]
    read = chunk_vectors(space, words, inputs, rows["language"].to_pylist())
    for vectors in read:  # Lance would write a bad vector as null
        check_vectors(vectors.vector[None, :], tables.dimension, tables.model_id)
    schema = tables.chunks.schema
    computed = _computed(read, tables.next_seq(), schema)
    columns = [computed[name] if name in computed else rows[name].combine_chunks() for name in schema.names]
    return pa.Table.from_arrays(columns, schema=schema)


def _spans(offsets: Sequence[int], start: int) -> tuple[tuple[int, int], ...]:
    """Sentences as the model wants them: relative to the chunk."""
    return tuple((s - start, e - start) for s, e in zip(offsets[::2], offsets[1::2], strict=True))


def _computed(read: Sequence[ChunkVectors], seq: int, schema: pa.Schema) -> dict[str, pa.Array]:
    flat = pa.array(np.concatenate([each.vector for each in read]).astype(np.float32))
    return {
        "seq": pa.array([seq] * len(read), pa.int64()),
        "vector": pa.FixedSizeListArray.from_arrays(flat, schema.field("vector").type.list_size),
        "sentence_vectors": pa.array([quantise(each.sentence_vectors) for each in read], pa.binary()),
        "word_vectors": pa.array([each.word_vectors for each in read], pa.binary()),
    }
