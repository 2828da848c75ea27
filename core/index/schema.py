"""The columns of the LanceDB tables, and the way from domain values to rows and back."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from core.domain.document import (
    BlockKind,
    BlockSpan,
    CanonicalText,
    Chunk,
    DocumentStatus,
    Metadata,
    Section,
    Version,
)
from core.domain.evidence import Passage, text_hash

TOMBSTONE_RULE = -1
"""The rule id of a chunk that is gone. No reader satisfies it."""

Vector = NDArray[np.float32]

_UTC = pa.timestamp("us", tz="UTC")

DOCUMENTS = pa.schema(
    [
        ("key", pa.string()),  # tenant/document_id@version
        ("tenant_id", pa.string()),
        ("document_id", pa.string()),
        ("version", pa.int32()),
        ("source", pa.string()),
        ("source_key", pa.string()),
        ("rule_id", pa.int64()),
        ("language", pa.string()),
        ("content_hash", pa.string()),
        ("metadata_hash", pa.string()),
        ("observed_at", _UTC),
        ("chunk_ids", pa.list_(pa.string())),
        ("metadata", pa.string()),
        ("text", pa.large_string()),
        ("structure", pa.large_string()),
    ]
)

RULES = pa.schema([("tenant_id", pa.string()), ("rule_id", pa.int64()), ("rule", pa.string())])


def chunks_schema(dimension: int, model_id: str) -> pa.Schema:
    """The schema of the chunks table. The model is written into it: vectors of two models never meet in one table."""
    return pa.schema(
        [
            ("key", pa.string()),  # tenant/chunk_id
            ("seq", pa.int64()),  # number of the commit that wrote the row; tantivy catches up by it
            ("tenant_id", pa.string()),
            ("chunk_id", pa.string()),
            ("document_id", pa.string()),
            ("document_version", pa.int32()),
            ("source", pa.string()),
            ("rule_id", pa.int64()),
            ("uri", pa.string()),
            ("title", pa.string()),
            ("section_path", pa.list_(pa.string())),
            ("page", pa.int32()),
            ("language", pa.string()),
            ("start", pa.int32()),
            ("end", pa.int32()),
            ("text", pa.string()),
            ("context", pa.string()),
            ("about", pa.string()),  # a generated sentence: indexed, and never part of a passage
            ("header", pa.list_(pa.int32())),  # empty, or start and end
            ("sentences", pa.list_(pa.int32())),  # start, end, start, end …
            ("sentence_vectors", pa.binary()),  # int8, one row of `dimension` for each sentence
            ("word_vectors", pa.binary()),  # signs, one row for each telling word: `core.retrieval.interaction`
            ("modified_at", _UTC),
            ("valid_from", pa.date32()),
            ("valid_until", pa.date32()),
            ("status", pa.string()),
            ("superseded", pa.bool_()),
            ("owner", pa.string()),
            ("show_quotes", pa.bool_()),
            ("content_hash", pa.string()),
            ("card", pa.string()),  # what of the passage never changes, once more: see `CARD_COLUMNS`
            ("vector", pa.list_(pa.float32(), dimension)),
        ],
        metadata={"testigo.model": model_id},
    )


_NOT_IN_PASSAGES = {"key", "seq", "vector", "sentence_vectors", "word_vectors", "about", "card"}
PASSAGE_COLUMNS = [f.name for f in chunks_schema(1, "") if f.name not in _NOT_IN_PASSAGES]
CARD_COLUMNS = ["card", "text", "rule_id", "document_version"]
"""A passage in four columns instead of 25. Each column of a row is a read of its own: 50 passages out of a million rows
took 37 ms by columns. What a change of access alone writes (`Tables.commit_access`) is not on the card.
"""
_ON_CARD = [name for name in PASSAGE_COLUMNS if name not in CARD_COLUMNS]


@dataclass(frozen=True, slots=True)
class EmbeddedChunk:
    """A chunk with its vectors: `vector` is (d,), `sentence_vectors` (s, d), L2-normalised float32."""

    chunk: Chunk
    vector: Vector
    sentence_vectors: Vector
    word_vectors: bytes = b""
    """For late interaction, packed; empty: they were not computed, and the chunk is ranked without."""


def metadata_hash(metadata: Metadata) -> str:
    """SHA-256 of all that the source says about a document apart from text and access."""
    return text_hash(_metadata_json(metadata))


def document_key(tenant_id: str, document_id: str, version: int) -> str:
    """The key of a version's row."""
    return f"{tenant_id}/{document_id}@{version}"


