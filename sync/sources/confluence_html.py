"""A Confluence space exported as HTML, with an `access.toml` beside its index.html."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from urllib.parse import urlsplit

from core.domain.access import NOBODY, AccessRule
from core.domain.document import Metadata, SourceDocument
from core.errors import ParsingError
from sync.parsing.confluence_html import Attachment, ConfluencePage, page_id_of, parse_confluence_page
from sync.parsing.decoding import decode
from sync.parsing.formats import AS_USUAL, FileReader, suffix_of
from sync.parsing.tree import Element, first_line, html_root, line_of, select
from sync.sources.access_file import AccessFile, load_access_file
from sync.sources.base import FailedDocument, SourceDescription, metadata_of
from sync.sources.export_tree import ExportTree, open_tree
from sync.sources.folder import CLOSED_RULE

INDEX = "index.html"
UNKNOWN_ANCESTOR = "An ancestor in its breadcrumbs cannot be identified: nobody may read it."

_SPACE = re.compile(r"^(?P<key>\S+) \((?P<name>.*)\)$")


@dataclass(frozen=True, slots=True)
class Index:
    """What index.html says: the space, and the tree of its pages."""

    space_key: str
    space_name: str
    ancestors: dict[str, tuple[str, ...]]
    """Page id → ids of its ancestors, outermost first, of every page listed."""
    titles: dict[str, str]


def parse_index(text: str) -> Index:
    """Read the index of an export."""
    root = html_root(text, INDEX)
    match = _SPACE.match(first_line(root, "//title"))
    index = Index(match["key"] if match else "", match["name"] if match else "", {}, {})
    for items in select(root, "//ul[not(ancestor::ul)]"):
        _add_pages(items, (), index)
    return index


def _add_pages(items: Element, ancestors: tuple[str, ...], index: Index) -> None:
    """Walk the nested lists with a stack: spaces nest as deep as people like."""
    stack = [(items, ancestors)]
    while stack:
        element, above = stack.pop()
        page_id = ""
        for child in element:
            if child.tag == "a" and not page_id:
                page_id = page_id_of(child.get("href") or "")
                if page_id:
                    index.ancestors[page_id] = above
                    index.titles[page_id] = line_of(child)
                    above = (*above, page_id)
            elif child.tag in {"ul", "li"}:
                stack.append((child, above))


class ConfluenceHtmlSource:
    """Reads the pages of a space and the files attached to them."""

    kind = "confluence_html"

    def __init__(self, name: str, path: Path, access_file: Path | None = None, *, files: FileReader = AS_USUAL) -> None:
        """Read the export at a path; `access_file` is read instead of its own access.toml."""
        self._files = files
        self.name = name
        self._path = path
        self._access_file = access_file

    @cached_property
    def _tree(self) -> ExportTree:
        return open_tree(self._path, self._files.limits).rooted_at(INDEX)

    @cached_property
    def _access(self) -> AccessFile:
        return load_access_file(self._tree, "page", self._access_file)

    @cached_property
    def _index(self) -> Index:
        return parse_index(decode(self._tree.read(INDEX)))

    @property
    def hosts(self) -> frozenset[str]:
        """The site's host, and those that access.toml says point into it."""
        host = urlsplit(self._access.base_url).hostname
        return self._access.hosts | (frozenset({host}) if host else frozenset())

    def describe(self) -> SourceDescription:
        """Count the pages, and tell what is wrong with access.toml."""
        pages = dict(self._pages())
        known = pages.keys() | self._index.ancestors.keys()
        named = [entry.target for entry in self._access.entries]
        stray = [f"[[page]] {target} names no page of the export." for target in named if target not in known]
        warnings = (*self._tree.warnings, *self._access.problems, *stray)
        return SourceDescription(self.name, self.kind, str(self._path), len(pages), warnings)

    def read(self) -> Iterator[SourceDocument | FailedDocument]:
        """Read every page, each followed by its attachments; then name the pages whose files are missing."""
        found = set()
        for page_id, path in self._pages():
            found.add(page_id)
            try:
                page = parse_confluence_page(self._tree.read(path), path, self._index.space_name, self._files.limits)
            except ParsingError as error:
                yield FailedDocument(page_id, str(error))
                continue
            yield from self._documents(page)
        for page_id in self._index.ancestors.keys() - found:
            yield FailedDocument(page_id, f"Page {page_id} is in {INDEX}, but its file is missing from the export.")

    def _pages(self) -> Iterator[tuple[str, str]]:
        for path in self._tree:
            if "/" not in path and path != INDEX and path.endswith((".html", ".htm")) and (page_id := page_id_of(path)):
                yield page_id, path

    def _documents(self, page: ConfluencePage) -> Iterator[SourceDocument | FailedDocument]:
        rule, warnings = self._rule(page)
        metadata = replace(
            metadata_of(
                page.parsed.title or page.page_id, page.parsed.hints, *self._access.metadata_of_page(page.page_id)
            ),
            uri=self._access.link(space=self._index.space_key, id=page.page_id),
            breadcrumbs=tuple(crumb.title for crumb in page.breadcrumbs),
            media_type="text/html",
        )
        attached = [file for file in page.attachments if self._files.reads(file.path)]
        missing = [file for file in attached if file.path not in self._tree]
        if missing:
            warnings = (*warnings, f"{len(missing)} of its attachments are missing from the export.")
        yield SourceDocument(self.name, page.page_id, metadata, page.parsed.blocks, rule, warnings)
        for file in attached:
            if file not in missing:
                yield self._attachment(file, page, metadata, rule)

    def _attachment(
        self, file: Attachment, page: ConfluencePage, metadata: Metadata, rule: AccessRule
    ) -> SourceDocument | FailedDocument:
        key = f"{page.page_id}/{file.path.rpartition('/')[2]}"
        try:
            parsed = self._files.parse(self._tree.read(file.path), file.path)
        except ParsingError as error:
            return FailedDocument(key, str(error))
        own = replace(
            metadata_of(file.name or parsed.title, parsed.hints),
            uri=metadata.uri,
            breadcrumbs=(*metadata.breadcrumbs, metadata.title),
            owner=metadata.owner,
            media_type=self._files.media_types().get(suffix_of(file.path), ""),
            status=metadata.status,
            valid_from=metadata.valid_from,
            valid_until=metadata.valid_until,
        )
        return SourceDocument(self.name, key, own, parsed.blocks, rule, parsed.warnings, ocr_pages=parsed.ocr_pages)

    def _rule(self, page: ConfluencePage) -> tuple[AccessRule, tuple[str, ...]]:
        """The rule of a page: its ancestors are those of its breadcrumbs and those of the index, both."""
        by_crumbs = [page_id_of(crumb.href) for crumb in page.breadcrumbs[1:]]
        if not all(by_crumbs):
            return NOBODY, (UNKNOWN_ANCESTOR,)
        ancestors = {*by_crumbs, *self._index.ancestors.get(page.page_id, ())}
        for ancestor in by_crumbs:  # the index knows more of an ancestor whose own file is missing
            ancestors.update(self._index.ancestors.get(ancestor, ()))
        rule = self._access.rule_of_page(page.page_id, ancestors)
        return rule, (CLOSED_RULE,) if rule == NOBODY else ()
