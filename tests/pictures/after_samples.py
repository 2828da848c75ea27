"""What follows an answer, of the fictional company: sources that changed, questions for people, gaps, alerts."""

from __future__ import annotations

import datetime as dt

from bot.rendering import Message, render_answer
from bot.rendering.alerts import render_alert
from bot.rendering.asking_people import (
    Handover,
    Reach,
    render_ask_form,
    render_ask_sentence,
    render_asked,
    render_looking,
    render_offer,
    render_suggested,
)
from bot.rendering.blocks import View
from bot.rendering.gaps import render_gaps, render_gaps_csv
from bot.rendering.living import render_news, render_news_for_asker, with_news
from bot.words import Words
from core.alerts.alert import Alert, AlertKind, SourceFact
from core.domain.evidence import Answer, NearDocument
from core.gaps import Gap
from core.living import News, NewsKind
from tests.pictures.samples import (
    ABSTENTION_EN,
    ABSTENTION_ES,
    ANSWER_EN,
    ANSWER_ES,
    FACTS,
    HOSTS,
    NOW,
    answer_with,
)

RUN = "01d2c7" + "0" * 26
_CHANGED_ON = dt.date(2026, 11, 18)
_WIKI = "https://wiki.faroazul.example/spaces/RRHH/pages"
NEWS_ES = (
    News(
        NewsKind.CHANGED,
        "Manual de vacaciones",
        _CHANGED_ON,
        ("Toda persona con jornada completa dispone de 24 días laborables de vacaciones por año natural.",),
    ),
    News(NewsKind.UNAVAILABLE),
)
NEWS_EN = (
    News(
        NewsKind.CHANGED, "Travel policy", _CHANGED_ON, ("Book hotels up to 130 € a night through the travel portal.",)
    ),
    News(NewsKind.REPLACED, "Per diem 2025", _CHANGED_ON),
)
GAPS_ES = (
    Gap(
        "¿Cuánto cuesta el menú de la cantina?",
        7,
        5,
        6,
        1,
        dt.date(2026, 11, 18),
        (
            NearDocument("guia", "Guía de acogida", f"{_WIKI}/12/Guia", "Equipo de Personas"),
            NearDocument("oficina", "Servicios de la oficina", f"{_WIKI}/44/Servicios", "Marta Gil"),
        ),
        ("Desde mayo cuesta 7,50 €.",),
    ),
    Gap("¿Se puede traer al perro a la oficina?", 3, 3, 3, 0, dt.date(2026, 11, 12)),
)
GAPS_EN = (
    Gap(
        "How do I get a company credit card?",
        4,
        3,
        4,
        0,
        dt.date(2026, 11, 17),
        (NearDocument("travel", "Travel policy", f"{_WIKI}/88/Travel-policy", "Marta Gil"),),
    ),
    Gap("Who approves overtime?", 1, 1, 0, 1, dt.date(2026, 11, 9)),
)
ALERTS = (
    Alert(AlertKind.COVERAGE, 0.97, 0.82, 18, 100),
    Alert(AlertKind.ABSTENTIONS, 0.12, 0.31, 31, 100),
    Alert(AlertKind.CHANGES, sources=(SourceFact("rrhh", 190, 240),)),
    Alert(AlertKind.FAILED, sources=(SourceFact("finanzas", since=NOW),)),
    Alert(AlertKind.LATE, sources=(SourceFact("rrhh", since=NOW),)),
    Alert(AlertKind.HIDDEN_CITED, count=2, total=5),
    Alert(AlertKind.LINKS, count=3, total=120, sources=(SourceFact("rrhh", 3, 120),)),
)


def _with_news(answer: Answer, news: tuple[News, ...], words: Words) -> tuple[Message, ...]:
    (drawn,) = render_answer(answer, words, HOSTS, NOW, FACTS)
    told = with_news(drawn.blocks, drawn.text, news, words)
    assert told is not None
    return (told, render_news_for_asker(news, words))


def after_messages() -> dict[str, tuple[Message, ...]]:
    """Every message worth looking at, by the name of its picture."""
    es, en = Words("es"), Words("en")
    (abstained_es,) = render_answer(answer_with(abstention=ABSTENTION_ES), es, HOSTS, NOW, people=True)
    (abstained_en,) = render_answer(answer_with(abstention=ABSTENTION_EN), en, HOSTS, NOW, people=True)
    return {
        "living-es": _with_news(ANSWER_ES, NEWS_ES, es),
        "living-en": _with_news(ANSWER_EN, NEWS_EN, en),
        "living-below-en": (render_news((*NEWS_EN, News(NewsKind.UNTOLD)), en),),
        "ask-person-es": (abstained_es,),
        "ask-person-en": (abstained_en,),
        "asked-es": (
            render_asked("U0ANA", "¿Cuánto cuesta el menú de la cantina?", f"{_WIKI}/1", es),
            render_offer("1:1.0", es),
            render_suggested("U0EVA", "¿Cuánto cuesta el menú?", "Desde mayo cuesta 7,50 €.", f"{_WIKI}/1", es),
        ),
        "asked-en": (
            render_asked("U0ANA", "How much is the lunch menu?", "", en),
            render_offer("1:1.0", en),
            render_suggested("U0EVA", "How much is the lunch menu?", "It is 7.50 € since May.", "", en),
        ),
        "gaps-es": (render_gaps(GAPS_ES, es, HOSTS, 30),),
        "gaps-en": (render_gaps(GAPS_EN, en, HOSTS, 7), *render_gaps_csv(GAPS_EN, en)),
        "alerts-es": tuple(render_alert(alert, es) for alert in ALERTS),
        "alerts-en": tuple(render_alert(alert, en) for alert in ALERTS),
    }


def after_views() -> dict[str, View]:
    """Every modal worth looking at, by the name of its picture."""
    es, en = Words("es"), Words("en")

    def form(reach: Reach, question: str, words: Words) -> View:
        to = "U0EVA" if reach is Reach.DIRECT else "C0AYUDA"
        handover = Handover(run=RUN, user="U0ANA", place="C0GENERAL", thread="1.0", to=to, reach=reach)
        return render_ask_form(handover, question, words, linked=reach is not Reach.DIRECT)

    return {
        "ask-form-es": form(Reach.PUBLIC, "¿Cuánto cuesta el menú de la cantina?", es),
        "ask-form-en": form(Reach.DIRECT, "How much is the lunch menu of the canteen?", en),
        "ask-form-empty-en": form(Reach.CLOSED, "", en),
        "ask-looking-es": render_looking(es),
        "ask-nobody-en": render_ask_sentence(en.ask_person_nobody(), en),
    }
