"""Whether a claim keeps what turns and limits the sentences it draws on.

A negation or quantity word that is lost or added changes the meaning (`negation_changed`); a condition of the sentence
(a region, a group, a period, an exception, a bound, a rate) that the claim leaves out makes it say more than the quote
(`condition_dropped`, with the condition's text to be shown beside it).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.domain.evidence import Reason, ReasonCode
from core.verification.alignment import Sentence, clauses, sentences_drawn_on, sentences_of, stems
from core.verification.bounds import bound_reasons
from core.verification.markers import Marker, MarkerHit
from core.verification.polarity import polarity_reasons
from core.verification.qualifiers import groups, names_it, places, rate_within, rates, regions
from core.verification.values import Support, Value, ValueKind, supported_by

_SURVIVES_AS = {
    Marker.EXCEPTION: (Marker.EXCEPTION, Marker.NEGATION, Marker.REFUSAL, Marker.ONLY, Marker.CONDITION),
    Marker.ONLY: (Marker.ONLY, Marker.EXCEPTION, Marker.NEGATION),
    Marker.CONDITION: (Marker.CONDITION, Marker.EXCEPTION, Marker.ONLY),
    Marker.SOME: (Marker.SOME, Marker.APPROXIMATELY),
}
_ALLOWS = {
    Marker.ONLY: (Marker.ONLY, Marker.EXCEPTION, Marker.NEGATION),
    Marker.EXCEPTION: (Marker.EXCEPTION, Marker.ONLY, Marker.NEGATION, Marker.REFUSAL, Marker.CONDITION),
}
_PERIOD = re.compile(
    r"(?:en|in|during|durante|for|para|throughout)\s+(?:el\s+|the\s+)?(?:año\s+|year\s+)?\Z", re.IGNORECASE
)
_YEAR = re.compile(r"(?:1[89]|20)\d\d")


def condition_reasons(
    claim: str, claim_language: str, quotes: Sequence[tuple[str, str]], context: str = ""
) -> tuple[Reason, ...]:
    """Compare a claim with the quotes (text, language) it cites. `context`: words that count as said with the claim."""
    across = any(language and claim_language and language != claim_language for _, language in quotes)
    said = sentences_of(claim, claim_language, across)
    quoted = [part for text, language in quotes for part in sentences_of(text, language, across)]
    used = sentences_drawn_on(said, quoted)
    reasons = [
        *polarity_reasons(said, used, across),
        *_words_added(said, used),
        *bound_reasons(said, used),
        *_words_lost(said, used),
        *(reason for part in used for reason in _limits_lost(claim + " " + context, said, part, across)),
    ]
    return _each_once(reasons)


def _each_once(reasons: Sequence[Reason]) -> tuple[Reason, ...]:
    """Without repetitions, and without conditions that are part of one that is named too."""
    dropped = [reason.detail for reason in reasons if reason.code is ReasonCode.CONDITION_DROPPED]
    return tuple(
        reason
        for reason in dict.fromkeys(reasons)
        if reason.code is not ReasonCode.CONDITION_DROPPED
        or not any(reason.detail in other and reason.detail != other for other in dropped)
    )


def _words_added(claim: Sequence[Sentence], quotes: Sequence[Sentence]) -> list[Reason]:
    reasons = []
    for marker, allowing in _ALLOWS.items():
        hit = _first(claim, marker)
        if hit is not None and not any(part.has(*allowing) for part in quotes):
            part, place = hit
            reasons.append(Reason(ReasonCode.NEGATION_CHANGED, f"added: {part.text[place.start : place.end]}"))
    only_some = any(part.has(Marker.SOME) and not part.has(Marker.ALL) for part in quotes)
    if only_some and _first(claim, Marker.ALL) and not _first(claim, Marker.SOME):
        reasons.append(Reason(ReasonCode.NEGATION_CHANGED, "some became all"))
    reasons.extend(_duty_changed(claim, quotes))
    return reasons


def _duty_changed(claim: Sequence[Sentence], quotes: Sequence[Sentence]) -> list[Reason]:
    """`puede` is not `debe`: compared where neither side negates."""
    if any(part.has(Marker.NEGATION, Marker.REFUSAL) for part in (*claim, *quotes)):
        return []
    must = any(part.has(Marker.DUTY) for part in claim)
    may = any(part.has(Marker.PERMISSION) for part in claim)
    given_must = any(part.has(Marker.DUTY) for part in quotes)
    given_may = any(part.has(Marker.PERMISSION, Marker.ADVICE) for part in quotes)
    if must and not may and given_may and not given_must:
        return [Reason(ReasonCode.NEGATION_CHANGED, "what may be done became what must be done")]
    if may and not must and given_must and not given_may:
        return [Reason(ReasonCode.NEGATION_CHANGED, "what must be done became what may be done")]
    return []


def _words_lost(claim: Sequence[Sentence], quotes: Sequence[Sentence]) -> list[Reason]:
    reasons = []
    for part in quotes:
        for hit in part.markers:
            survives = _SURVIVES_AS.get(hit.marker)
            if survives and not any(said.has(*survives) for said in claim):
                reasons.append(Reason(ReasonCode.CONDITION_DROPPED, _condition_text(part, hit)))
                break
    return reasons


def _limits_lost(claim: str, said: Sequence[Sentence], part: Sentence, across: bool) -> list[Reason]:
    values = [value for sentence in said for value in sentence.values]
    lost = [limit.text for limit in places(part.text) if not names_it(claim, limit, across)]
    named = {limit.name for limit in regions(claim)}
    lost += [
        limit.text
        for limit in regions(part.text)
        if limit.name not in named
        and not names_it(claim, limit, across)
        and not any(limit.text in text for text in lost)
    ]
    kept = {limit.name for limit in groups(claim)}
    words = frozenset().union(*(sentence.stems for sentence in said))
    lost += [limit.text for limit in groups(part.text) if limit.name not in kept and not stems(limit.text) & words]
    for value in part.values:
        claimed = [mine for mine in values if supported_by(mine, (value,)) is not Support.NO]
        if claimed:
            lost += _qualifier_lost(claimed, value)
            lost += _rate_lost(claim, part, value)
        elif _is_period(part.text, value):
            lost.append(part.text[_phrase_start(part.text, value.start) : value.end])
    return [Reason(ReasonCode.CONDITION_DROPPED, text) for text in lost]


def _qualifier_lost(claimed: Sequence[Value], value: Value) -> list[str]:
    qualifier = value.first.qualifier
    if qualifier and not any(mine.first.qualifier == qualifier for mine in claimed):
        return [value.text]
    return []


def _rate_lost(claim: str, part: Sentence, value: Value) -> list[str]:
    ends = [other.start for other in part.values if other.start >= value.end]
    ends += [end for start, end in clauses(part.text) if start <= value.start < end]
    rate, text = rate_within(part.text, value.end, min(ends, default=value.end))
    if not rate or value.first.kind in (ValueKind.DATE, ValueKind.TIME, ValueKind.CODE, ValueKind.ORDINAL):
        return []
    return [] if rate in rates(claim) else [text]


def _is_period(text: str, value: Value) -> bool:
    """Whether a value limits its sentence in time: `en agosto`, `in 2024`, `los viernes`."""
    if value.first.kind is ValueKind.WEEKDAY:
        return True
    is_date = value.first.kind is ValueKind.DATE or _YEAR.fullmatch(value.text) is not None
    return is_date and _PERIOD.search(text[: value.start]) is not None


def _phrase_start(text: str, start: int) -> int:
    found = _PERIOD.search(text[:start])
    return found.start() if found else start


def _condition_text(part: Sentence, hit: MarkerHit) -> str:
    """The words of a condition, from its marker to the end of its clause."""
    end = next((end for start, end in clauses(part.text) if start <= hit.start < end), len(part.text))
    return part.text[hit.start : max(end, hit.end)].strip(" .")


def _first(parts: Sequence[Sentence], marker: Marker) -> tuple[Sentence, MarkerHit] | None:
    return next(((part, hit) for part in parts for hit in part.markers if hit.marker is marker), None)
