"""`testigo demo`: the sample company. In a terminal one asks as whom one likes; without one, three people ask."""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import dataclass
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bot.cli.application import Application
from bot.cli.asking import Conversation, draw, refusal
from bot.cli.people import PeopleFile, Person, audience_of, read_people, reader_of
from bot.cli.sync import run_sync
from bot.rendering.escape import one_line
from core.domain.question import Question
from core.errors import TestigoError
from core.text.language import language_of

SAMPLE_CONFIG = Path(__file__).parents[2] / "tests" / "corpus" / "testigo.toml"
SAMPLE_QUESTIONS = SAMPLE_CONFIG.with_name("tour.json")


@dataclass(slots=True)
class _Place:
    """Who asks, and where the answer would be seen (None: only by who asks)."""

    person: Person
    channel: str | None = None


@click.command()
@click.pass_obj
def demo(application: Application) -> None:
    """Read the sample corpus, then answer questions about it."""
    run_demo(application)


def run_demo(application: Application) -> None:
    """Sync the sample corpus, then chat, or without a terminal ask the questions of the tour and end."""
    sample = application.sample()
    console = Console()
    run_sync(sample, None, asked_by="terminal", brief=True)
    people = read_people(sample.settings.people_file)
    if sys.stdin.isatty():
        asyncio.run(_chat(sample, console, people))
    else:
        asyncio.run(_tour(sample, console, people))


async def _tour(application: Application, console: Console, people: PeopleFile) -> None:
    conversation = Conversation(application)
    by_email = {person.email: person for person in people.person}
    for step in json.loads(SAMPLE_QUESTIONS.read_text(encoding="utf-8")):
        place = _Place(by_email[step["asker"]], step.get("channel"))
        console.rule(Text(f"{place.person.name} ({place.person.role})", style="bold"), align="left")
        console.print(Text(f"{where(place)} > {step['question']}\n", style="bold cyan"))
        await _answer(application, console, conversation, place, step["question"])
        console.print()


async def _chat(application: Application, console: Console, people: PeopleFile) -> None:
    _introduce(console)
    place = _Place(_choose(console, people, None))
    conversation = Conversation(application)
    while True:
        try:
            typed = (await asyncio.to_thread(console.input, Text(f"{place.person.name}, {where(place)} > "))).strip()
        except (EOFError, KeyboardInterrupt):
            console.print()
            return
        match typed.split(maxsplit=1):
            case []:
                continue
            case ["/quit"] | ["/salir"]:
                return
            case ["/who"] | ["/quien"]:
                place = _Place(_choose(console, people, place.person), None)
            case ["/where"]:
                _list_channels(console, people)
            case ["/where", channel]:
                place.channel = None if channel in {"dm", "-"} else channel
            case ["/help"]:
                _introduce(console)
            case _:
                await _answer(application, console, conversation, place, typed)


async def _answer(
    application: Application, console: Console, conversation: Conversation, place: _Place, typed: str
) -> None:
    try:
        reader = reader_of(application, place.person.email)
        audience = audience_of(application, reader, place.channel)
        if sentence := refusal(audience, language_of(typed)):
            console.print(Text(sentence))
            return
        thread = f"terminal:{place.person.email}:{place.channel or 'dm'}"
        with console.status("…"):
            asked = await conversation.ask(Question(typed, reader, audience, thread, place.channel or "terminal"))
        draw(console, application, asked)
    except TestigoError as error:
        console.print(Text(one_line(str(error)), style="yellow"))


def where(place: _Place) -> str:
    """The place as a prompt shows it."""
    return f"#{place.channel.removeprefix('#')}" if place.channel else "direct message"


def _introduce(console: Console) -> None:
    console.print(
        Text(
            "\nAlmendro Logística, a company that does not exist. Ask in Spanish or English.\n"
            "/who chooses who you are, /where CHANNEL asks in a channel (/where - in a direct message), /quit ends.\n",
            style="dim",
        )
    )


def _choose(console: Console, people: PeopleFile, now: Person | None) -> Person:
    table = Table(box=None, show_header=False)
    for number, person in enumerate(people.person, 1):
        guest = " (guest)" if person.guest else ""
        table.add_row(str(number), Text(person.name), Text(f"{person.role}, {person.office}{guest}", style="dim"))
    console.print(table)
    while True:
        typed = console.input(f"Who are you? [1–{len(people.person)}] ").strip()
        if typed.isdigit() and 1 <= int(typed) <= len(people.person):
            return people.person[int(typed) - 1]
        if not typed:
            return now or people.person[0]


def _list_channels(console: Console, people: PeopleFile) -> None:
    for channel in people.channel:
        shared = ", shared with another company" if channel.shared_externally else ""
        console.print(Text(f"  {channel.name}  ({channel.kind}, {len(channel.members)} members{shared})", style="dim"))
