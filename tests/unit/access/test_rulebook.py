from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.access.rulebook import RuleBook
from core.domain.access import EVERYONE, NOBODY, OPEN_TO_TENANT, AccessRule, Audience, Principal, Reader

ANA, BO, CY = (Principal.user(f"{n}@x.com") for n in ("ana", "bo", "cy"))
HR = Principal.group("HR")


def reader(*principals: Principal, tenant: str = "t") -> Reader:
    return Reader(tenant, frozenset(principals))


BOOK = RuleBook("t", {1: OPEN_TO_TENANT, 2: AccessRule.of({HR}), 3: NOBODY, 4: AccessRule.of({ANA, BO}, {BO, CY})})


@pytest.mark.parametrize(
    ("who", "visible"),
    [
        (reader(), set()),
        (reader(EVERYONE), {1}),
        (reader(EVERYONE, HR), {1, 2}),
        (reader(EVERYONE, ANA), {1}),
        (reader(EVERYONE, BO), {1, 4}),
        (reader(EVERYONE, BO, HR, tenant="other"), set()),
    ],
)
def test_a_reader_sees_the_rules_whose_every_clause_holds(who: Reader, visible: set[int]) -> None:
    assert BOOK.visible_to(who) == visible


def test_an_audience_sees_what_each_of_it_sees() -> None:
    both = Audience.members("t", [reader(EVERYONE, BO), reader(EVERYONE, HR)])
    assert BOOK.visible_in(both) == {1}


def test_an_audience_of_nobody_sees_nothing() -> None:
    assert BOOK.visible_in(Audience.members("t", [])) == set()
    assert BOOK.visible_in(Audience.refused("t")) == set()


def test_a_rule_without_clauses_is_nobodys() -> None:
    assert not AccessRule(frozenset()).satisfied_by(frozenset({EVERYONE}))


def test_an_address_is_one_person_however_it_is_written() -> None:
    assert Principal.user("Anna.Rossi@X.com") == Principal.user("anna.rossi@x.com ")


def test_clauses_that_a_stricter_one_implies_are_dropped_so_that_equal_rules_are_equal() -> None:
    assert AccessRule.of({ANA, BO}, {BO}) == AccessRule.of({BO})


@pytest.mark.parametrize("rule", [OPEN_TO_TENANT, NOBODY, AccessRule.of({HR, ANA}, {BO})])
def test_a_rule_survives_the_way_through_its_key(rule: AccessRule) -> None:
    assert AccessRule.from_key(rule.key()) == rule


def test_joining_with_nobody_leaves_nobody() -> None:
    assert not OPEN_TO_TENANT.conjoin(AccessRule(frozenset())).satisfied_by(frozenset({EVERYONE}))


@pytest.mark.parametrize("text", ["ana@x.com", "group:", "role:admin", ""])
def test_what_is_not_a_principal_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="principal"):
        Principal.parse(text)


_PRINCIPALS = st.sampled_from([EVERYONE, *(Principal.group(f"g{n}") for n in range(4))])
_CLAUSES = st.frozensets(st.frozensets(_PRINCIPALS, max_size=3), max_size=3)


@given(st.dictionaries(st.integers(1, 9), st.builds(AccessRule, _CLAUSES)), st.lists(st.frozensets(_PRINCIPALS)))
def test_the_visible_rules_are_those_that_are_satisfied_one_by_one_whoever_was_asked_for_before(
    rules: dict[int, AccessRule], readers: list[frozenset[Principal]]
) -> None:
    book = RuleBook("t", rules)
    for held in [*readers, *readers]:
        assert book.visible_to(Reader("t", held)) == {i for i, rule in rules.items() if rule.satisfied_by(held)}
        assert book.visible_to(Reader("other", held)) == frozenset()


WHO = tuple(Principal.group(name) for name in "abc")
RULES = st.lists(st.sets(st.sampled_from(WHO)), max_size=3).map(lambda clauses: AccessRule.of(*clauses))


@given(then=RULES, now=RULES, held=st.frozensets(st.sampled_from(WHO)))
def test_nobody_loses_the_right_to_read_where_a_rule_is_said_to_admit_all_of_another(
    then: AccessRule, now: AccessRule, held: frozenset[Principal]
) -> None:
    if now.admits_all_of(then) and then.satisfied_by(held):
        assert now.satisfied_by(held)


def test_a_rule_admits_all_of_itself_of_a_stricter_one_and_of_one_with_fewer_choices() -> None:
    a, b, c = WHO
    wide, strict = AccessRule.of({a, b}), AccessRule.of({a}, {c})
    assert wide.admits_all_of(wide)
    assert wide.admits_all_of(strict)
    assert not strict.admits_all_of(wide)
    assert not AccessRule.of({a}).admits_all_of(wide)
    assert not AccessRule(frozenset()).admits_all_of(wide)
