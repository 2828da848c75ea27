"""Find the exact slices of a document that a quote stands for, or name why there are none.

    quote ──► the named passage, exactly ──► the same, folded ──► the document around the passage
          ──► another passage of the evidence (repaired) ──► a named failure

There is no similarity score on the way to acceptance: a quote stands in the text, presentation aside, or it does not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import chain

from core.domain.evidence import Evidence, EvidencePassage, Reason, ReasonCode
from core.verification.boundaries import cuts_word_or_number
from core.verification.differences import difference, printable
from core.verification.folded_search import find_folded
from core.verification.folding import INVISIBLE, Folded, fold
from core.verification.passages import cells_of, is_code_line, is_heading, rows_of, section_of

SHORTEST_QUOTE = 15
"""Code points. A shorter quote must be a whole table cell or a code."""
LONGEST_QUOTE = 6_000
"""Code points. No passage is as long: what is longer is not even looked for."""

Span = tuple[int, int]

_ELLIPSIS = re.compile(r"\s*(?:\[\s*(?:…|\.{3,})\s*\]|\(\s*(?:…|\.{3,})\s*\)|…|\.{3,})\s*")
_BLANK = " \t\n\r\f\v\u00a0\u2009\u202f" + INVISIBLE
_WRAPPED = re.compile(r"""\s*(?:"(?P<a>[^"]+)"|“(?P<b>[^“”]+)”|«(?P<c>[^«»]+)»|‘(?P<d>[^‘’]+)’)\s*\Z""")
_CODE = re.compile(r"(?=\S*\d)(?=\S*[^\W\d_])\S{3,}|\S*[^\W\d_][_./:\\-]\S*[A-Z]\S*|\w+(?:[_./\\]\w+)+")
_CODE_TRIM = "\"'“”‘’«»()[]{},;:.!?¿¡`*"
_MOST_OCCURRENCES = 50


class Tier(StrEnum):
    """How a quote was found."""

    EXACT = "exact"
    PRESENTATION = "presentation"


@dataclass(frozen=True, slots=True)
class Located:
    """A quote found: the passage it stands in and its slices, in the offsets of the document's canonical text."""

    passage: EvidencePassage
    slices: tuple[Span, ...]
    tier: Tier
    repaired_from: str | None = None
    """The label that the generator had named, where the quote stands in another passage."""


