"""What became of the sources of an answer, as far as certain readers may know it now.

Rights are those of this moment: what is not theirs to see has neither title nor text here.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from core.domain.access import Audience, AudienceKind
from core.evidence.lookup import known_of
from core.evidence.numbering import marked, shown_claims
from core.evidence.opening import OpenedQuote, ShownQuote, open_evidence
from core.evidence.proof import HOLDS, Standing
from core.index.reader import IndexReader
from core.store.evidence import EvidenceStore
from core.store.revocations import RevocationStore

SENTENCES = 3
"""Sentences of one document that are told."""


class NewsKind(StrEnum):
    """What became of a source."""

    CHANGED = "changed"
    """It does not say any more what was cited."""
    REPLACED = "replaced"
    """Another document holds instead of it, or it is no longer in force."""
    UNAVAILABLE = "unavailable"
    """It was removed or hidden, or is not theirs to read (any more): which of these is not told."""
    UNTOLD = "untold"
    """Something became of it, and it is not known who would read what."""


@dataclass(frozen=True, slots=True)
class News:
    """What became of one document. Only what is changed or replaced has a title and a date."""

    kind: NewsKind
    title: str = ""
    at: dt.date | None = None
    """When it was modified, else when the new version was first read."""
    sentences: tuple[str, ...] = ()
    """What it says now in the place of what was cited; none where it says nothing like it, or allows no extracts."""
    may_quote: bool = True


@dataclass(frozen=True, slots=True)
class LivingDesk:
    """One tenant's evidence, as it is told anew."""

    index: IndexReader
    revocations: RevocationStore
    evidence: EvidenceStore
    today: Callable[[], dt.date] = field(default=lambda: dt.datetime.now(dt.UTC).date())

    def news(
        self, tenant_id: str, run_id: str, documents: Collection[str], audience: Audience, marks: Collection[str] = ()
    ) -> tuple[News, ...]:
        """What became of some of the documents that an answer cites, one entry each, for those who read along.

        Args:
            tenant_id: whose answer it is.
            run_id: the answer.
            documents: the documents that are not as they were.
            audience: who will see this: everybody of it may read whatever is named.
            marks: those of the claims that are shown (`claim_mark`); by default all.
        """
        claims = marked(shown_claims(self.evidence.claims(tenant_id, run_id) or ()), marks)
        cited = [c for claim in claims for c in claim.citations if c.document_id in documents]
        if not cited:
            return ()
        if audience.kind is AudienceKind.REFUSED:
            return (News(NewsKind.UNTOLD),)
        touched = tuple(
            claim for claim in claims if any(citation.document_id in documents for citation in claim.citations)
        )
        opened = open_evidence(
            run_id,
            touched,
            known_of(self.index.tables, tenant_id, [c for claim in touched for c in claim.citations]),
            tenant_id=tenant_id,
            today=self.today(),
            visible=self.index.rulebook(tenant_id).visible_in(audience).__contains__,
            revoked=self.revocations.revoked(tenant_id),
        )
        return _by_document(opened.quotes, documents)


def _by_document(quotes: Iterable[OpenedQuote], documents: Collection[str]) -> tuple[News, ...]:
    shown: dict[str, list[tuple[Standing, ShownQuote]]] = {}
    is_hidden = False
    for quote in quotes:
        if quote.shown is None:
            is_hidden = True
        elif quote.shown.citation.document_id in documents and quote.standing not in HOLDS:
            shown.setdefault(quote.shown.citation.document_id, []).append((quote.standing, quote.shown))
    news = [_news(found) for found in shown.values()]
    return tuple([*news, News(NewsKind.UNAVAILABLE)] if is_hidden else news)


def _news(found: list[tuple[Standing, ShownQuote]]) -> News:
    standing, first = found[0]
    kind = NewsKind.REPLACED if standing is Standing.SUPERSEDED else NewsKind.CHANGED
    now = first.current
    if now is None:
        return News(kind, first.citation.title)
    sentences = dict.fromkeys(s.current.sentence for _, s in found if s.current is not None and s.current.sentence)
    may_quote = first.metadata.show_quotes and now.metadata.show_quotes
    at = now.metadata.modified_at or now.observed_at
    told = tuple(sentences)[:SENTENCES] if kind is NewsKind.CHANGED and may_quote else ()
    return News(kind, now.metadata.title or first.citation.title, at.date(), told, may_quote)
