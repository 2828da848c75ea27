"""The project's own 60 questions: no change may answer them significantly worse than the run that is kept.

When a change answers them otherwise on purpose: `make eval SAVE=1` keeps the new run as `tests/corpus/baseline.json`.
"""

from __future__ import annotations

from collections import Counter

import pytest
from click.testing import CliRunner, Result

from bot.cli.demo import SAMPLE_CONFIG
from bot.cli.evaluate import REGRESSED, evaluate
from bot.main import Composition
from core.evaluation.baseline import load_baseline
from core.evaluation.questions import load_questions
from core.index.snapshot import Snapshot
from core.retrieval.selection import prefer_in_force

QUESTIONS = SAMPLE_CONFIG.with_name("questions.jsonl")
BASELINE = SAMPLE_CONFIG.with_name("baseline.json")


def compared(company: Composition) -> Result:
    return CliRunner().invoke(evaluate, [str(QUESTIONS), "--compare", str(BASELINE)], obj=company)


def test_the_set_is_what_it_should_be() -> None:
    questions = load_questions(QUESTIONS)
    kinds = Counter(tag for question in questions for tag in question.tags)
    assert len(questions) == 60
    assert sum(question.unanswerable for question in questions) == 20
    assert Counter(question.language for question in questions).keys() == {"es", "en"}
    assert min(kinds["compound"], kinds["follow_up"], kinds["similar"], kinds["two_versions"]) >= 3


def test_the_baseline_is_of_these_very_questions() -> None:
    kept = load_baseline(BASELINE)
    assert kept.questions == {question.id: question.fingerprint for question in load_questions(QUESTIONS)}


def test_answers_are_no_worse_than_those_that_are_kept(company: Composition) -> None:
    result = compared(company)
    assert result.exit_code == 0, result.stderr


def test_a_ranking_that_is_turned_round_is_found_out(company: Composition, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.retrieval.search.prefer_in_force", lambda *arguments: prefer_in_force(*arguments)[::-1])
    result = compared(company)
    assert result.exit_code == REGRESSED
    assert "Worse: reranked.recall@1 " in result.stderr
    assert "Worse: answer.exact_sentence " in result.stderr
    assert "Worse: dense.recall@1 " not in result.stderr


def test_a_lexical_half_that_finds_nothing_is_found_out(company: Composition, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Snapshot, "lexical_names", lambda *_: [])
    result = compared(company)
    assert result.exit_code == REGRESSED
    assert "Worse: lexical.recall@10 " in result.stderr
    assert "Worse: dense.recall@10 " not in result.stderr
