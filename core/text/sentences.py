"""Where sentences begin and end, in Spanish and English prose and in a document's blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.domain.document import BlockKind, BlockSpan, CanonicalText

Span = tuple[int, int]

LONGEST_UNIT = 280
"""Code points. A list item, a table row or a piece of code is one unit up to this length, and is split above it."""

# A mark that may end a sentence, what closes after it, blanks, and what must open the next sentence.
_BOUNDARY = re.compile(
    r"""(?P<mark>[.?!…。！？؟۔]+)(?P<close>["'”’»)\]}*_]*)(?:(?P<gap>[^\S\n]+)(?=(?P<next>\S))|(?<=[。！？])(?=[^\s"'”’»)\]}。！？]))"""
)
_TOKEN_BEFORE = re.compile(r"[^\s(\[{«“\"'¿¡/]+$")
_INITIALS = re.compile(r"(?:[A-ZÁÉÍÓÚÑ]\.)*[A-ZÁÉÍÓÚÑ]")
_ORDINAL = re.compile(r"(?:\d{1,3}|[ivxIVX]{1,4}|[a-zA-Z])(?:\.\d{1,3})*")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# After these a full stop never ends a sentence.
_TITLES = _words("""
    sr sra srta sres sras dr dra dres ing lic arq prof profa mr mrs ms st mt gen col sgt capt rev hon jr sto sta
    vs cf eg ie e.g i.e viz al ej p.ej ee avda avd urb c/ dpto dept depto pza ctra gral admón aprox approx ca est
    fdo atte ref refs excmo excma ilmo ilma mtro mtra pdte
""")
# After these it does not when a number follows.
_BEFORE_NUMBER = _words("""
    no nº n.º núm num nro art arts artículo pág págs pag pags p pp fig figs vol vols cap caps sec secc ap apdo tel tlf
    tfno ext ver v ed par parr párr inc apt bldg rm ch eq jan feb mar apr jun jul aug sep sept oct nov dec ene abr ago
    set dic máx mín max min
""")


def split_sentences(text: str) -> tuple[Span, ...]:
    """Find the sentences of prose: (start, end) of each, without the blanks between them.

    A line break always ends a sentence. A full stop does not after an abbreviation or an initial, inside a number, or
    before a small letter; in doubt two sentences stay one, which still is a true quote.
    """
    spans: list[Span] = []
    position = 0
    for line in text.split("\n"):
        spans.extend((position + start, position + end) for start, end in _sentences_of_line(line))
        position += len(line) + 1
    return tuple(spans)


def sentence_spans(canonical: CanonicalText) -> tuple[Span, ...]:
    """Find the units of a version that can be quoted on their own, in order, without overlap.

    Prose is split into sentences. A heading, a list item, a table row and a piece of code are one unit each; above
    `LONGEST_UNIT` items and cells are split into sentences, code into groups of lines.
    """
    return tuple(span for block in canonical.blocks for span in block_units(canonical.text, block))


def block_units(text: str, block: BlockSpan) -> tuple[Span, ...]:
    """Find the quotable units of one block (see `sentence_spans`)."""
    start, end = _trim(text, block.start, block.end)
    if start == end:
        return ()
    match block.kind:
        case BlockKind.PARAGRAPH | BlockKind.QUOTE:
            return _shift(split_sentences(text[start:end]), start)
        case BlockKind.HEADING:
            return ((start, end),)
    if end - start <= LONGEST_UNIT:
        return ((start, end),)
    match block.kind:
        case BlockKind.CODE:
            return tuple(_group(_lines(text, start, end)))
        case BlockKind.LIST_ITEM:
            return tuple(_group(_shift(split_sentences(text[start:end]), start)))
    units: list[Span] = []
    for cell_start, cell_end in block.cells:
        units.extend(_group(_shift(split_sentences(text[cell_start:cell_end]), cell_start)))
    return tuple(_group(units, longest=LONGEST_UNIT // 2))


def _sentences_of_line(line: str) -> Iterator[Span]:
    start = 0
    for match in _BOUNDARY.finditer(line):
        if not _ends_sentence(line, start, match):
            continue
        end = match.end("close")
        yield _trim(line, start, end)
        start = end
    start, end = _trim(line, start, len(line))
    if start < end:
        yield start, end


def _ends_sentence(line: str, start: int, match: re.Match[str]) -> bool:
    following = match["next"]
    if following is None:  # an ideographic full stop needs no blank after it
        return True
    if following.islower() or following in ",;:)]}»”%€$/=+<>|":
        return False
    if match["mark"] != ".":
        return True
    found = _TOKEN_BEFORE.search(line, start, match.start("mark"))
    if found is None:
        return True
    token = found[0]
    if found.start() == start and _ORDINAL.fullmatch(token):  # "3. Sign the form": the number of the step
        return False
    folded = token.casefold()
    if folded in _TITLES or _INITIALS.fullmatch(token):
        return False
    return not (folded in _BEFORE_NUMBER and following.isdigit())


def _trim(text: str, start: int, end: int) -> Span:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _shift(spans: tuple[Span, ...], by: int) -> tuple[Span, ...]:
    return tuple((start + by, end + by) for start, end in spans)


def _lines(text: str, start: int, end: int) -> Iterator[Span]:
    position = start
    for line in text[start:end].split("\n"):
        if line.strip():
            yield position, position + len(line)
        position += len(line) + 1


def _group(spans: Iterator[Span] | tuple[Span, ...] | list[Span], longest: int = LONGEST_UNIT) -> Iterator[Span]:
    """Join neighbours while they stay within `longest`, so that ten tiny lines are not ten units."""
    current: Span | None = None
    for start, end in spans:
        if current is not None and end - current[0] <= longest:
            current = (current[0], end)
            continue
        if current is not None:
            yield current
        current = (start, end)
    if current is not None:
        yield current
