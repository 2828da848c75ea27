"""Home tabs, forms of settings, reports of syncs and the status of the fictional company."""

from __future__ import annotations

import datetime as dt

from bot.rendering import Message, render_status, render_summary
from bot.rendering.blocks import View
from bot.rendering.home import AdminsPart, HeldBack, HomeContents, render_home
from bot.rendering.settings_view import SettingsForm, render_settings
from bot.rendering.status import LastSync, Machinery, NextSync, SourceStatus
from bot.words import Words
from core.domain.evidence import ClaimKind, ClaimStatus, Reason, ReasonCode
from core.domain.syncing import DocumentChange, DocumentState, SyncCounts, SyncFailure, SyncFinished
from core.evidence.opening import OpenedClaim
from core.gaps import Gap
from core.reviews import Review
from core.settings import Mode
from core.store.conversations import OwnQuestion
from core.store.place_settings import AnswerLanguage, PlaceSettings
from tests.pictures.samples import NOW

TOMORROW = NOW + dt.timedelta(hours=17)
FORM = SettingsForm("brisa", "C0GENERAL", "U0ANA")
DIRECT_FORM = SettingsForm("brisa", "D0ANA", "U0ANA")
SET = PlaceSettings(
    ("rrhh",), Mode.STRICT, follow_ups=True, language=AnswerLanguage.SPANISH, set_by="U0ANA", set_at=NOW.timestamp()
)
MACHINERY = Machinery(318, 4_212, 87, "multilingual-e5-small+centred", "extractive", "0.1.0")
READABLE = (SourceStatus("rrhh", 242, NOW), SourceStatus("finanzas", 76, NOW - dt.timedelta(days=3)))
SYNCED = (
    SourceStatus(
        "rrhh", 242, NOW, LastSync(NOW, "done", "timetable"), NextSync(TOMORROW, "every 24 hours")
    ),
    SourceStatus(
        "finanzas",
        76,
        NOW - dt.timedelta(days=3),
        LastSync(
            NOW,
            "held_back",
            "ana@brisa-logistics.example",
            (
                "31 of 76 documents are no longer in the export, more than 20%: they were kept.",
                "presupuesto.xlsx: The file is protected by a password: store a copy without one.",
            ),
        ),
        NextSync(TOMORROW, "0 3 * * mon-fri", missed=1),
    ),
)  # fmt: skip
QUESTIONS_ES = (
    OwnQuestion(12, "¿Cuántos días de vacaciones tengo si llevo seis años en la empresa?", NOW.timestamp()),
    OwnQuestion(9, "¿Qué hotel puedo reservar en Lisboa?", NOW.timestamp() - 86_400),
)
QUESTIONS_EN = (
    OwnQuestion(12, "How many days of annual leave do I have after six years?", NOW.timestamp()),
    OwnQuestion(9, "Which hotel may I book in Lisbon?", NOW.timestamp() - 86_400),
)
_ASKED = dt.date(2026, 11, 19)
GAPS_ES = (
    Gap("¿Qué cubre el seguro del coche de empresa?", 6, 4, 5, 1, _ASKED),
    Gap("¿Hay permiso por mudanza?", 2, 2, 2, 0, _ASKED),
)
GAPS_EN = (
    Gap("What does the insurance of company cars cover?", 6, 4, 5, 1, _ASKED),
    Gap("Is there leave for moving house?", 2, 2, 2, 0, _ASKED),
)


def _claim(text: str, *reasons: ReasonCode) -> OpenedClaim:
    status = ClaimStatus.PARTIAL if reasons else ClaimStatus.SUPPORTED
    return OpenedClaim(text, ClaimKind.SYNTHESIS, status, tuple(map(Reason, reasons)), (1,))


