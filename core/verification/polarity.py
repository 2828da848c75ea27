"""Negation lost or added between a quote and a claim, in one language or across Spanish and English.

Within one language clauses are compared: a clause that affirms what the other side denies, and resembles it more than
anything that side affirms. Across languages only the presence of a negation can be compared, clause by clause.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.domain.evidence import Reason, ReasonCode
from core.verification.alignment import Sentence, clauses, content_words, stems
from core.verification.markers import Marker, MarkerHit
from core.verification.values import Support, supported_by

_WITHOUT = ("sin", "without")
_DENIED_WORDS = 2
_NEGATIVE = (Marker.NEGATION, Marker.REFUSAL)
_TURNS_ALSO = (Marker.EXCEPTION, Marker.ONLY)


@dataclass(frozen=True, slots=True)
class _Clause:
    text: str
    stems: frozenset[str]
    subject: frozenset[str]
    """What stands before the negator."""
    denied: tuple[str, ...]
    """The next words after the negator; for a word that refuses by itself, all of the clause."""
    negative: bool


def polarity_reasons(claim: Sequence[Sentence], quotes: Sequence[Sentence], across: bool) -> list[Reason]:
    """Name each negation that the claim lost or added."""
    reasons = []
    if (added := _added(claim, quotes, across)) is not None:
        reasons.append(Reason(ReasonCode.NEGATION_CHANGED, f"added: {added}"))
    affirmed = [clause for quoted in quotes for clause in _clauses(quoted, across) if not clause.negative]
    for quoted in quotes:
        reasons.extend(_lost(claim, quoted, affirmed, across))
    return reasons


def _added(claim: Sequence[Sentence], quotes: Sequence[Sentence], across: bool) -> str | None:
    mine = [clause for part in claim for clause in _clauses(part, across) if clause.negative]
    if not mine:
        return None
    if not any(quoted.has(*_NEGATIVE, *_TURNS_ALSO, Marker.AFFIX) for quoted in quotes):
        return mine[0].text
    if across:
        return mine[-1].text if len(mine) > _explained(claim, quotes) else None
    if any(quoted.has(*_TURNS_ALSO) for quoted in quotes):
        return None
    theirs = [clause for quoted in quotes for clause in _clauses(quoted, across)]
    denied = [clause.stems for clause in theirs if clause.negative]
    for clause in mine:
        for other in theirs:
            named = set(clause.denied[:1]) or clause.subject
            if not other.negative and named & other.stems and _closer(clause.stems, other.stems, denied):
                return clause.text
    return None


def _explained(claim: Sequence[Sentence], quotes: Sequence[Sentence]) -> int:
    """Across languages: how many negative clauses of a claim its quotes explain."""
    negative = sum(hit.marker in (*_NEGATIVE, Marker.AFFIX) for quoted in quotes for hit in quoted.markers)
    theirs = sum(hit.marker in _TURNS_ALSO for quoted in quotes for hit in quoted.markers)
    own = sum(hit.marker in _TURNS_ALSO for part in claim for hit in part.markers)
    return negative + max(0, theirs - own)


def _lost(claim: Sequence[Sentence], quoted: Sentence, affirmed: Sequence[_Clause], across: bool) -> list[Reason]:
    said = frozenset().union(*(part.stems for part in claim))
    turned = any(part.has(*_NEGATIVE, *_TURNS_ALSO, Marker.AFFIX) for part in claim)
    reasons = []
    for hit in quoted.markers:
        if hit.marker not in _NEGATIVE:
            continue
        if quoted.text[hit.start : hit.end].lower() in _WITHOUT:
            if not turned:
                opposite = bool(_denied_by(quoted, hit, across) & said)
                code = ReasonCode.NEGATION_CHANGED if opposite else ReasonCode.CONDITION_DROPPED
                reasons.append(Reason(code, quoted.text[hit.start : _clause_span(quoted, hit)[1]].strip(" .")))
            continue
        if across:
            lost = not turned and _draws_on_clause(claim, quoted, hit)
        else:
            denial = _clause(quoted, _clause_span(quoted, hit), across)
            lost = _affirms(claim, denial, affirmed) or (not turned and len(clauses(quoted.text)) == 1)
        if lost and not _denied_twice(quoted, hit, said, across):
            start, end = _clause_span(quoted, hit)
            reasons.append(Reason(ReasonCode.NEGATION_CHANGED, f"lost: {quoted.text[start:end].strip()}"))
    return reasons


def _affirms(claim: Sequence[Sentence], denial: _Clause, affirmed: Sequence[_Clause]) -> bool:
    """Whether a clause of the claim affirms what the denial denies, and is closer to it than to what is affirmed."""
    for part in claim:
        for clause in _clauses(part, across=False):
            if clause.negative or not clause.stems & set(denial.denied):
                continue
            rest = clause.stems - set(denial.denied)
            of_the_same = not denial.subject or not rest or denial.subject & clause.stems
            if of_the_same and _closer(clause.stems, denial.stems, [other.stems for other in affirmed]):
                return True
    return False


def _closer(mine: frozenset[str], to: frozenset[str], than: Sequence[frozenset[str]]) -> bool:
    return all(len(mine & to) > len(mine & other) for other in than)


def _draws_on_clause(claim: Sequence[Sentence], quoted: Sentence, hit: MarkerHit) -> bool:
    """Across languages: whether the claim speaks of the negated clause, or of no other clause either."""
    spans = clauses(quoted.text)
    if len(spans) == 1:
        return True
    said = frozenset().union(*(part.stems for part in claim))
    values = [value for part in claim for value in part.values]

    def shares(start: int, end: int) -> bool:
        inside = [value for value in quoted.values if start <= value.start < end]
        if any(supported_by(value, inside) is not Support.NO for value in values):
            return True
        return bool(stems(quoted.text[start:end], across=True) & said)

    negated = [span for span in spans if span[0] <= hit.start < span[1]]
    others = [span for span in spans if span not in negated]
    return any(shares(*span) for span in negated) or not any(shares(*span) for span in others)


def _denied_twice(quoted: Sentence, hit: MarkerHit, said: frozenset[str], across: bool) -> bool:
    """Whether the sentence negates twice (`no … sin autorización`) and the claim keeps what the second one names."""
    for other in quoted.markers:
        is_second = quoted.text[other.start : other.end].lower() in _WITHOUT or other.marker is Marker.EXCEPTION
        if other.start > hit.start and is_second and _denied_by(quoted, other, across) & said:
            return True
    return False


def _clauses(part: Sentence, across: bool) -> list[_Clause]:
    return [_clause(part, span, across) for span in clauses(part.text)]


def _clause(part: Sentence, span: tuple[int, int], across: bool) -> _Clause:
    start, end = span
    text = part.text[start:end]
    hits = [hit for hit in part.markers if hit.marker in _NEGATIVE and start <= hit.start < end]
    if not hits:
        return _Clause(text.strip(), stems(text, across), frozenset(), (), negative=False)
    hit = hits[0]
    own = stems(part.text[hit.start : hit.end], across)
    if hit.marker is Marker.REFUSAL:
        denied = tuple(stems(text, across) - own)
        return _Clause(text.strip(), stems(text, across) - own, frozenset(), denied, negative=True)
    denied = tuple(_in_order(part.text[hit.end : max(end, hit.end)], across)[:_DENIED_WORDS])
    subject = stems(part.text[start : hit.start], across)
    return _Clause(text.strip(), stems(text, across), subject, denied, negative=True)


def _denied_by(part: Sentence, hit: MarkerHit, across: bool) -> frozenset[str]:
    """The stems of the next words after a negator."""
    end = _clause_span(part, hit)[1]
    return frozenset(_in_order(part.text[hit.end : max(end, hit.end)], across)[:_DENIED_WORDS])


def _in_order(text: str, across: bool) -> list[str]:
    return [stem for word in content_words(text) for stem in stems(word, across)]


def _clause_span(part: Sentence, hit: MarkerHit) -> tuple[int, int]:
    whole = (0, len(part.text))
    return next(((start, end) for start, end in clauses(part.text) if start <= hit.start < end), whole)
