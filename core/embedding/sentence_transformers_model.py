"""Any model of sentence-transformers, by name or folder, behind the same protocol.

The prefixes are the model's own where its configuration has prompts, else those its family was trained with. Sentences
are pooled late only where the model itself pools by the mean: a mean of token states is no vector of a model that pools
by its first token or projects afterwards; there each sentence is embedded on its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Normalize, Pooling, Transformer

from core.embedding.base import PassageEmbedding, PassageInput, Progress, TokenVectors, Vectors, silent
from core.embedding.late_pooling import TokenStates
from core.embedding.passage_reader import PassageReader, SentencePooling, model_id_with
from core.errors import ModelError

BATCH = 16
"""Texts of one batch; they are sorted by length first."""
LONGEST_WINDOW = 8192
"""Tokens read at once where the model itself names no limit or a higher one."""


@dataclass(frozen=True, slots=True)
class Prefixes:
    """What a model wants before a question and before a passage."""

    query: str = ""
    passage: str = ""


FAMILIES = {
    "multilingual-e5-large-instruct": Prefixes(
        "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: "
    ),
    "e5": Prefixes("query: ", "passage: "),
    "bge-m3": Prefixes(),
    "bge": Prefixes("Represent this sentence for searching relevant passages: "),
    "gte": Prefixes(),
}
"""A part of the model's name → its prefixes, the more special first. After the model cards of
intfloat/multilingual-e5-*, BAAI/bge-*-en-v1.5, BAAI/bge-m3 and Alibaba-NLP/gte-*."""


def prefixes_for(name: str, prompts: Mapping[str, str | None]) -> Prefixes:
    """Choose the prefixes by the model's own prompts, else by its family's name, else none."""
    query = prompts.get("query") or ""
    passage = next(filter(None, map(prompts.get, ("document", "passage", "corpus"))), "")
    if query or passage:
        return Prefixes(query, passage)
    words = name.lower().replace("\\", "/").rsplit("/", 1)[-1]
    return next((prefixes for family, prefixes in FAMILIES.items() if family in words), Prefixes())


def load_sentence_transformers_model(
    model: str, threads: int | None = None, sentences: SentencePooling = "apart", progress: Progress = silent
) -> SentenceTransformersModel:
    """Load a model by its name on the hub or its folder; ModelError where it cannot be had."""
    progress(f"Loading the embedding model {model}.")
    if threads:
        torch.set_num_threads(threads)
    try:
        loaded = SentenceTransformer(model, device="cpu", trust_remote_code=False)
    except Exception as error:  # the hub, torch and tokenizers raise errors of many kinds
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise ModelError(
            f"The embedding model {model} cannot be loaded ({reason}). Check its name or folder in the settings, and "
            "that the machine reaches the hub; the packaged model needs neither."
        ) from error
    return SentenceTransformersModel(loaded, model, sentences)


class SentenceTransformersModel:
    """A sentence-transformers model; see `Embedder`."""

    def __init__(self, model: SentenceTransformer, name: str, sentences: SentencePooling = "apart") -> None:
        dimension = model.get_embedding_dimension()
        tokenizer = model.tokenizer
        if dimension is None or not getattr(tokenizer, "is_fast", False):
            raise ModelError(
                f"The embedding model {name} does not tell its dimension or where its tokens lie in the text; "
                "choose a transformer with a fast tokenizer, or the packaged model."
            )
        self._model: Any = model.eval()  # torch takes the modules of a Sequential for tensors
        self._tokenizer = tokenizer
        self._dimension = int(dimension)
        self._prefixes = prefixes_for(name, model.prompts)
        self._window = min(model.get_max_seq_length() or LONGEST_WINDOW, LONGEST_WINDOW)
        pooling: SentencePooling = sentences if _pools_by_mean(model) else "apart"
        self._model_id = model_id_with(f"sentence-transformers:{name}", pooling)
        self._reader = PassageReader(
            self._read,
            self._offsets,
            passage_prefix=self._prefixes.passage,
            window=self._window,
            dimension=self._dimension,
            model_id=self._model_id,
            sentences=pooling,
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
        """Length of every token's vector; differs from `dimension` where the model projects after pooling."""
        return int(self._model[0].get_embedding_dimension())

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Embed questions; (n, d). A question is cut at the model's window."""
        return self._reader.embed_texts([self._prefixes.query + text for text in texts])

    def embed_passages(self, passages: Sequence[PassageInput]) -> list[PassageEmbedding]:
        """Embed chunks with their sentences."""
        return self._reader.embed_passages(passages)

    def query_token_vectors(self, texts: Sequence[str]) -> list[TokenVectors]:
        """Embed the tokens of questions."""
        return self._reader.token_vectors([PassageInput("", text) for text in texts], self._prefixes.query)

    def passage_token_vectors(self, passages: Sequence[PassageInput]) -> list[TokenVectors]:
        """Embed the tokens of chunks."""
        return self._reader.token_vectors(passages, self._prefixes.passage)

    def _offsets(self, texts: Sequence[str]) -> list[NDArray[np.int32]]:
        encoded = self._tokenizer(list(texts), return_offsets_mapping=True, truncation=False, verbose=False)
        return [np.array(offsets, np.int32).reshape(-1, 2) for offsets in encoded["offset_mapping"]]

    def _read(self, texts: Sequence[str]) -> Iterator[tuple[int, TokenStates]]:
        order = sorted(range(len(texts)), key=lambda index: -len(texts[index]))
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            yield from zip(batch, self._run([texts[index] for index in batch]), strict=True)

    def _run(self, texts: list[str]) -> Iterator[TokenStates]:
        """Run the model's modules on one batch.

        Not `encode(output_value=...)`: that gives the states without the tokens' ids and offsets, and its truncation
        would have to be guessed.
        """
        encoded: Any = self._tokenizer(
            texts,
            padding=True,
            truncation=True,
            max_length=self._window,
            return_offsets_mapping=True,
            return_tensors="pt",
            verbose=False,
        )
        offsets = encoded.pop("offset_mapping").numpy().astype(np.int32)
        mask = encoded["attention_mask"].numpy().astype(bool)
        ids = encoded["input_ids"].numpy().astype(np.int32)
        try:
            with torch.inference_mode():
                features: Any = self._model(dict(encoded))
        except RuntimeError as error:
            raise ModelError(f"The embedding model {self.model_id} failed while it ran: {error}") from error
        states = features["token_embeddings"].float().numpy()
        pooled = features["sentence_embedding"].float().numpy()
        for row in range(len(texts)):
            own = mask[row]
            yield TokenStates(ids[row][own], offsets[row][own], states[row][own], pooled[row])


def _pools_by_mean(model: SentenceTransformer) -> bool:
    """Whether a mean of token states lives in the space of the model's own vectors."""
    modules = list(model)
    return all(isinstance(module, (Transformer, Pooling, Normalize)) for module in modules) and [
        module.pooling_mode for module in modules if isinstance(module, Pooling)
    ] == ["mean"]
