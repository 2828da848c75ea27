"""Take from several ranked lists in turn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def interleave(rankings: Iterable[Sequence[str]], limit: int) -> list[str]:
    """The first keys of each list in turn, each once: neither half can crowd the other out of what is read."""
    lists = [iter(r) for r in rankings]
    seen: dict[str, None] = {}
    while lists and len(seen) < limit:
        for ranking in list(lists):
            key = next(ranking, None)
            if key is None:
                lists.remove(ranking)
            elif len(seen) < limit:
                seen.setdefault(key, None)
    return list(seen)
