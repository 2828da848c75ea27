"""Cut a version's canonical text into chunks along its structure.

    atoms ──segments (sections that go together)──► parts (ranges of atoms) ──► Chunk

A chunk begins and ends with a visible character; every visible character is in a chunk.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence

from core.chunking.atoms import Atom, atoms_of, quotable_units
from core.chunking.segments import section_path, segments_of
from core.domain.document import BlockKind, BlockSpan, CanonicalText, Chunk
from core.text.sentences import Span

TARGET = 1_050
SHORTEST_PART = 450
LONGEST_PART = 1_200
LONGEST_CHUNK = 1_500
LONGEST_OVERLAP = 150

_ROWS = frozenset({BlockKind.TABLE_HEADER, BlockKind.TABLE_ROW})
_PROSE = frozenset({BlockKind.PARAGRAPH, BlockKind.QUOTE, BlockKind.LIST_ITEM})
_TITLING = frozenset({BlockKind.HEADING, BlockKind.TABLE_HEADER})
_LONGEST_CONTEXT_PART = 160
_LONGEST_CONTEXT_HEADER = 400


def chunk_version(document_id: str, title: str, canonical: CanonicalText, language: str) -> tuple[Chunk, ...]:
    """Cut a version into chunks of about 1,000 characters, never over `LONGEST_CHUNK`.

    Ids are `<document_id>#s<section>-p<part>`, unique in the version; `align_chunk_ids` makes them outlive edits.
    """
    atoms = list(atoms_of(canonical))
    writer = _Writer(document_id, title, canonical, language)
    return tuple(
        writer.chunk(part, overlap)
        for segment in segments_of(canonical, atoms)
        for part, overlap in _parts(canonical, segment)
    )


def _parts(canonical: CanonicalText, segment: Sequence[Atom]) -> Iterator[tuple[Sequence[Atom], int]]:
    """Cut a segment into parts, each beginning with the last sentence of the one before where that is short.

    Yields the atoms of a part, and how many of them the part before has too.
    """
    first = 0
    while first < len(segment):
        begin = first - 1 if first and _overlaps(segment[first - 1], segment[first]) else first
        end = _best_end(canonical, segment, begin, first)
        yield segment[begin:end], first - begin
        first = end


def _overlaps(last: Atom, following: Atom) -> bool:
    return (
        last.kind in _PROSE
        and following.kind in _PROSE
        and last.section == following.section
        and last.end - last.start <= LONGEST_OVERLAP
    )


def _best_end(canonical: CanonicalText, segment: Sequence[Atom], begin: int, first: int) -> int:
    """Choose where the part that begins with atom `begin` ends; it takes at least atom `first`."""
    start = segment[begin].start
    if segment[-1].end - start <= LONGEST_PART + SHORTEST_PART // 3:
        return len(segment)
    fallback = first + 1
    best: tuple[float, int] | None = None
    for end in range(first + 1, len(segment) + 1):
        length = segment[end - 1].end - start
        if length > LONGEST_CHUNK:
            break
        is_last = end == len(segment)
        cost = 0.0 if is_last else _cost_of_break(canonical, segment[end - 1], segment[end])
        if cost < _FORBIDDEN:
            fallback = end
        if SHORTEST_PART <= length <= LONGEST_PART or (is_last and best is None):
            rest = segment[-1].end - segment[end - 1].end
            cost += 4 * abs(length - TARGET) / TARGET + (2 if 0 < rest < SHORTEST_PART // 2 else 0)
            if best is None or cost <= best[0]:
                best = (cost, end)
    return best[1] if best is not None else fallback


_FORBIDDEN = 10.0


def _cost_of_break(canonical: CanonicalText, last: Atom, following: Atom) -> float:
    """Tell how bad it is to end a chunk between two atoms."""
    if last.kind in _TITLING:
        return _FORBIDDEN
    if following.kind is BlockKind.HEADING:
        return 0.0
    if last.block == following.block:
        return 4.0
    if canonical.text[last.end - 1] == ":":  # "The following are paid:" belongs to its list
        return 6.0
    if last.kind is following.kind is BlockKind.LIST_ITEM:
        deeper = canonical.blocks[following.block].level > canonical.blocks[last.block].level
        return 3.0 if deeper else 2.0
    return 2.0 if last.kind in _ROWS and following.kind in _ROWS else 1.0


class _Writer:
    """Makes chunks of ranges of atoms of one version."""

    def __init__(self, document_id: str, title: str, canonical: CanonicalText, language: str) -> None:
        self._document_id = document_id
        self._title = title
        self._canonical = canonical
        self._language = language
        self._numbers: Counter[int] = Counter()
        self._units = quotable_units(canonical)
        self._unit_starts = [start for (start, _), _ in self._units]
        self._headers = _header_rows(canonical)

    def chunk(self, atoms: Sequence[Atom], overlap: int) -> Chunk:
        section = atoms[0].section
        self._numbers[section] += 1
        start, end = atoms[0].start, atoms[-1].end
        path = section_path(self._canonical.sections, atoms)
        header = self._header(atoms[0].block, start)
        return Chunk(
            chunk_id=f"{self._document_id}#s{section}-p{self._numbers[section]}",
            document_id=self._document_id,
            start=start,
            end=end,
            text=self._canonical.text[start:end],
            section_path=path,
            context=self._context(path, header),
            language=self._language,
            page=self._canonical.blocks[atoms[overlap].block].page,
            header=header,
            sentences=self._sentences(start, end),
        )

    def _context(self, path: tuple[str, ...], header: Span | None) -> str:
        names = [self._title, *path]
        if path and path[0].casefold() == self._title.casefold():
            del names[0]
        line = " › ".join(_shorten(name, _LONGEST_CONTEXT_PART) for name in names if name)
        if header is None:
            return line
        return f"{line}\n{_shorten(self._canonical.text[slice(*header)], _LONGEST_CONTEXT_HEADER)}"

    def _header(self, index: int, start: int) -> Span | None:
        """Find the header rows of the table in which a chunk begins, when they are before the chunk."""
        block = self._canonical.blocks[index]
        if block.kind is not BlockKind.TABLE_ROW or block.table is None:
            return None
        return next((span for span in reversed(self._headers.get(block.table, ())) if span[1] <= start), None)

    def _sentences(self, start: int, end: int) -> tuple[Span, ...]:
        """Take the units that lie in a chunk, without its headings unless there is nothing else."""
        units = []
        first = bisect_right(self._unit_starts, start) - 1
        for (unit_start, unit_end), kind in self._units[max(0, first) :]:
            if unit_start >= end:
                break
            if unit_end > start:
                units.append(((max(unit_start, start), min(unit_end, end)), kind))
        body = tuple(span for span, kind in units if kind not in _TITLING)
        return body or tuple(span for span, _ in units)


def _header_rows(canonical: CanonicalText) -> dict[int, list[Span]]:
    """Collect the runs of header rows of each table, in order."""
    headers: dict[int, list[Span]] = {}
    before: BlockSpan | None = None
    for block in canonical.blocks:
        if block.kind is BlockKind.TABLE_HEADER and block.table is not None:
            runs = headers.setdefault(block.table, [])
            if before is not None and before.kind is BlockKind.TABLE_HEADER and before.table == block.table:
                runs[-1] = (runs[-1][0], block.end)
            else:
                runs.append((block.start, block.end))
        before = block
    return headers


def _shorten(text: str, longest: int) -> str:
    text = text.replace("\n", " ")
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "…"
