"""Keys, tokens and passwords. Tokens by the form their issuer gave them (detect-secrets, and what it does not know),
passwords by the words before them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from core.domain.redaction import SensitiveKind
from core.redaction.findings import Finding
from core.redaction.looks import LONGEST, SHORTEST, looks_secret, stands_in

_FEWEST_DISTINCT = 7
"""A token with fewer different characters is `ghp_xxxxxxxx`, a stand-in."""


@dataclass(frozen=True, slots=True)
class _Rule:
    """A pattern, and texts without one of which it cannot match. Looking for those is what makes redaction cheap.

    The secret is the one group of the pattern, or the whole match.
    """

    triggers: tuple[str, ...]
    pattern: re.Pattern[str]


def _token(triggers: str, pattern: str) -> _Rule:
    return _Rule(tuple(triggers.split()), re.compile(pattern))


_PEM = "(?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?"

_RULES = (
    _Rule(
        ("PRIVATE KEY",),
        # Through blocks: a key that a parser has cut at its empty lines is still one.
        re.compile(
            rf"-----BEGIN {_PEM}-----(?:(?!-----)[\s\S]){{0,400}}?[A-Za-z0-9+/=]{{32,}}"
            rf"(?:(?:(?!-----)[\s\S]){{0,20000}}-----END {_PEM}-----|(?:[\s\x00\\n]+[A-Za-z0-9+/=]{{24,}})*)"
        ),
    ),
    _token("sk-ant-", r"sk-ant-[A-Za-z0-9_-]{20,}"),
    _token("sk-", r"sk-(?:(?:(?:proj|svcacct|admin)-)?[A-Za-z0-9_-]{40,}|[A-Za-z0-9]{32,})"),
    _token("ATATT3 ATCTT3", r"AT[AC]TT3[A-Za-z0-9_=-]{40,}"),
    _token("github_pat_", r"github_pat_[A-Za-z0-9_]{22,255}"),
    _token("ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{36,255}"),
    _token("npm_", r"npm_[A-Za-z0-9]{36}"),
    _token(
        "glpat- gldt- glft- glsoat- glrt- glptt- glagent- glcbt- glimt- gloas-",
        r"gl(?:pat|dt|ft|soat|rt|ptt|agent|cbt|imt|oas)-[A-Za-z0-9_.-]{20,}",
    ),
    _token("pypi-", r"pypi-[A-Za-z0-9_-]{70,}"),
    _token("AIza", r"AIza[A-Za-z0-9_-]{35}"),
    _token("GOCSPX-", r"GOCSPX-[A-Za-z0-9_-]{28}"),
    _token("ya29.", r"ya29\.[A-Za-z0-9_-]{20,}"),
    _token("xapp- xoxe", r"xapp-\d-[A-Z0-9]+-\d+-[a-f0-9]{32,}|xoxe(?:\.xox[bp])?-\d-[A-Za-z0-9]{40,}"),
    _token("xox", r"xox[abpors]-(?:\d+-){1,3}[A-Za-z0-9]{10,}"),
    _token("k_test_ k_live_ whsec_", r"(?:[srp]k_(?:test|live)_|whsec_)[A-Za-z0-9]{16,}"),
    _token("hf_", r"hf_[A-Za-z]{34}"),
    _token("dop_v1_", r"dop_v1_[a-f0-9]{64}"),
    _token("AccountKey=", r"AccountKey=([A-Za-z0-9+/]{40,}={0,2})"),
    _token(":AA", r"\d{8,10}:AA[A-Za-z0-9_-]{33}"),
    _Rule(("://",), re.compile(r"://[^\s/:@\x00]{0,64}:(?![<{$%])([^\s/@:\x00]{3,128})@")),
    _Rule(
        ("earer ", "asic "),
        re.compile(r"(?:[Bb]earer|[Bb]asic) ((?=[A-Za-z+/=._~-]*\d)[A-Za-z0-9+/=._~-]{20,})"),
    ),
)

_KEYWORDS = ("password", "passwd", "passphrase", "pwd", "contraseña", "contrasena", "clave", "key", "token", "secret")
"""The last word of what a password is called; looked for as plain text, since that is fifty times as quick."""
_CALLED = re.compile(
    r"(?:(?:^|[^a-z])(?:password|passwd|passphrase|pwd|contraseña|contrasena|clave|token|secret)"
    r"|(?:api|secret|access|account|auth|private|encryption)[ _.-]?key)$",
    re.IGNORECASE,
)
_LONGEST_NAME = 24
_BETWEEN = r"[^\n\x00:=|\"?!.,;{}<>]{0,40}?"
"""What may stand between the name and the sign: `del wifi`, `(guests)`."""
_ASSIGNED = re.compile(
    r"s?(?![A-Za-zñ])[\"'\])]{0,2}"
    rf"(?:{_BETWEEN}[ \t]*(?::=|=>|={{1,3}}|:)[ \t]*\n?[ \t]*|{_BETWEEN} (?:is|es) )"
    rf"[\"'`“«]?(?P<secret>[^\s\"'`”»<>|\x00]{{{SHORTEST},{LONGEST}}})"
)
_EDGES = " \t\n\"'=:"
_SENTENCE_ENDS = ".,;:)"


def secrets(text: str) -> Iterator[Finding]:
    """Keys, tokens and passwords in a text."""
    for rule in (*_RULES, *_known_rules()):
        if any(trigger in text for trigger in rule.triggers):
            yield from _matches(rule.pattern, text)
    yield from _passwords(text)


def _matches(pattern: re.Pattern[str], text: str) -> Iterator[Finding]:
    """What a pattern finds as a word of its own, and not as a stand-in."""
    for match in pattern.finditer(text):
        start, end = match.span(pattern.groups)
        while start < end and text[start] in _EDGES:
            start += 1
        while start < end and text[end - 1] in _EDGES:
            end -= 1
        value = text[start:end]
        alone = not text[start - 1 : start].isalnum() and not text[end : end + 1].isalnum()
        mixed = len(set(value)) >= _FEWEST_DISTINCT or (pattern.groups and looks_secret(value))
        if alone and mixed and not stands_in(value):
            yield Finding(SensitiveKind.SECRET, start, end)


def _passwords(text: str) -> Iterator[Finding]:
    lowered = _lower(text)
    for keyword in _KEYWORDS:
        at = lowered.find(keyword)
        while at >= 0:
            end = at + len(keyword)
            if _CALLED.search(text[max(0, end - _LONGEST_NAME) : end]) and (match := _ASSIGNED.match(text, end)):
                value = match["secret"].rstrip(_SENTENCE_ENDS)
                if looks_secret(value):
                    yield Finding(SensitiveKind.SECRET, match.start("secret"), match.start("secret") + len(value))
            at = lowered.find(keyword, end)


def _lower(text: str) -> str:
    """Lower case of the same length: `İ` would become two characters, and move every offset after it."""
    lowered = text.lower()
    return lowered if len(lowered) == len(text) else "".join(c if len(c.lower()) != 1 else c.lower() for c in text)


@cache
def _known_rules() -> tuple[_Rule, ...]:
    """The patterns of detect-secrets for tokens that have a form of their own.

    Its patterns and not its `analyze_string`, which for a token with alternatives gives only the alternative (`ghp`).
    Not its entropy and keyword detectors: in prose they take hashes, part numbers and sentences for secrets. Imported
    here, since it brings an HTTP client that only its verification needs, which is never used.
    """
    from detect_secrets.plugins import (
        artifactory,
        aws,
        azure_storage_key,
        cloudant,
        jwt,
        sendgrid,
        slack,
        softlayer,
        square_oauth,
        stripe,
        twilio,
    )

    detectors: tuple[tuple[str, Any], ...] = (
        ("AKC artif jfrog buildkit", artifactory.ArtifactoryDetector),
        ("AKIA ASIA ABIA ACCA A3T aws AWS Aws", aws.AWSKeyDetector),
        ("==", azure_storage_key.AzureStorageKeyDetector),
        ("cloudant", cloudant.CloudantDetector),
        ("eyJ", jwt.JwtTokenDetector),
        ("SG.", sendgrid.SendGridDetector),
        ("xox hooks.slack.com", slack.SlackDetector),
        ("softlayer", softlayer.SoftlayerDetector),
        ("sq0csp-", square_oauth.SquareOAuthDetector),
        ("k_live_", stripe.StripeDetector),
        ("AC SK", twilio.TwilioKeyDetector),
    )
    return tuple(_Rule(tuple(triggers.split()), pattern) for triggers, d in detectors for pattern in d.denylist)
