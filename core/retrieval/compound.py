"""Take a question apart that asks two things, so that each is searched, weighed and answered for itself.

"How many days do I have, and who approves them?" is two questions; "which procedures and policies are there?" is one.
What is cut must ask by itself: it begins with a word that asks, and says what about.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.domain.evidence import Evidence, Passage
from core.index.analysis import PLAIN, terms
from core.retrieval.coverage import ASKING
from core.retrieval.followup import is_follow_up
from core.retrieval.search import Retrieval

MOST_PARTS = 3
LEAST_TELLING = 2
"""Words that say what about, below which a part does not stand alone."""

# Unaccented "que", "como", "cuando", "donde" join clauses more often than they ask.
_ASKS_ES = (
    r"(?:(?:a|con|de|desde|en|hasta|para|por)\s+)?(?:qué|qui[eé]n(?:es)?|cuál(?:es)?|cuándo|cu[aá]nt[oa]s?|cómo|dónde)"
)
_ASKS_EN = (
    r"(?:(?:at|by|for|from|in|on|to|until|with)\s+)?(?:what|which|who|whose|when|where|why|how)"
    r"|(?:can|could|do|does|did|is|are|may|must|should|will)\s+(?:i|we|you|they|he|she|it|there|the|my|our|people|employees)"
)
_JOINT = re.compile(
    rf"(?<=[^\s,;])\s*[,;]?\s+(?:y|e|and)\s+(?:también\s+|además\s+|also\s+|then\s+)?(?=(?:{_ASKS_ES}|{_ASKS_EN})\b)",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w+")
_SENTENCE = re.compile(r"[^?]+\?+|[^?]+$")
_BEGINS_ASKING = re.compile(rf"^\W*(?:(?:y|e|and)\s+)?(?:{_ASKS_ES}|{_ASKS_EN})\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Part:
    """One of the questions in a question: as it was typed, and whole, as it is searched."""

    said: str
    whole: str


@dataclass(frozen=True, slots=True)
class FoundPart:
    """A part with what was found for it alone."""

    part: Part
    retrieval: Retrieval

    def evidence(self, evidence: Evidence) -> Evidence:
        """The passages of a run's evidence that were found for this part, weighed by it, under the run's labels."""
        own = {passage.chunk_id: passage for passage in self.retrieval.kept}
        return replace(
            evidence,
            passages=tuple(
                replace(delivered, passage=own[delivered.passage.chunk_id])
                for delivered in evidence.passages
                if delivered.passage.chunk_id in own
            ),
        )


def parts_of(question: str) -> tuple[Part, ...]:
    """The parts of a whole question; nothing where it asks one thing, or so many that no cut can be trusted."""
    sentences = [sentence for sentence in _SENTENCE.findall(question) if _WORD.search(sentence)]
    pieces = [piece.strip(" ,;") for sentence in sentences for piece in _JOINT.split(sentence)]
    least = 1 if len(sentences) == len(pieces) else LEAST_TELLING  # a question mark is a cut that the asker made
    if not 2 <= len(pieces) <= MOST_PARTS or not all(_BEGINS_ASKING.match(piece) for piece in pieces):
        return ()
    parts: list[Part] = []
    for piece in pieces:
        # "…, and how long does it take?" leans on what was asked before it.
        leans = bool(parts) and is_follow_up(piece)
        if len(_WORD.findall(piece)) < 2 or (not leans and len(_telling(piece)) < least):
            return ()
        said = f"{piece.rstrip('?').rstrip()}?"
        parts.append(Part(said, f"{parts[0].whole} {said}" if leans else said))
    return tuple(parts)


def answerable_parts(found: Sequence[FoundPart], least: float, beside: float) -> tuple[FoundPart, ...]:
    """The parts that what was found for them answers; none where none is likely by itself.

    A part that says little alone ("how many days do I have to hand in receipts?") is taken from the documents that a
    likely part was found in, from the confidence `beside` on; by itself it needs `least`.
    """
    likely = [each for each in found if each.retrieval.confidence >= least]
    documents = {passage.document_id for each in likely for passage in each.retrieval.kept[:1]}
    kept: list[FoundPart] = []
    for each in found:
        same = tuple(p for p in each.retrieval.kept if p.document_id in documents)
        if each in likely:
            kept.append(each)
        elif same and each.retrieval.confidence >= beside:
            kept.append(replace(each, retrieval=replace(each.retrieval, kept=same)))
    return tuple(kept)


def joined(found: Sequence[FoundPart]) -> Retrieval:
    """What was found for several parts as one: a passage once, the confidence that of the weakest part."""
    return together([each.retrieval for each in found], " ".join(each.part.said for each in found))


def together(found: Sequence[Retrieval], question: str) -> Retrieval:
    """What several searches found as one: a passage once, the confidence the least."""
    kept: dict[str, Passage] = {}
    candidates: dict[str, Passage] = {}
    timings: dict[str, float] = {}
    for each in found:
        kept |= {p.chunk_id: p for p in each.kept if p.chunk_id not in kept}
        candidates |= {p.chunk_id: p for p in each.candidates if p.chunk_id not in candidates}
        for stage, spent in each.timings.items():
            timings[stage] = round(timings.get(stage, 0.0) + spent, 2)
    return replace(
        found[0],
        question=question,
        kept=tuple(kept.values()),
        candidates=tuple(candidates.values()),
        dropped=tuple(d for each in found for d in each.dropped if d.chunk_id not in kept),
        confidence=min(each.confidence for each in found),
        timings=timings,
    )


def _telling(text: str) -> list[str]:
    asking = set(terms(" ".join(ASKING.values()), PLAIN))
    return [term for term in terms(text, PLAIN) if term not in asking]
