"""Evidence for the verifier's tests: documents made of blocks, delivered as passages."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence

from core.domain.document import Block, BlockKind, CanonicalText, DocumentStatus
from core.domain.evidence import (
    Claim,
    ClaimKind,
    DraftCalculation,
    DraftClaim,
    DraftQuote,
    Evidence,
    EvidencePassage,
    Passage,
    ReasonCode,
)
from core.text.canonical import canonicalise
from core.verification import Verifier

TODAY = dt.date(2026, 5, 4)


def prose(*paragraphs: str) -> CanonicalText:
    return canonicalise(Block(BlockKind.PARAGRAPH, paragraph) for paragraph in paragraphs)


def table(header: Sequence[str], *rows: Sequence[str]) -> CanonicalText:
    return canonicalise(
        [
            Block(BlockKind.TABLE_HEADER, cells=tuple(header), table=0),
            *(Block(BlockKind.TABLE_ROW, cells=tuple(row), table=0) for row in rows),
        ]
    )


def passage(
    document: CanonicalText | str,
    label: str = "p1",
    *,
    chunk: tuple[int, int] | None = None,
    document_id: str = "handbook",
    version: int = 1,
    language: str = "es",
    title: str = "Manual",
    section: tuple[str, ...] = (),
    rule_id: int = 1,
    status: DocumentStatus = DocumentStatus.IN_FORCE,
    superseded: bool = False,
    valid_from: dt.date | None = None,
    valid_until: dt.date | None = None,
    header: tuple[int, int] | None = None,
    tenant_id: str = "acme",
) -> EvidencePassage:
    canonical = CanonicalText(document, (), ()) if isinstance(document, str) else document
    start, end = chunk or (0, len(canonical.text))
    return EvidencePassage(
        label,
        Passage(
            chunk_id=f"{document_id}#{label}",
            tenant_id=tenant_id,
            document_id=document_id,
            document_version=version,
            rule_id=rule_id,
            source="wiki",
            uri="https://wiki.example/handbook",
            title=title,
            section_path=section,
            page=None,
            language=language,
            start=start,
            end=end,
            text=canonical.text[start:end],
            context=title,
            sentences=(),
            header=header,
            modified_at=None,
            valid_from=valid_from,
            valid_until=valid_until,
            status=status,
            owner="People",
            show_quotes=True,
            content_hash="",
            superseded=superseded,
        ),
        canonical.text,
        canonical.blocks,
    )


def evidence(*passages: EvidencePassage, run_id: str = "run-1", tenant_id: str = "acme") -> Evidence:
    return Evidence(run_id, tenant_id, 7, dt.datetime(2026, 5, 4, 9, tzinfo=dt.UTC), passages)


def draft(
    text: str,
    *quotes: str | tuple[str, str],
    kind: ClaimKind = ClaimKind.SYNTHESIS,
    calculation: DraftCalculation | None = None,
) -> DraftClaim:
    """A claim; a quote without its label is of `p1`."""
    given = tuple(DraftQuote("p1", quote) if isinstance(quote, str) else DraftQuote(*quote) for quote in quotes)
    return DraftClaim(text, kind, given, calculation)


def verify(claim: DraftClaim, *passages: EvidencePassage, visible: Callable[[int], bool] = lambda rule: True) -> Claim:
    return Verifier(TODAY).verify(claim, evidence(*passages), visible)


def verify_quote(quote: str, *passages: EvidencePassage) -> Claim:
    """An extractive claim that is its quote, of `p1`."""
    return verify(draft(quote, quote, kind=ClaimKind.QUOTE), *passages)


def codes(claim: Claim) -> list[ReasonCode]:
    return [reason.code for reason in claim.reasons]


def details(claim: Claim, code: ReasonCode) -> list[str]:
    return [reason.detail for reason in claim.reasons if reason.code is code]
