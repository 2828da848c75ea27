"""How much of what was said before is taken along: the newest, within a budget of tokens."""

from __future__ import annotations

from collections.abc import Sequence

CHARACTERS_PER_TOKEN = 3
"""A cautious guess for Spanish and English: the budget is never exceeded by much."""


def within_budget(newest_first: Sequence[str], tokens: int) -> tuple[str, ...]:
    """The newest texts that fit into a number of tokens, whole; the first that does not fit ends it."""
    kept: list[str] = []
    for text in newest_first:
        tokens -= -(-len(text) // CHARACTERS_PER_TOKEN)
        if tokens < 0:
            break
        kept.append(text)
    return tuple(kept)
