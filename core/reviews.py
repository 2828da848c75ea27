"""A sample of the last answers for admins to review, each under the admin's own rights.

Only answers that others than the asker were shown, and of them only those whose every quote this admin may read at
this moment. Nothing says who asked, what, or where.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from core.domain.access import Reader
from core.domain.evidence import Claim
from core.evidence.lookup import known_of
from core.evidence.numbering import shown_claims
from core.evidence.opening import OpenedClaim, OpenedEvidence, open_evidence
from core.index.reader import IndexReader
from core.store.evidence import EvidenceStore
from core.store.runs import AnsweredRun, RunStore

LOOKED_AT = 20
"""Answers that are looked at for a sample."""


@dataclass(frozen=True, slots=True)
class Review:
    """An answer: its claims with what the verifier found, the documents they rest on, and what was dropped.

    `at` is in epoch seconds. `dropped_for` counts the dropped claims by reason; some have none.
    """

    run_id: str
    at: float
    claims: tuple[OpenedClaim, ...]
    titles: tuple[str, ...]
    dropped: int
    dropped_for: Mapping[str, int]


class Reviews:
    """Draws samples. Safe to use from several threads."""

    def __init__(
        self,
        index: IndexReader,
        runs: RunStore,
        evidence: EvidenceStore,
        today: Callable[[], dt.date] = lambda: dt.datetime.now(dt.UTC).date(),
    ) -> None:
        self._index = index
        self._runs = runs
        self._evidence = evidence
        self._today = today

    def sample(self, reader: Reader, limit: int) -> tuple[Review, ...]:
        """The last answers that a reader may see whole, newest first. Whether they are an admin is for the caller."""
        tenant_id = reader.tenant_id
        found = []
        for run in self._runs.lately_answered(tenant_id, LOOKED_AT):
            claims = shown_claims(self._evidence.claims(tenant_id, run.run_id) or ())
            if claims:
                found.append((run, claims))
        cited = [citation for _, claims in found for claim in claims for citation in claim.citations]
        looked_up = known_of(self._index.tables, tenant_id, cited)
        visible = self._index.rulebook(tenant_id).visible_to(reader).__contains__
        revoked = self._index.revoked(tenant_id)
        today = self._today()
        sample: list[Review] = []
        for run, claims in found:
            opened = open_evidence(
                run.run_id,
                claims,
                looked_up,
                tenant_id=tenant_id,
                today=today,
                visible=visible,
                revoked=revoked,
            )
            if len(sample) < limit and _is_whole(opened):
                sample.append(_review(run, claims, opened))
        return tuple(sample)


def _is_whole(opened: OpenedEvidence) -> bool:
    return all(quote.shown is not None for quote in opened.quotes) and all(claim.text for claim in opened.claims)


def _review(run: AnsweredRun, claims: tuple[Claim, ...], opened: OpenedEvidence) -> Review:
    titles = dict.fromkeys(citation.title for claim in claims for citation in claim.citations)
    return Review(run.run_id, run.started_at, opened.claims, tuple(titles), run.dropped, run.dropped_for)
