"""The verifier: from a claim as a generator wrote it to one whose every citation is an exact slice that was found.

    DraftClaim ──► locate quotes ──► left-out context ──► kind: words, values, names, conditions, arithmetic
               ──► judge (may lower) ──► Claim

Pure: what may be seen, what day it is and the judge are given.
"""

from __future__ import annotations

import datetime as dt
import hashlib
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import replace

from core.domain.document import DocumentStatus
from core.domain.evidence import (
    Citation,
    Claim,
    ClaimKind,
    ClaimStatus,
    DraftClaim,
    Evidence,
    EvidencePassage,
    Reason,
    ReasonCode,
    text_hash,
)
from core.verification.calculation import recompute
from core.verification.claim_rules import Finding, quote_findings, quoted_values, synthesis_findings
from core.verification.clauses import left_out
from core.verification.contradictions import Side, find_contradictions
from core.verification.differences import printable
from core.verification.entailment import EntailmentJudge, lowered
from core.verification.matching import EvidenceIndex, Located
from core.verification.passages import is_heading
from core.verification.value_forms import extract_values
from core.verification.values import supported_by
from core.verification.wording import spanish_or_english

MOST_PASSAGES = 3
"""A claim cites what supports it, never the whole list."""
LONGEST_CLAIM = 6_000
"""Code points. A claim is a sentence; one that is longer than any passage follows from none."""

Span = tuple[int, int]

_INDEXES_KEPT = 8


class Verifier:
    """Verifies the claims of answers on one day."""

    def __init__(self, today: dt.date, judge: EntailmentJudge | None = None) -> None:
        self._today = today
        self._judge = judge
        self._indexes: OrderedDict[int, EvidenceIndex] = OrderedDict()

    def verify(self, draft: DraftClaim, evidence: Evidence, visible: Callable[[int], bool]) -> Claim:
        """Verify one claim against the evidence of its run.

        `visible` tells whether a rule id may be read now, by everyone who will see the answer (the second access
        check). An unsupported claim has no citations: there is nothing of it to show.
        """
        index = self._index(evidence)
        located, findings = self._locate(draft, index, visible)
        if findings:
            return _claim(draft, (), findings)
        findings = [*_repairs(located), *_context_findings(located), *_kind_findings(draft, located)]
        findings += self._contradicted(draft, located, index, visible)
        citations = tuple(
            dict.fromkeys(
                _citation(evidence, found.passage, span)
                for found in located
                if found is not None
                for span in found.slices
            )
        )
        claim = self._marked(_claim(draft, citations, findings), located)
        if self._judge is None or draft.kind is ClaimKind.QUOTE or claim.status is ClaimStatus.UNSUPPORTED:
            return claim
        return lowered(claim, self._judge.judge(draft.text, [citation.quote for citation in citations]))

    def _marked(self, claim: Claim, located: Sequence[Located | None]) -> Claim:
        """Say of a claim that rests on a version which is not in force; that lowers nothing, but must not be missed."""
        outdated = [self._outdated(found.passage) for found in located if found is not None]
        return replace(claim, reasons=tuple(dict.fromkeys((*claim.reasons, *filter(None, outdated)))))

    def _index(self, evidence: Evidence) -> EvidenceIndex:
        """The folded passages of an evidence; those of the last few runs are kept."""
        known = self._indexes.get(id(evidence))
        if known is None or known.evidence is not evidence:
            known = self._indexes[id(evidence)] = EvidenceIndex(evidence)
            while len(self._indexes) > _INDEXES_KEPT:
                self._indexes.popitem(last=False)
        return known

    def _locate(
        self, draft: DraftClaim, index: EvidenceIndex, visible: Callable[[int], bool]
    ) -> tuple[list[Located | None], list[Finding]]:
        """Find each quote. One per quote of the draft; None for those beyond the third passage."""
        if not draft.quotes:
            return [], [Finding(Reason(ReasonCode.NO_CITATION, "the claim cites nothing"), fatal=True)]
        if len(draft.text) > LONGEST_CLAIM:
            return [], [Finding(Reason(ReasonCode.NOT_ENTAILED, "the claim is longer than any passage"), fatal=True)]

        def usable(passage: EvidencePassage) -> Reason | None:
            return self._refusal(index.evidence, passage, visible)

        located: list[Located | None] = []
        findings = []
        labels: set[str] = set()
        for quote in draft.quotes:
            found = index.locate(quote.passage, quote.quote, usable)
            if isinstance(found, Reason):
                findings.append(Finding(found, fatal=True))
                continue
            label = found.passage.label
            if label not in labels and len(labels) == MOST_PASSAGES:
                located.append(None)
                continue
            labels.add(label)
            located.append(found)
        if not findings and all(
            found is None or all(is_heading(found.passage, span) for span in found.slices) for found in located
        ):
            findings.append(Finding(Reason(ReasonCode.HEADING_ONLY, "a title or heading proves nothing"), fatal=True))
        return located, findings

    def _contradicted(
        self,
        draft: DraftClaim,
        located: Sequence[Located | None],
        index: EvidenceIndex,
        visible: Callable[[int], bool],
    ) -> list[Finding]:
        """What a claim's own quotes say against it, where it tells one side of them and keeps the other silent."""
        cited = [found for found in located if found is not None]
        if draft.kind is ClaimKind.QUOTE or len({found.passage.passage.document_id for found in cited}) < 2:
            return []
        evidence = replace(index.evidence, passages=tuple({one.passage.label: one.passage for one in cited}.values()))
        said = extract_values(draft.text, spanish_or_english(draft.text))
        findings = []
        for contradiction in find_contradictions(evidence, self._today, visible):
            quoted = all(any(_holds(found, side) for found in cited) for side in contradiction.sides)
            told = [any(supported_by(value, (side.value,)) for value in said) for side in contradiction.sides]
            if quoted and any(told) and not all(told):
                detail = " / ".join(side.value.text for side in contradiction.sides)
                findings.append(Finding(Reason(ReasonCode.CONTRADICTED, printable(detail)), fatal=False))
        return findings

    def _refusal(self, evidence: Evidence, passage: EvidencePassage, visible: Callable[[int], bool]) -> Reason | None:
        """Why a passage may not be cited as what holds now."""
        chunk = passage.passage
        if chunk.tenant_id != evidence.tenant_id or not visible(chunk.rule_id):
            return Reason(ReasonCode.FORBIDDEN, f"passage {printable(passage.label)} may not be shown")
        return None if passage.outdated_allowed else self._outdated(passage)

    def _outdated(self, passage: EvidencePassage) -> Reason | None:
        """Why a passage does not say what holds today."""
        chunk = passage.passage
        if chunk.superseded:
            return Reason(ReasonCode.STALE_VERSION, "another document has replaced this one")
        if chunk.status is not DocumentStatus.IN_FORCE:
            return Reason(ReasonCode.STALE_VERSION, f"the version is {chunk.status.value}")
        if chunk.valid_until is not None and chunk.valid_until < self._today:
            return Reason(ReasonCode.EXPIRED, f"valid until {chunk.valid_until.isoformat()}")
        if chunk.valid_from is not None and chunk.valid_from > self._today:
            return Reason(ReasonCode.EXPIRED, f"valid only from {chunk.valid_from.isoformat()}")
        return None


