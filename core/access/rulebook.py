"""The interned access rules of one tenant, and which of them a reader satisfies.

Chunks carry the integer id of their rule. Answering needs only "which ids does this reader satisfy?", so a group change
takes effect on the next question without a re-index.
"""

from __future__ import annotations

from collections.abc import Mapping

from core.domain.access import AccessRule, Audience, AudienceKind, Reader


class RuleBook:
    """Rules by id, for one tenant. Immutable; a sync that interns new rules leads to a new book."""

    def __init__(self, tenant_id: str, rules: Mapping[int, AccessRule]) -> None:
        self.tenant_id = tenant_id
        self._rules = dict(rules)

    def visible_to(self, reader: Reader) -> frozenset[int]:
        """Ids of the rules that a reader satisfies; none for a reader of another tenant."""
        if reader.tenant_id != self.tenant_id:
            return frozenset()
        return frozenset(i for i, rule in self._rules.items() if rule.satisfied_by(reader.principals))

    def visible_in(self, audience: Audience) -> frozenset[int]:
        """Ids of the rules that *everybody* of an audience satisfies; none for an audience of nobody."""
        if audience.kind is AudienceKind.REFUSED or not audience.readers:
            return frozenset()
        return frozenset.intersection(*(self.visible_to(reader) for reader in audience.readers))

    def rule(self, rule_id: int) -> AccessRule | None:
        """The rule under an id, or None when it is not of this tenant."""
        return self._rules.get(rule_id)
