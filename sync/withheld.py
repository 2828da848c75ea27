"""A source that forbids extracts: its documents are searched and verified against, and only referred to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from core.domain.document import SourceDocument
from core.domain.syncing import SourceDescription
from sync.sources.base import FailedDocument, Source


class WithheldSource:
    """Another source, each of its documents marked so that no quote of it is shown."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.name = source.name
        self.kind = source.kind
        self.hosts = source.hosts

    def describe(self) -> SourceDescription:
        """As the source does."""
        return self._source.describe()

    def read(self) -> Iterator[SourceDocument | FailedDocument]:
        """As the source does, marked."""
        for item in self._source.read():
            if isinstance(item, SourceDocument):
                yield replace(item, metadata=replace(item.metadata, show_quotes=False))
            else:
                yield item
