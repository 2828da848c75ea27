"""haiku.rag over the same files or paragraphs: run by the Python of an environment of its own, 3.12 or newer.

    python3.12 -m venv /tmp/haikupeer && /tmp/haikupeer/bin/pip install 'haiku.rag-slim[docling]==0.101.1'
    /tmp/haikupeer/bin/python peer_haiku.py ingest EXPORT DATABASE TOKENIZER MOST EMBEDDER_ADDRESS
    /tmp/haikupeer/bin/python peer_haiku.py search QUESTIONS.json DATABASE TOKENIZER EMBEDDER_ADDRESS

`TOKENIZER` is a `tokenizer.json`: its own would come from a hub. Without an address its vectors cost nothing. `search`
reads `{"paragraphs": […], "questions": […]}` and tells which paragraphs each question found. Prints one JSON object.
"""

from __future__ import annotations

import array
import asyncio
import functools
import itertools
import json
import re
import shutil
import sys
import tempfile
import time
import urllib.request
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

DIMENSION = 384
FOUND = 5


class Loopback:
    """Makes haiku.rag's embedders: the vectors of whoever listens at an address."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._serial = itertools.count()

    def __call__(self, config: Any = None) -> Any:
        """Stands for `haiku.rag.embeddings.get_embedder`."""
        # Not among the project's own libraries.
        from haiku.rag.embeddings import EmbedderWrapper  # type: ignore[import-not-found]  # the peer's environment

        outer = self

        class Embedder(EmbedderWrapper):  # type: ignore[misc]  # its base is not known here
            async def _embed_query(self, text: str) -> list[float]:
                return (await asyncio.to_thread(outer.embed, [text], "query"))[0]

            async def _embed_documents(self, texts: list[str]) -> list[list[float]]:
                return await asyncio.to_thread(outer.embed, texts, "passage")

        return Embedder(None, DIMENSION)

    def embed(self, texts: list[str], kind: str) -> list[list[float]]:
        """Vectors, those of `kind` "query" or "passage"."""
        if not self._address:
            return [[0.05 + next(self._serial) % 97 / 1e4] * DIMENSION for _ in texts]
        request = urllib.request.Request(f"{self._address}/{kind}", json.dumps(texts).encode())  # loopback
        with urllib.request.urlopen(request) as answer:  # loopback
            numbers = array.array("f", answer.read())
        return [list(numbers[i : i + DIMENSION]) for i in range(0, len(numbers), DIMENSION)]


def pages_of(export: str, most: int) -> list[Path]:
    """The first pages of an HTML export; with 0 all."""
    return sorted(path for path in Path(export).glob("*.html") if path.name != "index.html")[: most or None]


async def ingest(client: Any, pages: list[Path]) -> dict[str, Any]:
    """Read pages by haiku.rag's own converter and chunker."""
    await client.create_document("Warm.", uri="warm", format="html")  # what is loaded once is not held against it
    before = await client.store.chunks_table.count_rows()
    begun = time.perf_counter()
    for page in pages:
        await client.create_document_from_source(page)
    seconds = time.perf_counter() - begun
    chunks = await client.store.chunks_table.count_rows() - before
    return {"documents": len(pages), "chunks": chunks, "seconds": seconds}


async def search(client: Any, asked: dict[str, list[str]]) -> dict[str, Any]:
    """Write each paragraph as a document, and ask."""
    for number, paragraph in enumerate(asked["paragraphs"]):
        await client.create_document(paragraph, uri=f"p:{number}", format="md")
    found = []
    for question in asked["questions"]:
        results = await client.search(question, limit=FOUND, search_type="hybrid")
        found.append([int(str(result.document_uri).removeprefix("p:")) for result in results])
    return {"found": found}


async def run(
    database: str, config: dict[str, Any], address: str, task: Callable[[Any], Awaitable[dict[str, Any]]]
) -> dict[str, Any]:
    """Open a new database with our vectors, and do the task."""
    import haiku.rag.client.client as client_module  # type: ignore[import-not-found]  # as above
    import haiku.rag.store.engine as engine_module  # type: ignore[import-not-found]  # as above
    from haiku.rag.config import AppConfig  # type: ignore[import-not-found]  # as above

    client_module.get_embedder = engine_module.get_embedder = Loopback(address)
    whole = AppConfig.model_validate(config)
    async with client_module.HaikuRAG(Path(database), config=whole, create=True) as client:
        return await task(client)


def main(task: str, what: str, database: str, tokenizer: str, *rest: str) -> dict[str, Any]:
    """Do one task, as the head of this file says."""
    work: Callable[[Any], Awaitable[dict[str, Any]]]
    if task == "ingest":
        pages = pages_of(what, int(rest[0]))
        work = functools.partial(ingest, pages=pages)
    else:
        work = functools.partial(search, asked=json.loads(Path(what).read_text()))
    with tempfile.TemporaryDirectory(prefix="testigo-tokenizer-") as folder:
        shutil.copy(tokenizer, f"{folder}/tokenizer.json")
        about = {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": 512}
        Path(folder, "tokenizer_config.json").write_text(json.dumps(about))
        config = {
            "embeddings": {"model": {"provider": "openai", "name": "loopback", "vector_dim": DIMENSION}},
            "processing": {"chunking_tokenizer": folder, "pictures": "none"},
        }
        return asyncio.run(run(database, config, rest[-1] if rest else "", work))


def peak_mib() -> float:
    """The most memory that this process had. (getrusage's figure is inherited from whoever started it.)"""
    found = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())
    return int(found[1]) / 1024 if found else 0.0


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:]) | {"peak_mib": peak_mib()}))