class EvidenceIndex:
    """One evidence, with its passages folded once, on first use."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence
        self._by_label = {passage.label: passage for passage in reversed(evidence.passages)}
        self._folds: dict[tuple[str, int, int, int], Folded] = {}
        self._short: dict[str, frozenset[str]] = {}

    def passage(self, label: str) -> EvidencePassage | None:
        """The passage under exactly this label."""
        return self._by_label.get(label)

    def folded(self, passage: EvidencePassage, start: int, end: int) -> Folded:
        """The fold of a range of the passage's document."""
        key = (passage.passage.document_id, passage.passage.document_version, start, end)
        if (known := self._folds.get(key)) is None:
            known = self._folds[key] = fold(passage.document_text[start:end])
        return known

    def locate(self, label: str, quote: str, usable: Callable[[EvidencePassage], Reason | None]) -> Located | Reason:
        """Find a quote in the passage of a label, or say why not.

        `usable` tells for a passage why it may not be cited (None: it may); passages it calls forbidden are never
        searched, so that a failure's name gives nothing of them away.
        """
        passage = self.passage(label)
        if passage is None:
            return Reason(ReasonCode.OUT_OF_SCOPE, f"no passage {printable(label)} was delivered")
        if (refused := usable(passage)) is not None:
            return refused
        if len(quote) > LONGEST_QUOTE:
            return Reason(ReasonCode.FABRICATED, "the quote is longer than any passage")
        found = self._in_passage(passage, quote)
        if isinstance(found, Located):
            return found
        return self._elsewhere(passage, quote, usable, found)

    def _in_passage(self, passage: EvidencePassage, quote: str) -> Located | Reason | None:
        """Look in one passage. A reason is a fault of the quote itself; None, that it does not stand here."""
        quote = quote.strip(_BLANK)
        found = self._whole(passage, quote)
        if isinstance(found, Located) or found is not None:
            return found
        if (inner := _WRAPPED.match(quote)) is not None:
            unwrapped = next(text for text in inner.groups() if text is not None).strip(_BLANK)
            found = self._whole(passage, unwrapped)
            if found is not None:
                return found
        parts = [part for part in _ELLIPSIS.split(quote) if part.strip(_BLANK)]
        if len(parts) == 1 and parts[0] != quote:
            return self._in_passage(passage, parts[0])
        return self._in_order(passage, parts) if len(parts) > 1 else None

    def _whole(self, passage: EvidencePassage, quote: str) -> Located | Reason | None:
        folded = fold(quote)
        if len(folded.text.strip()) < SHORTEST_QUOTE:
            return self._short_quote(passage, quote, folded)
        cut = False
        best: tuple[Span, Tier] | None = None
        for span, tier in self._occurrences(passage, quote, folded):
            if cuts_word_or_number(passage.document_text, *span):
                cut = True
                continue
            if not is_heading(passage, span):
                return Located(passage, (span,), tier)
            best = best or (span, tier)
        if best is not None:
            return Located(passage, (best[0],), best[1])
        return Reason(ReasonCode.SPLIT_WORD, "the quote begins or ends inside a word or a number") if cut else None

    def _occurrences(self, passage: EvidencePassage, quote: str, folded: Folded) -> Iterator[tuple[Span, Tier]]:
        """Yield where the quote stands: in the chunk, in the table header delivered with it, across its borders."""
        text, chunk = passage.document_text, passage.passage
        regions = [(chunk.start, chunk.end)]
        if chunk.header is not None:
            regions.append(chunk.header)
        for region in regions:
            for span in _find_all(text, quote, *region):
                yield span, Tier.EXACT
        for region in regions:
            for span in self._folded_occurrences(passage, folded, region):
                yield span, Tier.PRESENTATION
        yield from self._across_borders(passage, quote, folded)

    def _across_borders(self, passage: EvidencePassage, quote: str, folded: Folded) -> Iterator[tuple[Span, Tier]]:
        """Yield where a quote begins in the chunk and ends outside it, or the other way round."""
        text, chunk = passage.document_text, passage.passage
        reach = 2 * len(quote) + 20
        for border in (chunk.start, chunk.end):
            if border in (0, len(text)):
                continue
            first, last = max(0, border - reach), min(len(text), border + reach)
            for span in _find_all(text, quote, first, last):
                if span[0] < border < span[1]:
                    yield span, Tier.EXACT
            around = fold(text[first:last])
            for start, end in find_folded(around, folded):
                begin, until = around.source_span(start, end)
                if first + begin < border < first + until:
                    yield (first + begin, first + until), Tier.PRESENTATION

    def _folded_occurrences(self, passage: EvidencePassage, quote: Folded, region: Span) -> Iterator[Span]:
        document = self.folded(passage, *region)
        for start, end in find_folded(document, quote):
            first, last = document.source_span(start, end)
            yield region[0] + first, region[0] + last

    def _short_quote(self, passage: EvidencePassage, quote: str, folded: Folded) -> Located | Reason | None:
        wanted = folded.text.strip()
        too_short = Reason(ReasonCode.TOO_SHORT, f"{len(wanted)} characters, not a whole table cell or a code")
        if not any(character.isalnum() for character in wanted):
            return too_short
        whole = dict.fromkeys(chain(cells_of(passage), rows_of(passage)))  # a row may be one cell
        cells = [span for span in whole if fold(passage.document_text[slice(*span)]).text.strip() == wanted]
        if len(cells) > 1:
            return Reason(ReasonCode.AMBIGUOUS, f"{len(cells)} cells read {printable(wanted)}: quote the row")
        if cells:
            exact = passage.document_text[slice(*cells[0])] == quote
            return Located(passage, (cells[0],), Tier.EXACT if exact else Tier.PRESENTATION)
        if _is_code(wanted) or is_code_line(passage, wanted):
            spans = [
                (span, tier)
                for span, tier in self._occurrences(passage, quote, folded)
                if _stands_alone(passage.document_text, span)
            ]
            if spans:
                body = [(span, tier) for span, tier in spans if not is_heading(passage, span)]
                span, tier = (body or spans)[0]
                return Located(passage, (span,), tier)
            return None
        return too_short

    def _in_order(self, passage: EvidencePassage, parts: list[str]) -> Located | Reason | None:
        """Find the parts of a quote with ellipses, each a quote of its own, in order and in one section."""
        candidates: list[list[tuple[Span, Tier]]] = []
        for part in parts:
            found = self._whole(passage, part.strip(_BLANK))
            if not isinstance(found, Located):
                return found
            spans = self._occurrences(passage, part.strip(_BLANK), fold(part.strip(_BLANK)))
            clean = {
                span: tier for span, tier in _first(spans) if not cuts_word_or_number(passage.document_text, *span)
            }
            candidates.append(sorted(clean.items()) or [(found.slices[0], found.tier)])
        for first, _ in candidates[0]:
            chosen = _chain(passage, first, candidates[1:])
            if chosen is not None:
                exact = all(dict(spans)[span] is Tier.EXACT for span, spans in zip(chosen, candidates, strict=True))
                return Located(passage, tuple(chosen), Tier.EXACT if exact else Tier.PRESENTATION)
        return Reason(ReasonCode.EDITED, "the parts stand in the passage, but not in this order in one section")

    def _elsewhere(
        self,
        named: EvidencePassage,
        quote: str,
        usable: Callable[[EvidencePassage], Reason | None],
        fault: Reason | None,
    ) -> Located | Reason:
        """Look for a quote in the other passages; name the failure where it is in none that may be cited."""
        hits: dict[tuple[str, int, tuple[Span, ...]], Located] = {}
        stale: Reason | None = None
        if fault is None or fault.code is not ReasonCode.TOO_SHORT:
            for other in self.evidence.passages:
                if other.label == named.label:
                    continue
                refused = usable(other)
                if refused is not None and refused.code is ReasonCode.FORBIDDEN:
                    continue
                found = self._in_passage(other, quote)
                if not isinstance(found, Located):
                    continue
                if refused is not None:
                    stale = stale or refused
                    continue
                key = (other.passage.document_id, other.passage.document_version, found.slices)
                hits.setdefault(key, replace(found, repaired_from=named.label))
        same = [hit for hit in hits.values() if hit.passage.passage.document_id == named.passage.document_id]
        choice = same if len(same) == 1 else list(hits.values())
        if len(choice) == 1:
            return choice[0]
        if choice:
            labels = ", ".join(hit.passage.label for hit in choice)
            return Reason(ReasonCode.AMBIGUOUS, f"the quote stands in {labels}, not where it was said to")
        return stale or fault or self._failure(named, quote)

    def _failure(self, passage: EvidencePassage, quote: str) -> Reason:
        whole = self.folded(passage, 0, len(passage.document_text))
        if next(find_folded(whole, fold(quote)), None) is not None:
            return Reason(ReasonCode.OUT_OF_SCOPE, "the quote stands in the document, outside the passages delivered")
        chunk = passage.passage
        found = difference(quote, passage.document_text[chunk.start : chunk.end])
        if found is None:
            return Reason(ReasonCode.FABRICATED, "the words stand in no passage")
        return Reason(ReasonCode.EDITED, printable(found))


