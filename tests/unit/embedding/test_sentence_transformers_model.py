"""Other models: their prefixes, how their sentences are read, and what happens when they cannot be had.

torch and transformers are imported where they are used: their import takes ten seconds and a gigabyte, and every worker
reads this file, whichever runs it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

from core.embedding.base import Embedder, PassageInput
from core.embedding.factory import load_embedder
from core.embedding.passage_reader import SentencePooling
from core.errors import ModelError
from core.settings import EmbedderKind

if TYPE_CHECKING:
    import torch
    from sentence_transformers import SentenceTransformer

    from core.embedding.sentence_transformers_model import SentenceTransformersModel

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "leave", "is", "paid", "on", "monday", "title", "."]
PASSAGE = PassageInput("title", "the leave is paid. on monday the leave is paid.", ((0, 18), (19, 47)))


@pytest.fixture(scope="module")
def tiny_bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BERT of two layers with random weights."""
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("tiny-bert")
    tokenizer = Tokenizer(WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    fast = PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]  # transformers leaves it untyped
        tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]"
    )
    fast.save_pretrained(folder)
    config = BertConfig(
        vocab_size=len(WORDS),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=64,
    )
    BertModel(config).save_pretrained(folder)
    return folder


def model(tiny_bert: Path, pooling: str, *, project: bool = False) -> SentenceTransformer:
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Dense, Pooling, Transformer

    transformer = Transformer(str(tiny_bert), max_seq_length=64)
    modules: list[torch.nn.Module] = [transformer, Pooling(32, pooling_mode=pooling)]
    if project:
        modules.append(Dense(in_features=32, out_features=16))
    return SentenceTransformer(modules=modules, device="cpu")


def adapted(inner: SentenceTransformer, name: str, sentences: SentencePooling = "apart") -> SentenceTransformersModel:
    from core.embedding.sentence_transformers_model import SentenceTransformersModel

    return SentenceTransformersModel(inner, name, sentences=sentences)


@pytest.mark.parametrize(
    ("name", "prompts", "expected"),
    [
        ("intfloat/multilingual-e5-small", {}, ("query: ", "passage: ")),
        ("/models/multilingual-e5-base", {"query": "", "document": ""}, ("query: ", "passage: ")),
        ("BAAI/bge-small-en-v1.5", {}, ("Represent this sentence for searching relevant passages: ", "")),
        ("BAAI/bge-m3", {}, ("", "")),
        ("Alibaba-NLP/gte-multilingual-base", {}, ("", "")),
        ("sentence-transformers/all-MiniLM-L6-v2", {}, ("", "")),
        ("nomic/some-model", {"query": "q> ", "document": "d> "}, ("q> ", "d> ")),
        ("intfloat/multilingual-e5-small", {"query": "Q ", "passage": "P "}, ("Q ", "P ")),
        ("own/e5", {"query": "only "}, ("only ", "")),
        ("own/model", {"query": None, "document": None}, ("", "")),
    ],
)
def test_prefixes_are_the_models_own_or_its_familys(
    name: str, prompts: dict[str, str | None], expected: tuple[str, str]
) -> None:
    from core.embedding.sentence_transformers_model import Prefixes, prefixes_for

    assert prefixes_for(name, prompts) == Prefixes(*expected)


def test_a_model_that_pools_by_its_first_token_reads_each_sentence_on_its_own(tiny_bert: Path) -> None:
    embedder = adapted(model(tiny_bert, "cls"), "tiny-cls", sentences="late")
    (embedding,) = embedder.embed_passages([PASSAGE])
    (alone,) = embedder.embed_passages([PassageInput("", PASSAGE.text[:18])])
    np.testing.assert_allclose(embedding.sentence_vectors[0], alone.vector, atol=1e-5)
    assert not embedder.model_id.endswith("late")


def test_a_model_that_pools_by_the_mean_can_pool_late(tiny_bert: Path) -> None:
    embedder = adapted(model(tiny_bert, "mean"), "tiny-mean", sentences="late")
    (embedding,) = embedder.embed_passages([PASSAGE])
    (tokens,) = embedder.passage_token_vectors([PASSAGE])
    assert embedder.model_id == "sentence-transformers:tiny-mean/late"
    own = tokens.vectors[tokens.offsets[:, 1] <= 18].mean(axis=0)  # states of a layer normalisation are of like length
    assert embedding.sentence_vectors[0] @ (own / np.linalg.norm(own)) > 0.99
    (alone,) = embedder.embed_passages([PassageInput("", PASSAGE.text[:18])])
    assert embedding.sentence_vectors[0] @ alone.vector < 0.9999


def test_a_model_that_projects_has_tokens_of_another_dimension(tiny_bert: Path) -> None:
    embedder = adapted(model(tiny_bert, "mean", project=True), "tiny-dense", sentences="late")
    assert (embedder.dimension, embedder.token_dimension) == (16, 32)
    (embedding,) = embedder.embed_passages([PASSAGE])
    assert embedding.sentence_vectors.shape == (2, 16)
    assert embedder.query_token_vectors(["the leave"])[0].vectors.shape == (2, 32)


def test_its_vectors_are_those_of_sentence_transformers_itself(tiny_bert: Path) -> None:
    inner = model(tiny_bert, "mean")
    embedder = adapted(inner, "plain")
    texts = ["the leave is paid", "monday", "the leave is paid on monday. the leave is paid on monday."]
    np.testing.assert_allclose(embedder.embed_queries(texts), inner.encode(texts, normalize_embeddings=True), atol=1e-5)


def test_a_model_that_yields_nonsense_is_an_error(tiny_bert: Path) -> None:
    inner = model(tiny_bert, "mean")
    for parameter in inner.parameters():
        parameter.data.fill_(float("nan"))
    with pytest.raises(ModelError, match="not a number"):
        adapted(inner, "broken").embed_queries(["the leave"])


def test_a_model_that_cannot_be_had_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from core.embedding.sentence_transformers_model import load_sentence_transformers_model

    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(ModelError, match=r"nowhere cannot be loaded .* Check its name or folder"):
        load_sentence_transformers_model(str(tmp_path / "nowhere"))


def test_the_settings_choose_the_embedder(model_dir: Path, torch_folder: Path) -> None:
    packaged: Embedder = load_embedder(EmbedderKind.PACKAGED, model_dir)
    assert packaged.model_id.startswith("multilingual-e5-small")
    other: Embedder = load_embedder(EmbedderKind.SENTENCE_TRANSFORMERS, model_dir, str(torch_folder), threads=1)
    assert other.model_id == f"sentence-transformers:{torch_folder}"
    with pytest.raises(ModelError, match="needs the name or the folder"):
        load_embedder(EmbedderKind.SENTENCE_TRANSFORMERS, model_dir)
