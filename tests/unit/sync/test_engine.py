from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from core.domain.access import NOBODY, OPEN_TO_TENANT, AccessRule, Principal
from core.domain.document import SourceDocument
from core.domain.syncing import SyncProgress
from core.errors import BusyError, SourceError
from core.index.lance import col, lit
from core.index.tables import Tables
from sync import reading
from sync.lock import writer_lock
from sync.reading import CHANGED_MEANWHILE, GONE_MEANWHILE
from sync.sources.base import FailedDocument
from tests.fakes import DIMENSION, Shelf, document
from tests.unit.sync.conftest import Workshop

HR = Principal.group("hr")
HR_ONLY = AccessRule.of({HR})
HOLIDAYS = document("holidays", "Everybody in Valencia has 25 working days of holiday.")
PARKING = document("parking", "A parking space at Ribarroja costs 35 euros a month.")
TRAVEL = document("travel", "A hotel in Lisbon may cost 120 euros a night.")
PAGES = (HOLIDAYS, PARKING, TRAVEL)


def others(count: int = 10) -> list[SourceDocument]:
    return [document(f"other-{i}", f"Filler page number {i} about nothing.") for i in range(count)]


def long_document(key: str, paragraphs: int, edited: int | None = None) -> SourceDocument:
    words = "steps of the procedure that the warehouse follows when goods come back from the customer"
    return document(
        key,
        *(
            f"{key} paragraph {i} {'was edited and' if i == edited else ''} says: {words}. " * 4
            for i in range(paragraphs)
        ),
    )


# -- what is written, and what is not -------------------------------------------------------------------------------


def test_a_second_sync_of_the_same_export_writes_and_embeds_nothing(workshop: Workshop) -> None:
    workshop.shelf.put(*PAGES)
    assert workshop.sync().counts.added == 3
    versions = (workshop.tables.chunks.version, workshop.tables.documents.version, workshop.tables.rules.version)
    finished = workshop.sync()
    assert finished.counts.unchanged == finished.counts.total == 3
    assert finished.changes == ()
    assert workshop.embedder.read == []
    after = (workshop.tables.chunks.version, workshop.tables.documents.version, workshop.tables.rules.version)
    assert after == versions


def test_a_dry_run_says_what_a_sync_would_do_and_writes_nothing(workshop: Workshop) -> None:
    workshop.shelf.put(*others(), *PAGES)
    planned = workshop.sync(dry_run=True)
    assert planned.dry_run
    assert workshop.tables.counts("t") == (0, 0)
    assert workshop.tables.known_rules("t") == {}
    assert workshop.sync().counts == planned.counts
    workshop.shelf.put(document("parking", "It costs 42 euros now."), document("travel", "Walk.", rule=HR_ONLY))
    workshop.shelf.take("holidays")
    planned = workshop.sync(dry_run=True)
    done = workshop.sync()
    assert (done.counts, done.changes) == (planned.counts, planned.changes)
    assert {change.key: change.state.value for change in done.changes} == {
        "parking": "changed",
        "travel": "changed",
        "holidays": "removed",
    }


def test_an_edited_paragraph_embeds_its_own_chunk_and_keeps_the_ids_of_the_others(workshop: Workshop) -> None:
    workshop.shelf.put(long_document("manual", 60))
    workshop.sync()
    before = {c.chunk_id: c.text for c in workshop.tables.stored_chunks("t", "manual")}
    workshop.shelf.put(long_document("manual", 60, edited=30))
    workshop.sync()
    after = {c.chunk_id: c.text for c in workshop.tables.stored_chunks("t", "manual")}
    assert len(workshop.embedder.read) <= 2
    assert all("was edited" in text for text in workshop.embedder.read)
    assert len(before.keys() & after.keys()) >= 0.95 * len(before)
    assert {i for i in before if after.get(i) == before[i]} >= before.keys() - {
        i for i in after if "was edited" in after[i]
    }


