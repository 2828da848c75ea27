from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from core.access.rulebook import RuleBook
from core.domain.access import OPEN_TO_TENANT, AccessRule, Audience, Principal, Reader
from core.index.lexical import LexicalIndex
from core.index.reader import IndexReader
from core.index.snapshot import Effort, Snapshot, effort
from core.index.tables import Tables
from tests.unit.index.conftest import DIMENSION, Write, axis


def snapshot(tables: Tables, lexical: LexicalIndex, rules: set[int]) -> Snapshot:
    version = tables.refresh()
    lexical.catch_up(tables)
    return Snapshot(tables, tables.pinned(version), version, lexical, "t", rules)


def ids(found: Snapshot, text: str, limit: int = 10) -> list[str]:
    return [hit.key for hit in found.lexical(text, limit)]


def test_both_halves_find_only_what_is_visible(tables: Tables, lexical: LexicalIndex, write: Write) -> None:
    write("open", "The salary table is here.", rule_id=1)
    write("closed", "The salary table is here.", rule_id=2)
    seen = snapshot(tables, lexical, {1})
    assert ids(seen, "salary table") == ["t/open#s0-p1"]
    assert [hit.key for hit in seen.dense(axis(0), 10)] == ["t/open#s0-p1"]
    assert seen.candidates(["t/closed#s0-p1"]) == []


def test_a_reader_of_nothing_finds_nothing(tables: Tables, lexical: LexicalIndex, write: Write) -> None:
    write("open", "The salary table is here.")
    seen = snapshot(tables, lexical, set())
    assert ids(seen, "salary") == []
    assert seen.dense(axis(0), 10) == []


def test_k_visible_rows_come_back_however_many_hidden_ones_rank_before_them(
    tables: Tables, lexical: LexicalIndex, write: Write
) -> None:
    for i in range(60):
        write(f"hidden{i}", "holiday holiday holiday", rule_id=2, direction=0)
    for i in range(5):
        write(f"mine{i}", f"one holiday in a long sentence about other things {i}", rule_id=1, direction=1)
    seen = snapshot(tables, lexical, {1})
    assert len(ids(seen, "holiday", 5)) == 5
    assert len(seen.dense(axis(0), 5)) == 5


def test_another_tenant_sees_nothing_even_under_the_same_rule_id(
    tables: Tables, lexical: LexicalIndex, write: Write
) -> None:
    write("theirs", "The merger is on Monday.", rule_id=1, tenant="u")
    seen = snapshot(tables, lexical, {1})
    assert seen.lexical("merger", 5) == []
    assert seen.dense(axis(0), 5) == []


def test_hits_of_a_lexical_index_that_lags_are_dropped_when_the_text_or_rule_has_changed(
    tables: Tables, lexical: LexicalIndex, write: Write
) -> None:
    write("a", "The code word is marmalade.")
    write("b", "The code word was marmalade.")
    lexical.catch_up(tables)
    write("a", "The code word is secret now.", version=2)
    write("b", "The code word was marmalade.", version=2, rule_id=2)
    version = tables.refresh()
    behind = Snapshot(tables, tables.pinned(version), version, lexical, "t", {1})
    assert behind.lexical("marmalade", 5) == []


def test_rows_written_after_the_indexes_are_found(tables: Tables, lexical: LexicalIndex, write: Write) -> None:
    tables.ensure_indexes()
    write("first", "Zanahoria.", language="es")
    tables.ensure_indexes()
    lexical.catch_up(tables)
    write("second", "Berenjena.", language="es", direction=1)
    seen = snapshot(tables, lexical, {1})
    assert ids(seen, "berenjena") == ["t/second#s0-p1"]
    assert seen.dense(axis(1), 1)[0].key == "t/second#s0-p1"


def test_a_removed_document_is_not_found(tables: Tables, lexical: LexicalIndex, write: Write) -> None:
    write("a", "The fee is 10 euros.")
    lexical.catch_up(tables)
    tables.commit_chunks("t", [], ["a#s0-p1"])
    seen = snapshot(tables, lexical, {1})
    assert ids(seen, "fee") == []
    assert seen.dense(axis(0), 5) == []


def test_a_pinned_version_does_not_move(tables: Tables, lexical: LexicalIndex, write: Write) -> None:
    write("a", "The fee is 10 euros.")
    before = snapshot(tables, lexical, {1})
    write("a", "The fee is 12 euros.", version=2)
    tables.refresh()
    assert [c.passage.text for c in before.candidates(["t/a#s0-p1"])] == ["The fee is 10 euros."]


