"""Answers, abstentions and the rest of a fictional company, to be drawn and to be tested on."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

from bot.rendering import (
    ErrorKind,
    Message,
    SourceFacts,
    SourceStatus,
    render_answer,
    render_error,
    render_help,
    render_private_addition,
    render_progress,
    render_status,
    render_summary,
    share_value,
)
from bot.rendering.blocks import Block
from bot.rendering.streaming import inert, settled
from bot.words import Words
from core.domain.document import DocumentStatus
from core.domain.evidence import (
    Abstention,
    AbstentionReason,
    Answer,
    Citation,
    Claim,
    ClaimKind,
    ClaimStatus,
    NearDocument,
    Reason,
    ReasonCode,
    text_hash,
)
from core.domain.syncing import SyncCounts, SyncFailure, SyncFinished, SyncProgress

NOW = dt.datetime(2026, 11, 20, 10, 0, tzinfo=dt.UTC)
HOSTS = ("wiki.faroazul.example", "drive.faroazul.example")
_WIKI = "https://wiki.faroazul.example/spaces/RRHH/pages"


def cite(
    quote: str,
    *,
    document: str = "manual-vacaciones",
    title: str = "Manual de vacaciones",
    section: tuple[str, ...] = ("Días por año",),
    version: int = 3,
    start: int = 100,
    uri: str = f"{_WIKI}/1201/Manual-de-vacaciones",
    page: int | None = None,
    valid_until: dt.date | None = None,
) -> Citation:
    """A citation with the fields that are seen."""
    return Citation(
        citation_id=f"{document}-{version}-{start}",
        tenant_id="faro",
        document_id=document,
        document_version=version,
        chunk_id=f"{document}#s1-p1",
        source_uri=uri,
        title=title,
        section_path=section,
        page=page,
        start_offset=start,
        end_offset=start + len(quote),
        quote=quote,
        text_hash=text_hash(quote),
        retrieved_at=NOW,
        visibility=1,
        index_version=7,
        run_id="run-1",
        valid_until=valid_until,
    )


def answer_with(
    *claims: Claim,
    language: str = "es",
    notes: tuple[str, ...] = (),
    abstention: Abstention | None = None,
    dropped: int = 0,
) -> Answer:
    """An answer of these claims."""
    return Answer(
        run_id="01d2c7" + "0" * 26,
        question="¿Cuántos días de vacaciones tengo?",
        language=language,
        claims=claims,
        abstention=abstention,
        confidence=0.93,
        generator="claude-sonnet-5-5",
        index_version=7,
        dropped_claims=dropped,
        notes=notes,
    )


def claim_of(text: str, *citations: Citation, kind: ClaimKind = ClaimKind.QUOTE) -> Claim:
    """A supported claim."""
    return Claim(text, kind, ClaimStatus.SUPPORTED, citations)


FACTS = {
    ("manual-vacaciones", 3): SourceFacts(dt.datetime(2026, 3, 12, tzinfo=dt.UTC)),
    ("manual-vacaciones", 1): SourceFacts(dt.datetime(2023, 2, 1, tzinfo=dt.UTC), superseded=True),
    ("travel-policy", 5): SourceFacts(dt.datetime(2026, 9, 2, tzinfo=dt.UTC)),
    ("convenio", 1): SourceFacts(dt.datetime(2026, 1, 15, tzinfo=dt.UTC)),
    ("per-diem", 2): SourceFacts(dt.datetime(2026, 6, 30, tzinfo=dt.UTC)),
    ("nota-carlos", 1): SourceFacts(dt.datetime(2026, 10, 5, tzinfo=dt.UTC), status=DocumentStatus.DRAFT),
}

_DAYS = cite("Toda persona con jornada completa dispone de 23 días laborables de vacaciones por año natural.")
_CARRY = cite(
    "Los días no disfrutados pueden pasarse al año siguiente hasta el 31 de marzo, previo acuerdo con la persona "
    "responsable.",
    start=420,
    section=("Días por año", "Días pendientes"),
)
_AGREEMENT = cite(
    "Las personas con más de diez años de antigüedad tendrán derecho a dos días laborables adicionales.",
    document="convenio",
    title="Convenio colectivo 2026",
    section=("Capítulo IV", "Artículo 31. Vacaciones"),
    version=1,
    page=42,
    start=9000,
    uri="https://drive.faroazul.example/files/Convenio (2026)/convenio.pdf",
)

ANSWER_ES = answer_with(
    claim_of("Con jornada completa son 23 días laborables de vacaciones por año natural.", _DAYS),
    claim_of(_CARRY.quote, _CARRY),
    claim_of(
        "Con más de diez años de antigüedad son 25 días laborables.", _DAYS, _AGREEMENT, kind=ClaimKind.CALCULATION
    ),
)

_HOTEL = cite(
    "Book hotels up to 140 € a night in Spain and up to 180 € abroad, breakfast included.",
    document="travel-policy",
    title="Travel policy",
    section=("Hotels", "Limits"),
    version=5,
    start=1800,
    uri=f"{_WIKI}/88/Travel-policy",
)
_APPROVAL = cite(
    "Anything above the limit needs the written approval of your manager before you book.",
    document="travel-policy",
    title="Travel policy",
    section=("Hotels", "Limits"),
    version=5,
    start=1890,
    uri=f"{_WIKI}/88/Travel-policy",
)
_TRAINS = cite(
    "Trains are preferred to planes for journeys of less than four hours.",
    document="travel-policy",
    title="Travel policy",
    section=("Getting there",),
    version=5,
    start=900,
    uri=f"{_WIKI}/88/Travel-policy",
)

ANSWER_EN = answer_with(
    claim_of("In Spain a hotel may cost up to 140 € a night, breakfast included.", _HOTEL),
    claim_of(_APPROVAL.quote, _APPROVAL),
    claim_of(
        "For a short trip within Spain: the train, and a hotel of up to 140 € a night.",
        _TRAINS,
        _HOTEL,
        kind=ClaimKind.SYNTHESIS,
    ),
    language="en",
    dropped=1,
)


def _allowance(quote: str, start: int) -> Citation:
    return cite(
        quote,
        document="per-diem",
        title="Dietas y kilometraje",
        section=("Importes por destino",),
        version=2,
        start=start,
        uri="https://wiki.faroazul.example/spaces/FIN/pages/310/Dietas",
    )


_HEADER = _allowance("Destino | Dieta completa | Media dieta | Hotel", 300)
_PORTUGAL = _allowance("Portugal | 48,00 € | 24,00 € | 120,00 €", 410)
_FRANCE = _allowance("Francia | 62,00 € | 31,00 € | 165,00 €", 450)

ANSWER_ROW = answer_with(
    claim_of(
        "Destino: Portugal · Dieta completa: 48,00 € · Media dieta: 24,00 € · Hotel: 120,00 €", _HEADER, _PORTUGAL
    ),
)
ANSWER_TABLE = answer_with(
    claim_of("\n".join(row.quote for row in (_HEADER, _PORTUGAL, _FRANCE)), _HEADER, _PORTUGAL, _FRANCE),
)

ANSWER_PARTIAL = answer_with(
    Claim(
        "Los días no disfrutados pueden pasarse al año siguiente.",
        ClaimKind.QUOTE,
        ClaimStatus.PARTIAL,
        (_CARRY,),
        (Reason(ReasonCode.CONDITION_DROPPED, "hasta el 31 de marzo, previo acuerdo con la persona responsable"),),
    ),
    claim_of(
        "Los días que no se disfruten dentro del año natural se pierden.",
        cite(
            "Los días que no se disfruten dentro del año natural se pierden.",
            version=1,
            start=80,
            valid_until=dt.date(2023, 12, 31),
        ),
    ),
    notes=("low_confidence", "fallback_extractive"),
)

ANSWER_PARTIAL_EN = answer_with(
    Claim(
        "Hotels above the limit need your manager's approval.",
        ClaimKind.QUOTE,
        ClaimStatus.PARTIAL,
        (_APPROVAL,),
        (Reason(ReasonCode.CONDITION_DROPPED, "written approval, before you book"),),
    ),
    claim_of(
        "Receipts are kept for two years.",
        cite(
            "Receipts are kept for two years.",
            document="nota-carlos",
            title="Notes on expenses",
            section=("Receipts",),
            version=1,
            start=60,
            uri=f"{_WIKI}/90/Notes-on-expenses",
        ),
    ),
    language="en",
    notes=("low_confidence", "contradiction"),
)


def _rate(quote: str, start: int) -> Citation:
    return cite(
        quote,
        document="per-diem",
        title="Daily allowances",
        section=("By country",),
        version=2,
        start=start,
        uri="https://wiki.faroazul.example/spaces/FIN/pages/311/Allowances",
    )


_RATES = (
    _rate("Country | Full day | Half day | Hotel", 300),
    _rate("Portugal | 48.00 € | 24.00 € | 120.00 €", 410),
    _rate("France | 62.00 € | 31.00 € | 165.00 €", 450),
)
ANSWER_TABLE_EN = answer_with(claim_of("\n".join(row.quote for row in _RATES), *_RATES), language="en")

_BAND_ES = cite(
    "La banda N4 va de 46.000 a 58.500 euros brutos al año.",
    document="convenio",
    title="Bandas salariales 2026",
    section=("Bandas",),
    version=1,
    start=40,
    uri=f"{_WIKI}/77/Bandas",
)
_BAND_EN = cite(
    "Band N4 goes from 46,000 to 58,500 euros a year before tax.",
    document="convenio",
    title="Salary bands 2026",
    section=("Bands",),
    version=1,
    start=40,
    uri=f"{_WIKI}/78/Bands",
)
ADDITION_ES = answer_with(claim_of("La banda N4 llega a 58.500 euros brutos al año.", _BAND_ES))
ADDITION_EN = answer_with(claim_of("Band N4 ends at 58,500 euros a year before tax.", _BAND_EN), language="en")

ABSTENTION_ES = Abstention(
    AbstentionReason.NOT_IN_PASSAGES,
    "¿Hay vida en Marte?",
    ("Wiki de RRHH", "Drive de Finanzas"),
    (
        NearDocument("travel-policy", "Travel policy", f"{_WIKI}/88/Travel-policy", "Marta Gil"),
        NearDocument("guia", "Guía de acogida", f"{_WIKI}/12/Guia", "Equipo de Personas"),
        NearDocument("old", "Calendario laboral", "", ""),
    ),
)
ABSTENTION_EN = Abstention(
    AbstentionReason.LOW_CONFIDENCE, "Is there life on Mars?", ("HR wiki", "Finance drive"), ABSTENTION_ES.near
)

_PROGRESS = (SyncProgress("rrhh", 180, 240), SyncProgress("finanzas", 36, None))
_FINISHED = (
    SyncFinished("rrhh", SyncCounts(added=4, changed=11, removed=1, unchanged=225, access_only=2), 41.0),
    SyncFinished(
        "finanzas",
        SyncCounts(added=1, unchanged=51, failed=1),
        22.0,
        (SyncFailure("presupuesto.xlsx", "The file is protected by a password: store a copy without one."),),
    ),
)


def _streamed(answer: Answer, words: Words) -> tuple[Message, ...]:
    """A message in the middle of its stream: the stages as task cards, and the claims that are settled so far."""
    titles = list(dict.fromkeys(citation.title for claim in answer.claims for citation in claim.citations))
    stages = (
        (words.searching(), "complete"),
        (words.reading(4, titles[:2]), "complete"),
        (words.checking(), "in_progress"),
    )
    tasks = [
        {"task_id": f"stage-{number}", "title": inert(title), "status": status}
        for number, (title, status) in enumerate(stages)
    ]
    shown = settled(
        replace(answer, claims=answer.claims[:2]), lambda grown: render_answer(grown, words, HOSTS, NOW, FACTS)
    )
    plan: Block = {"type": "plan", "title": inert(words.checking()), "tasks": tasks}
    return (Message(words.checking(), (plan, *shown)),)


def messages() -> dict[str, tuple[Message, ...]]:
    """Everything worth looking at, by the name of its picture."""
    es, en = Words("es"), Words("en")

    def answered(answer: Answer, words: Words) -> tuple[Message, ...]:
        return render_answer(answer, words, HOSTS, NOW, FACTS)

    def added(answer: Answer, words: Words) -> tuple[Message, ...]:
        return render_private_addition(answered(answer, words), share_value(answer.run_id, "1.0", (0,)), words)

    return {
        "answer-es": answered(ANSWER_ES, es),
        "answer-en": answered(ANSWER_EN, en),
        "streaming-es": _streamed(ANSWER_ES, es),
        "streaming-en": _streamed(ANSWER_EN, en),
        "table-row-es": answered(ANSWER_ROW, es),
        "table-es": answered(ANSWER_TABLE, es),
        "table-en": answered(ANSWER_TABLE_EN, en),
        "partial-es": answered(ANSWER_PARTIAL, es),
        "partial-en": answered(ANSWER_PARTIAL_EN, en),
        "private-es": added(ADDITION_ES, es),
        "private-en": added(ADDITION_EN, en),
        "abstention-es": answered(answer_with(abstention=ABSTENTION_ES), es),
        "abstention-en": answered(answer_with(abstention=ABSTENTION_EN), en),
        "error-es": (render_error(ErrorKind.UNEXPECTED, "7F3K-Q2", es),),
        "error-en": (render_error(ErrorKind.PERMISSION_CHECK, "7F3K-Q2", en),),
        "help-es": (render_help(es, ("¿Cuántos días de vacaciones tengo?", "¿Qué hotel puedo reservar?"), admin=True),),
        "help-en": (render_help(en, ("How many days of holiday do I have?",)),),
        "reindex-es": (render_progress(_PROGRESS, es), render_summary(_FINISHED, es)),
        "status-en": (
            render_status((SourceStatus("hr", 242, NOW), SourceStatus("finance", 0, None)), en, index_lag=3),
        ),
    }
