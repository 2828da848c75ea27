"""A visit as people make it: ask, read, press, look at another person's screen."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Screen
from tests.browser.hosting import Visit

pytestmark = pytest.mark.chromium

AUDIT = "¿Cuántas facturas de transporte se pagaron dos veces según la auditoría?"


def test_a_person_asks_directly_and_gets_an_answer_with_its_quote(open_page: Callable[..., Screen]) -> None:
    screen = open_page()
    screen.be("Aoife")
    screen.write("What does error VPN-604 mean?")
    answer = screen.answered()
    expect(answer).to_contain_text("VPN-604")
    expect(answer.get_by_role("link").first).to_have_attribute(
        "href", re.compile(r"^https://ficheros\.almendro\.example/")
    )


def test_nobody_else_sees_what_was_said_in_a_direct_message(open_page: Callable[..., Screen]) -> None:
    screen = open_page()
    screen.be("João")
    screen.write(AUDIT)
    answer = screen.answered()
    expect(answer).to_contain_text("dos veces")
    screen.be("Pau")
    expect(screen.page.locator("#main")).not_to_contain_text("dos veces")
    assert "dos veces" not in screen.page.content()
    screen.write(AUDIT)
    expect(screen.page.locator("#thread article")).to_have_count(2)
    expect(screen.page.locator("#thread .writing, .status")).to_have_count(0)
    assert "hallazgos" not in screen.page.locator("#thread").inner_text().casefold()


def test_a_person_has_only_their_own_channels(open_page: Callable[..., Screen]) -> None:
    screen = open_page()
    screen.be("Pau")
    listed = screen.page.locator("#sidebar .item .name").all_inner_texts()
    assert "general" in listed and "Testigo" in listed
    assert not {"rrhh-interno", "guardia-ti", "finanzas-direccion"} & set(listed)


def test_a_guest_may_not_join_public_channels(open_page: Callable[..., Screen]) -> None:
    screen = open_page()
    screen.be("Lena")
    assert screen.page.locator("#sidebar .item.join").count() == 0
    screen.be("Pau")
    assert screen.page.locator("#sidebar .item.join").count() > 0


def test_a_mention_in_a_channel_is_offered_and_answered_in_a_thread(open_page: Callable[..., Screen]) -> None:
    screen = open_page()
    screen.be("Siobhán")
    screen.go("general")
    screen.page.locator("#composer").press_sequentially("@tes")
    expect(screen.page.locator("#main .offers [role=option]").first).to_contain_text("Testigo")
    screen.page.keyboard.press("Enter")
    screen.page.keyboard.type("what does error VPN-604 mean?")
    screen.page.keyboard.press("Enter")
    expect(screen.answered()).to_contain_text("VPN-604")
    expect(screen.page.locator("#main .message .mention").last).to_have_text("@Testigo")


def test_a_command_is_answered_to_its_writer_alone(open_page: Callable[..., Screen]) -> None:
    screen = open_page()
    screen.be("Tomás")
    screen.go("general")
    screen.write("/rag what does error VPN-604 mean?")
    shown = screen.page.locator("#main .ephemeral", has_text="VPN-604")
    expect(shown.first).to_contain_text("Only visible to you")
    screen.be("Núria")
    assert screen.page.locator("#main .ephemeral", has_text="VPN-604").count() == 0


def test_an_unknown_command_is_refused_and_kept_in_the_box(open_page: Callable[..., Screen]) -> None:
    screen = open_page()
    screen.write("/nothing here")
    expect(screen.page.locator("#toasts .toast")).to_contain_text("no command")
    expect(screen.page.locator("#composer")).to_have_value("/nothing here")


def test_feedback_reaches_the_bot(open_page: Callable[..., Screen], visit: Visit) -> None:
    screen = open_page()
    screen.be("Íñigo")
    screen.write("What does error VPN-604 mean?")
    screen.answered()
    up = screen.page.locator("#thread .feedback").first
    up.click()
    expect(up).to_have_attribute("aria-pressed", "true")
    pressed = [d for d in visit.session.slack.deliveries if d.name == "block_actions"][-1]
    assert pressed.acknowledged
    assert pressed.payload["user"]["id"] == visit.person("inigo.penalver")


def test_a_question_without_an_answer_goes_to_people_once_its_asker_has_seen_to_whom(
    open_page: Callable[..., Screen],
) -> None:
    screen = open_page()
    screen.be("Núria")
    screen.go("preguntas-personas")
    expect(screen.page.locator("#main")).not_to_contain_text("perro")
    screen.be("Íñigo")
    screen.write("¿Puedo traer a mi perro a la oficina?")
    screen.page.locator("#thread .btn", has_text="Preguntar a una persona").click()
    form = screen.page.get_by_role("dialog")
    expect(form).to_contain_text("#preguntas-personas")
    form.get_by_role("button", name="Preguntar", exact=True).click()
    expect(screen.page.locator("#thread article.ephemeral")).to_contain_text("He trasladado tu pregunta")
    screen.be("Núria")
    screen.go("preguntas-personas")
    expect(screen.page.locator("#main article")).to_contain_text("perro")


def test_the_home_tab_is_drawn_by_the_bot(open_page: Callable[..., Screen]) -> None:
    screen = open_page()
    screen.be("Tomás")
    screen.page.get_by_role("tab", name="Home").click()
    expect(screen.page.locator(".home .block").first).to_be_visible()
    expect(screen.page.locator("#sidebar [aria-current=page]")).to_contain_text("Testigo")
    assert screen.page.locator(".home .cannot").count() == 0


def test_the_page_speaks_both_languages(open_page: Callable[..., Screen]) -> None:
    screen = open_page(locale="es-ES")
    expect(screen.page.locator("html")).to_have_attribute("lang", "es")
    expect(screen.page.locator("#composer")).to_have_attribute("aria-label", "Mensaje a Testigo")
    screen.page.get_by_role("button", name="Switch to English").click()
    expect(screen.page.locator("#composer")).to_have_attribute("aria-label", "Message Testigo")
    screen.page.reload()
    expect(screen.page.locator("html")).to_have_attribute("lang", "en")


def test_no_word_of_the_page_is_missing_in_one_language(open_page: Callable[..., Screen]) -> None:
    screen = open_page()
    names = """async () => {
      const { setLanguage, words } = await import("/static/words.js");
      const named = (value, at = "") => typeof value === "object"
        ? Object.entries(value).flatMap(([key, inner]) => named(inner, `${at}/${key}`)) : [`${at} ${typeof value}`];
      return ["en", "es"].map((language) => { setLanguage(language); return named(words()).sort(); });
    }"""
    english, spanish = screen.page.evaluate(names)
    assert english == spanish
    assert len(english) > 50
