"""`testigo explain-access`: why somebody may or may not read a document."""

from __future__ import annotations

from collections.abc import Iterator

import click
from rich.console import Console
from rich.text import Text

from bot.cli.application import Application
from bot.cli.documents import find_history
from bot.cli.people import reader_of
from bot.rendering.escape import one_line
from core.access.explanation import clause_findings
from core.domain.access import AccessRule, Principal, Reader
from core.store.revocations import RevocationStore

SHOWN = 8


@click.command("explain-access")
@click.argument("document")
@click.option("--as", "email", required=True, help="E-mail address of the person.")
@click.pass_obj
def explain_access(application: Application, document: str, email: str) -> None:
    """Say whether somebody may read DOCUMENT (its id, or source/key): each clause of its rule, and what opens it."""
    record = find_history(application, document)[-1]
    rule = application.stored.rulebook(record.tenant_id).rule(record.rule_id)
    reader = reader_of(application, email)
    listed = application.groups.current().person(email)
    served = record.document_id in application.stored.current_versions(record.tenant_id)
    console = Console()
    console.print(Text(f"{record.source}/{record.source_key} · {one_line(record.metadata.title)}"))
    if not served:
        console.print(Text("It is not served any more: nobody reads it.", style="yellow"))
    if listed is None:
        console.print(Text(f"{email} is not in the people file: in no group, and a member only if Slack says so."))
    elif listed.is_guest:
        console.print(Text(f"{email} is a guest: holds neither everyone nor a mail domain."))
    for line, holds in explain(rule, reader):
        console.print(Text(line, style="green" if holds else "red"), soft_wrap=True)
    revoked = record.document_id in RevocationStore(application.database).revoked(record.tenant_id)
    if revoked:
        console.print(Text("It was revoked: nobody reads it until testigo revoke --lift.", style="yellow"))
    may = served and not revoked and rule is not None and rule.satisfied_by(reader.principals)
    console.print(Text(f"{email} may {'' if may else 'not '}read it.", style="bold"))


def explain(rule: AccessRule | None, reader: Reader) -> Iterator[tuple[str, bool]]:
    """A line for each clause, and whether it holds: all of them must."""
    if rule is None or not rule.clauses:
        yield "✗ Its rule is not known: nobody may read it.", False
        return
    for finding in clause_findings(rule, reader):
        if not finding.clause:
            yield "✗ a clause that nobody satisfies", False
        elif finding.holds:
            yield f"✓ {_listed(finding.clause)}: by {_listed(finding.held)}", True
        else:
            yield f"✗ {_listed(finding.clause)}: holds none of them", False


def _listed(principals: frozenset[Principal]) -> str:
    names = sorted(str(principal) for principal in principals)
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return one_line(" or ".join(names[:SHOWN])) + more
