"""A word that no visible chunk has, and the visible word that it may be a slip of.

The dictionary is the index's own, so company words are in it. Words of hidden chunks are in it too, which is why each
that comes near is counted again among what the reader may see: only those are ever offered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

SHORTEST = 5
"""A shorter word has a neighbour in every language."""
LONG = 8
"""From this length on, two slips are forgiven."""
NEAREST = 8
"""Near words that are counted, nearest and most frequent first."""


def may_be_a_slip(term: str) -> bool:
    """Whether a term is long enough, and no number or code: another digit is another thing."""
    return len(term) >= SHORTEST and term.isalpha()


def nearest(term: str, dictionary: Iterable[tuple[str, int]], visible: Callable[[str], int]) -> str | None:
    """The nearest word of a dictionary of (word, frequency) that is visible; of equally near ones the most frequent.

    `visible` counts the visible chunks that hold a word. None where no word is near enough.
    """
    most = 2 if len(term) >= LONG else 1
    near = [
        (slips, -frequency, word)
        for word, frequency in dictionary
        if word.isalpha() and word != term and (slips := distance(term, word, most)) <= most
    ]
    counted = [(slips, -visible(word), word) for slips, _, word in sorted(near)[:NEAREST]]
    return min(((slips, count, word) for slips, count, word in counted if count < 0), default=(0, 0, None))[2]


def distance(one: str, other: str, most: int) -> int:
    """Letters to be added, left out, changed, or swapped with their neighbour; `most` + 1 stands for any number more.

    Optimal string alignment: Damerau, *A technique for computer detection and correction of spelling errors*, 1964.
    """
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        before, last, row = row, before, [i]
        for j, b in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and b == one[i - 2]:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return row[-1]
