"""`testigo audit`: prove that the record of who asked and did what is whole, and take it out."""

from __future__ import annotations

import datetime as dt
import json
import sys
from pathlib import Path

import click
import pyarrow as pa
import pyarrow.parquet as pq

from bot.cli.application import Application
from core.domain.auditing import AuditEntry
from core.store.audit import AuditStore

WHOLE, BROKEN = 0, 1
SHOWN = 20
BATCH = 10_000
COLUMNS = pa.schema(
    [
        ("seq", pa.int64()),
        ("at", pa.timestamp("us", tz="UTC")),
        ("kind", pa.string()),
        ("tenant", pa.string()),
        ("actor", pa.string()),
        ("place", pa.string()),
        ("body", pa.string()),
        ("previous", pa.string()),
        ("hash", pa.string()),
    ]
)


@click.group()
def audit() -> None:
    """Verify the audit record, or export it."""


@audit.command()
@click.option("--head", metavar="SEQ:HASH", help="A head that was noted elsewhere and must still be in the record.")
@click.pass_obj
def verify(application: Application, head: str | None) -> None:
    """Look at every row: say what was changed, is missing or out of order. Ends with 1 when anything is."""
    store = AuditStore(application.database)
    findings = store.verify(_head(head))
    for finding in findings[:SHOWN]:
        click.echo(f"row {finding.seq}: {finding.what}")
    if len(findings) > SHOWN:
        click.echo(f"and {len(findings) - SHOWN} more")
    if findings:
        sys.exit(BROKEN)
    seq, digest = store.head()
    click.echo(f"{seq} rows, whole. Head {seq}:{digest}")


@audit.command()
@click.option("--since", metavar="DATE", default="1970-01-01", help="The first day (UTC), or moment, in ISO form.")
@click.option("--format", "form", type=click.Choice(["jsonl", "parquet"]), default="jsonl")
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), help="A file; by default standard output.")
@click.pass_obj
def export(application: Application, since: str, form: str, output: Path | None) -> None:
    """Write the rows out, with their hashes."""
    try:
        moment = dt.datetime.fromisoformat(since)
    except ValueError:
        raise click.BadParameter("write it as 2026-11-29 or 2026-11-29T09:00", param_hint="--since") from None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=dt.UTC)
    entries = AuditStore(application.database).entries(moment.timestamp())
    if form == "jsonl":
        with click.open_file(str(output or "-"), "w", encoding="utf-8") as file:
            for entry in entries:
                line = {"seq": entry.seq, **json.loads(entry.body), "previous": entry.previous, "hash": entry.hash}
                file.write(json.dumps(line, ensure_ascii=False, sort_keys=True) + "\n")
        return
    if output is None:
        raise click.UsageError("A Parquet file cannot go to standard output: name it with --output.")
    with pq.ParquetWriter(output, COLUMNS) as writer:
        waiting: list[dict[str, object]] = []
        for entry in entries:
            waiting.append(_row(entry))
            if len(waiting) == BATCH:
                writer.write_table(pa.Table.from_pylist(waiting, schema=COLUMNS))
                waiting.clear()
        writer.write_table(pa.Table.from_pylist(waiting, schema=COLUMNS))


def _row(entry: AuditEntry) -> dict[str, object]:
    said = json.loads(entry.body)
    return {
        "seq": entry.seq,
        "at": dt.datetime.fromtimestamp(entry.at, dt.UTC),
        **{name: str(said.get(name, "")) for name in ("kind", "tenant", "actor", "place")},
        "body": entry.body,
        "previous": entry.previous,
        "hash": entry.hash,
    }


def _head(text: str | None) -> tuple[int, str] | None:
    if text is None:
        return None
    seq, colon, digest = text.partition(":")
    if not colon or not seq.isdigit():
        raise click.BadParameter("write it as `testigo audit verify` printed it: SEQ:HASH", param_hint="--head")
    return int(seq), digest
