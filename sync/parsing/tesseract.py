"""Letters of a picture, read by the program `tesseract` (Debian's tesseract-ocr)."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lxml import etree

from core.errors import ParsingError

PROGRAM = "tesseract"
LEAST_CONFIDENCE = 40.0
"""Percent. What is read with less on average is no text: the grain of a photograph, a signature."""
_ANSWER_SECONDS = 15
_BOX = re.compile(r"\bbbox (-?\d+) (-?\d+) (-?\d+) (-?\d+)")
_SIZE = re.compile(r"\bx_size ([\d.]+)")
_CONFIDENCE = re.compile(r"\bx_wconf ([\d.]+)")
_XHTML = {"h": "http://www.w3.org/1999/xhtml"}


@dataclass(frozen=True, slots=True)
class ReadLine:
    """A line that OCR has read. Lengths are in pixels, from the top left corner of the picture."""

    text: str
    left: float
    top: float
    right: float
    bottom: float
    size: float
    """Height of its letters, from descender to ascender."""
    paragraph: int


@dataclass(frozen=True, slots=True)
class Tesseract:
    """The program, with the languages to read (`spa+eng`) and how many seconds a page may take."""

    languages: str = "spa+eng"
    seconds: float = 60

    def missing(self) -> str:
        """A sentence that says what has to be installed; empty when nothing has."""
        wanted = self.languages.split("+")
        program = shutil.which(PROGRAM)
        if program is None:
            packages = ("tesseract-ocr", *map(_package, wanted))
            return f"OCR needs the program {PROGRAM}: install {_listed(packages)}."
        try:
            answer = self._run([program, "--list-langs"], b"", _ANSWER_SECONDS)
        except (OSError, subprocess.SubprocessError):
            return f"OCR needs the program {PROGRAM}, which does not start: install tesseract-ocr again."
        absent = [language for language in wanted if language not in answer.decode("utf-8", "replace").split()]
        return f"OCR needs the language {'+'.join(absent)}: install {_listed(map(_package, absent))}." if absent else ""

    def read(self, picture: bytes) -> tuple[ReadLine, ...]:
        """Read a picture (PNM or PNG), from top to bottom, column by column.

        Raises:
            ParsingError: it took too long, or the program failed.
        """
        command = [PROGRAM, "stdin", "stdout", "-l", self.languages, "hocr"]
        try:
            page = self._run(command, picture, self.seconds)
            return tuple(_lines(page))
        except subprocess.TimeoutExpired:
            raise ParsingError(f"OCR took longer than {self.seconds:g} seconds.") from None
        except (OSError, subprocess.SubprocessError, etree.XMLSyntaxError):
            raise ParsingError("OCR failed.") from None

    @staticmethod
    def _run(command: list[str], data: bytes, seconds: float) -> bytes:
        # On more threads than one, tesseract waits more than it reads.
        environment = {**os.environ, "OMP_THREAD_LIMIT": "1"}
        done = subprocess.run(  # noqa: S603  # no shell, and the languages are checked by the settings
            command, input=data, capture_output=True, timeout=seconds, check=True, env=environment
        )
        return done.stdout


def _package(language: str) -> str:
    return f"tesseract-ocr-{language.lower().replace('_', '-')}"


def _listed(packages: Iterable[str]) -> str:
    names = list(packages)
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


def _lines(page: bytes) -> Iterator[ReadLine]:
    """The lines of an hOCR page."""
    root = etree.fromstring(page, etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False))
    for number, paragraph in enumerate(root.iterfind(".//h:p[@class='ocr_par']", _XHTML)):
        for line in paragraph.iterfind("h:span", _XHTML):
            words = [(word, "".join(word.itertext()).strip()) for word in line.iterfind("h:span", _XHTML)]
            words = [(word, text) for word, text in words if text]
            box, size = _BOX.search(line.get("title", "")), _SIZE.search(line.get("title", ""))
            if not words or box is None or _confidence([word for word, _ in words]) < LEAST_CONFIDENCE:
                continue
            left, top, right, bottom = map(float, box.groups())
            height = float(size[1]) if size is not None else bottom - top
            yield ReadLine(" ".join(text for _, text in words), left, top, right, bottom, height, number)


def _confidence(words: list[etree._Element]) -> float:
    found = [float(match[1]) for word in words if (match := _CONFIDENCE.search(word.get("title", "")))]
    return sum(found) / len(found) if found else 0.0
