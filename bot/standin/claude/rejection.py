"""Why a request is turned away."""

from __future__ import annotations


class Rejection(Exception):  # noqa: N818 - it is an outcome of the service, not a failure of it
    """The API's answer to a request that breaks its rules: status, error type, sentence."""

    def __init__(self, message: str, *, status: int = 400, kind: str = "invalid_request_error") -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.kind = kind
