"""`testigo sources`: the exports that the settings name, and what is in them."""

from __future__ import annotations

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bot.cli.application import Application
from bot.rendering.escape import one_line
from core.errors import TestigoError


@click.command()
@click.pass_obj
def sources(application: Application) -> None:
    """Show each source: its kind, where it is, how many documents it seems to hold, and what is wrong with it."""
    console = Console()
    if not application.settings.sources:
        console.print(Text("There are no sources: add a [[sources]] table to testigo.toml."))
        return
    table = Table("source", "kind", "documents", "schedule", "place")
    lines: list[str] = []
    for source, found in zip(application.settings.sources, application.sync.describe(), strict=True):
        place = Text(str(source.path))
        if isinstance(found, TestigoError):
            table.add_row(source.name, source.kind.value, Text("unreadable", style="red"), source.schedule, place)
            lines.append(f"{source.name}: {found}")
        else:
            table.add_row(source.name, source.kind.value, str(found.documents), source.schedule, place)
            lines += [f"{source.name}: {warning}" for warning in found.warnings]
    console.print(table)
    for line in lines:
        console.print(Text(one_line(line), style="yellow"))