def test_an_access_change_embeds_nothing_and_leaves_every_vector_as_it_was(workshop: Workshop) -> None:
    workshop.shelf.put(*PAGES)
    workshop.sync()
    before = np.array([c.vector for c in workshop.tables.stored_chunks("t", "holidays")])
    workshop.shelf.put(document("holidays", "Everybody in Valencia has 25 working days of holiday.", rule=HR_ONLY))
    finished = workshop.sync()
    assert finished.counts.access_only == 1
    assert workshop.embedder.read == []
    assert np.array_equal(before, [c.vector for c in workshop.tables.stored_chunks("t", "holidays")])
    assert workshop.found("holiday in Valencia") == ["parking", "travel"]
    assert "holidays" in workshop.found("holiday in Valencia", HR)
    version = workshop.served("holidays")
    assert version is not None and version.number == 2
    assert workshop.tables.history("t", "holidays")[0].rule_id != version.rule_id


def test_an_access_change_does_not_bring_back_what_is_gone(workshop: Workshop) -> None:
    workshop.shelf.put(long_document("manual", 40), *others())
    workshop.sync()
    workshop.shelf.put(document("manual", "Only this is left."))
    workshop.sync()
    dead = int(workshop.tables.chunks.count_rows((col("rule_id") == lit(-1)).to_sql()))
    assert dead > 0
    workshop.shelf.put(document("manual", "Only this is left.", rule=HR_ONLY))
    assert workshop.sync().counts.access_only == 1
    assert int(workshop.tables.chunks.count_rows((col("rule_id") == lit(-1)).to_sql())) == dead
    assert len(workshop.tables.stored_chunks("t", "manual")) == 1


def test_a_new_title_embeds_nothing_and_is_found(workshop: Workshop) -> None:
    workshop.shelf.put(document("1", "It costs 35 euros a month.", title="Parking"), *others())
    workshop.sync()
    before = [c.vector for c in workshop.tables.stored_chunks("t", "parking")]
    renamed = document("1", "It costs 35 euros a month.", title="Parking")
    workshop.shelf.put(
        SourceDocument("shelf", "1", renamed.metadata.__class__("Aparcamiento"), renamed.blocks, renamed.rule)
    )
    assert workshop.sync().counts.metadata_only == 1
    assert workshop.embedder.read == []
    assert np.array_equal(before, [c.vector for c in workshop.tables.stored_chunks("t", "parking")])
    assert "Aparcamiento" in workshop.found("aparcamiento")


def test_a_moved_file_keeps_its_id_its_chunks_and_its_vectors(workshop: Workshop) -> None:
    workshop.shelf.put(long_document("old/manual.md", 20), *others())
    workshop.sync()
    version = workshop.served("old/manual.md")
    assert version is not None
    moved = long_document("old/manual.md", 20)
    workshop.shelf.take("old/manual.md")
    workshop.shelf.put(SourceDocument("shelf", "new/manual.md", moved.metadata, moved.blocks, HR_ONLY))
    finished = workshop.sync()
    assert (finished.counts.moved, finished.counts.removed) == (1, 0)
    assert workshop.embedder.read == []
    now = workshop.served("new/manual.md")
    assert now is not None
    assert (now.document_id, now.number, now.chunk_ids) == (version.document_id, 2, version.chunk_ids)
    assert workshop.served("old/manual.md") is None
    assert workshop.sync().counts.unchanged == 11
    # What takes the old place is another document.
    workshop.shelf.put(document("old/manual.md", "Something else."))
    assert workshop.sync().counts.added == 1
    other, still = workshop.served("old/manual.md"), workshop.served("new/manual.md")
    assert other is not None and other.document_id != now.document_id
    assert still == now


def test_full_computes_every_vector_again_and_makes_no_new_versions(workshop: Workshop) -> None:
    workshop.shelf.put(*PAGES)
    workshop.sync()
    assert workshop.sync(full=True).counts.changed == 3
    assert len(workshop.embedder.read) == 3
    assert {len(workshop.tables.history("t", key)) for key in ("holidays", "parking", "travel")} == {1}
    assert len(workshop.found("costs")) == 3