def chunk_key(tenant_id: str, chunk_id: str) -> str:
    """The key of a chunk's row."""
    return f"{tenant_id}/{chunk_id}"


def version_row(version: Version) -> dict[str, Any]:
    """A version as a row of `documents`."""
    return {
        "key": document_key(version.tenant_id, version.document_id, version.number),
        "tenant_id": version.tenant_id,
        "document_id": version.document_id,
        "version": version.number,
        "source": version.source,
        "source_key": version.source_key,
        "rule_id": version.rule_id,
        "language": version.language,
        "content_hash": version.content_hash,
        "metadata_hash": metadata_hash(version.metadata),
        "observed_at": version.observed_at,
        "chunk_ids": list(version.chunk_ids),
        "metadata": _metadata_json(version.metadata),
        "text": version.canonical.text,
        "structure": _structure_json(version.canonical),
    }


def version_from_row(row: Mapping[str, Any]) -> Version:
    """The inverse of `version_row`."""
    blocks, sections = json.loads(row["structure"])
    canonical = CanonicalText(
        row["text"],
        tuple(
            BlockSpan(BlockKind(k), s, e, n, level, page, table, label, tuple((a, b) for a, b in cells))
            for k, s, e, n, level, page, table, label, cells in blocks
        ),
        tuple(Section(i, tuple(path), s, e) for i, path, s, e in sections),
    )
    return Version(
        tenant_id=row["tenant_id"],
        document_id=row["document_id"],
        number=row["version"],
        source=row["source"],
        source_key=row["source_key"],
        metadata=metadata_from_json(row["metadata"]),
        canonical=canonical,
        rule_id=row["rule_id"],
        language=row["language"],
        content_hash=row["content_hash"],
        observed_at=row["observed_at"],
        chunk_ids=tuple(row["chunk_ids"]),
    )


def chunk_rows(version: Version, chunks: Sequence[EmbeddedChunk], seq: int, schema: pa.Schema) -> pa.Table:
    """The chunks of one version as rows of `chunks`."""
    m = version.metadata
    rows = []
    for embedded in chunks:
        chunk = embedded.chunk
        rows.append(
            {
                "key": chunk_key(version.tenant_id, chunk.chunk_id),
                "seq": seq,
                "tenant_id": version.tenant_id,
                "chunk_id": chunk.chunk_id,
                "document_id": version.document_id,
                "document_version": version.number,
                "source": version.source,
                "rule_id": version.rule_id,
                "uri": m.uri,
                "title": m.title,
                "section_path": list(chunk.section_path),
                "page": chunk.page,
                "language": chunk.language,
                "start": chunk.start,
                "end": chunk.end,
                "text": chunk.text,
                "context": chunk.context,
                "about": chunk.about,
                "header": list(chunk.header or ()),
                "sentences": [offset for span in chunk.sentences for offset in span],
                "sentence_vectors": quantise(embedded.sentence_vectors),
                "word_vectors": embedded.word_vectors,
                "modified_at": m.modified_at,
                "valid_from": m.valid_from,
                "valid_until": m.valid_until,
                "status": m.status.value,
                "superseded": m.is_superseded,
                "owner": m.owner,
                "show_quotes": m.show_quotes,
                "content_hash": text_hash(chunk.text),
                "vector": embedded.vector.tolist(),
            }
        )
        rows[-1]["card"] = card_of(rows[-1])
    return pa.Table.from_pylist(rows, schema=schema)


def card_of(row: Mapping[str, Any]) -> str:
    """The card of a row of `chunks`."""
    said = {name: _plain(row[name]) for name in _ON_CARD}
    return json.dumps(said, ensure_ascii=False, separators=(",", ":"))


