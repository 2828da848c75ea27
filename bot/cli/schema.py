"""`testigo schema`: the JSON Schema of an answer."""

from __future__ import annotations

import json

import click

from core.schema.answer import answer_schema


@click.command()
def schema() -> None:
    """Print the JSON Schema of what `testigo ask --json` prints."""
    click.echo(json.dumps(answer_schema(), ensure_ascii=False, indent=2))
