"""Documents that an admin has hidden stay hidden when they come back under another id: moved, copied, or both renamed
and edited.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from core.index.tables import Head, Tables
from core.store.revocations import Revocation, RevocationStore
from sync.plan import Step

FOLLOWED = (
    "It seems to be a revoked document under another name, so it is hidden too: testigo revoke lists it, and lifts it."
)


@dataclass(frozen=True, slots=True)
class _Hidden:
    revocation: Revocation
    is_gone: bool
    """Whether it is no longer where it was."""

    def is_now(self, step: Step, source: str) -> bool:
        """Whether a new document is to be taken for this one. In doubt it is: a wrong guess hides, and says so."""
        was, new = self.revocation, step.observed
        if was.content_hash and new.content_hash == was.content_hash:
            return True
        if not self.is_gone:
            return False
        same_place = was.source == source and _name(was.source_key) == _name(step.key)
        return same_place or (bool(was.title) and new.metadata.title.casefold() == was.title.casefold())


def hidden_successors(
    store: RevocationStore, tables: Tables, tenant_id: str, source: str, steps: Iterable[Step], present: Collection[str]
) -> dict[str, Revocation]:
    """The new documents of a plan that take after a hidden one, by key, with what they take after.

    What is known of hidden documents is written down on the way, for when the index does not have them any more.

    Args:
        store: what is hidden.
        tables: the index.
        tenant_id: whose.
        source: the source that is synced.
        steps: the plan.
        present: keys of the source's documents that are in the export now, with text.
    """
    revocations = store.listed(tenant_id)
    if not revocations:
        return {}
    heads = {head.document_id: (of, head) for (of, _), head in tables.heads(tenant_id).items()}
    known = [(tenant_id, r.document_id, heads[r.document_id][1].version) for r in revocations if r.document_id in heads]
    for document_id, record in tables.records(known).items():
        store.describe(
            tenant_id, document_id, record.source, record.source_key, record.metadata.title, record.content_hash
        )
    hidden = [
        _Hidden(revocation, _is_gone(heads.get(revocation.document_id), source, present))
        for revocation in store.listed(tenant_id)
    ]
    found: dict[str, Revocation] = {}
    for step in steps:
        if step.head is None:
            after = next((each.revocation for each in hidden if each.is_now(step, source)), None)
            if after is not None:
                found[step.key] = after
    return found


def _is_gone(known: tuple[str, Head] | None, source: str, present: Collection[str]) -> bool:
    if known is None:
        return True
    of, head = known
    return head.source_key not in present if of == source else head.served is None


def _name(key: str) -> str:
    return key.rpartition("/")[2]
