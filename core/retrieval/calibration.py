"""The numbers that were fitted, with where they come from: `calibration.json`, written by `tests.benchmarks.fit`.

Two sets: with the passages' word vectors, and without them (an index that stores none). Each tells passages in the
question's own language from those in another, since the same cosine and the same share of words mean different things.
"""

from __future__ import annotations

import functools
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from core.settings import Mode

_FILE = Path(__file__).parent / "calibration.json"


class Weights(BaseModel):
    """A linear form over what is known of a passage. Absent is 0."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    bias: float = 0.0
    dense: float = 0.0
    best_sentence: float = 0.0
    coverage: float = 0.0
    best_sentence_coverage: float = 0.0
    interaction: float = 0.0
    weakest_word: float = 0.0
    names_missing: float = 0.0
    holds_code: float = 0.0
    gap: float = 0.0


class Pair(BaseModel):
    """Weights for passages in the question's language, and in another."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    same: Weights
    across: Weights

    def of(self, *, same_language: bool) -> Weights:
        """The weights for one of the two."""
        return self.same if same_language else self.across


class Fitted(BaseModel):
    """What ranks passages, and what tells how likely the best one answers (a logit)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    ranking: Pair
    confidence: Pair


class Calibration(BaseModel):
    """All of `calibration.json`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    provenance: tuple[str, ...]
    with_words: Fitted
    without_words: Fitted
    thresholds: dict[Mode, float]

    def fitted(self, *, words: bool) -> Fitted:
        """The set for passages whose word vectors are, or are not, there."""
        return self.with_words if words else self.without_words


@functools.cache
def calibration() -> Calibration:
    """Read the file that is shipped with the code."""
    return Calibration.model_validate_json(_FILE.read_bytes())
