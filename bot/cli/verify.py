"""`testigo verify`: does an answer still stand?"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import click
from pydantic import TypeAdapter, ValidationError
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bot.cli.application import Application
from bot.cli.people import reader_of
from bot.rendering.escape import one_line
from core.domain.evidence import Answer, Citation, Claim
from core.evidence.lookup import known, known_of, visible_to
from core.evidence.proof import HOLDS, Proof, Standing, all_hold, prove
from core.store.evidence import EvidenceStore
from core.store.revocations import RevocationStore

STANDS, FALLS = 0, 3
LONGEST_QUOTE = 60

_ANSWER: TypeAdapter[Answer] = TypeAdapter(Answer)


class Record(StrEnum):
    """How an answer that was handed in compares with what was recorded when it was given."""

    SAME = "same"
    DIFFERENT = "different"
    """Somebody changed its claims or citations since."""
    UNKNOWN = "unknown"
    """It was given elsewhere, or its record was deleted when its time was over."""


@dataclass(frozen=True, slots=True)
class Verification:
    """An answer's citations, each with how it stands."""

    run_id: str
    record: Record
    proofs: tuple[Proof, ...]

    @property
    def stands(self) -> bool:
        """Whether the answer may still be relied on, as it was given."""
        return self.record is not Record.DIFFERENT and all_hold(self.proofs)


@click.command()
@click.argument("answer")
@click.option("--as", "email", metavar="EMAIL", help="Who looks: what they may not see now is told as forbidden.")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON, alone.")
@click.pass_obj
def verify(application: Application, answer: str, email: str | None, as_json: bool) -> None:
    """Prove ANSWER again: a file that `testigo ask --json` wrote, `-` for standard input, or the id of a run.

    Says of each citation: ok, moved, changed, superseded, gone or forbidden. Ends with 0 when all of them are ok or
    moved, 3 when one is not or the answer is not the one that was given, 2 for bad usage, 1 when it failed.
    """
    found = examine(application, answer, email)
    if as_json:
        click.echo(json.dumps(verification_json(found), ensure_ascii=False, indent=2))
    else:
        _draw(Console(), found)
    sys.exit(STANDS if found.stands else FALLS)


def examine(application: Application, answer: str, email: str | None) -> Verification:
    """Look at each citation of an answer (a path, `-`, or a run id), as a reader or as whoever runs the index."""
    tenant_id = application.settings.tenant_id
    store = EvidenceStore(application.database)
    if answer == "-" or Path(answer).is_file():
        given = _read(answer)
        run_id, claims = given.run_id, given.claims
        recorded = store.claims(tenant_id, run_id)
        record = Record.UNKNOWN if recorded is None else Record.SAME if recorded == claims else Record.DIFFERENT
    else:
        recorded = store.claims(tenant_id, answer)
        if recorded is None:
            raise click.UsageError(f"{answer!r} is neither a file nor a run whose evidence is kept.")
        run_id, claims, record = answer, recorded, Record.SAME
    return Verification(run_id, record, tuple(_prove(application, _citations(claims), email)))


def verification_json(found: Verification) -> dict[str, Any]:
    """What was found as plain JSON values."""
    return {
        "run_id": found.run_id,
        "record": found.record.value,
        "stands": found.stands,
        "citations": [
            {
                "citation_id": proof.citation.citation_id,
                "standing": proof.standing.value,
                "detail": proof.detail,
                "document_id": proof.citation.document_id,
                "document_version": proof.citation.document_version,
                "current_version": proof.current_version,
                "start_offset": proof.start_offset,
                "end_offset": proof.end_offset,
            }
            for proof in found.proofs
        ],
    }


def _prove(application: Application, citations: list[Citation], email: str | None) -> list[Proof]:
    tenant_id, today = application.settings.tenant_id, application.now().date()
    visible, revoked = None, frozenset[str]()
    if email is not None:
        reader = reader_of(application, email)
        visible = visible_to(application.stored, reader)
        revoked = RevocationStore(application.database).revoked(tenant_id)
    looked_up = known_of(application.stored, tenant_id, citations)
    return [
        prove(
            c,
            known(c, looked_up),
            tenant_id=tenant_id,
            today=today,
            visible=_to_nobody if c.document_id in revoked else visible,
        )
        for c in citations
    ]


def _to_nobody(_rule_id: int) -> bool:
    """What is said of a rule of a document that was revoked."""
    return False


def _citations(claims: tuple[Claim, ...]) -> list[Citation]:
    """Each citation once. Two that share an id and differ are both looked at: ids are not believed either."""
    return list(dict.fromkeys(citation for claim in claims for citation in claim.citations))


def _read(answer: str) -> Answer:
    try:
        text = sys.stdin.read() if answer == "-" else Path(answer).read_text(encoding="utf-8")
        return _ANSWER.validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or "the whole"
        raise click.UsageError(f"{answer} is not an answer of `testigo ask --json`: {where}: {first['msg']}.") from None
    except (OSError, ValueError) as error:
        raise click.UsageError(f"{answer} cannot be read ({type(error).__name__}).") from None


def _draw(console: Console, found: Verification) -> None:
    if not found.proofs:
        console.print(Text(f"Run {found.run_id} cites nothing."))
    table = Table("", "citation", "document", "quote", "finding")
    for number, proof in enumerate(found.proofs, 1):
        citation = proof.citation
        hidden = proof.standing is Standing.FORBIDDEN
        quote = one_line(citation.quote)
        table.add_row(
            str(number),
            Text(proof.standing.value, style="green" if proof.standing in HOLDS else "red"),
            Text("" if hidden else f"{one_line(citation.document_id)} @{citation.document_version}"),
            Text("" if hidden else quote if len(quote) <= LONGEST_QUOTE else f"{quote[: LONGEST_QUOTE - 1]}…"),
            Text(one_line(proof.detail)),
        )
    if found.proofs:
        console.print(table)
    if found.record is Record.DIFFERENT:
        console.print(Text("This is not the answer that was given: its claims or citations were changed.", style="red"))
    elif found.record is Record.UNKNOWN:
        console.print(Text("Nothing is recorded of this run: only its citations could be looked at.", style="yellow"))