def test_the_summary_counts_every_document_once(workshop: Workshop) -> None:
    workshop.shelf.put(*others(), FailedDocument("broken.pdf", "It is broken."), document("empty"))
    workshop.shelf.documents[-1] = SourceDocument("shelf", "empty", HOLIDAYS.metadata, (), OPEN_TO_TENANT)
    finished = workshop.sync()
    assert (finished.counts.added, finished.counts.failed, finished.counts.total) == (10, 1, 11)
    assert {failure.key for failure in finished.failures} == {"broken.pdf"}
    assert finished.warnings[0].startswith("empty: There is no text")


def test_progress_counts_what_is_read_and_then_what_is_written(workshop: Workshop) -> None:
    workshop.shelf.put(*others(50))
    events = [e for e in workshop.engine().sync(workshop.shelf) if isinstance(e, SyncProgress)]
    assert events[0].total is None
    assert (events[-1].done, events[-1].total) == (50, 50)


# -- removals (S1, S2, S3, S5) --------------------------------------------------------------------------------------


def test_a_document_that_is_gone_is_found_no_more_and_its_versions_stay_for_evidence(workshop: Workshop) -> None:
    workshop.shelf.put(*others(), HOLIDAYS)
    workshop.sync()
    assert "holidays" in workshop.found("working days of holiday")
    workshop.shelf.take("holidays")
    assert workshop.sync().counts.removed == 1
    assert "holidays" not in workshop.found("working days of holiday")
    assert workshop.tables.stored_chunks("t", "holidays") == []
    assert workshop.tables.version("t", "holidays", 1) is not None
    assert workshop.sync().counts.removed == 0


def test_an_empty_export_removes_nothing_and_says_so(workshop: Workshop) -> None:
    workshop.shelf.put(*PAGES)
    workshop.sync()
    workshop.shelf.take("holidays", "parking", "travel")
    finished = workshop.sync(confirm_removals=True)
    assert "nothing was removed" in finished.held_back
    assert len(workshop.found("costs")) == 3


def test_a_half_written_export_removes_nothing_until_somebody_says_so(workshop: Workshop) -> None:
    workshop.shelf.put(*others(10))
    workshop.sync()
    workshop.shelf.take(*(f"other-{i}" for i in range(3)))
    assert "3 of 10 documents" in workshop.sync().held_back
    assert workshop.tables.counts("t")[0] == 10
    assert workshop.sync(confirm_removals=True).counts.removed == 3
    assert workshop.tables.counts("t")[0] == 7


def test_who_agreed_to_so_many_removals_agreed_to_no_more(workshop: Workshop) -> None:
    workshop.shelf.put(*others(10))
    workshop.sync()
    workshop.shelf.take(*(f"other-{i}" for i in range(3)))
    assert workshop.sync().awaiting == 3
    workshop.shelf.take("other-3")
    held = workshop.sync(agreed_removals=3)
    assert (held.counts.removed, held.awaiting) == (0, 4)
    assert workshop.tables.counts("t")[0] == 10
    done = workshop.sync(agreed_removals=4)
    assert (done.counts.removed, done.awaiting, done.held_back) == (4, 0, "")


def test_nobodys_word_removes_what_an_empty_export_lost(workshop: Workshop) -> None:
    workshop.shelf.put(*PAGES)
    workshop.sync()
    workshop.shelf.take("holidays", "parking", "travel")
    finished = workshop.sync(agreed_removals=3)
    assert (finished.awaiting, finished.counts.removed) == (0, 0)
    assert "nothing was removed" in finished.held_back


def test_the_share_that_may_go_is_a_setting(workshop: Workshop) -> None:
    workshop.shelf.put(*others(10))
    workshop.sync()
    workshop.shelf.take("other-0", "other-1", "other-2")
    assert not list(workshop.engine(removal_limit=0.5).sync(workshop.shelf))[-1].held_back  # type: ignore[union-attr]


