"""The one fold of text under which a quote may differ from its document, with the map back to exact offsets.

    source ──fold──►  text (presentation gone, case kept)  and  key (the same, in small letters)
           ◄──source_span──

What folds is presentation only: runs of white space (thin and no-break spaces too), curly and straight quotation
marks, dashes and hyphens, the ellipsis sign, soft hyphens and zero-width characters, a hyphen at a line's end between
letters, ligatures and other letters that NFKC spells out, Markdown marks. Digits, superscripts, fractions, signs,
prime and inch marks, units, currency and words never do: each rule that might reach them looks at its neighbours.
Case is kept in `text`; whether a difference of case is prose is decided by `core.verification.letter_case`.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

HYPHENS = "-‐‑"
DASHES = "‒–—―﹘﹣－"
MINUS = "−"
DOUBLE_MARKS = "“”„‟«»"
SINGLE_MARKS = "‘’‚‛‹›ʼ"
INVISIBLE = "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufe0e\ufe0f\ufeff"
CURRENCY = "$€£¥₡₱₲₴₹₽₿¢"

_PRESENTATION_FORMS = ((0x00A0, 0x0250), (0xFB00, 0xFE00), (0xFE70, 0xFF00), (0xFF21, 0xFFDD))
_SPELLED_OUT = frozenset({"<compat>", "<wide>", "<narrow>", "<initial>", "<medial>", "<final>", "<isolated>"})


def _letters_spelled_out() -> dict[str, str]:
    """Letters that NFKC spells out as letters (ligatures, full-width, presentation forms); no digit, no symbol."""
    forms = {}
    for first, last in _PRESENTATION_FORMS:
        for character in map(chr, range(first, last)):
            tag = unicodedata.decomposition(character).partition(" ")[0]
            if tag in _SPELLED_OUT and unicodedata.category(character)[0] == "L":
                spelled = unicodedata.normalize("NFKC", character)
                if spelled.isalpha():
                    forms[character] = spelled
    return forms


_FORMS = {"…": "...", **_letters_spelled_out()}

# Where something may be special: the first look at a text, by a plain set of characters, which is ten times as fast
# as trying the rules at each place. A blank is such a place only where white space follows it.
_SUSPECTS = r"\t\n\r\f\v\x1c-\x1f\x85\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_SUSPECTS += rf"{HYPHENS}{DASHES}{DOUBLE_MARKS}{SINGLE_MARKS}{INVISIBLE}*_`{''.join(_FORMS)}".replace("-‐", "\\-‐")
_SUSPECT = re.compile(f"[{_SUSPECTS}]")
_SUSPECT_OR_BLANK = re.compile(f"[{_SUSPECTS} ]")
_RUN_OF_BLANKS = re.compile(r" \s")

# What it is, in the order of trial.
_SPECIAL = re.compile(
    rf"""
      (?P<wrap>(?<=[^\W\d_])[{HYPHENS}\u00ad][^\S\n]*\n\s*(?=[^\W\d_]))
    | (?P<line>(?:\A|[^\S\n]*+\n)\s*+(?:(?:\#{{1,6}}|[-*•◦▪‣·>])\s++){{1,3}}(?=[¿¡"'“‘«*_`]{{0,3}}[^\W\d_]))
    | (?P<space>\s\s+|[^\S\x20])
    | (?P<form>[{"".join(_FORMS)}])
    | (?P<double>[{DOUBLE_MARKS}])
    | (?P<single>[{SINGLE_MARKS}])
    | (?P<dashes>(?<=\s)[{HYPHENS}{DASHES}]{{2,}}(?=\s)|(?<=[^\W\d_])[{HYPHENS}{DASHES}]{{2,}}(?=[^\W\d_]))
    | (?P<dash>[{HYPHENS[1:]}{DASHES}])
    | (?P<invisible>[{INVISIBLE}])
    | (?P<mark>[*_`]+)
    """,
    re.VERBOSE,
)
_PAIRED_MARKS = re.compile(
    r"""
      (?P<strong>\*\*|__)(?=\S)(?P<strong_text>(?:[^\n]|\n(?![^\S\n]*+\n)){1,400}?)(?<=\S)(?P=strong)(?![*_])
    | (?<![\w*])(?P<star>\*)(?=[^\s*])(?:[^\n*]|\n(?![^\S\n]*+\n)){0,400}?(?<=[^\s*])\*(?![\w*])
    | (?<![\w_])(?P<low>_)(?=[^\s_])(?:[^\n_]|\n(?![^\S\n]*+\n)){0,400}?(?<=[^\s_])_(?![\w_])
    | (?P<tick>`{1,3}+)(?=[^`])(?:[^\n`]|\n(?![^\S\n]*+\n)){1,400}?(?P=tick)(?!`)
    """,
    re.VERBOSE,
)
_OPENING = {'"': re.compile(r'(?:(?<![^\s(\[¿¡])"|[“„«])(?=\S)'), "'": re.compile(r"(?:(?<![^\s(\[¿¡])'|[‘‚‹])(?=\S)")}
_CLOSING = {'"': re.compile(r'(?<=\S)(?:["”»])(?![^\W_])'), "'": re.compile(r"(?<=\S)(?:['’›])(?![^\W_])")}
_QUOTED_AT_MOST = 300


@dataclass(frozen=True, slots=True)
class Folded:
    """A folded text and the way back. All positions are code points."""

    source: str
    text: str
    """Presentation folded, case kept."""
    key: str
    """`text` in small letters, of the same length: where a quote is looked for."""
    wraps: tuple[int, ...]
    """Positions in `text` where a hyphen at a line's end was taken away."""
    _at: list[int]
    _from: list[int]
    _to: list[int]
    _composed: tuple[list[int], list[int]] | None = None

    def source_span(self, start: int, end: int) -> tuple[int, int]:
        """The slice of the source that folded to `text[start:end]`."""
        first = self._source_of(start, last=False)
        last = self._source_of(end - 1, last=True)
        if self._composed is None:
            return first, last
        starts, ends = self._composed
        return starts[first], ends[last - 1]

    def position(self, offset: int) -> int:
        """The position in `text` of the first character that comes from `offset` of the source or after it."""
        if self._composed is not None:
            offset = bisect_left(self._composed[0], offset)
        index = bisect_right(self._from, offset) - 1
        if index < 0:
            return 0
        following = self._at[index + 1] if index + 1 < len(self._at) else len(self.text)
        if offset >= self._to[index]:
            return following
        return min(self._at[index] + offset - self._from[index], following)

    def _source_of(self, position: int, *, last: bool) -> int:
        index = bisect_right(self._at, position) - 1
        start = self._from[index]
        following = self._at[index + 1] if index + 1 < len(self._at) else len(self.text)
        if self._to[index] - start == following - self._at[index]:  # copied, or replaced one by one
            return start + position - self._at[index] + last
        return self._to[index] if last else start


def fold(text: str) -> Folded:
    """Fold a text. Takes some 30 µs for 1,500 characters; what is folded often is worth keeping."""
    composed = None
    source = text
    if not text.isascii() and not unicodedata.is_normalized("NFC", text):
        text, composed = _compose(text)
    marks = _marks_to_drop(text) if "*" in text or "_" in text or "`" in text else frozenset()
    parts: list[str] = []
    at: list[int] = []
    origin: list[int] = []
    until: list[int] = []
    wraps: list[int] = []
    length = done = 0
    for match in _special_places(text):
        start, end = match.span()
        replacement = _replacement(match, text, marks)
        if replacement is None:
            continue
        if start > done:
            parts.append(text[done:start])
            at.append(length)
            origin.append(done)
            until.append(start)
            length += start - done
        if replacement:
            parts.append(replacement)
            at.append(length)
            origin.append(start)
            until.append(end)
            length += len(replacement)
        elif match.lastgroup == "wrap":
            wraps.append(length)
        done = end
    if done < len(text):
        parts.append(text[done:])
        at.append(length)
        origin.append(done)
        until.append(len(text))
    folded = "".join(parts)
    key = folded.lower()
    if len(key) != len(folded):
        key = "".join(low if len(low := character.lower()) == 1 else character for character in folded)
    return Folded(source, folded, key, tuple(wraps), at, origin, until, composed)


def presentation_equal(one: str, other: str) -> bool:
    """Whether two texts differ in presentation only (case counts)."""
    return one == other or fold(one).text.strip() == fold(other).text.strip()


def _special_places(text: str) -> Iterator[re.Match[str]]:
    done = -1
    if (first := _SPECIAL.match(text)) is not None:
        yield first
        done = first.end()
    suspects = _SUSPECT_OR_BLANK if _RUN_OF_BLANKS.search(text) else _SUSPECT
    match = _SPECIAL.match
    for suspect in suspects.finditer(text):
        place = suspect.start()
        if place >= done and (found := match(text, place)) is not None:
            yield found
            done = found.end()


def _replacement(match: re.Match[str], text: str, marks: frozenset[int]) -> str | None:
    """What a special place folds to; None where it stays as it is."""
    start, end = match.span()
    match match.lastgroup:
        case "space":
            return " "
        case "wrap":
            return ""
        case "line":
            return " " if start else ""
        case "form":
            return _FORMS[text[start]]
        case "double":
            return _quotation_mark(text, start, '"')
        case "single":
            return _quotation_mark(text, start, "'")
        case "dash":
            return None if _may_be_sign(text, start, end) else "-"
        case "dashes":
            return "-"
        case "invisible":
            return None if _beside_digit(text, start, end) else ""
        case _:
            kept = "".join(text[place] for place in range(start, end) if place not in marks)
            return None if len(kept) == end - start else kept


def _may_be_sign(text: str, start: int, end: int) -> bool:
    """Whether a dash stands where it may be the sign of a number: `–5`, `(—5`, `€–5`; not `3–5`, `A–5`, `– 5`."""
    following = text[end : end + 2]
    is_number = following[:1].isnumeric() or (
        following[:1] in CURRENCY + ".," and following[1:].isnumeric() and following != ""
    )
    if not is_number:
        return False
    before = text[start - 1] if start else " "
    if before in CURRENCY:
        return not (start > 1 and text[start - 2].isnumeric())
    return not (before.isalnum() or before in "%‰°)")


def _beside_digit(text: str, start: int, end: int) -> bool:
    return text[start - 1 : start].isnumeric() or text[end : end + 1].isnumeric()


def _quotation_mark(text: str, start: int, straight: str) -> str | None:
    """Straighten a mark, unless it follows a number and may be an inch or foot mark (no quotation is open)."""
    if start and text[start - 1].isnumeric() and not closes_quotation(text, start):
        return None
    return straight


def closes_quotation(text: str, place: int) -> bool:
    """Whether the mark at `place`, after a number, ends a quotation or is an apostrophe (`the 1990’s`)."""
    straight = '"' if text[place] in '"' + DOUBLE_MARKS else "'"
    if straight == "'" and text[place + 1 : place + 2].isalpha():
        return True
    before = text[max(0, place - _QUOTED_AT_MOST) : place]
    opened = sum(1 for _ in _OPENING[straight].finditer(before))
    return opened > sum(1 for _ in _CLOSING[straight].finditer(before))


def _marks_to_drop(text: str, depth: int = 2) -> frozenset[int]:
    """Places of Markdown marks: pairs around text, and a lone `**` that hugs a letter (its mate is outside).

    All is bounded (400 characters between marks, three levels), so that no text takes more than linear time.
    """
    drop: set[int] = set()
    for match in _PAIRED_MARKS.finditer(text):
        start, end = match.span()
        kind = match.lastgroup
        if kind == "strong_text":
            inner = match["strong_text"]
            if match["strong"] == "__" and not re.search(r"[^\w.\-]", inner):
                continue  # __init__ is a name
            drop.update((start, start + 1, end - 2, end - 1))
            if depth:
                drop.update(start + 2 + place for place in _marks_to_drop(inner, depth - 1))
        elif kind == "tick":
            width = len(match["tick"])
            drop.update((*range(start, start + width), *range(end - width, end)))
        elif kind == "low" and not _reads_as_prose(text[start + 1 : end - 1]):
            continue
        else:
            drop.update((start, end - 1))
    drop.update(_lone_strong_marks(text))
    return frozenset(drop)


def _reads_as_prose(text: str) -> bool:
    return not re.search(r"[\d_/\\=<>(){}]", text)


def _lone_strong_marks(text: str) -> Iterator[int]:
    for match in re.finditer(r"(?<!\*)\*\*(?!\*)", text):
        before, after = text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1]
        opens = after.isalpha() and not before.isalnum()
        closes = (before.isalpha() or before in set(".,;:!?)»”%")) and before != "" and not after.isalnum()
        if opens or closes:
            yield from range(*match.span())


def _compose(text: str) -> tuple[str, tuple[list[int], list[int]]]:
    """Compose to NFC, cluster by cluster, with each composed character's start and end in the text given."""
    parts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    begin = 0
    for place in range(1, len(text) + 1):
        if place < len(text) and (unicodedata.category(text[place])[0] == "M" or "\u1160" <= text[place] <= "\u11ff"):
            continue  # marks, and the vowels and finals of Hangul, compose with what is before them
        cluster = unicodedata.normalize("NFC", text[begin:place])
        parts.append(cluster)
        starts.extend([begin] * len(cluster))
        ends.extend([place] * len(cluster))
        begin = place
    starts.append(len(text))
    return "".join(parts), (starts, ends)
