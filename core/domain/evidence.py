"""Evidence as a contract: passages, citations, claims, answers, abstentions."""

from __future__ import annotations

import datetime as dt
import hashlib
from dataclasses import dataclass
from enum import StrEnum

from core.domain.document import BlockSpan, DocumentStatus, Section


def text_hash(text: str) -> str:
    """SHA-256 of a text's UTF-8, in hex: what ties a quote to its slice."""
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Scores:
    """What the stages of retrieval said of a passage. None where a stage did not see it."""

    dense: float | None = None
    lexical: float | None = None
    dense_rank: int | None = None
    lexical_rank: int | None = None
    fused: float = 0.0
    coverage: float = 0.0
    """Share (0–1) of the question's idf mass found in the passage."""
    best_sentence: float = 0.0
    """Cosine of the question and the passage's best sentence."""
    best_sentence_coverage: float = 0.0
    interaction: float | None = None
    """What the passage has for the question's words on the mean; None where its words are not stored."""
    weakest_word: float | None = None
    """What it has for the telling word that it says least of."""
    names_missing: float = 0.0
    """Share (0–1) of what the question names that the passage does not hold; 0 where it names nothing."""
    holds_code: float = 0.0
    """1 where a code of the question stands in the passage's headings, 0.5 where in its text only."""
    relevance: float | None = None
    """The probability that it answers, as a cross-encoder says; None without one."""
    reranked: float = 0.0


@dataclass(frozen=True, slots=True)
class Passage:
    """A retrieved chunk with its scores and what is needed to cite it."""

    chunk_id: str
    tenant_id: str
    document_id: str
    document_version: int
    rule_id: int
    source: str
    uri: str
    title: str
    section_path: tuple[str, ...]
    page: int | None
    language: str
    start: int
    end: int
    text: str
    context: str
    sentences: tuple[tuple[int, int], ...]
    header: tuple[int, int] | None
    modified_at: dt.datetime | None
    valid_from: dt.date | None
    valid_until: dt.date | None
    status: DocumentStatus
    owner: str
    show_quotes: bool
    content_hash: str
    """SHA-256 of the chunk's text: equal chunks are duplicates."""
    superseded: bool = False
    """Whether another document has replaced this one."""
    scores: Scores = Scores()
    sentence_scores: tuple[float, ...] = ()
    """How well each of `sentences` answers the question, on one scale; empty before reranking."""


@dataclass(frozen=True, slots=True)
class EvidencePassage:
    """A passage frozen for one run, under the label (`p1`, `p2` …) the generator knows it by.

    `document_text` is the canonical text of the version, so that a quote which runs over two overlapping chunks is
    found; `blocks` its index.
    """

    label: str
    passage: Passage
    document_text: str
    blocks: tuple[BlockSpan, ...] = ()
    sections: tuple[Section, ...] = ()
    outdated_allowed: bool = False
    """It may be cited although it is not in force: it was asked for, or is the best there is, and is marked."""

    def section_path(self, offset: int) -> tuple[str, ...]:
        """The headings over an offset of the document: a chunk may hold several small sections."""
        found = next((s.path for s in self.sections if s.start <= offset < s.end), None)
        return self.passage.section_path if found is None else found


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that one run may cite, frozen before generation."""

    run_id: str
    tenant_id: str
    index_version: int
    retrieved_at: dt.datetime
    passages: tuple[EvidencePassage, ...]

    def by_label(self, label: str) -> EvidencePassage | None:
        """The passage under a label, or None when the label was never delivered."""
        return next((p for p in self.passages if p.label == label), None)


@dataclass(frozen=True, slots=True)
class Citation:
    """An exact slice of a known version. `canonical_text[start_offset:end_offset]` hashes to `text_hash`, always."""

    citation_id: str
    tenant_id: str
    document_id: str
    document_version: int
    chunk_id: str
    source_uri: str
    title: str
    section_path: tuple[str, ...]
    page: int | None
    start_offset: int
    end_offset: int
    quote: str
    text_hash: str
    retrieved_at: dt.datetime
    visibility: int
    """The id of the access rule under which the quote was visible."""
    index_version: int
    run_id: str
    valid_from: dt.date | None = None
    valid_until: dt.date | None = None


class ClaimKind(StrEnum):
    """How a claim comes from its quotes."""

    QUOTE = "quote"
    SYNTHESIS = "synthesis"
    CALCULATION = "calculation"


class ClaimStatus(StrEnum):
    """What the verifier found."""

    SUPPORTED = "supported"
    PARTIAL = "partial"
    UNSUPPORTED = "unsupported"


class ReasonCode(StrEnum):
    """Why a quote or a claim did not pass, or passed in part."""

    FABRICATED = "fabricated"
    EDITED = "edited"
    MISATTRIBUTED = "misattributed"
    STALE_VERSION = "stale_version"
    TRUNCATED_CONTEXT = "truncated_context"
    OUT_OF_SCOPE = "out_of_scope"
    FORBIDDEN = "forbidden"
    EXPIRED = "expired"
    TOO_SHORT = "too_short"
    HEADING_ONLY = "heading_only"
    SPLIT_WORD = "split_word"
    AMBIGUOUS = "ambiguous"
    NO_CITATION = "no_citation"
    VALUE_NOT_IN_QUOTE = "value_not_in_quote"
    CODE_NOT_IN_QUOTE = "code_not_in_quote"
    NEGATION_CHANGED = "negation_changed"
    CONDITION_DROPPED = "condition_dropped"
    CALCULATION_WRONG = "calculation_wrong"
    CALCULATION_INPUT = "calculation_input"
    NOT_ENTAILED = "not_entailed"
    MIXED_SOURCES = "mixed_sources"
    """A value stands in one place of the quotes, the words that the claim ties to it in another."""
    CONTRADICTED = "contradicted"
    """Its own quotes give different values for what it says, and it tells one of them."""
    EXTRACT_WITHHELD = "extract_withheld"


@dataclass(frozen=True, slots=True)
class Reason:
    """One finding of the verifier, as a typed value. `detail` is for the record and the evidence view."""

    code: ReasonCode
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a judge of entailment says of a claim and its quotes, kept apart from the reasons of the rules."""

    judge: str
    label: str
    """`entailment`, `neutral` or `contradiction`."""
    probability: float


