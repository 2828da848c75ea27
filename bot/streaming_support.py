"""Which of Slack's newer surfaces a workspace has: streams, the status under a thread, sessions with a stop button.

What it lacks is not asked for again for a while.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from enum import StrEnum

LACKING = frozenset(
    {
        "access_denied",
        "deprecated_endpoint",
        "enterprise_is_restricted",
        "feature_disabled",
        "feature_not_enabled",
        "method_deprecated",
        "missing_scope",
        "no_permission",
        "not_agent_app",
        "not_allowed_token_type",
        "team_access_not_granted",
        "unknown_method",
    }
)
"""Slack's words for what a workspace, its plan or the app does not have."""
REMEMBERED_SECONDS = 600.0


class Surfacing(StrEnum):
    """One of the newer surfaces."""

    STREAM = "stream"
    STATUS = "status"
    SESSION = "session"


class StreamingSupport:
    """Remembers what each workspace lacks."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lacking_until: dict[tuple[str, Surfacing], float] = {}

    def has(self, team_id: str, surface: Surfacing) -> bool:
        """Whether it is worth asking for."""
        return self._clock() >= self._lacking_until.get((team_id, surface), float("-inf"))

    def refused(self, team_id: str, surface: Surfacing, code: str) -> None:
        """Take note of Slack's refusal, where it says that the workspace lacks the surface."""
        if code in LACKING:
            self._lacking_until[team_id, surface] = self._clock() + REMEMBERED_SECONDS