def test_a_deleted_lexical_index_is_built_again(tables: Tables, lexical: LexicalIndex, write: Write) -> None:
    write("a", "The fee is 10 euros.")
    lexical.catch_up(tables)
    shutil.rmtree(lexical.folder)
    assert ids(snapshot(tables, LexicalIndex(lexical.folder), {1}), "fee") == ["t/a#s0-p1"]


@pytest.mark.parametrize("question", ["respiración", "respiracion", "RESPIRACIÓN", "Respiraciones"])
def test_accents_case_and_number_do_not_matter(
    tables: Tables, lexical: LexicalIndex, write: Write, question: str
) -> None:
    write("a", "La respiración se mide cada hora.", language="es")
    assert ids(snapshot(tables, lexical, {1}), question) == ["t/a#s0-p1"]


@pytest.mark.parametrize("question", ["ERR-4012", "err 4012", "¿qué es ERR-4012?"])
def test_a_code_is_found_in_any_language(tables: Tables, lexical: LexicalIndex, write: Write, question: str) -> None:
    write("a", "ERR-4012 means that the scanner is offline.")
    write("b", "ERR-4013 means that the scanner is out of paper.")
    assert ids(snapshot(tables, lexical, {1}), question)[0] == "t/a#s0-p1"


@pytest.mark.parametrize(
    "question", ["O'Brien", "x' OR 1=1 --", "back\\slash", "{0}", "C++", "a:b AND (", "text_en:*", "😀", '"', "", "¿?"]
)
def test_signs_in_a_question_are_just_text(tables: Tables, lexical: LexicalIndex, write: Write, question: str) -> None:
    write("hidden", "O'Brien OR 1=1 back slash 0 C a b AND text_en", rule_id=2)
    seen = snapshot(tables, lexical, {1})
    assert ids(seen, question) == []


def test_document_frequencies_are_those_of_what_is_visible(tables: Tables, lexical: LexicalIndex, write: Write) -> None:
    write("open", "A fee and a fine.", rule_id=1)
    for i in range(9):
        write(f"hidden{i}", "A merger and a fee.", rule_id=2)
    statistics = snapshot(tables, lexical, {1}).statistics("fee merger", "en")
    assert statistics.visible == 1
    assert statistics.frequencies == {"fee": 1, "merger": 0}


def test_a_channel_sees_what_the_asker_and_everybody_there_may_read(
    tables: Tables, lexical: LexicalIndex, write: Write
) -> None:
    hr = AccessRule.of({Principal.group("hr")})
    rules = tables.intern_rules("t", [OPEN_TO_TENANT, hr])
    write("open", "The salary day is the 28th.", rule_id=rules[OPEN_TO_TENANT])
    write("closed", "The salary of the director is high.", rule_id=rules[hr])
    lexical.catch_up(tables)
    reader = IndexReader(tables, lexical)
    person = Reader("t", Audience.tenant("t").readers[0].principals | {Principal.group("hr")})
    alone = reader.snapshot(person, Audience.person(person))
    public = reader.snapshot(person, Audience.tenant("t"))
    guest = reader.snapshot(Reader("t"), Audience.tenant("t"))
    assert len(alone.lexical("salary", 5)) == 2
    assert [hit.key for hit in public.lexical("salary", 5)] == ["t/open#s0-p1"]
    assert guest.lexical("salary", 5) == []
    assert isinstance(reader.rulebook("t"), RuleBook)


def test_both_halves_are_read_together_and_a_changed_lexical_hit_is_dropped(
    tables: Tables, lexical: LexicalIndex, write: Write
) -> None:
    for i in range(12):
        write(f"d{i}", f"The fee of kind {i} is due.", direction=i % DIMENSION)
    lexical.catch_up(tables)
    write("d3", "Something else altogether.", version=2, direction=3)
    version = tables.refresh()
    behind = Snapshot(tables, tables.pinned(version), version, lexical, "t", {1})
    found = behind.found([], behind.lexical_names("fee", 20), 20)
    assert found is not None
    assert len(found.candidates) == 11
    assert "t/d3#s0-p1" not in {hit.key for hit in found.lexical}


def test_a_lexical_index_that_lags_far_behind_is_asked_again(
    tables: Tables, lexical: LexicalIndex, write: Write
) -> None:
    for i in range(6):
        write(f"d{i}", f"The fee of kind {i} is due.")
    lexical.catch_up(tables)
    for i in range(6):
        write(f"d{i}", f"Kind {i} is gone.", version=2)
    version = tables.refresh()
    behind = Snapshot(tables, tables.pinned(version), version, lexical, "t", {1})
    assert behind.found([], behind.lexical_names("fee", 10), 10) is None
    assert behind.lexical("fee", 10) == []


