"""The public question sets that the benchmarks read, from TESTIGO_DATA (default: `../shared/data` by the repository).

XQuAD (Artetxe et al., ACL 2020, CC BY-SA 4.0) says the same in every language, article by article; SQuAD 2.0
(Rajpurkar et al., ACL 2018, CC BY-SA 4.0) has questions that look as if their paragraph answered them, and it does not.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, and the paragraph it was written for."""

    text: str
    paragraph: int
    article: int
    answerable: bool
    answer_start: int = -1
    """Where the answer begins in its paragraph, in code points."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph of an article."""

    text: str
    article: int


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Paragraphs, numbered through, and questions about them."""

    language: str
    titles: tuple[str, ...]
    paragraphs: tuple[Paragraph, ...]
    questions: tuple[Asked, ...]


def data_folder() -> Path:
    """Where the public data is."""
    return Path(os.environ.get("TESTIGO_DATA", REPOSITORY.parent / "shared" / "data"))


def xquad(language: str) -> QuestionSet:
    """XQuAD in `en` or `es`: 48 articles, 240 paragraphs, 1,190 questions; the same numbers mean the same in both."""
    return _read(data_folder() / "qa" / "xquad" / f"xquad.{language}.json", language)


def squad2() -> QuestionSet:
    """SQuAD 2.0's development set, half of whose questions have no answer."""
    return _read(data_folder() / "qa" / "squad2_en" / "data" / "dev-v2.0.json", "en")


def _read(path: Path, language: str) -> QuestionSet:
    paragraphs: list[Paragraph] = []
    questions: list[Asked] = []
    articles = json.loads(path.read_text(encoding="utf-8"))["data"]
    for article, entry in enumerate(articles):
        for paragraph in entry["paragraphs"]:
            for asked in paragraph["qas"]:
                answerable = not asked.get("is_impossible", False)
                start = asked["answers"][0]["answer_start"] if answerable else -1
                questions.append(Asked(asked["question"], len(paragraphs), article, answerable, start))
            paragraphs.append(Paragraph(paragraph["context"], article))
    return QuestionSet(language, tuple(entry["title"] for entry in articles), tuple(paragraphs), tuple(questions))
