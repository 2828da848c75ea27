"""The documents of an XML export: its current pages, each with its rule, and the files attached to them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from core.domain.access import NOBODY, AccessRule
from core.domain.document import DocumentStatus, Metadata, SourceDocument
from core.errors import ParsingError
from sync.parsing.confluence_library import IncludedPage, PageReference
from sync.parsing.confluence_storage import StorageText, read_storage, storage_tree
from sync.parsing.confluence_wiki import wiki_tree
from sync.parsing.formats import suffix_of
from sync.parsing.parsed import Hints
from sync.sources.base import FailedDocument, metadata_of
from sync.sources.confluence_xml_access import PageRules, People, Ruling
from sync.sources.confluence_xml_dump import Dump
from sync.sources.confluence_xml_export import XmlExport
from sync.sources.confluence_xml_records import Body, Comment, Content, OldVersion
from sync.sources.folder import CLOSED_RULE

BROKEN_RECORD = "Its record in the export is broken: it was not read."
BROKEN_BODY = "Its text in the export is broken: it was not read."
INCLUDED_CLOSED = "Nobody may read both it and a page that it includes."

_WIKI = "0"


class PageReader:
    """Reads pages of one dump. It is also the library in which their references are looked up."""

    def __init__(self, source: str, export: XmlExport, dump: Dump) -> None:
        self._source = source
        self._export = export
        self._files = export.files
        self._suffixes = {kind: suffix for suffix, kind in reversed(self._files.media_types().items())}
        self._dump = dump
        self._people = People(dump, export.addresses())
        self._rules = PageRules(dump, self._people, export.access)

    def documents(self, page: Content) -> Iterator[SourceDocument | FailedDocument]:
        """A page and its attachments."""
        ruling = self._rules.of(page)
        metadata = self._metadata(page)
        files = [(file, name) for file in self._dump.attachments(page.id) if (name := self._file_name(file))]
        paths = {file.id: self._export.file(page.id, file) for file, _ in files}
        missing = sum(not path for path in paths.values())
        try:
            text = self._text(page)
        except ParsingError as error:
            yield FailedDocument(page.id, str(error))
        else:
            rule, warnings = self._with_included(ruling, text)
            if missing:
                warnings = (*warnings, f"{missing} of its attachments are missing from the export.")
            yield SourceDocument(self._source, page.id, metadata, text.blocks, rule, warnings)
        for file, name in files:
            if paths[file.id]:
                yield self._attachment(file, name, paths[file.id], page, metadata, ruling.rule)

    def history(self) -> Iterator[OldVersion]:
        """The versions before the current ones."""
        for version in self._dump.older_versions():
            original = version.original
            key = f"{version.container}/{original}" if version.kind == "Attachment" else original
            author = self._people.name(version.modifier)
            yield OldVersion(key, version.version, author, self._export.moment(version.modified), version.note)

    def comments(self) -> Iterator[Comment]:
        """The comments on current pages."""
        for comment in self._dump.comments():
            page = self._dump.content(comment.container)
            if page is not None and self._dump.is_current_page(page):
                author = self._people.name(comment.creator)
                yield Comment(page.id, author, self._export.moment(comment.created), self._comment_text(comment))

    def _comment_text(self, comment: Content) -> str:
        """The text of a comment, a line for each paragraph."""
        body = self._dump.body(comment.id)
        try:
            text = read_storage(body.text, "A comment", self, wiki=_is_wiki(body)) if body else StorageText(())
        except ParsingError:
            return ""
        return "\n".join(" | ".join(block.cells) or block.text for block in text.blocks)

    # The library

    def included(self, page: PageReference) -> IncludedPage | None:
        """A page that another includes."""
        found = self._page(page)
        body = self._dump.body(found.id) if found is not None else None
        if found is None or body is None or body.damaged or found.damaged:
            return None
        root = wiki_tree(body.text) if _is_wiki(body) else storage_tree(body.text, found.title)
        return IncludedPage(found.id, self._space_key(found), root)

    def person(self, reference: str) -> str:
        """The name of a person."""
        return self._people.name(reference)

    def address(self, page: PageReference) -> str:
        """The address of a page."""
        found = self._page(page)
        return self._export.address(self._space_key(found), found.id) if found is not None else ""

    def _page(self, page: PageReference) -> Content | None:
        if page.content_id:
            found = self._dump.content(page.content_id)
            return found if found is not None and self._dump.is_current_page(found) else None
        space = self._dump.space_keyed(page.space)
        return self._dump.page_titled(page.title, space.id) if space is not None else None

    # Parts of a document

    def _space_key(self, page: Content) -> str:
        space = self._dump.space(page.space)
        return space.key if space is not None else ""

    def _text(self, page: Content) -> StorageText:
        if page.damaged:
            raise ParsingError(BROKEN_RECORD)
        body = self._dump.body(page.id)
        if body is None:
            return StorageText(())
        if body.damaged:
            raise ParsingError(BROKEN_BODY)
        return read_storage(body.text, page.title, self, key=page.id, space=self._space_key(page), wiki=_is_wiki(body))

    def _with_included(self, ruling: Ruling, text: StorageText) -> tuple[AccessRule, tuple[str, ...]]:
        """The rule of a page AND those of the pages whose text stands in it."""
        rule, warnings = ruling.rule, (*ruling.warnings, *text.warnings)
        for key in text.included:
            included = self._dump.content(key)
            rule = rule.conjoin(self._rules.of(included).rule) if included is not None else NOBODY
        if rule == NOBODY and ruling.rule != NOBODY:
            warnings = (*warnings, INCLUDED_CLOSED)
        elif rule == NOBODY and not ruling.warnings:
            warnings = (*warnings, CLOSED_RULE)
        return rule, warnings

    def _metadata(self, page: Content) -> Metadata:
        space = self._dump.space(page.space)
        hints = Hints(
            author=self._people.name(page.creator or page.modifier),
            modified_at=self._export.moment(page.modified),
            source_version=str(page.version),
            labels=self._dump.labels(page.id),
            status=DocumentStatus.ARCHIVED if space is not None and space.status == "archived" else None,
        )
        return replace(
            metadata_of(page.title or page.id, hints, *self._export.said_of(page.id)),
            uri=self._export.address(space.key if space is not None else "", page.id),
            breadcrumbs=(*((space.name,) if space is not None else ()), *self._rules.breadcrumbs(page)),
            media_type="text/html",
        )

    def _file_name(self, file: Content) -> str:
        """A name that tells an attachment's format; empty when it is none that could be read."""
        if self._files.reads(file.title):
            return file.title
        media_type = self._dump.properties(file.id).get("MEDIA_TYPE") or file.media_type
        suffix = self._suffixes.get(media_type.partition(";")[0].strip().casefold(), "")
        return f"{file.title}{suffix}" if suffix else ""

    def _attachment(
        self, file: Content, name: str, path: str, page: Content, metadata: Metadata, rule: AccessRule
    ) -> SourceDocument | FailedDocument:
        key = f"{page.id}/{file.id}"
        try:
            if file.damaged:
                raise ParsingError(BROKEN_RECORD)
            parsed = self._files.parse(self._export.contents(path), name)
        except ParsingError as error:
            return FailedDocument(key, str(error))
        hints = Hints(
            author=self._people.name(file.creator or file.modifier),
            modified_at=self._export.moment(file.modified),
            source_version=str(file.version),
            labels=self._dump.labels(file.id),
        )
        own = replace(
            metadata_of(file.title or parsed.title, parsed.hints, hints),
            uri=metadata.uri,
            breadcrumbs=(*metadata.breadcrumbs, metadata.title),
            owner=metadata.owner,
            media_type=self._files.media_types().get(suffix_of(name), ""),
            valid_from=metadata.valid_from,
            valid_until=metadata.valid_until,
        )
        if metadata.status is not DocumentStatus.IN_FORCE:
            own = replace(own, status=metadata.status)
        return SourceDocument(self._source, key, own, parsed.blocks, rule, parsed.warnings, ocr_pages=parsed.ocr_pages)


def _is_wiki(body: Body) -> bool:
    return body.type == _WIKI