@pytest.mark.parametrize("question", ["ERR-4012", "it.help@almendro.example", "¿v2/setup.cfg?"])
def test_a_code_or_address_comes_before_its_parts_elsewhere(
    tables: Tables, lexical: LexicalIndex, write: Write, question: str
) -> None:
    write("parts", "4012 then ERR; example almendro help it; cfg setup v2.")
    write("whole", "See ERR-4012 or it.help@almendro.example or v2/setup.cfg in the handbook of the firm today.")
    assert ids(snapshot(tables, lexical, {1}), question)[0] == "t/whole#s0-p1"


def test_an_exact_search_and_the_usual_one_agree_in_a_small_index(
    tables: Tables, lexical: LexicalIndex, write: Write
) -> None:
    for i in range(5):
        write(f"d{i}", f"Text {i}.", direction=i)
    seen = snapshot(tables, lexical, {1})
    assert seen.dense(axis(2), 5) == seen.dense(axis(2), 5, exact=True)


@pytest.mark.parametrize(
    ("visible", "rows", "partitions", "refined"),
    [
        (100_000, 100_000, 50, 10),
        (20_000, 100_000, 50, 10),
        (10_000, 100_000, 100, 40),
        (1_000_000, 1_000_000, 150, 10),
        (200_000, 1_000_000, 150, 10),
        (100_000, 1_000_000, 300, 20),
        (10_000, 1_000_000, 3_000, 40),
    ],
)
def test_who_sees_less_is_searched_more_widely_and_more_deeply(
    visible: int, rows: int, partitions: int, refined: int
) -> None:
    assert effort(visible, rows) == Effort(partitions, refined)


@pytest.mark.parametrize("visible", [0, 1, 3_000])
def test_who_sees_little_is_searched_whole(visible: int) -> None:
    assert effort(visible, 1_000_000) is None


def test_a_reader_of_few_gets_the_nearest_of_them_out_of_the_vector_index(
    tables: Tables, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.index.tables.VECTOR_INDEX_ROWS", 1)
    monkeypatch.setattr("core.index.snapshot.EXACT_ROWS", 5)
    vectors = np.random.default_rng(3).standard_normal((3_000, DIMENSION))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    rows = [
        {"key": f"t/x{i}", "seq": 1, "tenant_id": "t", "rule_id": 1 + (i % 20 == 0), "document_id": "x", "text": ""}
        | {"context": "", "vector": vector.tolist()}
        for i, vector in enumerate(vectors)
    ]
    tables.chunks.add(pa.Table.from_pylist(rows, schema=tables.chunks.schema))
    tables.ensure_indexes()
    version = tables.refresh()
    few = Snapshot(tables, tables.pinned(version), version, LexicalIndex(tmp_path / "words"), "t", {2})
    for direction in range(DIMENSION):
        found = [hit.key for hit in few.dense(axis(direction), 40)]
        assert found[:20] == [hit.key for hit in few.dense(axis(direction), 20, exact=True)]
        assert len(found) == 40
        assert len(few.dense(axis(direction), 400)) == 150, "all that there are"


def test_passages_of_an_index_without_cards_are_read_all_the_same(
    tables: Tables, lexical: LexicalIndex, write: Write
) -> None:
    for i in range(3):
        write(f"d{i}", f"The fee of site {i} is 10 euros.", direction=i)
    keys = [f"t/d{i}#s0-p1" for i in range(3)]
    with_cards = [candidate.passage for candidate in snapshot(tables, lexical, {1}).candidates(keys)]
    tables.chunks.update("document_id != 'd0'", values_sql={"card": "NULL"})
    without = [candidate.passage for candidate in snapshot(tables, lexical, {1}).candidates(keys)]
    assert without == with_cards and len(without) == 3


def test_a_change_of_access_holds_for_passages_that_are_read_by_their_rows(
    tables: Tables, lexical: LexicalIndex, write: Write
) -> None:
    before = write("salaries", "The salaries rise in May.", rule_id=1)
    tables.commit_access([dataclasses.replace(before, number=2, rule_id=2)])
    assert snapshot(tables, lexical, {1}).candidates(["t/salaries#s0-p1"]) == []
    [now] = snapshot(tables, lexical, {2}).candidates(["t/salaries#s0-p1"])
    assert (now.passage.rule_id, now.passage.document_version) == (2, 2)
