"""`testigo diff`: what changed between two versions of a document."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

import click
from rich.console import Console
from rich.text import Text

from bot.cli.application import Application
from bot.cli.documents import find_history
from bot.cli.history import changed_fields
from bot.rendering.escape import one_line
from core.domain.document import Version
from core.errors import SettingsError

_STYLES = {"+": "green", "-": "red", "@": "cyan"}


@click.command()
@click.argument("document")
@click.argument("old", type=int)
@click.argument("new", type=int)
@click.pass_obj
def diff(application: Application, document: str, old: int, new: int) -> None:
    """Show what changed in DOCUMENT (its id, or source/key) from version OLD to version NEW."""
    tables = application.stored
    records = find_history(application, document)
    tenant_id, document_id = records[0].tenant_id, records[0].document_id
    versions = tables.versions((tenant_id, document_id, number) for number in (old, new))
    for number in (old, new):
        if (document_id, number) not in versions:
            known = ", ".join(str(record.number) for record in records)
            raise SettingsError(f"{document_id} has no version {number}; it has {known}.")
    rules = tables.rulebook(tenant_id)
    before, after = versions[document_id, old], versions[document_id, new]
    console = Console()
    for line in differences(before, after, str(rules.rule(before.rule_id)), str(rules.rule(after.rule_id))):
        console.print(Text(line, style=_STYLES.get(line[:1], "")), soft_wrap=True)


def differences(before: Version, after: Version, old_rule: str = "", new_rule: str = "") -> Iterator[str]:
    """A unified diff of the texts, after what else differs; one line where nothing does."""
    found = False
    for name in changed_fields(before.metadata, after.metadata):
        found = True
        field = name.replace(" ", "_")
        old, new = getattr(before.metadata, field), getattr(after.metadata, field)
        yield f"{name}: {one_line(str(old))} → {one_line(str(new))}"
    if before.rule_id != after.rule_id:
        found = True
        yield f"who may read it: {one_line(old_rule)} → {one_line(new_rule)}"
    old_name, new_name = (f"{v.document_id} version {v.number}" for v in (before, after))
    lines = difflib.unified_diff(before.text.splitlines(), after.text.splitlines(), old_name, new_name, lineterm="")
    for line in lines:
        found = True
        yield one_line(line) if line.startswith(("---", "+++")) else line
    if not found:
        yield "Nothing differs."
