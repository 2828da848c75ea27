"""Chunk ids that outlive edits.

Unchanged text keeps its id and its vector; changed text keeps the id where it is similar and in place; new text gets a
new id; an id is never given to different content, nor used again after its chunk is gone.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from core.domain.document import Chunk

SIMILAR = 0.6
"""Share of words in common (Dice, 0–1) from which on a changed text counts as the same chunk."""
_REACH = 6
"""How far, in chunks, a changed text may have moved between its unchanged neighbours."""

_WORD = re.compile(r"\w+")
_ID = re.compile(r"(?P<stem>.*#s\d+-p)(?P<part>\d+)", re.DOTALL)


def align_chunk_ids(
    old: Sequence[tuple[str, str]], new: Sequence[Chunk], used: Collection[str] = ()
) -> tuple[Chunk, ...]:
    """Give the chunks of a new version the ids of the old version's chunks that they continue.

    Args:
        old: (chunk id, text) of the version before, in the order of the document.
        new: the chunks of the new version, in order, with the ids that `chunk_version` gave them.
        used: every id that the document has ever had (those of `old` need not be among them).
    """
    pairs = _match_same(old, new)
    pairs.update(_match_similar(old, new, pairs))
    taken = {chunk_id for chunk_id, _ in old} | set(used)
    fresh = _FreshIds(taken)
    return tuple(
        replace(chunk, chunk_id=old[pairs[index]][0] if index in pairs else fresh.like(chunk.chunk_id))
        for index, chunk in enumerate(new)
    )


def _match_same(old: Sequence[tuple[str, str]], new: Sequence[Chunk]) -> dict[int, int]:
    """Pair chunks (new index → old index) of equal text: first from both ends, then, for what moved, in order."""
    pairs: dict[int, int] = {}
    shorter = min(len(old), len(new))
    head = 0
    while head < shorter and old[head][1] == new[head].text:
        pairs[head] = head
        head += 1
    tail = 1
    while tail <= shorter - head and old[-tail][1] == new[-tail].text:
        pairs[len(new) - tail] = len(old) - tail
        tail += 1
    places: dict[str, deque[int]] = defaultdict(deque)
    for place in range(head, len(old) - tail + 1):
        places[old[place][1]].append(place)
    for index in range(head, len(new) - tail + 1):
        if queue := places.get(new[index].text):
            pairs[index] = queue.popleft()
    return pairs


def _match_similar(old: Sequence[tuple[str, str]], new: Sequence[Chunk], pairs: dict[int, int]) -> dict[int, int]:
    """Pair what is left between the same unchanged neighbours, the most similar first."""
    taken = set(pairs.values())
    words: dict[str, Counter[str]] = {}

    def bag(text: str) -> Counter[str]:
        if text not in words:
            words[text] = Counter(_WORD.findall(text.casefold()))
        return words[text]

    candidates: list[tuple[float, int, int, int]] = []
    for indexes, places in _gaps(len(old), len(new), pairs, taken):
        reach = _REACH + abs(len(indexes) - len(places))
        for rank, index in enumerate(indexes):
            for place_rank in range(max(0, rank - reach), min(len(places), rank + reach + 1)):
                place = places[place_rank]
                likeness = _dice(bag(new[index].text), bag(old[place][1]))
                if likeness >= SIMILAR:
                    candidates.append((-likeness, abs(rank - place_rank), index, place))
    found: dict[int, int] = {}
    for _, _, index, place in sorted(candidates):
        if index not in found and place not in taken:
            found[index] = place
            taken.add(place)
    return found


def _gaps(
    old_count: int, new_count: int, pairs: dict[int, int], taken: Collection[int]
) -> Iterator[tuple[list[int], list[int]]]:
    """Yield (new indexes, old indexes) that lie unmatched between two unchanged neighbours."""
    indexes: list[int] = []
    last_place = -1
    for index in range(new_count + 1):
        place = old_count if index == new_count else pairs.get(index)
        if place is None:
            indexes.append(index)
            continue
        if place < last_place:  # what moved backwards bounds no gap
            continue
        if indexes:
            yield indexes, [p for p in range(last_place + 1, place) if p not in taken]
            indexes = []
        last_place = place


def _dice(one: Counter[str], other: Counter[str]) -> float:
    total = one.total() + other.total()
    return 2 * (one & other).total() / total if total else 0.0


class _FreshIds:
    """Ids that were never used: the chunk's own where it is free, else the next free part of its section."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)

    def like(self, chunk_id: str) -> str:
        while chunk_id in self._taken:
            match = _ID.fullmatch(chunk_id)
            chunk_id = f"{match['stem']}{int(match['part']) + 1}" if match else f"{chunk_id}-p2"
        self._taken.add(chunk_id)
        return chunk_id
