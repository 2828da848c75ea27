"""The metrics by name: what each is, which way is better, and its value for each question that it says something of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import ir_measures
from ir_measures import RR, Measure, Qrel, R, ScoredDoc, nDCG

from core.evaluation.outcome import Outcome, SaidCitation, Stage
from core.evaluation.trial import said
from core.index.analysis import PLAIN, terms

DEPTH = 10
"""Ranks below it count for no metric."""

ByQuestion = Mapping[str, float]
"""A metric's value by the id of the question."""


class Group(StrEnum):
    """What a metric is about."""

    RETRIEVAL = "Retrieval"
    ANSWER = "Answer"
    ABSTENTION = "Abstention"


@dataclass(frozen=True, slots=True)
class Metric:
    """What a number means."""

    name: str
    group: Group
    title: str
    about: str
    higher_is_better: bool = True
    strict: bool = False
    """Whether one more question that fails is a regression, significant or not."""
    guards: bool = True
    """Whether a fall of it is a regression; not where it says little by itself."""


MEASURES: Mapping[str, Measure] = {
    "recall@1": R @ 1,
    "recall@5": R @ 5,
    "recall@10": R @ 10,
    "mrr@10": RR @ 10,
    "ndcg@10": nDCG @ 10,
}
"""What each stage is measured by, as trec_eval knows it."""

_ABOUT = {
    "recall@1": "share of the expected facts that the first passage holds",
    "recall@5": "share of the expected facts that the first five passages hold",
    "recall@10": "share of the expected facts that the first ten passages hold",
    "mrr@10": "mean of 1 / rank of the first passage that holds a fact",
    "ndcg@10": "the same with 1 / log₂(1 + rank)",
}

RETRIEVAL = tuple(
    Metric(f"{stage}.{name}", Group.RETRIEVAL, f"{stage} {name}", _ABOUT[name]) for stage in Stage for name in MEASURES
)

ANSWER = (
    Metric(
        "answer.exact_sentence", Group.ANSWER, "exact sentence quoted",
        "share of the expected facts that the answer quotes word by word; no answer quotes none",
    ),
    Metric(
        "answer.token_f1", Group.ANSWER, "token F1",
        "overlap of words with the reference answer or the expected sentences, whichever is nearer; no answer is 0",
    ),
    Metric(
        "answer.relevance", Group.ANSWER, "cosine of question and answer",
        "by the embedder that searches, of the answers given: nearness of topic, not correctness",
        guards=False,
    ),
    Metric(
        "answer.citation_precision", Group.ANSWER, "citation precision",
        "share of an answer's citations that are from the document and section of an expected fact",
    ),
    Metric(
        "answer.citation_recall", Group.ANSWER, "citation recall",
        "share of the expected facts whose document and section the answer cites; no answer cites none",
    ),
    Metric(
        "answer.needless_citations", Group.ANSWER, "needless citations",
        "citations of an answer that belong to claims without an expected fact",
        higher_is_better=False,
    ),
    Metric(
        "answer.forbidden", Group.ANSWER, "forbidden shown",
        "share of all questions that name a document or say words that they must not",
        higher_is_better=False, strict=True,
    ),
    Metric(
        "answer.faithfulness", Group.ANSWER, "faithfulness (judge)",
        "share of the claims that Claude finds supported by the passages read",
    ),
)  # fmt: skip

FALSE_REFUSALS = Metric(
    "abstention.false_refusals", Group.ABSTENTION, "refused, should answer",
    "share of the answerable questions without an answer", higher_is_better=False,
)  # fmt: skip
FALSE_ANSWERS = Metric(
    "abstention.false_answers", Group.ABSTENTION, "answered, should refuse",
    "share of the unanswerable questions with an answer", higher_is_better=False,
)  # fmt: skip
WRONG_ANSWERS = Metric(
    "abstention.wrong_answers", Group.ABSTENTION, "wrong among answered",
    "share of the answers that lack an expected fact or should not be", higher_is_better=False,
)  # fmt: skip
AURC = Metric(
    "abstention.aurc", Group.ABSTENTION, "AURC",
    "area under risk–coverage: mean share of wrong over all thresholds", higher_is_better=False,
)  # fmt: skip
ECE = Metric(
    "abstention.ece", Group.ABSTENTION, "calibration error",
    "expected gap between confidence and the share that is right, ten bins", higher_is_better=False,
)  # fmt: skip

METRICS: Mapping[str, Metric] = {
    m.name: m for m in (*RETRIEVAL, *ANSWER, FALSE_REFUSALS, FALSE_ANSWERS, WRONG_ANSWERS, AURC, ECE)
}


