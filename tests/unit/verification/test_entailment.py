"""A judge of entailment is reported apart, may lower a claim and never raises it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from core.domain.evidence import Claim, ClaimKind, ClaimStatus, Judgement, ReasonCode
from core.errors import ModelError
from core.verification import CrossEncoderJudge, Verifier, lowered
from tests.unit.verification.evidence_samples import TODAY, codes, draft, evidence, passage, prose, verify

QUOTE = "La cafetería de la planta baja abre a las ocho."
TEXT = "La cafetería abre a las ocho."


class Saying:
    """A judge that always says the same, and remembers what it was asked."""

    def __init__(self, label: str) -> None:
        self.label = label
        self.asked: list[tuple[str, Sequence[str]]] = []

    def judge(self, claim: str, quotes: Sequence[str]) -> Judgement:
        self.asked.append((claim, quotes))
        return Judgement("stand-in", self.label, 0.9)


def judged(label: str, text: str = TEXT, kind: ClaimKind = ClaimKind.SYNTHESIS) -> tuple[Claim, Saying]:
    judge = Saying(label)
    claim = Verifier(TODAY, judge).verify(
        draft(text, QUOTE, kind=kind), evidence(passage(prose(QUOTE))), lambda _: True
    )
    return claim, judge


@pytest.mark.parametrize(
    ("label", "status"),
    [
        ("entailment", ClaimStatus.SUPPORTED),
        ("neutral", ClaimStatus.PARTIAL),
        ("contradiction", ClaimStatus.UNSUPPORTED),
    ],
)
def test_a_judgement_lowers_the_status_and_is_reported_apart(label: str, status: ClaimStatus) -> None:
    claim, judge = judged(label)
    assert (claim.status, claim.judgement) == (status, Judgement("stand-in", label, 0.9))
    assert (ReasonCode.NOT_ENTAILED in codes(claim)) == (label != "entailment")
    assert judge.asked == [(TEXT, [QUOTE])]


def test_a_contradicted_claim_has_nothing_left_to_show() -> None:
    assert judged("contradiction")[0].citations == ()


def test_a_judge_never_raises_what_the_rules_lowered() -> None:
    for text in ("La cafetería abre a las nueve.", "La cafetería no abre a las ocho."):
        claim, judge = judged("entailment", text)
        assert claim.status is ClaimStatus.UNSUPPORTED
        assert judge.asked == []
    partial = verify(
        draft("Abre a las 8:00.", "En agosto abre a las 8:00."), passage(prose("En agosto abre a las 8:00."))
    )
    assert partial.status is ClaimStatus.PARTIAL
    assert lowered(partial, Judgement("stand-in", "entailment", 1.0)).status is ClaimStatus.PARTIAL


def test_a_claim_that_is_its_quote_needs_no_judge() -> None:
    claim, judge = judged("contradiction", QUOTE, ClaimKind.QUOTE)
    assert (claim.status, judge.asked) == (ClaimStatus.SUPPORTED, [])


def tiny_model(folder: Path, labels: Sequence[str]) -> str:
    """Build a cross-encoder with random weights: a vocabulary of letters, one layer."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

    torch.manual_seed(7)
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"abcdefghijklmnopqrstuvwxyz", *"áéíóúñ0123456789.,"]
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
        max_position_embeddings=256,
        id2label=dict(enumerate(labels)),
        label2id={label: number for number, label in enumerate(labels)},
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    return str(folder)


def test_a_cross_encoder_is_loaded_from_a_folder_and_judges(tmp_path: Path) -> None:
    model = tiny_model(tmp_path, ["CONTRADICTION", "ENTAILMENT", "NEUTRAL"])
    judge = CrossEncoderJudge(model, threshold=0.0)
    judgement = judge.judge(TEXT, [QUOTE])
    assert judgement.judge == model
    assert judgement.label in {"entailment", "neutral", "contradiction"}
    assert 1 / 3 <= judgement.probability <= 1
    assert judge.judge(TEXT, [QUOTE]) == judgement


def test_below_its_threshold_a_cross_encoder_says_neutral(tmp_path: Path) -> None:
    judge = CrossEncoderJudge(tiny_model(tmp_path, ["contradiction", "entailment", "neutral"]), threshold=1.0)
    assert judge.judge(TEXT, [QUOTE]).label == "neutral"


def test_a_model_whose_labels_are_not_those_of_entailment_is_refused(tmp_path: Path) -> None:
    judge = CrossEncoderJudge(tiny_model(tmp_path, ["good", "bad", "ugly"]))
    with pytest.raises(ModelError, match="entailment, neutral and contradiction"):
        judge.judge(TEXT, [QUOTE])


def test_a_model_that_is_not_there_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot be loaded"):
        CrossEncoderJudge(str(tmp_path / "nothing")).judge(TEXT, [QUOTE])
