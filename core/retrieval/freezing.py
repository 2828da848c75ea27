"""A passage as evidence: with the whole version that it stands in, as it is at this moment."""

from __future__ import annotations

import datetime as dt

from core.domain.document import Version
from core.domain.evidence import EvidencePassage, Passage
from core.retrieval.selection import in_force


def frozen(label: str, passage: Passage, version: Version, today: dt.date) -> EvidencePassage:
    """Freeze a passage under a label that claims name it by. `version` is the one that it is of."""
    return EvidencePassage(
        label,
        passage,
        version.text,
        version.canonical.blocks,
        version.canonical.sections,
        # The search keeps what is not in force only where it is asked for, or is the best there is.
        outdated_allowed=not in_force(passage, today),
    )
