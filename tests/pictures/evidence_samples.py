"""Evidence of the fictional company's answers: that stands, that has changed, that may not be seen any more."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

from bot.rendering.answer_buttons import Meant
from bot.rendering.blocks import View
from bot.rendering.evidence_view import (
    Opened,
    render_evidence,
    render_evidence_loading,
    render_evidence_sentence,
)
from bot.rendering.feedback_view import Rated, render_feedback_form
from bot.words import Words
from core.domain.document import DocumentStatus, Metadata
from core.domain.evidence import Answer, Citation, Claim, Reason, ReasonCode
from core.evidence.numbering import quote_numbers, slice_of
from core.evidence.opening import CurrentVersion, OpenedClaim, OpenedEvidence, OpenedQuote, ShownQuote
from core.evidence.proof import Standing
from core.evidence.surroundings import Paragraph
from tests.pictures.samples import (
    ANSWER_EN,
    ANSWER_ES,
    ANSWER_PARTIAL,
    ANSWER_PARTIAL_EN,
    ANSWER_TABLE,
    FACTS,
    HOSTS,
    NOW,
    answer_with,
    cite,
    claim_of,
)

RUN = ANSWER_ES.run_id
OPENED = Opened(Meant(RUN), "C0GENERAL", "U0ANA")
RATED = Rated(RUN, "C0GENERAL", "", "U0ANA")
_READ = dt.datetime(2026, 11, 2, 6, 30, tzinfo=dt.UTC)
_AROUND = {
    "Toda persona": (
        "El año de vacaciones coincide con el año natural. ",
        " Quien se incorpora durante el año tiene la parte que le corresponde.",
    ),
    "Los días no": ("", " Pasada esa fecha se pierden, salvo en caso de baja."),
    "Las personas con": ("Antigüedad. ", " Se cuentan desde la fecha de contrato."),
    "Book hotels": ("Stay within the limits below. ", " Ask the office for the list of partner hotels."),
}
_OWNERS = {"manual-vacaciones": "Equipo de Personas", "travel-policy": "Marta Gil", "per-diem": "Finanzas"}


def shown(citation: Citation, current: CurrentVersion | None = None, header: str = "") -> ShownQuote:
    """A quote within an invented paragraph."""
    facts = FACTS.get((citation.document_id, citation.document_version))
    before, after = next((found for start, found in _AROUND.items() if citation.quote.startswith(start)), ("", ""))
    metadata = Metadata(
        citation.title,
        citation.source_uri,
        owner=_OWNERS.get(citation.document_id, ""),
        modified_at=facts.modified_at if facts else None,
        valid_until=citation.valid_until,
    )
    return ShownQuote(citation, metadata, _READ, Paragraph(before, citation.quote, after, header), current)


def evidence_of(answer: Answer, **became: OpenedQuote) -> OpenedEvidence:
    """The evidence of an answer whose quotes all stand but for those under `q1`, `q2` …"""
    numbers = quote_numbers(answer.claims)
    cited = {slice_of(c): c for claim in answer.claims for c in claim.citations}
    quotes = tuple(
        became.get(f"q{number}", OpenedQuote(number, Standing.OK, shown(cited[place])))
        for place, number in numbers.items()
    )
    hidden = {quote.number for quote in quotes if quote.shown is None}

    def opened(claim: Claim) -> OpenedClaim:
        mine = tuple(sorted({numbers[slice_of(c)] for c in claim.citations}))
        text = "" if hidden.intersection(mine) else claim.text
        return OpenedClaim(text, claim.kind, claim.status, claim.reasons, mine)

    return OpenedEvidence(answer.run_id, tuple(map(opened, answer.claims)), quotes)


def _now(citation: Citation, number: int, sentence: str = "", **metadata: object) -> CurrentVersion:
    said = Metadata(citation.title, modified_at=dt.datetime(2026, 11, 18, tzinfo=dt.UTC))
    return CurrentVersion(number, replace(said, **metadata), NOW, sentence)  # type: ignore[arg-type]  # fields of Metadata


def _became(number: int, standing: Standing, citation: Citation, current: CurrentVersion) -> OpenedQuote:
    return OpenedQuote(number, standing, shown(citation, current))


def changed_es() -> OpenedEvidence:
    """One quote the document does not say any more, one that it says in another place."""
    first, second = (claim.citations[0] for claim in ANSWER_ES.claims[:2])
    third = ANSWER_ES.claims[2].citations[1]
    now = first.quote.replace("23 días", "24 días")
    return evidence_of(
        ANSWER_ES,
        q1=_became(1, Standing.CHANGED, first, _now(first, 4, now)),
        q2=_became(2, Standing.MOVED, second, _now(second, 4)),
        q3=_became(3, Standing.SUPERSEDED, third, _now(third, 1, superseded_by="convenio-2027")),
    )


def changed_en() -> OpenedEvidence:
    """A document that says nothing like it any more, and one that is only a draft now."""
    hotel, trains = ANSWER_EN.claims[0].citations[0], ANSWER_EN.claims[2].citations[0]
    return evidence_of(
        ANSWER_EN,
        q1=_became(1, Standing.CHANGED, hotel, _now(hotel, 6)),
        q3=_became(3, Standing.SUPERSEDED, trains, _now(trains, 6, status=DocumentStatus.DRAFT)),
    )


def forbidden(answer: Answer) -> OpenedEvidence:
    """A document that may not be opened any more, and one that is gone."""
    return evidence_of(
        answer,
        q1=OpenedQuote(1, Standing.FORBIDDEN),
        q3=OpenedQuote(3, Standing.GONE, is_removed=True),
    )


def long() -> OpenedEvidence:
    """More than a page takes."""
    answer = answer_with(
        *(
            claim_of(f"Regla {n}: se avisa con {n} días.", cite(f"El aviso es de {n} días.", start=n * 90))
            for n in range(3, 14)
        )
    )
    return evidence_of(answer)


def partial(answer: Answer = ANSWER_PARTIAL) -> OpenedEvidence:
    """A claim that holds in part for two reasons."""
    old = answer.claims[1].citations[0]
    now = _now(old, 1, superseded_by="manual-2024", valid_until=old.valid_until)
    evidence = evidence_of(answer, q2=_became(2, Standing.SUPERSEDED, old, now))
    first, *rest = evidence.claims
    reasons = (*first.reasons, Reason(ReasonCode.CONTRADICTED, "31 de marzo / 30 de abril"))
    return replace(evidence, claims=(replace(first, reasons=reasons), *rest))


def table() -> OpenedEvidence:
    """Rows below the header of their table."""
    evidence = evidence_of(ANSWER_TABLE)
    head, *rows = evidence.quotes
    header = head.shown.citation.quote if head.shown else ""
    return replace(
        evidence,
        quotes=(head, *(replace(q, shown=shown(q.shown.citation, header=header)) for q in rows if q.shown)),
    )


def views() -> dict[str, View]:
    """Every modal worth looking at, by the name of its picture."""
    es, en = Words("es"), Words("en")

    def drawn(evidence: OpenedEvidence, words: Words, page: int = 1) -> View:
        return render_evidence(evidence, OPENED, words, HOSTS, NOW.date(), page)

    return {
        "evidence-es": drawn(evidence_of(ANSWER_ES), es),
        "evidence-en": drawn(evidence_of(ANSWER_EN), en),
        "evidence-changed-es": drawn(changed_es(), es),
        "evidence-changed-en": drawn(changed_en(), en),
        "evidence-forbidden-es": drawn(forbidden(ANSWER_ES), es),
        "evidence-forbidden-en": drawn(forbidden(ANSWER_EN), en),
        "evidence-partial-es": drawn(partial(), es),
        "evidence-partial-en": drawn(partial(ANSWER_PARTIAL_EN), en),
        "evidence-table-es": drawn(table(), es),
        "evidence-page-es": drawn(long(), es, page=2),
        "evidence-loading-es": render_evidence_loading(es),
        "evidence-unavailable-en": render_evidence_sentence(en.evidence_unavailable(), en),
        "feedback-es": render_feedback_form(RATED, 30, es),
        "feedback-en": render_feedback_form(RATED, 30, en),
    }
