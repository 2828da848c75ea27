"""The page by keyboard alone, and as axe-core judges it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.browser import gallery
from tests.browser.conftest import Screen
from tests.browser.hosting import Visit
from tests.browser.test_playground_blocks import client, post

pytestmark = pytest.mark.chromium

GRAVE = ("serious", "critical")


def findings(screen: Screen) -> list[str]:
    """What axe-core finds that keeps somebody out, one line each."""
    found: list[dict[str, Any]] = Axe().run(screen.page).response["violations"]
    return [f"{v['id']}: {v['help']} {v['nodes'][0]['html'][:200]}" for v in found if v["impact"] in GRAVE]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_serious(open_page: Callable[..., Screen], visit: Visit, theme: str) -> None:
    blocks = [*gallery.TEXTS, gallery.TABLE, *gallery.CONTROLS, *gallery.PLAN]
    post(visit, "begona.arraez", blocks)
    screen = open_page(color_scheme=theme, reduced_motion="reduce")
    assert screen.page.locator("html").get_attribute("data-theme") == theme
    screen.write("What does error VPN-604 mean?")
    screen.answered()
    assert findings(screen) == []
    person = visit.session.slack.person("begona.arraez")
    trigger = person.backstage.tickets.new_trigger(person.id)
    visit.call(lambda: client(visit).views_open(trigger_id=trigger, view=gallery.MODAL))
    dialog = screen.page.get_by_role("dialog", name="Settings")
    expect(dialog).to_be_visible()
    assert findings(screen) == []
    screen.page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    screen.page.get_by_role("tab", name="Home").click()
    expect(screen.page.locator(".home .block").first).to_be_visible()
    assert findings(screen) == []
    screen.page.set_viewport_size({"width": 420, "height": 760})
    screen.page.get_by_role("button", name="Channels and people").click()
    screen.go("general")
    assert findings(screen) == []


def test_axe_would_find_something(open_page: Callable[..., Screen]) -> None:
    screen = open_page()
    screen.page.evaluate("document.body.append(document.createElement('button'))")
    assert any(line.startswith("button-name") for line in findings(screen))


def test_everything_by_keyboard(open_page: Callable[..., Screen]) -> None:
    screen = open_page()
    screen.be("Aoife")
    keys = screen.page.keyboard
    for _ in range(20):
        if screen.page.evaluate("document.activeElement.id") == "composer":
            break
        keys.press("F6")
    expect(screen.page.locator("#composer")).to_be_focused()
    keys.type("What does error VPN-604 mean?")
    keys.press("Enter")
    screen.answered()
    focused = screen.page.evaluate_handle
    for _ in range(60):
        keys.press("Tab")
        if focused("document.activeElement.classList.contains('feedback')").json_value():
            break
    keys.press("Enter")
    expect(screen.page.locator("#thread .feedback[aria-pressed=true]")).to_have_count(1)
    keys.press("Escape")
    expect(screen.page.locator("#thread")).to_be_hidden()
    expect(screen.page.locator("#main .replies").last).to_be_focused()


def test_arrow_keys_go_from_message_to_message(open_page: Callable[..., Screen], visit: Visit) -> None:
    hello = [{"type": "section", "text": gallery.mrkdwn("Hello.")}]
    first, second = post(visit, "pau.ferrandis", hello), post(visit, "pau.ferrandis", hello)
    screen = open_page()
    screen.be("Pau")
    screen.page.locator("#main .scroll").focus()
    screen.page.keyboard.press("ArrowUp")
    expect(screen.page.locator(f"article[data-ts='{second}']")).to_be_focused()
    screen.page.keyboard.press("ArrowUp")
    expect(screen.page.locator(f"article[data-ts='{first}']")).to_be_focused()


def test_the_skip_link_leads_to_the_box(open_page: Callable[..., Screen]) -> None:
    screen = open_page()
    screen.page.locator("#skip").focus()
    screen.page.keyboard.press("Enter")
    expect(screen.page.locator("#composer")).to_be_focused()


def test_what_comes_in_is_read_out(open_page: Callable[..., Screen]) -> None:
    screen = open_page()
    screen.be("Aoife")
    screen.write("What does error VPN-604 mean?")
    screen.answered()
    log = screen.page.locator("#said")
    expect(log).to_have_attribute("aria-live", "polite")
    expect(log).to_contain_text("VPN-604")
