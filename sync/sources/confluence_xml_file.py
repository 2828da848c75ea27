"""The entities.xml of an export as a stream: in a folder, in a zip, or in a zip inside one of these."""

from __future__ import annotations

import shutil
import tempfile
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, BinaryIO, cast

from core.errors import SourceError
from sync.parsing.limits import LARGEST_RATIO
from sync.sources.export_tree import ExportTree

ENTITIES = "entities.xml"

_SMALL_ENOUGH = 64 * 1024 * 1024
_LARGEST_INNER_ZIP = 8 * 1024**3


def find_entities(tree: ExportTree) -> str:
    """The path of the one entities.xml in an export.

    Raises:
        SourceError: there is none, or there are several.
    """
    places = [path for path in tree if path.rpartition("/")[2] == ENTITIES]
    if not places:
        raise SourceError(f"{tree.location} holds no {ENTITIES}, so it is no whole export; nothing was read from it.")
    if len(places) > 1:
        raise SourceError(
            f"{tree.location} holds {len(places)} exports ({', '.join(places[:3])}): make each a source of its own."
        )
    return places[0]


@contextmanager
def open_entities(location: Path, inside: str) -> Iterator[BinaryIO]:
    """Open a file of an export to be read in pieces: `inside` is its path in the export's tree.

    Raises:
        SourceError: it cannot be read, or unpacks to far more than an export does.
    """
    with ExitStack() as stack:
        try:
            yield _open(location, inside, stack)
        except (OSError, RuntimeError, NotImplementedError, EOFError, zipfile.BadZipFile, zlib.error) as error:
            raise SourceError(f"{inside} cannot be read from {location}: the export is damaged.") from error


def _open(location: Path, inside: str, stack: ExitStack) -> BinaryIO:
    if not location.is_dir():
        return _open_member(stack.enter_context(zipfile.ZipFile(location)), inside, stack)
    path = location
    parts = inside.split("/")
    for index, part in enumerate(parts):
        path = next(
            (child for child in path.iterdir() if unicodedata.normalize("NFC", child.name) == part), path / part
        )
        if path.is_file() and index < len(parts) - 1:
            archive = stack.enter_context(zipfile.ZipFile(path))
            return _open_member(archive, "/".join(parts[index + 1 :]), stack)
    return stack.enter_context(path.open("rb"))


def _open_member(archive: zipfile.ZipFile, inside: str, stack: ExitStack) -> BinaryIO:
    members = {_normal(member.filename): member for member in archive.infolist() if not member.is_dir()}
    member = members.get(inside)
    if member is not None:
        if member.file_size > _SMALL_ENOUGH and member.file_size > LARGEST_RATIO * max(1, member.compress_size):
            raise SourceError(
                f"{inside} unpacks to {member.file_size // 2**20} MB, far more than an export, and was refused."
            )
        return cast(BinaryIO, stack.enter_context(archive.open(member)))
    outer = next(name for name in members if inside.startswith(f"{name}/"))
    if members[outer].file_size > _LARGEST_INNER_ZIP:
        raise SourceError(f"{outer} is larger than the limit of {_LARGEST_INNER_ZIP // 2**30} GB.")
    inner: IO[bytes] = stack.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 the stack closes it
    with archive.open(members[outer]) as packed:
        shutil.copyfileobj(packed, inner)
    inner.seek(0)
    return _open_member(stack.enter_context(zipfile.ZipFile(inner)), inside.removeprefix(f"{outer}/"), stack)


def _normal(name: str) -> str:
    parts = [part for part in name.replace("\\", "/").split("/") if part not in {"", "."}]
    return unicodedata.normalize("NFC", "/".join(parts))
