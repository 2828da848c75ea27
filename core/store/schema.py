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
