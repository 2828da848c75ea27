"""Why somebody may or may not read a document: each clause of its rule, and what of it they hold."""

from __future__ import annotations

from dataclasses import dataclass

from core.domain.access import AccessRule, Clause, Principal, Reader


@dataclass(frozen=True, slots=True)
class ClauseFinding:
    """A clause, and the principals of it that the reader holds; none of them: it fails."""

    clause: Clause
    held: frozenset[Principal]

    @property
    def holds(self) -> bool:
        """Whether the reader satisfies it."""
        return bool(self.held)


def clause_findings(rule: AccessRule, reader: Reader) -> tuple[ClauseFinding, ...]:
    """A finding for each clause, all of which must hold, in a fixed order."""
    ordered = sorted(rule.clauses, key=lambda clause: sorted(map(str, clause)))
    return tuple(ClauseFinding(clause, clause & reader.principals) for clause in ordered)


@dataclass(frozen=True, slots=True)
class AccessExplanation:
    """What decides whether a reader may read a document."""

    document_id: str
    served: bool
    """Whether it is in the index now; else nobody reads it."""
    revoked: bool
    """Whether an admin has hidden it from everybody."""
    findings: tuple[ClauseFinding, ...]
    """Empty where its rule is not known: nobody may read it then."""

    @property
    def may_read(self) -> bool:
        """Whether it comes to a yes."""
        return self.served and not self.revoked and bool(self.findings) and all(f.holds for f in self.findings)
