"""The evidence of an answer as a modal: each claim, what the verifier found, and its quotes within their paragraphs.

What is shown was decided in `core.evidence.opening`; a quote that comes without text is drawn without any.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bot.rendering import blocks, limits
from bot.rendering.answer_buttons import Meant
from bot.rendering.blocks import Block, Element, View
from bot.rendering.escape import one_line
from bot.rendering.footnotes import CONDITION_REASONS, Footnote, Source, SourceFacts
from bot.rendering.links import sentence_link
from bot.rendering.split import cut, pack, pieces
from bot.words import Words
from core.domain.document import Metadata
from core.domain.evidence import ClaimKind, ClaimStatus
from core.evidence.opening import CurrentVersion, OpenedClaim, OpenedEvidence, OpenedQuote, ShownQuote
from core.evidence.proof import Standing

CALLBACK = "evidence"
PREVIOUS_ACTION, NEXT_ACTION = "evidence_previous", "evidence_next"

QUOTES_A_PAGE = 4
_CLAIM_SHOWN = 600
_CONDITION_SHOWN = 300
_NAME_SHOWN = 150
_NOW_SHOWN = 800
_HEADER_SHOWN = 400
_PIECE = limits.SECTION_TEXT // 2
"""Characters of a piece of a long quote; the rest of a block's room is for what stands around it."""


@dataclass(frozen=True, slots=True)
class Opened:
    """What an open modal is about: whose it is, where it was opened, and what it shows."""

    meant: Meant
    place: str
    """The channel; empty where only the person reads."""
    user_id: str

    def to_metadata(self) -> str:
        """As the modal carries it. Marks that it has no room for are left out: then all claims are meant."""
        said = {"run": self.meant.run_id, "marks": self.meant.marks, "place": self.place, "user": self.user_id}
        written = json.dumps(said, separators=(",", ":"))
        return written if len(written) <= limits.MODAL_METADATA else json.dumps({**said, "marks": ()})

    @classmethod
    def parse(cls, metadata: str) -> Opened | None:
        """Read what a modal carries; None when it is nothing that `to_metadata` wrote."""
        try:
            said = _Metadata.model_validate_json(metadata)
        except ValidationError:
            return None
        meant = Meant.parse(f"{said.run}:{','.join(said.marks)}")
        return None if meant is None else cls(meant, said.place, said.user)


class _Metadata(BaseModel):
    model_config = ConfigDict(extra="forbid")

    run: str
    marks: tuple[str, ...] = ()
    place: str = Field(max_length=64)
    user: str = Field(max_length=64)


@dataclass(frozen=True, slots=True)
class _Unit:
    """What must stay together on a page: the quotes of one place, below their claim where they are its first."""

    drawn: tuple[Block, ...]
    quotes: int
    begins: bool = True
    """Whether a claim begins here."""


def render_evidence(
    evidence: OpenedEvidence, opened: Opened, words: Words, hosts: Collection[str], today: dt.date, page: int = 1
) -> View:
    """Draw a page of the evidence. Pages count from 1; one that is not there becomes the nearest."""
    pages = list(pack([*_units(evidence, words, hosts, today)], _fits_page))
    page = min(max(page, 1), len(pages))
    drawn: list[Block] = []
    for unit in pages[page - 1]:
        drawn += [*([blocks.divider()] if drawn and unit.begins else ()), *unit.drawn]
    where = words.evidence_page(page, len(pages)) if len(pages) > 1 else ""
    return _modal(
        [*drawn, blocks.note(where, words.evidence_rights()), *_turning(page, len(pages), words)], words, opened
    )


def render_evidence_loading(words: Words) -> View:
    """What is shown until the evidence has been looked up."""
    return _modal([blocks.rich(blocks.section(blocks.text(words.evidence_loading(), italic=True)))], words)


def render_evidence_sentence(said: str, words: Words) -> View:
    """A sentence instead of the evidence: there is none, or it cannot be looked up."""
    return _modal([blocks.rich(blocks.section(blocks.text(said)))], words)


def _modal(drawn: Sequence[Block], words: Words, opened: Opened | None = None) -> View:
    return {
        "type": "modal",
        "callback_id": CALLBACK,
        "title": blocks.plain_text(words.evidence_title()),
        "close": blocks.plain_text(words.evidence_close()),
        "private_metadata": opened.to_metadata() if opened else "",
        "blocks": list(drawn),
    }


def _turning(page: int, pages: int, words: Words) -> list[Block]:
    if pages == 1:
        return []
    buttons = []
    if page > 1:
        buttons.append(blocks.press(words.previous(), PREVIOUS_ACTION, str(page - 1)))
    if page < pages:
        buttons.append(blocks.press(words.next(), NEXT_ACTION, str(page + 1)))
    return [blocks.actions(*buttons)]


