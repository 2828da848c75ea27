"""Evidence over time: what is kept, what is deleted, and what is flagged."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

from core.domain.access import EVERYONE, NOBODY, AccessRule, Principal
from core.domain.keeping import EvidenceFlag, Expired, FlagKind, TextChange
from core.evidence.proof import Standing

from .conftest import LONG_AGO, NOW, TENANT, Company

LEAVE = "Annual leave is 25 working days."
OTHER = "Annual leave is 24 working days."
DAY = dt.timedelta(days=1)


def texts(company: Company, document_id: str) -> list[str]:
    numbers = range(1, company.versions[document_id].number + 1)
    stored = [company.tables.version(TENANT, document_id, number) for number in numbers]
    return [version.text if version else "?" for version in stored]


def test_a_version_stays_as_long_as_evidence_points_at_it_and_then_goes_with_it(company: Company) -> None:
    citation = company.cite(company.write("leave", LEAVE), LEAVE)
    company.answer(citation, at=NOW)
    company.write("leave", OTHER)
    assert company.keeper.expire(NOW + 179 * DAY) == Expired(0, 0)
    assert texts(company, "leave") == [LEAVE, OTHER]
    assert company.keeper.expire(NOW + 181 * DAY) == Expired(1, 1)
    assert texts(company, "leave") == ["", OTHER]
    assert company.store.claims(TENANT, "r1") is None
    assert company.prove(citation).standing is Standing.GONE


def test_a_version_that_was_read_and_not_cited_is_kept_too(company: Company) -> None:
    version = company.write("leave", LEAVE)
    company.answer(read=(version,))
    company.write("leave", OTHER)
    assert company.keeper.expire(NOW) == Expired(0, 0)


def test_what_is_served_is_never_deleted(company: Company) -> None:
    company.write("leave", LEAVE)
    assert company.keeper.expire(NOW + 1000 * DAY) == Expired(0, 0)
    assert texts(company, "leave") == [LEAVE]


def test_a_version_that_has_just_been_replaced_waits_for_the_runs_that_began_with_it(company: Company) -> None:
    company.write("leave", LEAVE)
    company.write("leave", OTHER, at=NOW)
    assert company.keeper.expire(NOW + dt.timedelta(minutes=1)) == Expired(0, 0)
    assert company.keeper.expire(NOW + 2 * DAY) == Expired(0, 1)


def test_a_version_that_is_written_and_not_yet_served_is_left_alone(company: Company) -> None:
    first = company.write("leave", LEAVE)
    company.tables.write_versions([replace(first, number=2)])
    assert company.keeper.expire(NOW) == Expired(0, 0)


def test_a_removed_document_goes_when_nothing_points_at_it_but_its_ids_stay_taken(company: Company) -> None:
    company.write("leave", LEAVE)
    company.remove("leave")
    assert company.keeper.expire(NOW) == Expired(0, 1)
    assert texts(company, "leave") == [""]
    assert company.tables.document_ids(TENANT) == {"leave"}
    assert company.tables.chunk_ids(TENANT, "leave") == {"leave#s0-p1"}
    assert company.keeper.expire(NOW) == Expired(0, 0)


def test_another_tenants_evidence_and_versions_are_not_touched(company: Company) -> None:
    company.answer(company.cite(company.write("leave", LEAVE), LEAVE), at=LONG_AGO)
    company.write("leave", OTHER)
    other = type(company.keeper)(company.store, company.tables, "other", dt.timedelta(days=1))
    assert other.expire(NOW) == Expired(0, 0)
    assert texts(company, "leave") == [LEAVE, OTHER]


def test_a_run_is_flagged_once_when_what_it_cited_is_said_no_more(company: Company) -> None:
    company.answer(company.cite(company.write("leave", LEAVE), LEAVE))
    assert company.keeper.check(NOW) == []
    company.write("leave", OTHER)
    flag = EvidenceFlag("r1", "leave", FlagKind.CHANGED, NOW.timestamp())
    assert company.keeper.check(NOW) == [flag]
    assert company.keeper.check(NOW + DAY) == []
    assert company.store.flags(TENANT) == [flag]


def test_a_change_that_leaves_the_quote_alone_flags_nothing(company: Company) -> None:
    company.answer(company.cite(company.write("leave", LEAVE), LEAVE))
    company.write("leave", f"News.\n\n{LEAVE}")
    assert company.keeper.check(NOW) == []
    company.write("leave", OTHER)
    assert [flag.kind for flag in company.keeper.check(NOW)] == [FlagKind.CHANGED]


def test_a_removed_document_flags_the_runs_that_cited_it(company: Company) -> None:
    company.answer(company.cite(company.write("leave", LEAVE), LEAVE))
    company.remove("leave")
    assert [flag.kind for flag in company.keeper.check(NOW)] == [FlagKind.GONE]
    assert company.keeper.check(NOW) == []


def test_a_document_that_was_only_read_flags_nothing(company: Company) -> None:
    company.answer(read=(company.write("leave", LEAVE),))
    company.write("leave", OTHER)
    assert company.keeper.check(NOW) == []


EVERYBODY, HR_ALONE = AccessRule.of({EVERYONE}), AccessRule.of({Principal.group("hr")})


def test_a_rule_that_may_let_in_fewer_flags_the_run_once_and_another_such_rule_anew(company: Company) -> None:
    company.answer(company.cite(company.write("leave", LEAVE, rule=EVERYBODY), LEAVE))
    closed = company.write("leave", LEAVE, rule=HR_ALONE)
    assert company.keeper.check(NOW) == [EvidenceFlag("r1", "leave", FlagKind.ACCESS, NOW.timestamp(), closed.rule_id)]
    company.write("leave", f"News.\n\n{LEAVE}", rule=HR_ALONE)
    assert company.keeper.check(NOW) == []
    nobody = company.write("leave", LEAVE, rule=NOBODY)
    assert [flag.rule_id for flag in company.keeper.check(NOW)] == [nobody.rule_id]
    assert [flag.rule_id for flag in company.store.flags(TENANT)] == [nobody.rule_id]


def test_a_rule_that_lets_in_all_of_before_flags_nothing_and_takes_the_flag_back(company: Company) -> None:
    company.answer(company.cite(company.write("leave", LEAVE, rule=HR_ALONE), LEAVE))
    company.write("leave", LEAVE, rule=AccessRule.of({EVERYONE, Principal.group("hr")}))
    assert company.keeper.check(NOW) == []
    company.write("leave", LEAVE, rule=NOBODY)
    company.keeper.check(NOW)
    assert len(company.store.flags(TENANT)) == 1
    company.write("leave", LEAVE, rule=HR_ALONE)
    assert company.keeper.check(NOW) == []
    assert company.store.flags(TENANT) == []


def test_changes_that_a_sync_names_are_flagged_as_well(company: Company) -> None:
    company.answer(company.cite(company.write("leave", LEAVE), LEAVE))
    company.write("leave", OTHER)
    flags = company.keeper.flag([TextChange("leave", 1, 2), TextChange("parking", 3, None)], NOW)
    assert [(flag.run_id, flag.document_id) for flag in flags] == [("r1", "leave")]


def test_flags_go_with_their_run(company: Company) -> None:
    company.answer(company.cite(company.write("leave", LEAVE), LEAVE))
    company.remove("leave")
    flags, expired = company.keeper.maintain(NOW)
    assert len(flags) == 1 and expired == Expired(0, 0)
    assert company.keeper.maintain(NOW + 181 * DAY) == ([], Expired(1, 1))
    assert company.store.flags(TENANT) == []


def test_claims_come_back_from_the_store_as_they_were(company: Company) -> None:
    version = company.write("leave", LEAVE, valid_from=dt.date(2026, 1, 1))
    answer = company.answer(company.cite(version, LEAVE))
    assert company.store.claims(TENANT, "r1") == answer.claims
    assert company.store.claims("other", "r1") is None
