"""`testigo status`: what is indexed, and how the last syncs went."""

from __future__ import annotations

import datetime as dt

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bot.cli.application import Application
from core.store.sync_runs import SyncRunStore


@click.command()
@click.pass_obj
def status(application: Application) -> None:
    """Show the sources, their last sync, and what is in the index."""
    console = Console()
    documents, chunks = application.tables.counts(application.settings.tenant_id)
    console.print(Text(f"{documents} documents in {chunks} passages are served."))
    latest = SyncRunStore(application.database).latest()
    table = Table()
    for name in ("source", "kind", "last sync", "state", "counts", "failures"):
        table.add_column(name)
    for source in application.settings.sources:
        run = latest.get(source.name)
        if run is None:
            table.add_row(source.name, source.kind.value, "never", "", "", "")
            continue
        when = dt.datetime.fromtimestamp(run.started_at, dt.UTC).strftime("%Y-%m-%d %H:%M UTC")
        counts = ", ".join(f"{n} {name.replace('_', ' ')}" for name, n in run.counts.items() if n)
        table.add_row(source.name, source.kind.value, when, run.state, counts, str(len(run.failures)))
    console.print(table)
    for run in latest.values():
        for failure in run.failures:
            console.print(Text(f"{run.source}: {failure}", style="yellow"))
