"""Reading exports: what is kept of their text, how fast they come in, how little a change costs, and what kills leave.

`make bench NAME=sync`, some eight minutes on two idle cores; `FULL=1` for all of it. Data from `TESTIGO_DATA` (default
`../shared/data`), the model from `TESTIGO_MODEL_DIR`. The last line is one JSON object.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from core.embedding.factory import load_embedder
from core.embedding.language_means import load_language_means
from core.settings import EmbedderKind
from tests.benchmarks import ingest, peers, scale
from tests.benchmarks.peers import HAIKU, LLAMA
from tests.benchmarks.text_kept import measure_export
from tests.crashing import kill_often

FULL = bool(os.environ.get("FULL"))
ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("TESTIGO_DATA") or ROOT.parent / "shared" / "data")
MODEL_DIR = Path(os.environ.get("TESTIGO_MODEL_DIR") or ROOT / ".testigo")
EXPORT = DATA / "confluence_html" / "space_export"
SIDE_BY_SIDE = 200 if FULL else 24
"""Pages that the peers read, too; haiku.rag needs about a second for each."""
EDITED_DOCUMENTS = 1000
REINGESTS = 10_000 if FULL else 1000
KILLS = 500 if FULL else 50

console = Console(width=120)


def main() -> None:
    """Measure everything, and print it."""
    figures: dict[str, object] = {"full": FULL, "load_before": round(os.getloadavg()[0], 1)}
    parts: tuple[Callable[[], dict[str, object]], ...] = (
        _text_kept,
        _without_embedder,
        _with_embedder,
        _edited,
        _commits,
        _reingests,
        _kills,
    )
    for part in parts:
        begun = time.perf_counter()
        figures |= part()
        _say(f"{part.__name__.strip('_').replace('_', ' ')} took {time.perf_counter() - begun:.0f} s")
    figures["load_after"] = round(os.getloadavg()[0], 1)
    sys.stdout.flush()
    print(json.dumps(figures))


def _text_kept() -> dict[str, object]:
    pages = measure_export(EXPORT)
    worst = sorted(pages, key=lambda page: page.kept)[:5]
    table = Table("page", "words", "kept", "missing", title="visible words that are in the canonical text")
    for page in worst:
        table.add_row(page.name, str(page.words), f"{page.kept:.4f}", " ".join(page.missing[:6]))
    console.print(table)
    return {
        "html_pages": len(pages),
        "html_pages_without_text": sum(page.words == 0 for page in pages),
        "text_kept_min": round(min(page.kept for page in pages), 4),
        "text_kept_mean": round(sum(page.kept for page in pages) / len(pages), 4),
        "macro_garbage": sum(page.garbage for page in pages),
    }


def _without_embedder() -> dict[str, object]:
    ours = ingest.read_twice(EXPORT, ingest.FreeVectors())
    # haiku.rag takes a second a page, so it reads a part of them; a rate does not depend on how many.
    others = {
        HAIKU: peers.ingest(HAIKU, EXPORT, _tokenizer(), SIDE_BY_SIDE, ""),
        LLAMA: peers.ingest(LLAMA, EXPORT, _tokenizer(), 0, ""),
    }
    table = Table("without the embedder", "documents", "chunks", "seconds", "documents/s", "peak MiB")
    table.add_row("ours", *_row(ours.documents, ours.chunks, ours.seconds, ours.peak_mib))
    for name, theirs in others.items():
        if theirs:
            table.add_row(name, *_row(theirs["documents"], theirs["chunks"], theirs["seconds"], theirs["peak_mib"]))
    console.print(table)
    return {
        "documents_per_second_without_embedder": round(ours.documents / ours.seconds, 1),
        "peer_documents_per_second_without_embedder": _rate(others[HAIKU], "documents"),
        "llamaindex_documents_per_second_without_embedder": _rate(others[LLAMA], "documents"),
    }


def _tokenizer() -> Path:
    return next(MODEL_DIR.glob("models/*/tokenizer.json"))


def _rate(measured: dict[str, Any], what: str) -> float | None:
    """So many a second, of a peer that ran."""
    return round(measured[what] / measured["seconds"], 2) if measured else None


def _with_embedder() -> dict[str, object]:
    embedder = load_embedder(EmbedderKind.PACKAGED, MODEL_DIR, progress=_say)
    means = load_language_means(embedder, MODEL_DIR, progress=_say)
    timed = ingest.TimedEmbedder(embedder)
    ours = ingest.read_twice(EXPORT, timed, means)
    some = ingest.read_twice(EXPORT, timed, means, SIDE_BY_SIDE)
    others: dict[str, tuple[dict[str, Any], float]] = {}
    with peers.loopback(timed) as address:
        for name in (HAIKU, LLAMA):
            before = timed.seconds
            theirs = peers.ingest(name, EXPORT, _tokenizer(), SIDE_BY_SIDE, address)
            others[name] = theirs, timed.seconds - before
    share = ours.outside / ours.seconds
    table = Table("with multilingual-e5-small", "documents", "chunks", "seconds", "chunks/s", "outside it", "peak MiB")
    for name, one in (("ours, the whole export", ours), (f"ours, {some.documents} documents", some)):
        rate = f"{one.chunks / one.seconds:.1f}"
        outside = f"{one.outside / one.seconds:.1%}"
        row = (str(one.documents), str(one.chunks), f"{one.seconds:.1f}", rate, outside)
        table.add_row(name, *row, f"{one.peak_mib:.0f}")
    for name, (theirs, embedding) in others.items():
        if theirs:
            rate = f"{theirs['chunks'] / theirs['seconds']:.1f}"
            outside = f"{1 - embedding / theirs['seconds']:.1%}"
            row = (str(theirs["documents"]), str(theirs["chunks"]), f"{theirs['seconds']:.1f}", rate, outside)
            table.add_row(name, *row, f"{theirs['peak_mib']:.0f}")
    console.print(table)
    console.print(f"Read again, nothing changed: {ours.again_seconds:.2f} s instead of {ours.seconds:.1f} s")
    return {
        "documents": ours.documents,
        "chunks": ours.chunks,
        "chunks_per_second": round(ours.chunks / ours.seconds, 1),
        "outside_embedder_share": round(share, 4),
        "noop_speedup": round(ours.seconds / ours.again_seconds, 1),
        "peer": HAIKU if others[HAIKU][0] else None,
        "peer_chunks_per_second": _rate(others[HAIKU][0], "chunks"),
        "peer_documents_per_second": _rate(others[HAIKU][0], "documents"),
        "llamaindex_chunks_per_second": _rate(others[LLAMA][0], "chunks"),
        "peak_mib": round(ours.peak_mib),
    }


def _edited() -> dict[str, object]:
    edited = ingest.edit_one_paragraph(EDITED_DOCUMENTS)
    table = Table("one edited paragraph in each", "chunks", "embedded", "ids kept")
    table.add_row(f"{edited.documents} documents", str(edited.chunks), str(edited.embedded), f"{edited.kept:.4f}")
    console.print(table)
    return {
        "chunk_ids_kept": round(edited.kept, 4),
        "chunks_embedded_per_edit": round(edited.embedded / edited.documents, 3),
    }


def _commits() -> dict[str, object]:
    table = Table("commit of one document, ms", "p50 chunks", "p50 with its version", "p90 with its version")
    figures: dict[str, object] = {}
    for rows, name in ((100_000, "100k"), (1_000_000, "1m")):
        if rows == 100_000 or FULL:
            scale.build(rows)
        times = ingest.commit_ms(rows)
        figures[f"commit_ms_{name}"] = None
        if times is not None:
            chunks, whole = np.array([t.chunks for t in times]), np.array([t.whole for t in times])
            figures[f"commit_ms_{name}"] = round(float(np.median(chunks)), 1)
            figures[f"commit_with_version_ms_{name}"] = round(float(np.median(whole)), 1)
            cells = (np.median(chunks), np.median(whole), np.percentile(whole, 90))
            table.add_row(f"{rows:,} chunks", *(f"{cell:.1f}" for cell in cells))
    console.print(table)
    return figures


def _reingests() -> dict[str, object]:
    worn = ingest.reingest(REINGESTS)
    table = Table("small re-ingests", "disk / fresh", "latency / fresh", "p50 ms", "slowest re-ingest ms")
    row = (f"{worn.disk_ratio:.2f}", f"{worn.latency_ratio:.2f}", f"{worn.p50_ms:.1f}")
    table.add_row(str(worn.reingests), *row, f"{worn.slowest_reingest_ms:.0f}")
    console.print(table)
    return {
        "reingests": worn.reingests,
        "disk_ratio": round(worn.disk_ratio, 2),
        "latency_ratio": round(worn.latency_ratio, 2),
    }


def _kills() -> dict[str, object]:
    torn, lost = 0, 0
    with tempfile.TemporaryDirectory(prefix="testigo-kills-") as folder:
        for damage in kill_often(Path(folder), KILLS, seed=int(time.time())):
            torn += len(damage.torn)
            lost += len(damage.lost)
    table = Table("kill -9 at random moments", "torn documents", "lost documents")
    table.add_row(str(KILLS), str(torn), str(lost))
    console.print(table)
    return {"kills": KILLS, "torn_documents": torn, "lost_documents": lost}


def _row(documents: int, chunks: int, seconds: float, peak_mib: float) -> tuple[str, ...]:
    return str(documents), str(chunks), f"{seconds:.1f}", f"{documents / seconds:.1f}", f"{peak_mib:.0f}"


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
