"""Open the evidence of an answer, old or new, for one reader: what of it they may see now, and how it stands.

Rights come first and are those of this moment *and* of the version that was cited. What a reader may not see any more
has no title and no text here, nor has a claim that rests on it: a front end cannot show what it is not given.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from core.domain.document import Metadata, Version
from core.domain.evidence import Citation, Claim, ClaimKind, ClaimStatus, Reason
from core.evidence.lookup import DocumentVersion, known
from core.evidence.numbering import Slice, quote_numbers, slice_of
from core.evidence.proof import Known, Proof, Standing, prove
from core.evidence.surroundings import Paragraph, paragraph_of, said_now

_HIDDEN = frozenset({Standing.FORBIDDEN, Standing.GONE})


@dataclass(frozen=True, slots=True)
class CurrentVersion:
    """The document as it is served now, where that is another version than the one cited, or does not hold.

    `sentence` is what it says in the place of a quote that it does not say any more; empty: nothing like it, or its
    owner does not allow extracts.
    """

    number: int
    metadata: Metadata
    observed_at: dt.datetime
    sentence: str = ""


@dataclass(frozen=True, slots=True)
class ShownQuote:
    """A quote that the reader may see. `paragraph` is None where the owner does not allow extracts."""

    citation: Citation
    metadata: Metadata
    """Of the version that was cited."""
    observed_at: dt.datetime
    paragraph: Paragraph | None
    current: CurrentVersion | None = None


@dataclass(frozen=True, slots=True)
class OpenedQuote:
    """A quote under its number in the answer. `shown` is None when there is nothing that this reader may see."""

    number: int
    standing: Standing
    shown: ShownQuote | None = None
    is_removed: bool = False
    """Of one that is gone: the whole document is, not only the text of this version."""
    is_altered: bool = False
    """The citation is not what its own version says: it must not be relied on."""


@dataclass(frozen=True, slots=True)
class OpenedClaim:
    """A claim, what the verifier found, and the numbers of its quotes. One that rests on what is hidden has no text."""

    text: str
    kind: ClaimKind
    status: ClaimStatus
    reasons: tuple[Reason, ...]
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class OpenedEvidence:
    """The evidence of one run for one reader."""

    run_id: str
    claims: tuple[OpenedClaim, ...]
    quotes: tuple[OpenedQuote, ...]
    """By number."""

    def quote(self, number: int) -> OpenedQuote:
        """The quote under a number, which counts from 1."""
        return self.quotes[number - 1]

    @property
    def documents(self) -> tuple[DocumentVersion, ...]:
        """The versions of which something is shown, each once."""
        seen = {(q.shown.citation.document_id, q.shown.citation.document_version) for q in self.quotes if q.shown}
        return tuple(sorted(seen))


def open_evidence(
    run_id: str,
    claims: Sequence[Claim],
    looked_up: Mapping[DocumentVersion, Known],
    *,
    tenant_id: str,
    today: dt.date,
    visible: Callable[[int], bool],
    revoked: Collection[str] = (),
) -> OpenedEvidence:
    """Say what of a run's evidence a reader may see, and how it stands.

    Args:
        run_id: the run.
        claims: those of the run that are to be shown, in their order.
        looked_up: what is stored of the documents that they cite (`known_of`).
        tenant_id: whose evidence it is.
        today: what counts as in force.
        visible: whether the reader satisfies a rule, by the rules and groups of now.
        revoked: documents that nobody may see.
    """
    numbers = quote_numbers(claims)
    cited = {slice_of(citation): citation for claim in reversed(claims) for citation in claim.citations}
    quotes = []
    for place, number in numbers.items():
        citation = cited[place]
        stored = known(citation, looked_up)
        may = _to_nobody if citation.document_id in revoked else visible
        proof = prove(citation, stored, tenant_id=tenant_id, today=today, visible=may)
        quotes.append(_opened(number, proof, stored))
    hidden = {quote.number for quote in quotes if quote.shown is None}
    return OpenedEvidence(run_id, tuple(_claim(claim, numbers, hidden) for claim in claims), tuple(quotes))


def _claim(claim: Claim, numbers: Mapping[Slice, int], hidden: Collection[int]) -> OpenedClaim:
    mine = tuple(sorted({numbers[slice_of(citation)] for citation in claim.citations}))
    if not mine or any(number in hidden for number in mine):
        return OpenedClaim("", claim.kind, claim.status, (), mine)
    return OpenedClaim(claim.text, claim.kind, claim.status, claim.reasons, mine)


def _opened(number: int, proof: Proof, stored: Known) -> OpenedQuote:
    cited, current = stored.cited, stored.current
    if proof.standing in _HIDDEN or cited is None or current is None:
        is_removed = proof.standing is Standing.GONE and current is None
        return OpenedQuote(number, proof.standing, is_removed=is_removed)
    if proof.altered:
        return OpenedQuote(number, proof.standing, is_altered=True)
    may_quote = cited.metadata.show_quotes and current.metadata.show_quotes
    citation = proof.citation
    start, end = citation.start_offset, citation.end_offset
    path = next((s.path for s in cited.canonical.sections if s.start <= start < s.end), citation.section_path)
    shown = ShownQuote(
        replace(citation, section_path=path),
        replace(cited.metadata, show_quotes=may_quote),
        cited.observed_at,
        paragraph_of(cited.canonical, start, end) if may_quote else None,
        _current(proof, cited, current, may_quote),
    )
    return OpenedQuote(number, proof.standing, shown)


def _current(proof: Proof, cited: Version, current: Version, may_quote: bool) -> CurrentVersion | None:
    if current.number == cited.number and proof.standing is not Standing.SUPERSEDED:
        return None
    sentence = ""
    if may_quote and proof.start_offset is None:
        sentence = said_now(current.canonical, proof.citation.quote, proof.citation.start_offset)
    return CurrentVersion(current.number, current.metadata, current.observed_at, sentence)


def _to_nobody(_rule_id: int) -> bool:
    """What is said of the rules of a document that was revoked."""
    return False
