"""A source whose documents have their secrets and personal numbers replaced as they are read."""

from __future__ import annotations

from dataclasses import replace

from core.domain.document import SourceDocument
from core.domain.redaction import Policy
from core.redaction import Redacted, redact_document
from core.redaction.findings import name_of
from sync.sources.base import Source
from sync.sources.wrapped import WrappedSource


class RedactedSource(WrappedSource):
    """Another source, redacted: nothing after it ever holds what was taken out. A document says how much that was."""

    def __init__(self, source: Source, policy: Policy) -> None:
        super().__init__(source)
        self._policy = policy

    def changed(self, document: SourceDocument) -> SourceDocument:
        """Redacted; what was counted stands in `redacted`, and as a sentence for the report."""
        document, count = redact_document(document, self._policy)
        if not count:
            return document
        warnings = (*document.warnings, _sentence(count))
        return replace(document, warnings=warnings, redacted={k.value: n for k, n in count.items()})


def _sentence(count: Redacted) -> str:
    counted = ", ".join(f"{number} × {name_of(kind)}" for kind, number in sorted(count.items()))
    return f"Redacted before indexing: {counted}. Better taken out at the source."
