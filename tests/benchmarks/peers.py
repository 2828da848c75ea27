"""Other systems over the same files and the same vectors, each run by the Python of an environment of its own.

How to make the environments stands in `peer_haiku.py` and `peer_llamaindex.py`. What is not there is left out, with a
line that says so.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from core.embedding.base import PassageEmbedding, PassageInput, Vectors

HAIKU = "haiku.rag"
LLAMA = "LlamaIndex's LanceDB store"
PYTHONS = {
    HAIKU: Path(os.environ.get("TESTIGO_HAIKU_PYTHON", "/tmp/haikupeer/bin/python")),
    LLAMA: Path(os.environ.get("TESTIGO_PEER_PYTHON", "/tmp/llamapeer/bin/python")),
}
PROGRAMS = {HAIKU: "peer_haiku.py", LLAMA: "peer_llamaindex.py"}


class Embeds(Protocol):
    """What a peer needs of an embedder."""

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """A vector a question."""
        ...

    def embed_passages(self, passages: Sequence[PassageInput]) -> list[PassageEmbedding]:
        """A vector a passage, among other things."""
        ...


def ingest(peer: str, export: Path, tokenizer: Path, most: int, address: str) -> dict[str, Any]:
    """What a peer makes of the first `most` pages of an export (0: all): documents, chunks, seconds, peak_mib.

    Empty where the peer's environment is not there, or where it fails. Without an address its vectors cost nothing.
    """
    with tempfile.TemporaryDirectory(prefix="testigo-peer-") as folder:
        database = f"{folder}/peer.lancedb"
        if peer == HAIKU:
            return _run(peer, ["ingest", str(export), database, str(tokenizer), str(most), address])
        return _run(peer, [str(export), database, str(most), address])


def search(paragraphs: Sequence[str], questions: Sequence[str], tokenizer: Path, address: str) -> list[list[int]]:
    """The paragraphs that haiku.rag's hybrid search finds for each question, best first; empty where it cannot run."""
    with tempfile.TemporaryDirectory(prefix="testigo-peer-") as folder:
        asked = Path(folder) / "questions.json"
        asked.write_text(json.dumps({"paragraphs": list(paragraphs), "questions": list(questions)}))
        found = _run(HAIKU, ["search", str(asked), f"{folder}/peer.lancedb", str(tokenizer), address])
    return [list(map(int, one)) for one in found.get("found", ())]


def _run(peer: str, arguments: Sequence[str]) -> dict[str, Any]:
    python = PYTHONS[peer]
    program = Path(__file__).with_name(PROGRAMS[peer])
    if not python.exists():
        _say(f"{python} is not there: {peer} is left out (see {program.name})")
        return {}
    done = subprocess.run([str(python), str(program), *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        _say(f"{peer} failed: {done.stderr.strip().splitlines()[-1:]}")
        return {}
    found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


@contextmanager
def loopback(embedder: Embeds) -> Iterator[str]:
    """An embedder behind an address: a JSON list of texts in, float32 out; of questions at `…/query`."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if self.path.endswith("/query"):
                vectors = embedder.embed_queries(texts)
            else:
                embedded = embedder.embed_passages([PassageInput("", text) for text in texts])
                vectors = np.stack([one.vector for one in embedded])
            body = vectors.astype(np.float32).tobytes()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)