def test_an_export_that_breaks_off_changes_nothing(workshop: Workshop) -> None:
    class Breaking(Shelf):
        def read(self) -> Iterator[SourceDocument | FailedDocument]:
            yield document("new", "This came before the break.")
            raise SourceError("The export ends in the middle.")

    workshop.shelf.put(*PAGES)
    workshop.sync()
    version = workshop.tables.chunks.version
    with pytest.raises(SourceError):
        list(workshop.engine().sync(Breaking()))
    assert workshop.tables.chunks.version == version


def test_a_key_that_is_there_twice_changes_nothing(workshop: Workshop) -> None:
    workshop.shelf.documents = [HOLIDAYS, HOLIDAYS]
    with pytest.raises(SourceError, match="twice"):
        workshop.sync()
    assert workshop.tables.counts("t") == (0, 0)


def test_a_document_that_comes_back_unchanged_has_the_ids_that_it_had(workshop: Workshop) -> None:
    workshop.shelf.put(*others(), long_document("manual", 20))
    workshop.sync()
    before = workshop.served("manual")
    assert before is not None
    workshop.shelf.take("manual")
    workshop.sync()
    workshop.shelf.put(long_document("manual", 20))
    finished = workshop.sync()
    assert "again" in finished.changes[0].reason
    assert workshop.served("manual") == before
    assert len(workshop.embedder.read) == len(before.chunk_ids)


def test_an_id_is_never_given_to_other_text(workshop: Workshop) -> None:
    seen: dict[str, set[str]] = {}
    texts = ["alpha beta gamma delta", "one two three four", "alpha beta gamma delta", "red green blue black"]
    for text in texts:
        workshop.shelf.documents = [*others(), document("page", text)]
        workshop.sync()
        for chunk in workshop.tables.stored_chunks("t", "page"):
            seen.setdefault(chunk.chunk_id, set()).add(chunk.text)
    assert all(len(held) == 1 for held in seen.values())


# -- versions (S4) --------------------------------------------------------------------------------------------------


def test_what_another_document_replaces_is_superseded_where_it_is_searched(workshop: Workshop) -> None:
    old, new = document("travel-2024", "A hotel may cost 100 euros."), document("travel-2026", "Now it is 120 euros.")
    workshop.shelf.put(old)
    workshop.sync()
    workshop.shelf.put(document("travel-2026", "Now it is 120 euros.", replaces=("travel-2024",)))
    finished = workshop.sync()
    assert (finished.counts.added, finished.counts.metadata_only) == (1, 1)
    assert superseded(workshop) == {"travel-2024": True, "travel-2026": False}
    workshop.shelf.put(new)
    workshop.sync()
    assert superseded(workshop) == {"travel-2024": False, "travel-2026": False}


def test_a_label_is_enough_to_be_superseded(workshop: Workshop) -> None:
    workshop.shelf.put(document("old", "As it was.", labels=("Superseded",)))
    workshop.sync()
    assert superseded(workshop) == {"old": True}


def superseded(workshop: Workshop) -> dict[str, bool]:
    rows = workshop.tables.chunks.search().select(["document_id", "superseded"]).to_list()
    return {row["document_id"]: row["superseded"] for row in rows}


def test_the_version_number_grows_and_old_text_stays_readable(workshop: Workshop) -> None:
    for price in (10, 11, 12):
        workshop.shelf.put(document("fee", f"The fee is {price} euros."))
        workshop.sync()
    history = workshop.tables.history("t", "fee")
    assert [record.number for record in history] == [1, 2, 3]
    first = workshop.tables.version("t", "fee", 1)
    assert first is not None and "10 euros" in first.text


# -- crashes and two writers (R3) -----------------------------------------------------------------------------------


