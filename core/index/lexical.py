"""BM25 over the chunks, in tantivy. Derived from LanceDB: it remembers how far it has read, catches up, and may be
deleted at any time.

It may lag behind the table. A hit is only a name: the snapshot reads each again from the pinned LanceDB version and
drops what differs.
"""

from __future__ import annotations

import json
import math
import shutil
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tantivy
from filelock import FileLock, Timeout
from tantivy import Occur, Query

from core.domain.document import indexed_context
from core.errors import StorageError
from core.index.analysis import PLAIN, STEMMED, codes, register, terms
from core.index.generations import FIRST_TABLE
from core.index.lance import col, lit
from core.index.schema import TOMBSTONE_RULE
from core.index.spelling import may_be_a_slip, nearest
from core.index.tables import Tables

LAYOUT = 2
"""Raise it when the fields or analysers change: an index of another layout is built anew."""

CONTEXT_BOOST = 0.6
"""Title and section path say what a chunk is about, and are repeated in every chunk of the page."""
PLAIN_BOOST = 0.4
"""The unstemmed word beside its stem: codes, names and exact forms."""
CODE_BOOST = 1.0
"""A code or an address with its parts in order, on top of its parts."""
RESPELLED_BOOST = 0.5
"""A word that the asker may have meant, against one that they wrote."""
BATCH = 2000
REMEMBERED_COUNTS = 256
WRITER_BYTES = 64_000_000


@dataclass(frozen=True, slots=True)
class LexicalHit:
    """A chunk that BM25 found: its key, the commit its text was read from, and its score."""

    key: str
    seq: int
    score: float


@dataclass(frozen=True, slots=True)
class TermStatistics:
    """Document frequencies of a question's terms among what a reader may see."""

    language: str
    frequencies: dict[str, int]
    visible: int

    def idf(self, term: str) -> float:
        """BM25's inverse document frequency of a term, from visible chunks alone."""
        found = self.frequencies.get(term, 0)
        return math.log(1 + (self.visible - found + 0.5) / (found + 0.5))


