"""Which embedder the settings ask for."""

from __future__ import annotations

from pathlib import Path

from core.embedding.base import Embedder, Progress, silent
from core.embedding.packaged_e5 import load_packaged_e5
from core.embedding.passage_reader import SentencePooling
from core.errors import ModelError
from core.settings import EmbedderKind


def load_embedder(
    kind: EmbedderKind,
    data_dir: Path,
    model: str = "",
    threads: int | None = None,
    sentences: SentencePooling = "apart",
    progress: Progress = silent,
) -> Embedder:
    """Load the packaged model, or the sentence-transformers model named (or found at the path) `model`.

    The packaged model is prepared in `data_dir` when it is first asked for. `threads` None takes every core. ModelError
    with a sentence that says what to do where the model cannot be had.
    """
    if kind is EmbedderKind.PACKAGED:
        return load_packaged_e5(data_dir, threads, sentences, progress)
    if not model:
        raise ModelError("A sentence-transformers embedder needs the name or the folder of a model in the settings.")
    # Imported here, since torch takes seconds and a gigabyte that the packaged model does without.
    from core.embedding.sentence_transformers_model import load_sentence_transformers_model

    return load_sentence_transformers_model(model, threads, sentences, progress)