def _fits_page(units: Sequence[_Unit]) -> bool:
    drawn = [block for unit in units for block in unit.drawn]
    return (
        sum(unit.quotes for unit in units) <= QUOTES_A_PAGE
        and len(drawn) + len(units) + 3 <= limits.MODAL_BLOCKS
        and limits.weight(drawn) <= limits.MODAL_TEXT
    )


def _units(evidence: OpenedEvidence, words: Words, hosts: Collection[str], today: dt.date) -> Iterator[_Unit]:
    seen: set[int] = set()
    for claim in evidence.claims:
        new = [evidence.quote(number) for number in claim.numbers if number not in seen]
        old = [number for number in claim.numbers if number in seen]
        seen.update(claim.numbers)
        head = _claim(claim, evidence, old, words)
        groups = [*_by_place(new)]
        if not groups:
            yield _Unit(tuple(head), 0)
        for at, group in enumerate(groups):
            drawn = _quotes(group, words, hosts, today)
            yield _Unit((*(head if at == 0 else ()), *drawn), len(group), begins=at == 0)


def _by_place(quotes: Sequence[OpenedQuote]) -> Iterator[list[OpenedQuote]]:
    """Quotes of one section of one version together, as many as a page takes."""
    groups: dict[object, list[OpenedQuote]] = {}
    for quote in quotes:
        cited = quote.shown.citation if quote.shown else None
        key = (cited.document_id, cited.document_version, cited.section_path, cited.page) if cited else quote.number
        groups.setdefault(key, []).append(quote)
    for group in groups.values():
        for start in range(0, len(group), QUOTES_A_PAGE):
            yield group[start : start + QUOTES_A_PAGE]


# Claims


def _claim(claim: OpenedClaim, evidence: OpenedEvidence, shown_before: Sequence[int], words: Words) -> list[Block]:
    """The claim and what was found. One in the document's own words is not written twice: its quotes follow."""
    if not claim.text:
        numbers = " ".join(f"[{number}]" for number in claim.numbers)
        return [blocks.rich(blocks.section(blocks.text(f"{words.hidden_claim()} {numbers}", italic=True)))]
    is_own_words = _is_own_words(claim, evidence)
    said = []
    if not is_own_words or shown_before:
        said.append(blocks.section(blocks.text(cut(claim.text, _CLAIM_SHOWN), bold=True)))
    said += [blocks.section(blocks.text(line, italic=True)) for line in _findings(claim, words, is_own_words)]
    if shown_before:
        said.append(blocks.section(blocks.text(words.shown_before(shown_before))))
    return [*_in_blocks(said)]


def _is_own_words(claim: OpenedClaim, evidence: OpenedEvidence) -> bool:
    """Whether a claim is its quote, or a table of which each row is one."""
    quotes = {
        _folded(q.shown.citation.quote) for q in map(evidence.quote, claim.numbers) if q.shown and q.shown.paragraph
    }
    return _folded(claim.text) in quotes or quotes.issuperset(map(_folded, claim.text.strip().splitlines()))


def _folded(text: str) -> str:
    return " ".join(text.split())


def _findings(claim: OpenedClaim, words: Words, is_own_words: bool) -> list[str]:
    if claim.status is ClaimStatus.SUPPORTED:
        if claim.kind is ClaimKind.CALCULATION:
            return [words.verified_calculation()]
        return [words.verified_own_words() if is_own_words else words.verified_claim()]
    found = [
        words.partial(cut(one_line(reason.detail), _CONDITION_SHOWN))
        if reason.code in CONDITION_REASONS
        else words.reason(reason.code.value)
        for reason in claim.reasons
    ]
    return list(dict.fromkeys(found)) or [words.reason("")]


# Quotes


def _quotes(group: Sequence[OpenedQuote], words: Words, hosts: Collection[str], today: dt.date) -> Iterator[Block]:
    """The quotes of one place below it; how they stand is said once where it is the same of all."""
    first = group[0]
    if first.shown is None:
        line = blocks.section(blocks.text(f"[{first.number}] ", bold=True), blocks.text(_why_hidden(first, words)))
        yield blocks.rich(line)
        return
    shown = [(quote, quote.shown) for quote in group if quote.shown is not None]
    yield from _in_blocks(_place(shown, words, hosts))
    standings = [[*_standing(quote, seen, words, today)] for quote, seen in shown]
    alike = all(standing == standings[0] for standing in standings)
    headers: set[str] = set()
    for (quote, seen), standing in zip(shown, standings, strict=True):
        yield from _paragraph(f"[{quote.number}] " if len(shown) > 1 else "", seen, words, headers)
        if standing and (not alike or quote is group[-1]):
            yield from _in_blocks(standing)


def _why_hidden(quote: OpenedQuote, words: Words) -> str:
    if quote.is_altered:
        return words.evidence_altered()
    if quote.standing is Standing.GONE:
        return words.evidence_removed() if quote.is_removed else words.evidence_version_gone()
    return words.evidence_forbidden()