class LexicalIndex:
    """One tantivy index in a local folder, for all tenants, of one chunks table."""

    def __init__(self, folder: Path, table: str = FIRST_TABLE) -> None:
        """`folder` is that of an index's first chunks table; the folders of later ones stand beside it."""
        self._first_folder = folder
        self.table = table
        self.folder = folder if table == FIRST_TABLE else folder.with_name(f"{folder.name}-{table}")
        self._lock = FileLock(f"{self.folder}.lock")
        self._index: tantivy.Index | None = None
        self._opened_seq = -1
        self._visible_counts: dict[tuple[int, int, frozenset[int], frozenset[str], frozenset[str]], int] = {}

    def of(self, table: str) -> LexicalIndex:
        """The index of a chunks table; its numbers mean nothing in another."""
        return self if table == self.table else LexicalIndex(self._first_folder, table)

    def discard(self) -> None:
        """Delete it, once nobody searches it any more."""
        shutil.rmtree(self.folder, ignore_errors=True)
        Path(f"{self.folder}.lock").unlink(missing_ok=True)

    # -- keeping up -----------------------------------------------------------------------------------------------

    @property
    def seq(self) -> int:
        """The last commit of the chunks table that is in this index; 0 when there is none."""
        return int(self._state().get("seq", 0))

    def catch_up(self, tables: Tables, *, wait: bool = True) -> bool:
        """Read what was committed since the last time; False when another process is doing so and `wait` is off."""
        try:
            with self._lock.acquire(timeout=600 if wait else 0):
                self._catch_up(tables)
        except Timeout:
            return False
        except (OSError, ValueError) as error:
            raise StorageError(
                f"The lexical index in {self.folder} cannot be written ({type(error).__name__}): check that the disk "
                "is not full; the folder may be deleted, it is built anew from the tables."
            ) from error
        return True

    def _catch_up(self, tables: Tables) -> None:
        state = self._state()
        usable = state.get("layout") == LAYOUT and state.get("seq", 0) <= tables.chunks.version
        if not usable or self._open(create=False) is None:
            shutil.rmtree(self.folder, ignore_errors=True)
            self._index = None
            state = {}
        seq = int(state.get("seq", 0))
        index = self._open(create=True)
        assert index is not None
        writer = index.writer(WRITER_BYTES, 1)
        last = seq
        for row in _rows_after(tables, seq):
            last = max(last, row["seq"])
            writer.delete_documents_by_term("key", row["key"])
            if row["rule_id"] != TOMBSTONE_RULE:
                writer.add_document(_document(row))
        if last > seq or not state:
            writer.commit()
            writer.wait_merging_threads()
            # Written after the commit: a crash between them only reads the same rows again.
            partial = self.folder / "testigo.json.partial"
            partial.write_text(json.dumps({"layout": LAYOUT, "seq": last}))
            partial.replace(self.folder / "testigo.json")
        index.reload()
        self._opened_seq = last

    def _state(self) -> dict[str, Any]:
        try:
            state = json.loads((self.folder / "testigo.json").read_text())
        except (OSError, ValueError):
            return {}
        return state if isinstance(state, dict) else {}

    def _open(self, *, create: bool) -> tantivy.Index | None:
        if self._index is None:
            if not create and not (self.folder / "testigo.json").exists():
                return None
            self.folder.mkdir(parents=True, exist_ok=True)
            try:
                index = tantivy.Index(_schema(), path=str(self.folder))
            except ValueError:
                # It has other fields than its layout says, or is damaged: as good as none until it is built anew.
                if create:
                    raise
                return None
            register(index)
            self._index = index
        return self._index

    # -- searching ------------------------------------------------------------------------------------------------

    def search(
        self,
        text: str,
        rule_ids: Collection[int],
        limit: int,
        hidden: frozenset[str] = frozenset(),
        sources: frozenset[str] = frozenset(),
        alternatives: Collection[str] = (),
    ) -> list[LexicalHit]:
        """The best chunks under these rules, without the `hidden` keys. Filtered inside the engine, before ranking.

        `sources` names those that are searched; none named, all are. `alternatives` are words that the text may mean
        (`respelled`), which count less than its own.
        """
        searcher = self._searcher()
        query = _question(text, alternatives)
        if searcher is None or query is None or not rule_ids:
            return []
        _, visible = self._shown(searcher, rule_ids, hidden, sources)
        if visible is not None:
            query = Query.boolean_query([(Occur.Must, query), (Occur.Must, visible)])
        hits = []
        for score, address in searcher.search(query, limit, count=False).hits:
            document = searcher.doc(address)
            hits.append(LexicalHit(str(document["key"][0]), int(document["seq"][0]), score))
        return hits

    def statistics(
        self,
        text: str,
        language: str,
        rule_ids: Collection[int],
        hidden: frozenset[str] = frozenset(),
        sources: frozenset[str] = frozenset(),
    ) -> TermStatistics:
        """How many visible chunks of a language hold each term of a text. Nothing hidden shows through."""
        wanted = dict.fromkeys(terms(text, language))
        searcher = self._searcher()
        if searcher is None or not rule_ids:
            return TermStatistics(language, {}, 0)
        field = _field(language)
        shown, visible = self._shown(searcher, rule_ids, hidden, sources)
        found = {term: _count(searcher, Query.term_query(_schema(), field, term), visible) for term in wanted}
        return TermStatistics(language, found, shown)

    def respelled(
        self,
        words: Collection[str],
        language: str,
        rule_ids: Collection[int],
        hidden: frozenset[str] = frozenset(),
        sources: frozenset[str] = frozenset(),
    ) -> dict[str, str]:
        """For each word that no visible chunk has, the visible word of the same language that it may be a slip of."""
        searcher = self._searcher()
        if searcher is None or not rule_ids:
            return {}
        _, visible = self._shown(searcher, rule_ids, hidden, sources)

        def holding(word: str) -> int:
            stems = terms(word, language)
            return _count(searcher, _within(stems[0], language), visible) if len(stems) == 1 else 0

        found: dict[str, str] = {}
        for term in dict.fromkeys(term for word in words for term in terms(word, PLAIN)):
            if not may_be_a_slip(term) or holding(term) or _count(searcher, _within(term, PLAIN), visible):
                continue
            known = nearest(term, _dictionary(searcher, term[0]), holding)
            if known is not None:
                found[term] = known
        return found

    def _shown(
        self, searcher: tantivy.Searcher, rule_ids: Collection[int], hidden: frozenset[str], sources: frozenset[str]
    ) -> tuple[int, Query | None]:
        """How many chunks these rules show of the sources, without the hidden keys, and the filter that does it.

        The filter is None where nothing falls through it: it would cost half of the search of a million chunks. The
        count is kept until the index moves on.
        """
        visible = _visible(rule_ids, hidden, sources)
        key = (self._opened_seq, int(searcher.num_docs), frozenset(rule_ids), hidden, sources)
        if key not in self._visible_counts:
            if len(self._visible_counts) >= REMEMBERED_COUNTS:
                self._visible_counts.clear()
            self._visible_counts[key] = _matches(searcher, visible)
        shown = self._visible_counts[key]
        return shown, visible if shown < searcher.num_docs else None

    def _searcher(self) -> tantivy.Searcher | None:
        index = self._open(create=False)
        if index is None:
            return None
        if self._opened_seq != (now := self.seq):
            index.reload()
            self._opened_seq = now
        return index.searcher()


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("key", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field("seq", stored=True)
    builder.add_unsigned_field("rule_id", indexed=True, fast=True)
    builder.add_text_field("source", tokenizer_name="raw", index_option="basic")
    for language in STEMMED:
        builder.add_text_field(_field(language), tokenizer_name=language)
        builder.add_text_field(f"context_{language}", tokenizer_name=language)
    builder.add_text_field("text_plain", tokenizer_name=PLAIN)
    builder.add_text_field("context_plain", tokenizer_name=PLAIN)
    return builder.build()


def _field(language: str) -> str:
    return f"text_{language}" if language in STEMMED else "text_plain"


def _document(row: dict[str, Any]) -> tantivy.Document:
    document = tantivy.Document()
    document.add_text("key", row["key"])
    # `add_unsigned`: an int handed to Document(...) is taken for signed and kills the writer (tantivy-py 0.27).
    document.add_unsigned("seq", row["seq"])
    document.add_unsigned("rule_id", row["rule_id"])
    document.add_text("source", row["source"])
    document.add_text("text_plain", row["text"])
    context = indexed_context(row["context"], row["about"] or "")
    document.add_text("context_plain", context)
    if row["language"] in STEMMED:
        document.add_text(_field(row["language"]), row["text"])
        document.add_text(f"context_{row['language']}", context)
    return document


def _within(term: str, language: str) -> Query:
    """Chunks that hold a term in their text or above it."""
    suffix = language if language in STEMMED else PLAIN
    held = [Query.term_query(_schema(), f"{field}_{suffix}", term) for field in ("text", "context")]
    return Query.boolean_query([(Occur.Should, query) for query in held])


def _dictionary(searcher: tantivy.Searcher, beginning: str) -> list[tuple[str, int]]:
    words: Any = searcher  # the stubs of 0.27 leave `terms_with_prefix` out
    return list(words.terms_with_prefix("text_plain", beginning))


def _rows_after(tables: Tables, seq: int) -> Iterator[dict[str, Any]]:
    columns = ["key", "seq", "rule_id", "source", "language", "text", "context", "about"]
    reader = tables.chunks.search().where(col("seq") > lit(seq)).select(columns).to_batches(BATCH)
    for batch in reader:
        yield from batch.to_pylist()


def _question(text: str, alternatives: Collection[str] = ()) -> Query | None:
    """Each term once in each field that could hold it; built as a tree, so that nothing in it is syntax."""
    schema = _schema()
    clauses = [*_terms(text, 1.0), *_terms(" ".join(alternatives), RESPELLED_BOOST)]
    # A code or an address is its parts in this order: ERR-4012 is neither 4012 nor 4012-ERR.
    clauses += [
        (Occur.Should, Query.boost_query(Query.phrase_query(schema, "text_plain", list(parts)), CODE_BOOST))
        for parts in codes(text)
    ]
    return Query.boolean_query(clauses) if clauses else None


def _terms(text: str, weight: float) -> Iterator[tuple[Occur, Query]]:
    schema = _schema()
    for suffix, language, boost in (*((name, name, 1.0) for name in STEMMED), ("plain", PLAIN, PLAIN_BOOST)):
        for term, times in Counter(terms(text, language)).items():
            for field, share in (("text", 1.0), ("context", CONTEXT_BOOST)):
                query = Query.term_query(schema, f"{field}_{suffix}", term, index_option="freq")
                yield Occur.Should, Query.boost_query(query, weight * boost * share * times)


def _visible(rule_ids: Collection[int], hidden: Collection[str], sources: Collection[str]) -> Query:
    allowed = Query.const_score_query(Query.term_set_query(_schema(), "rule_id", sorted(rule_ids)), 0.0)
    if not hidden and not sources:
        return allowed
    clauses = [(Occur.Must, allowed)]
    if sources:
        within = Query.term_set_query(_schema(), "source", sorted(sources))
        clauses.append((Occur.Must, Query.const_score_query(within, 0.0)))
    if hidden:
        clauses.append((Occur.MustNot, Query.term_set_query(_schema(), "key", sorted(hidden))))
    return Query.boolean_query(clauses)


def _count(searcher: tantivy.Searcher, term: Query, visible: Query | None) -> int:
    """How many documents hold a term, of those that a filter lets through; None lets all through."""
    if visible is None:
        return _matches(searcher, term)
    return _matches(searcher, Query.boolean_query([(Occur.Must, term), (Occur.Must, visible)]))


def _matches(searcher: tantivy.Searcher, query: Query) -> int:
    result: Any = searcher.search(query, 1, count=True)  # the stubs of 0.27 leave `count` out
    return int(result.count)
