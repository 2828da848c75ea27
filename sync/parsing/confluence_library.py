"""What a body of Confluence takes from elsewhere: pages that it includes, names of people, addresses of pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from sync.parsing.tree import Element


@dataclass(frozen=True, slots=True)
class PageReference:
    """A page as another names it."""

    title: str = ""
    space: str = ""
    """The key of its space."""
    content_id: str = ""


@dataclass(frozen=True, slots=True)
class IncludedPage:
    """A page whose text stands in another's. `root` is its storage tree, which the rewriter consumes."""

    key: str
    space: str
    root: Element


class StorageLibrary(Protocol):
    """Where a body's references are looked up."""

    def included(self, page: PageReference) -> IncludedPage | None:
        """The page, or None where the export does not hold it."""

    def person(self, reference: str) -> str:
        """The name of a person, by account id, user key or `~user name`; empty when not known."""

    def address(self, page: PageReference) -> str:
        """The address of a page; empty when not known."""


class NoLibrary:
    """Knows nothing."""

    def included(self, page: PageReference) -> IncludedPage | None:
        """No page."""
        return None

    def person(self, reference: str) -> str:
        """No name."""
        return ""

    def address(self, page: PageReference) -> str:
        """No address."""
        return ""
