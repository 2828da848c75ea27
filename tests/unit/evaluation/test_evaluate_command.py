"""`testigo eval` over a small index: each question as its asker, through the real pipeline."""

from __future__ import annotations

import asyncio
import datetime as dt
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import Engine, func, select

from bot.cli.evaluate import evaluate
from bot.standin.claude import ClaudeStandIn, server_error
from core.access.groups import GroupsFile
from core.embedding.language_means import LanguageMeans
from core.embedding.space import VectorSpace
from core.generation.claude_stream import ClaudeMessages
from core.generation.errors import RejectedRequest
from core.generation.extractive import ExtractiveGenerator
from core.index.reader import IndexReader
from core.index.tables import Tables
from core.pipeline import Limits, Pipeline
from core.retrieval.search import Retrieval
from core.settings import Mode, Settings
from core.store.audit import AuditStore
from core.store.conversations import ConversationStore
from core.store.database import open_database
from core.store.runs import RunStore
from core.store.schema import runs, turns
from tests.unit.pipeline.claude import MODEL
from tests.unit.pipeline.shelf import HOLIDAY_QUESTION, QUOTE, TODAY, WordVectors, built

PEOPLE = """
[[person]]
email = "helen@x.com"
groups = ["hr"]
[[person]]
email = "ana@x.com"
groups = []
[[channel]]
id = "C1"
name = "general"
kind = "public"
[[channel]]
id = "C2"
name = "partners"
kind = "public"
shared_externally = true
"""
SALARY = "The highest salary of band N4 is 58,500 euros."
HOLIDAY = {
    "id": "holiday", "question": HOLIDAY_QUESTION, "language": "en", "answer": "25 working days",
    "expected": [{"document": "shelf/Holiday policy", "section": "Holiday policy", "quote": QUOTE}],
}  # fmt: skip
SALARY_QUESTION = {
    "id": "salary", "question": "What is the highest salary of band N4?", "language": "en", "asker": "helen@x.com",
    "expected": [{"document": "shelf/Salary bands", "quote": SALARY}],
}  # fmt: skip
HIDDEN = {
    **SALARY_QUESTION, "id": "hidden", "asker": "ana@x.com", "expected": [], "unanswerable": True,
    "forbidden": ["shelf/Salary bands"], "forbidden_text": ["58,500"],
}  # fmt: skip


@dataclass
class Parts:
    """The parts of an application, over a small index."""

    folder: Path
    settings: Settings
    database: Engine
    groups: GroupsFile
    index: IndexReader
    tables: Tables
    small: Pipeline
    space: VectorSpace
    claude: ClaudeStandIn | None = None
    has_index: bool = True

    def now(self) -> dt.datetime:
        return dt.datetime(2026, 11, 29, tzinfo=dt.UTC)

    def pipeline(
        self, on_retrieval: Callable[[Retrieval], None] | None = None, record: Engine | None = None
    ) -> Pipeline:
        database = record or self.database
        return Pipeline(
            index=self.index,
            searcher=self.small._searcher,
            generator=ExtractiveGenerator(),
            runs=RunStore(database),
            conversations=ConversationStore(database),
            limits=Limits(mode=Mode.OPEN),
            on_retrieval=on_retrieval,
            today=lambda: TODAY,
        )

    def judging_claude(self) -> ClaudeMessages:
        if self.claude is None:
            raise RejectedRequest("There is no key for Claude.")
        return ClaudeMessages(self.claude.api_key, MODEL, base_url=self.claude.base_url)


@pytest.fixture
def parts(tmp_path: Path) -> Parts:
    (tmp_path / "people.toml").write_text(PEOPLE)
    small = built(tmp_path)
    settings = Settings(_env_file=None, tenant_id="t", data_dir=tmp_path, people_file=tmp_path / "people.toml")
    return Parts(
        folder=tmp_path,
        settings=settings,
        database=open_database(f"sqlite:///{tmp_path}/company.db"),
        groups=GroupsFile(settings.people_file),
        index=small._index,
        tables=small._index.tables,
        small=small,
        space=VectorSpace(WordVectors(), LanguageMeans({})),
    )


def run(parts: Parts, *lines: dict[str, Any], options: tuple[str, ...] = ()) -> Result:
    path = parts.folder / "set.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    return CliRunner().invoke(evaluate, [str(path), *options], obj=parts)


def told(parts: Parts, *lines: dict[str, Any], options: tuple[str, ...] = ()) -> dict[str, Any]:
    """What `--json -` prints, and that it is alone on standard output."""
    result = run(parts, *lines, options=("--json", "-", *options))
    assert result.exit_code == 0, result.output
    read: dict[str, Any] = json.loads(result.stdout)
    return read


def outcomes(report: dict[str, Any]) -> dict[str, str]:
    return {each["id"]: each["failing"] for each in report["outcomes"]}


def all_supported(body: Any) -> dict[str, object]:
    """A verdict for each claim of a request."""
    claims = json.loads(body["messages"][0]["content"][0]["text"])["claims"]
    return {"verdicts": [{"verdict": "supported", "missing": ""} for _ in claims]}


def test_each_question_is_asked_as_its_asker(parts: Parts) -> None:
    report = told(parts, HOLIDAY, SALARY_QUESTION, HIDDEN)
    assert outcomes(report) | {"hidden": ""} == {"holiday": "right", "salary": "right", "hidden": ""}
    (hidden,) = (each for each in report["outcomes"] if each["id"] == "hidden")
    assert hidden["forbidden"] == []
    assert "58,500" not in json.dumps(hidden)


