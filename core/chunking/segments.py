"""Which sections go together: a heading with what follows it, small neighbours with each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby, takewhile

from core.chunking.atoms import Atom
from core.domain.document import BlockKind, CanonicalText, Section

SMALL = 200
"""Code points. A section under this length joins a neighbour."""
MERGED = 700
"""Code points. Sections are joined up to this length."""

Segment = list[Atom]


def segments_of(canonical: CanonicalText, atoms: Iterable[Atom]) -> list[Segment]:
    """Group atoms into runs of sections that are cut into chunks together, in order.

    A section that is only a heading goes with the next one, whatever their lengths (with the one before, at the end of
    the document). A small section joins the one before it when it lies under the same parent.
    """
    segments: list[Segment] = []
    for _, group in groupby(atoms, key=lambda atom: atom.section):
        section = list(group)
        if segments and _together(canonical.sections, segments[-1], section):
            segments[-1].extend(section)
        else:
            segments.append(section)
    if len(segments) > 1 and not _has_body(segments[-1]):
        tail = segments.pop()
        segments[-1].extend(tail)
    return segments


def section_path(sections: Sequence[Section], atoms: Sequence[Atom]) -> tuple[str, ...]:
    """Tell under which headings atoms stand: what is common to the sections that have more than a heading here."""
    indexes = {atom.section for atom in atoms if atom.kind is not BlockKind.HEADING} or {atoms[0].section}
    levels = zip(*(sections[index].path for index in indexes), strict=False)
    return tuple(level[0] for level in takewhile(lambda level: len(set(level)) == 1, levels))


def _together(sections: Sequence[Section], before: Segment, section: Segment) -> bool:
    if not _has_body(before):
        return True
    if not _has_body(section):
        return False  # it goes with the next one
    length = section[-1].end - before[0].start
    is_small = min(section[-1].end - section[0].start, before[-1].end - before[0].start) < SMALL
    parent = section_path(sections, before)[:-1]
    return is_small and length <= MERGED and sections[section[0].section].path[: len(parent)] == parent


def _has_body(atoms: Segment) -> bool:
    return any(atom.kind is not BlockKind.HEADING for atom in atoms)
