"""`testigo sync --rebuild`: the index with the vectors of another model."""

from __future__ import annotations

import time

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from bot.cli.application import Application
from core.domain.auditing import TERMINAL, AuditKind, AuditNote
from core.index.rebuild import RebuildFinished, RebuildProgress
from core.store.audit import AuditStore

QUIET_SECONDS = 10


def run_rebuild(application: Application) -> RebuildFinished | None:
    """Rebuild with a progress bar on standard error, and say which model serves now.

    Raises:
        TestigoError: see `core.index.rebuild.Rebuild.run`.
    """
    console = Console(stderr=True)
    note = AuditNote(AuditKind.ADMIN, application.settings.tenant_id, TERMINAL, facts={"action": "rebuild"})
    AuditStore(application.database).note(note)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    finished: RebuildFinished | None = None
    said = time.monotonic()
    with Progress(*columns, console=console, transient=True) as progress:
        bar = progress.add_task("Computing vectors", total=None)
        for event in application.rebuild(asked_by="terminal"):
            match event:
                case RebuildProgress(done, total):
                    progress.update(bar, completed=done, total=total)
                    # In a log there is no bar: a line now and then shows that work goes on.
                    if not console.is_terminal and time.monotonic() - said > QUIET_SECONDS:
                        said = time.monotonic()
                        console.print(Text(f"{done} of {total} passages"))
                case RebuildFinished():
                    finished = event
                    console.print(Text(_sentence(event)))
    return finished


def _sentence(finished: RebuildFinished) -> str:
    done = f"{finished.chunks} passages were computed anew ({finished.seconds:.1f} s)"
    if finished.model_after == finished.model_before:
        return f"{done}; the new ones are served."
    return (
        f"{done}; the model {finished.model_after} serves now. A process that still has {finished.model_before} "
        "answers until the next sync changes something: start it again."
    )