def test_a_sync_that_dies_between_version_and_chunks_is_taken_up_again(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    workshop.shelf.put(HOLIDAYS, *others())
    workshop.sync()
    workshop.shelf.put(document("holidays", "It is 26 days now."))
    with monkeypatch.context() as patch:
        patch.setattr(Tables, "commit_chunks", _die)
        with pytest.raises(KeyboardInterrupt):
            workshop.sync()
    old = workshop.served("holidays")
    assert old is not None and old.number == 1
    assert "holidays" in workshop.found("25 working days")
    finished = workshop.sync()
    assert "did not finish" in finished.changes[0].reason
    new = workshop.served("holidays")
    assert new is not None and (new.number, "26 days" in new.text) == (2, True)


def _die(*_: object) -> None:
    raise KeyboardInterrupt


def test_two_writers_that_insert_the_same_document_leave_one_copy(workshops: Callable[[], Workshop]) -> None:
    inserted, refused = [], []

    def write() -> None:
        mine = workshops()
        mine.shelf.put(*PAGES)
        try:
            with writer_lock(mine.folder, "test", wait_seconds=30):
                inserted.append(mine.sync().counts.added)
        except BusyError as error:
            refused.append(error)

    threads = [threading.Thread(target=write) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (sorted(inserted), refused) == ([0, 0, 3], [])
    assert workshops().tables.counts("t") == (3, 3)


def test_rows_that_are_added_after_the_indexes_were_built_are_found(workshop: Workshop) -> None:
    workshop.tables.ensure_indexes()  # over empty tables: makes none
    workshop.shelf.put(*others(30))
    workshop.sync()
    workshop.shelf.put(HOLIDAYS)
    workshop.sync()
    assert "holidays" in workshop.found("working days of holiday")
    assert workshop.sync().counts.unchanged == 31


# -- what is too much to keep ---------------------------------------------------------------------------------------


def test_texts_that_are_too_many_to_keep_are_read_twice(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "KEPT_CHARACTERS", 100)
    workshop.shelf.put(*others(30), *PAGES)
    assert workshop.sync().counts.added == 33
    assert workshop.tables.counts("t")[0] == 33


def test_a_document_that_changes_while_it_is_read_waits_for_the_next_sync(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Busy(Shelf):
        times = 0

        def read(self) -> Iterator[SourceDocument | FailedDocument]:
            self.times += 1
            yield from self.documents
            if self.times == 1:
                yield TRAVEL
            yield document("parking", f"Read for the {self.times}. time.")

    monkeypatch.setattr(reading, "KEPT_CHARACTERS", 0)
    finished = list(workshop.engine().sync(Busy([HOLIDAYS])))[-1]
    assert {f.key: f.sentence for f in finished.failures} == {  # type: ignore[union-attr]
        "parking": CHANGED_MEANWHILE,
        "travel": GONE_MEANWHILE,
    }
    assert workshop.served("parking") is None
    assert workshop.served("holidays") is not None


# -- upkeep (R4) ----------------------------------------------------------------------------------------------------


def test_many_small_syncs_leave_few_pieces_and_no_tombstones_behind(workshop: Workshop) -> None:
    workshop.shelf.put(*others(3))
    workshop.sync()
    reader = workshop.tables.pinned(workshop.tables.refresh())
    for i in range(50):
        workshop.shelf.put(document("other-0", f"Version {i}.", *(f"Line {j}." for j in range(i % 5))))
        workshop.sync()
    stats = workshop.tables.chunks.stats()
    assert stats["fragment_stats"]["num_fragments"] <= 25
    assert stats["num_rows"] <= 50
    assert len(workshop.tables.history("t", "other-0")) == 51
    assert workshop.tables.counts("t")[0] == 3
    assert len(reader.search().select(["text"]).to_list()) == 3  # who began before goes on


def test_nobody_reads_a_document_without_a_rule(workshop: Workshop) -> None:
    workshop.shelf.put(document("closed", "Nobody may read the working days.", rule=NOBODY))
    workshop.sync()
    assert workshop.found("working days", HR) == []


def test_an_index_that_another_process_wrote_is_opened_as_it_is(workshop: Workshop, tmp_path: Path) -> None:
    workshop.shelf.put(*PAGES)
    workshop.sync()
    seen = Tables.as_stored(str(tmp_path / "index"))
    assert (seen.dimension, seen.model_id) == (DIMENSION, workshop.space.model_id)
    assert seen.counts("t") == (3, 3)
