"""What the audit record says: who did what, where, when, with which documents. No question and no text is in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

TERMINAL = "terminal"
"""The actor of commands on the machine itself: who may run them is the operating system's business."""


class AuditKind(StrEnum):
    """What an entry is about."""

    RUN = "run"
    """A question that was answered or abstained from."""
    REFUSED = "refused"
    """A question that was not taken: an unknown person, a shared channel, a limit."""
    ADMIN = "admin"
    """An admin's action."""
    OWN = "own"
    """What a person did about themself: that they wanted to be forgotten."""
    DENIED = "denied"
    """What somebody who may not do it tried."""
    OPENED = "opened"
    """The evidence of an answer that somebody opened, with the documents of which they were shown something."""
    HANDED_ON = "handed_on"
    """A question without an answer that its asker handed to people, or the answer that one of them sent back."""
    SHARED = "shared"
    """A private answer that was shared with a channel, or what was left of it."""


@dataclass(frozen=True, slots=True)
class AuditNote:
    """Something to be recorded. `actor` is a Slack id (or `terminal`), `place` a channel's id."""

    kind: AuditKind
    tenant_id: str
    actor: str
    place: str = ""
    facts: Mapping[str, object] = field(default_factory=dict)
    """Ids, numbers and words of the program: plain JSON."""


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """A row of the record. `at` is in epoch seconds; `body` is canonical JSON, of which `hash` is made."""

    seq: int
    at: float
    body: str
    previous: str
    hash: str


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong with the record at one place."""

    seq: int
    what: str
