"""The benchmark of the search: `python -m tests.benchmarks.bench_search`, or `make bench NAME=search`.

Without FULL=1 it asks a fixed part of the questions and leaves out a million chunks and haiku.rag, to fit into ten
minutes on two cores. Tables go to standard output, what is going on to standard error; the last line is one JSON
object.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.metrics import roc_auc_score  # type: ignore[import-untyped]  # it has no stubs

from core.embedding.base import Embedder
from core.embedding.factory import load_embedder
from core.embedding.language_means import LanguageMeans, load_language_means
from core.embedding.space import VectorSpace
from core.retrieval.calibration import calibration
from core.retrieval.interaction import LateInteraction
from core.retrieval.search import Searcher
from core.settings import EmbedderKind, Mode, Settings
from tests.benchmarks import peers, scale
from tests.benchmarks.answering import extract, ingest_speed
from tests.benchmarks.asking import Seen, ask, share
from tests.benchmarks.baselines import lancedb_hybrid, mcnemar
from tests.benchmarks.collection import (
    Collection,
    RememberingSpace,
    RememberingWords,
    build,
    document_id,
    rule_of,
)
from tests.benchmarks.company import CompanySeen
from tests.benchmarks.company import run as ask_company
from tests.benchmarks.crossval import Outcome, cross_validate, fit
from tests.benchmarks.datasets import Asked, QuestionSet, squad2, xquad
from tests.benchmarks.xquad import LANGUAGES, PAIRS, Strides, XQuad, run

FULL = os.environ.get("FULL", "") not in {"", "0"}
STRIDES = Strides() if FULL else Strides(pairs=2, removed=4, mixed=4)
EXTRACTED = 1 if FULL else 4
SQUAD_ARTICLES = 1 if FULL else 4
"""Every how many-th article of SQuAD 2.0 is read."""
SQUAD_QUESTIONS = 1 if FULL else 3
MODEL_DIR = Settings().model_dir
SAME = ("en", "es")
ACROSS = ("es_en", "en_es")


def main() -> None:
    """Run it all."""
    embedder = load_embedder(EmbedderKind.PACKAGED, MODEL_DIR)
    means = load_language_means(embedder, MODEL_DIR)
    figures: dict[str, object] = {"full": FULL}
    sets = {language: xquad(language) for language in LANGUAGES}
    _say("embedding XQuAD")
    collection = build(list(sets.values()), embedder, means)
    space = RememberingSpace(embedder, means)
    searcher = Searcher(space, words=RememberingWords(embedder, means))
    _say("asking XQuAD")
    seen = run(sets, collection, searcher, STRIDES)
    _say("asking short questions over two handbooks")
    company = ask_company(embedder, means, searcher)
    outcome = cross_validate(seen, company, words=True)
    without_words = cross_validate(seen, company, words=False)
    haiku = _haiku(seen, sets, embedder) if FULL else {}  # minutes a language
    figures |= _ranking(seen, outcome, without_words, sets, collection, space, haiku)
    figures |= _deciding(seen, outcome)
    figures |= _company(outcome)
    _say("extractive answers")
    figures |= _extracting(sets, collection, embedder, means)
    figures["stored_bytes_per_chunk"] = _stored(collection)
    collection.close()
    _say("SQuAD 2.0")
    figures |= _squad2(seen, company, sets, embedder, means)
    _say("ingest")
    with tempfile.TemporaryDirectory() as folder:
        whole, bare = ingest_speed(folder, VectorSpace(embedder, means), LateInteraction(embedder, means), sets["en"])
    figures |= {"ingest_chunks_per_second": whole, "embedder_chunks_per_second": bare}
    _say("100,000 chunks" + (" and 1,000,000" if FULL else ""))
    figures |= _scaling()
    sys.stdout.flush()
    print(json.dumps(figures))


def _ranking(
    seen: XQuad,
    with_words: Outcome,
    without: Outcome,
    sets: dict[str, QuestionSet],
    collection: Collection,
    space: VectorSpace,
    haiku: dict[str, list[bool]],
) -> dict[str, object]:
    table = Table(
        "XQuAD", "questions", "BM25", "dense", "RRF", "LanceDB hybrid", "haiku.rag", "no words", "R@1", "R@5",
        "p against best",
    )  # fmt: skip
    pairs: dict[str, dict[str, float | None]] = {}
    for name, (asking, answering) in PAIRS.items():
        found = seen.pairs[name]
        asked = [sets[asking].questions[one.question] for one in found]
        lance = lancedb_hybrid(collection, space, asked, asking, answering)
        rivals = {
            "bm25": [one.bm25 for one in found], "dense": [one.dense for one in found], "lance": lance,
        } | ({"haiku": haiku[name]} if name in haiku else {})  # fmt: skip
        ours = [judged.rank == 0 for judged in with_words.scenarios["pairs"][name]]
        chance = max(mcnemar(ours, theirs) for theirs in rivals.values())
        pairs[name] = {
            "recall_at_5": with_words.recall("pairs", name, 5),
            "r_at_1_fused": share([one.fused for one in found]),
            "r_at_1_reranked": with_words.recall("pairs", name, 1),
            "r_at_1_reranked_without_words": without.recall("pairs", name, 1),
            "bm25_r_at_1": share(rivals["bm25"]),
            "dense_r_at_1": share(rivals["dense"]),
            "lancedb_hybrid_r_at_1": share(lance),
            "haiku_rag_r_at_1": share(haiku[name]) if name in haiku else None,
            "p_against_best_rival": round(chance, 6),
        }
        row = pairs[name]
        table.add_row(
            name, str(len(found)), *("–" if row[key] is None else f"{row[key]:.4f}" for key in (
                "bm25_r_at_1", "dense_r_at_1", "r_at_1_fused", "lancedb_hybrid_r_at_1", "haiku_rag_r_at_1",
                "r_at_1_reranked_without_words", "r_at_1_reranked", "recall_at_5",
            )), f"{chance:.2g}",
        )  # fmt: skip
    _show(table)
    mixed = {
        f"mixed_index_{short}_r_at_1": _mean([with_words.recall(scenario, language, 1) for language in LANGUAGES])
        for short, scenario in (("either", "either"), ("other_language", "other"), ("half", "half"))
    }
    table = Table("both languages in one index", "asked in en", "asked in es", "without words en", "es")
    for scenario in ("either", "other", "half"):
        table.add_row(scenario, *(f"{o.recall(scenario, n, 1):.4f}" for o in (with_words, without) for n in LANGUAGES))
    _show(table)
    return {"xquad": pairs, **mixed}


def _haiku(seen: XQuad, sets: dict[str, QuestionSet], embedder: Embedder) -> dict[str, list[bool]]:
    """Whether haiku.rag's hybrid search brings the right paragraph first, by pair; empty where it cannot run.

    It has the model's vectors as they are, and each paragraph as a document of its own.
    """
    _say("haiku.rag over XQuAD")
    tokenizer = next(MODEL_DIR.glob("models/*/tokenizer.json"))
    right: dict[str, list[bool]] = {}
    with peers.loopback(embedder) as address:
        for language, questions in sets.items():
            pairs = {name: asking for name, (asking, answering) in PAIRS.items() if answering == language}
            asked = [
                (name, sets[asking].questions[one.question])
                for name, asking in pairs.items()
                for one in seen.pairs[name]
            ]
            paragraphs = [paragraph.text for paragraph in questions.paragraphs]
            found = peers.search(paragraphs, [question.text for _, question in asked], tokenizer, address)
            for (name, question), documents in zip(asked, found, strict=False):
                right.setdefault(name, []).append(documents[:1] == [question.paragraph])
    return right


def _deciding(seen: XQuad, outcome: Outcome) -> dict[str, object]:
    table = Table(
        "when not to answer", "AUROC hard", "easy", "dense alone, hard", "refused", "hard answered", "easy answered"
    )
    threshold = calibration().thresholds[Mode.BALANCED]
    hard = {name: outcome.auroc("hard", name) for name in PAIRS}
    easy = {name: outcome.auroc("easy", name) for name in PAIRS}
    for name in PAIRS:
        table.add_row(
            name, f"{hard[name]:.4f}", f"{easy[name]:.4f}", f"{_dense_auroc(seen.pairs[name], seen.hard[name]):.4f}",
            f"{1 - outcome.answered('pairs', [name], threshold):.4f}",
            f"{outcome.answered('hard', [name], threshold):.4f}", f"{outcome.answered('easy', [name], threshold):.4f}",
        )  # fmt: skip
    _show(table)
    _show(_modes(outcome))
    return {
        "abstention_auroc_hard": hard,
        "abstention_auroc_easy": easy,
        "abstention_false_answer_hard": outcome.answered("hard", SAME, threshold),
        "abstention_false_answer_easy": outcome.answered("easy", SAME, threshold),
        "abstention_false_abstain": round(1 - outcome.answered("pairs", SAME, threshold), 4),
        "abstention_false_answer_hard_across": outcome.answered("hard", ACROSS, threshold),
        "abstention_false_abstain_across": round(1 - outcome.answered("pairs", ACROSS, threshold), 4),
    }


def _company(outcome: Outcome) -> dict[str, object]:
    table = Table(
        "short questions", "R@1", "R@5", "refused", "near: AUROC", "answered", "gone: AUROC", "answered",
        "absent: AUROC", "answered",
    )  # fmt: skip
    threshold = calibration().thresholds[Mode.BALANCED]
    figures = {}
    for language in LANGUAGES:
        answered = outcome.answered("company_answerable", [language], threshold)
        refused = {name: f"company_{name}" for name in ("near", "gone", "absent")}
        figures[language] = {
            "r_at_1": outcome.recall("company_answerable", language, 1),
            "recall_at_5": outcome.recall("company_answerable", language, 5),
            "false_abstain": round(1 - answered, 4),
            **{f"{n}_auroc": outcome.auroc(kind, language, "company_answerable") for n, kind in refused.items()},
            **{f"{n}_false_answer": outcome.answered(kind, [language], threshold) for n, kind in refused.items()},
        }
        row = figures[language]
        cells = [f"{row[key]:.4f}" for key in ("r_at_1", "recall_at_5", "false_abstain")]
        for name in refused:
            cells += [f"{row[f'{name}_auroc']:.4f}", f"{row[f'{name}_false_answer']:.4f}"]
        table.add_row(f"in {language}, over English pages", *cells)
    _show(table)
    return {"short_questions": figures}


def _modes(outcome: Outcome) -> Table:
    table = Table(
        "mode", "threshold", "refused same", "across", "hard answered same", "across", "wrong among answered, same"
    )
    for mode, threshold in calibration().thresholds.items():
        answered = outcome.answered("pairs", SAME, threshold)
        hard, easy = (outcome.answered(kind, SAME, threshold) for kind in ("hard", "easy"))
        table.add_row(
            mode.value, f"{threshold:.2f}", f"{1 - answered:.4f}",
            f"{1 - outcome.answered('pairs', ACROSS, threshold):.4f}",
            f"{hard:.4f}", f"{outcome.answered('hard', ACROSS, threshold):.4f}",
            f"{(hard + easy) / (answered + hard + easy):.4f}",
        )  # fmt: skip
    return table


def _dense_auroc(yes: list[Seen], no: list[Seen]) -> float:
    scores = [float(one.features[:, 0].max()) for one in (*yes, *no)]
    return float(roc_auc_score([1] * len(yes) + [0] * len(no), scores))


def _extracting(
    sets: dict[str, QuestionSet], collection: Collection, embedder: Embedder, means: LanguageMeans
) -> dict[str, object]:
    searcher = Searcher(VectorSpace(embedder, means), words=LateInteraction(embedder, means))
    table = Table("extractive answers", "sentence first", "anywhere", "embed + search ms", "+ verified answer ms")
    results = []
    for number, language in enumerate(LANGUAGES):
        snapshot = collection.seen(rule_of(number, p) for p in range(len(sets[language].paragraphs)))
        questions = sets[language].questions[::EXTRACTED]
        result = extract(searcher, snapshot, questions, language, language)
        results.append(result)
        table.add_row(
            language,
            f"{result.first:.4f}",
            f"{result.anywhere:.4f}",
            f"{result.searched_p50}",
            f"{result.answered_p50}",
        )
    _show(table)
    return {
        "extractive_first": _mean([r.first for r in results]),
        "extractive_any": _mean([r.anywhere for r in results]),
        "answer_over_embed_and_search": _mean([r.answered_p50 / r.searched_p50 for r in results]),
    }


def _stored(collection: Collection) -> float:
    """Bytes that are stored for reranking alone, a chunk: sentence and word vectors."""
    sizes = [e.sentence_vectors.size + len(e.word_vectors or b"") for e in collection.vectors.values()]
    return round(float(np.mean(sizes)), 1)


def _squad2(
    seen: XQuad, company: CompanySeen, sets: dict[str, QuestionSet], embedder: Embedder, means: LanguageMeans
) -> dict[str, object]:
    """Judge SQuAD 2.0 by models fitted on the articles of XQuAD that it has not."""
    questions = squad2()
    shared = {n for n, title in enumerate(sets["en"].titles) if title in questions.titles}
    models = fit(seen, company, lambda one: one.article not in shared, words=True)
    read = set(range(0, len(questions.titles), SQUAD_ARTICLES))
    small = QuestionSet("en", questions.titles, tuple(p for p in questions.paragraphs if p.article in read), ())
    numbers = [n for n, p in enumerate(questions.paragraphs) if p.article in read]
    place = {number: index for index, number in enumerate(numbers)}
    asked = [q for q in questions.questions if q.article in read][::SQUAD_QUESTIONS]
    collection = build([small], embedder, means)
    everything = collection.seen(rule_of(0, p) for p in range(len(numbers)))
    searcher = Searcher(VectorSpace(embedder, means), words=LateInteraction(embedder, means))

    def right(question: Asked) -> set[str]:
        return {document_id("en", place[question.paragraph])}

    found = ask(searcher, enumerate(asked), "en", lambda *_: everything, right)
    collection.close()
    truth = [q.answerable for q in asked]
    ours = float(roc_auc_score(truth, [models.judge(one).logit for one in found]))
    dense = float(roc_auc_score(truth, [float(one.features[:, 0].max()) for one in found]))
    table = Table("SQuAD 2.0 dev", "questions", "AUROC", "dense alone")
    table.add_row(f"{len(read)} articles", str(len(asked)), f"{ours:.4f}", f"{dense:.4f}")
    _show(table)
    return {"squad2_auroc": round(ours, 4), "squad2_auroc_dense": round(dense, 4)}


def _scaling() -> dict[str, object]:
    small = scale.measure_apart(100_000)
    large = scale.measure_apart(1_000_000) if FULL else None
    table = Table(
        "chunks",
        "dense",
        "lexical",
        "hybrid p50",
        "p95",
        "+ rerank",
        "filtered p50",
        "p99",
        "few rows",
        "exact",
        "recall@10",
        "RSS GiB",
    )
    for one in filter(None, (small, large)):
        table.add_row(
            f"{one.rows:,}", *(f"{v:.1f}" for v in (
                one.dense_p50, one.lexical_p50, one.hybrid_p50, one.hybrid_p95, one.reranked_p50, one.filtered_p50,
                one.filtered_p99, one.few_rows_p50,
            )), f"{one.few_rows_exact:.3f}", f"{one.recall_at_10:.3f}", f"{one.rss_gib:.2f}",
        )  # fmt: skip
    _show(table)
    widest = large or small
    return {
        "hybrid_over_slower_half": round(widest.over_slower_half, 3),
        "p95_over_p50": round(widest.hybrid_p95 / widest.hybrid_p50, 3),
        "hybrid_p50_ms_100k": small.hybrid_p50,
        "hybrid_p50_ms_1m": large and large.hybrid_p50,
        "p50_growth_100k_1m": large and round(large.hybrid_p50 / small.hybrid_p50, 3),
        "filtered_p50_ms_1m": large and large.filtered_p50,
        "filtered_p99_ms_1m": large and large.filtered_p99,
        "few_rows_exact": widest.few_rows_exact,
        "rss_gib_1m": large and round(large.rss_gib, 3),
    }


def _mean(values: list[float]) -> float:
    return round(float(np.mean(values)), 4)


def _show(table: Table) -> None:
    Console(width=160).print(table)


def _say(what: str) -> None:
    print(f"... {what}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
