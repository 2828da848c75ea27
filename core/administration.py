"""What admins do with documents: hide one, show it again, see who may read it; and what of an answer may be shared."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from core.access.explanation import AccessExplanation, clause_findings
from core.domain.access import Audience, Reader
from core.domain.evidence import Claim
from core.evidence.lookup import known, known_of
from core.evidence.proof import HOLDS, Proof, Standing, prove
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
            served=record.document_id in tables.current_versions(tenant_id),
            revoked=record.document_id in self.revocations.revoked(tenant_id),
            findings=clause_findings(rule, reader) if rule is not None else (),
        )

    def opened(self, run_id: str, citation_id: str, reader: Reader) -> Proof | None:
        """A citation of an earlier answer as this reader may see it now; None for all that they may not.

        Whether there is none such, it is somebody else's, its document was revoked or its rights were taken away: who
        may not see it cannot tell these apart, and gets no title and no text.
        """
        tenant_id = reader.tenant_id
        claims = self.evidence.claims(tenant_id, run_id) or ()
        found = next((c for claim in claims for c in claim.citations if c.citation_id == citation_id), None)
        if found is None or found.document_id in self.revocations.revoked(tenant_id):
            return None
        proof = prove(
            found,
            known(found, known_of(self.index.tables, tenant_id, [found])),
            tenant_id=tenant_id,
            today=self.today(),
            visible=self.index.rulebook(tenant_id).visible_to(reader).__contains__,
        )
        return None if proof.standing is Standing.FORBIDDEN or proof.standing is Standing.GONE else proof

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
        kept = tuple(claim for claim in claims if self._may_be_shown(claim, reader, audience))
        return Shareable(kept, is_whole=len(kept) == len(claims) and bool(kept))

    def _may_be_shown(self, claim: Claim, reader: Reader, audience: Audience) -> bool:
        tenant_id = reader.tenant_id
        book = self.index.rulebook(tenant_id)
        visible = book.visible_to(reader) & book.visible_in(audience)
        revoked = self.revocations.revoked(tenant_id)
        looked_up = known_of(self.index.tables, tenant_id, claim.citations)
        return bool(claim.citations) and all(
            citation.document_id not in revoked
            and prove(
                citation,
                known(citation, looked_up),
                tenant_id=tenant_id,
                today=self.today(),
                visible=visible.__contains__,
            ).standing
            in HOLDS
            for citation in claim.citations
        )

    def _find(self, tenant_id: str, name: str) -> VersionRecord | None:
        """The last version of a document: by its id, or by `source/key`."""
        tables = self.index.tables
        tables.refresh()
        source, _, key = name.partition("/")
        document_id = (tables.document_at(tenant_id, source, key) if key else None) or name
        history = tables.history(tenant_id, document_id)
        return history[-1] if history else None
