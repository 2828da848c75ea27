"""What the search is compared with, on the same paragraphs and the same vectors."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Sequence

import lancedb
import pyarrow as pa
from lancedb.rerankers import RRFReranker

from core.embedding.space import VectorSpace
from tests.benchmarks.collection import Collection, document_id
from tests.benchmarks.datasets import Asked

TANTIVY_LANGUAGES = {"en": "English", "es": "Spanish"}


def lancedb_hybrid(
    collection: Collection, space: VectorSpace, questions: Sequence[Asked], asking: str, answering: str
) -> list[bool]:
    """LanceDB's own hybrid search: its full-text index with the language's stemmer, its vectors, its RRF reranker."""
    chunks = [chunk for chunk in collection.chunks if chunk.language == answering]
    with tempfile.TemporaryDirectory() as folder:
        rows = [
            {
                "document": c.document_id,
                "text": c.text,
                "vector": collection.vectors[c.chunk_id].vector.astype("float32").tolist(),
            }
            for c in chunks
        ]
        width = space.dimension
        schema = pa.schema(
            [("document", pa.string()), ("text", pa.string()), ("vector", pa.list_(pa.float32(), width))]
        )
        table = lancedb.connect(folder).create_table("chunks", pa.Table.from_pylist(rows, schema=schema))
        table.create_fts_index("text", language=TANTIVY_LANGUAGES[answering], stem=True, ascii_folding=True)
        reranker = RRFReranker()
        right = []
        for asked in questions:
            search = (
                table.search(query_type="hybrid", vector_column_name="vector")
                .vector(space.embed_query(asked.text, asking))
                .text(_plain(asked.text))
                .rerank(reranker)
                .limit(10)
            )
            found = search.to_list()
            right.append(bool(found) and found[0]["document"] == document_id(answering, asked.paragraph))
    return right


def _plain(text: str) -> str:
    """Letters and digits only: Lance's query would read signs as syntax."""
    return "".join(c if c.isalnum() else " " for c in text)


def mcnemar(ours: Sequence[bool], theirs: Sequence[bool]) -> float:
    """Two-sided exact McNemar test of paired outcomes: the probability of a difference this large by chance."""
    better = sum(a and not b for a, b in zip(ours, theirs, strict=True))
    worse = sum(b and not a for a, b in zip(ours, theirs, strict=True))
    total = better + worse
    tail = sum(math.comb(total, k) for k in range(min(better, worse) + 1)) / 2**total if total else 1.0
    return min(1.0, 2 * tail)
