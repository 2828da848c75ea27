"""Where documents in force contradict each other, a claim of the one calls for the words of the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.domain.evidence import Claim, DraftClaim, Evidence
from core.generation.quoting import quoted
from core.verification.contradictions import Contradiction, Side


def opposing(
    contradictions: Sequence[Contradiction], evidence: Evidence, claims: Sequence[Claim]
) -> Iterator[DraftClaim]:
    """Drafts of what contradicts the claims that were emitted, and was not said yet, in its document's own words."""
    for contradiction in contradictions:
        if any(_said(side, evidence, claims) for side in contradiction.sides):
            for side in contradiction.sides:
                delivered = evidence.by_label(side.label)
                if delivered is not None and not _said(side, evidence, claims):
                    yield quoted(delivered, *side.span)


def _said(side: Side, evidence: Evidence, claims: Sequence[Claim]) -> bool:
    delivered = evidence.by_label(side.label)
    if delivered is None:
        return False
    document = (delivered.passage.document_id, delivered.passage.document_version)
    start, end = side.span
    return any(
        (c.document_id, c.document_version) == document and c.start_offset < end and start < c.end_offset
        for claim in claims
        for c in claim.citations
    )
