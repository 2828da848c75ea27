"""The tables of the SQL store.

Times are UTC seconds since the epoch, so that SQLite and PostgreSQL compare them alike. PostgreSQL holds texts to their
lengths: what names a person takes the longest address there is (RFC 5321: 64 characters, `@`, 255).
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
    Column("subject", String(320), nullable=True),
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
    # Where its message stands (`core.domain.message_life`); `state` says whether there is work left.
    Column("stage", String(16), nullable=True),
    UniqueConstraint("team_id", "event_id"),
    UniqueConstraint("team_id", "subject"),
    Index("events_open", "state", "lease_until"),
)

stops = Table(
    "stops",
    metadata,
    # Events whose asker has pressed the stop button: whichever process works on one looks here.
    Column("event_id", Integer, ForeignKey("events.id", ondelete="CASCADE"), primary_key=True),
    Column("asked_by", String(64), nullable=False),
    Column("asked_at", Float, nullable=False),
)

runs = Table(
    "runs",
    metadata,
    Column("run_id", String(36), primary_key=True),
    Column("tenant_id", String(64), nullable=False),
    Column("reader", String(320), nullable=False),
    Column("channel", String(64), nullable=False, default=""),
    Column("started_at", Float, nullable=False),
    Column("finished_at", Float, nullable=True),
    Column("decision", String(32), nullable=False),
    Column("generator", String(160), nullable=False),
    Column("index_version", Integer, nullable=False),
    Column("confidence", Float, nullable=False),
    Column("claims", Integer, nullable=False),
    Column("dropped_claims", Integer, nullable=False),
    # How many of them for which reason, as far as the verifier gave one.
    Column("dropped_reasons", JSON, nullable=True),
    Column("use", JSON, nullable=True),
    Column("timings", JSON, nullable=True),
    Index("runs_by_time", "tenant_id", "started_at"),
)

private_runs = Table(
    "private_runs",
    metadata,
    # Runs whose answer was shown to nobody but who asked, until they share it.
    Column("run_id", String(36), ForeignKey("runs.run_id", ondelete="CASCADE"), primary_key=True),
)

feedback = Table(
    "feedback",
    metadata,
    # What a person thinks of an answer: one verdict, which they may change. `note` is their own words.
    Column("run_id", String(36), ForeignKey("runs.run_id", ondelete="CASCADE"), primary_key=True),
    Column("person", String(320), primary_key=True),
    Column("reader", String(320), nullable=False, default=""),
    Column("verdict", String(8), nullable=False),
    Column("reason", String(32), nullable=False, default=""),
    Column("note", Text, nullable=False, default=""),
    Column("at", Float, nullable=False),
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
    Column("document_id", String(320), primary_key=True),
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
    Column("document_id", String(320), primary_key=True),
    Column("kind", String(16), primary_key=True),
    Column("at", Float, nullable=False),
    # Of a changed access: the rule that the document has since.
    Column("rule_id", Integer, nullable=True),
    Index("evidence_flags_by_time", "at"),
)

turns = Table(
    "turns",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("tenant_id", String(64), nullable=False),
    Column("conversation", String(320), nullable=False),
    Column("reader", String(320), nullable=False),
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
    Column("asked_by", String(320), nullable=False),
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
    Column("schedule", String(320), nullable=False),
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
    Column("person", String(320), primary_key=True),
    Column("reader", String(320), nullable=False, default=""),
    Column("salt", String(64), nullable=False),
)

revocations = Table(
    "revocations",
    metadata,
    Column("tenant_id", String(64), primary_key=True),
    Column("document_id", String(320), primary_key=True),
    Column("revoked_at", Float, nullable=False),
    Column("revoked_by", String(320), nullable=False),
    # What it was when a sync last met it, so that it is known again under another id.
    Column("source", String(64), nullable=True),
    Column("source_key", Text, nullable=True),
    Column("title", Text, nullable=True),
    Column("content_hash", String(64), nullable=True),
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
    Column("person", String(320), nullable=False),
    Column("until", Float, nullable=False),
    Index("asking_by_person", "person", "until"),
)

place_settings = Table(
    "place_settings",
    metadata,
    # A place is where questions are asked: a channel. One row is everything that was set there.
    Column("tenant_id", String(64), primary_key=True),
    Column("place", String(64), primary_key=True),
    Column("sources", JSON, nullable=False),
    Column("mode", String(16), nullable=False),
    Column("answers_in", String(16), nullable=False),
    Column("follow_ups", Integer, nullable=False),
    Column("language", String(8), nullable=False),
    Column("set_by", String(320), nullable=False),
    Column("set_at", Float, nullable=False),
)

person_settings = Table(
    "person_settings",
    metadata,
    # What a person chose for themself. `person` is a Slack id; `reader` their address, by which they are forgotten too.
    Column("tenant_id", String(64), primary_key=True),
    Column("person", String(64), primary_key=True),
    Column("reader", String(320), nullable=False, default=""),
    Column("language", String(8), nullable=False),
    Column("set_at", Float, nullable=False),
)

edited_questions = Table(
    "edited_questions",
    metadata,
    # The newest wording of a question that was edited after it was asked, until it is answered again.
    Column("tenant_id", String(64), primary_key=True),
    Column("place", String(64), primary_key=True),
    Column("message", String(64), primary_key=True),
    Column("author", String(320), nullable=False),
    Column("thread", String(64), nullable=False),
    # Which edit of it this is: the moment of the edit as the front end names it.
    Column("edition", String(64), nullable=False),
    Column("text", Text, nullable=False),
    Column("edited_at", Float, nullable=False),
    Index("edited_questions_by_time", "tenant_id", "edited_at"),
)

shown_answers = Table(
    "shown_answers",
    metadata,
    # Which event showed a run (where its message stands is noted there), to whom, and who read along at that moment.
    Column("run_id", String(36), ForeignKey("runs.run_id", ondelete="CASCADE"), primary_key=True),
    Column("event_id", Integer, primary_key=True, autoincrement=False),
    Column("team_id", String(64), nullable=False),
    Column("enterprise_id", String(64), nullable=False),
    Column("user_id", String(64), nullable=False),
    Column("place", String(64), nullable=False),
    Column("thread", String(64), nullable=False),
    Column("audience", String(16), nullable=False),
    Column("surface", String(16), nullable=False),
    Index("shown_answers_by_event", "event_id"),
)

living_told = Table(
    "living_told",
    metadata,
    # What was last told of the sources of an answer: each document with its version or rule, or that it is hidden.
    Column("run_id", String(36), ForeignKey("runs.run_id", ondelete="CASCADE"), primary_key=True),
    Column("state", JSON, nullable=False),
    Column("at", Float, nullable=False),
)

living_threads = Table(
    "living_threads",
    metadata,
    # When something was last told in a thread, and who is about to.
    Column("team_id", String(64), primary_key=True),
    Column("place", String(64), primary_key=True),
    Column("thread", String(96), primary_key=True),
    Column("told_at", Float, nullable=True),
    Column("attempts", Integer, nullable=False, default=0),
    Column("lease_owner", String(64), nullable=True),
    Column("lease_until", Float, nullable=True),
)

asked_people = Table(
    "asked_people",
    metadata,
    # Questions that were handed to people, and the answer that one of them offers: a gap in the documents.
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("tenant_id", String(64), nullable=False),
    Column("run_id", String(36), ForeignKey("runs.run_id", ondelete="CASCADE"), nullable=False, unique=True),
    Column("team_id", String(64), nullable=False),
    Column("user_id", String(64), nullable=False),
    Column("reader", String(320), nullable=False),
    Column("place", String(64), nullable=False),
    Column("thread", String(64), nullable=False),
    Column("question", Text, nullable=False),
    Column("asked_at", Float, nullable=False),
    # Where it was posted; empty until it is.
    Column("channel", String(64), nullable=False, default=""),
    Column("ts", String(64), nullable=False, default=""),
    Column("suggestion", Text, nullable=True),
    Column("suggested_by", String(64), nullable=True),
    Column("suggested_at", Float, nullable=True),
    Index("asked_people_by_thread", "team_id", "channel", "ts"),
)

told_admins = Table(
    "told_admins",
    metadata,
    # What the admins' channel was told on a day: one of a kind, over all processes.
    Column("tenant_id", String(64), primary_key=True),
    Column("kind", String(64), primary_key=True),
    Column("day", String(10), primary_key=True),
    Column("at", Float, nullable=False),
)

leases = Table(
    "leases",
    metadata,
    # The right to do what only one process may do at a time, over all hosts: such as writing to the index.
    Column("name", String(64), primary_key=True),
    Column("owner", String(64), nullable=False),
    Column("asked_by", String(320), nullable=False),
    Column("since", Float, nullable=False),
    Column("until", Float, nullable=False),
)
