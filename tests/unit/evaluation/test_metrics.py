"""Each metric against values worked out by hand."""

from __future__ import annotations

import math

import pytest

from core.evaluation.metrics import METRICS, token_f1, values
from core.evaluation.outcome import Faithfulness, SaidCitation, SaidClaim, Verdict
from tests.unit.evaluation.made import found, outcome, question


def means(*outcomes: object) -> dict[str, float]:
    return {name: sum(by.values()) / len(by) for name, by in values(list(outcomes)).items()}  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("rank", "expected"),
    [
        (1, {"recall@1": 1, "recall@5": 1, "recall@10": 1, "mrr@10": 1, "ndcg@10": 1}),
        (3, {"recall@1": 0, "recall@5": 1, "recall@10": 1, "mrr@10": 1 / 3, "ndcg@10": 1 / math.log2(4)}),
        (10, {"recall@1": 0, "recall@5": 0, "recall@10": 1, "mrr@10": 1 / 10, "ndcg@10": 1 / math.log2(11)}),
        (11, {"recall@1": 0, "recall@5": 0, "recall@10": 0, "mrr@10": 0, "ndcg@10": 0}),
        (None, {"recall@1": 0, "recall@5": 0, "recall@10": 0, "mrr@10": 0, "ndcg@10": 0}),
    ],
)
def test_retrieval_is_measured_by_the_rank_of_the_first_passage_that_holds_the_fact(
    rank: int | None, expected: dict[str, float]
) -> None:
    measured = means(outcome(facts=[found(rank)]))
    for stage in ("dense", "lexical", "fused", "reranked"):
        assert {name: measured[f"{stage}.{name}"] for name in expected} == pytest.approx(expected)


def test_both_halves_of_a_compound_question_count_half_each() -> None:
    measured = means(outcome(question(facts=2), [found(1), found(2, quoted=False)]))
    assert measured["reranked.recall@1"] == 0.5
    assert measured["reranked.recall@5"] == 1
    assert measured["answer.exact_sentence"] == 0.5
    assert measured["answer.citation_recall"] == 1


def test_a_refusal_quotes_nothing_and_is_not_asked_for_its_citations() -> None:
    refused = outcome(facts=[found(quoted=False, cited=False)], answered=False)
    measured = means(refused)
    assert measured["answer.exact_sentence"] == measured["answer.token_f1"] == 0
    assert measured["abstention.false_refusals"] == 1
    assert "answer.citation_precision" not in measured
    assert "abstention.wrong_answers" not in measured


def test_unanswerable_questions_count_for_refusals_and_not_for_retrieval() -> None:
    unanswerable = question("u", unanswerable=True)
    measured = means(outcome(unanswerable), outcome(question("v", unanswerable=True), answered=False))
    assert measured["abstention.false_answers"] == 0.5
    assert measured["abstention.wrong_answers"] == 1
    assert "reranked.recall@1" not in measured


def test_citations_are_needless_where_their_claim_has_no_fact_and_imprecise_outside_the_expected_section() -> None:
    here = SaidCitation("Leave", "Days", "Country | Days", expected_place=True)
    elsewhere = SaidCitation("Leave", "History", "Founded in 1987.", expected_place=False)
    claims = (
        SaidClaim("25", (here, here), holds_fact=True),
        SaidClaim("Founded in 1987.", (elsewhere,), holds_fact=False),
    )
    measured = means(outcome(facts=[found()], claims=claims))
    assert measured["answer.citation_precision"] == pytest.approx(2 / 3)
    assert measured["answer.needless_citations"] == 1


def test_token_f1_takes_the_nearer_of_reference_answer_and_expected_sentence() -> None:
    asked = question(answer="six months")
    assert token_f1(outcome(asked, [found()], text="Six months!")) == 1
    assert token_f1(outcome(asked, [found()], text="fact 0")) == 1
    assert token_f1(outcome(asked, [found()], text="six weeks")) == pytest.approx(0.5)
    assert token_f1(outcome(asked, [found()], text="never")) == 0


def test_what_must_not_be_shown_counts_over_all_questions() -> None:
    measured = means(outcome(facts=[found()], forbidden=("names wiki/9",)), outcome(question("b"), [found()]))
    assert measured["answer.forbidden"] == 0.5


def test_faithfulness_is_the_share_of_supported_claims_and_is_absent_without_a_judge() -> None:
    judged = Faithfulness((Verdict("supported"), Verdict("partial", "a limit"), Verdict("unsupported", "a date")))
    assert means(outcome(facts=[found()], faithfulness=judged))["answer.faithfulness"] == pytest.approx(1 / 3)
    assert "answer.faithfulness" not in means(outcome(facts=[found()]))


def test_every_value_has_a_description() -> None:
    assert values([outcome(facts=[found()])]).keys() <= METRICS.keys()
