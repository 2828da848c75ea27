"""`testigo ask`: one question, one answer."""

from __future__ import annotations

import asyncio
import dataclasses
import datetime as dt
import json
import sys
from enum import Enum
from typing import Any

import click
from rich.console import Console

from bot.cli.application import Application
from bot.cli.asking import Asked, Conversation, draw, refusal
from bot.cli.people import audience_of, reader_of
from core.domain.question import Question
from core.text.language import language_of

ANSWERED, ABSTAINED = 0, 3


@click.command()
@click.argument("question")
@click.option("--as", "email", required=True, metavar="EMAIL", help="Who asks.")
@click.option("--channel", metavar="ID", help="Where the answer would be seen: a channel of the people file.")
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON, alone.")
@click.option("--explain", is_flag=True, help="Show what each stage did.")
@click.pass_obj
def ask(application: Application, question: str, email: str, channel: str | None, as_json: bool, explain: bool) -> None:
    """Ask one question. Ends with 0 when answered, 3 when not, 2 for bad usage, 1 when it failed."""
    reader = reader_of(application, email)
    audience = audience_of(application, reader, channel)
    if sentence := refusal(audience, language_of(question)):
        click.echo(sentence, err=True)
        sys.exit(ABSTAINED)
    asked = asyncio.run(Conversation(application).ask(Question(question, reader, audience, place=channel or "")))
    if as_json:
        click.echo(json.dumps(answer_json(asked, explain=explain), ensure_ascii=False, indent=2))
    else:
        draw(Console(), application, asked, explain=explain)
    sys.exit(ANSWERED if asked.answer.abstention is None else ABSTAINED)


def answer_json(asked: Asked, *, explain: bool = False) -> dict[str, Any]:
    """An answer as plain JSON values; with `explain`, also what the search found."""
    plain = _plain(dataclasses.asdict(asked.answer))
    if explain and asked.retrieval is not None:
        found = asked.retrieval
        plain["explain"] = {
            "searched": found.question,
            "candidates": [
                {"chunk_id": p.chunk_id, "kept": p in found.kept, "scores": dataclasses.asdict(p.scores)}
                for p in found.candidates
            ],
            "dropped": [dataclasses.asdict(d) for d in found.dropped],
            "visible_rules": found.visible_rules,
            "timings_ms": dict(found.timings),
        }
    return dict(plain)


def _plain(value: Any) -> Any:
    match value:
        case dict():
            return {key: _plain(item) for key, item in value.items()}
        case list() | tuple():
            return [_plain(item) for item in value]
        case Enum():
            return value.value
        case dt.date():
            return value.isoformat()
        case _:
            return value
