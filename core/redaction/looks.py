"""Whether what stands after `password:` is one, and not what a policy says about passwords."""

from __future__ import annotations

import re

SHORTEST = 6
LONGEST = 256

_STAND_IN = re.compile(
    r"[<\[{].*|[$%]\{.*|\$\(.*|%\w+%|\$[A-Za-z_]\w*|.*[>\]}]|.*(?:\*{3}|x{4}|X{4}|\.{3}|…|•).*|.*\w[(\[].*"
    r"|(?:your|tu|mi|my)[-_].*|(?:.*[-_.])?(?:password|passwd|contraseña|contrasena|secret|token|example|ejemplo)\d{0,2}",
    re.IGNORECASE,
)
_ORDINARY = re.compile(
    r"\d{4}[-/.]\d{1,2}(?:[-/.]\d{1,2})?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|\d{1,2}:\d{2}(?::\d{2})?"  # dates, times
    r"|v?\d+(?:\.\d+)+\S{0,8}|[\d.,]+[-–/][\d.,]+|[\d.,]*\d[a-zñáéíóú]*[%€$]?|[€$]?[\d.,]+"  # versions, ranges, amounts
    r"|(?:\d+|[A-Z]+)(?:[-_/](?:\d+|[A-Z]+))+|(?:\d+|[a-z]+)(?:[-_/.](?:\d+|[a-z]+))+"  # MP-2026-01, aes-256-gcm
    r"|(?i:sha|aes|rsa|md|bcrypt|argon|oauth|tls|ssl|utf|base|http|iso|windows|win|office|ipv|saml|fido)-?\d\S*"
    r"|\S+@\S+\.\w+|(?:[a-z]+:)?/\S*|\S*\.(?i:md|pdf|docx?|html?|txt|png|jpe?g|csv|xlsx?|kdbx?|py|js|com|es|org|net)"
)
_STRONG_SIGN = re.compile(r"[!@#$%^&*+=?~|;]")


def looks_secret(value: str) -> bool:
    """Whether a single word may be a password or a key: mixed, and not a date, version, amount, code or stand-in."""
    if not SHORTEST <= len(value) <= LONGEST or any(char.isspace() for char in value):
        return False
    if value.isdigit():
        return not value.startswith(("19", "20")) or len(value) not in {6, 8}
    if stands_in(value) or _ORDINARY.fullmatch(value):
        return False
    lower, upper = any(map(str.islower, value)), any(map(str.isupper, value))
    digit, sign = any(map(str.isdigit, value)), not value.isalnum()
    if digit:
        return lower + upper + sign >= 1
    return lower + upper + sign >= 2 and _STRONG_SIGN.search(value.rstrip("!?;")) is not None


def stands_in(value: str) -> bool:
    """Whether a word only shows where a secret would go: `<token>`, `${TOKEN}`, `xxxx`, `your-password`."""
    return _STAND_IN.fullmatch(value) is not None
