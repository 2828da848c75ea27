"""A question set is read line by line, and a wrong line is one sentence that names it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.errors import EvaluationError
from core.evaluation.questions import SetQuestion, load_questions

GOOD = {"id": "a", "question": "How long?", "language": "en", "expected": [{"document": "wiki/1", "quote": "6 months"}]}


def written(folder: Path, *lines: object) -> Path:
    path = folder / "set.jsonl"
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines), "utf-8")
    return path


def test_blank_lines_are_passed_over_and_the_order_is_kept(tmp_path: Path) -> None:
    second = {"id": "b", "question": "And then?", "language": "en", "unanswerable": True, "previous": "a"}
    questions = load_questions(written(tmp_path, GOOD, "", second, ""))
    assert [q.id for q in questions] == ["a", "b"]
    assert questions[0].expected[0].quote == "6 months"
    assert questions[1].previous == "a"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{not json", "Invalid JSON: key must be a string at column 2"),
        ({**GOOD, "language": "English"}, "language"),
        ({**GOOD, "asked_by": "ana"}, "asked_by"),
        ({**GOOD, "expected": []}, "name what is expected, or say unanswerable"),
        ({**GOOD, "unanswerable": True}, "an unanswerable question has nothing in expected"),
        ({**GOOD, "expected": [{"quote": "6 months"}]}, "expected.0.document"),
        ({**GOOD, "expected": [{"document": "d", "quote": "5", "row": ["Porto", "24"]}]}, "one of the cells of row"),
        ({**GOOD, "id": "first"}, "the id 'first' is taken by a line before"),
        ({**GOOD, "previous": "later"}, "previous 'later' is not the id of a line before"),
    ],
)
def test_a_wrong_line_is_told_with_its_number(tmp_path: Path, line: object, said: str) -> None:
    path = written(tmp_path, {**GOOD, "id": "first"}, line)
    with pytest.raises(EvaluationError) as error:
        load_questions(path)
    assert f"{path}, line 2: " in str(error.value)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_a_thread_does_not_fork(tmp_path: Path) -> None:
    follow_ups = [{**GOOD, "id": name, "previous": "a"} for name in ("b", "c")]
    with pytest.raises(EvaluationError, match="line 3: 'a' has a follow-up already"):
        load_questions(written(tmp_path, GOOD, *follow_ups))


def test_an_empty_set_and_one_that_is_not_text_are_told(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="is empty"):
        load_questions(written(tmp_path, "", ""))
    binary = tmp_path / "binary.jsonl"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(EvaluationError, match="cannot be read"):
        load_questions(binary)


def test_the_fingerprint_tells_what_is_asked_and_expected_and_not_how_it_is_sorted() -> None:
    question = SetQuestion.model_validate(GOOD)
    assert question.fingerprint == SetQuestion.model_validate({**GOOD, "tags": ["table"]}).fingerprint
    assert question.fingerprint != SetQuestion.model_validate({**GOOD, "question": "How long, then?"}).fingerprint
    assert question.fingerprint != SetQuestion.model_validate({**GOOD, "asker": "ana@x.com"}).fingerprint
