"""E5 by ONNX Runtime and `tokenizers` alone: the packaged model as it is served."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from core.embedding.base import PassageEmbedding, PassageInput, TokenVectors, Vectors
from core.embedding.bert_graph import ATTENTION_MASK, INPUT_IDS, TOKEN_STATES
from core.embedding.late_pooling import TokenStates
from core.embedding.passage_reader import PassageReader, SentencePooling
from core.errors import ModelError

QUERY_PREFIX = "query: "
PASSAGE_PREFIX = "passage: "
WINDOW = 512
"""Tokens the model can read at once, special tokens included."""
BATCH_TOKENS = 2048
"""Tokens of one batch, padding included: on two cores 1,600 gave 56 passages/s, 6,400 only 38 (out of the cache)."""


class OnnxE5:
    """multilingual-e5-small in int8; see `Embedder`."""

    def __init__(
        self,
        folder: Path,
        model_id: str,
        dimension: int,
        threads: int | None = None,
        sentences: SentencePooling = "apart",
    ) -> None:
        """Load the prepared model in `folder`; `threads` None takes every core this process may use."""
        self._model_id = model_id
        self._dimension = dimension
        self._tokenizer = _load_tokenizer(folder / "tokenizer.json")
        self._session = _load_session(folder / "model.onnx", threads)
        self._reader = PassageReader(
            self._read,
            self._offsets,
            passage_prefix=PASSAGE_PREFIX,
            window=WINDOW,
            dimension=dimension,
            model_id=model_id,
            sentences=sentences,
        )

    @property
    def model_id(self) -> str:
        """Which model, in which form."""
        return self._model_id

    @property
    def dimension(self) -> int:
        """Length of every vector."""
        return self._dimension

    @property
    def token_dimension(self) -> int:
        """Length of every token's vector."""
        return self._dimension

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Embed questions; (n, d). A question is cut after 512 tokens."""
        return self._reader.embed_texts([QUERY_PREFIX + text for text in texts])

    def embed_passages(self, passages: Sequence[PassageInput]) -> list[PassageEmbedding]:
        """Embed chunks with their sentences."""
        return self._reader.embed_passages(passages)

    def query_token_vectors(self, texts: Sequence[str]) -> list[TokenVectors]:
        """Embed the tokens of questions."""
        return self._reader.token_vectors([PassageInput("", text) for text in texts], QUERY_PREFIX)

    def passage_token_vectors(self, passages: Sequence[PassageInput]) -> list[TokenVectors]:
        """Embed the tokens of chunks."""
        return self._reader.token_vectors(passages, PASSAGE_PREFIX)

    def _offsets(self, texts: Sequence[str]) -> list[NDArray[np.int32]]:
        return [np.array(encoding.offsets, np.int32) for encoding in self._tokenizer.encode_batch(list(texts))]

    def _read(self, texts: Sequence[str]) -> Iterator[tuple[int, TokenStates]]:
        encodings = self._tokenizer.encode_batch(list(texts))
        ids = [_window_ids(encoding) for encoding in encodings]
        for batch in _batches([len(row) for row in ids]):
            states = self._run([ids[index] for index in batch])
            for index, row in zip(batch, states, strict=True):
                length = len(ids[index])
                own = row[:length]
                offsets = np.array(encodings[index].offsets, np.int32)[_kept(len(encodings[index]))]
                yield index, TokenStates(ids[index].astype(np.int32), offsets, own, own.mean(axis=0))

    def _run(self, rows: Sequence[NDArray[np.int64]]) -> Vectors:
        longest = max(len(row) for row in rows)
        ids = np.ones((len(rows), longest), np.int64)  # 1 is <pad>; the mask hides it
        mask = np.zeros((len(rows), longest), np.int64)
        for number, row in enumerate(rows):
            ids[number, : len(row)] = row
            mask[number, : len(row)] = 1
        try:
            (states,) = self._session.run([TOKEN_STATES], {INPUT_IDS: ids, ATTENTION_MASK: mask})
        except Exception as error:  # onnxruntime's errors share no base class of their own
            raise ModelError(f"The embedding model {self._model_id} failed while it ran: {error}") from error
        return np.asarray(states, np.float32)


def _kept(tokens: int) -> NDArray[np.int64]:
    """Return the positions that fit into the window, the closing token always among them."""
    positions = np.arange(tokens)
    return positions if tokens <= WINDOW else np.append(positions[: WINDOW - 1], tokens - 1)


def _window_ids(encoding: Encoding) -> NDArray[np.int64]:
    return np.array(encoding.ids, np.int64)[_kept(len(encoding))]


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Group texts of like length so that little is padding and no batch exceeds `BATCH_TOKENS`."""
    batch: list[int] = []
    for index in sorted(range(len(lengths)), key=lambda index: -lengths[index]):
        if batch and lengths[batch[0]] * (len(batch) + 1) > BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


def _load_tokenizer(path: Path) -> Tokenizer:
    try:
        return Tokenizer.from_file(str(path))
    except Exception as error:  # tokenizers raises bare Exception
        raise ModelError(f"{path} is not a readable tokenizer ({error}); remove its folder and start again.") from error


def _load_session(path: Path, threads: int | None) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads or len(os.sched_getaffinity(0))
    options.inter_op_num_threads = 1
    # Threads that spin while they wait save 1.5 ms a question on an idle machine, but on a busy one they take the cores
    # from the threads they wait for: with 9 processes on two cores a question took 42 ms, without spinning 16.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # The graph is in its final form; higher levels would fuse Add and LayerNormalization into a slower operator.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's errors share no base class of their own
        raise ModelError(f"{path} is not a readable model ({error}); remove its folder and start again.") from error
