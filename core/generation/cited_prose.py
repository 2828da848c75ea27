"""Reads prose that carries native citations, without I/O: a sentence with the words that Claude cites for it.

The API parts an answer into blocks of text; citations belong to a block, not to a sentence, and a sentence may run
over several blocks (`Employees have `, `25 days`, `.`). So the blocks are joined, cut into sentences, and each sentence
takes the citations of the blocks it has words in.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from core.generation.claude_events import CitationFound, TextDelta
from core.generation.prompts import NO_ANSWER
from core.text.sentences import split_sentences

_BULLET = re.compile(r"(?:[-*•–]|\d{1,2}[.)])\s+")
_MARKS = re.compile(r"\*\*|__|`")


@dataclass(frozen=True, slots=True)
class CitedSentence:
    """A whole sentence, and what is cited for it, in the order in which it came."""

    text: str
    citations: tuple[CitationFound, ...]


@dataclass(slots=True)
class _Block:
    number: int
    start: int
    end: int
    citations: list[CitationFound] = field(default_factory=list)


class CitedProse:
    """Takes the events of one answer and gives back its sentences as soon as each is complete.

    A sentence is complete when the next has begun and no block that it has words in can get another citation.
    """

    def __init__(self) -> None:
        self._text = ""
        self._blocks: list[_Block] = []
        self._given = 0
        self.answerable: bool | None = None
        """Whether the documents answer; None until the first line tells."""

    def feed(self, event: TextDelta | CitationFound) -> list[CitedSentence]:
        """The sentences that this event completes, in order."""
        if not self._blocks or self._blocks[-1].number != event.block:
            self._blocks.append(_Block(event.block, len(self._text), len(self._text)))
        block = self._blocks[-1]
        if isinstance(event, CitationFound):
            block.citations.append(event)
        else:
            self._text += event.text
            block.end = len(self._text)
            self._decide()
        return self._complete(block.start)

    def close(self) -> list[CitedSentence]:
        """The sentences that were left when the answer ended."""
        self._decide(ended=True)
        return self._complete(len(self._text), ended=True)

    def _decide(self, *, ended: bool = False) -> None:
        if self.answerable is not None:
            return
        first = self._text.lstrip(" \n*`").partition("\n")[0]
        if first.startswith(NO_ANSWER) or (ended and not first):
            self.answerable = False
        elif ended or not NO_ANSWER.startswith(first):
            self.answerable = True

    def _complete(self, settled: int, *, ended: bool = False) -> list[CitedSentence]:
        """Sentences that end before `settled`, where no block is open; the last one only at the end of the answer."""
        if not self.answerable or (settled <= self._given and not ended):
            return []
        spans = split_sentences(self._text[self._given :])
        done = [(s + self._given, e + self._given) for s, e in (spans if ended else spans[:-1])]
        found = []
        for start, end in done:
            if end > settled:
                break
            found.append(CitedSentence(_plain(self._text[start:end]), self._cited(start, end)))
            self._given = end
        return [sentence for sentence in found if sentence.text]

    def _cited(self, start: int, end: int) -> tuple[CitationFound, ...]:
        return tuple(
            citation
            for block in self._blocks
            if _has_words(self._text[max(start, block.start) : min(end, block.end)])
            for citation in block.citations
        )


def _has_words(text: str) -> bool:
    return any(character.isalnum() for character in text)


def _plain(text: str) -> str:
    """A sentence without the marks of a list or of Markdown."""
    plain = _MARKS.sub("", _BULLET.sub("", text, count=1) if _BULLET.match(text) else text).strip()
    return plain if _has_words(plain) else ""
