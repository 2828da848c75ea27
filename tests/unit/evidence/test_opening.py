"""What a reader may see of the evidence of an answer, old or new."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection
from dataclasses import replace
from typing import Any

import pytest

from core.domain.access import Principal, Reader
from core.domain.evidence import Citation, Claim, ClaimKind, ClaimStatus, Reason, ReasonCode
from core.evidence.lookup import known_of, visible_to
from core.evidence.numbering import claim_mark, marked, quote_numbers
from core.evidence.opening import OpenedEvidence, OpenedQuote, open_evidence
from core.evidence.proof import Standing

from .conftest import ANA, HR, NOW, TENANT, Company

LEAVE = "Annual leave is 25 working days."
CARRY = "Up to 5 days may be carried over."
SALARY = "The highest salary of band N4 is 58,500 euros."
HER = Reader(TENANT, ANA.principals | {Principal.group("hr")}, "her@x.com")


def claim(text: str, *citations: Citation, kind: ClaimKind = ClaimKind.SYNTHESIS) -> Claim:
    return Claim(text, kind, ClaimStatus.SUPPORTED, citations)


def opened(company: Company, reader: Reader, *claims: Claim, revoked: Collection[str] = ()) -> OpenedEvidence:
    citations = [citation for one in claims for citation in one.citations]
    return open_evidence(
        "r1",
        claims,
        known_of(company.tables, TENANT, citations),
        tenant_id=TENANT,
        today=NOW.date(),
        visible=visible_to(company.tables, reader),
        revoked=revoked,
    )


def only(company: Company, citation: Citation, reader: Reader = ANA) -> OpenedQuote:
    (quote,) = opened(company, reader, claim("So it is.", citation)).quotes
    return quote


def test_a_quote_that_stands_is_shown_within_its_paragraph_with_what_is_known_of_its_version(company: Company) -> None:
    said: dict[str, Any] = {"owner": "hr@x.com", "modified_at": NOW, "valid_until": dt.date(2027, 1, 1)}
    version = company.write("leave", f"Leave is paid. {LEAVE}\n\n{CARRY}", **said)
    quote = only(company, company.cite(version, LEAVE))
    assert quote.standing is Standing.OK
    assert quote.shown is not None
    assert quote.shown.paragraph is not None
    assert (quote.shown.paragraph.before, quote.shown.paragraph.quote) == ("Leave is paid. ", LEAVE)
    assert (quote.shown.metadata.owner, quote.shown.observed_at) == ("hr@x.com", version.observed_at)
    assert quote.shown.current is None


def test_a_quote_that_the_document_does_not_say_any_more_comes_with_what_it_says_now(company: Company) -> None:
    version = company.write("leave", f"{LEAVE}\n\n{CARRY}")
    citation = company.cite(version, LEAVE)
    company.write("leave", f"{CARRY}\n\n{LEAVE.replace('25', '24')}")
    quote = only(company, citation)
    assert quote.standing is Standing.CHANGED
    assert quote.shown is not None
    assert quote.shown.paragraph is not None
    assert quote.shown.paragraph.quote == LEAVE, "what the answer rested on is still shown"
    assert quote.shown.current is not None
    assert (quote.shown.current.number, quote.shown.current.sentence) == (2, LEAVE.replace("25", "24"))


@pytest.mark.parametrize("hidden", ["the version's own rule", "the rule of now", "revoked"])
def test_what_a_reader_may_not_see_has_no_title_and_no_text_and_neither_has_what_rests_on_it(
    company: Company, hidden: str
) -> None:
    restricted: dict[str, Any] = {"rule": HR} if hidden == "the version's own rule" else {}
    pay = company.write("pay", SALARY, **restricted)
    leave = company.write("leave", LEAVE)
    if hidden == "the version's own rule":
        company.write("pay", f"{SALARY} ")
    elif hidden == "the rule of now":
        company.write("pay", f"{SALARY} It is paid monthly.", rule=HR)
    found = opened(
        company,
        ANA,
        replace(claim("N4 earns 58,500.", company.cite(pay, SALARY)), reasons=(Reason(ReasonCode.AMBIGUOUS, SALARY),)),
        claim("Leave is 25 days and N4 earns 58,500.", company.cite(leave, LEAVE), company.cite(pay, SALARY)),
        claim("Leave is 25 days.", company.cite(leave, LEAVE)),
        revoked=("pay",) if hidden == "revoked" else (),
    )
    assert [quote.standing for quote in found.quotes] == [Standing.FORBIDDEN, Standing.OK]
    assert "58,500" not in repr(found)
    assert "pay" not in repr(found)
    assert [one.text for one in found.claims] == ["", "", "Leave is 25 days."]
    assert [one.numbers for one in found.claims] == [(1,), (1, 2), (2,)]
    assert found.documents == (("leave", 1),)


def test_who_holds_the_group_sees_it(company: Company) -> None:
    citation = company.cite(company.write("pay", SALARY, rule=HR), SALARY)
    assert only(company, citation, HER).shown is not None


def test_a_removed_document_is_said_to_be_gone_and_not_shown(company: Company) -> None:
    citation = company.cite(company.write("leave", LEAVE), LEAVE)
    company.remove("leave")
    quote = only(company, citation)
    assert (quote.standing, quote.is_removed, quote.shown) == (Standing.GONE, True, None)


def test_a_removed_document_is_forbidden_to_who_might_not_read_it(company: Company) -> None:
    citation = company.cite(company.write("pay", SALARY, rule=HR), SALARY)
    company.remove("pay")
    assert only(company, citation).standing is Standing.FORBIDDEN


def test_a_version_whose_text_was_deleted_is_gone_though_the_document_is_there(company: Company) -> None:
    citation = company.cite(company.write("leave", LEAVE), LEAVE)
    company.write("leave", CARRY)
    company.tables.forget_versions(TENANT, [("leave", 1)])
    quote = only(company, citation)
    assert (quote.standing, quote.is_removed, quote.shown) == (Standing.GONE, False, None)


def test_a_citation_that_is_not_what_its_version_says_is_not_shown(company: Company) -> None:
    version = company.write("leave", LEAVE)
    forged = replace(company.cite(version, LEAVE), quote=LEAVE.replace("25", "52"))
    quote = only(company, forged)
    assert (quote.is_altered, quote.shown) == (True, None)


@pytest.mark.parametrize("since", [False, True])
def test_where_extracts_are_not_allowed_the_place_is_shown_and_no_word_of_it(company: Company, since: bool) -> None:
    version = company.write("leave", f"Before. {LEAVE}", show_quotes=since)
    citation = company.cite(version, LEAVE)
    company.write("leave", LEAVE.replace("25", "24"), show_quotes=False)
    quote = only(company, citation)
    assert quote.shown is not None
    assert quote.shown.paragraph is None
    assert not quote.shown.metadata.show_quotes
    assert quote.shown.current is not None
    assert quote.shown.current.sentence == ""


def test_a_replaced_document_says_by_what_it_stands(company: Company) -> None:
    citation = company.cite(company.write("leave", LEAVE), LEAVE)
    company.write("leave", LEAVE, superseded_by="leave-2027")
    quote = only(company, citation)
    assert quote.standing is Standing.SUPERSEDED
    assert quote.shown is not None
    assert quote.shown.current is not None
    assert quote.shown.current.metadata.is_superseded


def test_claims_are_meant_by_their_marks_and_numbered_as_in_their_message(company: Company) -> None:
    leave, carry = company.write("leave", f"{LEAVE}\n\n{CARRY}"), company.write("rule", CARRY)
    claims = (claim("One.", company.cite(leave, LEAVE)), claim("Two.", company.cite(carry, CARRY)))
    (meant,) = marked(claims, {claim_mark(claims[1])})
    assert meant.text == "Two."
    assert list(quote_numbers([meant]).values()) == [1]
    assert marked(claims, ()) == claims
