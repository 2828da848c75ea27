"""Passages for tests, with only what matters said."""

from __future__ import annotations

import datetime as dt

from core.domain.document import DocumentStatus
from core.domain.evidence import Passage, Scores, text_hash


def passage(
    chunk_id: str = "a#s0-p1",
    text: str = "Everybody has 23 days of holiday.",
    *,
    reranked: float = 1.0,
    best_sentence: float = 0.5,
    coverage: float = 0.5,
    weakest_word: float | None = None,
    names_missing: float = 0.0,
    title: str = "Holiday policy",
    language: str = "en",
    status: DocumentStatus = DocumentStatus.IN_FORCE,
    superseded: bool = False,
    valid_from: dt.date | None = None,
    valid_until: dt.date | None = None,
    modified_at: dt.datetime | None = None,
) -> Passage:
    return Passage(
        chunk_id=chunk_id,
        tenant_id="t",
        document_id=chunk_id.partition("#")[0],
        document_version=1,
        rule_id=1,
        source="s",
        uri="",
        title=title,
        section_path=(),
        page=None,
        language=language,
        start=0,
        end=len(text),
        text=text,
        context=title,
        sentences=((0, len(text)),),
        header=None,
        modified_at=modified_at,
        valid_from=valid_from,
        valid_until=valid_until,
        status=status,
        owner="",
        show_quotes=True,
        content_hash=text_hash(text),
        superseded=superseded,
        scores=Scores(
            dense=best_sentence,
            reranked=reranked,
            best_sentence=best_sentence,
            coverage=coverage,
            best_sentence_coverage=coverage,
            interaction=best_sentence if weakest_word is not None else None,
            weakest_word=weakest_word,
            names_missing=names_missing,
        ),
        sentence_scores=(best_sentence,),
    )
