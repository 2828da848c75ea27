"""What every source offers, whatever kind of export it reads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from core.domain.document import DocumentStatus, Metadata, SourceDocument
from core.domain.syncing import SourceDescription
from sync.parsing.front_matter import status_of
from sync.parsing.parsed import Hints

__all__ = ["FailedDocument", "Source", "SourceDescription", "metadata_of"]


@dataclass(frozen=True, slots=True)
class FailedDocument:
    """A document that could not be read; what is stored of it stays. The sentence is for the report."""

    key: str
    sentence: str


class Source(Protocol):
    """An export to read: a space, a drive, a folder."""

    @property
    def name(self) -> str:
        """The name that settings give it, unique among sources."""

    @property
    def kind(self) -> str:
        """What kind of export it is, as the settings say it: `confluence_html`, `drive`, `folder`."""

    @property
    def hosts(self) -> frozenset[str]:
        """The hosts that addresses of its documents may point to."""

    def describe(self) -> SourceDescription:
        """Tell what the export holds, without reading its documents.

        Raises:
            SourceError: the export as a whole is missing or is no export.
        """

    def read(self) -> Iterator[SourceDocument | FailedDocument]:
        """Read every document, each once, in the order of the export.

        Raises:
            SourceError: the export as a whole is missing or is no export; nothing may be concluded from it.
        """


def metadata_of(title: str, hints: Hints, *overrides: Hints) -> Metadata:
    """Make metadata of what a file says of itself and what its source knows; field by field, the last word counts.

    Labels that mean a status (`obsolete`, `borrador`) count where no status is said outright.
    """
    words = (*reversed(overrides), hints)
    labels = next((word.labels for word in words if word.labels), ())
    stated = next((word.status for word in words if word.status is not None), None)
    return Metadata(
        title=title,
        author=next((word.author for word in words if word.author), ""),
        owner=next((word.owner for word in words if word.owner), ""),
        modified_at=next((word.modified_at for word in words if word.modified_at is not None), None),
        source_version=next((word.source_version for word in words if word.source_version), ""),
        labels=labels,
        valid_from=next((word.valid_from for word in words if word.valid_from is not None), None),
        valid_until=next((word.valid_until for word in words if word.valid_until is not None), None),
        status=stated or status_of(labels) or DocumentStatus.IN_FORCE,
        superseded_by=next((word.superseded_by for word in words if word.superseded_by), ""),
        replaces=next((word.replaces for word in words if word.replaces), ()),
    )
