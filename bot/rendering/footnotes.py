"""The sources of an answer: how quotes are numbered, grouped by place, and described in words.

Both the Slack messages and the terminal draw from this.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bot.rendering.escape import one_line
from bot.rendering.split import cut
from bot.words import Words
from bot.words.words import NOTES_AFTER, NOTES_BEFORE
from core.domain.document import DocumentStatus
from core.domain.evidence import Answer, Citation, Claim, ClaimKind, ClaimStatus, Passage, ReasonCode
from core.evidence.numbering import quote_numbers, slice_of

_PLACE_SHOWN = 160
_CONDITION_SHOWN = 200
_QUOTES_A_SOURCE = 5
"""More quotes of one section are listed as a second source, so that each fits into a block."""
CONDITION_REASONS = frozenset({ReasonCode.CONDITION_DROPPED, ReasonCode.NEGATION_CHANGED, ReasonCode.TRUNCATED_CONTEXT})

DocumentVersion = tuple[str, int]
"""A document's id and the number of its version."""


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """What is worth saying of a cited version and does not stand in the citation."""

    modified_at: dt.datetime | None = None
    status: DocumentStatus = DocumentStatus.IN_FORCE
    superseded: bool = False
    show_quotes: bool = True


UNKNOWN = SourceFacts()


def facts_of(passages: Iterable[Passage]) -> dict[DocumentVersion, SourceFacts]:
    """The facts of the versions that passages were taken from."""
    return {
        (passage.document_id, passage.document_version): SourceFacts(
            passage.modified_at, passage.status, passage.superseded, passage.show_quotes
        )
        for passage in passages
    }


@dataclass(frozen=True, slots=True)
class Footnote:
    """One quote under the number that stands in the answer."""

    number: int
    citation: Citation


@dataclass(frozen=True, slots=True)
class Source:
    """The quotes of one section of one version."""

    footnotes: tuple[Footnote, ...]
    facts: SourceFacts

    @property
    def citation(self) -> Citation:
        """The first of its quotes."""
        return self.footnotes[0].citation

    @property
    def place(self) -> str:
        """Title and section: *Travel policy › Hotels*."""
        citation = self.citation
        title = one_line(citation.title) or citation.document_id
        path = [one_line(heading) for heading in citation.section_path]
        if path and path[0].casefold() == title.casefold():
            path = path[1:]
        whole = " › ".join([title, *path])
        if len(whole) > _PLACE_SHOWN and len(path) > 1:
            whole = " › ".join([title, "…", path[-1]])
        return cut(whole, _PLACE_SHOWN)

    def details(self, words: Words) -> tuple[str, ...]:
        """Page, version and date of change."""
        citation = self.citation
        return tuple(
            detail
            for detail in (
                "" if citation.page is None else words.page(citation.page),
                words.version(citation.document_version),
                "" if self.facts.modified_at is None else words.date(self.facts.modified_at.date()),
            )
            if detail
        )

    def cautions(self, words: Words, today: dt.date) -> tuple[str, ...]:
        """Why this version may not hold now: replaced, expired, not yet in force, draft, archived."""
        citation, facts = self.citation, self.facts
        found = []
        if facts.superseded or facts.status is DocumentStatus.OBSOLETE:
            found.append(words.older_version())
        if facts.status is DocumentStatus.DRAFT:
            found.append(words.draft())
        if facts.status is DocumentStatus.ARCHIVED:
            found.append(words.archived())
        if citation.valid_until is not None and citation.valid_until < today:
            found.append(words.expired(citation.valid_until))
        if citation.valid_from is not None and citation.valid_from > today:
            found.append(words.not_yet_in_force(citation.valid_from))
        return tuple(found)


class Footnotes:
    """The numbers of an answer's quotes, and the sources that they stand in."""

    def __init__(self, claims: Iterable[Claim], facts: Mapping[DocumentVersion, SourceFacts]) -> None:
        self._facts = facts
        self._numbers = quote_numbers(claims)

    def of(self, claims: Iterable[Claim]) -> tuple[Footnote, ...]:
        """The footnotes of some claims, each once, by number."""
        found = {
            self._numbers[slice_of(citation)]: citation
            for claim in reversed(list(claims))
            for citation in claim.citations
        }
        return tuple(Footnote(number, found[number]) for number in sorted(found))

    def sources(self, claims: Iterable[Claim]) -> tuple[Source, ...]:
        """The sources of some claims, each section of a version once, by the first number in it."""
        groups: dict[tuple[str, int, tuple[str, ...], int | None], list[Footnote]] = {}
        for footnote in self.of(claims):
            citation = footnote.citation
            key = (citation.document_id, citation.document_version, citation.section_path, citation.page)
            groups.setdefault(key, []).append(footnote)
        return tuple(
            Source(tuple(group[start : start + _QUOTES_A_SOURCE]), self._facts_of(group[0].citation))
            for group in groups.values()
            for start in range(0, len(group), _QUOTES_A_SOURCE)
        )

    def _facts_of(self, citation: Citation) -> SourceFacts:
        return self._facts.get((citation.document_id, citation.document_version), UNKNOWN)


def is_own_words(claim: Claim) -> bool:
    """Whether a claim is its quote, so that the quote need not be shown again."""
    return (
        claim.kind is ClaimKind.QUOTE
        and len(claim.citations) == 1
        and claim.text.split() == claim.citations[0].quote.split()
    )


def said_by(claim: Claim) -> set[str]:
    """The ids of the citations whose quote stands in the claim word for word, so that it need not be shown again."""
    text = " ".join(claim.text.split())
    return {citation.citation_id for citation in claim.citations if " ".join(citation.quote.split()) in text}


@dataclass(frozen=True, slots=True)
class Mark:
    """What must be said of a claim beside its text. A caution should catch the eye."""

    text: str
    caution: bool = False


def marks(claim: Claim, numbers: Sequence[int], words: Words) -> tuple[Mark, ...]:
    """The marks of a claim that holds in part, was inferred or calculated."""
    found = []
    if claim.status is ClaimStatus.PARTIAL:
        details = (reason.detail for reason in claim.reasons if reason.code in CONDITION_REASONS)
        condition = cut(one_line(next(filter(None, details), "")), _CONDITION_SHOWN)
        found.append(Mark(words.partial(condition), caution=True))
    if claim.kind is ClaimKind.SYNTHESIS:
        found.append(Mark(words.inference(numbers)))
    if claim.kind is ClaimKind.CALCULATION:
        found.append(Mark(words.calculated(numbers)))
    return tuple(found)


def notes_before(answer: Answer, words: Words) -> list[str]:
    """What a reader should know before reading the answer."""
    said = [words.note(note) for note in NOTES_BEFORE if note in answer.notes]
    if answer.unanswered:
        said.append(words.unanswered([one_line(part) for part in answer.unanswered]))
    return said


def notes_after(answer: Answer, words: Words) -> list[str]:
    """What else is worth knowing of the answer, and what a verified quote means."""
    said = [words.note(note) for note in NOTES_AFTER if note in answer.notes]
    if answer.dropped_claims:
        said.append(words.dropped_claims(answer.dropped_claims))
    return [*said, words.quote_meaning()]


def table_rows(text: str) -> tuple[tuple[str, ...], ...] | None:
    """The cells of a claim that is a table: its header and rows as canonical text writes them, `a | b`, one a line."""
    rows = tuple(tuple(cell.strip() for cell in line.split(" | ")) for line in text.strip().splitlines())
    columns = {len(row) for row in rows}
    return rows if len(rows) > 1 and len(columns) == 1 and columns.pop() > 1 else None
