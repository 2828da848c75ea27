"""Twenty questions over a real Confluence export and a real handbook, both in English, half asked in Spanish.

`make bench NAME=real`. The exports come from `TESTIGO_DATA`; the index is built in a temporary folder, or in
`TESTIGO_BENCH_DIR` where it is kept for the next run.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import tempfile
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from bot.cli.asking import Conversation
from bot.main import Composition
from core.domain.access import EVERYONE, Audience, Reader
from core.domain.evidence import Answer
from core.domain.question import Question
from core.settings import Settings, load_settings
from tests.conftest import SHARED_DATA

QUESTIONS = Path(__file__).with_name("real_questions.json")
TENANT = "real"
OPEN = '[defaults]\nallow = ["everyone"]\n'
OPEN_FOLDER = OPEN + '[[rule]]\nglob = "**/*"\nallow = ["everyone"]\n'


def settings_of(folder: Path) -> Settings:
    """Settings over the two exports, open to everyone, with all that is written below a folder."""
    (folder / "wiki.access.toml").write_text(OPEN)
    (folder / "handbook.access.toml").write_text(OPEN_FOLDER)
    (folder / "testigo.toml").write_text(
        "\n".join(
            (
                f'tenant_id = "{TENANT}"',
                _source("wiki", "confluence_html", SHARED_DATA / "confluence_html" / "space_export"),
                _source("handbook", "folder", SHARED_DATA / "handbooks" / "18f_en" / "pages"),
            )
        )
    )
    models = load_settings().model_dir.absolute()
    return load_settings(folder / "testigo.toml", data_dir=folder / "data", model_dir=models)


def _source(name: str, kind: str, path: Path) -> str:
    lines = (f'name = "{name}"', f'kind = "{kind}"', f'path = "{path}"', f'access_file = "{name}.access.toml"')
    return "[[sources]]\n" + "\n".join(lines)


def judge(answer: Answer, expected: dict[str, str], key_of: dict[str, str]) -> str:
    """`right`, `wrong` or `abstained`. Right: a quote of the expected document holds the expected value."""
    if answer.abstention is not None:
        return "right" if "document" not in expected else "abstained"
    if "document" not in expected:
        return "wrong"
    right = any(
        key_of.get(c.document_id, "").startswith(expected["document"]) and re.search(expected["value"], c.quote)
        for c in answer.citations
    )
    return "right" if right else "wrong"


async def ask_all(application: Composition, console: Console) -> dict[str, dict[str, int]]:
    """Ask every question and print what came; counts by language."""
    heads = application.tables.heads(TENANT)
    key_of = {head.document_id: f"{source}/{key}" for (source, key), head in heads.items()}
    reader = Reader(TENANT, frozenset({EVERYONE}), "bench@example.com")
    conversation = Conversation(application)
    counts = {language: {"right": 0, "wrong": 0, "abstained": 0} for language in ("en", "es")}
    table = Table("", "lang", "question", "sure", "first claim", show_lines=True)
    for expected in json.loads(QUESTIONS.read_text(encoding="utf-8")):
        asked = await conversation.ask(Question(expected["question"], reader, Audience.person(reader)))
        verdict = judge(asked.answer, expected, key_of)
        counts[expected["language"]][verdict] += 1
        claim = asked.answer.claims[0].text if asked.answer.claims else "(abstained)"
        sure = f"{asked.answer.confidence:.2f}"
        table.add_row(verdict, expected["language"], Text(expected["question"]), sure, Text(claim[:160]))
    console.print(table)
    return counts


def main() -> None:
    """Sync, ask, print, and end with one JSON object."""
    console = Console(width=150)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(os.environ.get("TESTIGO_BENCH_DIR", scratch))
        folder.mkdir(parents=True, exist_ok=True)
        application = Composition(settings_of(folder))
        for _ in application.sync.run(None, "bench"):
            pass
        documents, chunks = application.tables.counts(TENANT)
        counts = asyncio.run(ask_all(application, console))
    print(json.dumps({"documents": documents, "chunks": chunks, "questions": 20, **counts}))


if __name__ == "__main__":
    main()
