"""Passages of the sample documents, as the search would deliver them."""

from __future__ import annotations

from core.domain.document import CanonicalText, Chunk, SourceDocument
from core.domain.evidence import EvidencePassage, Passage, text_hash


def delivered(label: str, document: SourceDocument, canonical: CanonicalText, chunk: Chunk) -> EvidencePassage:
    """A chunk of the first version of a document, frozen under a label."""
    said = document.metadata
    passage = Passage(
        chunk_id=chunk.chunk_id,
        tenant_id="almendro",
        document_id=document.key,
        document_version=1,
        rule_id=1,
        source=document.source,
        uri=said.uri,
        title=said.title,
        section_path=chunk.section_path,
        page=chunk.page,
        language=chunk.language,
        start=chunk.start,
        end=chunk.end,
        text=chunk.text,
        context=chunk.context,
        sentences=chunk.sentences,
        header=chunk.header,
        modified_at=said.modified_at,
        valid_from=said.valid_from,
        valid_until=said.valid_until,
        status=said.status,
        owner=said.owner,
        show_quotes=said.show_quotes,
        content_hash=text_hash(chunk.text),
        superseded=said.is_superseded,
    )
    return EvidencePassage(label, passage, canonical.text, canonical.blocks, canonical.sections)
