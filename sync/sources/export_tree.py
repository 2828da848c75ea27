"""The files of an export, in a folder or a zip (also zips in it), by their path; nothing outside it is ever read."""

from __future__ import annotations

import io
import os
import stat
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path, PurePosixPath

from core.errors import ParsingError, SourceError
from sync.parsing.limits import LARGEST_RATIO, LIMITS, SMALL_ENOUGH, FileLimits

Reader = Callable[[], bytes]

_DEEPEST_ZIP = 2
_LARGEST_NESTED_ZIP = 2 * 1024**3
_MOST_FILES = 1_000_000


class ExportTree:
    """A read-only tree of files. Paths are relative, in NFC, with "/"; warnings tell what was left out."""

    def __init__(self, location: str, files: Mapping[str, Reader], warnings: tuple[str, ...] = ()) -> None:
        self.location = location
        self.warnings = warnings
        self._files = dict(sorted(files.items()))

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)

    def __contains__(self, path: object) -> bool:
        return path in self._files

    def read(self, path: str) -> bytes:
        """Read one file.

        Raises:
            ParsingError: it is missing, unreadable, or over the limit.
        """
        reader = self._files.get(unicodedata.normalize("NFC", path))
        if reader is None:
            raise ParsingError(f"{path} is missing from the export.")
        try:
            return reader()
        except (OSError, RuntimeError, NotImplementedError, EOFError, zipfile.BadZipFile, zlib.error) as error:
            raise ParsingError(f"{path} cannot be read from the export.") from error

    def rooted_at(self, marker: str) -> ExportTree:
        """The tree below the folder that holds the file `marker` (the outermost one).

        Raises:
            SourceError: there is no such file.
        """
        places = [path for path in self._files if path.rpartition("/")[2] == marker]
        if not places:
            raise SourceError(f"{self.location} holds no {marker}, so it is no whole export; nothing was read from it.")
        root = min(places, key=lambda path: (path.count("/"), path)).removesuffix(marker)
        below = {path.removeprefix(root): read for path, read in self._files.items() if path.startswith(root)}
        return ExportTree(self.location, below, self.warnings)


def open_tree(path: Path, limits: FileLimits = LIMITS) -> ExportTree:
    """Open a folder or a zip, of which files over the limit are refused as they are read.

    Raises:
        SourceError: it is missing, neither of the two, or made to fill the memory.
    """
    collector = _Collector(limits.largest_file)
    if path.is_dir():
        collector.add_folder(path)
    elif path.is_file():
        collector.add_zip(_open_zip(path, str(path)), "", 0)
    else:
        raise SourceError(f"{path} does not exist. Put the export there, or correct the source's path in the settings.")
    return ExportTree(str(path), collector.files, tuple(collector.warnings))


class _Collector:
    def __init__(self, largest_file: int) -> None:
        self._largest = largest_file
        self.files: dict[str, Reader] = {}
        self.warnings: list[str] = []

    def add_folder(self, root: Path) -> None:
        real_root = root.resolve()
        for folder, folders, names in os.walk(root, followlinks=False):
            for name in sorted(folders):
                if (Path(folder) / name).is_symlink():
                    self.warnings.append(
                        f"{self._relative(root, folder, name)} is a link to a folder and was not followed."
                    )
            for name in sorted(names):
                path = Path(folder) / name
                relative = self._relative(root, folder, name)
                if path.is_symlink() and not path.resolve().is_relative_to(real_root):
                    self.warnings.append(f"{relative} is a link to outside the export and was not followed.")
                elif path.is_file():
                    self._add(relative, _file_reader(path, relative, self._largest))
                    if name.lower().endswith(".zip"):
                        self._add_nested(path, relative, 0)

    def add_zip(self, archive: zipfile.ZipFile, prefix: str, depth: int) -> None:
        for member in archive.infolist():
            if member.is_dir():
                continue
            name = member.filename.replace("\\", "/")
            parts = PurePosixPath(name).parts
            if name.startswith("/") or ".." in parts or ":" in parts[0]:
                self.warnings.append(f"{prefix}{name} points outside the archive and was left out.")
                continue
            if stat.S_ISLNK(member.external_attr >> 16):
                self.warnings.append(f"{prefix}{name} is a link and was left out.")
                continue
            relative = unicodedata.normalize("NFC", prefix + "/".join(part for part in parts if part != "."))
            self._add(relative, _member_reader(archive, member, relative, self._largest))
            if relative.lower().endswith(".zip") and depth < _DEEPEST_ZIP:
                self._add_nested_member(archive, member, relative, depth)

    def _add(self, relative: str, reader: Reader) -> None:
        if len(self.files) >= _MOST_FILES:
            raise SourceError(f"The export holds more than {_MOST_FILES} files and was refused.")
        if relative in self.files:
            self.warnings.append(f"{relative} is in the export twice; the last one counts.")
        self.files[relative] = reader

    def _add_nested(self, path: Path, relative: str, depth: int) -> None:
        try:
            self.add_zip(_open_zip(path, relative), f"{relative}/", depth + 1)
        except SourceError as error:
            self.warnings.append(str(error))
            return
        self.files.pop(relative, None)

    def _add_nested_member(self, archive: zipfile.ZipFile, member: zipfile.ZipInfo, relative: str, depth: int) -> None:
        try:
            inner = io.BytesIO(_read_member(archive, member, relative, _LARGEST_NESTED_ZIP))
            self.add_zip(_open_zip(inner, relative), f"{relative}/", depth + 1)
        except (SourceError, OSError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
            self.warnings.append(str(error) if isinstance(error, SourceError) else f"{relative} cannot be unpacked.")
            return
        self.files.pop(relative, None)

    @staticmethod
    def _relative(root: Path, folder: str, name: str) -> str:
        return unicodedata.normalize("NFC", (Path(folder) / name).relative_to(root).as_posix())


def _open_zip(source: Path | io.BytesIO, name: str) -> zipfile.ZipFile:
    try:
        archive = zipfile.ZipFile(source)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise SourceError(f"{name} is neither a folder nor a readable zip file.") from error
    packed = sum(member.compress_size for member in archive.infolist())
    unpacked = sum(member.file_size for member in archive.infolist())
    if unpacked > 1024**3 and unpacked > LARGEST_RATIO * max(1, packed):
        raise SourceError(f"{name} unpacks to {unpacked // 2**30} GB from {packed // 2**20} MB and was refused.")
    return archive


def _file_reader(path: Path, relative: str, largest: int) -> Reader:
    def read() -> bytes:
        if path.stat().st_size > largest:
            raise ParsingError(f"{relative} is larger than the limit of {largest // 2**20} MB.")
        return path.read_bytes()

    return read


def _member_reader(archive: zipfile.ZipFile, member: zipfile.ZipInfo, relative: str, largest: int) -> Reader:
    return lambda: _read_member(archive, member, relative, largest)


def _read_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, relative: str, largest: int) -> bytes:
    if member.flag_bits & 1:
        raise ParsingError(f"{relative} is protected by a password.")
    grows = member.file_size > SMALL_ENOUGH and member.file_size > LARGEST_RATIO * max(1, member.compress_size)
    if member.file_size > largest or grows:
        raise ParsingError(f"{relative} unpacks to {member.file_size // 2**20} MB and was refused.")
    with archive.open(member) as file:
        data = file.read(largest + 1)  # the directory of a zip may lie about sizes
    if len(data) > largest:
        raise ParsingError(f"{relative} is larger than the limit of {largest // 2**20} MB.")
    return data
