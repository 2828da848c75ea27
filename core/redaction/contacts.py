"""Telephone numbers and e-mail addresses. Kept unless settings say otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterator

import phonenumbers

from core.domain.redaction import SensitiveKind
from core.redaction.findings import Finding, names_another_number

HOME_REGION = "ES"
"""Whose numbers are known without `+` and country code."""

_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,8}[^\W\d_]{2,24}(?![\w-])")
_NAMED_PHONE = re.compile(
    r"(?:tel[eé]?f?o?n?o?|tel|m[oó]vil|phones?|mobile|call|llam\w+|fax|whatsapp)\W{0,6}\w{0,8}\W{0,3}$", re.I
)


def phones(text: str) -> Iterator[Finding]:
    """Telephone numbers that exist as numbers (libphonenumber) and are written or called as such."""
    matcher = phonenumbers.PhoneNumberMatcher(
        text, HOME_REGION, leniency=phonenumbers.Leniency.VALID, max_tries=len(text)
    )
    for match in matcher:
        named = _NAMED_PHONE.search(text[max(0, match.start - 24) : match.start]) is not None
        grouped = match.raw_string.startswith("+") or len(re.split(r"[\s().-]+", match.raw_string)) > 2
        if named or (grouped and not names_another_number(text, match.start)):
            yield Finding(SensitiveKind.PHONE, match.start, match.end)


def emails(text: str) -> Iterator[Finding]:
    """E-mail addresses."""
    if "@" in text:
        for match in _EMAIL.finditer(text):
            yield Finding(SensitiveKind.EMAIL, *match.span())
