"""All documents of the sample company in force held against each other: one contradiction, and no false alarm."""

import datetime as dt
from pathlib import Path

from core.chunking import chunk_version
from core.domain.document import SourceDocument
from core.domain.evidence import Evidence, EvidencePassage
from core.settings import load_settings
from core.text.canonical import canonicalise
from core.text.language import language_of
from core.verification.contradictions import find_contradictions
from sync.sources import open_source
from tests.delivered import delivered

CONFIG = Path(__file__).resolve().parents[2] / "corpus" / "testigo.toml"
TODAY = dt.date(2026, 11, 29)


def passages_of(document: SourceDocument) -> list[EvidencePassage]:
    canonical = canonicalise(document.blocks)
    chunks = chunk_version(document.key, document.metadata.title, canonical, language_of(canonical.text))
    return [delivered(chunk.chunk_id, document, canonical, chunk) for chunk in chunks]


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
