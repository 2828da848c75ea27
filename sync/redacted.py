"""A source whose documents have their secrets and personal numbers replaced as they are read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from core.domain.document import SourceDocument
from core.domain.redaction import Policy
from core.domain.syncing import SourceDescription
from core.redaction import Redacted, redact_document
from core.redaction.findings import name_of
from sync.sources.base import FailedDocument, Source


class RedactedSource:
    """Another source, redacted: nothing after it ever holds what was taken out. A document says how much that was."""

    def __init__(self, source: Source, policy: Policy) -> None:
        self._source = source
        self._policy = policy
        self.name = source.name
        self.kind = source.kind
        self.hosts = source.hosts

    def describe(self) -> SourceDescription:
        """As the source does."""
        return self._source.describe()

    def read(self) -> Iterator[SourceDocument | FailedDocument]:
        """As the source does, redacted; what was counted stands in `redacted`, and as a sentence for the report."""
        for item in self._source.read():
            if isinstance(item, FailedDocument):
                yield item
                continue
            document, count = redact_document(item, self._policy)
            if count:
                warnings = (*document.warnings, _sentence(count))
                document = replace(document, warnings=warnings, redacted={k.value: n for k, n in count.items()})
            yield document


def _sentence(count: Redacted) -> str:
    counted = ", ".join(f"{number} × {name_of(kind)}" for kind, number in sorted(count.items()))
    return f"Redacted before indexing: {counted}. Better taken out at the source."
