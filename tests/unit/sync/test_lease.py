"""One writer over several hosts: here, processes that share nothing but a database."""

from __future__ import annotations

import itertools
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine

from core.errors import BusyError, StorageError
from core.store.database import open_database
from core.store.lease import LeaseStore, database_time
from sync.lease import LOST, WRITING, LeaseWriter
from tests.fakes import document
from tests.unit.sync.conftest import Workshop

ROOT = Path(__file__).resolve().parents[3]
HOLDER = """
import sys, time
from core.store.database import open_database
from sync.lease import LeaseWriter
with LeaseWriter(open_database(sys.argv[1])).hold("ana@x.com"):
    print("held", flush=True)
    sys.stdin.readline()
"""


class Shifted:
    """The database's clock, some seconds on."""

    seconds = 0.0

    def __call__(self, connection: Connection) -> float:
        return database_time(connection) + self.seconds


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/testigo.db"


@pytest.fixture
def database(url: str) -> Engine:
    return open_database(url)


@pytest.fixture
def holder(url: str, database: Engine) -> Iterator[subprocess.Popen[str]]:
    """Another process that is writing."""
    command = [sys.executable, "-c", HOLDER, url]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_a_second_host_learns_who_is_writing(holder: subprocess.Popen[str], database: Engine) -> None:
    with pytest.raises(BusyError, match=r"A run is going since .*, started by ana@x\.com"):
        LeaseWriter(database).hold("bo@x.com").__enter__()


def test_what_its_holder_ends_is_free(holder: subprocess.Popen[str], database: Engine) -> None:
    holder.communicate("\n")
    with LeaseWriter(database).hold("bo@x.com"):
        pass


def test_a_killed_holder_frees_it_when_its_lease_is_over(holder: subprocess.Popen[str], database: Engine) -> None:
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    clock = Shifted()
    with pytest.raises(BusyError):
        LeaseWriter(database, clock=clock).hold("bo@x.com").__enter__()
    clock.seconds = 61
    writer = LeaseWriter(database, clock=clock)
    with writer.hold("bo@x.com"):
        writer.check()


def test_who_waits_gets_it_when_the_time_has_come(holder: subprocess.Popen[str], database: Engine) -> None:
    clock = Shifted()

    def sleep(seconds: float) -> None:
        holder.kill()
        holder.wait()
        clock.seconds += 61

    with LeaseWriter(database, clock=clock, sleep=sleep).hold("bo@x.com", wait_seconds=3600):
        pass
    assert clock.seconds == 61


def test_another_task_of_the_same_process_waits_too(database: Engine) -> None:
    writer = LeaseWriter(database)
    with writer.hold("ana@x.com"):
        with pytest.raises(BusyError):
            writer.hold("bo@x.com").__enter__()
        writer.check()


def test_a_lease_is_renewed_while_a_long_step_goes_on(database: Engine) -> None:
    store, seconds = LeaseStore(database, WRITING), 3.0
    with LeaseWriter(database, seconds=seconds).hold("ana@x.com"):
        first = store.holder()
        while (later := store.holder()) == first:
            assert later is not None, "it ran out"
    assert first is not None


def test_a_sync_that_lost_its_lease_stops_before_it_writes(workshop: Workshop, database: Engine) -> None:
    clock = Shifted()
    writer = LeaseWriter(database, clock=clock)
    workshop.shelf.put(*(document(f"page-{n}", f"Paragraph {n} of the house rules.") for n in range(4)))
    engine = workshop.engine(check_writer=writer.check)
    engine.batch_documents = 1
    with pytest.raises(StorageError) as stopped, writer.hold("ana@x.com"):
        for event in engine.sync(workshop.shelf):
            if getattr(event, "done", 0) == 2 and getattr(event, "total", None) == 4:
                # This process stood still for a minute, and another host began.
                clock.seconds = 61
                assert LeaseStore(database, WRITING, clock).take("another", "bo@x.com", 60)
    assert str(stopped.value) == LOST
    assert workshop.tables.counts("t")[0] == 2
    holder = LeaseStore(database, WRITING, clock).holder()
    assert holder is not None
    assert holder.asked_by == "bo@x.com", "the end of the first did not give the other's lease back"


def test_a_database_that_is_gone_stops_the_writer_with_a_sentence(database: Engine, tmp_path: Path) -> None:
    writer = LeaseWriter(database)
    with pytest.raises(StorageError, match="The database does not answer"), writer.hold("ana@x.com"):
        database.dispose()
        (tmp_path / "testigo.db").unlink()
        (tmp_path / "testigo.db").mkdir()
        writer.check()


def test_who_lost_it_does_not_write_under_the_lease_of_another_task_of_its_process(database: Engine) -> None:
    clock = Shifted()
    writer = LeaseWriter(database, clock=clock, sleep=lambda _: None, monotonic=itertools.count().__next__)
    with writer.hold("ana@x.com"):
        clock.seconds = 61
        with pytest.raises(BusyError), writer.hold("bo@x.com", 1):
            pytest.fail("two tasks hold it")
        with LeaseWriter(database, clock=clock).hold("another host"), pytest.raises(StorageError):
            writer.check()
    with writer.hold("bo@x.com"):
        writer.check()
