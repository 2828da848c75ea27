"""Whoever ranks, the scale is the same: R8 of the cases, with real cross-encoders of random weights."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.domain.evidence import Scores
from core.errors import ModelError
from core.index.snapshot import Candidate
from core.retrieval.confidence import confidence, sigmoid
from core.retrieval.coverage import QuestionTerms
from core.retrieval.rerank import AskedFor
from core.retrieval.reranker import SPAN, CrossEncoderReranker, PackagedReranker, Reranker
from core.settings import Settings
from tests.unit.retrieval.passages import passage

QUESTION = "how many holidays do i have"
TEXTS = ["everybody has holidays", "parking costs money", "the canteen opens at noon"]
VECTOR = np.array([1, 0], np.float32)
ASKED = AskedFor("en", VECTOR, None, {"en": QuestionTerms("en", {"holiday": 3.0})})
CANDIDATES = [
    Candidate(f"t/{n}", passage(f"d{n}#s0-p1", text), VECTOR, np.array([[0.1 * n, 0]], np.float32))
    for n, text in enumerate(TEXTS)
]
ACTIVATIONS = {"logits": "torch.nn.modules.linear.Identity", "probabilities": "torch.nn.modules.activation.Sigmoid"}


def tiny_model(folder: Path, activation: str, labels: int = 1) -> str:
    """Build a cross-encoder with random weights: a vocabulary of letters, one layer."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

    torch.manual_seed(11)
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"abcdefghijklmnopqrstuvwxyz"]
    tokenizer = Tokenizer(models.WordLevel({word: number for number, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    wrap: Any = PreTrainedTokenizerFast  # its constructor has no types
    wrap(
        tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]"
    ).save_pretrained(folder)
    config = BertConfig(
        vocab_size=len(words),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=128,
        id2label={n: f"LABEL_{n}" for n in range(labels)},
        label2id={f"LABEL_{n}": n for n in range(labels)},
        initializer_range=2.0,
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    written = json.loads((folder / "config.json").read_text())
    written["sentence_transformers"] = {"activation_fn": ACTIVATIONS[activation], "version": "6.2.0"}
    (folder / "config.json").write_text(json.dumps(written))
    return str(folder)


def own_words(model: str) -> list[float]:
    """What the model itself says of the texts, by the activation of its configuration."""
    from sentence_transformers import CrossEncoder

    loaded = CrossEncoder(model, device="cpu")
    return [float(v) for v in loaded.predict([(QUESTION, text) for text in TEXTS], show_progress_bar=False)]


def test_logits_and_probabilities_of_one_model_come_onto_one_scale(tmp_path: Path) -> None:
    logits = tiny_model(tmp_path / "logits", "logits")
    shares = tiny_model(tmp_path / "shares", "probabilities")
    said = own_words(logits)
    assert own_words(shares) == pytest.approx([sigmoid(value) for value in said], abs=1e-5)
    assert any(not 0 <= value <= 1 for value in said), "the first model does hand out logits"
    of_logits = CrossEncoderReranker(logits).relevances(QUESTION, TEXTS)
    assert of_logits == pytest.approx(CrossEncoderReranker(shares).relevances(QUESTION, TEXTS), abs=1e-5)
    assert of_logits == pytest.approx([sigmoid(value) for value in said], abs=1e-5)


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("labels", [1, 2])
def test_a_cross_encoder_orders_and_its_best_is_its_confidence(tmp_path: Path, activation: str, labels: int) -> None:
    reranker = CrossEncoderReranker(tiny_model(tmp_path, activation, labels))
    ranked = reranker.rank(QUESTION, ASKED, CANDIDATES, lambda _: Scores())
    scores = [p.scores.reranked for p in ranked]
    assert scores == sorted(scores, reverse=True)
    assert {p.chunk_id for p in ranked} == {c.passage.chunk_id for c in CANDIDATES}
    assert reranker.confidence(ranked, "en") == pytest.approx(scores[0] / SPAN)
    assert 0 <= reranker.confidence(ranked, "en") <= 1
    assert all(p.sentence_scores for p in ranked), "what generation needs is still measured"


def test_a_classifier_of_three_labels_is_no_reranker(tmp_path: Path) -> None:
    reranker = CrossEncoderReranker(tiny_model(tmp_path, "logits", 3))
    with pytest.raises(ModelError, match="no reranker"):
        reranker.rank(QUESTION, ASKED, CANDIDATES, lambda _: Scores())


def test_a_folder_without_a_model_says_what_to_correct(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="reranker_model"):
        CrossEncoderReranker(str(tmp_path / "nowhere"), local_files_only=True).relevances(QUESTION, TEXTS)


@pytest.mark.parametrize("reranker", [PackagedReranker(), CrossEncoderReranker("never loaded")])
def test_nothing_found_is_no_confidence(reranker: Reranker) -> None:
    ranked = reranker.rank(QUESTION, ASKED, [], lambda _: Scores())
    assert ranked == []
    assert reranker.confidence(ranked, "en") == 0


def test_the_packaged_form_is_the_default_and_weighs_as_calibrated() -> None:
    ranked = PackagedReranker().rank(QUESTION, ASKED, CANDIDATES, lambda _: Scores())
    assert ranked[0].scores.reranked == max(p.scores.reranked for p in ranked)
    assert PackagedReranker().confidence(ranked, "en") == confidence(ranked, "en")


def test_a_cross_encoder_without_a_name_is_a_wrong_setting() -> None:
    with pytest.raises(ValueError, match="reranker_model"):
        Settings(reranker="cross-encoder")