def tombstone_rows(tenant_id: str, chunk_ids: Sequence[str], seq: int, schema: pa.Schema) -> pa.Table:
    """Rows that take the place of chunks that are gone: no text, no vector, a rule that nobody satisfies."""
    rows = [
        {"key": chunk_key(tenant_id, c), "seq": seq, "tenant_id": tenant_id, "chunk_id": c, "rule_id": TOMBSTONE_RULE}
        | {"document_id": "", "text": "", "context": ""}
        for c in chunk_ids
    ]
    return pa.Table.from_pylist(rows, schema=schema)


def passage_from_row(row: Mapping[str, Any]) -> Passage:
    """A row of `chunks` as a passage without scores."""
    offsets = row["sentences"] or []
    header = row["header"] or []
    return Passage(
        chunk_id=row["chunk_id"],
        tenant_id=row["tenant_id"],
        document_id=row["document_id"],
        document_version=row["document_version"],
        rule_id=row["rule_id"],
        source=row["source"],
        uri=row["uri"],
        title=row["title"],
        section_path=tuple(row["section_path"] or ()),
        page=row["page"],
        language=row["language"],
        start=row["start"],
        end=row["end"],
        text=row["text"],
        context=row["context"],
        sentences=tuple(zip(offsets[::2], offsets[1::2], strict=True)),
        header=(header[0], header[1]) if header else None,
        modified_at=row["modified_at"],
        valid_from=row["valid_from"],
        valid_until=row["valid_until"],
        status=DocumentStatus(row["status"]),
        owner=row["owner"],
        show_quotes=row["show_quotes"],
        content_hash=row["content_hash"],
        superseded=row["superseded"],
    )


def passage_from_card(row: Mapping[str, Any]) -> Passage:
    """A passage from the `CARD_COLUMNS` of its row."""
    said = json.loads(row["card"])
    for name in ("valid_from", "valid_until"):
        said[name] = dt.date.fromisoformat(said[name]) if said[name] else None
    said["modified_at"] = dt.datetime.fromisoformat(said["modified_at"]) if said["modified_at"] else None
    return passage_from_row({**said, **row})


def quantise(vectors: Vector) -> bytes:
    """Pack (s, d) vectors as int8, each scaled to its own largest component; only directions matter."""
    if not len(vectors):
        return b""
    peak = np.abs(vectors).max(axis=1, keepdims=True)
    return bytes(np.rint(vectors / np.maximum(peak, 1e-12) * 127).astype(np.int8).tobytes())


def dequantise(packed: bytes, dimension: int) -> Vector:
    """The inverse of `quantise`, L2-normalised: (s, d) float32."""
    vectors = np.frombuffer(packed, np.int8).reshape(-1, dimension).astype(np.float32)
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    normalised: Vector = vectors / np.maximum(norms, 1e-12)
    return normalised


def _metadata_json(metadata: Metadata) -> str:
    return json.dumps({k: _plain(v) for k, v in asdict(metadata).items()}, ensure_ascii=False, sort_keys=True)


def _plain(value: object) -> object:
    return value.isoformat() if isinstance(value, dt.date) else value


NO_METADATA = _metadata_json(Metadata(""))
NO_STRUCTURE = "[[],[]]"
"""What is left of a version that was forgotten."""


def metadata_from_json(text: str) -> Metadata:
    """Read back what `version_row` wrote."""
    raw = json.loads(text)
    for name in ("valid_from", "valid_until"):
        raw[name] = dt.date.fromisoformat(raw[name]) if raw[name] else None
    raw["modified_at"] = dt.datetime.fromisoformat(raw["modified_at"]) if raw["modified_at"] else None
    raw["status"] = DocumentStatus(raw["status"])
    raw["breadcrumbs"] = tuple(raw["breadcrumbs"])
    raw["labels"] = tuple(raw["labels"])
    raw["replaces"] = tuple(raw.get("replaces", ()))
    return Metadata(**raw)


def _structure_json(canonical: CanonicalText) -> str:
    blocks = [
        [b.kind.value, b.start, b.end, b.section, b.level, b.page, b.table, b.label, b.cells] for b in canonical.blocks
    ]
    sections = [[s.index, s.path, s.start, s.end] for s in canonical.sections]
    return json.dumps([blocks, sections], ensure_ascii=False, separators=(",", ":"))
