"""A revoked document stays hidden, whatever it is called in the next export."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.domain.access import EVERYONE, Audience, Reader
from core.domain.syncing import SyncFinished
from core.index.reader import IndexReader
from core.store.database import open_database
from core.store.revocations import RevocationStore
from sync.hidden import FOLLOWED
from tests.fakes import Shelf, document
from tests.unit.sync.conftest import Workshop

SALARIES = ("The salary of a director is 90000 euros.", "It is paid in fourteen parts.")
OTHERS = [document(f"other-{n}", f"Other page {n} about the garden.") for n in range(8)]


class Office:
    """An index with revocations, and a reader who may read everything that is not hidden."""

    def __init__(self, folder: Path) -> None:
        self.workshop = Workshop(folder)
        self.revocations = RevocationStore(open_database(f"sqlite:///{folder}/testigo.db"))
        self.workshop.shelf.put(document("hr/salaries.md", *SALARIES, title="Salaries"), *OTHERS)
        self.sync()
        self.hide("salaries")

    def hide(self, document_id: str) -> None:
        assert self.revocations.revoke("t", document_id, "ana@x.com")

    def sync(self, shelf: Shelf | None = None) -> SyncFinished:
        engine = self.workshop.engine(revocations=self.revocations)
        finished = list(engine.sync(shelf or self.workshop.shelf, confirm_removals=True))[-1]
        assert isinstance(finished, SyncFinished)
        return finished

    def found(self) -> list[str]:
        reader = Reader("t", frozenset({EVERYONE}), "bo@x.com")
        index = IndexReader(self.workshop.tables, self.workshop.lexical, self.revocations.revoked)
        snapshot = index.snapshot(reader, Audience.person(reader))
        keys = [hit.key for hit in snapshot.lexical("salary director euros", 20)]
        return sorted({c.passage.title for c in snapshot.candidates(keys) if "salary" in c.passage.text})


@pytest.fixture
def office(tmp_path: Path) -> Office:
    return Office(tmp_path)


def test_the_samples_are_found_unless_they_are_hidden(office: Office) -> None:
    assert office.found() == []
    office.revocations.lift("t", "salaries")
    assert office.found() == ["Salaries"]


@pytest.mark.parametrize(
    ("key", "title", "more"),
    [
        ("archive/pay.md", "Salaries", ()),
        ("archive/salaries.md", "Pay", ("A new last line.",)),
        ("archive/pay.md", "SALARIES", ("A new last line.",)),
    ],
    ids=["moved and renamed", "moved and edited", "moved, renamed and edited under its title"],
)
def test_a_document_that_moved_stays_hidden(office: Office, key: str, title: str, more: tuple[str, ...]) -> None:
    office.workshop.shelf.take("hr/salaries.md")
    office.workshop.shelf.put(document(key, *SALARIES, *more, title=title))
    finished = office.sync()
    assert office.found() == []
    assert finished.counts.moved or any(FOLLOWED in line for line in finished.warnings)


def test_a_copy_in_another_source_is_hidden_as_well(office: Office) -> None:
    copy = Shelf([document("copy.md", *SALARIES, title="Salaries", source="drive")], name="drive")
    finished = office.sync(copy)
    assert office.found() == []
    assert finished.warnings == (f"copy.md: {FOLLOWED}",)
    assert {each.document_id for each in office.revocations.listed("t")} == {"salaries", "salaries-2"}


def test_a_document_that_went_and_came_back_elsewhere_stays_hidden(office: Office) -> None:
    office.workshop.shelf.take("hr/salaries.md")
    office.sync()
    office.workshop.shelf.put(document("new/pay.md", *SALARIES, title="Salaries"))
    office.sync()
    assert office.found() == []


def test_it_is_known_again_after_the_index_was_made_anew(office: Office, tmp_path: Path) -> None:
    office.sync()
    (tmp_path / "anew").mkdir()
    fresh = Workshop(tmp_path / "anew", shelf=office.workshop.shelf)
    fresh.shelf.take("hr/salaries.md")
    fresh.shelf.put(document("hr/pay.md", *SALARIES, title="Salaries"))
    office.workshop = fresh
    office.sync()
    assert office.found() == []


def test_what_moved_twice_stays_hidden_and_each_name_is_lifted_by_itself(office: Office) -> None:
    for old, new in (("hr/salaries.md", "a/salaries.md"), ("a/salaries.md", "b/salaries.md")):
        office.workshop.shelf.take(old)
        office.workshop.shelf.put(document(new, *SALARIES, f"As of {new}.", title=f"Salaries in {new}"))
        office.sync()
        assert office.found() == []
    hidden = [each.document_id for each in office.revocations.listed("t")]
    assert hidden == ["salaries", "salaries-in-a-salaries-md", "salaries-in-b-salaries-md"]
    office.revocations.lift("t", hidden[-1])
    assert office.found() == ["Salaries in b/salaries.md"]
    office.sync()
    assert office.found() == ["Salaries in b/salaries.md"], "what was lifted is not hidden again"


def test_a_document_of_another_name_and_text_is_not_hidden(office: Office) -> None:
    office.workshop.shelf.put(document("hr/bonus.md", "The salary bonus is 500 euros.", title="Bonus"))
    assert office.sync().warnings == ()
    assert office.found() == ["Bonus"]


def test_one_of_the_same_title_beside_the_hidden_one_is_not_hidden(office: Office) -> None:
    office.workshop.shelf.put(document("fr/pay.md", "The salary in France is monthly.", title="Salaries"))
    office.sync()
    assert office.found() == ["Salaries"]
