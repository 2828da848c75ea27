"""What OCR has read, kept on disk, so that a sync reads a scan once: seconds a page are too long for each night."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Mapping
from dataclasses import astuple
from pathlib import Path

from sync.parsing.tesseract import ReadLine

RECIPE = 1
"""Counted up when the same file would be read otherwise than before."""
KEEP_DAYS = 90


class OcrMemory:
    """One file for each scanned document, named by the hash of its bytes. It holds the text as it stands in the export,
    before redaction: it is as secret as the export, readable by its owner only, and goes when it was not used for long.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def recall(self, data: bytes, languages: str) -> dict[int, tuple[float, tuple[ReadLine, ...]]]:
        """The pages of a file that were read before: number → height in pixels, lines."""
        place = self._place(data, languages)
        try:
            stored = json.loads(place.read_text("utf-8"))
            os.utime(place)
            return {int(n): (float(height), tuple(ReadLine(*line) for line in lines)) for n, height, lines in stored}
        except (OSError, ValueError, TypeError):
            return {}

    def keep(self, data: bytes, languages: str, pages: Mapping[int, tuple[float, tuple[ReadLine, ...]]]) -> None:
        """Remember all pages of a file. A disk that is full only costs time."""
        place = self._place(data, languages)
        unfinished = place.with_suffix(f".{os.getpid()}")
        stored = [[n, height, [astuple(line) for line in lines]] for n, (height, lines) in sorted(pages.items())]
        with contextlib.suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            unfinished.touch(mode=0o600)
            unfinished.write_text(json.dumps(stored, ensure_ascii=False), "utf-8")
            unfinished.replace(place)

    def forget_unused(self, days: float = KEEP_DAYS, now: float | None = None) -> None:
        """Delete what no sync has asked for in so many days; `now` is in epoch seconds."""
        oldest = (time.time() if now is None else now) - days * 86_400
        with contextlib.suppress(OSError):
            for place in self._folder.iterdir():
                if place.stat().st_mtime < oldest:
                    place.unlink(missing_ok=True)

    def _place(self, data: bytes, languages: str) -> Path:
        name = hashlib.sha256(f"{RECIPE} {languages} ".encode() + hashlib.sha256(data).digest()).hexdigest()
        return self._folder / f"{name}.json"
