"""Cross-validation by article: what is reported on an article was fitted on the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.metrics import roc_auc_score  # type: ignore[import-untyped]  # it has no stubs

from tests.benchmarks.asking import Seen, best_of
from tests.benchmarks.company import CompanySeen
from tests.benchmarks.fitting import Kind, Ranking, bests, fit_confidence, fit_ranking, logit
from tests.benchmarks.xquad import XQuad

FOLDS = 5
COMPANY = 1.0
"""What the short questions count against XQuAD's: they are few, and more like what people ask."""
Fold = Callable[[Seen], bool]


@dataclass(frozen=True, slots=True)
class Judged:
    """One question's outcome under weights that its article had no part in."""

    rank: int
    logit: float


@dataclass(slots=True)
class Outcome:
    """Outcomes by scenario and by pair or language, in the order of the questions."""

    scenarios: dict[str, dict[str, list[Judged]]]

    def recall(self, scenario: str, name: str, k: int) -> float:
        """Share of questions with a right document among the first k."""
        return round(float(np.mean([j.rank < k for j in self.scenarios[scenario][name]])), 4)

    def auroc(self, against: str, name: str, answerable: str = "pairs") -> float:
        """How well confidence tells answerable questions of a pair from those of another scenario."""
        yes = [j.logit for j in self.scenarios[answerable][name]]
        no = [j.logit for j in self.scenarios[against][name]]
        return round(float(roc_auc_score([1] * len(yes) + [0] * len(no), yes + no)), 4)

    def answered(self, scenario: str, names: Sequence[str], threshold: float) -> float:
        """Share of questions whose confidence (0–1) reaches the threshold."""
        least = float(np.log(threshold / (1 - threshold)))
        return round(float(np.mean([j.logit >= least for n in names for j in self.scenarios[scenario][n]])), 4)


def scenarios_of(seen: XQuad, company: CompanySeen) -> dict[str, dict[str, list[Seen]]]:
    """All scenarios by name."""
    names = ("pairs", "hard", "easy", "either", "other", "half")
    of_company = {f"company_{name}": getattr(company, name) for name in ("answerable", "near", "gone", "absent")}
    return {name: getattr(seen, name) for name in names} | of_company


def cross_validate(seen: XQuad, company: CompanySeen, *, words: bool) -> Outcome:
    """Fit on four fifths of the articles and pages, judge the fifth, five times."""
    scenarios = scenarios_of(seen, company)
    judged: dict[str, dict[str, dict[int, Judged]]] = {s: {n: {} for n in by} for s, by in scenarios.items()}
    for fold in range(FOLDS):
        models = fit(seen, company, lambda one, fold=fold: one.article % FOLDS != fold, words=words)  # type: ignore[misc]
        for scenario, by_name in scenarios.items():
            for name, questions in by_name.items():
                held_out = (one for one in questions if one.article % FOLDS == fold)
                judged[scenario][name] |= {one.question: models.judge(one) for one in held_out}
    return Outcome({s: {n: [j for _, j in sorted(q.items())] for n, q in by.items()} for s, by in judged.items()})


@dataclass(frozen=True, slots=True, eq=False)
class Models:
    """A ranking and the two logits."""

    ranking: Ranking
    same: dict[str, float]
    across: dict[str, float]

    def judge(self, seen: Seen) -> Judged:
        """Rank and weigh one question's candidates."""
        best = best_of(seen, self.ranking.totals(seen))
        return Judged(best.rank, logit(self.same if best.same else self.across, best))


def fit(seen: XQuad, company: CompanySeen, of: Fold, *, words: bool) -> Models:
    """Fit on the questions that belong: the ranking on XQuAD, confidence on both sets."""
    ranking = fit_ranking([[one for one in scenario if of(one)] for scenario in seen.lists()], words=words)

    def kind(by_name: dict[str, list[Seen]], weight: float, *, answerable: bool = False) -> Kind:
        kept = (one for questions in by_name.values() for one in questions if of(one))
        return Kind(answerable, bests(list(kept), ranking), weight)

    kinds = [
        kind(seen.pairs, 1.0, answerable=True),
        kind(seen.hard, 1.0),
        kind(seen.easy, 1.0),
        kind(company.answerable, COMPANY, answerable=True),
        *(kind(refused, 2 * COMPANY / 3) for refused in (company.near, company.gone, company.absent)),
    ]
    same, across = (fit_confidence(kinds, words=words, same=same) for same in (True, False))
    return Models(ranking, same, across)
