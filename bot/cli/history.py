"""`testigo history`: the versions of a document."""

from __future__ import annotations

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bot.cli.application import Application
from bot.cli.documents import find_history
from bot.rendering.escape import one_line
from core.domain.document import Metadata
from core.index.tables import VersionRecord


@click.command()
@click.argument("document")
@click.pass_obj
def history(application: Application, document: str) -> None:
    """List the versions of DOCUMENT (its id, or source/key): when each was seen, and what changed."""
    records = find_history(application, document)
    served = application.stored.current_versions(application.settings.tenant_id).get(records[0].document_id)
    console = Console()
    latest = records[-1]
    console.print(Text(f"{latest.document_id} · {latest.source}/{latest.source_key} · {latest.metadata.title}"))
    table = Table("version", "seen", "source's version", "modified", "validity", "what changed")
    before: VersionRecord | None = None
    for record in records:
        said = record.metadata
        mark = " (served)" if record.number == served else ""
        modified = said.modified_at.strftime("%Y-%m-%d %H:%M") if said.modified_at else ""
        table.add_row(
            f"{record.number}{mark}",
            record.observed_at.strftime("%Y-%m-%d %H:%M UTC"),
            Text(one_line(said.source_version)),
            modified,
            Text(_validity(said)),
            Text(one_line(what_changed(before, record))),
        )
        before = record
    console.print(table)
    if served is None:
        console.print(Text("It is not served: it was removed from its export.", style="yellow"))


def what_changed(before: VersionRecord | None, after: VersionRecord) -> str:
    """What a version changed, in words."""
    if before is None:
        return "first seen"
    changes = []
    if before.content_hash != after.content_hash:
        changes.append("text")
    if before.rule_id != after.rule_id:
        changes.append("who may read it")
    if (before.source, before.source_key) != (after.source, after.source_key):
        changes.append(f"moved from {before.source_key}")
    changes += changed_fields(before.metadata, after.metadata)
    return ", ".join(changes) or "written anew"


def changed_fields(before: Metadata, after: Metadata) -> list[str]:
    """The names of what differs between two versions' metadata."""
    names = Metadata.__dataclass_fields__
    return [name.replace("_", " ") for name in names if getattr(before, name) != getattr(after, name)]


def _validity(said: Metadata) -> str:
    parts = [] if said.status.value == "in_force" else [said.status.value]
    if said.valid_from:
        parts.append(f"from {said.valid_from}")
    if said.valid_until:
        parts.append(f"until {said.valid_until}")
    if said.superseded_by:
        parts.append(f"replaced by {one_line(said.superseded_by)}")
    elif said.is_superseded:
        parts.append("superseded")
    return ", ".join(parts) or "in force"
