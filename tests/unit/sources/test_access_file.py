import datetime as dt
from pathlib import Path

import pytest

from core.domain.access import EVERYONE, NOBODY, AccessRule, Principal
from core.domain.document import DocumentStatus
from sync.sources.access_file import AccessFile, load_access_file, parse_access_file
from sync.sources.export_tree import ExportTree, open_tree

HR, PAY, ANA = Principal.group("hr"), Principal.group("payroll"), Principal.user("ana@x.com")
OPEN = "[defaults]\nallow = ['everyone']\n"


def pages(text: str) -> AccessFile:
    return parse_access_file(text, "page")


def rules(text: str) -> AccessFile:
    return parse_access_file(text, "rule")


# Confluence: a conjunction


def test_a_page_without_an_entry_has_the_space_s_rule() -> None:
    access = pages(OPEN)
    assert access.rule_of_page("1", ["2", "3"]) == AccessRule.of([EVERYONE])
    assert not access.problems


def test_a_child_inherits_every_ancestor_restriction() -> None:
    access = pages(OPEN + "[[page]]\nid = '2'\nallow = ['group:HR']\n")
    rule = access.rule_of_page("1", ["2"])
    assert rule == AccessRule.of([EVERYONE], [HR])
    assert not rule.satisfied_by(frozenset({EVERYONE, ANA}))


def test_parent_and_child_restrictions_are_both_demanded() -> None:
    text = OPEN + "[[page]]\nid='p'\nallow=['user:a@x','user:b@x']\n[[page]]\nid='c'\nallow=['user:b@x','user:c@x']\n"
    rule = pages(text).rule_of_page("c", ["p"])
    readers = [name for name in "abc" if rule.satisfied_by(frozenset({EVERYONE, Principal.user(f"{name}@x")}))]
    assert readers == ["b"]


def test_further_clauses_are_demanded_too() -> None:
    access = pages(OPEN + "[[page]]\nid='1'\nallow=['group:hr']\nalso=[['group:payroll','user:ana@x.com']]\n")
    assert access.rule_of_page("1", []) == AccessRule.of([EVERYONE], [HR], [PAY, ANA])


def test_an_entry_that_only_carries_metadata_restricts_nothing() -> None:
    access = pages(
        OPEN + "[[page]]\nid='1'\nowner='ana@x.com'\nvalid_from=2026-01-31\nstatus='draft'\nsuperseded_by='2'\n"
    )
    assert access.rule_of_page("1", []) == AccessRule.of([EVERYONE])
    (hints,) = access.metadata_of_page("1")
    assert (hints.owner, hints.valid_from, hints.superseded_by) == ("ana@x.com", dt.date(2026, 1, 31), "2")
    assert hints.status is DocumentStatus.DRAFT


def test_two_entries_of_one_page_both_count_and_are_reported() -> None:
    access = pages(OPEN + "[[page]]\nid='1'\nallow=['group:hr']\n[[page]]\nid='1'\nallow=['group:payroll']\n")
    assert access.rule_of_page("1", []) == AccessRule.of([EVERYONE], [HR], [PAY])
    assert "twice" in access.problems[0]


# Folders: the last rule decides


def test_the_last_matching_rule_with_allow_decides_alone() -> None:
    text = OPEN + (
        "[[rule]]\nglob='**'\nallow=['everyone']\nalso=[['group:hr']]\n"
        "[[rule]]\nglob='f/**'\nallow=['group:payroll']\n[[rule]]\nglob='f/a.md'\nowner='ana@x.com'\n"
    )
    access = rules(text)
    assert access.rule_of_path("f/a.md") == AccessRule.of([EVERYONE], [PAY])
    assert access.rule_of_path("b.md") == AccessRule.of([EVERYONE], [HR])
    assert [hints.owner for hints in access.metadata_of_path("f/a.md")] == ["", "", "ana@x.com"]


def test_a_file_that_no_rule_matches_has_none() -> None:
    assert rules(OPEN + "[[rule]]\nglob='f/**'\nallow=['everyone']\n").rule_of_path("g/a.md") is None


# It fails closed


