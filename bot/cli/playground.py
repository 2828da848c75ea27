"""`testigo playground`: the sample company's workspace in a browser, with the real bot in it."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import sys
import tempfile
import webbrowser
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from bot.cli.application import Application
from bot.cli.demo import SAMPLE_QUESTIONS
from bot.cli.people import read_people
from bot.cli.sync import run_sync
from bot.playground import PlaygroundServer, open_session
from bot.serving import serve_slack

PORT = 4646


@click.command()
@click.option("--port", type=click.IntRange(0, 65535), help=f"Default: {PORT}, where it is free; 0: any free one.")
@click.option("--browser/--no-browser", default=True, help="Whether to open it, where there is a desktop.")
@click.pass_obj
def playground(application: Application, port: int | None, browser: bool) -> None:
    """Try the bot in a browser, in a workspace of the sample company: no Slack, no key, nothing leaves the machine."""
    run_playground(application, port=port, browser=browser)


def run_playground(application: Application, *, port: int | None = None, browser: bool = True) -> None:
    """Read the sample company's documents, then serve the page until SIGINT or SIGTERM.

    Each visit begins with an empty workspace; what was said in it is deleted at its end.

    Raises:
        SettingsError: the port that was asked for is taken.
        TestigoError: see `run_sync`.
    """
    if not logging.getLogger().isEnabledFor(logging.INFO):  # the socket's logger says at INFO that it is connected
        logging.disable(logging.INFO)
    with tempfile.TemporaryDirectory(prefix="testigo-playground-") as folder:
        sample = application.sample(database_url=f"sqlite:///{Path(folder, 'visit.db')}")
        run_sync(sample, None, asked_by="playground", brief=True)
        asyncio.run(_serve(sample, port, browser))


async def _serve(sample: Application, port: int | None, browser: bool) -> None:
    async def run_bot(slack: Mapping[str, Any], stop: asyncio.Event, ready: asyncio.Event) -> None:
        await serve_slack(sample, stop, settings=sample.settings.model_copy(update=dict(slack)), ready=ready)

    stopped = asyncio.Event()
    people = read_people(sample.settings.people_file)
    async with open_session(people, run_bot, SAMPLE_QUESTIONS) as session:
        server = PlaygroundServer(session, port=_free_port() if port is None else port)
        async with server.listening():
            for name in (signal.SIGINT, signal.SIGTERM):
                asyncio.get_running_loop().add_signal_handler(name, stopped.set)
            _announce(server.address)
            if browser and _has_desktop():
                webbrowser.open(server.address)
            stopping = asyncio.ensure_future(stopped.wait())
            await asyncio.wait({stopping, session.ended}, return_when=asyncio.FIRST_COMPLETED)
            stopping.cancel()


def _free_port() -> int:
    """The usual port, or 0 (any) where another program has it."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", PORT))
        except OSError:
            return 0
    return PORT


def _announce(address: str) -> None:
    click.echo(f"\nThe sample company's Slack, with Testigo in it:\n\n    {address}\n\nCtrl+C ends it.", err=True)


def _has_desktop() -> bool:
    """Whether a browser would show itself to somebody: `webbrowser` opens one in the terminal otherwise."""
    return sys.platform in ("darwin", "win32") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
