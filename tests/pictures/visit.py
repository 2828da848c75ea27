"""A whole visit to the playground, photographed: `python -m tests.pictures.visit OUT_DIR`.

The bot, its index and its model are the real ones; a headless Chromium (`CHROMIUM`, default /usr/bin/chromium) asks,
presses and looks. Writes `playground-NAME.png` and, of all steps with their captions, `playground-visit.webp`.
"""

from __future__ import annotations

import io
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, expect, sync_playwright

from bot.main import Composition
from core.settings import load_settings
from tests.browser.hosting import QUIET, hosted
from tests.conftest import CHROMIUM

PATIENCE = 45_000
SIZE = {"width": 1280, "height": 800}
FRAME_WIDTH = 960
FRAME_MILLISECONDS = 3_500
COLOURS = 96
DOG_ES = "¿Puedo traer a mi perro a la oficina?"
CAPTION = """(text) => {
  let bar = document.getElementById("caption");
  if (!bar) {
    bar = document.createElement("p");
    bar.id = "caption";
    bar.popover = "manual";
    Object.assign(bar.style, { position: "fixed", inset: "auto 0 0 0", width: "100%", margin: 0, padding: "10px 20px",
      border: 0, background: "#ffd25e", color: "#241b00", font: "700 20px/1.3 Lato, 'Noto Sans', sans-serif" });
    document.body.append(bar);
    document.getElementById("app").style.height = "calc(100% - 46px)";
  }
  bar.textContent = text;
  bar.showPopover();
}"""
"""The caption is a popover, so that it stands above dialogs too."""
UNCAPTION = """() => {
  document.getElementById("caption")?.remove();
  document.getElementById("app").style.height = "";
}"""


