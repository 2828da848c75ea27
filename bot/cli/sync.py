"""`testigo sync`: read the exports again."""

from __future__ import annotations

import dataclasses
import json
import sys
import time

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from bot.cli.application import Application
from bot.rendering.escape import one_line
from core.domain.syncing import SyncFinished, SyncProgress, SyncStarted

SHOWN = 20
QUIET_SECONDS = 10


@click.command("sync")
@click.argument("source", required=False)
@click.option("--confirm-removals", is_flag=True, help="Remove documents even if many are gone from the export.")
@click.option("--json", "as_json", is_flag=True, help="Print the counts as JSON, alone.")
@click.pass_obj
def sync(application: Application, source: str | None, confirm_removals: bool, as_json: bool) -> None:
    """Bring the index up to date with SOURCE, or with all sources."""
    finished = run_sync(application, source, asked_by="terminal", confirm_removals=confirm_removals)
    if as_json:
        click.echo(json.dumps([dataclasses.asdict(f) for f in finished], ensure_ascii=False, indent=2))
    sys.exit(1 if any(f.held_back for f in finished) else 0)


def run_sync(
    application: Application, source: str | None, *, asked_by: str, confirm_removals: bool = False, brief: bool = False
) -> list[SyncFinished]:
    """Sync with a progress bar on standard error, then a summary of each source.

    Raises:
        TestigoError: see `SyncService.run`.
    """
    console = Console(stderr=True)
    finished: list[SyncFinished] = []
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    said = time.monotonic()
    with Progress(*columns, console=console, transient=True) as progress:
        bar = progress.add_task("", total=None)
        for event in application.sync.run(source, asked_by, confirm_removals=confirm_removals):
            match event:
                case SyncStarted(name):
                    progress.reset(bar, description=f"Reading {name}", total=None)
                case SyncProgress(name, done, total):
                    progress.update(bar, completed=done, total=total)
                    # In a log there is no bar: a line now and then shows that work goes on.
                    if not console.is_terminal and time.monotonic() - said > QUIET_SECONDS:
                        said = time.monotonic()
                        console.print(Text(f"{name}: {done} of {total} documents"))
                case SyncFinished():
                    finished.append(event)
                    _summary(progress.console, event, brief=brief)
    return finished


def _summary(console: Console, finished: SyncFinished, *, brief: bool) -> None:
    counts = {name.replace("_", " "): n for name, n in dataclasses.asdict(finished.counts).items() if n}
    listed = ", ".join(f"{n} {name}" for name, n in counts.items()) or "nothing there"
    console.print(Text(f"{finished.source}: {listed} ({finished.seconds:.1f} s)"))
    if finished.held_back:
        console.print(Text(finished.held_back, style="yellow"))
    shown = 3 if brief else SHOWN
    lines = [f"{one_line(f.key)}: {one_line(f.sentence)}" for f in finished.failures]
    lines += [one_line(w) for w in finished.warnings]
    for line in lines[:shown]:
        console.print(Text(f"  {line}", style="yellow"))
    if len(lines) > shown:
        console.print(Text(f"  and {len(lines) - shown} more: see testigo status", style="yellow"))
