"""Draw messages and modals as PNG pictures: `python -m tests.pictures.draw OUT_DIR [NAME …]`.

Blocks go through npm's slack-blocks-to-jsx (React on the server) into a page that Chromium photographs. Needs `node`,
`npm` and `chromium` (`apt-get install -y chromium`; `fonts-lato` looks most like Slack). The node modules live in the
user's cache folder. The library drops blocks it does not know in silence: the tests validate them.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, ImageChops

from bot.rendering import Message
from bot.rendering.blocks import View
from tests.pictures.after_samples import after_messages, after_views
from tests.pictures.evidence_samples import views
from tests.pictures.home_samples import home_views, reports, settings_views
from tests.pictures.samples import messages

HERE = Path(__file__).resolve().parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "testigo-pictures"
WIDTH, TALLEST, SCALE, MARGIN = 680, 3000, 1.5, 12
QUIET = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
)


@dataclass(frozen=True, slots=True)
class Spoken:
    """What a person said; the bot's own messages are `Message`s."""

    author: str
    blocks: tuple[Mapping[str, object], ...]


@dataclass(frozen=True, slots=True)
class Modal:
    """A modal over the messages."""

    view: View


Shown = Message | Spoken | Modal


def draw(pictures: Mapping[str, Sequence[Shown]], folder: Path) -> list[Path]:
    """Draw each named sequence of messages and modals as `NAME.png` in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    _install()
    with tempfile.TemporaryDirectory() as scratch:
        pages = {name: Path(scratch, f"{name}.html") for name in pictures}
        order = [{"file": str(pages[name]), "messages": [_drawn(m) for m in shown]} for name, shown in pictures.items()]
        subprocess.run(["node", CACHE / "page.mjs"], input=json.dumps(order), text=True, check=True)
        return [_photograph(page, folder / f"{name}.png", Path(scratch, "profile")) for name, page in pages.items()]


def _drawn(shown: Shown) -> dict[str, object]:
    if isinstance(shown, Modal):
        buttons = [shown.view[name]["text"] for name in ("close", "submit") if name in shown.view]
        return {"blocks": shown.view["blocks"], "title": shown.view["title"]["text"], "buttons": buttons}
    return {"blocks": shown.blocks, "author": shown.author if isinstance(shown, Spoken) else ""}


def samples() -> dict[str, Sequence[Shown]]:
    """All samples, by the name of their picture."""
    return {
        **messages(),
        **reports(),
        **after_messages(),
        **{name: (Modal(view),) for name, view in {**views(), **settings_views(), **after_views()}.items()},
        **{name: (Message("", tuple(view["blocks"])),) for name, view in home_views().items()},
    }


def _install() -> None:
    CACHE.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "page.mjs"):
        shutil.copy(HERE / name, CACHE / name)
    if not (CACHE / "node_modules" / "slack-blocks-to-jsx").is_dir():
        subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--silent"], cwd=CACHE, check=True)


def _photograph(page: Path, target: Path, profile: Path) -> Path:
    subprocess.run(
        [
            "chromium",
            *QUIET,
            f"--user-data-dir={profile}",
            f"--window-size={WIDTH},{TALLEST}",
            f"--force-device-scale-factor={SCALE}",
            f"--screenshot={target}",
            page.as_uri(),
        ],
        check=True,
        capture_output=True,
        timeout=120,
    )
    _trim(target)
    return target


def _trim(picture: Path) -> None:
    """Cut the empty foot of the page off and keep few colours, so that the file stays small."""
    with Image.open(picture) as opened:
        image = opened.convert("RGB")
    seen = ImageChops.difference(image, Image.new("RGB", image.size, "white")).getbbox()
    foot = min(image.height, (seen[3] if seen else 0) + round(MARGIN * SCALE))
    image.crop((0, 0, image.width, foot)).quantize(64, dither=Image.Dither.NONE).save(picture, optimize=True)


def main(arguments: Sequence[str]) -> int:
    """Draw all samples, or those named."""
    if not arguments:
        print(__doc__, file=sys.stderr)
        return 2
    folder, *names = arguments
    known = samples()
    unknown = [name for name in names if name not in known]
    if unknown:
        print(f"no picture is called {', '.join(unknown)}: there are {', '.join(known)}", file=sys.stderr)
        return 2
    for picture in draw({name: known[name] for name in names or known}, Path(folder)):
        print(f"{picture} {picture.stat().st_size // 1024} KB")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
