"""Which claims of an answer are shown, and the numbers of their quotes: the same in a message and in its evidence."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from core.domain.evidence import Citation, Claim, ClaimStatus, text_hash

Slice = tuple[str, int, int, int]
"""Document id, version, start and end: what a quote is a quote of."""

_MARK = 8
"""Hexadecimal digits that tell the claims of one run apart."""


def shown_claims(claims: Iterable[Claim]) -> tuple[Claim, ...]:
    """The claims that a reader may see: those with a citation which the verifier did not reject."""
    return tuple(claim for claim in claims if claim.citations and claim.status is not ClaimStatus.UNSUPPORTED)


def slice_of(citation: Citation) -> Slice:
    """The slice that a citation names."""
    return citation.document_id, citation.document_version, citation.start_offset, citation.end_offset


def quote_numbers(claims: Iterable[Claim]) -> dict[Slice, int]:
    """The number of each quote, from 1, in order of first use. The same slice has one number, whoever cites it."""
    numbers: dict[Slice, int] = {}
    for claim in claims:
        for citation in claim.citations:
            numbers.setdefault(slice_of(citation), len(numbers) + 1)
    return numbers


def claim_mark(claim: Claim) -> str:
    """A short name of a claim within its run, made of its text, so that a message can say which claims it shows."""
    return text_hash(claim.text)[:_MARK]


def marked(claims: Iterable[Claim], marks: Collection[str]) -> tuple[Claim, ...]:
    """The claims with these marks, in their order; without marks all of them."""
    return tuple(claim for claim in claims if not marks or claim_mark(claim) in marks)
