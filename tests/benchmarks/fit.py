"""Fit `core/retrieval/calibration.json` anew: `python -m tests.benchmarks.fit`.

Fitted on all of XQuAD, since what is reported is cross-validated: each figure of `bench_search` comes from weights that
had no part of the article it is about. FULL=1 asks every question; otherwise a fixed part of them.
"""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path

import core.retrieval.calibration as shipped
from core.embedding.factory import load_embedder
from core.embedding.language_means import load_language_means
from core.retrieval.calibration import Calibration
from core.retrieval.search import Searcher
from core.settings import EmbedderKind, Mode
from tests.benchmarks.bench_search import FULL, MODEL_DIR, STRIDES
from tests.benchmarks.collection import RememberingSpace, RememberingWords, build
from tests.benchmarks.company import CompanySeen
from tests.benchmarks.company import run as ask_company
from tests.benchmarks.crossval import COMPANY, cross_validate, fit
from tests.benchmarks.datasets import xquad
from tests.benchmarks.fitting import as_fitted
from tests.benchmarks.xquad import LANGUAGES, XQuad, run

SAME = ("en", "es")
MOST_WRONG = {Mode.STRICT: 0.03, Mode.BALANCED: 0.05, Mode.OPEN: 0.10}
"""Greatest share of wrong answers among the answered, on the set's own mix: see `thresholds`."""
MIX = {"pairs": 0.6, "hard": 0.2, "easy": 0.2}
"""Of the questions that the bot is asked, about so many have an answer, have none near by, have none at all. The
project's own set has 40 of 60 with an answer."""


def main() -> None:
    """Ask, fit, write."""
    embedder = load_embedder(EmbedderKind.PACKAGED, MODEL_DIR)
    means = load_language_means(embedder, MODEL_DIR)
    sets = {language: xquad(language) for language in LANGUAGES}
    collection = build(list(sets.values()), embedder, means)
    searcher = Searcher(RememberingSpace(embedder, means), words=RememberingWords(embedder, means))
    seen = run(sets, collection, searcher, STRIDES)
    collection.close()
    company = ask_company(embedder, means, searcher)
    path = Path(shipped.__file__).with_name("calibration.json")
    path.write_text(calibrated(seen, company).model_dump_json(indent=1, exclude_defaults=True) + "\n")
    print(json.dumps({"written": str(path)}))


def calibrated(seen: XQuad, company: CompanySeen) -> Calibration:
    """What to ship."""
    fitted = {}
    for words in (True, False):
        models = fit(seen, company, lambda _: True, words=words)
        fitted[words] = as_fitted(models.ranking, models.same, models.across)
    return Calibration(
        provenance=(
            "Data: XQuAD (commit 7d30520c), en and es, all 48 articles; "
            + ("every question" if FULL else f"every {STRIDES.pairs}nd/{STRIDES.removed}th question"),
            f"For confidence, {COMPANY} of that weight: short questions of our own over two handbooks and an office "
            "(company_questions.json, office_questions.json)",
            "Model: multilingual-e5-small-int8-1, sentences read apart, language means of the shipped samples",
            "Command: python -m tests.benchmarks.fit; cross-validated figures: docs/benchmarks.md",
            "Thresholds: least that keeps wrong among answered under "
            f"{ {mode.value: limit for mode, limit in MOST_WRONG.items()} } for a mix of {MIX}",
            f"Date: {dt.date.today().isoformat()}",
        ),
        with_words=fitted[True],
        without_words=fitted[False],
        thresholds=thresholds(seen, company),
    )


def thresholds(seen: XQuad, company: CompanySeen) -> dict[Mode, float]:
    """The least threshold whose cross-validated share of wrong answers stays under each mode's limit.

    Wrong is an answer to a question whose answer is not there. Same-language questions decide; across, the logit of its
    own keeps probabilities comparable.
    """
    outcome = cross_validate(seen, company, words=True)
    chosen = {}
    for mode, limit in MOST_WRONG.items():
        for threshold in (n / 100 for n in range(5, 96)):
            share = {kind: part * outcome.answered(kind, SAME, threshold) for kind, part in MIX.items()}
            if (share["hard"] + share["easy"]) / sum(share.values()) <= limit:
                chosen[mode] = threshold
                break
        else:
            chosen[mode] = 0.95
    return chosen


if __name__ == "__main__":
    main()
