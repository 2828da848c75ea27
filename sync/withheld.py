"""A source that forbids extracts: its documents are searched and verified against, and only referred to."""

from __future__ import annotations

from dataclasses import replace

from core.domain.document import SourceDocument
from sync.sources.wrapped import WrappedSource


class WithheldSource(WrappedSource):
    """Another source, each of its documents marked so that no quote of it is shown."""

    def changed(self, document: SourceDocument) -> SourceDocument:
        """Marked."""
        return replace(document, metadata=replace(document.metadata, show_quotes=False))
