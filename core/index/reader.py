"""Open snapshots of the index for questions."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection

from core.access.rulebook import RuleBook
from core.domain.access import Audience, Reader
from core.index.lexical import LexicalIndex
from core.index.snapshot import Snapshot
from core.index.tables import Tables


def nothing_revoked(_tenant_id: str) -> frozenset[str]:
    """No document is revoked."""
    return frozenset()


class IndexReader:
    """Gives each question a pinned, access-filtered view. Safe to use from several threads."""

    def __init__(
        self,
        tables: Tables,
        lexical: LexicalIndex,
        revoked: Callable[[str], frozenset[str]] = nothing_revoked,
    ) -> None:
        """`revoked` names the documents of a tenant that nobody may read now; it is asked for each question."""
        self.tables = tables
        self.lexical = lexical
        self.revoked = revoked
        self._lock = threading.Lock()
        self._pinned: tuple[tuple[str, int], object] | None = None
        self._caught_up = ("", -1)
        self._books: dict[str, tuple[int, RuleBook]] = {}

    def snapshot(self, reader: Reader, audience: Audience, sources: Collection[str] = ()) -> Snapshot:
        """What the asker *and* everybody of the audience may read, at the newest version of the index.

        `sources` confines it to some sources; none named, all are looked at.

        Raises:
            ModelError: the index was rebuilt with another model than this process has, and changed since.
        """
        with self._lock:
            version = self.tables.refresh()
            book = self._book(reader.tenant_id)
            state = (self.tables.chunks_table, version)
            if self._pinned is None or self._pinned[0] != state:
                handle = self.tables.pinned(version)
                self._pinned = (state, handle)
            chunks = self._pinned[1]
            lexical = self.lexical = self.lexical.of(self.tables.chunks_table)  # a rebuild has its own
        if self._caught_up != state and lexical.catch_up(self.tables, wait=False):
            self._caught_up = state
        rules = book.visible_to(reader) & book.visible_in(audience)
        hidden = self.revoked(reader.tenant_id)
        return Snapshot(self.tables, chunks, version, lexical, reader.tenant_id, rules, hidden, sources)

    def rulebook(self, tenant_id: str) -> RuleBook:
        """The rules as they are now, for a check at the time of showing."""
        with self._lock:
            self.tables.refresh()
            return self._book(tenant_id)

    def taken_away(
        self, tenant_id: str, document_ids: Collection[str], since: int, visible: Callable[[int], bool]
    ) -> frozenset[str]:
        """Those documents that were revoked, or that a sync has restricted or removed since a version of the index.

        `visible` says of a rule whether those who are to see the documents satisfy it now.
        """
        wanted = frozenset(document_ids)
        revoked = wanted & self.revoked(tenant_id)
        with self._lock:
            if self.tables.refresh() == since:
                return revoked
            rules = self.tables.served_rules(tenant_id, wanted)
        kept = {name for name in wanted if name in rules and all(map(visible, rules[name]))}
        return revoked | (wanted - kept)

    def _book(self, tenant_id: str) -> RuleBook:
        stamp = int(self.tables.rules.version)
        cached = self._books.get(tenant_id)
        if cached is None or cached[0] != stamp:
            cached = (stamp, self.tables.rulebook(tenant_id))
            self._books[tenant_id] = cached
        return cached[1]
