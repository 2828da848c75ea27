"""Where sensitive text stands, and what takes its place."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass

from core.domain.redaction import SensitiveKind

_NAMES = {
    SensitiveKind.SECRET: "secret",
    SensitiveKind.CARD: "card",
    SensitiveKind.IBAN: "IBAN",
    SensitiveKind.NATIONAL_ID: "national id",
    SensitiveKind.PHONE: "phone",
    SensitiveKind.EMAIL: "e-mail",
}
_RANK = {kind: rank for rank, kind in enumerate(_NAMES)}

_OTHER_NUMBER = re.compile(
    r"\b(?:pedidos?|orders?|seguimiento|tracking|env[ií]o|shipment|albar[aá]n|factura|invoice|ref|referencia|reference"
    r"|pieza|parts?|art[ií]culo|item|sku|ean|gtin|isbn|imei|serie|serial|lote|batch|ticket|expediente|case|p[aá]gina|page"
    r"|pageid|id|hash|sha\d*|md5|commit|versi[oó]n)"
    r"(?:[\W_]{0,3}(?:n[.ºo°]{0,2}|no|n[uú]m(?:ero)?|number|id|c[oó]digo|code))?[\W_]{0,3}$",
    re.IGNORECASE,
)
_LOOK_BEHIND = 40


@dataclass(frozen=True, slots=True)
class Finding:
    """A stretch of sensitive text."""

    kind: SensitiveKind
    start: int
    end: int


def name_of(kind: SensitiveKind) -> str:
    """What a kind is called in a placeholder and in a report."""
    return _NAMES[kind]


def placeholder(kind: SensitiveKind) -> str:
    """What stands in the canonical text instead: typed, and the same in every language."""
    return f"[redacted: {_NAMES[kind]}]"


def apart(findings: Iterable[Finding]) -> list[Finding]:
    """Findings in reading order without overlaps: the earlier kind wins, then the longer stretch."""
    kept: list[Finding] = []
    for finding in sorted(findings, key=lambda f: (_RANK[f.kind], f.start - f.end, f.start)):
        at = bisect_left(kept, finding.start, key=lambda f: f.start)
        free_before = at == 0 or kept[at - 1].end <= finding.start
        free_after = at == len(kept) or finding.end <= kept[at].start
        if free_before and free_after and finding.start < finding.end:
            kept.insert(at, finding)
    return kept


def names_another_number(text: str, start: int) -> bool:
    """Whether the words before a number call it an order, part, page or the like. A checksum may fit by chance."""
    return _OTHER_NUMBER.search(text[max(0, start - _LOOK_BEHIND) : start]) is not None
