"""`testigo forget`: delete what a person asked."""

from __future__ import annotations

import click

from bot.cli.application import Application
from core.domain.auditing import TERMINAL, AuditKind, AuditNote
from core.store.audit import AuditStore
from core.store.forgetting import Forgetting


@click.command()
@click.argument("user")
@click.pass_obj
def forget(application: Application, user: str) -> None:
    """Delete the questions and verdicts of USER (a Slack id or an e-mail address), and what ties the record to them."""
    tenant_id = application.settings.tenant_id
    groups = application.groups.current()
    also = [groups.canonical_email(user)] if "@" in user else []
    done = Forgetting(application.database).forget(tenant_id, user, also)
    facts = {
        "action": "forget",
        "outcome": "done",
        "questions": done.questions,
        "runs": done.runs,
        "verdicts": done.verdicts,
    }
    AuditStore(application.database).note(AuditNote(AuditKind.ADMIN, tenant_id, TERMINAL, facts=facts))
    click.echo(
        f"{done.questions} questions deleted, {done.runs} runs without a name now, {done.verdicts} verdicts deleted, "
        f"{done.salts} salts destroyed. The audit record is as it was."
    )
