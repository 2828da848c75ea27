"""Documents, their versions, and the text in them.

    Block  ──canonicalise──►  CanonicalText  ──chunk──►  Chunk

Every offset is a position in code points in a version's canonical text.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from core.domain.access import AccessRule


class BlockKind(StrEnum):
    """What a block of text is in its document."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST_ITEM = "list_item"
    TABLE_HEADER = "table_header"
    TABLE_ROW = "table_row"
    CODE = "code"
    QUOTE = "quote"


@dataclass(frozen=True, slots=True)
class Block:
    """What a parser yields: one paragraph, heading, list item, table row or piece of code, in reading order.

    `text` is raw text; `cells` is set for table rows and headers, and then `text` is ignored (the canonical text joins
    the cells). `level` is 1–6 for headings, the nesting depth (0 outermost) for list items. `table` numbers the tables
    of a document, so that a row finds its header. `label` says more of a block: `warning` for a panel's paragraphs,
    the language of code, `Sheet1!A4` for a row of a sheet.
    """

    kind: BlockKind
    text: str = ""
    level: int = 0
    page: int | None = None
    cells: tuple[str, ...] = ()
    table: int | None = None
    label: str = ""


@dataclass(frozen=True, slots=True)
class BlockSpan:
    """A block's place in the canonical text. `cells` holds the (start, end) of each table cell."""

    kind: BlockKind
    start: int
    end: int
    section: int
    level: int = 0
    page: int | None = None
    table: int | None = None
    label: str = ""
    cells: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and all that stands under it until the next heading. Section 0 is what comes before any heading."""

    index: int
    path: tuple[str, ...]
    """Headings from the outermost to this one; empty for section 0."""
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class CanonicalText:
    """A version's text in its one normal form, with the index from blocks and sections to offsets."""

    text: str
    blocks: tuple[BlockSpan, ...]
    sections: tuple[Section, ...]


class DocumentStatus(StrEnum):
    """Whether a version may be cited as what holds now."""

    IN_FORCE = "in_force"
    DRAFT = "draft"
    OBSOLETE = "obsolete"
    ARCHIVED = "archived"


_SUPERSEDED = frozenset({"superseded", "replaced", "sustituido", "sustituida", "reemplazado", "reemplazada"})


@dataclass(frozen=True, slots=True)
class Metadata:
    """What an export says about a document, apart from its text and who may read it. Unknown is empty or None."""

    title: str
    uri: str = ""
    """The address a reader opens; empty when settings give no base address."""
    breadcrumbs: tuple[str, ...] = ()
    """Space and ancestors, or folders, outermost first; without the title."""
    author: str = ""
    owner: str = ""
    modified_at: dt.datetime | None = None
    source_version: str = ""
    media_type: str = ""
    labels: tuple[str, ...] = ()
    valid_from: dt.date | None = None
    valid_until: dt.date | None = None
    status: DocumentStatus = DocumentStatus.IN_FORCE
    superseded_by: str = ""
    """The source key of the document that replaced this one."""
    replaces: tuple[str, ...] = ()
    """The source keys of the documents that this one replaced."""
    show_quotes: bool = True

    @property
    def is_superseded(self) -> bool:
        """Whether another document holds instead of this one: it says so, or a label does."""
        return bool(self.superseded_by) or any(label.strip().casefold() in _SUPERSEDED for label in self.labels)


@dataclass(frozen=True, slots=True)
class SourceDocument:
    """One document as a source read it: what the sync engine compares and stores."""

    source: str
    key: str
    """The name of the document within its source that outlives renames: page id, Drive file id, relative path."""
    metadata: Metadata
    blocks: tuple[Block, ...]
    rule: AccessRule
    warnings: tuple[str, ...] = field(default=())
    """Sentences for the report (an unresolvable restriction, a missing attachment). They hold no document text."""
    redacted: Mapping[str, int] = field(default_factory=dict)
    """How many stretches of each kind were taken out of it."""
    ocr_pages: int = 0
    """How many of its pages were read by OCR; their blocks are labelled `ocr`."""


@dataclass(frozen=True, slots=True)
class Version:
    """One observed state of a document. Immutable once written."""

    tenant_id: str
    document_id: str
    number: int
    source: str
    source_key: str
    metadata: Metadata
    canonical: CanonicalText
    rule_id: int
    language: str
    content_hash: str
    """SHA-256 of the canonical text."""
    observed_at: dt.datetime
    chunk_ids: tuple[str, ...] = ()
    """Ids of the chunks that this version was cut into. None of them is ever given to other text."""

    @property
    def text(self) -> str:
        """The canonical text."""
        return self.canonical.text


@dataclass(frozen=True, slots=True)
class Chunk:
    """A slice of a version's canonical text that is searched and shown to the generator as one passage.

    `text == version.text[start:end]`, always. `context` (title, section path, table header) is indexed with the text
    and never quoted from.
    """

    chunk_id: str
    document_id: str
    start: int
    end: int
    text: str
    section_path: tuple[str, ...]
    context: str
    language: str
    page: int | None = None
    header: tuple[int, int] | None = None
    """Where the header row of the table stands in which this chunk begins, when it is outside the chunk."""
    sentences: tuple[tuple[int, int], ...] = ()
    """(start, end) of each sentence or row of the chunk, in the version's offsets."""
    about: str = ""
    """A sentence that a model wrote on what the chunk is about: indexed with the context, and in no `Passage`."""

    @property
    def above(self) -> str:
        """What is indexed above the text."""
        return indexed_context(self.context, self.about)


def indexed_context(context: str, about: str) -> str:
    """A chunk's context with the sentence about it: after the title and path, since a long table header may be cut."""
    if not about:
        return context
    line, _, header = context.partition("\n")
    return "\n".join(part for part in (line, about, header) if part)
