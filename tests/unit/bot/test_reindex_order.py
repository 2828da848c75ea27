from __future__ import annotations

import pytest

from bot.reindex_order import ReindexOrder, UnknownSourceError, parse_order

SOURCES = ("wiki", "drive")


@pytest.mark.parametrize(("typed", "order"), [
    ("", ReindexOrder()),
    ("wiki", ReindexOrder("wiki")),
    ("--full", ReindexOrder(full=True)),
    ("drive --dry-run --full", ReindexOrder("drive", full=True, dry_run=True)),
    ("—dry-run  wiki", ReindexOrder("wiki", dry_run=True)),
    ("–full", ReindexOrder(full=True)),
])  # fmt: skip
def test_it_is_read_as_it_was_meant(typed: str, order: ReindexOrder) -> None:
    assert parse_order(typed, SOURCES) == order


@pytest.mark.parametrize("typed", ["--ful", "wiki --confirm-removals", "-x", "--", "wiki --full=1"])
def test_an_option_that_is_not_known_is_no_order(typed: str) -> None:
    assert parse_order(typed, SOURCES) is None


@pytest.mark.parametrize("typed", ["wikii", "wiki drive", "* ' OR 1=1"])
def test_a_source_that_is_not_known_is_named(typed: str) -> None:
    with pytest.raises(UnknownSourceError) as found:
        parse_order(typed, SOURCES)
    assert found.value.name == typed