@dataclass(frozen=True, slots=True)
class Claim:
    """One verified sentence of an answer."""

    text: str
    kind: ClaimKind
    status: ClaimStatus
    citations: tuple[Citation, ...]
    reasons: tuple[Reason, ...] = ()
    judgement: Judgement | None = None


@dataclass(frozen=True, slots=True)
class DraftQuote:
    """A quote that a generator offers for a claim: the label of a delivered passage and the words."""

    passage: str
    quote: str


@dataclass(frozen=True, slots=True)
class DraftInput:
    """One figure that goes into a calculation, and the index of the claim's quote it stands in."""

    name: str
    value: str
    unit: str = ""
    quote: int = 0


@dataclass(frozen=True, slots=True)
class DraftCalculation:
    """A calculation that a generator offers: inputs by name, an expression over the names, and its result."""

    inputs: tuple[DraftInput, ...]
    expression: str
    result: str
    unit: str = ""


@dataclass(frozen=True, slots=True)
class DraftClaim:
    """A claim as a generator wrote it, before the verifier saw it. Never shown to a reader."""

    text: str
    kind: ClaimKind
    quotes: tuple[DraftQuote, ...]
    calculation: DraftCalculation | None = None


class AbstentionReason(StrEnum):
    """Why there is no answer."""

    NOTHING_FOUND = "nothing_found"
    LOW_CONFIDENCE = "low_confidence"
    NOT_IN_PASSAGES = "not_in_passages"
    """The generator read the passages and says that they do not answer."""
    NOTHING_VERIFIED = "nothing_verified"
    """No claim of the generator passed the verifier."""
    EMPTY_INDEX = "empty_index"
    NOTHING_CHANGED = "nothing_changed"
    """What changed in a document was asked, and its text is what it was."""
    NO_EARLIER_VERSION = "no_earlier_version"
    """What changed was asked, and only the version of now is known."""
    DATE_NEEDED = "date_needed"
    """What changed was asked, without a day that can be read."""


@dataclass(frozen=True, slots=True)
class NearDocument:
    """A document that the audience may open and that is nearest to the question."""

    document_id: str
    title: str
    uri: str
    owner: str


@dataclass(frozen=True, slots=True)
class Abstention:
    """ "I can't find it" as an answer: why, what was searched, what is nearest and whom to ask."""

    reason: AbstentionReason
    searched: str
    """The question as it was searched."""
    sources: tuple[str, ...]
    near: tuple[NearDocument, ...]


@dataclass(frozen=True, slots=True)
class TokenUse:
    """Tokens that a run spent, and what they cost in US dollars (None: the model's price is not known)."""

    model: str
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cost_usd: float | None = None

    def plus(self, other: TokenUse | None) -> TokenUse:
        """Both together. Costs are added, since a request's size sets its price; one that is unknown makes both so."""
        if other is None:
            return self
        known = self.cost_usd is not None and other.cost_usd is not None
        return TokenUse(
            self.model,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cache_read_tokens + other.cache_read_tokens,
            self.cache_write_tokens + other.cache_write_tokens,
            (self.cost_usd or 0) + (other.cost_usd or 0) if known else None,
        )


@dataclass(frozen=True, slots=True)
class Answer:
    """What a run ends with: verified claims, or an abstention."""

    run_id: str
    question: str
    language: str
    claims: tuple[Claim, ...]
    abstention: Abstention | None
    confidence: float
    """Calibrated probability (0–1) that the passages answer the question."""
    generator: str
    index_version: int
    dropped_claims: int = 0
    notes: tuple[str, ...] = ()
    """Keys of sentences of the catalogue that the answer carries (`fallback_extractive`, `contradiction` …)."""
    use: TokenUse | None = None
    unanswered: tuple[str, ...] = ()
    """The parts of a compound question that nothing was found for, as they were asked."""

    @property
    def citations(self) -> tuple[Citation, ...]:
        """The citations of all claims, each once, in order of first use."""
        seen: dict[str, Citation] = {}
        for claim in self.claims:
            for citation in claim.citations:
                seen.setdefault(citation.citation_id, citation)
        return tuple(seen.values())