def values(outcomes: Sequence[Outcome]) -> dict[str, ByQuestion]:
    """Every metric that is a mean over questions; one that says nothing of any question is left out."""
    answerable = [o for o in outcomes if not o.question.unanswerable]
    given = [o for o in answerable if o.answered]
    found = {
        **retrieval_values(answerable),
        "answer.exact_sentence": _each(answerable, lambda o: _share([f.quoted for f in o.facts])),
        "answer.token_f1": _each(answerable, token_f1),
        "answer.relevance": {o.question.id: o.relevance for o in given if o.relevance is not None},
        "answer.citation_precision": _each(given, lambda o: _share([c.expected_place for c in _citations(o)])),
        "answer.citation_recall": _each(answerable, lambda o: _share([f.cited for f in o.facts])),
        "answer.needless_citations": _each(given, _needless),
        "answer.forbidden": _each(outcomes, lambda o: float(bool(o.forbidden))),
        "answer.faithfulness": {o.question.id: o.faithfulness.share for o in outcomes if o.faithfulness is not None},
        FALSE_REFUSALS.name: _each(answerable, lambda o: float(not o.answered)),
        FALSE_ANSWERS.name: _each([o for o in outcomes if o.question.unanswerable], lambda o: float(o.answered)),
        WRONG_ANSWERS.name: _each([o for o in outcomes if o.answered], _wrong),
    }
    return {name: by_question for name, by_question in found.items() if by_question}


def retrieval_values(answerable: Sequence[Outcome]) -> dict[str, ByQuestion]:
    """The metrics of each stage, by trec_eval. Each expected fact is looked for by itself; a question has their mean.

    So a passage that holds both halves of a compound question counts for both, and a second passage that says the same
    does not count as one that was missed.
    """
    found: dict[str, ByQuestion] = {}
    topics = [(o, f, str(number)) for number, (o, f) in enumerate((o, f) for o in answerable for f in o.facts)]
    qrels = [Qrel(topic, "fact", 1) for _, _, topic in topics]
    names = {measure: name for name, measure in MEASURES.items()}
    for stage in Stage:
        run = [doc for _, fact, topic in topics for doc in _ranked(topic, fact.ranks.get(stage))]
        by_topic: dict[str, dict[str, float]] = {name: {} for name in MEASURES}
        for metric in ir_measures.iter_calc(list(MEASURES.values()), qrels, run):
            by_topic[names[metric.measure]][metric.query_id] = float(metric.value)
        for name in MEASURES:
            facts: dict[str, list[float]] = {}
            for outcome, _, topic in topics:
                facts.setdefault(outcome.question.id, []).append(by_topic[name].get(topic, 0.0))
            found[f"{stage}.{name}"] = {question: sum(each) / len(each) for question, each in facts.items()}
    return found


def _ranked(topic: str, rank: int | None) -> list[ScoredDoc]:
    """The first ranks of one topic, with distinct scores: trec_eval orders by them, and ties by name."""
    return [ScoredDoc(topic, "fact" if place == rank else f"p{place}", -float(place)) for place in range(1, DEPTH + 1)]


def token_f1(outcome: Outcome) -> float:
    """Harmonic mean of precision and recall of words, counted with repetition (Rajpurkar et al., EMNLP 2016)."""
    answer = terms(said(outcome), PLAIN)
    question = outcome.question
    expected = "\n".join(" ".join(fact.row) if fact.row else fact.quote for fact in question.expected)
    references = [terms(text, PLAIN) for text in (question.answer, expected)]
    return max((_f1(answer, reference) for reference in references if reference), default=0.0)


def _f1(answer: Sequence[str], reference: Sequence[str]) -> float:
    shared = (Counter(answer) & Counter(reference)).total()
    return 2 * shared / (len(answer) + len(reference)) if shared else 0.0


def _needless(outcome: Outcome) -> float:
    return float(sum(len(claim.citations) for claim in outcome.claims if not claim.holds_fact))


def _wrong(outcome: Outcome) -> float:
    return float(outcome.question.unanswerable or not all(fact.quoted for fact in outcome.facts))


def _citations(outcome: Outcome) -> list[SaidCitation]:
    return [citation for claim in outcome.claims for citation in claim.citations]


def _each(outcomes: Sequence[Outcome], value: Callable[[Outcome], float]) -> dict[str, float]:
    return {outcome.question.id: value(outcome) for outcome in outcomes}


def _share(values: Sequence[bool]) -> float:
    return sum(values) / len(values) if values else 0.0
