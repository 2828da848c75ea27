"""Patterns over paths: `*` and `?` stay within a name, `**` stands for any number of folders."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache


def matches(pattern: str, path: str) -> bool:
    """Whether a pattern matches a whole relative path, heeding case. Both are compared in NFC."""
    return _compiled(unicodedata.normalize("NFC", pattern)).fullmatch(unicodedata.normalize("NFC", path)) is not None


@lru_cache(maxsize=4_096)
def _compiled(pattern: str) -> re.Pattern[str]:
    names = pattern.split("/")
    parts: list[str] = []
    for index, name in enumerate(names):
        is_last = index == len(names) - 1
        if name == "**":
            parts.append(".+" if is_last else "(?:[^/]+/)*")
        else:
            parts.append(_name(name) + ("" if is_last else "/"))
    return re.compile("".join(parts), re.DOTALL)


def _name(name: str) -> str:
    pieces = re.split(r"(\*+|\?)", name)
    return "".join("[^/]*" if p.startswith("*") else "[^/]" if p == "?" else re.escape(p) for p in pieces)
