"""Short questions, as people type them, over pages with titles: prose, lists, tables, configuration.

XQuAD's questions are long and were written looking at their paragraph, and its paragraphs have no title. A calibration
that has seen nothing else takes every short question for one that cannot be answered. So it is fitted on both.
Two worlds, each searched by itself: English pages of two real handbooks, and the pages of an office that we made up,
half of them in Spanish, so that a question meets answers and noise in both languages. The questions are ours, in
English and in Spanish; neither these pages nor these questions are among those that anything is reported on
(`real_questions.json`, the sample corpus).
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection as Some
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

LANGUAGES = ("en", "es")
FAR = 1_000
"""What is added to the numbers of a world's questions and pages, so that they are nobody else's."""


@dataclass(frozen=True, slots=True)
class World:
    """Pages that are searched together, with their questions."""

    number: int
    questions: Path
    folder: Path

    def read(self) -> dict[str, list[dict[str, str]]]:
        """The questions by kind."""
        loaded: dict[str, list[dict[str, str]]] = json.loads(self.questions.read_text(encoding="utf-8"))
        return loaded

    def pages(self) -> list[str]:
        """Where the pages stand in the folder."""
        listed: list[str] = json.loads(self.questions.read_text(encoding="utf-8"))["pages"]
        return listed


def worlds() -> tuple[World, ...]:
    """The handbooks, which are data, and the office, which stands beside this file."""
    here = Path(__file__)
    return (
        World(0, here.with_name("company_questions.json"), data_folder() / "handbooks"),
        World(1, here.with_name("office_questions.json"), here.with_name("office")),
    )


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


def pieces(world: World) -> list[Piece]:
    """Every passage of a world's pages."""
    found: list[Piece] = []
    for page, name in enumerate(world.pages()):
        parsed = parse_markdown((world.folder / name).read_bytes(), name)
        canonical = canonicalise(parsed.blocks)
        language = "es" if name.startswith("es/") else "en"
        for cut in chunk_version(f"page-{page}", parsed.title, canonical, language):
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
                language=language,
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
    result = CompanySeen()
    for world in worlds():
        cut = pieces(world)
        collection = write([(piece.version, [piece.chunk]) for piece in cut], embedder, means)
        try:
            _ask_world(world, cut, collection, searcher, result)
        finally:
            collection.close()
    return result


def _ask_world(world: World, cut: list[Piece], collection: Collection, searcher: Searcher, result: CompanySeen) -> None:
    questions = world.read()
    holding = [_holding(cut, question["value"]) for question in questions["answerable"]]
    everything = frozenset(piece.number + 1 for piece in cut)
    first = world.number * FAR

    def right(asked: Asked) -> Some[str]:
        return {document_id(piece.number) for piece in holding[asked.paragraph]} if asked.answerable else ()

    def whole(number: int, asked: Asked) -> Snapshot:
        return collection.seen(everything)

    def without_passages(number: int, asked: Asked) -> Snapshot:
        return collection.seen(everything - {piece.number + 1 for piece in holding[asked.paragraph]})

    def without_pages(number: int, asked: Asked) -> Snapshot:
        pages = {piece.page for piece in holding[asked.paragraph]}
        return collection.seen(everything - {piece.number + 1 for piece in cut if piece.page in pages})

    for language in LANGUAGES:
        answerable = [
            (first + number, Asked(question[language], number, first + holding[number][0].page, answerable=True))
            for number, question in enumerate(questions["answerable"])
        ]
        absent = [
            (first + number, Asked(question[language], -1, first + number, answerable=False))
            for number, question in enumerate(questions["absent"], len(holding))
        ]
        for kept, asked, seen in (
            (result.answerable, answerable, whole),
            (result.near, answerable, without_passages),
            (result.gone, answerable, without_pages),
            (result.absent, absent, whole),
        ):
            kept.setdefault(language, []).extend(ask(searcher, asked, language, seen, right))


def _holding(cut: list[Piece], value: str) -> list[Piece]:
    held = [piece for piece in cut if re.search(value, f"{piece.chunk.context}\n{piece.chunk.text}")]
    if not held:
        raise ValueError(f"no passage holds {value!r}: the pages have changed")
    return held