def _find_all(text: str, quote: str, start: int, end: int) -> Iterator[Span]:
    place = text.find(quote, start, end)
    count = 0
    while place >= 0 and count < _MOST_OCCURRENCES:
        yield place, place + len(quote)
        count += 1
        place = text.find(quote, place + 1, end)


def _first(spans: Iterator[tuple[Span, Tier]]) -> Iterator[tuple[Span, Tier]]:
    """Each span once, under the better tier, which comes first."""
    seen: set[Span] = set()
    for span, tier in spans:
        if span not in seen:
            seen.add(span)
            yield span, tier


def _chain(passage: EvidencePassage, first: Span, rest: list[list[tuple[Span, Tier]]]) -> list[Span] | None:
    chosen = [first]
    section = section_of(passage, first)
    for spans in rest:
        following = next(
            (span for span, _ in spans if span[0] >= chosen[-1][1] and section_of(passage, span) == section), None
        )
        if following is None:
            return None
        chosen.append(following)
    return chosen


def _is_code(text: str) -> bool:
    return " " not in text and _CODE.fullmatch(text) is not None


def _stands_alone(text: str, span: Span) -> bool:
    """Whether a code is the whole run of visible characters at its place, but for brackets and punctuation."""
    start, end = span
    while start > 0 and not text[start - 1].isspace():
        start -= 1
    while end < len(text) and not text[end].isspace():
        end += 1
    return text[start:end].strip(_CODE_TRIM) == text[slice(*span)].strip(_CODE_TRIM)
