"""`testigo gaps`: what people asked and the documents did not answer."""

from __future__ import annotations

import datetime as dt

import click

from bot.cli.application import Application
from bot.cli.people import reader_of
from bot.rendering.escape import one_line
from core.domain.access import Audience
from core.errors import SettingsError
from core.gaps import Gap, gaps_csv

MOST = 500


@click.command()
@click.option("--csv", "as_csv", is_flag=True, help="Write them as CSV to standard output.")
@click.option("--days", type=click.IntRange(min=1), help="How far to look back; by default all.")
@click.option("--as", "email", metavar="EMAIL", help="Name the nearest documents that this person may open; else none.")
@click.pass_obj
def gaps(application: Application, as_csv: bool, days: int | None, email: str | None) -> None:
    """List the questions that were abstained from or voted down, gathered by what they are about."""
    settings = application.settings
    if not settings.gaps:
        raise SettingsError("Gaps are not gathered: set gaps = true in testigo.toml to begin.")
    if not application.has_index:
        raise SettingsError("There is no index yet: run testigo sync.")
    since = application.now() - dt.timedelta(days=days or settings.question_days)
    audience = Audience.person(reader_of(application, email)) if email else None
    found = application.gaps().listed(settings.tenant_id, since, audience, MOST)
    if as_csv:
        click.echo(gaps_csv(found), nl=False)
        return
    for gap in found:
        click.echo("\n".join(_lines(gap)))
    if not found:
        click.echo("No gaps are known.")


def _lines(gap: Gap) -> list[str]:
    counts = f"asked {gap.times} times by {gap.people} people, last on {gap.last_asked.isoformat()}"
    said = [f"{one_line(gap.question)} ({counts})"]
    if gap.near:
        said.append(f"  nearest: {'; '.join(one_line(document.title) for document in gap.near)}")
    return [*said, *(f"  suggested: {one_line(suggestion)}" for suggestion in gap.suggestions)]