@pytest.mark.parametrize(
    "text",
    [
        "",
        "not toml",
        "[defaults]\n",
        "[defaults]\nallow = 'everyone'\n",
        "[defaults]\nallow = []\n",
        "[defaults]\nallow = ['everyone', 'grp:x']\n",
        "[defaults]\nallow = ['everyone']\nalow = []\n",
        "[defaults]\nallow = ['everyone', 5]\n",
        OPEN + "[extra]\n",
        OPEN + "[[pages]]\nid='1'\nallow=['group:hr']\n",
        OPEN + "[[page]]\nallow=['group:hr']\n",
        OPEN + "[page]\nid='1'\nallow=['group:hr']\n",
        OPEN + "[[rule]]\nglob='**'\nallow=['group:hr']\n",
    ],
)
def test_a_mistake_about_the_whole_file_closes_everything(text: str) -> None:
    access = pages(text)
    assert access.rule_of_page("1", []) == NOBODY
    assert access.problems or text == "[defaults]\nallow = []\n"


@pytest.mark.parametrize(
    "entry",
    [
        "alow=['group:hr']",
        "allow='group:hr'",
        "allow=['group:hr','nonsense']",
        "allow=[]",
        "also='group:hr'",
        "also=['group:hr']",
        "allow=['everyone']\nalso=[['group:hr'],['x']]",
    ],
)
def test_a_mistake_in_an_entry_closes_what_it_names_and_nothing_else(entry: str) -> None:
    access = pages(f"{OPEN}[[page]]\nid='1'\n{entry}\n")
    assert access.rule_of_page("1", []) == NOBODY
    assert access.rule_of_page("9", ["1"]) == NOBODY
    assert access.rule_of_page("9", []) == AccessRule.of([EVERYONE])


def test_a_rule_with_also_alone_closes_what_it_names() -> None:
    access = rules(OPEN + "[[rule]]\nglob='**'\nallow=['everyone']\n[[rule]]\nglob='f/**'\nalso=[['group:hr']]\n")
    assert access.rule_of_path("f/a.md") == NOBODY
    assert access.problems


def test_an_id_that_is_a_number_closes_its_page_and_is_reported() -> None:
    access = pages(OPEN + "[[page]]\nid=12\nallow=['everyone']\n")
    assert access.rule_of_page("12", []) == NOBODY
    assert "string" in access.problems[0]


def test_wrong_metadata_is_reported_and_takes_no_part_in_access() -> None:
    access = pages(OPEN + "[[page]]\nid='1'\nstatus='old'\nvalid_from='2026-01-01'\nowner=3\n")
    assert access.rule_of_page("1", []) == AccessRule.of([EVERYONE])
    assert len(access.problems) == 3


def test_without_the_file_nobody_reads_anything() -> None:
    access = load_access_file(ExportTree("x", {}), "page")
    assert access.rule_of_page("1", []) == NOBODY
    assert "no access.toml" in access.problems[0]
    unreadable = load_access_file(ExportTree("x", {"access.toml": lambda: b"\xff\xfe"}), "page")
    assert unreadable.rule_of_page("1", []) == NOBODY


def test_names_are_folded() -> None:
    access = pages("[defaults]\nallow = ['user:Anna.Rossi@X.com']\n")
    assert access.default == {Principal.user("anna.rossi@x.com")}


# Addresses


def test_addresses_are_made_from_the_template() -> None:
    template = "[defaults]\nallow=['everyone']\nbase_url='https://a.example/wiki/'\nlink_template='{}'\n"
    page = pages(template.format("{base_url}/spaces/{space}/pages/{id}"))
    assert page.link(space="ALM", id="12") == "https://a.example/wiki/spaces/ALM/pages/12"
    folder = rules(template.format("{base_url}/{path}"))
    assert folder.link(path="a b/año#1.md") == "https://a.example/wiki/a%20b/a%C3%B1o%231.md"
    assert pages(OPEN).link(id="12") == ""


def test_a_file_elsewhere_is_read_instead_of_the_one_in_the_export(tmp_path: Path) -> None:
    export = tmp_path / "export"
    export.mkdir()
    (export / "access.toml").write_text('[defaults]\nallow = ["everyone"]\n')
    elsewhere = tmp_path / "ours.toml"
    elsewhere.write_text('[defaults]\nallow = ["group:hr"]\n')
    tree = open_tree(export)
    assert load_access_file(tree, "rule", elsewhere).default == {Principal.group("hr")}
    assert load_access_file(tree, "rule", tmp_path / "missing.toml").default == frozenset()
