"""Payment cards, IBANs and national ids: found by form, believed by checksum (python-stdnum)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from stdnum import iban, luhn
from stdnum.es import dni, nie
from stdnum.us import ssn

from core.domain.redaction import SensitiveKind
from core.redaction.findings import Finding, names_another_number

_SEPARATORS = " -\n"
_WITHOUT_SEPARATORS = str.maketrans("", "", _SEPARATORS)

# Each pattern begins with a digit (or X, Y, Z) and looks behind after it: so the engine leaps from digit to digit, and
# reads ten times the text in the same time.
_ALONE = r"(?<![\w.,/#].)(?<!\w-.)"
_AFTER = r"(?![\w/])(?![-.,]\w)"

_CARD = re.compile(
    rf"\d{_ALONE}(?:\d{{3}}([ \n-]?)\d{{4}}\1\d{{4}}\1\d{{4}}|\d{{3}}([ \n-]?)\d{{6}}\2\d{{4,5}}){_AFTER}"
)
# Visa, Mastercard, Discover, UnionPay, JCB (16); American Express (15); Diners (14). Thirteen digits are an EAN.
_ISSUED = re.compile(
    r"(?:4|5[1-5]|2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720)|6(?:011|4[4-9]|5|2)|35(?:2[89]|[3-8]))\d+|3[47]\d{13}"
    r"|3(?:0[0-5]|[68])\d+"
)
_CARD_LENGTHS = {"3": (14, 15, 16)}

_IBAN = re.compile(
    r"\d\d(?<=[A-Za-z]..)(?<=[A-Za-z]...)(?<![A-Za-z0-9]....)(?:[ \n-]?[A-Za-z0-9]){11,30}(?![A-Za-z0-9])"
)
_COUNTRY = 2
_SHORTEST_IBAN = 15

_DNI = re.compile(rf"\d{_ALONE}(?:\d{{7}}|\d?\.\d{{3}}\.\d{{3}})-?[A-Za-z]{_AFTER}")
_NIE = re.compile(rf"[XYZxyz]{_ALONE}-?\d{{7}}-?[A-Za-z]{_AFTER}")
_SSN = re.compile(rf"\d{_ALONE}\d\d-\d\d-\d{{4}}{_AFTER}")
_ID_NAMES = ("dni", "nif", "nie", "ssn", "social security")
_NAMED_ID = re.compile(
    r"\b(?:(?P<es>dni|nif|nie)|(?P<us>ssn|social security(?: (?:number|no\.?))?))\b[ :.#=nº-]{0,6}"
    r"(?P<id>(?(es)[XYZ]?[ .-]?\d[\d. ]{5,9}[ -]?[A-Z]|\d{3}[ ]?\d{2}[ ]?\d{4}))(?!\w)",
    re.IGNORECASE,
)


def cards(text: str) -> Iterator[Finding]:
    """Payment cards: an issuer's prefix and length, Luhn's digit, and not called an order number or the like."""
    for match in _CARD.finditer(text):
        digits = _plain(match[0])
        lengths = _CARD_LENGTHS.get(digits[0], (16,))
        if len(digits) not in lengths or not _ISSUED.fullmatch(digits) or not luhn.is_valid(digits):
            continue
        if not names_another_number(text, match.start()):
            yield Finding(SensitiveKind.CARD, *match.span())


def ibans(text: str) -> Iterator[Finding]:
    """IBANs: the country's length and structure, and the check digits (ISO 13616)."""
    for match in _IBAN.finditer(text):
        start = match.start() - _COUNTRY
        written = text[start : match.end()]
        ends = [i for i, char in enumerate(written, 1) if char not in _SEPARATORS]
        for length in range(len(ends), _SHORTEST_IBAN - 1, -1):  # words may follow that look like more of it
            end = ends[length - 1]
            whole = end == len(written) or not written[end].isalnum()
            if whole and iban.is_valid(_plain(written[:end]), check_country=False):
                yield Finding(SensitiveKind.IBAN, start, start + end)
                break


def national_ids(text: str) -> Iterator[Finding]:
    """DNI and NIE by their letter; US social security numbers, which have no check digit, by hyphens and ranges."""
    for pattern, module in ((_DNI, dni), (_NIE, nie), (_SSN, ssn)):
        for match in pattern.finditer(text):
            if module.is_valid(_plain(match[0])) and not names_another_number(text, match.start()):
                yield Finding(SensitiveKind.NATIONAL_ID, *match.span())
    lowered = text.lower()
    if not any(name in lowered for name in _ID_NAMES):
        return
    for match in _NAMED_ID.finditer(text):
        number = _plain(match["id"]).replace(".", "")
        if ssn.is_valid(number) if match["us"] else dni.is_valid(number) or nie.is_valid(number):
            yield Finding(SensitiveKind.NATIONAL_ID, *match.span("id"))


def _plain(number: str) -> str:
    """Digits and letters as the checks expect them: ASCII, upper case, without separators."""
    return unicodedata.normalize("NFKC", number).translate(_WITHOUT_SEPARATORS).upper()
