"""Collecting problems while walking through JSON: a place in it, and the checks that most fields share."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from bot.standin import limits
from bot.standin.model import Json
from bot.standin.problems import Problem


@dataclass(slots=True)
class Findings:
    """The problems found so far, and totals that count over a whole message."""

    problems: list[Problem] = field(default_factory=list)
    block_ids: set[str] = field(default_factory=set)
    markdown_length: int = 0
    tables_length: int = 0


@dataclass(frozen=True, slots=True)
class Place:
    """A JSON object at a pointer, with the findings it reports to."""

    value: Json
    pointer: str
    findings: Findings

    def wrong(self, message: str, key: str | None = None) -> None:
        """Report a problem here, or at a key of this object."""
        self.findings.problems.append(Problem(message, self.pointer if key is None else f"{self.pointer}/{key}"))

    def child(self, key: str, *, required: bool = False) -> "Place | None":
        """Step into an object; report it when it is required and absent, or no object."""
        value = self.value.get(key)
        if value is None:
            if required:
                self.wrong(f"missing required field: {key}")
            return None
        if not isinstance(value, dict):
            self.wrong("must provide an object", key)
            return None
        return Place(value, f"{self.pointer}/{key}", self.findings)

    def children(self, key: str, *, most: int, least: int = 1, required: bool = True) -> Iterator["Place"]:
        """Step into each object of a list, after checking how many there are."""
        items = self.value.get(key)
        if items is None:
            if required:
                self.wrong(f"missing required field: {key}")
            return
        if not isinstance(items, list):
            self.wrong("must provide an array", key)
            return
        if len(items) > most:
            self.wrong(f"no more than {most} items allowed", key)
        if len(items) < least:
            self.wrong(f"no less than {least} items allowed", key)
        for index, item in enumerate(items):
            if isinstance(item, dict):
                yield Place(item, f"{self.pointer}/{key}/{index}", self.findings)
            else:
                self.wrong("must provide an object", f"{key}/{index}")

    def string(self, key: str, *, most: int, least: int = 1, required: bool = False) -> str:
        """Check a string's presence and length, and return it (empty when absent)."""
        value: Any = self.value.get(key)
        if value is None:
            if required:
                self.wrong(f"missing required field: {key}")
            return ""
        if not isinstance(value, str):
            self.wrong("must provide a string", key)
            return ""
        if len(value) > most:
            self.wrong(f"must be less than {most + 1} characters", key)
        if len(value) < least:
            self.wrong(f"must be more than {least - 1} characters", key)
        return value

    def url(self, key: str, *, required: bool = False) -> None:
        """Check a URL's length and form."""
        value = self.string(key, most=limits.URL, required=required)
        if value and (not urlsplit(value).scheme or any(character.isspace() for character in value)):
            self.wrong("must be a valid URL", key)

    def text(self, key: str, *, most: int = limits.TEXT_OBJECT, plain: bool = False, required: bool = False) -> None:
        """Check a text object under a key."""
        child = self.child(key, required=required)
        if child is not None:
            child.is_text(most=most, plain=plain)

    def is_text(self, *, most: int = limits.TEXT_OBJECT, plain: bool = False) -> None:
        """Check that this is a text object."""
        kind = self.value.get("type")
        allowed = ("plain_text",) if plain else ("plain_text", "mrkdwn")
        if kind not in allowed:
            self.wrong(f"must be a valid enum value: {', '.join(allowed)}", "type")
        self.string("text", most=most, required=True)
        if kind == "mrkdwn" and "emoji" in self.value:
            self.wrong("unexpected field: emoji (plain_text only)")
        if kind == "plain_text" and "verbatim" in self.value:
            self.wrong("unexpected field: verbatim (mrkdwn only)")

    def one_of(self, key: str, allowed: tuple[str, ...], *, required: bool = False) -> None:
        """Check a string that must be one of a few."""
        value = self.value.get(key)
        if value is None and not required:
            return
        if value not in allowed:
            self.wrong(f"must be a valid enum value: {', '.join(allowed)}", key)
