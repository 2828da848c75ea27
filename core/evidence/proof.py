"""Whether a citation still stands: what its version said, and what the document says now.

    forbidden ─► gone ─► changed (altered) ─► superseded ─► ok | moved | changed

Pure: what is stored is given. Rights come first, so that who may not read a document learns nothing of it.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

from core.domain.document import DocumentStatus, Version
from core.domain.evidence import Citation
from core.verification.verifier import recheck


class Standing(StrEnum):
    """What became of a citation."""

    OK = "ok"
    """The version in force says it, at the same place."""
    MOVED = "moved"
    """The version in force says it elsewhere."""
    CHANGED = "changed"
    """The version in force does not say it, or the citation is not what its own version says."""
    SUPERSEDED = "superseded"
    """The document is there, but another holds instead of it, or it is no longer in force."""
    GONE = "gone"
    """The document was removed at its source, or the version was deleted when its time was over."""
    FORBIDDEN = "forbidden"
    """This reader may not see it: by the rules of now, or by the version's own."""


HOLDS = frozenset({Standing.OK, Standing.MOVED})


@dataclass(frozen=True, slots=True)
class Known:
    """What is stored of a cited document."""

    cited: Version | None
    """The version that the citation names; None when it was deleted or never was."""
    current: Version | None
    """The version that is served; None when the document was removed."""
    rule_now: int | None
    """The id of the rule on its latest version, served or not."""


UNKNOWN = Known(None, None, None)


@dataclass(frozen=True, slots=True)
class Proof:
    """A citation, and how it stands."""

    citation: Citation
    standing: Standing
    detail: str = ""
    current_version: int | None = None
    start_offset: int | None = None
    """Where the quote stands in the current version; None where it does not, or nobody may know."""
    end_offset: int | None = None
    altered: tuple[str, ...] = ()
    """What in the citation is not as its own version has it; then nothing of it may be relied on."""


def prove(
    citation: Citation, known: Known, *, tenant_id: str, today: dt.date, visible: Callable[[int], bool] | None = None
) -> Proof:
    """Say how a citation stands.

    Args:
        citation: from an answer that may come from anywhere: nothing in it is believed.
        known: what is stored of its document.
        tenant_id: whose evidence this is.
        today: what counts as in force.
        visible: whether a reader satisfies a rule; None for whoever runs the index, who may see everything.
    """
    if citation.tenant_id != tenant_id:
        return Proof(citation, Standing.FORBIDDEN, "it belongs to another tenant")
    cited, current = known.cited, known.current
    if visible is not None:
        rules = {cited.rule_id if cited else None, known.rule_now} - {None}
        if not all(visible(rule) for rule in rules if rule is not None):
            return Proof(
                citation, Standing.FORBIDDEN, "this reader may not see the version, or the document as it is now"
            )
    if cited is None:
        return Proof(citation, Standing.GONE, "this version is not stored (any more)")
    if current is None:
        return Proof(citation, Standing.GONE, "the document was removed at its source")
    if altered := _altered(citation, cited):
        detail = f"not what the version says: {', '.join(altered)}"
        return Proof(citation, Standing.CHANGED, detail, current.number, altered=tuple(altered))
    here = current.number == cited.number
    place = citation.start_offset if here else occurrence(current.text, citation.quote, citation.start_offset)
    start, end = (place, place + len(citation.quote)) if place is not None else (None, None)
    if not_in_force := _not_in_force(current, today):
        return Proof(citation, Standing.SUPERSEDED, not_in_force, current.number, start, end)
    if place is None:
        return Proof(citation, Standing.CHANGED, f"version {current.number} does not say it", current.number)
    if place != citation.start_offset:
        return Proof(citation, Standing.MOVED, f"elsewhere in version {current.number}", current.number, start, end)
    detail = "" if here else f"the same in version {current.number}"
    return Proof(citation, Standing.OK, detail, current.number, start, end)


def all_hold(proofs: Iterable[Proof]) -> bool:
    """Whether every citation may still be relied on."""
    return all(proof.standing in HOLDS for proof in proofs)


def occurrence(text: str, quote: str, near: int) -> int | None:
    """Where a quote stands in a text as words of its own, nearest to an offset."""
    best: int | None = None
    at = text.find(quote) if quote else -1
    while at >= 0:
        cut = _cuts(text, at) or _cuts(text, at + len(quote))
        if not cut and (best is None or abs(at - near) < abs(best - near)):
            best = at
        at = text.find(quote, at + 1)
    return best


def _cuts(text: str, at: int) -> bool:
    """Whether an offset lies inside a word or a number."""
    return 0 < at < len(text) and text[at - 1].isalnum() and text[at].isalnum()


def _altered(citation: Citation, cited: Version) -> list[str]:
    """What in a citation is not as its version has it. All of it was copied from there."""
    said = {
        "text": recheck(citation, cited.text),
        "title": citation.title == cited.metadata.title,
        "address": citation.source_uri == cited.metadata.uri,
        "passage": citation.chunk_id in cited.chunk_ids,
        "rule": citation.visibility == cited.rule_id,
        "validity": (citation.valid_from, citation.valid_until)
        == (cited.metadata.valid_from, cited.metadata.valid_until),
    }
    return [name for name, true in said.items() if not true]


def _not_in_force(current: Version, today: dt.date) -> str:
    said = current.metadata
    if said.is_superseded:
        return f"replaced by {said.superseded_by}" if said.superseded_by else "another document holds instead of it"
    if said.status is not DocumentStatus.IN_FORCE:
        return f"the document is {said.status.value.replace('_', ' ')} now"
    if said.valid_until is not None and said.valid_until < today:
        return f"valid until {said.valid_until.isoformat()}"
    if said.valid_from is not None and said.valid_from > today:
        return f"valid only from {said.valid_from.isoformat()}"
    return ""
