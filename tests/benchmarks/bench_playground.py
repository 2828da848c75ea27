"""Time from a press of Enter to the first sign of the bot: `python -m tests.benchmarks.bench_playground`.

The playground over the sample company, in a headless Chromium (`CHROMIUM`, default /usr/bin/chromium); `QUESTIONS` (40)
are asked one after the other in direct messages. The page's own clock runs from the key press until a status, a stream
or a message of the bot is in the document. Prints, as its last line, one JSON object (milliseconds).
"""

from __future__ import annotations

import json
import os
import statistics
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from bot.main import Composition
from core.settings import load_settings
from tests.browser.hosting import QUIET, hosted
from tests.conftest import CHROMIUM

QUESTIONS = int(os.environ.get("QUESTIONS", "40"))
ASKED = (
    "How many days of annual leave do people in Dublin get?",
    "¿Cuántos días de vacaciones tengo al año en Valencia?",
    "What does error VPN-604 mean?",
    "Is there life on Mars?",
)
WATCH = """() => {
  const box = document.getElementById("composer");
  const before = new Set([...document.querySelectorAll("article")].map((each) => each.dataset.ts));
  const isNews = (each) => !before.has(each.dataset.ts) && each.querySelector(".avatar.bot");
  window.firstSign = new Promise((resolve) => {
    let pressed = 0;
    box.addEventListener("keydown", () => { pressed = performance.now(); }, { once: true, capture: true });
    const observer = new MutationObserver(() => {
      const news = [...document.querySelectorAll("article")].find(isNews);
      const sign = document.querySelector(".status, .writing") || news;
      if (!pressed || !sign) return;
      observer.disconnect();
      resolve(performance.now() - pressed);
    });
    observer.observe(document.body, { childList: true, subtree: true });
  });
}"""


def first_sign(page: Page, question: str) -> float:
    """Ask a question and return the milliseconds until the bot shows that it has heard it."""
    page.locator("#composer").fill(question)
    page.evaluate(WATCH)
    page.keyboard.press("Enter")
    taken = float(page.evaluate("window.firstSign"))
    page.locator("#thread .writing, .status").first.wait_for(state="detached")
    page.locator("#thread article").nth(1).wait_for()
    return taken


def main() -> None:
    """Ask, measure, print."""
    with tempfile.TemporaryDirectory() as folder:
        database = f"sqlite:///{Path(folder, 'bench.db')}"
        sample = Composition(load_settings()).sample(database_url=database, user_rate="", workspace_rate="")
        with hosted(sample) as visit, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(QUIET))
            page = browser.new_page()
            page.set_default_timeout(60_000)
            page.goto(visit.address)
            first_sign(page, ASKED[0])  # the first question of a process loads what is loaded once
            times = [first_sign(page, ASKED[number % len(ASKED)]) for number in range(QUESTIONS)]
            browser.close()
    times.sort()
    print(
        json.dumps(
            {
                "questions": len(times),
                "first_status_ms_p50": round(statistics.median(times)),
                "first_status_ms_p95": round(times[int(len(times) * 0.95) - 1]),
                "first_status_ms_max": round(times[-1]),
            }
        )
    )


if __name__ == "__main__":
    main()
