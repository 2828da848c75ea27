"""The LanceDB tables: opening, and every write.

Order of writes for one document: its rule, its immutable version, then the one commit to `chunks` that makes the
version current. A crash between them leaves the old version current and the next sync writes again.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
from filelock import FileLock

from core.access.rulebook import RuleBook
from core.domain.access import AccessRule
from core.domain.document import Metadata, Version
from core.embedding.vectors import check_vectors
from core.errors import ModelError, StorageError
from core.index.generations import Serving, read_serving
from core.index.lance import Bitmap, BTree, Expr, IvfRq, col, lancedb, lit
from core.index.schema import (
    DOCUMENTS,
    NO_METADATA,
    NO_STRUCTURE,
    RULES,
    TOMBSTONE_RULE,
    EmbeddedChunk,
    chunk_rows,
    chunks_schema,
    document_key,
    metadata_from_json,
    tombstone_rows,
    version_from_row,
    version_row,
)

MODEL_KEY = b"testigo.model"
ADDED_LATER = (pa.field("word_vectors", pa.binary()), pa.field("about", pa.string()), pa.field("card", pa.string()))
"""Columns of `chunks` that the first indexes did not have."""
REMEMBERED_FILTERS = 256
VECTOR_INDEX_ROWS = 50_000
"""A table with fewer rows is searched exactly, in some 60 ms at most."""
PARTITION_ROWS = 1_000
"""Rows in each part of a vector index. Lance's own 8,192 take four times as long to search as well."""
VECTOR_INDEX_DELTAS = 8
"""Each `optimize` adds a part to the vector index; after so many it is built anew."""

FORGOTTEN_AT_ONCE = 500
FRAGMENT_ROWS = 1_000_000
NEVER = dt.timedelta(days=36_500)
MARGIN = dt.timedelta(seconds=5)
"""Longer than Lance takes from being asked until it looks at the clock."""
BLOATED = 1.5
SMALL_BYTES = 1_000_000
WORN_COMMITS = 20
WORN_ROWS = 1_500
"""Commits and rows after which a small table is optimised; larger ones later (see `Tables.is_worn`)."""


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
    served: int | None = None
    """The version that the chunks table points at; None after a removal, or before the first one is complete."""


@dataclass(frozen=True, slots=True)
class VersionRecord:
    """A version as its history lists it: without its text."""

    tenant_id: str
    document_id: str
    number: int
    source: str
    source_key: str
    metadata: Metadata
    rule_id: int
    content_hash: str
    observed_at: dt.datetime


@dataclass(frozen=True, slots=True)
class VersionStamp:
    """That a version is, and since when; `has_text` is false once it was forgotten."""

    document_id: str
    number: int
    observed_at: dt.datetime
    has_text: bool


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """What a re-ingest needs of a chunk that is in the table."""

    chunk_id: str
    text: str
    context: str
    vector: Any
    sentence_vectors: bytes
    word_vectors: bytes = b""
    about: str = ""


def documents_by_source(chunks: Any, where: Expr) -> dict[str, int]:
    """How many documents of each source have rows that a filter lets through; sources without any are left out."""
    rows = chunks.search().where(where).select(["source", "document_id"]).to_arrow()
    documents = rows.group_by(["source", "document_id"]).aggregate([])
    counts = documents.group_by("source").aggregate([("document_id", "count")])
    return dict(zip(counts["source"].to_pylist(), counts["document_id_count"].to_pylist(), strict=True))


