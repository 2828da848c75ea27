"""An `Answer` as Slack messages: verified claims, then the sources they rest on, then what a quote proves."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from bot.rendering import blocks, limits
from bot.rendering.abstention import render_abstention
from bot.rendering.blocks import Block, Element
from bot.rendering.footnotes import (
    DocumentVersion,
    Footnote,
    Footnotes,
    Source,
    SourceFacts,
    is_own_words,
    marks,
    notes_after,
    notes_before,
    shown_claims,
    table_rows,
)
from bot.rendering.links import sentence_link
from bot.rendering.message import Message, message
from bot.rendering.split import cut, pack, pieces
from bot.words import Words
from core.domain.evidence import Abstention, AbstentionReason, Answer, Claim

_CLAIM_TEXT = limits.SECTION_TEXT - 500
"""Leaves room in a claim's block for its markers and marks."""
_ROOM_LEFT = 300
"""Characters of a message that stay free, because Slack's own count is not known to the letter."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A claim, or a piece of one that no block can hold, as it will stand in a message."""

    claim: Claim
    text: str
    rows: tuple[tuple[str, ...], ...] | None
    last: bool
    """Whether the claim ends here; its marks follow then."""


def render_answer(
    answer: Answer,
    words: Words,
    hosts: Collection[str],
    now: dt.datetime,
    facts: Mapping[DocumentVersion, SourceFacts] | None = None,
    contact: str = "",
) -> tuple[Message, ...]:
    """Draw an answer or abstention as the messages to send, in order; most are one.

    `hosts` are those whose addresses may be links; `facts` say more of the cited versions (`facts_of` the passages that
    were read); `contact` is where to ask when nobody is known to own what is nearest.
    """
    claims = shown_claims(answer.claims)
    if answer.abstention is not None or not claims:
        abstention = answer.abstention or Abstention(AbstentionReason.NOTHING_VERIFIED, answer.question, (), ())
        return (render_abstention(abstention, words, hosts, contact),)
    return _Drawing(answer, claims, words, hosts, now.date(), facts or {}).messages()


