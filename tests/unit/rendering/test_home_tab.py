from __future__ import annotations

import dataclasses

import pytest

from bot.rendering import Message
from bot.rendering.blocks import View
from bot.rendering.home import (
    ASK_AGAIN_ACTION,
    FORGET_ACTION,
    LANGUAGE_ACTION,
    REINDEX_ACTION,
    AdminsPart,
    HeldBack,
    HomeContents,
    render_home,
)
from bot.rendering.status import LastSync, Machinery, NextSync, SourceStatus
from bot.rendering.sync_report import REMOVALS_ACTION
from bot.words import Words
from core.domain.evidence import ClaimKind, ClaimStatus, Reason, ReasonCode
from core.evidence.opening import OpenedClaim
from core.gaps import Gap
from core.reviews import Review
from core.store.conversations import OwnQuestion
from tests.pictures.home_samples import GAPS_ES, MACHINERY, QUESTIONS_ES, READABLE, REVIEWS_ES, SYNCED, home_views
from tests.pictures.samples import NOW
from tests.unit.rendering.slack_checks import check_home, elements, said

ES, EN = Words("es"), Words("en")
PLAIN = HomeContents(READABLE, QUESTIONS_ES, "", 30)
FOR_ADMINS = AdminsPart(SYNCED, (HeldBack("finanzas", 31, 17),), MACHINERY, GAPS_ES, REVIEWS_ES)


def message(view: View) -> Message:
    return Message("", tuple(view["blocks"]))


def actions(view: View) -> list[str]:
    return [e["action_id"] for e in elements(message(view)) if "action_id" in e]


@pytest.mark.parametrize("name", sorted(home_views()))
def test_slack_takes_every_sample(name: str) -> None:
    check_home(home_views()[name])


def test_what_admins_see_is_in_no_one_elses_tab() -> None:
    view = render_home(PLAIN, ES)
    assert {REINDEX_ACTION, REMOVALS_ACTION}.isdisjoint(actions(view))
    assert ES.home_review() not in said(message(view))
    admins = render_home(dataclasses.replace(PLAIN, admin=FOR_ADMINS), ES)
    assert {REINDEX_ACTION, REMOVALS_ACTION} <= set(actions(admins))
    assert "¿Qué cubre el seguro del coche de empresa?" in said(message(admins))
    assert "seguro" not in said(message(view))


def test_a_question_is_asked_again_by_its_number_and_not_by_its_words() -> None:
    buttons = [e for e in elements(message(render_home(PLAIN, ES))) if e.get("action_id") == ASK_AGAIN_ACTION]
    assert [button["value"] for button in buttons] == ["12", "9"]


@pytest.mark.parametrize(("language", "shown"), [("", "auto"), ("es", "es"), ("en", "en")])
def test_the_chosen_language_is_the_one_that_is_shown_as_chosen(language: str, shown: str) -> None:
    view = render_home(dataclasses.replace(PLAIN, language=language), ES)
    (menu,) = (e for e in elements(message(view)) if e.get("action_id") == LANGUAGE_ACTION)
    assert menu["initial_option"]["value"] == shown
    assert [option["value"] for option in menu["options"]] == ["auto", "en", "es"]


def test_what_cannot_be_undone_asks_first_and_says_how_much_it_is() -> None:
    view = render_home(dataclasses.replace(PLAIN, admin=FOR_ADMINS), EN)
    asking = {e["action_id"]: e["confirm"] for e in elements(message(view)) if "confirm" in e and "action_id" in e}
    assert set(asking) == {FORGET_ACTION, REMOVALS_ACTION}
    assert asking[REMOVALS_ACTION]["title"]["text"] == "Remove 31 documents?"
    assert "finanzas" in asking[REMOVALS_ACTION]["text"]["text"]


def test_a_review_marks_each_claim_and_says_what_was_dropped_and_why() -> None:
    text = said(message(render_home(dataclasses.replace(PLAIN, admin=FOR_ADMINS), EN)))
    assert "✓ Cada persona tiene 23 días laborables" in text
    assert "◐ Los días no disfrutados pasan al año siguiente. — Holds in part" in text
    assert "2 sentences were left out" in text
    assert "the quote is not in the document; a number, name or sum is not in the quote" in text
    assert "From: Manual de vacaciones and Convenio 2026" in text


@pytest.mark.parametrize("code", [*ReasonCode, "given_up"])
def test_each_reason_has_words(code: str) -> None:
    for words in (ES, EN):
        assert words.dropped_reason(code)


@pytest.mark.parametrize("words", [ES, EN])
def test_however_much_there_is_slack_takes_it(words: Words) -> None:
    long = "x <!channel> *b* & " * 200
    claims = tuple(
        OpenedClaim(long, ClaimKind.QUOTE, ClaimStatus.PARTIAL, (Reason(ReasonCode.AMBIGUOUS, long),), (1,))
        for _ in range(40)
    )
    source = SourceStatus(
        long, 10**9, NOW, LastSync(NOW, "failed", long, (long,) * 50), NextSync(NOW, long[:160], 10**6)
    )
    admin = AdminsPart(
        (source,) * 60,
        tuple(HeldBack(long, 10**9, n) for n in range(60)),
        Machinery(10**9, 10**9, 10**9, long[:200], long[:200], "1"),
        (Gap(long, 10**9, 10**9, 1, 1, NOW.date()),) * 60,
        tuple(Review("0" * 32, 0.0, claims, (long,) * 60, 9, dict.fromkeys(ReasonCode, 1)) for _ in range(9)),
    )
    questions = tuple(OwnQuestion(n, long, 0.0) for n in range(5))
    view = render_home(HomeContents((source,) * 60, questions, "es", 10**6, long, admin), words)
    check_home(view)
    assert len(view["blocks"]) <= 100
