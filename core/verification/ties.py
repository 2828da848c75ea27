"""Whether each value of a claim stands, in its quotes, with the words that the claim ties to it.

A value from one quote with the scope of another (`35 € … for all staff`), or two figures of one sentence swapped, is
true of no quote. So each place where a value stands (a clause of a sentence, a cell of a row) is held against its
*rivals*: the places of other values of the same measure. A rival that has words of the claim's clause, where the
value's own place has none that the rival lacks, shows a mixture. It is demonstrated where nothing else can explain it:
another document, another region or group, or two values that both stand with each other's words. The rest is undecided,
and lowers the claim.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import IntEnum

from core.verification.alignment import content_words
from core.verification.value_forms import extract_values
from core.verification.value_places import QuotedText, ValuePlace, comparable, tells, token, value_places
from core.verification.values import Support, Value, ValueKind, supported_by

_EMPLOYEE = "employee"
MOST_VALUES = 24
"""A claim with more values is no sentence; which of them belongs to what is not worked out."""


class Tie(IntEnum):
    """Whether a value stands with the words that the claim ties to it."""

    HOLDS = 0
    UNDECIDED = 1
    MIXED = 2


def loose_values(claim: str, language: str, quotes: Sequence[QuotedText], across: bool) -> Iterator[tuple[Value, Tie]]:
    """The values of a claim that do not stand in a quote with the words the claim ties to them."""
    values = extract_values(claim, language)
    if len(values) > MOST_VALUES:
        yield from ((value, Tie.UNDECIDED) for value in values)
        return
    given = [place for number, quote in enumerate(quotes) for place in value_places(quote, number * 1000, across)]
    said = value_places(QuotedText(claim, language, "", ""), 0, across, strict=True)
    pairs = [
        (mine, *_best(mine, given)) for mine in said if not (across and mine.value.first.kind is ValueKind.NUMBER)
    ]  # across languages what a bare number counts is not told
    swapped = sum(tie is not Tie.HOLDS and same for _, tie, same in pairs) > 1
    for mine, tie, same in pairs:
        if tie is not Tie.HOLDS:
            yield mine.value, Tie.MIXED if swapped and same else tie


def _best(mine: ValuePlace, given: Sequence[ValuePlace]) -> tuple[Tie, bool]:
    """The best that any place of the value says, and whether its rival is in the same document."""
    support = [supported_by(mine.value, (place.value,)) is not Support.NO for place in given]
    holding = [place for place, holds in zip(given, support, strict=True) if holds]
    rivals = [
        place for place, holds in zip(given, support, strict=True) if not holds and comparable(place.value, mine.value)
    ]
    if not holding:
        return Tie.HOLDS, False  # named elsewhere: the value stands in no quote
    return min((_against(mine, place, rivals) for place in holding), key=lambda found: found[0])


def _against(mine: ValuePlace, place: ValuePlace, rivals: Sequence[ValuePlace]) -> tuple[Tie, bool]:
    added = {word for _, word in mine.tied.limits} - place.tied.all - place.whole
    reordered = (mine.respective or place.respective) and not _same_order(mine, place)
    alone = Tie.UNDECIDED if added or reordered else Tie.HOLDS
    ties = [
        (_tie(mine, place, rival), rival.document_id == place.document_id)
        for rival in rivals
        if rival.value not in place.paired
    ]
    return max([*ties, (alone, False)], key=lambda found: found[0])


def _tie(mine: ValuePlace, place: ValuePlace, rival: ValuePlace) -> Tie:
    """Hold the place of a claim's value against the place of a rival."""
    theirs = (mine.tied.all & rival.tied.all) - place.tied.all
    own = (mine.tied.all & place.tied.all) - rival.tied.all
    if rival.sentence == place.sentence:
        own -= rival.lent
    kept = [value for value in mine.others if _stands(value, place.others) and not _stands(value, rival.others)]
    lost = [value for value in mine.others if not _stands(value, place.others) and _stands(value, rival.others)]
    limits = frozenset(kind for kind, word in mine.tied.limits if word in theirs)
    if not (theirs or lost):
        return Tie.HOLDS
    elsewhere = rival.document_id != place.document_id
    if own or kept:
        unsure = lost or elsewhere or (limits and not theirs <= place.lent)
        return Tie.UNDECIDED if unsure else Tie.HOLDS
    if elsewhere:
        return Tie.UNDECIDED if theirs <= {_EMPLOYEE} and not lost else Tie.MIXED
    if limits & {kind for kind, word in place.tied.limits if word not in mine.tied.all}:
        return Tie.MIXED  # the place of the value names another region or group
    if rival.key & theirs and place.key and not place.key & mine.tied.all:
        return Tie.MIXED  # the claim is of the rival's row
    return Tie.UNDECIDED


def _stands(value: Value, given: Sequence[Value]) -> bool:
    return supported_by(value, given) is not Support.NO


def _same_order(mine: ValuePlace, place: ValuePlace) -> bool:
    """Whether a claim names its words and its values in the order of the quote."""
    if not (mine.respective and place.respective):
        return False
    said = [token(word) for word in content_words(mine.respective) if tells(word)]
    given = [token(word) for word in content_words(place.respective) if tells(word)]
    if [word for word in said if word in given] != [word for word in given if word in said]:
        return False
    values = extract_values(mine.respective), extract_values(place.respective)
    amounts, theirs = ([value.first.amount for value in found] for found in values)
    return [one for one in amounts if one in theirs] == [one for one in theirs if one in amounts]
