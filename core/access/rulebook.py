"""The interned access rules of one tenant, and which of them a reader satisfies.

Chunks carry the integer id of their rule. Answering needs only "which ids does this reader satisfy?", so a group change
takes effect on the next question without a re-index.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from core.domain.access import AccessRule, Audience, AudienceKind, Clause, Principal, Reader

REMEMBERED_READERS = 1_000
"""Sets of principals whose rules are remembered; by nothing else, so that no reader gets another's."""


class RuleBook:
    """Rules by id, for one tenant. Immutable; a sync that interns new rules leads to a new book."""

    def __init__(self, tenant_id: str, rules: Mapping[int, AccessRule]) -> None:
        self.tenant_id = tenant_id
        self._rules = dict(rules)
        self._clauses: dict[Principal, list[tuple[int, Clause]]] = {}
        """The clauses that a principal satisfies, each with its rule, so that not every rule is gone through."""
        for rule_id, rule in self._rules.items():
            for clause in rule.clauses:
                for principal in clause:
                    self._clauses.setdefault(principal, []).append((rule_id, clause))
        self._visible: dict[frozenset[Principal], frozenset[int]] = {}

    def visible_to(self, reader: Reader) -> frozenset[int]:
        """Ids of the rules that a reader satisfies; none for a reader of another tenant."""
        if reader.tenant_id != self.tenant_id:
            return frozenset()
        known = self._visible.get(reader.principals)
        if known is None:
            if len(self._visible) >= REMEMBERED_READERS:
                self._visible.clear()
            known = self._visible[reader.principals] = self._satisfied_by(reader.principals)
        return known

    def _satisfied_by(self, principals: frozenset[Principal]) -> frozenset[int]:
        met = Counter(rule_id for rule_id, _ in {each for p in principals for each in self._clauses.get(p, ())})
        return frozenset(rule_id for rule_id, count in met.items() if count == len(self._rules[rule_id].clauses))

    def visible_in(self, audience: Audience) -> frozenset[int]:
        """Ids of the rules that *everybody* of an audience satisfies; none for an audience of nobody."""
        if audience.kind is AudienceKind.REFUSED or not audience.readers:
            return frozenset()
        return frozenset.intersection(*(self.visible_to(reader) for reader in audience.readers))

    def rule(self, rule_id: int) -> AccessRule | None:
        """The rule under an id, or None when it is not of this tenant."""
        return self._rules.get(rule_id)
