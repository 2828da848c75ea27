"""Who orders the candidates, and how sure that makes of the best: by what the packaged model gives, or a cross-encoder.

Both end on one scale: `Scores.reranked` orders passages of one question, and `confidence` is the probability that the
best of them answers. So a threshold means the same whoever ranks.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

from core.domain.evidence import Passage, Scores
from core.errors import ModelError
from core.index.snapshot import Candidate
from core.retrieval.confidence import confidence, sigmoid
from core.retrieval.rerank import AskedFor, rerank

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

PAIRS = 20
"""Candidates that a cross-encoder reads, best first by the packaged ranking; the others are left out."""
SPAN = 2.0
"""What certainty is on the scale of `Scores.reranked`, so that distances mean about what they do for the packaged."""


class Reranker(Protocol):
    """Orders candidates, and weighs the best."""

    def rank(
        self, question: str, asked: AskedFor, candidates: Sequence[Candidate], found: Callable[[str], Scores]
    ) -> list[Passage]:
        """Score candidates and order them, best first; `found` is what the halves of the search said of a key."""
        ...

    def confidence(self, ranked: Sequence[Passage], question_language: str) -> float:
        """The calibrated probability (0–1) that the best passages answer; 0 without passages."""
        ...


class PackagedReranker:
    """Best sentence, the question's words and late interaction, joined by the weights that are shipped."""

    def rank(
        self, question: str, asked: AskedFor, candidates: Sequence[Candidate], found: Callable[[str], Scores]
    ) -> list[Passage]:
        """See `rerank`."""
        return rerank(asked, candidates, found)

    def confidence(self, ranked: Sequence[Passage], question_language: str) -> float:
        """See `core.retrieval.confidence`."""
        return confidence(ranked, question_language)


class CrossEncoderReranker:
    """A cross-encoder of sentence-transformers (for example `BAAI/bge-reranker-v2-m3`), loaded on first use.

    Some models hand out logits and some probabilities, by an activation that their configuration names. It is set
    aside: what is read is always the logit, the log odds that a passage answers, and one function makes a probability
    of it. A model with two labels (no, yes) gives the difference of theirs. Safe to use from several threads.
    """

    def __init__(self, model: str, *, device: str = "cpu", local_files_only: bool = False) -> None:
        """`model` is a name or a folder."""
        self._name = model
        self._device = device
        self._local = local_files_only
        self._loaded: CrossEncoder | None = None
        self._lock = threading.Lock()

    def rank(
        self, question: str, asked: AskedFor, candidates: Sequence[Candidate], found: Callable[[str], Scores]
    ) -> list[Passage]:
        """Read the best candidates beside the question, and order them by what the model says.

        Raises:
            ModelError: the model cannot be loaded, or does not give one relevance for a pair.
        """
        measured = rerank(asked, candidates, found)[:PAIRS]
        if not measured:
            return []
        said = {candidate.passage.chunk_id: candidate.said for candidate in candidates}
        relevances = self.relevances(question, [said[p.chunk_id] for p in measured])
        passages = [
            replace(p, scores=replace(p.scores, relevance=relevance, reranked=SPAN * relevance))
            for p, relevance in zip(measured, relevances, strict=True)
        ]
        return sorted(passages, key=lambda p: -p.scores.reranked)

    def confidence(self, ranked: Sequence[Passage], question_language: str) -> float:
        """The relevance of the best."""
        return (ranked[0].scores.relevance or 0.0) if ranked else 0.0

    def relevances(self, question: str, texts: Sequence[str]) -> list[float]:
        """The probability (0–1) that each text answers the question."""
        with self._lock:
            model = self._model()
            raw = model.predict([(question, text) for text in texts], show_progress_bar=False, convert_to_numpy=True)
        logits = np.asarray(raw, dtype=np.float64)
        if logits.ndim == 2 and logits.shape[1] == 2:
            logits = logits[:, 1] - logits[:, 0]
        if logits.size != len(texts):
            raise ModelError(
                f"The reranker {self._name} gives {logits.shape[-1]} values for a pair and is no reranker: name a "
                "cross-encoder that gives one relevance."
            )
        values = [float(value) for value in logits.reshape(-1)]
        if not all(map(math.isfinite, values)):
            raise ModelError(f"The reranker {self._name} gives values that are no numbers: its files are damaged.")
        return [sigmoid(value) for value in values]

    def _model(self) -> CrossEncoder:
        if self._loaded is None:
            self._loaded = self._load()
        return self._loaded

    def _load(self) -> CrossEncoder:
        import torch
        from sentence_transformers import CrossEncoder

        try:
            model: CrossEncoder = CrossEncoder(
                self._name,
                device=self._device,
                local_files_only=self._local,
                activation_fn=torch.nn.Identity(),
                model_kwargs={"use_safetensors": True},  # no pickle is ever loaded
            )
            return model
        except (OSError, ValueError, RuntimeError) as error:
            raise ModelError(
                f"The reranker {self._name} cannot be loaded ({type(error).__name__}): check the name or folder in "
                "reranker_model, or set reranker = packaged."
            ) from error
