"""Groups as CSV, and other names of groups by settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.access.explanation import AccessExplanation, clause_findings
from core.access.groups import Groups, GroupsFile, load_groups, with_aliases
from core.domain.access import EVERYONE, NOBODY, AccessRule, Principal, Reader
from core.errors import SettingsError


def write(folder: Path, *lines: str) -> Path:
    path = folder / "groups.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_members_are_addresses_or_groups_in_circles_too(tmp_path: Path) -> None:
    path = write(tmp_path, "Group, Member", "HR,Ana@X.com", "staff,hr", "hr,staff", "it,ben@x.com")
    groups = load_groups(path)
    assert groups.groups_of("ana@x.com") == {"hr", "staff"}
    assert groups.groups_of("BEN@x.com") == {"it"}
    assert groups.principals_of("new@x.com") >= {EVERYONE}


@pytest.mark.parametrize(
    "lines",
    [("name,email", "a,b@x.com"), ("group,member", "hr"), ("group,member", ",a@x.com"), ("group,member", "a,b,c"), ()],
)
def test_a_file_that_is_wrong_says_so(tmp_path: Path, lines: tuple[str, ...]) -> None:
    with pytest.raises(SettingsError, match="people file"):
        load_groups(write(tmp_path, *lines))


def test_an_alias_is_held_by_the_members_of_what_it_means_and_by_nobody_else(tmp_path: Path) -> None:
    path = write(tmp_path, "group,member", "hr,ana@x.com", "staff,hr", "it,ben@x.com")
    groups = GroupsFile(path, {"Confluence-Users": "Staff"}).current()
    assert "confluence-users" in groups.groups_of("ana@x.com")
    assert "confluence-users" not in groups.groups_of("ben@x.com")
    assert "staff" not in with_aliases(Groups(), {"staff": "hr"}).groups_of("ana@x.com")


def test_groups_known_elsewhere_open_what_contains_them() -> None:
    groups = with_aliases(Groups(), {"hr": "slack:hr-team"})
    assert groups.groups_of("ana@x.com", ["slack:HR-team"]) == {"slack:hr-team", "hr"}


def test_each_clause_is_found_to_hold_or_not() -> None:
    rule = AccessRule.of({EVERYONE}, {Principal.group("hr"), Principal.user("ben@x.com")})
    reader = Reader("t", frozenset({EVERYONE}))
    first, second = clause_findings(rule, reader)
    assert (first.holds, second.holds) == (True, False)
    assert not AccessExplanation("d", True, False, (first, second)).may_read
    assert AccessExplanation("d", True, False, (first,)).may_read
    assert not AccessExplanation("d", True, True, (first,)).may_read
    assert not AccessExplanation("d", False, False, (first,)).may_read
    assert not AccessExplanation("d", True, False, ()).may_read
    assert not AccessExplanation("d", True, False, clause_findings(NOBODY, reader)).may_read