REVIEWS_ES = (
    Review(
        "0" * 32,
        NOW.timestamp(),
        (
            _claim("Cada persona tiene 23 días laborables de vacaciones al año."),
            _claim("Los días no disfrutados pasan al año siguiente.", ReasonCode.CONDITION_DROPPED),
        ),
        ("Manual de vacaciones", "Convenio 2026"),
        2,
        {"value_not_in_quote": 1, "fabricated": 1},
    ),
    Review("1" * 32, NOW.timestamp() - 86_400, (_claim("La plaza de garaje cuesta 35 € al mes."),), ("Garaje",), 0, {}),
)
REVIEWS_EN = (
    Review(
        "0" * 32,
        NOW.timestamp(),
        (
            _claim("Everybody has 23 working days of holiday a year."),
            _claim("Days that were not taken pass to the next year.", ReasonCode.CONDITION_DROPPED),
        ),
        ("Holiday handbook", "Agreement 2026"),
        2,
        {"value_not_in_quote": 1, "fabricated": 1},
    ),
    Review("1" * 32, NOW.timestamp() - 86_400, (_claim("A parking space costs 35 € a month."),), ("Parking",), 0, {}),
)
_PLANNED = SyncFinished(
    "rrhh",
    SyncCounts(added=2, changed=1, access_only=1, removed=1, unchanged=238),
    3.0,
    changes=(
        DocumentChange("beneficios-2027.md", DocumentState.ADDED, "It is new in the export."),
        DocumentChange("permisos/mudanza.md", DocumentState.ADDED, "It is new in the export."),
        DocumentChange("manual-vacaciones.md", DocumentState.CHANGED, "Its text changed."),
        DocumentChange("salarios.xlsx", DocumentState.ACCESS_ONLY, "Who may read it changed."),
        DocumentChange("convenio-2019.pdf", DocumentState.REMOVED, "It is no longer in the export."),
    ),
    dry_run=True,
)
_HELD = SyncFinished(
    "finanzas",
    SyncCounts(added=1, changed=4, access_only=2, unchanged=37, failed=1),
    22.0,
    (SyncFailure("presupuesto.xlsx", "The file is protected by a password: store a copy without one."),),
    held_back="31 of 76 documents are no longer in the export, more than 20%: they were kept. "
    "If they are really gone, run the sync with --confirm-removals.",
    awaiting=31,
)


def home_views() -> dict[str, View]:
    """Home tabs, by the name of their picture."""
    es, en = Words("es"), Words("en")
    held = (HeldBack("finanzas", 31, 17),)
    return {
        "home-es": render_home(HomeContents(READABLE, QUESTIONS_ES, "", 30), es),
        "home-en": render_home(HomeContents(READABLE, QUESTIONS_EN, "en", 30, en.forget_done(3, 1, 2)), en),
        "home-admin-es": render_home(
            HomeContents(
                READABLE, QUESTIONS_ES, "", 30, admin=AdminsPart(SYNCED, held, MACHINERY, GAPS_ES, REVIEWS_ES)
            ),
            es,
        ),
        "home-admin-en": render_home(
            HomeContents(READABLE, (), "en", 30, admin=AdminsPart(SYNCED, held, MACHINERY, GAPS_EN, REVIEWS_EN)), en
        ),
    }


def settings_views() -> dict[str, View]:
    """Forms, by the name of their picture."""
    es, en = Words("es"), Words("en")
    return {
        "settings-es": render_settings(FORM, "sealed", SET, ("rrhh", "finanzas"), es),
        "settings-en": render_settings(FORM, "sealed", PlaceSettings(), ("rrhh", "finanzas"), en),
        "settings-direct-es": render_settings(DIRECT_FORM, "sealed", PlaceSettings(), ("rrhh",), es),
    }


def reports() -> dict[str, tuple[Message, ...]]:
    """Reports of syncs, and the status, by the name of their picture."""
    es, en = Words("es"), Words("en")
    return {
        "sync-held-es": (render_summary((_HELD,), es, held={"finanzas": 17}),),
        "sync-held-en": (render_summary((_HELD,), en, held={"finanzas": 17}),),
        "sync-plan-es": (render_summary((_PLANNED,), es),),
        "sync-plan-en": (render_summary((_PLANNED,), en),),
        "status-es": (render_status(READABLE, es),),
        "status-admin-es": (render_status(SYNCED, es, machinery=MACHINERY),),
        "status-admin-en": (render_status(SYNCED, en, machinery=MACHINERY),),
    }
