from __future__ import annotations

from dataclasses import replace

import pytest

from core.domain.document import DocumentStatus, Metadata
from core.domain.syncing import DocumentState
from core.index.schema import metadata_hash
from core.index.tables import Head
from sync.plan import Observed, Plan, make_plan, new_document_id, slug


def observed(key: str, text: str = "text", rule_id: int | None = 1, **metadata: object) -> Observed:
    return Observed(key, text, Metadata(title=key, **metadata), rule_id)  # type: ignore[arg-type]


def head_of(seen: Observed, **changes: object) -> Head:
    stored = Head(seen.key, 1, seen.key, seen.rule_id or 0, seen.content_hash, metadata_hash(seen.metadata), True, 1)
    return replace(stored, **changes)  # type: ignore[arg-type]


def plan(*read: Observed, stored: list[Head] | None = None, failed: dict[str, str] | None = None,
         confirmed: bool = False, full: bool = False) -> Plan:  # fmt: skip
    heads = {head.source_key: head for head in stored or []}
    return make_plan(read, failed or {}, heads, limit=0.2, confirmed=confirmed, full=full)


def states(made: Plan) -> dict[str, str]:
    return {step.key: step.state.value for step in made.steps}


PAGE = observed("page")


@pytest.mark.parametrize(
    ("stored", "state"),
    [
        (None, DocumentState.ADDED),
        (head_of(PAGE), DocumentState.UNCHANGED),
        (head_of(PAGE, content_hash="other"), DocumentState.CHANGED),
        (head_of(PAGE, rule_id=7), DocumentState.ACCESS_ONLY),
        (head_of(PAGE, metadata_hash="other"), DocumentState.METADATA_ONLY),
        (head_of(PAGE, current=False, served=None), DocumentState.ADDED),
        (head_of(PAGE, version=2, current=False, served=1), DocumentState.CHANGED),
    ],
)
def test_a_document_is_compared_with_what_is_stored_of_it(stored: Head | None, state: DocumentState) -> None:
    made = plan(PAGE, stored=[stored] if stored else [])
    [step] = made.steps
    assert step.state is state
    assert step.reason.endswith(".")


def test_a_rule_that_was_never_met_before_is_another_rule() -> None:
    [step] = plan(observed("page", rule_id=None), stored=[head_of(PAGE)]).steps
    assert step.state is DocumentState.ACCESS_ONLY
    assert step.access_alone


def test_a_change_of_rule_and_title_at_once_is_no_change_of_access_alone() -> None:
    [step] = plan(observed("page", rule_id=2, owner="a@x.com"), stored=[head_of(PAGE)]).steps
    assert step.state is DocumentState.ACCESS_ONLY
    assert not step.access_alone


def test_the_same_text_under_another_key_is_a_move() -> None:
    made = plan(observed("new/a.md", "unique"), stored=[head_of(observed("old/a.md", "unique"))])
    [step] = made.steps
    assert step.state is DocumentState.MOVED
    assert "old/a.md" in step.reason
    assert made.removals == ()


def test_a_copy_is_no_move_while_the_original_is_there() -> None:
    original = observed("a.md", "unique")
    assert states(plan(original, observed("b.md", "unique"), stored=[head_of(original)])) == {
        "a.md": "unchanged",
        "b.md": "added",
    }


def test_of_several_with_the_same_text_each_moves_to_its_own_name() -> None:
    stored = [head_of(observed(f"old/{name}.md", "same")) for name in "abc"]
    made = plan(*(observed(f"new/{name}.md", "same") for name in "cab"), stored=stored)
    assert {step.key: step.head.source_key for step in made.steps if step.head} == {
        f"new/{name}.md": f"old/{name}.md" for name in "abc"
    }


def test_a_document_that_fails_is_neither_removed_nor_moved() -> None:
    made = plan(observed("b", "text"), stored=[head_of(observed("a", "text"))], failed={"a": "It is broken."})
    assert states(made) == {"b": "added"}
    assert made.removals == ()
    assert made.counts.failed == 1


