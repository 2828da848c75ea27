"""`testigo status`: what is indexed, how the last syncs went, and when the next ones come."""

from __future__ import annotations

import datetime as dt

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bot.cli.application import Application
from bot.rendering.escape import one_line
from core.domain.syncing import ScheduledSync
from core.store.sync_runs import SyncRun, SyncRunStore

SHOWN = 20


@click.command()
@click.pass_obj
def status(application: Application) -> None:
    """Show the sources, their last sync and the next, and what is in the index."""
    console = Console()
    if application.has_index:
        documents, chunks = application.stored.counts(application.settings.tenant_id)
        console.print(Text(f"{documents} documents in {chunks} passages are served."))
        console.print(Text(f"Their vectors are of the model {application.stored.model_id}."))
    else:
        console.print(Text("There is no index yet: run testigo sync."))
    latest = SyncRunStore(application.database).latest()
    scheduled = {each.source: each for each in application.scheduler.upcoming()}
    table = Table("source", "last sync", "state", "counts", "asked by", "took", "next sync")
    for source in application.settings.sources:
        table.add_row(source.name, *_last(latest.get(source.name)), _next(scheduled.get(source.name)))
    console.print(table)
    for run in latest.values():
        for line in run.failures[:SHOWN]:
            console.print(Text(f"{run.source}: {one_line(line)}", style="yellow"))
        if len(run.failures) > SHOWN:
            console.print(Text(f"{run.source}: and {len(run.failures) - SHOWN} more", style="yellow"))


def _last(run: SyncRun | None) -> tuple[str, ...]:
    if run is None:
        return "never", "", "", "", ""
    counts = ", ".join(f"{n} {name.replace('_', ' ')}" for name, n in run.counts.items() if n)
    took = "" if run.seconds is None else f"{run.seconds:.1f} s"
    when = _moment(dt.datetime.fromtimestamp(run.started_at, dt.UTC))
    return when, run.state.replace("_", " "), counts, run.asked_by, took


def _next(scheduled: ScheduledSync | None) -> str:
    if scheduled is None or scheduled.next_run is None:
        return ""
    missed = f" ({scheduled.missed} missed)" if scheduled.missed else ""
    return f"{_moment(scheduled.next_run)}{missed}\n{scheduled.schedule}"


def _moment(moment: dt.datetime) -> str:
    return moment.astimezone(dt.UTC).strftime("%Y-%m-%d %H:%M UTC")
