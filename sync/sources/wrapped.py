"""A source around another: the same exports, each document changed as it is read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator

from core.domain.document import SourceDocument
from core.domain.syncing import SourceDescription
from sync.sources.base import FailedDocument, Source


class WrappedSource(ABC):
    """Another source, each of its documents as `changed` makes it. What failed there failed here."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.name = source.name
        self.kind = source.kind
        self.hosts = source.hosts

    def describe(self) -> SourceDescription:
        """As the source does."""
        return self._source.describe()

    def read(self) -> Iterator[SourceDocument | FailedDocument]:
        """As the source does, changed."""
        for item in self._source.read():
            yield item if isinstance(item, FailedDocument) else self.changed(item)

    @abstractmethod
    def changed(self, document: SourceDocument) -> SourceDocument:
        """A document as it is read from here."""