def test_more_removals_than_the_limit_need_a_word() -> None:
    stored = [head_of(observed(f"{i}", f"text {i}")) for i in range(10)]
    read = [observed(f"{i}", f"text {i}") for i in range(7)]
    held = plan(*read, stored=stored)
    assert held.removals == ()
    assert "--confirm-removals" in held.held_back
    assert held.counts.removed == 0
    assert plan(*read, stored=stored, confirmed=True).counts.removed == 3
    assert plan(*read, observed("7", "text 7"), stored=stored).counts.removed == 2


def test_moves_do_not_count_as_removals() -> None:
    stored = [head_of(observed(f"old/{i}", f"text {i}")) for i in range(10)]
    made = plan(*(observed(f"new/{i}", f"text {i}") for i in range(10)), stored=stored)
    assert made.held_back == ""
    assert made.counts.moved == 10


@pytest.mark.parametrize("confirmed", [False, True])
def test_an_export_of_which_nothing_can_be_read_removes_nothing(confirmed: bool) -> None:
    stored = [head_of(observed("a")), head_of(observed("b"))]
    empty = plan(stored=stored, confirmed=confirmed)
    broken = plan(stored=stored, failed={"c": "It is broken.", "d": "It is broken."}, confirmed=confirmed)
    assert empty.removals == broken.removals == ()
    assert "holds no documents" in empty.held_back
    assert "None of the 2 documents" in broken.held_back


def test_a_document_without_text_is_said_and_what_was_stored_of_it_goes() -> None:
    stored = {f"{i}": head_of(observed(f"{i}", f"text {i}")) for i in range(10)}
    read = [observed(f"{i}", f"text {i}") for i in range(9)]
    made = make_plan([*read, replace(observed("9"), is_empty=True)], {}, stored, limit=0.2)
    assert [(change.key, change.state.value) for change in made.changes] == [("9", "removed")]
    assert "any more" in made.changes[0].reason
    assert made.warnings[0][0] == "9"
    assert made.counts.failed == 0


def test_full_writes_the_unchanged_anew() -> None:
    [step] = plan(PAGE, stored=[head_of(PAGE)], full=True).steps
    assert step.state is DocumentState.CHANGED
    assert step.anew


def successor(made: Plan, key: str) -> str:
    return next(step.observed.metadata.superseded_by for step in made.steps if step.key == key)


def test_a_document_is_superseded_when_another_says_that_it_replaces_it() -> None:
    made = plan(observed("travel-2024", "a"), observed("travel-2026", "b", replaces=("travel-2024",)))
    assert successor(made, "travel-2024") == "travel-2026"
    assert successor(made, "travel-2026") == ""


def test_who_replaces_is_found_by_key_beside_it_or_by_title() -> None:
    made = plan(
        replace(observed("hr/old.md", "a"), metadata=Metadata("Old rules", superseded_by="new.md")),
        replace(observed("hr/older.md", "b"), metadata=Metadata("Older rules", superseded_by="new RULES")),
        replace(observed("hr/new.md", "c"), metadata=Metadata("New rules")),
    )
    assert successor(made, "hr/old.md") == successor(made, "hr/older.md") == "hr/new.md"
    assert made.warnings == ()


def test_a_draft_replaces_nothing_yet() -> None:
    made = plan(observed("a", "a"), observed("b", "b", replaces=("a",), status=DocumentStatus.DRAFT))
    assert successor(made, "a") == ""


def test_a_successor_that_is_not_there_is_said_and_still_supersedes() -> None:
    made = plan(observed("a", superseded_by="nowhere"))
    assert successor(made, "a") == "nowhere"
    assert "nowhere" in made.warnings[0][1]


def test_a_replacement_that_cannot_be_read_today_still_replaces() -> None:
    made = make_plan(
        [observed("a")], {"b": "It is broken."}, {}, limit=0.2,
        stored_replacements={"b": Metadata("b", replaces=("a",))},
    )  # fmt: skip
    assert successor(made, "a") == "b"


def test_ids_are_readable_and_never_given_twice() -> None:
    assert slug("Manual de Vacaciones: ¡años!") == "manual-de-vacaciones-anos"
    assert slug("会社") == "document"
    assert new_document_id("A b", {"a-b", "a-b-2"}) == "a-b-3"
