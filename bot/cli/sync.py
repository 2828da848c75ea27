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
from bot.cli.contexts import offer_contexts
from bot.cli.rebuilding import run_rebuild
from bot.rendering.escape import one_line
from core.domain.auditing import TERMINAL, AuditKind, AuditNote
from core.domain.syncing import DocumentState, SyncFinished, SyncProgress, SyncStarted, report_lines
from core.store.audit import AuditStore

SHOWN = 20
QUIET_SECONDS = 10


@click.command("sync")
@click.argument("source", required=False)
@click.option("--full", is_flag=True, help="Write every document again, and compute its vectors again.")
@click.option("--dry-run", is_flag=True, help="Only say what would be done, document by document.")
@click.option("--confirm-removals", is_flag=True, help="Remove documents even if many are gone from the export.")
@click.option("--rebuild", is_flag=True, help="Compute all vectors anew from what is stored, and then swap.")
@click.option("--yes", is_flag=True, help="Have Claude write what passages lack (contextual = true) without asking.")
@click.option("--json", "as_json", is_flag=True, help="Print what was done as JSON, alone.")
@click.pass_obj
def sync(
    application: Application,
    source: str | None,
    full: bool,
    dry_run: bool,
    confirm_removals: bool,
    rebuild: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Bring the index up to date with SOURCE, or with all sources."""
    if rebuild:
        if source or full or dry_run or confirm_removals:
            raise click.UsageError("--rebuild works on the whole index and reads no export: give it alone.")
        rebuilt = run_rebuild(application)
        if as_json and rebuilt is not None:
            click.echo(json.dumps(dataclasses.asdict(rebuilt), ensure_ascii=False, indent=2))
        return
    if not dry_run:
        facts = {"action": "sync", "source": source or ""}
        note = AuditNote(AuditKind.ADMIN, application.settings.tenant_id, TERMINAL, facts=facts)
        AuditStore(application.database).note(note)
    finished = run_sync(
        application,
        source,
        asked_by="terminal",
        confirm_removals=confirm_removals,
        full=full,
        dry_run=dry_run,
        contexts=False,
    )
    if not dry_run:
        written = {report.source: report for report in offer_contexts(application, source, agreed=yes)}
        finished = [dataclasses.replace(each, contexts=written.get(each.source)) for each in finished]
    if as_json:
        click.echo(json.dumps([dataclasses.asdict(f) for f in finished], ensure_ascii=False, indent=2))
    elif dry_run:
        for each in finished:
            _print_plan(each)
    sys.exit(1 if any(f.held_back for f in finished) else 0)


def run_sync(
    application: Application,
    source: str | None,
    *,
    asked_by: str,
    confirm_removals: bool = False,
    full: bool = False,
    dry_run: bool = False,
    contexts: bool = True,
    brief: bool = False,
) -> list[SyncFinished]:
    """Sync with a progress bar on standard error, then a summary of each source.

    With `contexts`, sentences about passages are written within the settings' budget, where the settings want them.

    Raises:
        TestigoError: see `SyncService.run`.
    """
    console = Console(stderr=True)
    finished: list[SyncFinished] = []
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    said = time.monotonic()
    events = application.sync.run(
        source, asked_by, confirm_removals=confirm_removals, full=full, dry_run=dry_run, contexts=contexts
    )
    with Progress(*columns, console=console, transient=True) as progress:
        bar = progress.add_task("", total=None)
        for event in events:
            match event:
                case SyncStarted(name):
                    progress.reset(bar, description=f"Reading {name}", total=None)
                case SyncProgress(name, done, None):
                    progress.update(bar, completed=done)
                case SyncProgress(name, done, total):
                    progress.update(bar, description=f"Writing {name}", completed=done, total=total)
                    # In a log there is no bar: a line now and then shows that work goes on.
                    if not console.is_terminal and time.monotonic() - said > QUIET_SECONDS:
                        said = time.monotonic()
                        console.print(Text(f"{name}: {done} of {total} documents"))
                case SyncFinished():
                    finished.append(event)
                    _summary(progress.console, event, brief=brief)
    return finished


def _print_plan(finished: SyncFinished) -> None:
    """Every document that would change, and how many would not; a line each, so that it can be searched."""
    console = Console()
    for change in sorted(finished.changes, key=lambda change: list(DocumentState).index(change.state)):
        style = "red" if change.state in {DocumentState.REMOVED, DocumentState.FAILED} else ""
        line = f"{change.state.value.replace('_', ' '):14}{one_line(f'{finished.source}/{change.key}')}"
        console.print(Text(f"{line}: {one_line(change.reason)}", style=style), soft_wrap=True)
    console.print(Text(f"{finished.source}: {finished.counts.unchanged} unchanged. Nothing was written (--dry-run)."))


def _summary(console: Console, finished: SyncFinished, *, brief: bool) -> None:
    counts = {name.replace("_", " "): n for name, n in dataclasses.asdict(finished.counts).items() if n}
    listed = ", ".join(f"{n} {name}" for name, n in counts.items()) or "nothing there"
    console.print(Text(f"{finished.source}: {listed} ({finished.seconds:.1f} s)"))
    if finished.ocr_pages:
        console.print(Text(f"  {finished.ocr_pages} pages were read by OCR: letters of them may be wrong"))
    if finished.contexts is not None and finished.contexts.written:
        console.print(Text(f"  {finished.contexts.written} passages have a new sentence of context"))
    if finished.held_back:
        console.print(Text(finished.held_back, style="yellow"))
    shown = 3 if brief else SHOWN
    lines = [*report_lines((f.key, f.sentence) for f in finished.failures), *finished.warnings]
    for line in lines[:shown]:
        console.print(Text(f"  {one_line(line)}", style="yellow"))
    if len(lines) > shown:
        console.print(Text(f"  and {len(lines) - shown} more: see testigo status", style="yellow"))
