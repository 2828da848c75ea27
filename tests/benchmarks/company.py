"""Short questions, as people type them, over pages of two real handbooks: prose, lists, tables, configuration.

XQuAD's questions are long and were written looking at their paragraph, and its paragraphs have no title. A calibration
that has seen nothing else takes every short question for one that cannot be answered. So confidence is fitted on both.
The questions are ours, in English and in Spanish, over English pages; neither these pages nor these questions are among
those that anything is reported on (`real_questions.json`, the sample corpus).
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection as Some
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from core.chunking import chunk_version
from core.domain.document import Chunk, Metadata, Version
from core.domain.evidence import text_hash
from core.embedding.base import Embedder
from core.embedding.language_means import LanguageMeans
from core.index.snapshot import Snapshot
from core.retrieval.search import Searcher
from core.text.canonical import canonicalise
from sync.parsing.markdown import parse_markdown
from tests.benchmarks.asking import Seen, ask
from tests.benchmarks.collection import NOW, TENANT, Collection, write
from tests.benchmarks.datasets import Asked, data_folder

QUESTIONS = Path(__file__).with_name("company_questions.json")
LANGUAGES = ("en", "es")
PAGES_LANGUAGE = "en"


@dataclass(slots=True)
class CompanySeen:
    """What was seen, by language of the question; an article is a page."""

    answerable: dict[str, list[Seen]] = field(default_factory=dict)
    near: dict[str, list[Seen]] = field(default_factory=dict)
    """The passages that answer are hidden, the rest of their page is not."""
    gone: dict[str, list[Seen]] = field(default_factory=dict)
    """Their whole pages are hidden."""
    absent: dict[str, list[Seen]] = field(default_factory=dict)
    """Nothing is hidden, and no page answers."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One passage, a document of its own under rule `number + 1`."""

    number: int
    page: int
    version: Version
    chunk: Chunk


def pieces() -> list[Piece]:
    """Every passage of the pages."""
    found: list[Piece] = []
    for page, name in enumerate(json.loads(QUESTIONS.read_text(encoding="utf-8"))["pages"]):
        parsed = parse_markdown((data_folder() / "handbooks" / name).read_bytes(), name)
        canonical = canonicalise(parsed.blocks)
        for cut in chunk_version(f"page-{page}", parsed.title, canonical, PAGES_LANGUAGE):
            number = len(found)
            chunk = replace(cut, document_id=document_id(number), chunk_id=f"{document_id(number)}#s0-p0")
            version = Version(
                tenant_id=TENANT,
                document_id=chunk.document_id,
                number=1,
                source="company",
                source_key=chunk.document_id,
                metadata=Metadata(parsed.title),
                canonical=canonical,
                rule_id=number + 1,
                language=PAGES_LANGUAGE,
                content_hash=text_hash(canonical.text),
                observed_at=NOW,
            )
            found.append(Piece(number, page, version, chunk))
    return found


def document_id(number: int) -> str:
    """The document that a passage is."""
    return f"piece-{number}"


def run(embedder: Embedder, means: LanguageMeans, searcher: Searcher) -> CompanySeen:
    """Ask everything."""
    cut = pieces()
    collection = write([(piece.version, [piece.chunk]) for piece in cut], embedder, means)
    try:
        return _run(cut, collection, searcher)
    finally:
        collection.close()


def _run(cut: list[Piece], collection: Collection, searcher: Searcher) -> CompanySeen:
    questions = json.loads(QUESTIONS.read_text(encoding="utf-8"))
    holding = [_holding(cut, question["value"]) for question in questions["answerable"]]
    everything = frozenset(piece.number + 1 for piece in cut)
    result = CompanySeen()

    def right(asked: Asked) -> Some[str]:
        return {document_id(piece.number) for piece in holding[asked.paragraph]}

    def whole(number: int, asked: Asked) -> Snapshot:
        return collection.seen(everything)

    def without_passages(number: int, asked: Asked) -> Snapshot:
        return collection.seen(everything - {piece.number + 1 for piece in holding[asked.paragraph]})

    def without_pages(number: int, asked: Asked) -> Snapshot:
        pages = {piece.page for piece in holding[asked.paragraph]}
        return collection.seen(everything - {piece.number + 1 for piece in cut if piece.page in pages})

    for language in LANGUAGES:

        def answerable(language: str = language) -> Iterator[tuple[int, Asked]]:
            for number, question in enumerate(questions["answerable"]):
                yield number, Asked(question[language], number, holding[number][0].page, answerable=True)

        absent = [
            (number, Asked(question[language], -1, number, answerable=False))
            for number, question in enumerate(questions["absent"], len(holding))
        ]
        result.answerable[language] = ask(searcher, answerable(), language, whole, right)
        result.near[language] = ask(searcher, answerable(), language, without_passages, right)
        result.gone[language] = ask(searcher, answerable(), language, without_pages, right)
        result.absent[language] = ask(searcher, absent, language, whole, lambda _: ())
    return result


def _holding(cut: list[Piece], value: str) -> list[Piece]:
    held = [piece for piece in cut if re.search(value, f"{piece.chunk.context}\n{piece.chunk.text}")]
    if not held:
        raise ValueError(f"no passage holds {value!r}: the pages have changed")
    return held
