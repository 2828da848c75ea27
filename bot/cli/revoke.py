"""`testigo revoke`: hide a document from everybody at once, or let its rule decide again."""

from __future__ import annotations

import datetime as dt

import click

from bot.cli.application import Application
from bot.cli.documents import find_history
from core.domain.auditing import TERMINAL, AuditKind, AuditNote
from core.store.audit import AuditStore
from core.store.revocations import RevocationStore


@click.command()
@click.argument("document", required=False)
@click.option("--lift", is_flag=True, help="Let the document's own rule decide again.")
@click.pass_obj
def revoke(application: Application, document: str | None, lift: bool) -> None:
    """Hide DOCUMENT (its id, or source/key) from everybody from the next question on; syncs do not bring it back.

    Without DOCUMENT, list what is hidden.
    """
    tenant_id = application.settings.tenant_id
    store = RevocationStore(application.database)
    if document is None:
        if lift:
            raise click.UsageError("Name the document to lift.")
        for each in store.listed(tenant_id):
            when = dt.datetime.fromtimestamp(each.revoked_at, dt.UTC)
            click.echo(f"{each.document_id} · since {when:%Y-%m-%d %H:%M UTC} · by {each.revoked_by}")
        return
    if lift and document in store.revoked(tenant_id):
        document_id = document  # it may be gone from the index by now
    else:
        document_id = find_history(application, document)[-1].document_id
    changed = store.lift(tenant_id, document_id) if lift else store.revoke(tenant_id, document_id, TERMINAL)
    action = "lift" if lift else "revoke"
    facts = {"action": action, "document": document_id, "outcome": "done" if changed else "unchanged"}
    AuditStore(application.database).note(AuditNote(AuditKind.ADMIN, tenant_id, TERMINAL, facts=facts))
    if lift:
        said = "is shown again to whom its rule allows" if changed else "was not hidden"
    else:
        said = "is hidden from everybody now" if changed else "is hidden already"
    click.echo(f"{document_id} {said}.")
