"""Each store's tests run on SQLite, and on a real PostgreSQL server where its programs are."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import Engine, create_engine, make_url, text

from core.store.database import open_database
from tests.postgres import running_server
from tests.tables import lay_tables

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    with running_server() as url:
        yield url


@pytest.fixture(scope="session")
def postgres_with_tables(postgres_server: str) -> Iterator[str]:
    """A database on the server whose tables are made, to be copied: making them takes half a second."""
    with _database(postgres_server, "template1") as url:
        open_database(url).dispose()
        yield str(make_url(url).database)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def dialect(request: pytest.FixtureRequest) -> str:
    """Both, one after the other."""
    return str(request.param)


@pytest.fixture
def empty_database_url(dialect: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a database without a table."""
    if dialect == "sqlite":
        yield f"sqlite:///{tmp_path}/testigo.db"
        return
    with _database(request.getfixturevalue("postgres_server"), "template1") as url:
        yield url


@pytest.fixture
def database_url(dialect: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a database whose tables are empty."""
    if dialect == "sqlite":
        lay_tables(f"sqlite:///{tmp_path}/testigo.db")
        yield f"sqlite:///{tmp_path}/testigo.db"
        return
    template = request.getfixturevalue("postgres_with_tables")
    with _database(request.getfixturevalue("postgres_server"), template) as url:
        yield url


@contextmanager
def _database(server: str, template: str) -> Iterator[str]:
    name = f"test_{next(_numbers)}"
    admin = create_engine(server, isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name} TEMPLATE {template}"))
    yield make_url(server).set(database=name).render_as_string(hide_password=False)
    with admin.connect() as connection:
        connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
    admin.dispose()


@pytest.fixture
def connect(database_url: str) -> Iterator[Callable[[], Engine]]:
    """Opens the database anew, as another process does."""
    opened: list[Engine] = []

    def open_again() -> Engine:
        opened.append(open_database(database_url))
        return opened[-1]

    yield open_again
    for engine in opened:
        engine.dispose()


@pytest.fixture
def engine(connect: Callable[[], Engine]) -> Engine:
    return connect()