class _Drawing:
    """One answer while it is being drawn."""

    def __init__(
        self,
        answer: Answer,
        claims: Sequence[Claim],
        words: Words,
        hosts: Collection[str],
        today: dt.date,
        facts: Mapping[DocumentVersion, SourceFacts],
    ) -> None:
        self.words, self.hosts, self.today, self.facts = words, hosts, today, facts
        self.footnotes = Footnotes(claims, facts)
        self.single = len(claims) == 1
        self.parts = [part for claim in claims for part in self._parts(claim)]
        self.before, self.after = notes_before(answer, words), notes_after(answer, words)

    def messages(self) -> tuple[Message, ...]:
        groups = list(pack(self.parts, lambda group: self._fits(self._body(group))))
        bodies = [
            (group, body)
            for group in groups
            for body in pack(
                self._body(group), self._fits
            )  # one message, unless one claim and its sources are too much
        ]
        total = len(bodies)
        return tuple(self._message(group, body, number, total) for number, (group, body) in enumerate(bodies, start=1))

    def _message(self, group: Sequence[_Part], body: Sequence[Block], number: int, total: int) -> Message:
        before = self.before if number == 1 else []
        after = self.after if number == total else []
        if total > 1:
            after = [*after, self.words.part(number, total)]
        drawn = [
            *(blocks.rich(blocks.section(blocks.text(line, italic=True))) for line in before),
            *body,
            *([blocks.note(*after)] if after else []),
        ]
        return message("\n".join([*before, *self._lines(group), *after]), drawn)

    def _fits(self, body: Sequence[Block]) -> bool:
        """Whether these blocks leave room for the notes of any message."""
        notes = sum(limits.size(line) for line in (*self.before, *self.after, self.words.part(99, 99)))
        return (
            len(self.before) + len(body) + 1 <= limits.BLOCKS
            and limits.weight(body) + notes + _ROOM_LEFT <= limits.MESSAGE_TEXT
            and sum(block["type"] == "table" for block in body) <= limits.TABLES
        )

    def _body(self, group: Sequence[_Part]) -> list[Block]:
        claims = [part.claim for part in group]
        quoted_above = {claim.citations[0].citation_id for claim in claims if is_own_words(claim)}
        return [
            *(block for part in group for block in self._claim(part)),
            blocks.divider(),
            blocks.rich(blocks.section(blocks.text(self.words.sources(), bold=True))),
            *(block for source in self.footnotes.sources(claims) for block in self._source(source, quoted_above)),
        ]

    # Claims

    def _parts(self, claim: Claim) -> list[_Part]:
        rows = table_rows(claim.text)
        if rows is not None and _fits_table(rows):
            return [_Part(claim, claim.text, rows, last=True)]
        text = self.words.quoted(claim.text.strip()) if is_own_words(claim) else claim.text
        texts = pieces(text, _CLAIM_TEXT)
        return [_Part(claim, piece, None, last=number == len(texts)) for number, piece in enumerate(texts, start=1)]

    def _claim(self, part: _Part) -> list[Block]:
        markers = self._markers(part.claim)
        said: list[Element] = []
        for mark in marks(part.claim, self._numbers(part.claim), self.words) if part.last else ():
            said += [blocks.text("\n"), blocks.text(mark.text, italic=True, bold=mark.caution)]
        if part.rows is not None:
            return [blocks.table(part.rows), blocks.rich(blocks.section(*markers, *said))]
        line = blocks.section(blocks.text(f"{part.text} "), *markers, *said)
        return [blocks.rich(line if self.single else blocks.bullets([line]))]

    def _markers(self, claim: Claim) -> list[Element]:
        footnotes = self.footnotes.of([claim])
        linked = [blocks.link(self._link(footnote), f"[{footnote.number}]") for footnote in footnotes]
        if limits.weight(linked) > limits.SECTION_TEXT:  # the sources carry the same links
            linked = [blocks.text(f"[{footnote.number}]") for footnote in footnotes]
        return [element for marker in linked for element in (blocks.text(" "), marker)][1:]

    def _numbers(self, claim: Claim) -> list[int]:
        return [footnote.number for footnote in self.footnotes.of([claim])]

    # Sources

    def _source(self, source: Source, quoted_above: Collection[str]) -> list[Block]:
        """The place in one line, then each quote that does not stand above as a claim."""
        links = {footnote.number: self._link(footnote) for footnote in source.footnotes}
        line: list[Element] = []
        for footnote in source.footnotes:
            line += [blocks.link(links[footnote.number], f"[{footnote.number}]", bold=True), blocks.text(" ")]
        line.append(blocks.link(next(iter(links.values())), source.place))
        line.append(blocks.text("".join(f" · {detail}" for detail in source.details(self.words))))
        for caution in source.cautions(self.words, self.today):
            line += [blocks.text(" · "), blocks.text(caution, bold=True)]
        sections = [blocks.section(*line)]
        if not source.facts.show_quotes:
            sections.append(blocks.quote(blocks.text(self.words.extract_withheld())))
        sections += [
            self._quote(footnote, alone=len(source.footnotes) == 1)
            for footnote in source.footnotes
            if source.facts.show_quotes and footnote.citation.citation_id not in quoted_above
        ]
        return [blocks.rich(*group) for group in pack(sections, _fits_rich)]

    def _quote(self, footnote: Footnote, *, alone: bool) -> Element:
        number = "" if alone else f"[{footnote.number}] "
        shown = self.words.quoted(" ".join(cut(footnote.citation.quote).split()))
        return blocks.quote(blocks.text(number), blocks.text(shown, italic=True))

    def _link(self, footnote: Footnote) -> str | None:
        citation = footnote.citation
        facts = self.facts.get((citation.document_id, citation.document_version))
        return sentence_link(citation, self.hosts, show_quotes=facts is None or facts.show_quotes)

    # Text

    def _lines(self, group: Sequence[_Part]) -> list[str]:
        lines = []
        for part in group:
            numbers = self._numbers(part.claim)
            lines.append(f"{part.text} {' '.join(f'[{number}]' for number in numbers)}")
            if part.last:
                lines += [mark.text for mark in marks(part.claim, numbers, self.words)]
        lines.append(f"{self.words.sources()}:")
        for source in self.footnotes.sources(part.claim for part in group):
            numbers_text = " ".join(f"[{footnote.number}]" for footnote in source.footnotes)
            about = " · ".join([source.place, *source.details(self.words), *source.cautions(self.words, self.today)])
            lines.append(f"{numbers_text} {about}")
        return lines


def _fits_rich(sections: Sequence[Element]) -> bool:
    return limits.weight(sections) <= limits.SECTION_TEXT


def _fits_table(rows: Sequence[Sequence[str]]) -> bool:
    return (
        len(rows) <= limits.TABLE_ROWS
        and len(rows[0]) <= limits.TABLE_COLUMNS
        and sum(limits.size(cell) + 1 for row in rows for cell in row) <= limits.TABLE_TEXT
    )
