"""What somebody wants when they have the exports read again, as they typed it."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

_DASHES = re.compile(r"^(?:--|[–—])(?=\w)")
"""Slack's apps make one long dash of two short ones."""


@dataclass(frozen=True, slots=True)
class ReindexOrder:
    """One source (None: all), everything anew, only a plan. `agreed_removals` may go although a guard holds them."""

    source: str | None = None
    full: bool = False
    dry_run: bool = False
    agreed_removals: int = 0


class UnknownSourceError(ValueError):
    """No source has this name."""

    def __init__(self, name: str) -> None:
        super().__init__("no source has this name")
        self.name = name


def parse_order(typed: str, sources: Collection[str]) -> ReindexOrder | None:
    """Read `[source] [--full] [--dry-run]`; None when it says something else besides.

    Raises:
        UnknownSourceError: it names a source that is none of these.
    """
    flags, names = set(), []
    for word in typed.split():
        flag = _DASHES.sub("--", word)
        if flag in {"--full", "--dry-run"}:
            flags.add(flag)
        else:
            names.append(word)
    if any(name.startswith("-") for name in names):
        return None
    if names and (name := " ".join(names)) not in sources:
        raise UnknownSourceError(name)
    return ReindexOrder(names[0] if names else None, full="--full" in flags, dry_run="--dry-run" in flags)
