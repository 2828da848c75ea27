"""The playground in a headless Chromium: the real bot over a part of the sample company's documents."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

from bot.cli.demo import SAMPLE_CONFIG
from bot.main import Composition
from core.settings import load_settings
from tests.browser.hosting import QUIET, Visit, hosted
from tests.conftest import CHROMIUM, ROOT

PATIENCE = 30_000
"""Milliseconds for what a busy machine does slowly; what is looked for is waited for, never slept for."""


@pytest.fixture(scope="session")
def visit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visit]:
    """A playground with the documents of the sample company's folder."""
    folder = tmp_path_factory.mktemp("playground")
    composition = Composition(
        load_settings(
            SAMPLE_CONFIG,
            _env_file=None,
            sources=({"name": "folder", "kind": "folder", "path": "folder"},),
            data_dir=folder,
            model_dir=Path(os.environ.get("TESTIGO_TEST_MODEL_DIR", ROOT / ".testigo" / "test-model")),
            index_uri="",
            database_url="",
            user_rate="",
            workspace_rate="",
        )
    )
    with hosted(composition) as running:
        yield running


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """Debian's Chromium, headless. Stopped after each file: until then its event loop bars those of other tests."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(QUIET))
        expect.set_options(timeout=PATIENCE)
        yield browser
        browser.close()


Opener = Callable[..., "Screen"]


@dataclass(slots=True)
class Screen:
    """The page as one person has it open, and what a test does with it."""

    page: Page
    complaints: list[str]

    def be(self, name: str) -> None:
        """Choose who one is, by a part of the name."""
        option = self.page.locator("#person option", has_text=name)
        self.page.locator("#person").select_option(option.get_attribute("value"))
        expect(self.page.locator("#person option:checked")).to_contain_text(name)
        expect(self.page.locator("#said")).to_contain_text(name)

    def go(self, channel: str) -> None:
        """Open a channel of the list at the left."""
        self.page.locator("#sidebar .item", has_text=channel).first.click()
        expect(self.page.locator("#main .pane-head h2")).to_have_text(channel)

    def write(self, text: str) -> None:
        """Type into the box and send."""
        self.page.locator("#composer").fill(text)
        self.page.keyboard.press("Enter")

    def answered(self) -> Any:
        """The bot's answer in the thread that opens beside, once it is whole."""
        expect(self.page.locator("#thread .feedback").first).to_be_visible()
        return self.page.locator("#thread article").last


@pytest.fixture
def open_page(chromium: Browser, visit: Visit) -> Iterator[Opener]:
    """Opens the playground; at the end no page may have complained in its console."""
    screens: list[Screen] = []

    def opened(*, locale: str = "en-GB", **context: Any) -> Screen:
        page = chromium.new_context(locale=locale, viewport={"width": 1280, "height": 800}, **context).new_page()
        page.set_default_timeout(PATIENCE)
        screen = Screen(page, [])
        page.on("console", lambda message: _note(message, screen))
        page.on("pageerror", lambda error: screen.complaints.append(str(error)))
        page.goto(visit.address)
        expect(page.locator("#composer")).to_be_visible()
        screens.append(screen)
        return screen

    yield opened
    for screen in screens:
        screen.page.context.close()
    assert [complaint for screen in screens for complaint in screen.complaints] == []


def _note(message: ConsoleMessage, screen: Screen) -> None:
    if message.type in ("error", "warning"):
        screen.complaints.append(message.text)
