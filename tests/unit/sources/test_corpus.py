"""The sample company's exports: every witness of its questions is in the canonical text, in its section and row."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from core.chunking import chunk_version
from core.domain.access import NOBODY
from core.domain.document import CanonicalText, Chunk, SourceDocument
from core.text.canonical import canonicalise
from core.text.language import language_of
from sync.sources.base import FailedDocument
from sync.sources.confluence_html import ConfluenceHtmlSource
from sync.sources.drive import DriveSource
from sync.sources.folder import FolderSource

CORPUS = Path(__file__).resolve().parents[2] / "corpus"

Read = Mapping[str, tuple[SourceDocument, CanonicalText, tuple[Chunk, ...]]]


@pytest.fixture(scope="module")
def corpus() -> Read:
    sources = (
        ConfluenceHtmlSource("confluence", CORPUS / "confluence"),
        DriveSource("drive", CORPUS / "drive"),
        FolderSource("folder", CORPUS / "folder"),
    )
    read = {}
    for source in sources:
        assert source.describe().warnings == ()
        for document in source.read():
            assert not isinstance(document, FailedDocument), document
            canonical = canonicalise(document.blocks)
            key = f"{document.source}/{document.key}"
            title = document.metadata.title
            read[key] = (document, canonical, chunk_version(key, title, canonical, language_of(canonical.text)))
    return read


def witnesses() -> list[dict[str, object]]:
    lines = (CORPUS / "questions.jsonl").read_text("utf-8").splitlines()
    return [
        witness | {"question": question["id"]}
        for question in map(json.loads, lines)
        for witness in question["expected"]
    ]


def one_line(text: object) -> str:
    return " ".join(str(text).split())


@pytest.mark.parametrize("witness", witnesses(), ids=lambda witness: str(witness["question"]))
def test_each_witness_is_in_the_text_in_its_section_its_row_and_one_chunk(
    corpus: Read, witness: dict[str, object]
) -> None:
    _, canonical, chunks = corpus[str(witness["document"])]
    quote = one_line(witness["quote"])
    assert quote in one_line(canonical.text)
    assert any(quote in one_line(chunk.text) for chunk in chunks)
    if witness.get("section"):
        assert any(one_line(witness["section"]) in section.path for section in canonical.sections)
    if row := witness.get("row"):
        assert isinstance(row, list)
        rows = [[one_line(canonical.text[a:b]) for a, b in block.cells] for block in canonical.blocks if block.cells]
        assert [one_line(cell) for cell in row] in rows


def test_only_what_has_no_rule_is_for_nobody(corpus: Read) -> None:
    assert {key for key, (document, _, _) in corpus.items() if document.rule == NOBODY} == {
        "folder/sin-regla/ideas-cena-navidad.md"
    }


def test_languages_are_told(corpus: Read) -> None:
    assert {chunk.language for _, _, chunks in corpus.values() for chunk in chunks} == {"es", "en"}


def test_invisible_text_is_not_read(corpus: Read) -> None:
    text = corpus["folder/operaciones/cold-chain.html"][1].text
    source = (CORPUS / "folder/operaciones/cold-chain.html").read_text("utf-8")
    assert "display:none" in source.replace(" ", "")
    assert "<" not in text
