from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.access.groups import Groups, GroupsFile, load_groups
from core.domain.access import EVERYONE, Principal
from core.errors import SettingsError
from tests.conftest import ROOT

PEOPLE = """
[[person]]
email = "Ana.Rossi@ACME.example"
aliases = ["ana@acme.example", "ana@old.example"]
groups = ["Payroll"]
admin = true

[[person]]
email = "ben@acme.example"
groups = ["nominas@acme.example", "unlisted"]

[[person]]
email = "gus@audit.example"
groups = ["audit"]
guest = true

[[group]]
name = "HR"
contains = ["payroll"]

[[group]]
name = "payroll"
email = "nominas@acme.example"

[[group]]
name = "staff"
contains = ["hr"]
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "people.toml"
    file.write_text(PEOPLE, encoding="utf-8")
    return file


@pytest.fixture
def groups(path: Path) -> Groups:
    return load_groups(path)


def test_a_member_holds_everyone_their_address_its_domain_and_groups_through_nesting(groups: Groups) -> None:
    assert groups.principals_of("ana.rossi@acme.example") == {
        EVERYONE,
        Principal.user("ana.rossi@acme.example"),
        Principal.domain("acme.example"),
        Principal.group("payroll"),
        Principal.group("nominas@acme.example"),
        Principal.group("hr"),
        Principal.group("staff"),
    }


def test_a_group_is_the_same_under_its_name_and_its_address(groups: Groups) -> None:
    assert groups.groups_of("ben@acme.example") == {"payroll", "nominas@acme.example", "hr", "staff", "unlisted"}


@pytest.mark.parametrize("address", ["ANA.ROSSI@acme.EXAMPLE", " ana@Acme.example ", "ana@old.example"])
def test_every_address_of_a_person_is_that_person(groups: Groups, address: str) -> None:
    assert groups.canonical_email(address) == "ana.rossi@acme.example"
    assert groups.principals_of(address) == groups.principals_of("ana.rossi@acme.example")


def test_a_guest_holds_neither_everyone_nor_a_domain(groups: Groups) -> None:
    assert groups.principals_of("gus@audit.example") == {Principal.user("gus@audit.example"), Principal.group("audit")}


def test_somebody_whom_the_file_does_not_list_is_in_no_group(groups: Groups) -> None:
    assert groups.groups_of("new@acme.example") == frozenset()
    assert EVERYONE in groups.principals_of("new@acme.example")


def test_nobody_holds_nothing(groups: Groups) -> None:
    assert groups.principals_of("  ") == frozenset()


def test_admins_are_those_of_the_file(groups: Groups) -> None:
    assert [person.email for person in groups.people if person.is_admin] == ["Ana.Rossi@ACME.example"]
    assert (groups.member_count, groups.group_count) == (3, 5)


def test_the_circles_of_the_sample_corpus_are_survived() -> None:
    groups = load_groups(ROOT / "tests" / "corpus" / "people.toml")
    both = {"atlas", "atlas@almendro.example", "atlas-partners", "atlas-socios@almendro.example"}
    assert groups.groups_of("inigo.penalver@almendro.example") >= both
    assert groups.groups_of("begona.arraez@almendro.example") >= both
    assert groups.groups_of("pau.ferrandis@almendro.example") >= {"apprentices", "warehouse", "operations", "staff"}


NAMES = st.sampled_from("abcdef")


@given(
    contains=st.dictionaries(NAMES, st.frozensets(NAMES)),
    direct=st.frozensets(NAMES),
)
def test_groups_are_those_reached_upwards_from_the_direct_ones(
    tmp_path_factory: pytest.TempPathFactory, contains: dict[str, frozenset[str]], direct: frozenset[str]
) -> None:
    file = tmp_path_factory.mktemp("people") / "people.toml"
    tables = [f'[[group]]\nname = "{name}"\ncontains = {sorted(inner)}' for name, inner in contains.items()]
    person = f'[[person]]\nemail = "p@x.example"\ngroups = {sorted(direct)}'
    file.write_text("\n".join([person, *tables]))
    reached = set(direct)
    while grown := {name for name, inner in contains.items() if inner & reached} - reached:
        reached |= grown
    assert load_groups(file).groups_of("p@x.example") == reached


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("[[person", "not valid TOML"),
        ("[[person]]\nname = 'x'", "email"),
        ("[[person]]\nemail = 'nobody'", "email"),
        ("[[person]]\nemail = 'a@x'\n[[person]]\nemail = 'A@X'", "twice"),
        ("[[person]]\nemail = 'a@x'\naliases = ['b@x']\n[[person]]\nemail = 'b@x'", "two people"),
        ("[[person]]\nemail = 'a@x'\naliases = ['c@x']\n[[person]]\nemail = 'b@x'\naliases = ['C@x']", "two people"),
        ("[[group]]\nname = 'a'\n[[group]]\nname = 'A'", "two groups"),
        ("[[group]]\nname = 'a'\n[[group]]\nname = 'b'\nemail = 'a'", "two groups"),
        ("[[group]]\nname = 'a'\nmembers = ['b']", "members"),
    ],
)
def test_a_wrong_file_is_an_error_that_says_what_is_wrong(tmp_path: Path, text: str, names: str) -> None:
    file = tmp_path / "people.toml"
    file.write_text(text)
    with pytest.raises(SettingsError, match=names):
        load_groups(file)


def test_a_change_of_the_file_counts_at_once(path: Path) -> None:
    file = GroupsFile(path)
    assert "hr" not in file.current().groups_of("new@acme.example")
    path.write_text(PEOPLE + '\n[[person]]\nemail = "new@acme.example"\ngroups = ["hr"]\n')
    assert "hr" in file.current().groups_of("new@acme.example")
    assert file.current() is file.current()


def test_a_file_that_vanishes_is_an_error_and_not_the_old_groups(path: Path) -> None:
    file = GroupsFile(path)
    file.current()
    path.unlink()
    with pytest.raises(SettingsError, match="TESTIGO_PEOPLE_FILE"):
        file.current()


def test_without_a_file_nobody_is_in_a_group() -> None:
    assert GroupsFile(None).current().groups_of("ana@acme.example") == frozenset()
