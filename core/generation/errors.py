"""Everything that can go wrong while Claude writes an answer, as one small family.

    GenerationError
    ├── Overloaded           529 and other 5xx: the service cannot answer now
    ├── RateLimited          429: this key asks too often
    ├── TimedOut             the answer's deadline passed, or the stream went silent
    ├── ConnectionLost       no connection, or one that broke
    ├── Refused              the model declined (`stop_reason: refusal`)
    ├── CutShort             the answer ends before its end (`max_tokens`, or no `stop_reason` at all)
    ├── RejectedRequest      4xx: wrong key, unknown model, bad request
    └── ProtocolBroken       what came is not the protocol
        └── MalformedAnswer  the answer's JSON is not JSON, or not our schema

`retryable` says whether the same request may succeed a little later; `usage` what the failed attempt was billed, where
that is known.
"""

# ruff: noqa: N818 - the names say what happened; the base carries the suffix
from __future__ import annotations

from core.errors import TestigoError
from core.generation.prices import Usage


class GenerationError(TestigoError):
    """Claude gave no whole answer. The text is a sentence that a person can act on."""

    retryable: bool = False

    def __init__(self, sentence: str, *, retryable: bool | None = None, usage: Usage | None = None) -> None:
        super().__init__(sentence)
        if retryable is not None:
            self.retryable = retryable
        self.usage = usage


class Overloaded(GenerationError):
    """The service cannot take or finish the request now."""

    retryable = True


class RateLimited(GenerationError):
    """This key asks too often. `retry_after` is the service's own word on when to come back, in seconds, if it said."""

    retryable = True

    def __init__(
        self,
        sentence: str,
        *,
        retry_after: float | None = None,
        retryable: bool | None = None,
        usage: Usage | None = None,
    ) -> None:
        super().__init__(sentence, retryable=retryable, usage=usage)
        self.retry_after = retry_after


class TimedOut(GenerationError):
    """The deadline passed, or nothing came for too long."""

    retryable = True


class ConnectionLost(GenerationError):
    """There was no connection, or it broke before the end."""

    retryable = True


class Refused(GenerationError):
    """The model declined to answer."""


class CutShort(GenerationError):
    """The answer ends before its end."""


class RejectedRequest(GenerationError):
    """The service will not take this request, however often it is sent."""


class ProtocolBroken(GenerationError):
    """What came back is not what the protocol says."""

    retryable = True


class MalformedAnswer(ProtocolBroken):
    """The model's JSON is not JSON, or does not follow the answer's schema."""
