"""What no file of an export may be: too large, or small and made to grow."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from core.errors import ParsingError

LARGEST_RATIO = 200
SMALL_ENOUGH = 1024 * 1024
"""Bytes. A member that unpacks to less may be packed as tightly as it likes: empty sheets are."""
MOST_MEMBERS = 20_000


@dataclass(frozen=True, slots=True)
class FileLimits:
    """What the settings allow one file. Sizes are in bytes."""

    largest_file: int = 100 * 1024 * 1024
    largest_unpacked: int = 400 * 1024 * 1024
    """What an Office file may unpack to in all."""
    most_pages: int = 2_000
    """Pages of a PDF that are read."""


LIMITS = FileLimits()


def check_size(data: bytes, name: str, limits: FileLimits = LIMITS, largest_of_format: int | None = None) -> None:
    """Refuse a file over the limit, or over what its format's reader can hold.

    Raises:
        ParsingError: with the sentence for the report.
    """
    largest = limits.largest_file if largest_of_format is None else min(limits.largest_file, largest_of_format)
    if len(data) > largest:
        raise ParsingError(f"{name} has {len(data) // 2**20} MB, more than the limit of {largest // 2**20} MB.")


def check_package(data: bytes, name: str, limits: FileLimits = LIMITS) -> None:
    """Refuse an Office file (a zip) that is broken, protected by a password, or a zip bomb, before it is unpacked.

    Raises:
        ParsingError: with the sentence for the report.
    """
    if data.startswith(b"\xd0\xcf\x11\xe0"):  # an OLE container: either encrypted, or the format of before 2007
        raise ParsingError(f"{name} is protected by a password or in the old Office format; save it again without.")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            members = package.infolist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
        raise ParsingError(f"{name} is broken: it cannot be unpacked.") from error
    if any(member.flag_bits & 1 for member in members):
        raise ParsingError(f"{name} is protected by a password.")
    if is_bomb(members, limits.largest_unpacked):
        raise ParsingError(f"{name} unpacks to far more than an Office file does and was refused.")


@contextmanager
def refusing_broken(name: str, what: str) -> Iterator[None]:
    """Turn whatever a library raises on malformed input (it may be any error) into one sentence.

    Raises:
        ParsingError: with the sentence for the report.
    """
    try:
        yield
    except ParsingError:
        raise
    except Exception as error:
        raise ParsingError(f"{name} is broken: it cannot be read as {what}.") from error


def is_bomb(members: list[zipfile.ZipInfo], largest: int = LIMITS.largest_unpacked) -> bool:
    """Tell from a zip's directory whether unpacking it would fill the memory."""
    return (
        len(members) > MOST_MEMBERS
        or sum(member.file_size for member in members) > largest
        or any(
            member.file_size > SMALL_ENOUGH and member.file_size > LARGEST_RATIO * max(1, member.compress_size)
            for member in members
        )
    )
