"""What is kept out of the index: kinds of sensitive text, and what is done with each."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class SensitiveKind(StrEnum):
    """A kind of text that may have to stay out of the index."""

    SECRET = "secret"  # noqa: S105 (the name of a kind)
    """Keys, tokens, passwords."""
    CARD = "card"
    IBAN = "iban"
    NATIONAL_ID = "national_id"
    """Spanish DNI and NIE, US social security numbers."""
    PHONE = "phone"
    EMAIL = "email"


class Treatment(StrEnum):
    """What is done with a kind."""

    REDACT = "redact"
    KEEP = "keep"


Policy = frozenset[SensitiveKind]
"""The kinds that are redacted."""

DEFAULT_TREATMENTS: Mapping[SensitiveKind, Treatment] = {
    SensitiveKind.SECRET: Treatment.REDACT,
    SensitiveKind.CARD: Treatment.REDACT,
    SensitiveKind.IBAN: Treatment.REDACT,
    SensitiveKind.NATIONAL_ID: Treatment.REDACT,
    # Whom to call is what people ask for.
    SensitiveKind.PHONE: Treatment.KEEP,
    SensitiveKind.EMAIL: Treatment.KEEP,
}


def policy_of(treatments: Mapping[SensitiveKind, Treatment]) -> Policy:
    """The kinds to redact, by these treatments and, for kinds they do not name, the defaults."""
    chosen = {**DEFAULT_TREATMENTS, **treatments}
    return frozenset(kind for kind, treatment in chosen.items() if treatment is Treatment.REDACT)


DEFAULT_POLICY = policy_of({})
