"""An `Answer` as Slack messages: verified claims, the sources they rest on, what a quote proves, and the buttons.

A source says where to look and how its quote begins; the evidence behind the button shows all of it. So an answer that
was exported or printed, where no button works, still leads to each sentence.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from bot.rendering import blocks, limits
from bot.rendering.abstention import render_abstention
from bot.rendering.answer_buttons import answer_buttons
from bot.rendering.blocks import Block, Element
from bot.rendering.escape import one_line
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
    said_by,
    table_rows,
)
from bot.rendering.links import sentence_link
from bot.rendering.message import Message, message
from bot.rendering.split import cut, pack, pieces
from bot.words import Words
from core.domain.evidence import Abstention, AbstentionReason, Answer, Claim
from core.evidence.numbering import shown_claims
from core.store.gaps import NO_GAPS

_LEAST_PIECE = 500
"""Characters of a claim that a block holds at least, however many quotes it cites."""
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
    *,
    buttons: bool = True,
    people: bool = False,
) -> tuple[Message, ...]:
    """Draw an answer or abstention as the messages to send, in order; most are one.

    `hosts` are those whose addresses may be links; `facts` say more of the cited versions (`facts_of` the passages that
    were read); `contact` is where to ask when nobody is known to own what is nearest. The last message carries the
    buttons, unless there are to be none; with `people`, the one that hands a question without an answer to somebody.
    """
    claims = shown_claims(answer.claims)
    if answer.abstention is not None or not claims:
        abstention = answer.abstention or Abstention(AbstentionReason.NOTHING_VERIFIED, answer.question, (), ())
        drawn = render_abstention(abstention, words, hosts, contact)
        asks = people and abstention.reason not in NO_GAPS
        pressed = answer_buttons(answer.run_id, (), words, people=asks) if buttons else ()
        return (Message(drawn.text, (*drawn.blocks, *pressed)),)
    below = answer_buttons(answer.run_id, claims, words) if buttons else []
    return _Drawing(answer, claims, words, hosts, now.date(), facts or {}, below).messages()


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
        buttons: Sequence[Block],
    ) -> None:
        self.words, self.hosts, self.today, self.facts = words, hosts, today, facts
        self.buttons = buttons
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
            *(self.buttons if number == total else ()),
        ]
        said = [*self._claim_lines(group), *before, *self._source_lines(group)]
        return message("\n".join([*said, self.words.part(number, total)] if total > 1 else said), drawn)

    def _fits(self, body: Sequence[Block]) -> bool:
        """Whether these blocks leave room for the notes and buttons of any message."""
        notes = sum(limits.size(line) for line in (*self.before, *self.after, self.words.part(99, 99)))
        return (
            len(self.before) + len(body) + 1 + len(self.buttons) <= limits.BLOCKS
            and limits.weight([*body, *self.buttons]) + notes + _ROOM_LEFT <= limits.MESSAGE_TEXT
            and sum(block["type"] == "table" for block in body) <= limits.TABLES
        )

    def _body(self, group: Sequence[_Part]) -> list[Block]:
        claims = [part.claim for part in group]
        quoted_above = {citation_id for claim in claims for citation_id in said_by(claim)}
        heading = blocks.section(blocks.text(self.words.sources(), bold=True))
        listed = [self._source(source, quoted_above) for source in self.footnotes.sources(claims)]
        return [
            *(block for part in group for block in self._claim(part)),
            blocks.divider(),
            *(blocks.rich(*sections) for sections in pack([heading, *listed], _fits_rich)),
        ]

    # Claims

    def _parts(self, claim: Claim) -> list[_Part]:
        rows = table_rows(claim.text)
        if rows is not None and _fits_table(rows):
            return [_Part(claim, claim.text, rows, last=True)]
        text = claim.text if rows is None else _readable(rows)
        if rows is None and is_own_words(claim):
            text = self.words.quoted(claim.text.strip())
        beside = [*self._markers(claim, linked=False), *self._marks(claim)]
        texts = pieces(text, max(_LEAST_PIECE, limits.SECTION_TEXT - limits.weight(beside) - 1))
        return [_Part(claim, piece, None, last=number == len(texts)) for number, piece in enumerate(texts, start=1)]

    def _claim(self, part: _Part) -> list[Block]:
        marks = self._marks(part.claim) if part.last else []
        if part.rows is not None:
            return [blocks.table(part.rows), blocks.rich(self._beside([], part.claim, marks))]
        line = self._beside([blocks.text(f"{part.text} ")], part.claim, marks)
        return [blocks.rich(line if self.single else blocks.bullets([line]))]

    def _beside(self, said: Sequence[Element], claim: Claim, marks: Sequence[Element]) -> Element:
        """A claim with its numbers and marks. Where the addresses are too long the sources carry the same links."""
        line = blocks.section(*said, *self._markers(claim, linked=True), *marks)
        if limits.weight(line) <= limits.SECTION_TEXT:
            return line
        return blocks.section(*said, *self._markers(claim, linked=False), *marks)

    def _markers(self, claim: Claim, *, linked: bool) -> list[Element]:
        shown = [
            blocks.link(self._link(footnote) if linked else None, f"[{footnote.number}]")
            for footnote in self.footnotes.of([claim])
        ]
        return [element for marker in shown for element in (blocks.text(" "), marker)][1:]

    def _marks(self, claim: Claim) -> list[Element]:
        drawn: list[Element] = []
        for mark in marks(claim, self._numbers(claim), self.words):
            drawn += [blocks.text("\n"), blocks.text(mark.text, italic=True, bold=mark.caution)]
        return drawn

    def _numbers(self, claim: Claim) -> list[int]:
        return [footnote.number for footnote in self.footnotes.of([claim])]

    # Sources

    def _source(self, source: Source, quoted_above: Collection[str]) -> Element:
        """The place in one line; below it how each quote begins that does not stand above as a claim."""
        links = {footnote.number: self._link(footnote) for footnote in source.footnotes}
        hints = self._hints(source, quoted_above)
        line = blocks.section(*self._place(source, links), *hints)
        if limits.weight(line) <= limits.SECTION_TEXT:
            return line
        place_only = self._place(source, dict.fromkeys(links), next(iter(links.values())))
        line = blocks.section(*place_only, *hints)
        if limits.weight(line) <= limits.SECTION_TEXT:
            return line
        return blocks.section(*self._place(source, dict.fromkeys(links)), *hints)

    def _place(
        self, source: Source, links: Mapping[int, str | None], place_link: str | None = None
    ) -> Iterator[Element]:
        for number, url in links.items():
            yield blocks.link(url, f"[{number}]", bold=True)
            yield blocks.text(" ")
        yield blocks.link(place_link or next(iter(links.values())), source.place)
        yield blocks.text("".join(f" · {detail}" for detail in source.details(self.words)))
        for caution in source.cautions(self.words, self.today):
            yield blocks.text(" · ")
            yield blocks.text(caution, bold=True)

    def _hints(self, source: Source, quoted_above: Collection[str]) -> Iterator[Element]:
        if not source.facts.show_quotes:
            yield blocks.text(f"\n{self.words.extract_withheld()}", italic=True)
            return
        for footnote in source.footnotes:
            if footnote.citation.citation_id in quoted_above:
                continue
            number = "" if len(source.footnotes) == 1 else f"[{footnote.number}] "
            shown = self.words.quoted(cut(one_line(footnote.citation.quote), limits.QUOTE_HINT))
            yield blocks.text(f"\n{number}{shown}", italic=True)

    def _link(self, footnote: Footnote) -> str | None:
        citation = footnote.citation
        facts = self.facts.get((citation.document_id, citation.document_version))
        return sentence_link(citation, self.hosts, show_quotes=facts is None or facts.show_quotes)

    # Text

    def _claim_lines(self, group: Sequence[_Part]) -> Iterator[str]:
        """What a notification says: the answer first, in plain sentences, without the numbers of its quotes."""
        for part in group:
            yield part.text if part.rows is None else _readable(part.rows)
            if part.last:
                yield from (mark.text for mark in marks(part.claim, self._numbers(part.claim), self.words))

    def _source_lines(self, group: Sequence[_Part]) -> Iterator[str]:
        yield f"{self.words.sources()}:"
        for source in self.footnotes.sources(part.claim for part in group):
            about = [source.place, *source.details(self.words), *source.cautions(self.words, self.today)]
            yield f"• {' · '.join(about)}"


def _fits_rich(sections: Sequence[Element]) -> bool:
    return limits.weight(sections) <= limits.SECTION_TEXT


def _fits_table(rows: Sequence[Sequence[str]]) -> bool:
    return (
        len(rows) <= limits.TABLE_ROWS
        and len(rows[0]) <= limits.TABLE_COLUMNS
        and sum(limits.size(cell) + 1 for row in rows for cell in row) <= limits.TABLE_TEXT
    )


def _readable(rows: Sequence[Sequence[str]]) -> str:
    """A table as text: each row in a line, each cell after the name of its column."""
    head, *body = rows
    return "\n".join(
        " · ".join(f"{name}: {cell}" if name else cell for name, cell in zip(head, row, strict=True) if cell)
        for row in body
    )
