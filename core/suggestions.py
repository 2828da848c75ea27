"""Questions that a reader can ask and have answered, drawn from what they may read and from nothing else.

A topic is a section of a document in force, of the documents that are cited most and changed last. Each question is
searched for before it is offered: what would be abstained from is not.
"""

from __future__ import annotations

import datetime as dt
import itertools
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from core.domain.access import Audience, Reader
from core.domain.evidence import Passage
from core.index.reader import IndexReader
from core.index.snapshot import Snapshot
from core.retrieval.confidence import THRESHOLDS
from core.retrieval.search import Searcher
from core.retrieval.selection import in_force
from core.settings import Mode

DOCUMENTS = 12
"""Documents that are looked into."""
TRIED = 24
"""Questions that are searched for at most."""
LONGEST_NAME = 60
"""Characters of a title or a heading that fits into a question."""
SECTIONS = 2
"""Sections of a document that are tried, before the document as a whole."""
SHORTEST_TEXT = 80
"""Characters of a section that says something."""
CACHE_SIZE = 512

_NUMBERING = re.compile(r"^\d+(?:\.\d+)*[.)]\s+")
_EXTENSION = re.compile(r"\.(?:docx?|pdf|pptx?|xlsx?|csv|txt|md|html?)$", re.IGNORECASE)
_SYMBOLS = re.compile(r"[\u2190-\u2bff\ufe0f\U0001f000-\U0001faff]")


@dataclass(frozen=True, slots=True)
class Topic:
    """What a question may be about: a document, and a section of it (empty: the whole). `language` is its ISO code."""

    document_id: str
    title: str
    section: str
    language: str


class Suggestions:
    """Makes suggestions. Safe to use from several threads."""

    def __init__(
        self,
        index: IndexReader,
        searcher: Searcher,
        most_read: Callable[[str], Sequence[str]],
        today: Callable[[], dt.date] = dt.date.today,
    ) -> None:
        """`most_read` names the documents of a tenant that are read most, most first."""
        self._index = index
        self._searcher = searcher
        self._most_read = most_read
        self._today = today
        self._lock = threading.Lock()
        self._known: dict[tuple[object, ...], tuple[str, ...]] = {}

    def suggest(self, reader: Reader, language: str, phrase: Callable[[Topic], str], limit: int = 4) -> tuple[str, ...]:
        """Up to `limit` questions about different documents, for this reader alone.

        Args:
            reader: who will see them.
            language: the ISO code of the language that `phrase` speaks; documents in it come first.
            phrase: makes a topic a question.
            limit: how many.
        """
        snapshot = self._index.snapshot(reader, Audience.person(reader))
        # By what is visible, not by who looks: the rules and the hidden documents decide all that follows.
        key = (snapshot.tenant_id, snapshot.version, snapshot.rules, snapshot.hidden, language, limit, self._today())
        with self._lock:
            known = self._known.get(key)
        if known is None:
            known = self._suggest(snapshot, language, phrase, limit)
            with self._lock:
                if len(self._known) >= CACHE_SIZE:
                    self._known.clear()
                self._known[key] = known
        return known

    def _suggest(
        self, snapshot: Snapshot, language: str, phrase: Callable[[Topic], str], limit: int
    ) -> tuple[str, ...]:
        """The best question of each document, those in the reader's language first, then the surest."""
        found: dict[str, tuple[bool, float, str]] = {}
        for topic in itertools.islice(self._topics(snapshot, language), TRIED):
            if topic.document_id not in found:
                question = topic.section if topic.section.endswith("?") else phrase(topic)
                sure = self._confidence(snapshot, question, language, topic)
                if sure >= THRESHOLDS[Mode.BALANCED]:
                    found[topic.document_id] = (topic.language != language, -sure, question)
        return tuple(dict.fromkeys(question for *_, question in sorted(found.values())))[:limit]

    def _confidence(self, snapshot: Snapshot, question: str, language: str, topic: Topic) -> float:
        """How surely a question is answered, and with its document; 0 where that is not among what is read for it."""
        found = self._searcher.search(snapshot, question, language, self._today())
        return found.confidence if any(p.document_id == topic.document_id for p in found.kept) else 0.0

    def _topics(self, snapshot: Snapshot, language: str) -> Iterator[Topic]:
        """The first topic of each document, then the second of each, and so on."""
        of_each = [topics for topics in self._topics_by_document(snapshot, language) if topics]
        of_each.sort(key=lambda topics: topics[0].language != language)
        for turn in range(SECTIONS + 1):
            for topics in of_each:
                yield from topics[turn : turn + 1]

    def _topics_by_document(self, snapshot: Snapshot, language: str) -> Iterator[list[Topic]]:
        newest = snapshot.newest_documents()
        visible = set(newest)
        read = [document_id for document_id in self._most_read(snapshot.tenant_id) if document_id in visible]
        # One of those read most, one of those changed last, in turn.
        pairs = zip(read, newest, strict=False)
        order = dict.fromkeys([document_id for pair in pairs for document_id in pair] + newest)
        chosen = list(order)[:DOCUMENTS]
        passages: dict[str, list[Passage]] = {document_id: [] for document_id in chosen}
        for passage in snapshot.passages_of(chosen):
            passages[passage.document_id].append(passage)
        for found in passages.values():
            yield self._topics_of(found)

    def _topics_of(self, passages: Sequence[Passage]) -> list[Topic]:
        """The sections of a document that say most, in force and open to quoting."""
        today = self._today()
        usable = [p for p in passages if in_force(p, today) and p.show_quotes and len(p.title) <= LONGEST_NAME]
        telling = [p for p in usable if len(p.text) >= SHORTEST_TEXT] or usable
        found = dict.fromkeys(_section_of(p) for p in sorted(telling, key=lambda p: -len(p.text)))
        sections = [section for section in found if section][:SECTIONS]
        return [
            Topic(p.document_id, _name(p.title), section, p.language)
            for p in telling[:1]
            for section in [*sections, ""]
        ]


def _section_of(passage: Passage) -> str:
    section = _name(passage.section_path[-1]) if passage.section_path else ""
    return section if section != _name(passage.title) and len(section) <= LONGEST_NAME else ""


def _name(title: str) -> str:
    """A title or heading as it is said: without its number, a file's extension, and pictures."""
    said = _SYMBOLS.sub(" ", _EXTENSION.sub("", _NUMBERING.sub("", title.strip())))
    return " ".join(said.split())