class Tables:
    """The tables of one index. One process writes at a time; any number read."""

    def __init__(self, location: str, *, dimension: int, model_id: str, chunks: str | None = None) -> None:
        """Open the index at a folder, `s3://…` or `db://…`, making the tables that are missing.

        `chunks` names the chunks table, for a rebuild; without it, it is the one that is served, now and later.

        Raises:
            StorageError: the index cannot be opened.
            ModelError: it was built with another embedding model.
        """
        self.location = location
        self.dimension = dimension
        self.model_id = model_id
        self._visible_rows: dict[tuple[str, int, str], int] = {}
        self._follows = chunks is None
        serving = read_serving(location)
        self.chunks_table = chunks or serving.table
        """The name of the chunks table."""
        # An empty table in place of one that was taken away would say that there are no documents.
        makes = chunks is not None or serving == Serving()
        try:
            self._database = lancedb.connect(location)
            with _making(location, self.chunks_table):
                names = set(self._database.list_tables().tables)
                self.documents = self._open("documents", DOCUMENTS, names)
                self.rules = self._open("access_rules", RULES, names)
                known = names if makes else {self.chunks_table}
                self.chunks = self._open(self.chunks_table, chunks_schema(dimension, model_id), known)
            for field in ADDED_LATER:
                if field.name not in self.chunks.schema.names:  # an index from before it: nothing is stored there
                    self.chunks.add_columns(field)
        except (OSError, RuntimeError, ValueError) as error:
            raise StorageError(
                f"The index at {location} cannot be opened ({type(error).__name__}): check that the place exists, "
                "that it can be written to, and that the disk is not full."
            ) from error
        stored = (self.chunks.schema.metadata or {}).get(MODEL_KEY, b"").decode()
        if stored != model_id:
            raise ModelError(
                f"The index was built with the model {stored!r}, the settings name {model_id!r}: run `testigo sync "
                "--rebuild`, which computes the vectors anew beside the old ones and then swaps, or set the old model."
            )

    @classmethod
    def as_stored(cls, location: str) -> Tables:
        """Open an index as it is, whatever model it was built with: to look at, without loading one.

        Raises:
            StorageError: there is no index, or it cannot be opened.
        """
        try:
            schema = lancedb.connect(location).open_table(read_serving(location).table).schema
        except (OSError, RuntimeError, ValueError) as error:
            raise StorageError(f"There is no index at {location} that can be opened: run testigo sync.") from error
        model_id = (schema.metadata or {}).get(MODEL_KEY, b"").decode()
        return cls(location, dimension=schema.field("vector").type.list_size, model_id=model_id)

    def _open(self, name: str, schema: pa.Schema, names: set[str]) -> Any:
        if name in names:
            return self._database.open_table(name)
        return self._database.create_table(name, schema=schema)

    # -- reading ------------------------------------------------------------------------------------------------

    def refresh(self) -> int:
        """Look at what other processes have committed; the version of the chunks table.

        Raises:
            ModelError: another process has rebuilt the index with another model, and written to it since.
        """
        self._follow()
        for table in (self.rules, self.documents, self.chunks):
            table.checkout_latest()
        return int(self.chunks.version)

    def _follow(self) -> None:
        """Serve the table that a rebuild has put in place of ours, if its vectors are of our model.

        If not, ours says the same until something is written to the new one; from then on who may read what would be
        out of date in ours, and nothing is read from it any more.
        """
        if not self._follows or (serving := read_serving(self.location)).table == self.chunks_table:
            return
        new = self._database.open_table(serving.table)
        if serving.model_id == self.model_id:
            self.chunks, self.chunks_table = new, serving.table
        elif int(new.version) != serving.version or not serving.keeps(self.chunks_table):
            raise self._restart_needed(serving)

    def check_is_served(self) -> None:
        """Make sure that what is written to these tables is what questions are answered from.

        Raises:
            ModelError: another process has rebuilt the index with another model.
        """
        serving = read_serving(self.location)
        if self._follows and serving.table != self.chunks_table:
            raise self._restart_needed(serving)

    def _restart_needed(self, serving: Serving) -> ModelError:
        return ModelError(
            f"The index was rebuilt with the model {serving.model_id!r}, and this process still has {self.model_id!r}: "
            "start it again with the settings of the new model."
        )

    def pinned(self, version: int) -> Any:
        """A handle of the chunks table that stays at one version."""
        handle = self._database.open_table(self.chunks_table)
        handle.checkout(version)
        return handle

    def visible_rows(self, pinned: Any, where: str) -> int:
        """How many rows of a pinned version a filter lets through; remembered for the last questions."""
        key = (str(pinned.name), int(pinned.version), where)
        count = self._visible_rows.get(key)
        if count is None:
            count = int(pinned.count_rows(where))
            if len(self._visible_rows) >= REMEMBERED_FILTERS:
                self._visible_rows.clear()
            self._visible_rows[key] = count
        return count

    def chunk_keys(self, pinned: Any, tenant_id: str, document_ids: Iterable[str]) -> frozenset[str]:
        """The keys of the chunks of documents, at a pinned version."""
        where = (col("tenant_id") == lit(tenant_id)) & col("document_id").isin(sorted(document_ids))
        return frozenset(pinned.search().where(where).select(["key"]).to_arrow()["key"].to_pylist())

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
        """The latest version of each document of a tenant (and source), by (source, source key).

        A document that moved stands under its new key only.
        """
        mine = col("tenant_id") == lit(tenant_id)
        if source is not None:
            mine = mine & (col("source") == lit(source))
        columns = [
            "document_id", "version", "source", "source_key", "rule_id", "content_hash", "metadata_hash",
        ]  # fmt: skip
        rows = self.documents.search().where(mine).select(columns).to_list()
        current = self.current_versions(tenant_id)
        latest = {row["document_id"]: row for row in sorted(rows, key=lambda r: r["version"])}
        heads: dict[tuple[str, str], Head] = {}
        for row in latest.values():
            served = current.get(row["document_id"])
            head = Head(
                document_id=row["document_id"],
                version=row["version"],
                source_key=row["source_key"],
                rule_id=row["rule_id"],
                content_hash=row["content_hash"],
                metadata_hash=row["metadata_hash"],
                current=served == row["version"],
                served=served,
            )
            other = heads.get((row["source"], row["source_key"]))
            # A key that was left and taken anew has two documents: the one that is served is its document.
            if other is None or other.served is None:
                heads[row["source"], row["source_key"]] = head
        return heads

    def current_versions(self, tenant_id: str, document_ids: Collection[str] | None = None) -> dict[str, int]:
        """The version that is served of each document of a tenant, or of some of them; what is not served is left out.

        Few documents are found by their index, without a look at every chunk.
        """
        live = (col("tenant_id") == lit(tenant_id)) & (col("rule_id") != lit(TOMBSTONE_RULE))
        if document_ids is not None:
            if not document_ids:
                return {}
            live = col("document_id").isin(sorted(document_ids)) & live
        table = self.chunks.search().where(live).select(["document_id", "document_version"]).to_arrow()
        # Grouped in Arrow: a million chunks would make two million Python objects.
        grouped = table.group_by("document_id").aggregate([("document_version", "max")])
        return dict(zip(grouped["document_id"].to_pylist(), grouped["document_version_max"].to_pylist(), strict=True))

    def served_rules(self, tenant_id: str, document_ids: Collection[str]) -> dict[str, frozenset[int]]:
        """The rules that the chunks of documents are served under; what is not served is left out."""
        where = col("document_id").isin(sorted(document_ids)) & (col("tenant_id") == lit(tenant_id))
        found: dict[str, set[int]] = {}
        for row in self.chunks.search().where(where).select(["document_id", "rule_id"]).to_list():
            if row["rule_id"] != TOMBSTONE_RULE:
                found.setdefault(row["document_id"], set()).add(row["rule_id"])
        return {document_id: frozenset(rules) for document_id, rules in found.items()}

    def served_by_source(self, tenant_id: str) -> dict[str, int]:
        """How many documents of each source are served."""
        live = (col("tenant_id") == lit(tenant_id)) & (col("rule_id") != lit(TOMBSTONE_RULE))
        return documents_by_source(self.chunks, live)

    def document_ids(self, tenant_id: str) -> set[str]:
        """Every document id that was ever given in a tenant; none is given again."""
        rows = self.documents.search().where(col("tenant_id") == lit(tenant_id)).select(["document_id"]).to_arrow()
        return set(rows["document_id"].to_pylist())

    def history(self, tenant_id: str, document_id: str) -> list[VersionRecord]:
        """Every version of a document, oldest first; empty where there is no such document."""
        mine = (col("tenant_id") == lit(tenant_id)) & (col("document_id") == lit(document_id))
        return sorted(self._records(mine), key=lambda record: record.number)

    def document_at(self, tenant_id: str, source: str, key: str) -> str | None:
        """The id of the document that was last seen under a key of a source."""
        there = (col("tenant_id") == lit(tenant_id)) & (col("source") == lit(source)) & (col("source_key") == lit(key))
        found = self._records(there)
        return max(found, key=lambda record: (record.observed_at, record.number)).document_id if found else None

    def records(self, wanted: Iterable[tuple[str, str, int]]) -> dict[str, VersionRecord]:
        """Versions without their text, by document id."""
        keys = [document_key(*key) for key in wanted]
        return {record.document_id: record for record in self._records(col("key").isin(keys))} if keys else {}

    def _records(self, where: Expr) -> list[VersionRecord]:
        columns = [
            "tenant_id", "document_id", "version", "source", "source_key", "metadata", "rule_id", "content_hash",
            "observed_at",
        ]  # fmt: skip
        return [
            VersionRecord(
                tenant_id=row["tenant_id"],
                document_id=row["document_id"],
                number=row["version"],
                source=row["source"],
                source_key=row["source_key"],
                metadata=metadata_from_json(row["metadata"]),
                rule_id=row["rule_id"],
                content_hash=row["content_hash"],
                observed_at=row["observed_at"],
            )
            for row in self.documents.search().where(where).select(columns).to_list()
        ]

    def version_stamps(self, tenant_id: str) -> list[VersionStamp]:
        """Every version of a tenant's documents, in no order."""
        columns = ["document_id", "version", "observed_at", "content_hash"]
        rows = self.documents.search().where(col("tenant_id") == lit(tenant_id)).select(columns).to_list()
        return [VersionStamp(r["document_id"], r["version"], r["observed_at"], bool(r["content_hash"])) for r in rows]

    def chunk_ids(self, tenant_id: str, document_id: str) -> set[str]:
        """Every chunk id that the stored versions of a document have had."""
        mine = (col("tenant_id") == lit(tenant_id)) & (col("document_id") == lit(document_id))
        rows = self.documents.search().where(mine).select(["chunk_ids"]).to_list()
        return {chunk_id for row in rows for chunk_id in row["chunk_ids"]}

    def stored_chunks(self, tenant_id: str, document_id: str) -> list[StoredChunk]:
        """The live chunks of a document, in reading order."""
        mine = (col("tenant_id") == lit(tenant_id)) & (col("document_id") == lit(document_id))
        columns = ["chunk_id", "start", "text", "context", "vector", "sentence_vectors", "word_vectors", "about"]
        rows = self.chunks.search().where(mine).select(columns).to_list()
        return [
            StoredChunk(
                r["chunk_id"],
                r["text"],
                r["context"],
                r["vector"],
                r["sentence_vectors"],
                r["word_vectors"] or b"",
                r["about"] or "",
            )
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

    def known_rules(self, tenant_id: str) -> dict[AccessRule, int]:
        """The rules that have an id already."""
        rows = self.rules.search().where(col("tenant_id") == lit(tenant_id)).select(["rule_id", "rule"]).to_list()
        return {AccessRule.from_key(row["rule"]): int(row["rule_id"]) for row in rows}

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

        Raises:
            ModelError: a vector is not a number or has another dimension; nothing was written.
        """
        # Lance would write a bad vector as null, and the chunk would never be found again.
        for embedded in (embedded for _, chunks in written for embedded in chunks):
            check_vectors(embedded.vector[None, :], self.dimension, self.model_id)
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
        self.upsert_chunks(table)

    def upsert_chunks(self, table: pa.Table) -> None:
        """Write rows of `chunks` in one commit, each in place of the one with its key."""
        self._guarded(
            lambda: (
                self.chunks.merge_insert("key")
                .when_matched_update_all()
                .when_not_matched_insert_all()
                .execute(table, on_bad_vectors="null")
            )
        )

    def commit_access(self, versions: Sequence[Version]) -> None:
        """Make versions current of which only the rule differs from the ones before: no vector is computed or sent.

        One commit for each pair of rule and version number, so that each document changes in one.
        """
        groups: dict[tuple[str, int, int], list[str]] = {}
        for version in versions:
            groups.setdefault((version.tenant_id, version.rule_id, version.number), []).append(version.document_id)
        for (tenant_id, rule_id, number), document_ids in groups.items():
            # Tombstones have no document id; said twice, since one that came back would be read by whom it names.
            live = (
                (col("tenant_id") == lit(tenant_id))
                & col("document_id").isin(document_ids)
                & (col("rule_id") != lit(TOMBSTONE_RULE))
            )
            values = {"rule_id": rule_id, "document_version": number, "seq": self.next_seq()}
            self._guarded(lambda where=live, values=values: self.chunks.update(where, values))

    def forget_versions(self, tenant_id: str, versions: Sequence[tuple[str, int]]) -> None:
        """Delete the text and metadata of versions (document id, number) that are not served.

        Their rows stay, with the ids of their chunks, so that no id and no number is ever given again.
        """
        keys = [document_key(tenant_id, *version) for version in versions]
        nothing = {
            "text": "",
            "structure": NO_STRUCTURE,
            "metadata": NO_METADATA,
            "content_hash": "",
            "metadata_hash": "",
        }
        for at in range(0, len(keys), FORGOTTEN_AT_ONCE):
            where = col("key").isin(keys[at : at + FORGOTTEN_AT_ONCE])
            self._guarded(lambda where=where: self.documents.update(where, nothing))

    def ensure_indexes(self) -> None:
        """Make the scalar indexes that the filters use. Never over an empty table: Lance would not find its rows."""
        for table, column, config in (
            (self.chunks, "key", BTree()),
            (self.chunks, "document_id", BTree()),
            (self.chunks, "seq", BTree()),
            (self.chunks, "rule_id", Bitmap()),
            (self.chunks, "tenant_id", Bitmap()),
            (self.documents, "key", BTree()),
            (self.documents, "document_id", BTree()),
        ):
            if column not in _indexed(table) and table.count_rows() > 0:
                table.create_index(column, config=config)
        self._ensure_vector_index()

    def _ensure_vector_index(self) -> None:
        """Make or renew the vector index of a large table; small ones are searched exactly, which is as quick.

        IVF_RQ: of the indexes that were tried, the one with recall above .97 that is built in seconds.
        """
        rows = int(self.chunks.count_rows())
        if rows < VECTOR_INDEX_ROWS:
            return
        stale = False
        if (name := _indexed(self.chunks).get("vector")) is not None:
            stats = self.chunks.index_stats(name)
            stale = stats is not None and (stats.num_indices or 1) >= VECTOR_INDEX_DELTAS
        if name is None or stale:
            # Searched with the same distance: an index of another is passed over silently.
            self.chunks.create_index(
                "vector", config=IvfRq(distance_type="dot", num_partitions=max(1, rows // PARTITION_ROWS))
            )

    def optimize(self, keep: dt.timedelta | None = None) -> None:
        """Compact the tables and bring their indexes up to date.

        Args:
            keep: how long after its successor Lance's own old version of a table stays, for readers that began with
                it; by default for good. Document versions are rows, and stay.
        """
        for table in (self.chunks, self.documents, self.rules):
            table.optimize(cleanup_older_than=NEVER)
            if keep is not None:
                _let_go(table, keep)

    def is_bloated(self, keep: dt.timedelta) -> bool:
        """Whether a local index takes twice the space of what is in it, and `optimize` could let some of it go."""
        if "://" in self.location:
            return False
        tables = (self.chunks, self.documents)
        if not any(len(_settled(table, keep)) > 1 for table in tables):
            return False
        live = sum(int(table.stats()["total_bytes"]) for table in tables)
        folders = [Path(self.location) / f"{name}.lance" for name in (self.chunks_table, "documents")]
        taken = sum(path.stat().st_size for folder in folders for path in folder.rglob("*") if path.is_file())
        return taken > BLOATED * live + SMALL_BYTES

    def is_worn(self) -> bool:
        """Whether so much was written since the last `optimize` that another is due: the larger, the later."""
        return any(_is_worn(table) for table in (self.chunks, self.documents))

    def purge_tombstones(self, seq: int) -> None:
        """Drop the tombstones that the lexical index, which has read up to the commit `seq`, needs no more."""
        read = (col("rule_id") == lit(TOMBSTONE_RULE)) & (col("seq") <= lit(seq))
        if self.chunks.count_rows(read.to_sql()):
            self._guarded(lambda: self.chunks.delete(read.to_sql()))

    def _guarded(self, write: Any) -> None:
        try:
            write()
        except (OSError, RuntimeError) as error:
            raise StorageError(
                f"The index at {self.location} cannot be written ({type(error).__name__}): check that the disk is "
                "not full. What was there before is unchanged."
            ) from error


@contextmanager
def _making(location: str, chunks: str) -> Iterator[None]:
    """Keep two processes from making the tables of a new local index at once: one would meet half of the other's."""
    if "://" in location or (Path(location) / f"{chunks}.lance" / "_versions").is_dir():
        yield
        return
    Path(location).mkdir(parents=True, exist_ok=True)
    with FileLock(str(Path(location) / "making.lock"), timeout=60):
        yield


def _let_go(table: Any, keep: dt.timedelta) -> None:
    """Drop Lance's own versions whose successor is older than `keep`. To be called when nothing is to be compacted.

    Lance goes by when a version was made. That alone would take the version of yesterday from a reader who began with
    it a moment ago, just before today's first commit: so the one that was the latest `keep` ago stays, too.
    """
    settled = _settled(table, keep)
    if len(settled) < 2:
        return
    latest_is_settled = len(settled) == len(table.list_versions())  # and it is never dropped
    age = keep if latest_is_settled else dt.datetime.now(dt.UTC) - settled[-1] + MARGIN
    table.optimize(cleanup_older_than=age)


def _settled(table: Any, keep: dt.timedelta) -> list[dt.datetime]:
    """When each of Lance's versions was made, of those that are older than `keep`, in their order."""
    latest = dt.datetime.now(dt.UTC) - keep
    made = [version["timestamp"].astimezone(dt.UTC) for version in table.list_versions()]
    return sorted(moment for moment in made if moment <= latest)


def _is_worn(table: Any) -> bool:
    stats = table.stats()
    rows = int(stats["num_rows"])
    # Lance's compacted fragments hold a million rows; each commit adds one, however few rows it writes.
    pieces = int(stats["fragment_stats"]["num_fragments"]) - rows // FRAGMENT_ROWS
    if pieces > max(WORN_COMMITS, int(rows**0.5) // 10):
        return True
    name = _indexed(table).get("key")
    index = table.index_stats(name) if name is not None else None
    return index is not None and index.num_unindexed_rows > max(WORN_ROWS, rows // 50)


def _indexed(table: Any) -> dict[str, str]:
    """The columns that have an index, with the index's name."""
    return {column: index.name for index in table.list_indices() for column in index.columns}


def index_exists(location: str) -> bool:
    """Whether a folder holds an index already (true for addresses, which cannot be looked at cheaply)."""
    return "://" in location or (Path(location) / f"{read_serving(location).table}.lance").exists()
