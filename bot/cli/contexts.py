"""The sentences about passages in `testigo sync`: what they cost is said first, and nobody pays without a yes."""

from __future__ import annotations

import sys
import time

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from bot.cli.application import Application
from core.domain.contexts import ContextCost, ContextReport
from core.domain.syncing import SyncProgress

QUIET_SECONDS = 10
NO_KEY = "contextual = true needs ANTHROPIC_API_KEY: passages are indexed without a sentence of context."


def offer_contexts(application: Application, source: str | None, *, agreed: bool) -> list[ContextReport]:
    """Say what the missing sentences cost; have them written if that is `agreed`, or a person at the terminal agrees.

    They never cost more than what was said, where the price is known. All of it is told on standard error.

    Raises:
        TestigoError: see `SyncService.fill_contexts`.
    """
    console, settings = Console(stderr=True), application.settings
    if not settings.contextual:
        return []
    if not settings.writes_contexts:
        console.print(Text(NO_KEY, style="yellow"))
        return []
    cost = application.sync.contexts_cost(source)
    if cost is None or not cost.chunks:
        return []
    model = settings.contextual_model or settings.claude_model
    console.print(Text(_sentence(cost, model)))
    if not agreed and not has_terminal():
        console.print(Text("Nobody is here to ask: give --yes to have them written.", style="yellow"))
        return []
    if not agreed and not click.confirm("Have them written?", err=True):
        return []
    return _fill(application, console, source, cost)


def has_terminal() -> bool:
    """Whether somebody sits before standard input."""
    return sys.stdin.isatty()


def _fill(application: Application, console: Console, source: str | None, cost: ContextCost) -> list[ContextReport]:
    reports: list[ContextReport] = []
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    said = time.monotonic()
    with Progress(*columns, console=console, transient=True) as progress:
        bar = progress.add_task("", total=None)
        for event in application.sync.fill_contexts(source, "terminal", cost.usd):
            match event:
                case SyncProgress(name, done, total):
                    progress.update(bar, description=f"Sentences for {name}", completed=done, total=total)
                    # In a log there is no bar: a line now and then shows that work goes on.
                    if not console.is_terminal and time.monotonic() - said > QUIET_SECONDS:
                        said = time.monotonic()
                        console.print(Text(f"{name}: {done} of {total} passages"))
                case ContextReport():
                    reports.append(event)
                    _print_report(console, event)
    return reports


def _print_report(console: Console, report: ContextReport) -> None:
    """How the sentences of one source ended, a line or two."""
    if report.written:
        billed = f"{report.tokens:,} tokens{_dollars(report.usd)}"
        console.print(Text(f"{report.source}: {report.written} passages have a new sentence of context ({billed})"))
    for line in report.lines:
        console.print(Text(f"  {line}", style="yellow"))


def _sentence(cost: ContextCost, model: str) -> str:
    tokens = f"{cost.input_tokens:,} tokens read and {cost.output_tokens:,} written"
    price = f"at most about ${cost.usd:.2f}" if cost.usd is not None else f"at a price that is not known for {model}"
    return (
        f"{cost.chunks} passages lack a sentence of context. {model} would write them in {cost.requests} requests: "
        f"{tokens}, {price}. The whole text of their documents goes to Anthropic for it."
    )


def _dollars(usd: float | None) -> str:
    return f", ${usd:.2f}" if usd is not None else ""
