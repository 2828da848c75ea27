"""The samples of `docs/evidence.md`, run for real on the sample company's documents."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from pathlib import Path

import pytest

from core.chunking import chunk_version
from core.domain.document import SourceDocument
from core.domain.evidence import (
    Claim,
    ClaimKind,
    ClaimStatus,
    DraftClaim,
    DraftQuote,
    Evidence,
    EvidencePassage,
    ReasonCode,
)
from core.settings import load_settings
from core.text.canonical import canonicalise
from core.verification import Verifier
from sync.sources import open_source
from tests.delivered import delivered

ROOT = Path(__file__).resolve().parents[3]
PAGE = " ".join((ROOT / "docs" / "evidence.md").read_text(encoding="utf-8").split())
GUIDE = "personas/guia-oficina-valencia.docx"
LEAVE = "Employees in Dublin have 26 working days of annual leave per calendar year."
FORGED = LEAVE.replace("26", "28")
CARRIED = "They must be used by 31 March and are lost after that date"
EXCEPTION = "except for people who were on sick leave or parental leave"
FEE = "La plaza de aparcamiento cuesta 35 € al mes y se descuenta de la nómina."
OTHER_FEE = "La plaza de aparcamiento en Ribarroja cuesta 42 € al mes para todo el personal."
DELIVERED = {
    "leave": ("1200013", LEAVE),
    "carry": ("1200013", CARRIED),
    "fee": ("1200043", FEE),
    "guide": (GUIDE, OTHER_FEE),
}

Check = Callable[[str, str, str], Claim]


def passage(label: str, document: SourceDocument, words: str) -> EvidencePassage:
    canonical = canonicalise(document.blocks)
    chunk = next(c for c in chunk_version(document.key, document.metadata.title, canonical, "en") if words in c.text)
    return delivered(label, document, canonical, chunk)


@pytest.fixture(scope="module")
def check() -> Check:
    """Verify a claim with one quote against the passages of the sample documents."""
    wanted = {key for key, _ in DELIVERED.values()}
    documents = {
        document.key: document
        for source in load_settings(ROOT / "tests" / "corpus" / "testigo.toml").sources
        for document in open_source(source).read()
        if isinstance(document, SourceDocument) and document.key in wanted
    }
    passages = tuple(passage(label, documents[key], words) for label, (key, words) in DELIVERED.items())
    evidence = Evidence("run", "almendro", 1, dt.datetime(2026, 11, 29, tzinfo=dt.UTC), passages)
    verifier = Verifier(dt.date(2026, 11, 29))

    def check(text: str, label: str, quote: str) -> Claim:
        draft = DraftClaim(text, ClaimKind.SYNTHESIS, (DraftQuote(label, quote),))
        return verifier.verify(draft, evidence, lambda rule: True)

    return check


def is_shown(claim: Claim) -> bool:
    """Whether the page has the claim, its status, and its citation or its reasons."""
    cited = all(
        f"`{c.document_id} [{c.start_offset}:{c.end_offset}]`, hash `{c.text_hash[:16]}…`" in PAGE
        for c in claim.citations
    )
    reasons = all(reason.code.value in PAGE and reason.detail in PAGE for reason in claim.reasons)
    return f"> {claim.text}" in PAGE and f"**{claim.status.value}" in PAGE and cited and reasons


@pytest.mark.parametrize(
    ("text", "label", "quote"),
    [
        ("People in Dublin have 26 working days of annual leave a year.", "leave", LEAVE),
        ("La plaza de aparcamiento cuesta 35 € al mes.", "fee", FEE),
        (OTHER_FEE, "guide", OTHER_FEE),
    ],
)
def test_the_correct_claim_and_both_sides_of_the_contradiction_are_supported(
    check: Check, text: str, label: str, quote: str
) -> None:
    claim = check(text, label, quote)
    assert (claim.status, claim.reasons) == (ClaimStatus.SUPPORTED, ())
    assert [c.quote for c in claim.citations] == [quote]
    assert is_shown(claim)


def test_the_partial_claim_leaves_out_an_exception(check: Check) -> None:
    claim = check("Days that are carried over must be used by 31 March and are lost after that date.", "carry", CARRIED)
    assert claim.status is ClaimStatus.PARTIAL
    assert [(r.code, r.detail) for r in claim.reasons] == [(ReasonCode.TRUNCATED_CONTEXT, EXCEPTION)]
    assert is_shown(claim)


@pytest.mark.parametrize(
    ("text", "quote", "code"),
    [
        (FORGED, FORGED, ReasonCode.EDITED),
        ("Employees in Dublin have 28 working days of annual leave.", LEAVE, ReasonCode.VALUE_NOT_IN_QUOTE),
    ],
)
def test_the_rejected_claims_have_no_citations(check: Check, text: str, quote: str, code: ReasonCode) -> None:
    claim = check(text, "leave", quote)
    assert (claim.status, claim.citations) == (ClaimStatus.UNSUPPORTED, ())
    assert [reason.code for reason in claim.reasons] == [code]
    assert is_shown(claim)
