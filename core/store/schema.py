"""The tables of the SQL store.

Times are UTC seconds since the epoch, so that SQLite and PostgreSQL compare them alike.
"""

from sqlalchemy import (
    JSON,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

metadata = MetaData()

events = Table(
    "events",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("team_id", String(64), nullable=False),
    Column("event_id", String(128), nullable=False),
    # The message an event is about; a mention arrives as app_mention and as message, with two event ids and one ts.
    Column("subject", String(160), nullable=True),
    Column("kind", String(32), nullable=False),
    Column("payload", JSON, nullable=True),
    Column("state", String(16), nullable=False),
    Column("attempts", Integer, nullable=False, default=0),
    Column("lease_owner", String(64), nullable=True),
    Column("lease_until", Float, nullable=True),
    Column("received_at", Float, nullable=False),
    Column("finished_at", Float, nullable=True),
    # What has been shown for it so far (channel, ts of the bot's messages), so that a restart goes on there.
    Column("delivered", JSON, nullable=True),
    UniqueConstraint("team_id", "event_id"),
    UniqueConstraint("team_id", "subject"),
    Index("events_open", "state", "lease_until"),
)

runs = Table(
    "runs",
    metadata,
    Column("run_id", String(36), primary_key=True),
    Column("tenant_id", String(64), nullable=False),
    Column("reader", String(160), nullable=False),
    Column("channel", String(64), nullable=False, default=""),
    Column("started_at", Float, nullable=False),
    Column("finished_at", Float, nullable=True),
    Column("decision", String(32), nullable=False),
    Column("generator", String(64), nullable=False),
    Column("index_version", Integer, nullable=False),
    Column("confidence", Float, nullable=False),
    Column("claims", Integer, nullable=False),
    Column("dropped_claims", Integer, nullable=False),
    Column("use", JSON, nullable=True),
    Column("timings", JSON, nullable=True),
    Index("runs_by_time", "tenant_id", "started_at"),
)

evidence = Table(
    "evidence",
    metadata,
    Column("run_id", String(36), ForeignKey("runs.run_id", ondelete="CASCADE"), primary_key=True),
    # The frozen passages (ids, versions, offsets, hashes: no text) and the answer's claims with their citations.
    Column("passages", JSON, nullable=False),
    Column("claims", JSON, nullable=False),
)

evidence_documents = Table(
    "evidence_documents",
    metadata,
    # What evidence points at, from the JSON above: versions are kept by it, and runs found whose ground has changed.
    Column("run_id", String(36), ForeignKey("runs.run_id", ondelete="CASCADE"), primary_key=True),
    Column("document_id", String(160), primary_key=True),
    Column("document_version", Integer, primary_key=True),
    Column("tenant_id", String(64), nullable=False),
    # 1: a claim cites it; 0: it was only read.
    Column("cited", Integer, nullable=False),
    # The version of the document against which the citations were last looked at; 0: it was removed.
    Column("checked_version", Integer, nullable=False),
    Index("evidence_documents_by_document", "tenant_id", "document_id"),
)

evidence_flags = Table(
    "evidence_flags",
    metadata,
    Column("run_id", String(36), ForeignKey("runs.run_id", ondelete="CASCADE"), primary_key=True),
    Column("document_id", String(160), primary_key=True),
    Column("kind", String(16), primary_key=True),
    Column("at", Float, nullable=False),
    Index("evidence_flags_by_time", "at"),
)

turns = Table(
    "turns",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("tenant_id", String(64), nullable=False),
    Column("conversation", String(160), nullable=False),
    Column("reader", String(160), nullable=False),
    Column("question", Text, nullable=False),
    Column("asked_at", Float, nullable=False),
    Column("run_id", String(36), nullable=True),
    Index("turns_by_conversation", "tenant_id", "conversation", "asked_at"),
)

sync_runs = Table(
    "sync_runs",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("source", String(64), nullable=False),
    Column("asked_by", String(160), nullable=False),
    Column("started_at", Float, nullable=False),
    Column("finished_at", Float, nullable=True),
    Column("state", String(16), nullable=False),
    Column("counts", JSON, nullable=True),
    Column("failures", JSON, nullable=True),
    Index("sync_runs_by_source", "source", "started_at"),
)

sync_schedule = Table(
    "sync_schedule",
    metadata,
    Column("source", String(64), primary_key=True),
    # As the settings say it: when they say something else, the times start anew.
    Column("schedule", String(160), nullable=False),
    Column("due_at", Float, nullable=False),
    Column("missed", Integer, nullable=False, default=0),
)

audit = Table(
    "audit",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("at", Float, nullable=False),
    # Everything of the entry as canonical JSON: the text that the hash is of, the same in every database.
    Column("body", Text, nullable=False),
    Column("previous", String(64), nullable=False),
    Column("hash", String(64), nullable=False),
    Index("audit_by_time", "at"),
)

audit_head = Table(
    "audit_head",
    metadata,
    # One row, the end of the chain. Writers change it first, so that they come one after another.
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("seq", Integer, nullable=False),
    Column("hash", String(64), nullable=False),
)

audit_salts = Table(
    "audit_salts",
    metadata,
    # Apart from the record: deleted when a person is forgotten, after which no commitment to their words can be tried.
    Column("tenant_id", String(64), primary_key=True),
    Column("person", String(160), primary_key=True),
    Column("reader", String(160), nullable=False, default=""),
    Column("salt", String(64), nullable=False),
)

revocations = Table(
    "revocations",
    metadata,
    Column("tenant_id", String(64), primary_key=True),
    Column("document_id", String(160), primary_key=True),
    Column("revoked_at", Float, nullable=False),
    Column("revoked_by", String(160), nullable=False),
)

rate_windows = Table(
    "rate_windows",
    metadata,
    Column("key", String(255), primary_key=True),
    Column("hits", Integer, nullable=False),
    Column("expires_at", Float, nullable=False),
)

asking = Table(
    "asking",
    metadata,
    # Questions that are being answered: so many of one person at the same time, over all processes.
    Column("event_id", Integer, primary_key=True, autoincrement=False),
    Column("person", String(160), nullable=False),
    Column("until", Float, nullable=False),
    Index("asking_by_person", "person", "until"),
)
