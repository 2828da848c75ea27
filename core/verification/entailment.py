"""A second opinion: does the claim follow from its quotes? It can lower what the rules found, never raise it.

rules ──► Claim ──► judge ──► the same Claim, or a lower one, with the judgement beside the reasons
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from core.domain.evidence import Claim, ClaimStatus, Judgement, Reason, ReasonCode
from core.errors import ModelError

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

ENTAILMENT, NEUTRAL, CONTRADICTION = "entailment", "neutral", "contradiction"
_LABELS = (ENTAILMENT, NEUTRAL, CONTRADICTION)


class EntailmentJudge(Protocol):
    """Judges whether a claim follows from quotes."""

    def judge(self, claim: str, quotes: Sequence[str]) -> Judgement:
        """Say whether the claim follows from the quotes taken together."""
        ...


def lowered(claim: Claim, judgement: Judgement) -> Claim:
    """The claim after a judgement: not entailed is partial at best, contradicted is unsupported; never better."""
    if judgement.label == ENTAILMENT or claim.status is ClaimStatus.UNSUPPORTED:
        return replace(claim, judgement=judgement)
    reason = Reason(ReasonCode.NOT_ENTAILED, f"{judgement.judge}: {judgement.label} ({judgement.probability:.2f})")
    if judgement.label == CONTRADICTION:
        return replace(
            claim,
            status=ClaimStatus.UNSUPPORTED,
            citations=(),
            reasons=(*claim.reasons, reason),
            judgement=judgement,
        )
    return replace(claim, status=ClaimStatus.PARTIAL, reasons=(*claim.reasons, reason), judgement=judgement)


class CrossEncoderJudge:
    """An NLI cross-encoder of sentence-transformers (for example `cross-encoder/nli-deberta-v3-base`).

    `model` is a name or a folder; the model's configuration must name its labels entailment, neutral, contradiction.
    Loaded on first use. A label counts from `threshold` on; below it the judgement is neutral.
    """

    def __init__(
        self, model: str, *, threshold: float = 0.5, device: str = "cpu", local_files_only: bool = True
    ) -> None:
        self._name = model
        self._threshold = threshold
        self._device = device
        self._local = local_files_only
        self._loaded: tuple[CrossEncoder, dict[str, int]] | None = None

    def judge(self, claim: str, quotes: Sequence[str]) -> Judgement:
        """Run the model over (quotes, claim)."""
        model, columns = self._model()
        logits = [float(value) for value in model.predict([(" ".join(quotes), claim)], show_progress_bar=False)[0]]
        probabilities = _softmax(logits)
        label = max(_LABELS, key=lambda name: probabilities[columns[name]])
        probability = probabilities[columns[label]]
        if label != NEUTRAL and probability < self._threshold:
            label, probability = NEUTRAL, probabilities[columns[NEUTRAL]]
        return Judgement(self._name, label, probability)

    def _model(self) -> tuple[CrossEncoder, dict[str, int]]:
        if self._loaded is None:
            self._loaded = self._load()
        return self._loaded

    def _load(self) -> tuple[CrossEncoder, dict[str, int]]:
        import torch
        from sentence_transformers import CrossEncoder

        try:
            model = CrossEncoder(
                self._name,
                device=self._device,
                local_files_only=self._local,
                activation_fn=torch.nn.Identity(),
                model_kwargs={"use_safetensors": True},  # no pickle is ever loaded
            )
        except (OSError, ValueError) as error:
            raise ModelError(f"The entailment model {self._name} cannot be loaded: {error}") from error
        return model, _columns(self._name, model.config)


def _columns(name: str, config: Any) -> dict[str, int]:
    """Which output is which label, as the model's configuration says."""
    columns = {}
    for place, label in dict(config.id2label).items():
        meaning = next((known for known in _LABELS if str(label).lower().startswith(known[:6])), None)
        if meaning is not None:
            columns[meaning] = int(place)
    if columns.keys() != set(_LABELS):
        raise ModelError(
            f"The model {name} names its outputs {sorted(map(str, config.id2label.values()))}: a judge of entailment "
            "must name them entailment, neutral and contradiction."
        )
    return columns


def _softmax(logits: Sequence[float]) -> list[float]:
    highest = max(logits)
    weights = [math.exp(value - highest) for value in logits]
    total = sum(weights)
    return [weight / total for weight in weights]
