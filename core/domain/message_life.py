"""The life of a message: what the person who asked has seen so far, and what may come next.

    claimed → acknowledged → searching → streaming → finished | replaced | failed
                    ╰─────────────┴────────────────→ finished | failed

It is kept with the event (`core.store.events`), so that a restart or another process goes on where it stood. Before
`streaming` nothing of a run was shown, and the run may be made again; from then on the message is ended or replaced
whole. Nothing follows an end.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType


class Stage(StrEnum):
    """Where a message stands."""

    CLAIMED = "claimed"
    """Written down, so that the front end may be told that it arrived."""
    ACKNOWLEDGED = "acknowledged"
    """A worker has taken it up."""
    SEARCHING = "searching"
    """The person sees that something is being done; no word of an answer."""
    STREAMING = "streaming"
    """A verified claim of a run is shown, or is about to be."""
    FINISHED = "finished"
    """The last word is said: an answer, an abstention, a refusal, or what stood there when it was stopped."""
    REPLACED = "replaced"
    """What was streamed has been replaced by something whole."""
    FAILED = "failed"
    """The person was told that it failed."""

    @property
    def is_end(self) -> bool:
        """Whether nothing follows."""
        return not FOLLOWING[self]


FOLLOWING: Mapping[Stage, frozenset[Stage]] = MappingProxyType(
    {
        Stage.CLAIMED: frozenset({Stage.ACKNOWLEDGED}),
        Stage.ACKNOWLEDGED: frozenset({Stage.SEARCHING, Stage.FINISHED, Stage.FAILED}),
        Stage.SEARCHING: frozenset({Stage.STREAMING, Stage.FINISHED, Stage.FAILED}),
        Stage.STREAMING: frozenset({Stage.FINISHED, Stage.REPLACED, Stage.FAILED}),
        Stage.FINISHED: frozenset(),
        Stage.REPLACED: frozenset(),
        Stage.FAILED: frozenset(),
    }
)
"""The allowed transitions."""


class StageError(ValueError):
    """A message cannot go from the one stage to the other."""

    def __init__(self, before: Stage, after: Stage) -> None:
        super().__init__(f"A message that is {before.value} cannot become {after.value}.")


def preceding(stage: Stage) -> frozenset[Stage]:
    """The stages that may be followed by this one, and itself: another attempt notes it again."""
    return frozenset(before for before, after in FOLLOWING.items() if stage in after) | {stage}


def require_may_follow(before: Stage, after: Stage) -> None:
    """Check a transition.

    Raises:
        StageError: it is not allowed.
    """
    if before not in preceding(after):
        raise StageError(before, after)
