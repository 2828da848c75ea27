"""What can go wrong, as values to script: before an answer begins, and in the middle of one.

Shapes and statuses: https://platform.claude.com/docs/en/api/errors.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class HttpFault:
    """An error instead of an answer. `type` None sends `message` as a page of HTML, as a proxy would."""

    status: int
    type: str | None
    message: str
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Silent:
    """The request is taken and nothing ever comes back."""


@dataclass(frozen=True, slots=True)
class Hangup:
    """The connection is closed without a byte of an answer."""


@dataclass(frozen=True, slots=True)
class ErrorEvent:
    """`event: error` after so many characters of text, in a stream whose status was 200."""

    after: int
    type: str = "overloaded_error"
    message: str = "Overloaded"


@dataclass(frozen=True, slots=True)
class Stall:
    """Nothing more comes after so many characters, and the connection stays open."""

    after: int


@dataclass(frozen=True, slots=True)
class Drop:
    """The connection breaks after so many characters, in the middle of the chunked body."""

    after: int


@dataclass(frozen=True, slots=True)
class CleanCut:
    """The body ends as if all were well after so many characters (None: after all of them), with no stop reason."""

    after: int | None = None


@dataclass(frozen=True, slots=True)
class Corrupt:
    """Bytes that are no event (or no UTF-8) come after so many characters."""

    after: int
    data: bytes = b'{"type":"content_block_delta","ind'


StreamFault = ErrorEvent | Stall | Drop | CleanCut | Corrupt
RequestFault = HttpFault | Silent | Hangup


def overloaded() -> HttpFault:
    """529: the API is overloaded."""
    return HttpFault(529, "overloaded_error", "Overloaded")


def rate_limited(retry_after: float | None = None) -> HttpFault:
    """429, with the seconds to wait where they are given."""
    headers = {} if retry_after is None else {"retry-after": f"{retry_after:g}"}
    return HttpFault(429, "rate_limit_error", "This request would exceed your organization's rate limit.", headers)


def server_error() -> HttpFault:
    """500: an error inside the API."""
    return HttpFault(500, "api_error", "Internal server error")


def unauthorized() -> HttpFault:
    """401: the key is wrong, revoked or expired."""
    return HttpFault(401, "authentication_error", "invalid x-api-key")


def bad_gateway() -> HttpFault:
    """502 with a page of HTML, as a proxy on the way sends it."""
    return HttpFault(502, None, "<html><body><h1>502 Bad Gateway</h1></body></html>")
