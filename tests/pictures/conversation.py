"""A whole conversation with the sample company through the real Bolt app, drawn: `python -m tests.pictures.conversation
OUT_DIR`.

The bot, its index and its model are the real ones, Slack is the stand-in. The same questions are asked over Socket Mode
and over signed HTTP, and what Slack was sent is drawn: `conversation-socket.png`, `conversation-http.png` and, for the
README, `real-answer.png`.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import yaml

from bot.cli.demo import SAMPLE_CONFIG
from bot.main import Composition
from bot.rendering import Message as Drawn
from bot.server import serve
from bot.services import Services, build_services
from bot.slack_client import open_client
from bot.standin import AppConfig, Message, Person, SlackStandIn
from core.settings import Settings, load_settings
from core.store.events import EventStore
from tests.conftest import ROOT
from tests.pictures.draw import Spoken, draw

INIGO = ("inigo", "Íñigo Peñalver", "inigo.penalver@almendro.example")
AOIFE = ("aoife", "Aoife Ní Bhriain", "aoife.nibhriain@almendro.example")
QUESTIONS = (
    (INIGO, "¿Cuántos días de vacaciones tengo al año en Valencia?"),
    (AOIFE, "How many days of annual leave do people in Dublin get?"),
    (AOIFE, "What does ERR-4012 mean?"),
)
Asked = tuple[str, str, Sequence[Message]]


async def converse(transport: str) -> list[Asked]:
    """Ask each question in a public channel, over `socket` or `http`: author, question, and the bot's messages."""
    manifest = yaml.safe_load((ROOT / "manifest.yml").read_text(encoding="utf-8"))
    async with SlackStandIn(AppConfig.from_manifest(manifest)) as slack:
        application = Composition(_settings(slack, transport))
        people = {name: slack.person(name, real_name=real, email=email) for (name, real, email), _ in QUESTIONS}
        general = slack.channel("general", *people.values())
        async with _running(application) as services:
            if transport == "http":
                await slack.deliver_over_http(f"http://127.0.0.1:{services.listening[0]}/slack/events")
            asked: list[Asked] = []
            for (name, real, _), text in QUESTIONS:
                person: Person = people[name]
                question = await person.ask(general, text)
                await slack.wait_for_message(general, within=120, thread_ts=question.ts)
                await services.worker.idle()
                asked.append((real, text, slack.bot_messages(general, question.ts)))
        assert slack.violations == [], slack.violations
        return asked


def _settings(slack: SlackStandIn, transport: str) -> Settings:
    ours = load_settings()
    app = slack.app
    return load_settings(
        SAMPLE_CONFIG,
        data_dir=ours.data_dir / "demo",
        model_dir=ours.model_dir,
        slack_bot_token=app.bot_token,
        slack_app_token=app.app_token if transport == "socket" else None,
        slack_signing_secret=app.signing_secret,
        slack_api_url=slack.base_url,
        http_port=0,
    )


@asynccontextmanager
async def _running(application: Composition) -> AsyncIterator[Services]:
    for _ in application.sync.run(None, "pictures"):
        pass
    services = await build_services(
        application.settings,
        open_client(application.settings),
        asker=application.pipeline(),
        reindexer=application.sync,
        store=EventStore(application.database),
        groups=application.groups,
        hosts=application.source_hosts,
    )
    stop, ready = asyncio.Event(), asyncio.Event()
    serving = asyncio.create_task(serve(application.settings, services, stop, ready=ready))
    try:
        await ready.wait()
        yield services
    finally:
        stop.set()
        await serving
        await services.close()


def _shown(asked: Sequence[Asked]) -> list[Drawn | Spoken]:
    shown: list[Drawn | Spoken] = []
    for author, text, messages in asked:
        said = {"type": "rich_text_section", "elements": [{"type": "text", "text": f"@Testigo {text}"}]}
        shown.append(Spoken(author, ({"type": "rich_text", "elements": [said]},)))
        shown += [Drawn(message.text, tuple(message.blocks)) for message in messages]
    return shown


def main(arguments: Sequence[str]) -> int:
    """Converse over both transports and draw."""
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    pictures = {}
    for transport in ("socket", "http"):
        asked = asyncio.run(converse(transport))
        pictures[f"conversation-{transport}"] = _shown(asked)
        pictures["real-answer"] = _shown(asked[:1])
    for picture in draw(pictures, Path(arguments[0])):
        print(f"{picture} {picture.stat().st_size // 1024} KB")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