def test_without_an_asker_only_what_is_open_to_everyone_is_read(parts: Parts) -> None:
    anybody = {key: value for key, value in SALARY_QUESTION.items() if key != "asker"}
    (outcome,) = told(parts, anybody)["outcomes"]
    assert outcome["failing"] != "right"
    assert outcome["facts"][0]["ranks"] == {}
    assert outcome["facts"][0]["lost_at"] == "the search did not find it"


def test_the_channel_decides_what_may_be_used_and_one_that_is_shared_gets_no_answer(parts: Parts) -> None:
    public = {**SALARY_QUESTION, "channel": "general"}
    shared = {**HOLIDAY, "channel": "partners"}
    report = told(parts, public, shared)
    assert report["outcomes"][0]["facts"][0]["ranks"] == {}
    assert (report["outcomes"][1]["answered"], report["outcomes"][1]["refusal"]) == (False, "place_refused")
    assert report["outcomes"][1]["timings_ms"] == {}


def test_a_follow_up_is_searched_with_its_topic(parts: Parts) -> None:
    follow_up = {**HOLIDAY, "id": "more", "question": "And how many may be carried over?", "previous": "holiday"}
    further = {**follow_up, "id": "further", "question": "And in Ribarroja?", "previous": "more"}
    apart = {**follow_up, "id": "apart", "previous": None}
    report = told(parts, HOLIDAY, follow_up, further, apart)
    _, second, third, alone = (outcome["searched"] for outcome in report["outcomes"])
    assert second != follow_up["question"]
    assert "holiday" in second
    assert "Ribarroja" in third
    assert "holiday" in third
    assert alone == follow_up["question"]


def test_the_record_of_the_company_has_no_run_and_no_question_and_one_note(parts: Parts) -> None:
    told(parts, HOLIDAY)
    with parts.database.connect() as connection:
        assert connection.scalar(select(func.count()).select_from(runs)) == 0
        assert connection.scalar(select(func.count()).select_from(turns)) == 0
    (entry,) = AuditStore(parts.database).entries()
    assert {key: json.loads(entry.body).get(key) for key in ("action", "questions")} == {
        "action": "eval",
        "questions": 1,
    }


def test_the_numbers_are_those_of_the_run(parts: Parts) -> None:
    report = told(parts, HOLIDAY, SALARY_QUESTION)
    assert (report["questions"], report["unanswerable"]) == (2, 0)
    for name in ("dense.recall@5", "lexical.recall@5", "fused.recall@5", "reranked.recall@1", "answer.exact_sentence"):
        assert report["metrics"][name]["value"] == 1
    assert {"embed", "dense", "lexical", "whole answer"} <= report["latency_ms"].keys()
    assert report["tokens"]["writer"] is None
    assert report["comparison"] is None
    assert report["setting"]["missing_documents"] == []


def test_a_document_that_the_index_does_not_have_is_told_and_counts_as_missed(parts: Parts) -> None:
    gone = {**HOLIDAY, "expected": [{"document": "shelf/Gone", "quote": QUOTE}]}
    result = run(parts, gone, options=("--json", "-"))
    assert "The index does not have these documents, which the set expects: shelf/Gone." in result.stderr
    assert json.loads(result.stdout)["metrics"]["reranked.recall@10"]["value"] == 0


def test_files_are_written_and_a_kept_run_is_no_worse_than_itself(parts: Parts) -> None:
    page, kept, ragas = (str(parts.folder / name) for name in ("report.html", "kept.json", "ragas.jsonl"))
    assert run(parts, HOLIDAY, options=("--html", page, "--save", kept, "--ragas", ragas)).exit_code == 0
    assert Path(page).read_text("utf-8").startswith("<!doctype html>")
    (sample,) = map(json.loads, Path(ragas).read_text("utf-8").splitlines())
    assert sample.keys() == {"user_input", "retrieved_contexts", "reference_contexts", "response", "reference"}
    assert sample["user_input"] == HOLIDAY_QUESTION
    assert QUOTE in sample["response"]
    assert any(QUOTE in context for context in sample["retrieved_contexts"])
    assert (sample["reference"], sample["reference_contexts"]) == ("25 working days", [QUOTE])
    assert run(parts, HOLIDAY, options=("--compare", kept)).exit_code == 0


def test_the_table_and_what_went_wrong_are_for_people(parts: Parts) -> None:
    wrong = {**HOLIDAY, "id": "wrong", "expected": [{"document": "shelf/Parking", "quote": "35 euros a month"}]}
    result = run(parts, HOLIDAY, wrong)
    assert "2 questions, 0 of them unanswerable" in result.stdout
    assert "reranked" in result.stdout
    assert "What went wrong" in result.stdout


def test_a_judge_is_asked_about_each_answer_and_its_failures_are_told(parts: Parts) -> None:
    async def judged() -> dict[str, Any]:
        async with ClaudeStandIn() as server:
            server.script(lambda request: all_supported(request.body), server_error())
            parts.claude = server
            return await asyncio.to_thread(told, parts, HOLIDAY, SALARY_QUESTION, options=("--judge",))

    report = asyncio.run(judged())
    assert report["metrics"]["answer.faithfulness"]["value"] == 1
    assert report["metrics"]["answer.faithfulness"]["questions"] == 1
    assert report["tokens"]["judge"]["cost_usd"] > 0
    assert report["tokens"]["not_judged"] == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [(("--judge",), "There is no key for Claude"), (("--compare", "kept.json"), "does not exist")],
)
def test_what_is_missing_is_said(parts: Parts, options: tuple[str, ...], said: str) -> None:
    result = run(parts, HOLIDAY, options=options)
    assert result.exit_code != 0
    assert said in f"{result.output} {result.exception}"


def test_without_an_index_nothing_is_asked(parts: Parts) -> None:
    parts.has_index = False
    assert "run testigo sync first" in str(run(parts, HOLIDAY).exception)
