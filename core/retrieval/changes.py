"""What changed in a document since a day: recognise the question, and compare two versions sentence by sentence."""

from __future__ import annotations

import datetime as dt
import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.domain.document import BlockKind, CanonicalText
from core.index.analysis import PLAIN, terms
from core.index.tables import VersionRecord
from core.retrieval.coverage import ASKING
from core.text.sentences import Span, split_sentences
from core.verification.calendar_forms import find_moments

LEAST_TITLE = 0.6
"""Share of the words that name the document which its title must have."""
SHORTEST = 2
"""Code points of a sentence that can be told to have changed."""

_SINCE = r"(?:desde|a partir de|respecto (?:a|de|al)|since|from|after|compared (?:to|with))"
_CHANGED = re.compile(
    rf"""^\W*(?:{_SINCE}\s+(?P<before>[^,]+),\s*)?
      (?:qu[eé]\s+(?:ha|han|se\s+ha)\s+(?:cambiado|modificado|actualizado)|qu[eé]\s+cambi[oó]|qu[eé]\s+cambi(?:a|aron)
        |qu[eé]\s+cambios\s+(?:hay|ha\s+habido|hubo|se\s+han\s+hecho)|cambios
        |what(?:'s|\s+has|\s+have)?\s+(?:been\s+)?(?:changed|updated)|what\s+changes?(?:\s+(?:were|was|have\s+been)\s+made)?
        |what\s+is\s+different|which\s+changes\s+(?:were|have\s+been)\s+made|changes)
      \s+(?:en|de|del|a|al|in|of|to)\s+(?P<title>.+?)
      (?:\s+{_SINCE}\s+(?P<after>.+?))?\W*$""",
    re.VERBOSE | re.IGNORECASE,
)
_AGO = re.compile(r"\b(?:hace\s+(?P<es>\d+|una?)|(?P<en>\d+|an?|one))\s+(?P<unit>\w+)", re.IGNORECASE)
_UNITS = {"dia": 1, "dias": 1, "day": 1, "days": 1, "semana": 7, "semanas": 7, "week": 7, "weeks": 7}
_MONTHS = {"mes": 1, "meses": 1, "month": 1, "months": 1, "ano": 12, "anos": 12, "year": 12, "years": 12}
_LAST = {
    "ayer": "day", "yesterday": "day", "semana pasada": "week", "last week": "week", "mes pasado": "month",
    "last month": "month", "ano pasado": "year", "last year": "year",
}  # fmt: skip
_YEAR = re.compile(r"^\W*(?:el\s+año\s+|el\s+)?((?:19|20)\d\d)\W*$")


@dataclass(frozen=True, slots=True)
class ChangeQuestion:
    """Which document is asked about, in the asker's words, and since when; None: no day can be read from it."""

    title: str
    since: dt.date | None


@dataclass(frozen=True, slots=True)
class Change:
    """A sentence that is new, gone, or said otherwise: its place in either version, None where it is in one alone."""

    before: Span | None
    after: Span | None


def change_question(question: str, today: dt.date, language: str) -> ChangeQuestion | None:
    """Read a question for what changed; None where it asks for anything else."""
    match = _CHANGED.match(question.strip())
    if match is None:
        return None
    since = match["after"] or match["before"]
    return ChangeQuestion(match["title"].strip(" ?¿.,"), None if since is None else day_of(since, today, language))


def day_of(said: str, today: dt.date, language: str) -> dt.date | None:
    """The day that words such as "1 March", "marzo", "last week" or "2025" begin with; the last one that has been.

    A date with two readings, as 03/04/2026 in English, is none.
    """
    if year := _YEAR.match(said):
        return dt.date(int(year[1]), 1, 1)
    for moment in find_moments(f"since {said}", language):
        if len(moment.days) > 1:
            return None
        for year_said, month, day in moment.days:
            return _date(year_said, month, day, today)
    folded = " ".join(terms(said, PLAIN))
    for words, unit in _LAST.items():
        if words in folded:
            return _begun(unit, today)
    if ago := _AGO.search(said):
        number = ago["es"] or ago["en"]
        return _ago(int(number) if number.isdigit() else 1, " ".join(terms(ago["unit"], PLAIN)), today)
    return None


def title_share(wanted: str, title: str) -> float:
    """The share (0–1) of the telling words for a document that stand in a title."""
    asking = set(terms(" ".join(ASKING.values()), PLAIN))
    words = {term for term in terms(wanted, PLAIN) if term not in asking}
    return len(words & set(terms(title, PLAIN))) / len(words) if words else 0.0


def version_of(history: Sequence[VersionRecord], day: dt.date) -> VersionRecord | None:
    """The version that held at the end of a day, of a history, oldest first; None where none is known of then.

    A version holds from its source's own date, or from when it was first seen where that is earlier or all there is.
    """
    held = [record for record in history if _begins(record) <= day]
    return held[-1] if held else None


def changes_between(before: CanonicalText, after: CanonicalText) -> list[Change]:
    """The sentences, items and rows that differ, in the order of the later version."""
    old, new = list(_units(before)), list(_units(after))
    old_texts = [_folded(before.text[s:e]) for s, e in old]
    new_texts = [_folded(after.text[s:e]) for s, e in new]
    # What only moved did not change.
    moved = set(old_texts) & set(new_texts)
    found: list[Change] = []
    matcher = difflib.SequenceMatcher(None, old_texts, new_texts, autojunk=False)
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind == "equal":
            continue
        gone = [old[i] for i in range(a, b) if old_texts[i] not in moved]
        come = [new[i] for i in range(c, d) if new_texts[i] not in moved]
        paired = min(len(gone), len(come))
        found += [Change(gone[i], come[i]) for i in range(paired)]
        found += [Change(None, span) for span in come[paired:]] + [Change(span, None) for span in gone[paired:]]
    return found


def _units(canonical: CanonicalText) -> Iterator[Span]:
    for block in canonical.blocks:
        if block.kind is BlockKind.HEADING:
            continue
        if block.kind is BlockKind.TABLE_ROW:
            yield block.start, block.end
            continue
        for start, end in split_sentences(canonical.text[block.start : block.end]):
            if end - start >= SHORTEST:
                yield block.start + start, block.start + end


def _folded(text: str) -> str:
    return " ".join(text.split())


def _begins(record: VersionRecord) -> dt.date:
    said = record.metadata.modified_at
    return min(said, record.observed_at).date() if said is not None else record.observed_at.date()


def _date(year: int, month: int, day: int, today: dt.date) -> dt.date | None:
    try:
        if year:
            return dt.date(year, month, day or 1)
        this_year = dt.date(today.year, month, day or 1)
        return this_year if this_year <= today else this_year.replace(year=today.year - 1)
    except ValueError:
        return None


def _begun(unit: str, today: dt.date) -> dt.date:
    match unit:
        case "day":
            return today - dt.timedelta(days=1)
        case "week":
            return today - dt.timedelta(days=today.weekday() + 7)
        case "month":
            return (today.replace(day=1) - dt.timedelta(days=1)).replace(day=1)
        case _:
            return dt.date(today.year - 1, 1, 1)


def _ago(number: int, unit: str, today: dt.date) -> dt.date | None:
    try:
        if unit in _UNITS:
            return today - dt.timedelta(days=number * _UNITS[unit])
        if unit in _MONTHS:
            months = today.year * 12 + today.month - 1 - number * _MONTHS[unit]
            return dt.date(months // 12, months % 12 + 1, min(today.day, 28))
    except (OverflowError, ValueError):
        return None
    return None
