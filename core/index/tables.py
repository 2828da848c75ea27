"""The LanceDB tables: opening, and every write.

Order of writes for one document: its rule, its immutable version, then the one commit to `chunks` that makes the
version current. A crash between them leaves the old version current and the next sync writes again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from core.access.rulebook import RuleBook
from core.domain.access import AccessRule
from core.domain.document import Version
from core.errors import ModelError, StorageError
from core.index.lance import Bitmap, BTree, col, lancedb, lit
from core.index.schema import (
    DOCUMENTS,
    RULES,
    TOMBSTONE_RULE,
    EmbeddedChunk,
    chunk_rows,
    chunks_schema,
    document_key,
    tombstone_rows,
    version_from_row,
    version_row,
)

MODEL_KEY = b"testigo.model"


@dataclass(frozen=True, slots=True)
class Head:
    """What is known of a document's latest written version, without its text."""

    document_id: str
    version: int
    source_key: str
    rule_id: int
    content_hash: str
    metadata_hash: str
    current: bool
    """Whether the chunks table points at this version; false after a crash or a removal."""


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """What a re-ingest needs of a chunk that is in the table."""

    chunk_id: str
    text: str
    context: str
    vector: Any
    sentence_vectors: bytes


class Tables:
    """The tables of one index. One process writes at a time; any number read."""

    def __init__(self, location: str, *, dimension: int, model_id: str) -> None:
        """Open the index at a folder, `s3://…` or `db://…`, making the tables that are missing.

        Raises:
            StorageError: the index cannot be opened.
            ModelError: it was built with another embedding model.
        """
        self.location = location
        self.dimension = dimension
        self.model_id = model_id
        try:
            self._database = lancedb.connect(location)
            names = set(self._database.list_tables().tables)
            self.documents = self._open("documents", DOCUMENTS, names)
            self.rules = self._open("access_rules", RULES, names)
            self.chunks = self._open("chunks", chunks_schema(dimension, model_id), names)
        except (OSError, RuntimeError, ValueError) as error:
            raise StorageError(
                f"The index at {location} cannot be opened ({type(error).__name__}): check that the place exists, "
                "that it can be written to, and that the disk is not full."
            ) from error
        stored = (self.chunks.schema.metadata or {}).get(MODEL_KEY, b"").decode()
        if stored != model_id:
            raise ModelError(
                f"The index was built with the model {stored!r}, the settings name {model_id!r}: set the old model "
                "again, or delete the index folder and run `testigo sync --full`."
            )

    def _open(self, name: str, schema: pa.Schema, names: set[str]) -> Any:
        if name in names:
            return self._database.open_table(name)
        return self._database.create_table(name, schema=schema)

    # -- reading ------------------------------------------------------------------------------------------------

    def refresh(self) -> int:
        """Look at what other processes have committed; the version of the chunks table."""
        for table in (self.rules, self.documents, self.chunks):
            table.checkout_latest()
        return int(self.chunks.version)

    def pinned(self, version: int) -> Any:
        """A handle of the chunks table that stays at one version."""
        handle = self._database.open_table("chunks")
        handle.checkout(version)
        return handle

    def rulebook(self, tenant_id: str) -> RuleBook:
        """The interned rules of a tenant."""
        rows = self.rules.search().where(col("tenant_id") == lit(tenant_id)).select(["rule_id", "rule"]).to_list()
        return RuleBook(tenant_id, {row["rule_id"]: AccessRule.from_key(row["rule"]) for row in rows})

    def version(self, tenant_id: str, document_id: str, number: int) -> Version | None:
        """One version with its text, or None."""
        return self.versions([(tenant_id, document_id, number)]).get((document_id, number))

    def versions(self, wanted: Iterable[tuple[str, str, int]]) -> dict[tuple[str, int], Version]:
        """Versions with their text, by (document id, version number)."""
        keys = [document_key(*key) for key in wanted]
        if not keys:
            return {}
        rows = self.documents.search().where(col("key").isin(keys)).limit(len(keys)).to_list()
        return {(row["document_id"], row["version"]): version_from_row(row) for row in rows}

    def heads(self, tenant_id: str, source: str | None = None) -> dict[tuple[str, str], Head]:
        """The latest version of each document of a tenant (and source), by (source, source key)."""
        mine = col("tenant_id") == lit(tenant_id)
        if source is not None:
            mine = mine & (col("source") == lit(source))
        columns = [
            "document_id", "version", "source", "source_key", "rule_id", "content_hash", "metadata_hash",
        ]  # fmt: skip
        rows = self.documents.search().where(mine).select(columns).to_list()
        current = self.current_versions(tenant_id)
        heads: dict[tuple[str, str], Head] = {}
        for row in sorted(rows, key=lambda r: r["version"]):
            heads[row["source"], row["source_key"]] = Head(
                document_id=row["document_id"],
                version=row["version"],
                source_key=row["source_key"],
                rule_id=row["rule_id"],
                content_hash=row["content_hash"],
                metadata_hash=row["metadata_hash"],
                current=current.get(row["document_id"]) == row["version"],
            )
        return heads

    def current_versions(self, tenant_id: str) -> dict[str, int]:
        """The version that is served of each document of a tenant."""
        live = (col("tenant_id") == lit(tenant_id)) & (col("rule_id") != lit(TOMBSTONE_RULE))
        table = self.chunks.search().where(live).select(["document_id", "document_version"]).to_arrow()
        return dict(zip(table["document_id"].to_pylist(), table["document_version"].to_pylist(), strict=True))

    def document_ids(self, tenant_id: str) -> set[str]:
        """Every document id that was ever given in a tenant; none is given again."""
        rows = self.documents.search().where(col("tenant_id") == lit(tenant_id)).select(["document_id"]).to_arrow()
        return set(rows["document_id"].to_pylist())

    def chunk_ids(self, tenant_id: str, document_id: str) -> set[str]:
        """Every chunk id that the stored versions of a document have had."""
        mine = (col("tenant_id") == lit(tenant_id)) & (col("document_id") == lit(document_id))
        rows = self.documents.search().where(mine).select(["chunk_ids"]).to_list()
        return {chunk_id for row in rows for chunk_id in row["chunk_ids"]}

    def stored_chunks(self, tenant_id: str, document_id: str) -> list[StoredChunk]:
        """The live chunks of a document, in reading order."""
        mine = (col("tenant_id") == lit(tenant_id)) & (col("document_id") == lit(document_id))
        columns = ["chunk_id", "start", "text", "context", "vector", "sentence_vectors"]
        rows = self.chunks.search().where(mine).select(columns).to_list()
        return [
            StoredChunk(r["chunk_id"], r["text"], r["context"], r["vector"], r["sentence_vectors"])
            for r in sorted(rows, key=lambda r: r["start"])
        ]

    def next_seq(self) -> int:
        """The number of the next commit to `chunks`."""
        return int(self.chunks.version) + 1

    def commits_after(self, seq: int) -> int:
        """How many rows of `chunks` were written by commits later than `seq`."""
        return int(self.chunks.count_rows((col("seq") > lit(seq)).to_sql()))

    def counts(self, tenant_id: str) -> tuple[int, int]:
        """How many documents and chunks of a tenant are served."""
        live = (col("tenant_id") == lit(tenant_id)) & (col("rule_id") != lit(TOMBSTONE_RULE))
        return len(self.current_versions(tenant_id)), int(self.chunks.count_rows(live.to_sql()))

    # -- writing ------------------------------------------------------------------------------------------------

    def intern_rules(self, tenant_id: str, rules: Iterable[AccessRule]) -> dict[AccessRule, int]:
        """Give each distinct rule its id, for good. Ids are never used again, also not in another tenant."""
        wanted = {rule.key(): rule for rule in rules}
        rows = self.rules.search().select(["tenant_id", "rule_id", "rule"]).to_list()
        known = {row["rule"]: int(row["rule_id"]) for row in rows if row["tenant_id"] == tenant_id}
        free = max((int(row["rule_id"]) for row in rows), default=0) + 1
        new = [key for key in wanted if key not in known]
        known |= {key: free + i for i, key in enumerate(new)}
        if new:
            rows = [{"tenant_id": tenant_id, "rule_id": known[key], "rule": key} for key in new]
            self._guarded(lambda: self.rules.add(pa.Table.from_pylist(rows, schema=RULES)))
        return {rule: known[key] for key, rule in wanted.items()}

    def write_versions(self, versions: Sequence[Version]) -> None:
        """Write immutable versions. Written again after a crash, a version replaces its own earlier row."""
        if not versions:
            return
        table = pa.Table.from_pylist([version_row(v) for v in versions], schema=DOCUMENTS)
        self._guarded(
            lambda: (
                self.documents.merge_insert("key")
                .when_matched_update_all()
                .when_not_matched_insert_all()
                .execute(table)
            )
        )

    def commit_chunks(
        self,
        tenant_id: str,
        written: Sequence[tuple[Version, Sequence[EmbeddedChunk]]],
        gone: Sequence[str] = (),
    ) -> None:
        """Make versions current, in one commit: their chunks in, tombstones for the chunk ids that are gone.

        Readers see all of it or nothing.
        """
        schema = self.chunks.schema
        seq = self.next_seq()
        parts = [chunk_rows(version, chunks, seq, schema) for version, chunks in written]
        if gone:
            parts.append(tombstone_rows(tenant_id, gone, seq, schema))
        table = pa.concat_tables(parts) if parts else None
        if table is None or table.num_rows == 0:
            return
        if len(set(table["key"].to_pylist())) != table.num_rows:
            raise StorageError("Two chunks of one commit have the same id: nothing was written. Please report this.")
        self._guarded(
            lambda: (
                self.chunks.merge_insert("key")
                .when_matched_update_all()
                .when_not_matched_insert_all()
                .execute(table, on_bad_vectors="null")
            )
        )

    def ensure_indexes(self) -> None:
        """Make the scalar indexes that the filters use. Never over an empty table: Lance would not find its rows."""
        for table, column, config in (
            (self.chunks, "key", BTree()),
            (self.chunks, "document_id", BTree()),
            (self.chunks, "seq", BTree()),
            (self.chunks, "rule_id", Bitmap()),
            (self.documents, "key", BTree()),
        ):
            have = {name for index in table.list_indices() for name in index.columns}
            if column not in have and table.count_rows() > 0:
                table.create_index(column, config=config)

    def optimize(self) -> None:
        """Compact the tables and bring their indexes up to date."""
        for table in (self.chunks, self.documents, self.rules):
            table.optimize()

    def _guarded(self, write: Any) -> None:
        try:
            write()
        except (OSError, RuntimeError) as error:
            raise StorageError(
                f"The index at {self.location} cannot be written ({type(error).__name__}): check that the disk is "
                "not full. What was there before is unchanged."
            ) from error


def index_exists(location: str) -> bool:
    """Whether a folder holds an index already (true for addresses, which cannot be looked at cheaply)."""
    return "://" in location or (Path(location) / "chunks.lance").exists()
