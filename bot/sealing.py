"""What a modal carries for us, with a seal: nobody but this app can have written it.

Slack keeps `private_metadata` with the view and gives it back with what is submitted. It is ours, but it comes from
outside: a name of a place in it decides what is changed, so it is believed only under our own seal.
"""

from __future__ import annotations

import hashlib
import hmac

_SEAL = 64
"""Hexadecimal digits of HMAC-SHA256."""


class Sealing:
    """Seals texts for one purpose, with a key that every process of the bot has."""

    def __init__(self, secret: str, purpose: str) -> None:
        self._key = hmac.digest(secret.encode(), f"testigo:{purpose}".encode(), hashlib.sha256)

    def seal(self, said: str) -> str:
        """The text with its seal."""
        return self._seal_of(said) + said

    def open(self, sealed: str) -> str | None:
        """The text, or None where the seal is not that of the text."""
        seal, said = sealed[:_SEAL], sealed[_SEAL:]
        return said if hmac.compare_digest(seal.encode(), self._seal_of(said).encode()) else None

    def _seal_of(self, said: str) -> str:
        return hmac.new(self._key, said.encode(), hashlib.sha256).hexdigest()
