"""A1–A4 of the cases, and what else decides who may see a page of an XML export."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.domain.access import EVERYONE, NOBODY, OPEN_TO_TENANT, AccessRule, Principal
from core.errors import SettingsError
from sync.sources.confluence_xml_access import CLOSED, LOST_RESTRICTION, NO_SPACE_RULE, NO_VIEWERS
from tests.unit.sources.confluence_dump import Dump, documents, many, prop, ref, thing

STAFF = Principal.group("staff")
ANA, BEA, CAI = (Principal.user(f"{name}@x.com") for name in ("ana", "bea", "cai"))
LOST_SET = 77


def people(dump: Dump) -> Dump:
    for name in ("ana", "bea", "cai"):
        dump.user(f"k-{name}", name, f"{name}@x.com")
    return dump


def holds(*principals: Principal) -> frozenset[Principal]:
    return frozenset({STAFF, EVERYONE, *principals})


def rule_of(dump: Dump, folder: Path, page: int = 2, **files: str) -> AccessRule:
    return documents(dump.write(folder, **files))[str(page)].rule


def warnings_of(dump: Dump, folder: Path, page: int = 2, **files: str) -> str:
    return " ".join(documents(dump.write(folder, **files))[str(page)].warnings)


def test_child_without_a_restriction_of_its_own_has_its_parents(tmp_path: Path) -> None:
    dump = people(Dump()).page(1, "Parent").page(2, "Child", "<p>x</p>", parent=1)
    rule = rule_of(dump.restrict(1, "user:k-ana", "user:k-bea"), tmp_path)
    assert rule.satisfied_by(holds(ANA)) and rule.satisfied_by(holds(BEA))
    assert not rule.satisfied_by(holds(CAI))


def test_child_demands_its_parents_restriction_and_its_own(tmp_path: Path) -> None:
    dump = people(Dump()).page(1, "Parent").page(2, "Child", parent=1)
    dump.restrict(1, "user:k-ana", "user:k-bea").restrict(2, "user:k-bea", "user:k-cai", listed=True)
    rule = rule_of(dump, tmp_path)
    assert [rule.satisfied_by(holds(who)) for who in (ANA, BEA, CAI)] == [False, True, False]


def test_page_without_restrictions_has_the_spaces_rule(tmp_path: Path) -> None:
    assert rule_of(Dump().page(2, "Page"), tmp_path) == AccessRule.of({STAFF})


def test_restriction_whose_users_cannot_be_resolved_is_for_nobody(tmp_path: Path) -> None:
    dump = Dump().user("k-gone", "gone").page(2, "Page").restrict(2, "user:k-gone", "user:k-unheard-of")
    assert rule_of(dump, tmp_path) == NOBODY
    warnings = warnings_of(dump, tmp_path)
    assert CLOSED in warnings and "k-gone" in warnings and "k-unheard-of" in warnings


def test_unresolvable_user_beside_a_group_is_left_out_with_a_warning(tmp_path: Path) -> None:
    dump = Dump().page(2, "Page").restrict(2, "user:k-gone", "group:hr")
    assert rule_of(dump, tmp_path) == AccessRule.of({STAFF}, {Principal.group("hr")})
    assert "k-gone" in warnings_of(dump, tmp_path)


def test_every_ancestor_counts_not_only_the_parent(tmp_path: Path) -> None:
    dump = Dump().page(1, "Top").page(3, "Middle", parent=1).page(2, "Low", parent=3).restrict(1, "group:hr")
    assert rule_of(dump, tmp_path) == AccessRule.of({STAFF}, {Principal.group("hr")})


def test_ancestors_that_a_page_lists_count_beside_its_parents(tmp_path: Path) -> None:
    dump = Dump().page(1, "Top").page(2, "Low", None, many("ancestors", "Page", [1])).restrict(1, "group:hr")
    assert rule_of(dump, tmp_path) == AccessRule.of({STAFF}, {Principal.group("hr")})


def test_page_counts_the_restriction_of_a_page_that_lists_it_as_a_child(tmp_path: Path) -> None:
    dump = Dump().page(1, "Top", None, many("children", "Page", [2])).page(2, "Low").restrict(1, "group:hr")
    assert rule_of(dump, tmp_path) == AccessRule.of({STAFF}, {Principal.group("hr")})


def test_folder_between_pages_hands_its_restriction_down(tmp_path: Path) -> None:
    dump = Dump().page(1, "A folder", kind="Folder").page(2, "Page", parent=1).restrict(1, "group:hr")
    assert rule_of(dump, tmp_path) == AccessRule.of({STAFF}, {Principal.group("hr")})


def test_edit_restrictions_do_not_hide_a_page(tmp_path: Path) -> None:
    dump = Dump().page(2, "Page").restrict(2, "group:editors", kind="Edit")
    assert rule_of(dump, tmp_path) == AccessRule.of({STAFF})


def test_permission_of_a_set_that_is_missing_still_counts_by_the_pages_list(tmp_path: Path) -> None:
    listed = many("contentPermissionSets", "ContentPermissionSet", [LOST_SET])
    dump = Dump().page(2, "Page", None, listed).permission(LOST_SET, "group:hr")
    assert rule_of(dump, tmp_path) == AccessRule.of({STAFF}, {Principal.group("hr")})


def test_restriction_of_which_nothing_is_left_is_for_nobody(tmp_path: Path) -> None:
    dump = Dump().page(2, "Page", None, many("contentPermissionSets", "ContentPermissionSet", [LOST_SET]))
    assert rule_of(dump, tmp_path) == NOBODY
    assert LOST_RESTRICTION in warnings_of(dump, tmp_path)


def test_restriction_of_a_type_that_nobody_knows_is_for_nobody(tmp_path: Path) -> None:
    assert rule_of(Dump().page(2, "Page").restrict(2, "group:hr", kind="Vie"), tmp_path) == NOBODY


def test_lost_set_beside_one_for_editing_must_be_the_one_for_viewing(tmp_path: Path) -> None:
    dump = Dump().page(2, "Page", None, many("contentPermissionSets", "ContentPermissionSet", [LOST_SET]))
    assert rule_of(dump.restrict(2, "group:editors", kind="Edit"), tmp_path) == NOBODY


def test_lost_set_beside_one_for_viewing_must_be_the_one_for_editing(tmp_path: Path) -> None:
    dump = Dump().page(2, "Page", None, many("contentPermissionSets", "ContentPermissionSet", [LOST_SET]))
    assert rule_of(dump.restrict(2, "group:hr"), tmp_path) == AccessRule.of({STAFF}, {Principal.group("hr")})


def test_page_under_an_ancestor_that_is_not_in_the_export_is_for_nobody(tmp_path: Path) -> None:
    dump = Dump().page(2, "Page", parent=404)
    assert rule_of(dump, tmp_path) == NOBODY
    assert "404" in warnings_of(dump, tmp_path)


def test_access_file_may_say_what_an_absent_ancestor_demands(tmp_path: Path) -> None:
    access = '[defaults]\nallow = ["everyone"]\n[[page]]\nid = "404"\nallow = ["group:hr"]\n'
    rule = rule_of(Dump().page(2, "Page", parent=404), tmp_path, access=access)
    assert rule == AccessRule.of({EVERYONE}, {STAFF}, {Principal.group("hr")})


def test_parents_in_a_circle_end(tmp_path: Path) -> None:
    dump = Dump().page(1, "One", parent=2).page(2, "Two", parent=1).restrict(1, "group:hr")
    assert rule_of(dump, tmp_path) == AccessRule.of({STAFF}, {Principal.group("hr")})


@pytest.mark.parametrize(
    ("open_to", "rule"),
    [
        ("group:staff,group:Guests", AccessRule.of({STAFF, Principal.group("guests")})),
        ("all", OPEN_TO_TENANT),
        ("anonymous", OPEN_TO_TENANT),
        ("group:staff,anonymous", OPEN_TO_TENANT),
        ("user:k-ana", AccessRule.of({ANA})),
        ("user:k-unheard-of", NOBODY),
        ("", NOBODY),
    ],
)
def test_space_opens_to_whom_viewspace_names(tmp_path: Path, open_to: str, rule: AccessRule) -> None:
    assert rule_of(people(Dump(open_to=open_to)).page(2, "Page"), tmp_path) == rule


def test_other_space_permissions_open_nothing(tmp_path: Path) -> None:
    dump = Dump(open_to="").viewspace("group:staff", kind="EDITSPACE").viewspace("anonymous", kind="COMMENT")
    assert rule_of(dump.page(2, "Page"), tmp_path) == NOBODY


def test_user_who_lost_the_key_is_not_taken_for_anonymous(tmp_path: Path) -> None:
    lost = '<property name="userSubject" class="ConfluenceUserImpl" package="p"/>'
    parts = (prop("type", "VIEWSPACE"), ref("space", "Space", "S"), prop("group"), lost, prop("allUsersSubject"))
    dump = Dump(open_to="").raw(thing("SpacePermission", 1, *parts)).page(2, "Page")
    assert rule_of(dump, tmp_path) == NOBODY
    assert NO_VIEWERS in warnings_of(dump, tmp_path)


def test_export_without_space_permissions_is_for_nobody_and_says_so(tmp_path: Path) -> None:
    assert NO_SPACE_RULE in warnings_of(Dump(open_to="").page(2, "Page"), tmp_path)


def test_access_file_stands_in_for_a_space_without_permissions(tmp_path: Path) -> None:
    dump = Dump(open_to="").page(2, "Page").restrict(2, "group:hr")
    rule = rule_of(dump, tmp_path, access='[defaults]\nallow = ["everyone"]\n')
    assert rule == AccessRule.of({EVERYONE}, {Principal.group("hr")})


def test_access_file_never_takes_away_what_the_export_demands(tmp_path: Path) -> None:
    rule = rule_of(Dump().page(2, "Page"), tmp_path, access='[defaults]\nallow = ["everyone"]\n')
    assert rule == AccessRule.of({EVERYONE}, {STAFF})


def test_access_file_that_cannot_be_understood_closes_the_export(tmp_path: Path) -> None:
    assert rule_of(Dump().page(2, "Page"), tmp_path, access='[defaults]\nalow = ["everyone"]\n') == NOBODY


def test_each_space_has_its_own_rule(tmp_path: Path) -> None:
    dump = Dump().page(2, "Page").raw(thing("Space", "T", prop("name", "T"), prop("key", "T")))
    dump.page(3, "Other", space="T").viewspace("group:others", space="T")
    assert rule_of(dump, tmp_path, 3) == AccessRule.of({Principal.group("others")})


def test_page_of_no_known_space_is_for_nobody(tmp_path: Path) -> None:
    dump = Dump().raw(thing("Page", 2, prop("title", "Page")))
    assert rule_of(dump, tmp_path) == NOBODY


def test_email_comes_from_the_directorys_user_of_the_same_name(tmp_path: Path) -> None:
    dump = Dump().user("k1", "ANA", "Ana@X.com", display="Ana Rossi").page(2, "Page").restrict(2, "user:k1")
    assert rule_of(dump, tmp_path) == AccessRule.of({STAFF}, {ANA})


def test_user_whom_two_directories_know_by_two_addresses_is_nobody(tmp_path: Path) -> None:
    dump = Dump().user("k1", "ana", "ana@x.com", display="Ana").page(2, "Page").restrict(2, "user:k1")
    dump.raw(thing("InternalUser", 5, prop("name", "ana"), prop("emailAddress", "other@x.com")))
    assert rule_of(dump, tmp_path) == NOBODY


def test_user_who_chose_anothers_key_as_name_gets_no_rights(tmp_path: Path) -> None:
    dump = Dump().user("k-victim", "victim").user("k-thief", "k-victim", "thief@x.com")
    assert rule_of(dump.page(2, "Page").restrict(2, "user:k-victim"), tmp_path) == NOBODY


@pytest.mark.parametrize("reference", ["k1", "ana", "712020:abc"])
def test_users_file_names_people_by_key_user_name_or_account_id(tmp_path: Path, reference: str) -> None:
    dump = Dump().page(2, "Page").restrict(2, "user:k1")
    dump.raw(
        thing("ConfluenceUserImpl", "k1", prop("name", "ana"), prop("atlassianAccountId", "712020:abc"), id_name="key")
    )
    rule = rule_of(dump, tmp_path, users=f'[users]\n"{reference}" = "ana@x.com"\n')
    assert rule == AccessRule.of({STAFF}, {ANA})


def test_users_file_that_is_no_list_of_addresses_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"\[users\]"):
        documents(Dump().page(2, "Page").write(tmp_path, users="[users]\nana = 1\n"))


def test_old_exports_name_users_by_user_name(tmp_path: Path) -> None:
    dump = people(Dump()).page(2, "Page")
    dump.raw(thing("ContentPermissionSet", 70, prop("type", "View"), ref("owningContent", "Page", 2)))
    owner = ref("owningSet", "ContentPermissionSet", 70)
    dump.raw(thing("ContentPermission", 71, prop("type", "View"), prop("userName", "ana"), owner))
    assert rule_of(dump, tmp_path) == AccessRule.of({STAFF}, {ANA})


def test_included_page_is_governed_by_both_pages_rules(tmp_path: Path) -> None:
    include = '<ac:structured-macro ac:name="include"><ac:parameter ac:name=""><ac:link><ri:page ri:content-title="B"/>'
    include += "</ac:link></ac:parameter></ac:structured-macro>"
    dump = Dump().page(2, "A", include).page(3, "B", "<p>secret</p>").restrict(3, "group:hr").restrict(2, "group:it")
    rule = rule_of(dump, tmp_path)
    assert rule == AccessRule.of({STAFF}, {Principal.group("hr")}, {Principal.group("it")})


def test_pages_included_by_included_pages_govern_too(tmp_path: Path) -> None:
    macro = (
        '<ac:structured-macro ac:name="{}"><ac:parameter ac:name=""><ac:link><ri:page ri:content-title="{}"/>'
        "</ac:link></ac:parameter></ac:structured-macro>"
    )
    excerpt = (
        '<ac:structured-macro ac:name="excerpt"><ac:rich-text-body>'
        + macro.format("include", "C")
        + "</ac:rich-text-body></ac:structured-macro>"
    )
    dump = Dump().page(2, "A", macro.format("excerpt-include", "B")).page(3, "B", excerpt)
    dump.page(4, "C", "<p>secret</p>").restrict(4, "group:hr")
    source = dump.write(tmp_path)
    found = documents(source)["2"]
    assert found.blocks[0].text == "secret"
    assert found.rule == AccessRule.of({STAFF}, {Principal.group("hr")})


def test_page_that_includes_one_that_nobody_may_read_is_read_by_nobody(tmp_path: Path) -> None:
    include = '<ac:structured-macro ac:name="include"><ac:parameter ac:name=""><ac:link><ri:page ri:content-title="B"/>'
    include += "</ac:link></ac:parameter></ac:structured-macro>"
    dump = Dump().page(2, "A", include).page(3, "B", "<p>x</p>").restrict(3, "user:k-gone")
    assert rule_of(dump, tmp_path) == NOBODY
    assert "includes" in warnings_of(dump, tmp_path)


def test_attachment_has_its_pages_rule(tmp_path: Path) -> None:
    dump = Dump().page(2, "Page").restrict(2, "group:hr").attachment(5, 2, "a.txt")
    (tmp_path / "attachments/2/5").mkdir(parents=True)
    (tmp_path / "attachments/2/5/1").write_text("attached")
    found = documents(dump.write(tmp_path))
    assert found["2/5"].rule == found["2"].rule == AccessRule.of({STAFF}, {Principal.group("hr")})


_HOLDERS = st.lists(st.sampled_from(["group:a", "group:b", "user:k-ana", "user:k-gone"]), max_size=3, unique=True)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.integers(0, 5), st.one_of(st.none(), _HOLDERS)), min_size=1, max_size=6))
def test_no_page_is_ever_wider_than_any_of_its_ancestors(
    tmp_path: Path, pages: list[tuple[int, list[str] | None]]
) -> None:
    dump = people(Dump())
    for number, (above, holders) in enumerate(pages):
        dump.page(number + 1, f"P{number}", parent=above if 0 < above <= number else None)
        if holders is not None:
            dump.restrict(number + 1, *holders)
    found = documents(dump.write(tmp_path))
    readers = [holds(ANA), holds(Principal.group("a")), holds(Principal.group("b")), holds(), frozenset({ANA})]
    for number, (above, _) in enumerate(pages):
        if 0 < above <= number:
            child, parent = found[str(number + 1)].rule, found[str(above)].rule
            assert not any(child.satisfied_by(r) and not parent.satisfied_by(r) for r in readers)
