"""What admins do with documents: hide one, show it again, see who may read it; and what of an answer may be shared."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from core.access.explanation import AccessExplanation, clause_findings
from core.domain.access import Audience, Reader
from core.domain.evidence import Citation, Claim
from core.evidence.lookup import known, known_of
from core.evidence.numbering import marked, shown_claims
from core.evidence.opening import OpenedEvidence, open_evidence
from core.evidence.proof import HOLDS, prove
from core.index.reader import IndexReader
from core.index.tables import VersionRecord
from core.store.evidence import EvidenceStore
from core.store.revocations import RevocationStore
from core.store.runs import RunStore


@dataclass(frozen=True, slots=True)
class Shareable:
    """What of an answer everybody of an audience may read now, and whether that is all of it."""

    claims: tuple[Claim, ...] = ()
    is_whole: bool = False


@dataclass(frozen=True, slots=True)
class AccessDesk:
    """One tenant's documents, as admins and sharing need them. Rights are looked up at the moment of each call."""

    index: IndexReader
    revocations: RevocationStore
    evidence: EvidenceStore
    runs: RunStore
    today: Callable[[], dt.date] = field(default=lambda: dt.datetime.now(dt.UTC).date())

    def revoke(self, tenant_id: str, name: str, by: str) -> str | None:
        """Hide a document (its id, or `source/key`) from everybody; its id, or None when there is none such."""
        record = self._find(tenant_id, name)
        if record is None:
            return None
        self.revocations.revoke(tenant_id, record.document_id, by)
        return record.document_id

    def lift(self, tenant_id: str, name: str) -> str | None:
        """Let a hidden document's rule decide again; its id, or None when none such is hidden."""
        record = self._find(tenant_id, name)
        document_id = record.document_id if record is not None else name
        return document_id if self.revocations.lift(tenant_id, document_id) else None

    def explain(self, tenant_id: str, name: str, reader: Reader) -> AccessExplanation | None:
        """What decides whether a reader may read a document; None when there is none such."""
        record = self._find(tenant_id, name)
        if record is None:
            return None
        tables = self.index.tables
        rule = tables.rulebook(tenant_id).rule(record.rule_id)
        return AccessExplanation(
            record.document_id,
            served=record.document_id in tables.current_versions(tenant_id, [record.document_id]),
            revoked=record.document_id in self.revocations.revoked(tenant_id),
            findings=clause_findings(rule, reader) if rule is not None else (),
        )

    def may_open(self, run_id: str, place: str, reader: Reader) -> bool:
        """Whether a reader may see an earlier answer at all, where they say they saw it.

        Their own they may, there or where nobody else reads (an empty `place`); somebody else's only where it was
        asked, and only if it was shown to everybody there. A run of another tenant is no run, nor is one whose time is
        over.
        """
        origin = self.runs.origin(reader.tenant_id, run_id)
        if origin is None:
            return False
        if reader.email and origin.reader == reader.email:
            return place in {"", origin.place}
        return bool(place) and place == origin.place and not origin.is_private

    def opened(self, run_id: str, place: str, reader: Reader, marks: Collection[str] = ()) -> OpenedEvidence | None:
        """The evidence of an earlier answer as this reader may see it now; None when there is none that they may.

        Whether there is no such run, it is somebody else's or its time is over: who may not see it cannot tell these
        apart. `marks` are those of the claims that are meant (`claim_mark`); by default all.
        """
        tenant_id = reader.tenant_id
        if not self.may_open(run_id, place, reader):
            return None
        claims = marked(shown_claims(self.evidence.claims(tenant_id, run_id) or ()), marks)
        if not claims:
            return None
        return open_evidence(
            run_id,
            claims,
            known_of(self.index.tables, tenant_id, [c for claim in claims for c in claim.citations]),
            tenant_id=tenant_id,
            today=self.today(),
            visible=self.index.rulebook(tenant_id).visible_to(reader).__contains__,
            revoked=self.revocations.revoked(tenant_id),
        )

    def publish(self, tenant_id: str, run_id: str) -> None:
        """Note that an answer which only one person saw is shown to everybody where it was asked."""
        self.runs.publish(tenant_id, run_id)

    def shareable(
        self,
        run_id: str,
        place: str,
        reader: Reader,
        audience: Audience,
        positions: Collection[int] = (),
    ) -> Shareable | None:
        """What of a run may be shared where it was asked: only by who asked, only what everybody there may read now.

        `positions` are those of the claims that are meant; by default all. None when there is no such run of this
        reader in this place: a run of somebody else is no run.
        """
        tenant_id = reader.tenant_id
        if not reader.email or self.runs.asked_by(tenant_id, run_id) != (reader.email, place):
            return None
        claims = self.evidence.claims(tenant_id, run_id)
        if claims is None:
            return None
        if positions:
            claims = tuple(claim for at, claim in enumerate(claims) if at in positions)
        book = self.index.rulebook(tenant_id)
        visible = book.visible_to(reader) & book.visible_in(audience)
        revoked = self.revocations.revoked(tenant_id)
        today = self.today()
        looked_up = known_of(self.index.tables, tenant_id, [c for claim in claims for c in claim.citations])

        def may_be_shown(citation: Citation) -> bool:
            stored = known(citation, looked_up)
            proof = prove(citation, stored, tenant_id=tenant_id, today=today, visible=visible.__contains__)
            return citation.document_id not in revoked and proof.standing in HOLDS

        kept = tuple(c for c in claims if c.citations and all(may_be_shown(citation) for citation in c.citations))
        return Shareable(kept, is_whole=len(kept) == len(claims) and bool(kept))

    def _find(self, tenant_id: str, name: str) -> VersionRecord | None:
        """The last version of a document: by its id, or by `source/key`."""
        tables = self.index.tables
        tables.refresh()
        source, _, key = name.partition("/")
        document_id = (tables.document_at(tenant_id, source, key) if key else None) or name
        history = tables.history(tenant_id, document_id)
        return history[-1] if history else None
