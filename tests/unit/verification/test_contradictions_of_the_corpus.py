"""All documents of the sample company in force held against each other: one contradiction, and no false alarm."""

import datetime as dt
from pathlib import Path

from core.chunking import chunk_version
from core.domain.document import SourceDocument
from core.domain.evidence import Evidence, EvidencePassage, Passage
from core.settings import load_settings
from core.text.canonical import canonicalise
from core.text.language import language_of
from core.verification.contradictions import find_contradictions
from sync.sources import open_source

CONFIG = Path(__file__).resolve().parents[2] / "corpus" / "testigo.toml"
TODAY = dt.date(2026, 11, 29)


def passages_of(document: SourceDocument) -> list[EvidencePassage]:
    canonical, said = canonicalise(document.blocks), document.metadata
    chunks = chunk_version(document.key, said.title, canonical, language_of(canonical.text))
    return [
        EvidencePassage(
            chunk.chunk_id,
            Passage(
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
                content_hash="",
                superseded=said.is_superseded,
            ),
            canonical.text,
            canonical.blocks,
            canonical.sections,
        )
        for chunk in chunks
    ]


def test_the_sample_corpus_contradicts_itself_in_the_fee_of_the_car_park_and_nowhere_else() -> None:
    passages = tuple(
        passage
        for source in load_settings(CONFIG).sources
        for document in open_source(source).read()
        if isinstance(document, SourceDocument)
        for passage in passages_of(document)
    )
    evidence = Evidence("run", "almendro", 1, dt.datetime(2026, 11, 29, tzinfo=dt.UTC), passages)
    (contradiction,) = find_contradictions(evidence, TODAY, lambda _: True)
    told = {evidence.by_label(side.label): side.value.text for side in contradiction.sides}
    assert {passage.passage.document_id: value for passage, value in told.items() if passage} == {
        "1200043": "35 €",
        "personas/guia-oficina-valencia.docx": "42 €",
    }
