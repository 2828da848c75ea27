"""Unit vectors, and the refusal of what is none."""

from __future__ import annotations

import numpy as np

from core.embedding.base import Vectors
from core.errors import ModelError


def unit_rows(vectors: Vectors, dimension: int, model_id: str) -> Vectors:
    """Scale each row of (n, d) to length 1; ModelError for another dimension, NaN, infinity or a zero vector."""
    check_dimension(vectors, dimension, model_id)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or (lengths < 1e-12).any():
        raise ModelError(
            f"The embedding model {model_id} returned a vector that is not a number or zero; nothing of it was kept. "
            "Remove the model's folder so that it is prepared again, or choose another model."
        )
    return np.asarray(vectors / lengths, np.float32)


def check_dimension(vectors: Vectors, dimension: int, model_id: str) -> None:
    """ModelError unless `vectors` is (n, dimension)."""
    if vectors.ndim != 2 or vectors.shape[1] != dimension:
        raise ModelError(
            f"The embedding model {model_id} returned vectors of shape {vectors.shape}, expected {dimension} numbers "
            "each. Choose the model that the index was built with, or build the index again."
        )


def check_vectors(vectors: Vectors, dimension: int, model_id: str) -> None:
    """ModelError unless `vectors` is (n, dimension) and finite: the guard before rows are written."""
    check_dimension(vectors, dimension, model_id)
    if not np.isfinite(vectors).all():
        raise ModelError(
            f"The embedding model {model_id} returned a vector that is not a number; nothing was written. "
            "Remove the model's folder so that it is prepared again, or choose another model."
        )
