"""Replace sensitive text in a document before it is made canonical, so that every offset is an offset into the rest.

    blocks ──clean, join──►  one text ──find──►  stretches ──►  blocks with `[redacted: IBAN]`

The strings are cleaned first as the canonical text cleans them: a number broken by a no-break space or a zero-width
character is whole in what is indexed, so it must be whole here. They are searched as one text, which is quicker than
one by one, and finds a key that was cut into several blocks.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from core.domain.document import Block, BlockKind, Metadata, SourceDocument
from core.domain.redaction import Policy, SensitiveKind
from core.redaction.contacts import emails, phones
from core.redaction.credential_cells import credential_cells
from core.redaction.findings import Finding, apart, placeholder
from core.redaction.numbers import cards, ibans, national_ids
from core.redaction.secrets import secrets
from core.text.canonical import clean_code, clean_prose

Redacted = Counter[SensitiveKind]
"""How many stretches of each kind were replaced. The only thing that is ever told of them."""

_BETWEEN = "\n\x00\n"
"""Between two strings. No pattern takes a NUL for part of a number or a word."""

_FINDERS: Mapping[SensitiveKind, Callable[[str], Iterator[Finding]]] = {
    SensitiveKind.SECRET: secrets,
    SensitiveKind.CARD: cards,
    SensitiveKind.IBAN: ibans,
    SensitiveKind.NATIONAL_ID: national_ids,
    SensitiveKind.PHONE: phones,
    SensitiveKind.EMAIL: emails,
}


def redact_document(document: SourceDocument, policy: Policy) -> tuple[SourceDocument, Redacted]:
    """A document with the kinds of a policy replaced in its blocks, its title and its breadcrumbs."""
    blocks, count = redact_blocks(document.blocks, policy)
    metadata, more = _redact_metadata(document.metadata, policy)
    if not count and not more:
        return document, count
    return replace(document, blocks=blocks, metadata=metadata), count + more


def redact_blocks(blocks: Sequence[Block], policy: Policy) -> tuple[tuple[Block, ...], Redacted]:
    """Blocks with the kinds of a policy replaced, table cells and code too. Blocks without any stay as they are."""
    slots = [(place, cell) for place, block in enumerate(blocks) for cell in range(max(1, len(block.cells)))]
    strings = [_clean(blocks[place], cell) for place, cell in slots]
    whole: set[int] = set()
    if SensitiveKind.SECRET in policy:
        number = {slot: at for at, slot in enumerate(slots)}
        whole = {number[cell] for cell in credential_cells(blocks)}
    changed, count = _redact(strings, policy, whole)
    if not changed:
        return tuple(blocks), count
    result = list(blocks)
    for at, text in changed.items():
        place, cell = slots[at]
        block = result[place]
        if block.cells:
            result[place] = replace(block, cells=(*block.cells[:cell], text, *block.cells[cell + 1 :]))
        else:
            result[place] = replace(block, text=text)
    return tuple(result), count


def redact_text(text: str, policy: Policy) -> tuple[str, Redacted]:
    """One piece of prose with the kinds of a policy replaced."""
    changed, count = _redact([clean_prose(text)], policy, set())
    return changed.get(0, text), count


def _redact_metadata(metadata: Metadata, policy: Policy) -> tuple[Metadata, Redacted]:
    title, count = redact_text(metadata.title, policy)
    breadcrumbs = []
    for crumb in metadata.breadcrumbs:
        text, more = redact_text(crumb, policy)
        breadcrumbs.append(text)
        count += more
    return replace(metadata, title=title, breadcrumbs=tuple(breadcrumbs)) if count else metadata, count


def _clean(block: Block, cell: int) -> str:
    if block.cells:
        return clean_prose(block.cells[cell])
    return clean_code(block.text) if block.kind is BlockKind.CODE else clean_prose(block.text)


def _redact(strings: Sequence[str], policy: Policy, whole: Iterable[int]) -> tuple[dict[int, str], Redacted]:
    """The strings that change, by their place; `whole` are the places of those that are secrets as they stand."""
    starts = []
    length = 0
    for string in strings:
        starts.append(length)
        length += len(string) + len(_BETWEEN)
    text = _BETWEEN.join(strings)
    found = [Finding(SensitiveKind.SECRET, starts[at], starts[at] + len(strings[at])) for at in whole]
    found += [finding for kind in _FINDERS if kind in policy for finding in _FINDERS[kind](text)]
    findings = apart(found)
    changed: dict[int, str] = {}
    for finding in reversed(findings):  # from the end, so that offsets before stay true
        first = bisect_right(starts, finding.start) - 1
        last = bisect_right(starts, finding.end - 1) - 1
        for at in range(last, first - 1, -1):
            string = changed.get(at, strings[at])
            begin = max(0, finding.start - starts[at])
            end = min(len(strings[at]), finding.end - starts[at])
            changed[at] = string[:begin] + (placeholder(finding.kind) if at == first else "") + string[end:]
    return changed, Counter(finding.kind for finding in findings)
