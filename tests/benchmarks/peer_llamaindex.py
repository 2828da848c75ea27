"""LlamaIndex's LanceDB store over the same files: run by the Python of an environment of its own.

    python -m venv /tmp/llamapeer && /tmp/llamapeer/bin/pip install llama-index-core \
        llama-index-vector-stores-lancedb pandas pylance
    /tmp/llamapeer/bin/python peer_llamaindex.py EXPORT DATABASE MOST EMBEDDER_ADDRESS

Reads the pages of an HTML export with LlamaIndex's own reader and splitter, and writes them. Without an address its
vectors cost nothing. Prints one JSON object.
"""

from __future__ import annotations

import array
import json
import re
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

DIMENSION = 384


def main(export: str, database: str, most: int, address: str) -> None:
    """Ingest and tell."""
    # Not among the project's own libraries.
    from llama_index.core import (  # type: ignore[import-not-found]  # the peer's environment has it
        SimpleDirectoryReader,
        StorageContext,
        VectorStoreIndex,
    )
    from llama_index.core.embeddings import BaseEmbedding  # type: ignore[import-not-found]  # as above
    from llama_index.vector_stores.lancedb import LanceDBVectorStore  # type: ignore[import-not-found]  # as above

    class Loopback(BaseEmbedding):  # type: ignore[misc]  # its base is not known here
        def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
            return embed(texts, address)

        def _get_text_embedding(self, text: str) -> list[float]:
            return embed([text], address)[0]

        def _get_query_embedding(self, query: str) -> list[float]:
            return embed([query], address)[0]

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return embed([query], address)[0]

    begun = time.perf_counter()
    reader = SimpleDirectoryReader(
        export, required_exts=[".html"], exclude=["index.html"], recursive=False, num_files_limit=most or None
    )
    documents = reader.load_data()
    store: Any = LanceDBVectorStore(uri=database, mode="overwrite")
    VectorStoreIndex.from_documents(
        documents, storage_context=StorageContext.from_defaults(vector_store=store), embed_model=Loopback()
    )
    seconds = time.perf_counter() - begun
    found = {
        "documents": len(documents),
        "chunks": store._table.count_rows(),
        "seconds": seconds,
        "peak_mib": peak_mib(),
    }
    print(json.dumps(found))


def peak_mib() -> float:
    """The most memory that this process had. (getrusage's figure is inherited from whoever started it.)"""
    found = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())
    return int(found[1]) / 1024 if found else 0.0


def embed(texts: list[str], address: str) -> list[list[float]]:
    """Vectors from the embedder behind an address, or for nothing."""
    if not address:
        return [[0.05] * DIMENSION for _ in texts]
    request = urllib.request.Request(address, json.dumps(texts).encode())  # loopback
    with urllib.request.urlopen(request) as answer:  # loopback
        numbers = array.array("f", answer.read())
    return [list(numbers[i : i + DIMENSION]) for i in range(0, len(numbers), DIMENSION)]


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4] if len(sys.argv) > 4 else "")
