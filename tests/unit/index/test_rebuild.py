"""A rebuild with another model, beside what is served."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from core.domain.access import EVERYONE, OPEN_TO_TENANT, AccessRule, Audience, Principal, Reader
from core.embedding.language_means import LanguageMeans
from core.embedding.space import VectorSpace
from core.errors import ModelError, StorageError
from core.index.generations import POINTER_FILE, Retired, Serving, next_table, read_serving, write_serving
from core.index.lexical import LexicalIndex
from core.index.reader import IndexReader
from core.index.rebuild import Rebuild, RebuildFinished, RebuildProgress, drop_retired
from core.index.tables import Tables
from sync.engine import SyncEngine
from tests.fakes import DIMENSION, Shelf, WordVectors, document

HR = Principal.group("hr")
NOW = dt.datetime(2026, 11, 29, 12, tzinfo=dt.UTC)


class OtherVectors(WordVectors):
    """Another model, with vectors of another length."""

    model_id = "other"
    dimension = 2 * DIMENSION

    def _vector(self, text: str) -> np.ndarray:
        half = super()._vector(text)
        whole: np.ndarray = np.concatenate([half, half[::-1]]) / np.sqrt(2).astype(np.float32)
        return whole


class Company:
    """An index of three documents, and what processes with either model have of it."""

    def __init__(self, folder: Path) -> None:
        self.location = str(folder / "index")
        self.folder = folder
        self.shelf = Shelf()
        self.old, self.new = (VectorSpace(e, LanguageMeans({})) for e in (WordVectors(), OtherVectors()))
        self.locked = 0

    def lexical(self) -> LexicalIndex:
        return LexicalIndex(self.folder / "lexical")

    def tables(self, space: VectorSpace) -> Tables:
        return Tables(self.location, dimension=space.dimension, model_id=space.model_id)

    def sync(self, space: VectorSpace) -> None:
        list(SyncEngine(self.tables(space), self.lexical(), space, "t").sync(self.shelf))

    def rebuild(self, space: VectorSpace) -> Rebuild:
        return Rebuild(self.location, self.lexical(), space, None, self.lock, now=lambda: NOW)

    @contextmanager
    def lock(self) -> Iterator[None]:
        self.locked += 1
        yield


@pytest.fixture
def company(tmp_path: Path) -> Company:
    made = Company(tmp_path)
    made.shelf.put(
        document("holidays", "Everybody in Valencia has 25 working days of holiday."),
        document("parking", "A parking space costs 35 euros a month."),
        document("salaries", "The highest salary of band N4 is 58,500 euros.", rule=AccessRule.of({HR})),
    )
    made.sync(made.old)
    return made


def found(reader: IndexReader, space: VectorSpace, text: str, *principals: Principal) -> set[str]:
    """Titles that both halves of a search find."""
    asker = Reader("t", frozenset({EVERYONE, *principals}))
    snapshot = reader.snapshot(asker, Audience.person(asker))
    dense = {hit.key for hit in snapshot.dense(space.embed_query(text, "en"), 1)}
    lexical = {hit.key for hit in snapshot.lexical(text, 1)}
    assert dense == lexical, "both halves find the same chunk"
    return {candidate.passage.title for candidate in snapshot.candidates(sorted(dense))}


def test_a_rebuild_changes_the_vectors_and_nothing_else(company: Company) -> None:
    company.shelf.put(document("holidays", "Everybody in Valencia has 26 working days of holiday."))
    company.sync(company.old)
    before = company.tables(company.old)
    rows = {row["key"]: row for row in before.chunks.to_arrow().to_pylist()}
    history = before.history("t", "holidays")
    *_, finished = company.rebuild(company.new).run()
    assert isinstance(finished, RebuildFinished)
    assert (finished.chunks, finished.model_before, finished.model_after) == (3, "words+uncentred", "other+uncentred")
    after = company.tables(company.new)
    assert after.history("t", "holidays") == history
    again = {row["key"]: row for row in after.chunks.to_arrow().to_pylist()}
    computed = ("seq", "vector", "sentence_vectors", "word_vectors")
    assert [{k: v for k, v in row.items() if k not in computed} for _, row in sorted(again.items())] == [
        {k: v for k, v in row.items() if k not in computed} for _, row in sorted(rows.items())
    ]
    assert all(len(row["vector"]) == 2 * DIMENSION for row in again.values())


def test_questions_are_answered_from_the_old_table_until_the_swap(company: Company) -> None:
    reader = IndexReader(company.tables(company.old), company.lexical())
    steps = company.rebuild(company.new).run()
    assert isinstance(next(steps), RebuildProgress)
    assert found(reader, company.old, "parking space") == {"parking"}
    assert read_serving(company.location) == Serving()


def test_who_asks_with_the_new_model_after_the_swap_is_answered_and_access_holds(company: Company) -> None:
    list(company.rebuild(company.new).run())
    reader = IndexReader(company.tables(company.new), company.lexical())
    assert found(reader, company.new, "parking space") == {"parking"}
    assert found(reader, company.new, "highest salary of band N4", HR) == {"salaries"}
    assert "salaries" not in found(reader, company.new, "holiday")


def test_a_process_with_the_same_model_sees_the_swap_without_a_restart(company: Company) -> None:
    tables = company.tables(company.old)
    reader = IndexReader(tables, company.lexical())
    assert found(reader, company.old, "parking space") == {"parking"}
    list(company.rebuild(company.old).run())
    assert found(reader, company.old, "parking space") == {"parking"}
    assert tables.chunks_table == "chunks_2"
    company.shelf.put(document("garage", "The garage opens at seven."))
    company.sync(company.old)
    assert found(reader, company.old, "garage opens") == {"garage"}


def test_a_process_with_the_old_model_goes_on_until_something_changes_and_then_says_what_to_do(
    company: Company,
) -> None:
    reader = IndexReader(company.tables(company.old), company.lexical())
    list(company.rebuild(company.new).run())
    assert found(reader, company.old, "parking space") == {"parking"}
    # From here on the old table says who may read what as it was.
    company.shelf.put(document("parking", "A parking space costs 35 euros a month.", rule=AccessRule.of({HR})))
    company.sync(company.new)
    with pytest.raises(ModelError, match="start it again"):
        found(reader, company.old, "parking space")


def test_a_process_with_the_old_model_writes_nothing_after_the_swap(company: Company) -> None:
    engine = SyncEngine(company.tables(company.old), company.lexical(), company.old, "t")
    list(company.rebuild(company.new).run())
    company.shelf.put(document("garage", "The garage opens at seven."))
    with pytest.raises(ModelError, match="start it again"):
        list(engine.sync(company.shelf))


def test_what_a_sync_writes_during_a_rebuild_is_in_the_new_table(company: Company) -> None:
    steps = company.rebuild(company.new).run()
    next(steps)
    company.shelf.put(
        document("holidays", "Everybody in Valencia has 30 days."),
        document("parking", "A parking space costs 35 euros a month.", rule=AccessRule.of({HR})),
        document("garage", "The garage opens at seven."),
    )
    company.shelf.take("salaries")
    list(
        SyncEngine(company.tables(company.old), company.lexical(), company.old, "t").sync(
            company.shelf, confirm_removals=True
        )
    )
    list(steps)
    tables = company.tables(company.new)
    assert tables.counts("t") == (3, 3)
    reader = IndexReader(tables, company.lexical())
    assert [c.text.splitlines()[-1] for c in tables.stored_chunks("t", "holidays")] == [
        "Everybody in Valencia has 30 days."
    ]
    assert found(reader, company.new, "garage opens") == {"garage"}
    assert found(reader, company.new, "parking space", HR) == {"parking"}
    assert "parking" not in found(reader, company.new, "garage")


def test_an_interrupted_rebuild_goes_on_where_it_ended(company: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.index.rebuild.ROWS", 1)
    steps = company.rebuild(company.new).run()
    next(steps)
    steps.close()
    embedder = OtherVectors()
    list(company.rebuild(VectorSpace(embedder, LanguageMeans({}))).run())
    assert len(embedder.read) == 2
    assert read_serving(company.location).table == "chunks_2"


def test_what_a_rebuild_with_a_third_model_has_left_is_deleted(company: Company) -> None:
    class Third(OtherVectors):
        model_id = "third"

    steps = company.rebuild(VectorSpace(Third(), LanguageMeans({}))).run()
    next(steps)
    steps.close()
    list(company.rebuild(company.new).run())
    assert not (Path(company.location) / "chunks_2.lance").exists()
    assert company.tables(company.new).counts("t") == (3, 3)


def test_a_table_that_was_killed_while_it_was_made_is_cleared_away(company: Company) -> None:
    half = Path(company.location, "chunks_2.lance")
    (half / "_versions").mkdir(parents=True)
    (half / "data").mkdir()
    *_, finished = company.rebuild(company.new).run()
    assert isinstance(finished, RebuildFinished)
    assert finished.chunks == 3
    assert not half.exists()


def test_the_old_table_stays_for_a_while_and_is_then_deleted(company: Company) -> None:
    list(company.rebuild(company.new).run())
    old = Path(company.location) / "chunks.lance"
    drop_retired(company.location, company.lexical(), NOW + dt.timedelta(minutes=9))
    assert old.exists()
    drop_retired(company.location, company.lexical(), NOW + dt.timedelta(minutes=10))
    assert not old.exists()
    assert not company.lexical().folder.exists()
    assert read_serving(company.location).retired == ()
    reader = IndexReader(company.tables(company.new), company.lexical())
    assert found(reader, company.new, "parking space") == {"parking"}


def test_a_process_whose_table_was_deleted_says_what_to_do(company: Company) -> None:
    reader = IndexReader(company.tables(company.old), company.lexical())
    list(company.rebuild(company.new).run())
    drop_retired(company.location, company.lexical(), NOW + dt.timedelta(hours=1))
    with pytest.raises(ModelError, match="start it again"):
        found(reader, company.old, "parking space")


def test_two_rebuilds_do_not_run_at_once(company: Company) -> None:
    steps = company.rebuild(company.new).run()
    next(steps)
    with pytest.raises(StorageError, match="rebuilt already"):
        next(company.rebuild(company.new).run())


def test_only_the_last_round_holds_the_lock(company: Company) -> None:
    for step in company.rebuild(company.new).run():
        assert company.locked == (1 if isinstance(step, RebuildFinished) else 0)


def test_a_model_that_does_not_fit_is_told_what_to_do(company: Company) -> None:
    with pytest.raises(ModelError, match="testigo sync --rebuild"):
        company.tables(company.new)


@pytest.mark.parametrize("said", [b"", b"{", b'{"table": 3}', b"[]"])
def test_a_pointer_that_cannot_be_read_serves_nothing(company: Company, said: bytes) -> None:
    (Path(company.location) / POINTER_FILE).write_bytes(said)
    with pytest.raises(StorageError, match="cannot be read"):
        company.tables(company.old)


def test_a_table_that_the_pointer_names_and_that_is_gone_is_not_made_anew(company: Company) -> None:
    write_serving(company.location, Serving("chunks_9", company.old.model_id, 1))
    with pytest.raises(StorageError):
        company.tables(company.old)


@pytest.mark.parametrize("scheme", ["", "file://"])
def test_the_pointer_comes_back_as_it_was_written(tmp_path: Path, scheme: str) -> None:
    location = f"{scheme}{tmp_path}"
    assert read_serving(location) == Serving()
    for table in ("chunks_2", "chunks_3"):
        said = Serving(table, "a model", 7, (Retired("chunks", NOW),))
        write_serving(location, said)
        assert read_serving(location) == said


def test_a_pointer_is_json_that_a_person_can_read(company: Company) -> None:
    list(company.rebuild(company.new).run())
    said = json.loads((Path(company.location) / POINTER_FILE).read_text())
    assert (said["table"], said["model_id"]) == ("chunks_2", "other+uncentred")


def test_a_new_table_never_takes_the_name_of_another() -> None:
    assert next_table(["documents", "access_rules", "chunks", "chunks_9", "chunks_x"]) == "chunks_10"
    assert next_table([]) == "chunks_2"


def test_access_rules_are_those_of_now_in_the_new_table(company: Company) -> None:
    list(company.rebuild(company.new).run())
    company.shelf.put(document("salaries", "The highest salary of band N4 is 58,500 euros.", rule=OPEN_TO_TENANT))
    company.sync(company.new)
    reader = IndexReader(company.tables(company.new), company.lexical())
    assert found(reader, company.new, "highest salary of band N4") == {"salaries"}
