"""The run as RAGAS reads it: JSON lines of `SingleTurnSample`, for `EvaluationDataset.from_jsonl`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from core.evaluation.outcome import Outcome
from core.evaluation.trial import said


def ragas_lines(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """One JSON object a question; the response to one that was not answered is empty."""
    for outcome in outcomes:
        question = outcome.question
        sample = {
            "user_input": outcome.searched or question.question,
            "retrieved_contexts": [context.text for context in outcome.contexts],
            "reference_contexts": [" | ".join(fact.row) if fact.row else fact.quote for fact in question.expected],
            "response": said(outcome),
            "reference": question.answer,
        }
        yield json.dumps(sample, ensure_ascii=False)
