from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from core.domain.access import EVERYONE, OPEN_TO_TENANT, AccessRule, Principal
from core.errors import ModelError
from core.index.lexical import LexicalIndex
from core.index.snapshot import Snapshot
from core.index.tables import Tables
from tests.unit.index.conftest import DIMENSION, Write, axis

HR = AccessRule.of({Principal.group("hr")})


def test_a_rule_keeps_its_id(tables: Tables) -> None:
    first = tables.intern_rules("t", [OPEN_TO_TENANT, HR])
    again = tables.intern_rules("t", [HR, AccessRule.of({EVERYONE, Principal.user("a@x.com")})])
    assert again[HR] == first[HR]
    assert len({*first.values(), *again.values()}) == 3


def test_two_tenants_never_share_a_rule_id(tables: Tables) -> None:
    one = tables.intern_rules("t", [OPEN_TO_TENANT])
    other = tables.intern_rules("u", [OPEN_TO_TENANT])
    assert one[OPEN_TO_TENANT] != other[OPEN_TO_TENANT]
    assert tables.rulebook("u").rule(one[OPEN_TO_TENANT]) is None


def test_a_version_comes_back_as_it_was_written(tables: Tables, write: Write) -> None:
    written = write("holiday-policy", "Everybody has 23 days.\n\nApprentices have 25.")
    assert tables.version("t", "holiday-policy", 1) == written
    assert tables.version("u", "holiday-policy", 1) is None


def test_a_new_version_replaces_the_old_one_for_readers_and_the_old_one_stays_readable(
    tables: Tables, write: Write
) -> None:
    write("a", "The fee is 10 euros.")
    write("a", "The fee is 12 euros.", version=2)
    assert [c.text for c in tables.stored_chunks("t", "a")] == ["The fee is 12 euros."]
    assert tables.current_versions("t") == {"a": 2}
    old = tables.version("t", "a", 1)
    assert old is not None
    assert old.text == "The fee is 10 euros."


def test_what_is_served_is_told_of_some_documents_of_one_tenant(tables: Tables, write: Write) -> None:
    for name in ("a", "b", "it's"):
        write(name, "The fee is 10 euros.")
    write("b", "The fee is 12 euros.", version=2)
    write("a", "The fee is 11 euros.", version=7, tenant="other")
    tables.commit_chunks("t", [], gone=["a#s0-p1"])
    assert tables.current_versions("t", ["a", "b", "it's", "unknown"]) == {"b": 2, "it's": 1}
    assert tables.current_versions("t", []) == {}
    assert tables.current_versions("t") == {"b": 2, "it's": 1}


def test_a_version_whose_chunks_were_not_written_is_not_current(tables: Tables, write: Write) -> None:
    version = write("a", "The fee is 10 euros.")
    tables.write_versions([replace(version, number=2)])
    head = tables.heads("t", "s")["s", "a"]
    assert (head.version, head.current) == (2, False)


def test_a_removed_document_leaves_no_text_behind(tables: Tables, write: Write) -> None:
    write("a", "The secret is out.")
    tables.commit_chunks("t", [], ["a#s0-p1"])
    assert tables.stored_chunks("t", "a") == []
    assert tables.counts("t") == (0, 0)
    assert "secret" not in str(tables.chunks.to_arrow().to_pylist())


@pytest.mark.parametrize(
    "name", ["o'brien", "x' OR 1=1 --", "back\\slash", "{0}", "c++", "a:b AND (", "emoji-😀", 'q"']
)
def test_names_with_signs_are_just_names(tables: Tables, write: Write, name: str) -> None:
    write("other", "Something else altogether.")
    written = write(name, f"The text of {name}.", tenant=f"t-{name}")
    assert tables.version(f"t-{name}", name, 1) == written
    assert len(tables.stored_chunks(f"t-{name}", name)) == 1
    assert tables.counts(f"t-{name}") == (1, 1)


def test_vectors_of_two_models_never_meet_in_one_table(tables: Tables) -> None:
    with pytest.raises(ModelError, match="built with the model 'tiny'"):
        Tables(tables.location, dimension=DIMENSION, model_id="large")


def test_an_index_is_found_again_by_another_process(tables: Tables, write: Write, tmp_path: Path) -> None:
    other = Tables(tables.location, dimension=DIMENSION, model_id="tiny")
    write("a", "Written by the first.")
    other.refresh()
    assert other.counts("t") == (1, 1)


def test_indexes_are_made_only_where_there_are_rows(tables: Tables, write: Write) -> None:
    tables.ensure_indexes()
    assert list(tables.chunks.list_indices()) == []
    write("a", "The first row.")
    tables.ensure_indexes()
    write("b", "A row after the index was built.")
    assert len(tables.stored_chunks("t", "b")) == 1


def test_an_index_from_before_word_vectors_is_opened_and_has_none(tables: Tables, write: Write) -> None:
    write("a", "Written before.")
    tables.chunks.drop_columns(["word_vectors"])
    again = Tables(tables.location, dimension=DIMENSION, model_id="tiny")
    assert [c.word_vectors for c in again.stored_chunks("t", "a")] == [b""]


def test_rows_are_counted_once_for_a_version_and_a_filter(tables: Tables, write: Write) -> None:
    write("a", "One.")
    first = tables.pinned(tables.refresh())
    assert tables.visible_rows(first, "rule_id = 1") == 1
    write("b", "Two.")
    second = tables.pinned(tables.refresh())
    assert [tables.visible_rows(handle, "rule_id = 1") for handle in (first, second, first)] == [1, 2, 1]


def test_a_large_table_gets_a_vector_index_and_still_finds_rows_that_came_later(
    tables: Tables, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.index.tables.VECTOR_INDEX_ROWS", 1)
    vectors = np.random.default_rng(0).standard_normal((600, DIMENSION))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    rows = [
        {"key": f"t/x{i}", "seq": 1, "tenant_id": "t", "rule_id": 1, "document_id": "x", "text": "", "context": ""}
        | {"vector": vector.tolist()}
        for i, vector in enumerate(vectors)
    ]
    tables.chunks.add(pa.Table.from_pylist(rows, schema=tables.chunks.schema))
    tables.ensure_indexes()
    assert any("vector" in index.columns for index in tables.chunks.list_indices())
    write("late", "After the index.", direction=2)
    version = tables.refresh()
    seen = Snapshot(tables, tables.pinned(version), version, LexicalIndex(tmp_folder(tables)), "t", {1})
    assert "t/late#s0-p1" in {hit.key for hit in seen.dense(axis(2), 5)}


def tmp_folder(tables: Tables) -> Path:
    return Path(tables.location).parent / "lexical"


@pytest.mark.parametrize("vector", [np.full(DIMENSION, np.nan, np.float32), np.ones(DIMENSION + 1, np.float32)])
def test_a_bad_vector_is_refused_and_nothing_is_written(
    tables: Tables, write: Write, monkeypatch: pytest.MonkeyPatch, vector: np.ndarray
) -> None:
    write("a", "Good.")
    monkeypatch.setattr("tests.unit.index.conftest.axis", lambda _: vector)
    with pytest.raises(ModelError):
        write("b", "Bad.")
    assert tables.counts("t") == (1, 1)
