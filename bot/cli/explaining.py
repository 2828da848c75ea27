"""What each stage did with a question, for `--explain`. Shows only what the asker may see anyway."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from bot.rendering.escape import one_line
from core.domain.evidence import Answer
from core.retrieval.search import Retrieval

SHOWN = 12


def draw_retrieval(retrieval: Retrieval, answer: Answer) -> RenderableType:
    """Candidates with their scores, what was kept and dropped, the decision, and the time that each stage took."""
    kept = {p.chunk_id for p in retrieval.kept}
    table = Table(title="Candidates", title_justify="left")
    for name in ("", "chunk", "lang", "dense #", "BM25 #", "dense", "sentence", "coverage", "total"):
        table.add_column(name, justify="left" if name in {"", "chunk", "lang"} else "right")
    for passage in retrieval.candidates[:SHOWN]:
        s = passage.scores
        table.add_row(
            "✓" if passage.chunk_id in kept else "",
            Text(one_line(passage.chunk_id)),
            passage.language,
            str(s.dense_rank or "–"),
            str(s.lexical_rank or "–"),
            f"{s.dense:.3f}" if s.dense is not None else "–",
            f"{s.best_sentence:.3f}",
            f"{s.coverage:.2f}",
            f"{s.reranked:.3f}",
        )
    lines = [
        f"Searched: {one_line(retrieval.question)}",
        f"Language: {retrieval.language} · index version {retrieval.index_version} · "
        f"{retrieval.visible_rules} access rules visible · {len(retrieval.candidates)} candidates",
        f"Confidence: {retrieval.confidence:.2f} · generator: {answer.generator or 'not called'} · "
        f"claims {len(answer.claims)}, dropped {answer.dropped_claims}",
        "Time (ms): " + ", ".join(f"{name} {value:g}" for name, value in retrieval.timings.items()),
    ]
    dropped = [f"  dropped {one_line(d.chunk_id)}: {d.why}" for d in retrieval.dropped[:SHOWN]]
    return Group(
        Text(""), *(Text(line, style="dim") for line in lines), table, *(Text(d, style="dim") for d in dropped)
    )