def recheck(citation: Citation, canonical_text: str) -> bool:
    """Whether a citation still holds in a version's canonical text: the slice hashes to its hash and is its quote."""
    start, end = citation.start_offset, citation.end_offset
    if not 0 <= start < end <= len(canonical_text):
        return False
    text = canonical_text[start:end]
    return text == citation.quote and text_hash(text) == citation.text_hash


def _kind_findings(draft: DraftClaim, located: Sequence[Located | None]) -> list[Finding]:
    found = [one for one in located if one is not None]
    match draft.kind:
        case ClaimKind.QUOTE:
            return quote_findings(draft.text, [one.quote for one in draft.quotes], found)
        case ClaimKind.CALCULATION:
            outcome = recompute(
                draft.calculation, [quoted_values(one) for one in located], spanish_or_english(draft.text)
            )
            wrong = [Finding(Reason(one.code, printable(one.detail)), fatal=True) for one in outcome.reasons]
            return [*wrong, *synthesis_findings(draft.text, found, outcome.values)]
        case ClaimKind.SYNTHESIS:
            return synthesis_findings(draft.text, found)


def _holds(found: Located, side: Side) -> bool:
    """Whether a quote has the value of one side of a contradiction, with some of its words."""
    if found.passage.label != side.label:
        return False
    start, end = side.span[0] + side.value.start, side.span[0] + side.value.end
    return any(first <= start and end <= last for first, last in found.slices)


def _repairs(located: Sequence[Located | None]) -> list[Finding]:
    return [
        Finding(
            Reason(
                ReasonCode.MISATTRIBUTED,
                f"cited as {printable(found.repaired_from)}, stands in {printable(found.passage.label)}",
            ),
            fatal=False,
        )
        for found in located
        if found is not None and found.repaired_from is not None
    ]


def _context_findings(located: Sequence[Located | None]) -> list[Finding]:
    findings = []
    for found in located:
        if found is None:
            continue
        text = found.passage.document_text
        for place, (start, end) in enumerate(found.slices):
            after = found.slices[place - 1][1] if place else 0
            until = found.slices[place + 1][0] if place + 1 < len(found.slices) else None
            outside = left_out(text, start, end, after, until)
            if outside is not None:
                reason = Reason(ReasonCode.TRUNCATED_CONTEXT, printable(outside.text))
                findings.append(Finding(reason, fatal=outside.negates))
    return findings


def _claim(draft: DraftClaim, citations: tuple[Citation, ...], findings: Sequence[Finding]) -> Claim:
    status = ClaimStatus.SUPPORTED
    if findings:
        fatal = any(finding.fatal for finding in findings)
        status = ClaimStatus.UNSUPPORTED if fatal else ClaimStatus.PARTIAL
    reasons = tuple(dict.fromkeys(finding.reason for finding in findings))
    return Claim(draft.text, draft.kind, status, () if status is ClaimStatus.UNSUPPORTED else citations, reasons)


def _citation(evidence: Evidence, passage: EvidencePassage, span: Span) -> Citation:
    chunk = passage.passage
    quote = passage.document_text[slice(*span)]
    return Citation(
        citation_id=citation_id(evidence.run_id, chunk.document_id, chunk.document_version, span),
        tenant_id=chunk.tenant_id,
        document_id=chunk.document_id,
        document_version=chunk.document_version,
        chunk_id=chunk.chunk_id,
        source_uri=chunk.uri,
        title=chunk.title,
        section_path=passage.section_path(span[0]),
        page=chunk.page,
        start_offset=span[0],
        end_offset=span[1],
        quote=quote,
        text_hash=text_hash(quote),
        retrieved_at=evidence.retrieved_at,
        visibility=chunk.rule_id,
        index_version=evidence.index_version,
        run_id=evidence.run_id,
        valid_from=chunk.valid_from,
        valid_until=chunk.valid_until,
    )


def citation_id(run_id: str, document_id: str, version: int, span: Span) -> str:
    """The stable id of a citation: the same slice in the same run has the same id, nothing else does."""
    key = "\x00".join((run_id, document_id, str(version), str(span[0]), str(span[1])))
    return f"c-{hashlib.sha256(key.encode('utf-8', 'surrogatepass')).hexdigest()[:20]}"
