"""Keep evidence for its time, and notice when a sync takes the ground from under an answer."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping

from core.access.rulebook import RuleBook
from core.domain.document import Version
from core.domain.evidence import Claim
from core.domain.keeping import EvidenceFlag, Expired, FlagKind, TextChange
from core.evidence.lookup import is_forgotten
from core.evidence.proof import occurrence
from core.index.tables import Tables
from core.store.evidence import REMOVED, EvidenceStore

GRACE = dt.timedelta(days=1)
"""A version stays so long after the next one came: a run that began with it may not have recorded its evidence yet."""


class EvidenceKeeper:
    """Maintenance of one tenant's evidence. To be run by who holds the writer's lock, after each sync."""

    def __init__(self, store: EvidenceStore, tables: Tables, tenant_id: str, keep: dt.timedelta) -> None:
        self._store = store
        self._tables = tables
        self._tenant = tenant_id
        self._keep = keep

    def maintain(self, now: dt.datetime) -> tuple[list[EvidenceFlag], Expired]:
        """Flag what the last syncs broke, then delete what is over."""
        self._tables.refresh()
        return self.check(now), self.expire(now)

    def check(self, now: dt.datetime) -> list[EvidenceFlag]:
        """Flag the runs whose cited documents changed since they were last looked at; the new flags.

        It compares with what is served, not with what a sync says it did: a sync that was killed loses no flag.
        """
        served = self._tables.current_versions(self._tenant)
        seen = self._store.checked(self._tenant)
        changes = [TextChange(d, old, served.get(d)) for d, old in seen if served.get(d, REMOVED) != old]
        flags = self.flag(changes, now)
        self._store.mark_checked(self._tenant, {c.document_id: c.new or REMOVED for c in changes})
        return flags

    def flag(self, changes: Iterable[TextChange], now: dt.datetime) -> list[EvidenceFlag]:
        """Flag the runs that cite what these documents do not say any more, or perhaps not to everybody; the new flags.

        A document that may be read again by all who could read what was cited loses its flag.
        """
        new = {change.document_id: change.new for change in changes}
        served = self._served(new)
        citing = self._store.citing(self._tenant, new)
        at = now.timestamp()
        flags = [
            EvidenceFlag(run_id, document_id, kind, at)
            for run_id, claims in citing.items()
            for document_id, kind in _broken(claims, new, served).items()
        ]
        narrowed, restored = self._access(citing, served)
        flags += [
            EvidenceFlag(run_id, document_id, FlagKind.ACCESS, at, served[document_id].rule_id)
            for run_id, document_id in narrowed
        ]
        self._store.drop_flags(FlagKind.ACCESS, restored)
        return self._store.add_flags(flags)

    def _access(
        self, citing: Mapping[str, Iterable[Claim]], served: Mapping[str, Version]
    ) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
        """The (run, document) of which somebody may have lost the right to read what was cited, and all others."""
        book = self._tables.rulebook(self._tenant)
        narrowed: dict[tuple[str, str], bool] = {}
        for run_id, claims in citing.items():
            for citation in (citation for claim in claims for citation in claim.citations):
                version = served.get(citation.document_id)
                if version is None:
                    continue
                key = (run_id, citation.document_id)
                is_narrower = _may_be_narrower(book, citation.visibility, version.rule_id)
                narrowed[key] = narrowed.get(key, False) or is_narrower
        return [key for key, is_so in narrowed.items() if is_so], [key for key, is_so in narrowed.items() if not is_so]

    def expire(self, now: dt.datetime) -> Expired:
        """Delete runs whose time is over, with their evidence; then the text of versions that nothing points at.

        What is served stays, and so do the ids of what is deleted: none is given again.
        """
        runs = self._store.delete_before(self._tenant, (now - self._keep).timestamp())
        pointed = self._store.pointed_at(self._tenant)
        served = self._tables.current_versions(self._tenant)
        over = []
        stamps = self._tables.version_stamps(self._tenant)
        seen = {(stamp.document_id, stamp.number): stamp.observed_at for stamp in stamps}
        for stamp in stamps:
            key = (stamp.document_id, stamp.number)
            replaced = seen.get((stamp.document_id, stamp.number + 1), stamp.observed_at)
            is_served = stamp.number >= served.get(stamp.document_id, stamp.number + 1)  # or is about to be
            if stamp.has_text and key not in pointed and not is_served and replaced <= now - GRACE:
                over.append(key)
        self._tables.forget_versions(self._tenant, over)
        return Expired(runs, len(over))

    def _served(self, new: Mapping[str, int | None]) -> dict[str, Version]:
        wanted = [(self._tenant, document_id, number) for document_id, number in new.items() if number is not None]
        read = self._tables.versions(wanted)
        return {document_id: v for (document_id, _), v in read.items() if not is_forgotten(v)}


def _broken(
    claims: Iterable[Claim], new: Mapping[str, int | None], served: Mapping[str, Version]
) -> dict[str, FlagKind]:
    """The changed documents of which some quote of these claims is no longer said."""
    broken: dict[str, FlagKind] = {}
    for claim in claims:
        for citation in claim.citations:
            document_id = citation.document_id
            if document_id not in new:
                continue
            if document_id not in served:
                broken[document_id] = FlagKind.GONE
            elif occurrence(served[document_id].text, citation.quote, citation.start_offset) is None:
                broken[document_id] = FlagKind.CHANGED
    return broken


def _may_be_narrower(book: RuleBook, then: int, now: int) -> bool:
    """Whether somebody who could read by one rule may not by another, as far as the rules themselves say."""
    if then == now:
        return False
    cited, current = book.rule(then), book.rule(now)
    return cited is None or current is None or not current.admits_all_of(cited)
