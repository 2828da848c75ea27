"""Each store's tests run on SQLite, and on a real PostgreSQL server where its programs are."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine, create_engine, make_url, text

from core.store.database import open_database
from tests.postgres import running_server

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    with running_server() as url:
        yield url


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of an empty database."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/testigo.db"
        return
    server = request.getfixturevalue("postgres_server")
    name = f"test_{next(_numbers)}"
    admin = create_engine(server, isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
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