@dataclass(slots=True)
class Camera:
    """Takes the pictures."""

    folder: Path
    frames: list[Image.Image] = field(default_factory=list)

    def take(self, page: Page, name: str) -> None:
        """Photograph the page as it is, as `playground-NAME.png`."""
        page.evaluate(UNCAPTION)
        page.mouse.move(640, 24)
        shot = Image.open(io.BytesIO(page.screenshot(animations="disabled")))
        path = self.folder / f"playground-{name}.png"
        shot.convert("RGB").quantize(COLOURS * 2).save(path, optimize=True)
        print(f"{path} {path.stat().st_size // 1024} KB")

    def step(self, page: Page, caption: str) -> None:
        """Photograph a step of the visit, with what happens in it."""
        page.mouse.move(640, 24)
        page.evaluate(CAPTION, caption)
        page.evaluate("() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
        shot = Image.open(io.BytesIO(page.screenshot(animations="disabled"))).convert("RGB")
        page.evaluate(UNCAPTION)
        self.frames.append(
            shot.resize((FRAME_WIDTH, shot.height * FRAME_WIDTH // shot.width), Image.Resampling.LANCZOS)
        )

    def film(self) -> None:
        """Put the steps one after the other."""
        path = self.folder / "playground-visit.webp"
        first, *rest = self.frames
        first.save(path, save_all=True, append_images=rest, duration=FRAME_MILLISECONDS, loop=0, quality=70, method=6)
        print(f"{path} {path.stat().st_size // 1024} KB, {len(self.frames)} steps")


def opened(browser: Browser, address: str, *, language: str, theme: str, size: dict[str, int] | None = None) -> Page:
    """The playground in a window of its own."""
    context = browser.new_context(locale=language, color_scheme=theme, viewport=size or SIZE)  # type: ignore[arg-type]
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(address)
    expect(page.locator("#composer")).to_be_visible()
    return page


def be(page: Page, name: str) -> None:
    """Choose who one is."""
    option = page.locator("#person option", has_text=name)
    page.locator("#person").select_option(option.get_attribute("value"))
    expect(page.locator("#said")).to_contain_text(name)


def ask(page: Page, text: str, box: str = "#composer") -> None:
    """Write, and wait for the whole answer."""
    answers = page.locator("#thread .feedbacks")
    before = answers.count()
    page.locator(box).fill(text)
    page.keyboard.press("Enter")
    expect(answers).to_have_count(before + 1)
    expect(page.locator("#thread .writing, #thread .status")).to_have_count(0)


def visit(browser: Browser, address: str, camera: Camera) -> None:
    """Go through everything once."""
    page = opened(browser, address, language="es-ES", theme="light")
    in_spanish(page, camera)
    page.context.close()
    page = opened(browser, address, language="en-GB", theme="dark")
    in_english(page, camera)
    page.context.close()
    page = opened(browser, address, language="es-ES", theme="light")
    be(page, "Tomás")
    page.locator("#sidebar .item", has_text="general").click()
    ask(page, "@testigo ¿Cuántos días de vacaciones tengo al año en Valencia?")
    page.locator("#sidebar .item", has_text="Testigo").click()
    home(page)
    page.locator(".home h3", has_text="Para quienes administran").evaluate("(heading) => heading.scrollIntoView()")
    camera.step(
        page, "16. Tomás administra: además ve las lecturas de las fuentes, lo que falta y respuestas que revisar."
    )
    camera.take(page, "home-admin-es-light")
    page.context.close()
    page = opened(browser, address, language="en-GB", theme="light")
    be(page, "Lena")
    page.locator("#composer").fill("How many days of annual leave do people in Dublin get?")
    page.keyboard.press("Enter")
    expect(page.locator("#thread article .avatar.bot")).to_have_count(1)
    settled(page)
    camera.step(page, "17. Lena, an external guest, asks the same and is shown nothing that is not hers.")
    camera.take(page, "guest-en-light")
    page.context.close()

    page = opened(browser, address, language="es-ES", theme="dark", size={"width": 420, "height": 800})
    be(page, "Núria")
    ask(page, "¿Cuándo se paga la nómina?")
    camera.take(page, "narrow-es-dark")
    page.context.close()


def in_spanish(page: Page, camera: Camera) -> None:
    """Íñigo asks, looks at the evidence, and asks a person what the documents do not say; Nerea answers him."""
    be(page, "Íñigo")
    camera.step(page, "1. Íñigo, del almacén, abre Testigo: un mensaje directo, con preguntas para empezar.")
    page.locator(".prompt").first.click()
    page.keyboard.press("Enter")
    sign = page.locator("#main .status, #thread .status, #thread .writing, #thread article:nth-of-type(1) .avatar.bot")
    expect(sign.first).to_be_visible()
    camera.step(page, "2. Pregunta en español: enseguida se ve lo que Testigo hace.")
    expect(page.locator("#thread .feedback").last).to_be_visible()
    camera.step(page, "3. La respuesta: cada frase con su cita exacta, en qué documento y en qué versión.")
    camera.take(page, "answer-es-light")
    evidence(page, camera, "evidence-es-light", "4. «Ver la evidencia»: la cita, palabra por palabra, en su documento.")
    ask(page, "¿Y cuántos puedo pasar al año siguiente?", "#thread-composer")
    camera.step(page, "5. En el hilo se sigue preguntando: Testigo sabe de qué se habla.")
    page.locator("#thread .feedback").last.click()
    expect(page.get_by_role("dialog")).to_contain_text("Tu valoración ya está anotada")
    camera.step(page, "6. Un pulgar dice si ha servido, y una ventana pregunta qué ha fallado.")
    camera.take(page, "feedback-es-light")
    close_dialog(page)

    ask_what_is_not_there(page, DOG_ES, "Preguntar a una persona")
    camera.step(page, "7. Lo que los documentos no dicen no se inventa: se puede «Preguntar a una persona».")
    page.locator("#thread .btn", has_text="Preguntar a una persona").click()
    form = page.get_by_role("dialog")
    expect(form).to_contain_text("Esta pregunta va a")
    camera.step(page, "8. Antes de enviarla se ve adónde va y quién la podrá leer.")
    camera.take(page, "ask-person-es-light")
    form.get_by_role("button", name="Preguntar", exact=True).click()
    told = page.locator("article.ephemeral, #main article, #thread article", has_text="He trasladado tu pregunta")
    expect(told.first).to_be_visible()

    be(page, "Nerea")
    page.locator("#sidebar .item", has_text="preguntas-personas").click()
    page.locator("#main .replies, #main article [data-focus=tool-thread]").first.dispatch_event("click")
    page.locator("#thread-composer").fill("Los viernes sí, en la planta baja y con correa.")
    page.keyboard.press("Enter")
    offer = page.locator("#thread .btn", has_text="Enviar como respuesta propuesta")
    expect(offer).to_be_visible()
    camera.step(page, "9. Nerea, de Personas, responde en su canal, y decide si su respuesta vuelve a quien preguntó.")
    camera.take(page, "suggested-es-light")
    offer.click()
    expect(page.locator("#thread")).to_contain_text("Enviada")

    be(page, "Íñigo")
    open_thread(page)
    expect(page.locator("#thread article", has_text="con correa").first).to_be_visible()
    camera.step(page, "10. Íñigo recibe la respuesta de Nerea, y lee que Testigo no la ha verificado.")
    camera.take(page, "told-es-light")


def in_english(page: Page, camera: Camera) -> None:
    """Aoife asks in a channel, a person and by a command; Siobhán asks once more from the home tab."""
    be(page, "Aoife")
    page.locator("#sidebar .item", has_text="general").click()
    ask(page, "@testigo What does ERR-4012 mean?")
    expect(page.locator("article.ephemeral .btn").first).to_be_visible()
    camera.step(
        page, "11. Aoife asks in #general: for all, only what all may read; what only she may read, to her alone."
    )
    camera.take(page, "channel-en-dark")
    page.locator("#thread .btn", has_text="Ask a person").click()
    expect(page.get_by_role("dialog")).to_contain_text("This question goes to")
    camera.take(page, "ask-person-en-dark")
    close_dialog(page)
    page.keyboard.press("Escape")
    page.locator("#composer").press_sequentially("/rag")
    expect(page.locator("#main .offers [role=option]").first).to_be_visible()
    camera.step(page, "12. The commands of the app are offered as one types.")
    page.locator("#composer").fill("/rag How many days of annual leave do people in Dublin get?")
    page.keyboard.press("Enter")
    expect(page.locator("#main .ephemeral", has_text="26 working days").last).to_be_visible()
    camera.step(page, "13. /rag answers to its writer alone: “Only visible to you”.")
    camera.take(page, "command-en-dark")

    be(page, "Siobhán")
    page.locator("#sidebar .item", has_text="Testigo").click()
    ask(page, "How many days of annual leave do people in Dublin get?")
    home(page)
    camera.step(page, "14. Siobhán’s home tab: what she can be answered from, how fresh it is, her own last questions.")
    camera.take(page, "home-en-dark")
    page.locator(".home .btn", has_text="Ask again").first.click()
    page.get_by_role("tab", name="Messages").click()
    expect(page.locator("#main .replies")).to_have_count(2)
    open_thread(page)
    expect(page.locator("#thread .feedback").first).to_be_visible()
    settled(page)
    camera.step(page, "15. “Ask again” answers it anew, in a thread of her direct messages.")
    camera.take(page, "again-en-dark")


def close_dialog(page: Page) -> None:
    """Close the form or the evidence that stands above the page."""
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


def home(page: Page) -> None:
    """Open the home tab, and wait until it is drawn."""
    page.get_by_role("tab").first.click()
    expect(page.locator(".home .block").nth(2)).to_be_visible()


def open_thread(page: Page) -> None:
    """Open the last thread of the conversation, and go to its box, so that no message is pointed at."""
    page.locator("#main .replies").last.click()
    page.locator("#thread-composer").focus()


def settled(page: Page) -> None:
    """Wait until the bot does nothing any more."""
    expect(page.locator("#thread .writing, .status")).to_have_count(0)


def ask_what_is_not_there(page: Page, text: str, offered: str) -> None:
    """Ask what no document says, and wait for the button that hands it on."""
    page.locator("#composer").fill(text)
    page.keyboard.press("Enter")
    expect(page.locator("#thread .btn", has_text=offered)).to_be_visible()
    settled(page)


def evidence(page: Page, camera: Camera, name: str, caption: str) -> None:
    """Open the evidence of the answer, and close it again."""
    page.locator("#thread article .block.actions .btn").first.click()
    dialog = page.get_by_role("dialog")
    expect(dialog.locator("blockquote").first).to_be_visible()
    camera.step(page, caption)
    camera.take(page, name)
    close_dialog(page)


def main(arguments: Sequence[str]) -> int:
    """Visit and photograph."""
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    camera = Camera(Path(arguments[0]))
    camera.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        sample = Composition(load_settings()).sample(database_url=f"sqlite:///{Path(folder, 'visit.db')}")
        with hosted(sample) as running, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(QUIET))
            expect.set_options(timeout=PATIENCE)
            visit(browser, running.address, camera)
            browser.close()
    camera.film()
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