def _place(shown: Sequence[tuple[OpenedQuote, ShownQuote]], words: Words, hosts: Collection[str]) -> Iterator[Element]:
    first = shown[0][1]
    citation, metadata = first.citation, first.metadata
    source = Source((Footnote(0, citation),), SourceFacts())
    link = sentence_link(citation, hosts, show_quotes=first.paragraph is not None)
    place = blocks.link(link, source.place, bold=True)
    line = blocks.section(*_numbers(shown, hosts), place)
    yield line if _fits_block([line]) else blocks.section(*_numbers(shown, ()), place)
    details = [
        *source.details(words),
        "" if metadata.modified_at is None else words.changed_on(metadata.modified_at.date()),
        words.observed_on(first.observed_at.date()),
        "" if metadata.valid_from is None else words.valid_from(metadata.valid_from),
        "" if metadata.valid_until is None else words.valid_until(metadata.valid_until),
        words.owner(cut(one_line(metadata.owner), _NAME_SHOWN)) if one_line(metadata.owner) else "",
    ]
    yield blocks.section(blocks.text(" · ".join(filter(None, details))))


def _numbers(shown: Sequence[tuple[OpenedQuote, ShownQuote]], hosts: Collection[str]) -> Iterator[Element]:
    """The numbers of quotes, each with a link of its own where there are several."""
    for quote, seen in shown:
        link = sentence_link(seen.citation, hosts, show_quotes=seen.paragraph is not None) if len(shown) > 1 else None
        yield blocks.link(link, f"[{quote.number}]", bold=True)
        yield blocks.text(" ")


def _paragraph(number: str, shown: ShownQuote, words: Words, headers: set[str]) -> Iterator[Block]:
    """A quote within its paragraph. `headers` are those of tables that stand above already."""
    paragraph = shown.paragraph
    if paragraph is None:
        yield blocks.rich(blocks.quote(blocks.text(number), blocks.text(words.extract_withheld(), italic=True)))
        return
    is_new = paragraph.header and _folded(paragraph.header) not in headers
    headers |= {_folded(paragraph.header), _folded(paragraph.quote)}
    parts = [
        blocks.text(f"{number}{cut(paragraph.header, _HEADER_SHOWN)}\n" if is_new else number),
        blocks.text(paragraph.before),
        *(blocks.text(part, bold=True) for part in pieces(paragraph.quote, _PIECE) or [paragraph.quote]),
        blocks.text(paragraph.after),
    ]
    for group in pack([part for part in parts if part["text"]], _fits_block):
        yield blocks.rich(blocks.quote(*group))


def _in_blocks(sections: Iterable[Element]) -> Iterator[Block]:
    """Lines in as many blocks as it takes."""
    for group in pack([*sections], _fits_block):
        yield blocks.rich(*group)


def _fits_block(parts: Sequence[Element]) -> bool:
    return limits.weight(parts) <= limits.SECTION_TEXT


def _standing(quote: OpenedQuote, shown: ShownQuote, words: Words, today: dt.date) -> Iterator[Element]:
    """How the quote stands against the document as it is now."""
    current = shown.current
    if current is None:
        yield blocks.section(blocks.text(words.stands_in_force(), italic=True))
        return
    why = _not_in_force(current.metadata, shown, words, today)
    if quote.standing is Standing.SUPERSEDED and why:
        yield blocks.section(blocks.text(words.not_in_force(why), bold=True))
        if current.number == shown.citation.document_version:
            return
    match quote.standing:
        case Standing.CHANGED:
            yield from _changed(current, shown, words)
        case Standing.MOVED:
            yield blocks.section(blocks.text(words.stands_moved(current.number), italic=True))
        case Standing.OK:
            yield blocks.section(blocks.text(words.stands_same(current.number), italic=True))
        case _ if current.sentence:
            yield from _changed(current, shown, words)


def _changed(current: CurrentVersion, shown: ShownQuote, words: Words) -> Iterator[Element]:
    date = (current.metadata.modified_at or current.observed_at).date()
    if shown.paragraph is None:
        yield blocks.section(blocks.text(words.changed_withheld(current.number, date), bold=True))
    elif not current.sentence:
        yield blocks.section(blocks.text(words.changed_unlike(current.number, date), bold=True))
    else:
        yield blocks.section(blocks.text(words.changed_to(current.number, date), bold=True))
        for part in pieces(cut(current.sentence, _NOW_SHOWN), _PIECE):
            yield blocks.quote(blocks.text(part))


def _not_in_force(now: Metadata, shown: ShownQuote, words: Words, today: dt.date) -> tuple[str, ...]:
    dated = replace(shown.citation, valid_from=now.valid_from, valid_until=now.valid_until)
    facts = SourceFacts(now.modified_at, now.status, now.is_superseded)
    return Source((Footnote(0, dated),), facts).cautions(words, today)
