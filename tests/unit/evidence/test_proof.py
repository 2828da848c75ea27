"""How a citation stands, years later."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import Any

import pytest

from core.domain.access import OPEN_TO_TENANT, Reader
from core.domain.document import DocumentStatus
from core.domain.evidence import text_hash
from core.evidence.proof import Standing, occurrence

from .conftest import ANA, HR, NOW, Company

LEAVE = "Annual leave is 25 working days."
FORGED = "Annual leave is 52 working days."
CARRY = "Up to 5 days may be carried over."
YESTERDAY, TOMORROW = NOW.date() - dt.timedelta(days=1), NOW.date() + dt.timedelta(days=1)


def test_a_citation_of_the_version_that_is_served_is_ok(company: Company) -> None:
    version = company.write("leave", f"{LEAVE}\n\n{CARRY}")
    proof = company.prove(company.cite(version, CARRY))
    assert (proof.standing, proof.detail) == (Standing.OK, "")
    assert (proof.start_offset, proof.current_version) == (len(LEAVE) + 2, 1)


def test_text_that_a_newer_version_has_at_the_same_place_is_ok(company: Company) -> None:
    citation = company.cite(company.write("leave", LEAVE), LEAVE)
    company.write("leave", f"{LEAVE}\n\n{CARRY}")
    proof = company.prove(citation)
    assert (proof.standing, proof.detail) == (Standing.OK, "the same in version 2")


def test_text_that_stands_elsewhere_now_has_moved(company: Company) -> None:
    citation = company.cite(company.write("leave", LEAVE), LEAVE)
    company.write("leave", f"{CARRY}\n\n{LEAVE}")
    proof = company.prove(citation)
    assert (proof.standing, proof.start_offset) == (Standing.MOVED, len(CARRY) + 2)


def test_text_that_is_no_longer_said_has_changed(company: Company) -> None:
    citation = company.cite(company.write("leave", LEAVE), LEAVE)
    company.write("leave", LEAVE.replace("25", "24"))
    assert company.prove(citation).standing is Standing.CHANGED


def test_a_longer_number_does_not_say_the_shorter_one(company: Company) -> None:
    citation = company.cite(company.write("band", "Level 4 earns 500 euros."), "Level 4 earns 500")
    company.write("band", "Level 4 earns 5000 euros.")
    assert company.prove(citation).standing is Standing.CHANGED


@pytest.mark.parametrize(
    "said",
    [
        {"status": DocumentStatus.OBSOLETE},
        {"status": DocumentStatus.ARCHIVED},
        {"superseded_by": "leave-2027"},
        {"valid_until": YESTERDAY},
        {"valid_from": TOMORROW},
    ],
)
def test_a_document_that_is_not_in_force_any_more_is_superseded(company: Company, said: dict[str, Any]) -> None:
    citation = company.cite(company.write("leave", LEAVE), LEAVE)
    company.write("leave", LEAVE, **said)
    assert company.prove(citation).standing is Standing.SUPERSEDED


def test_a_removed_document_is_gone_although_its_version_is_kept(company: Company) -> None:
    citation = company.cite(company.write("leave", LEAVE), LEAVE)
    company.remove("leave")
    proof = company.prove(citation)
    assert (proof.standing, proof.detail) == (Standing.GONE, "the document was removed at its source")


def test_a_version_that_never_was_is_gone(company: Company) -> None:
    citation = company.cite(company.write("leave", LEAVE), LEAVE, document_version=7)
    assert company.prove(citation).standing is Standing.GONE


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"quote": FORGED, "text_hash": text_hash(FORGED)}, "text"),
        ({"text_hash": text_hash("x")}, "text"),
        ({"start_offset": 1}, "text"),
        ({"start_offset": -5}, "text"),
        ({"end_offset": 10**9}, "text"),
        ({"title": "Salary bands"}, "title"),
        ({"source_uri": "https://evil.example"}, "address"),
        ({"chunk_id": "salaries#s1-p1"}, "passage"),
        ({"visibility": 99}, "rule"),
        ({"valid_until": TOMORROW}, "validity"),
    ],
)
def test_a_citation_that_was_tampered_with_is_changed(company: Company, change: dict[str, Any], named: str) -> None:
    citation = replace(company.cite(company.write("leave", LEAVE), LEAVE), **change)
    proof = company.prove(citation)
    assert proof.standing is Standing.CHANGED
    assert proof.detail == f"not what the version says: {named}"


def test_a_version_that_was_restricted_is_forbidden_although_the_document_is_open_now(company: Company) -> None:
    citation = company.cite(company.write("leave", LEAVE, rule=HR), LEAVE)
    company.write("leave", LEAVE, rule=OPEN_TO_TENANT)
    assert company.prove(citation, ANA).standing is Standing.FORBIDDEN
    assert company.prove(citation).standing is Standing.OK


def test_a_version_that_was_open_is_forbidden_once_the_document_is_restricted(company: Company) -> None:
    citation = company.cite(company.write("leave", LEAVE), LEAVE)
    assert company.prove(citation, ANA).standing is Standing.OK
    company.write("leave", LEAVE, rule=HR)
    assert company.prove(citation, ANA).standing is Standing.FORBIDDEN


def test_a_forbidden_document_does_not_tell_whether_it_changed_or_went(company: Company) -> None:
    first = company.cite(company.write("bands", LEAVE, rule=HR), LEAVE)
    company.write("bands", CARRY, rule=HR)
    changed = company.prove(first, ANA)
    company.remove("bands")
    removed = company.prove(first, ANA)
    assert changed == removed
    assert (changed.standing, changed.current_version) == (Standing.FORBIDDEN, None)


def test_a_reader_of_whom_nothing_is_known_is_forbidden_everything(company: Company) -> None:
    citation = company.cite(company.write("leave", LEAVE), LEAVE)
    assert company.prove(citation, Reader.nobody("t")).standing is Standing.FORBIDDEN


def test_a_citation_of_another_tenant_is_forbidden(company: Company) -> None:
    citation = company.cite(company.write("leave", LEAVE), LEAVE, tenant_id="other")
    assert company.prove(citation).standing is Standing.FORBIDDEN


@pytest.mark.parametrize(
    ("text", "quote", "near", "found"),
    [
        ("a day, a day, a day", "a day", 8, 7),
        ("a day, a day, a day", "a day", 0, 0),
        ("1500 euros", "500 euros", 0, None),
        ("todays", "day", 0, None),
        ("aaa", "", 0, None),
    ],
)
def test_a_quote_is_found_nearest_and_never_inside_a_word(text: str, quote: str, near: int, found: int | None) -> None:
    assert occurrence(text, quote, near) == found
