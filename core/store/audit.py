"""The audit record: only ever appended to, each row chained to the one before by its hash.

    hash(n) = SHA-256(hash(n-1) ‖ n ‖ body(n))

Whoever changes, removes or moves a row breaks the chain from there on. Who may write the whole database could chain it
anew: note the head that `testigo audit verify` prints elsewhere, and hand it back with `--head`.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import time
from collections.abc import Callable, Iterator

from sqlalchemy import Connection, Engine, delete, func, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from core.domain.auditing import TERMINAL, AuditEntry, AuditKind, AuditNote, Finding
from core.domain.evidence import Answer, Evidence, EvidencePassage
from core.domain.question import Question
from core.store.runs import RunRecord
from core.store.schema import audit, audit_head, audit_salts

HEAD = 1
NOTHING = "0" * 64
"""The hash before the first row."""
BATCH = 1_000


class AuditStore:
    """Appends, reads and verifies. Safe for several processes on one database."""

    def __init__(self, engine: Engine, clock: Callable[[], float] = time.time) -> None:
        self._engine = engine
        self._clock = clock

    # -- writing ------------------------------------------------------------------------------------------------

    def note(self, note: AuditNote) -> AuditEntry:
        """Append an entry."""
        at = self._clock()
        said = {
            **note.facts,
            "at": at,
            "kind": note.kind.value,
            "tenant": note.tenant_id,
            "actor": note.actor,
            "place": note.place,
        }
        body = json.dumps(said, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        self._ensure_head()
        with self._engine.begin() as connection:
            # Written to before it is read: SQLite takes its one write lock, PostgreSQL the row's, and writers queue.
            connection.execute(update(audit_head).where(audit_head.c.id == HEAD).values(seq=audit_head.c.seq + 1))
            head = connection.execute(select(audit_head).where(audit_head.c.id == HEAD)).one()
            entry = AuditEntry(head.seq, at, body, head.hash, _hash(head.hash, head.seq, body))
            connection.execute(
                insert(audit).values(seq=entry.seq, at=at, body=body, previous=entry.previous, hash=entry.hash)
            )
            connection.execute(update(audit_head).where(audit_head.c.id == HEAD).values(hash=entry.hash))
        return entry

    def note_run(self, question: Question, record: RunRecord, answer: Answer, evidence: Evidence | None) -> AuditEntry:
        """Append what a run did: ids, versions and numbers, and commitments to its words."""
        actor = question.asked_by or TERMINAL
        salt = self._salt(record.tenant_id, question.asked_by or record.reader, record.reader)
        read = {(p.passage.document_id, p.passage.document_version, p.passage.rule_id) for p in _passages(evidence)}
        cited = {(c.document_id, c.document_version) for c in answer.citations}
        use = answer.use
        facts = {
            "run": answer.run_id,
            "audience": question.audience.kind.value,
            "decision": record.decision(answer),
            "documents": sorted([d, v, int((d, v) in cited)] for d, v, _ in read),
            "rules": sorted({rule for _, _, rule in read}),
            "index": answer.index_version,
            "generator": answer.generator,
            "model": use.model if use else "",
            "tokens": [use.input_tokens, use.output_tokens, use.cache_read_tokens, use.cache_write_tokens]
            if use
            else [],
            "latency_ms": round((record.finished_at - record.started_at) * 1000),
            "question": commitment(salt, question.text),
            "answer": commitment(salt, "\n".join(claim.text for claim in answer.claims)),
        }
        return self.note(AuditNote(AuditKind.RUN, record.tenant_id, actor, record.place, facts))

    def forget_salts(self, tenant_id: str, person: str) -> list[tuple[str, str]]:
        """Destroy the salts of a person (a Slack id or an e-mail address); (id, address) of whom they were.

        What was committed to with them can be tried out by nobody any more; the chain does not change.
        """
        mine = (audit_salts.c.tenant_id == tenant_id) & or_(
            audit_salts.c.person == person, (audit_salts.c.reader == person) & (audit_salts.c.reader != "")
        )
        with self._engine.begin() as connection:
            found = connection.execute(select(audit_salts.c.person, audit_salts.c.reader).where(mine)).all()
            connection.execute(delete(audit_salts).where(mine))
        return [(row.person, row.reader) for row in found]

    def committed(self, tenant_id: str, person: str, text: str) -> str | None:
        """The commitment to a text of a person, to look for it in the record; None when they were forgotten."""
        mine = (audit_salts.c.tenant_id == tenant_id) & (audit_salts.c.person == person)
        with self._engine.connect() as connection:
            salt = connection.execute(select(audit_salts.c.salt).where(mine)).scalar_one_or_none()
        return None if salt is None else commitment(salt, text)

    # -- reading ------------------------------------------------------------------------------------------------

    def head(self) -> tuple[int, str]:
        """The last row's number and hash."""
        with self._engine.connect() as connection:
            row = connection.execute(select(audit_head).where(audit_head.c.id == HEAD)).one_or_none()
        return (0, NOTHING) if row is None else (row.seq, row.hash)

    def entries(self, since: float = 0, after: int = 0) -> Iterator[AuditEntry]:
        """The rows from a time (epoch seconds) on, after a number, in their order."""
        while True:
            query = select(audit).where(audit.c.seq > after, audit.c.at >= since).order_by(audit.c.seq).limit(BATCH)
            with self._engine.connect() as connection:
                rows = connection.execute(query).all()
            yield from (AuditEntry(row.seq, row.at, row.body, row.previous, row.hash) for row in rows)
            if len(rows) < BATCH:
                return
            after = rows[-1].seq

    def verify(self, known: tuple[int, str] | None = None) -> list[Finding]:
        """Look at every row; what is wrong, by its place.

        Args:
            known: the (number, hash) of a head that was noted elsewhere and must still be in the chain.
        """
        findings: list[Finding] = []
        head_seq, head_hash = self.head()
        last, last_hash = 0, NOTHING
        seen = known is None
        for entry in self.entries():
            if entry.seq != last + 1:
                missing = f"row {last + 1}" if entry.seq == last + 2 else f"rows {last + 1} to {entry.seq - 1}"
                findings.append(Finding(entry.seq, f"{missing} missing before it"))
            elif entry.previous != last_hash:
                findings.append(Finding(entry.seq, "it does not follow the row before"))
            if entry.hash != _hash(entry.previous, entry.seq, entry.body) or not _times_agree(entry):
                findings.append(Finding(entry.seq, "its content was changed"))
            seen = seen or known == (entry.seq, entry.hash)
            last, last_hash = entry.seq, entry.hash
        if (last, last_hash) != (head_seq, head_hash):
            findings.append(Finding(head_seq, f"the record ends with row {last}, not with row {head_seq} as was noted"))
        if not seen and known is not None:
            findings.append(Finding(known[0], "the head that was noted elsewhere is not in the record"))
        return findings

    # -- beneath ------------------------------------------------------------------------------------------------

    def _ensure_head(self) -> None:
        with self._engine.connect() as connection:
            if _has_head(connection):
                return
        try:
            with self._engine.begin() as connection:
                last = connection.execute(select(func.max(audit.c.seq))).scalar_one_or_none()
                if last is None:
                    connection.execute(insert(audit_head).values(id=HEAD, seq=0, hash=NOTHING))
                else:  # somebody took the head away: the chain goes on, and `verify` finds what is wrong with it
                    end = connection.execute(select(audit.c.hash).where(audit.c.seq == last)).scalar_one()
                    connection.execute(insert(audit_head).values(id=HEAD, seq=last, hash=end))
        except IntegrityError:
            pass  # another process made it

    def _salt(self, tenant_id: str, person: str, reader: str) -> str:
        mine = (audit_salts.c.tenant_id == tenant_id) & (audit_salts.c.person == person)
        query = select(audit_salts.c.salt).where(mine)
        with self._engine.connect() as connection:
            known = connection.execute(query).scalar_one_or_none()
        if known is not None:
            return str(known)
        salt = secrets.token_hex(32)
        row = {"tenant_id": tenant_id, "person": person, "reader": reader, "salt": salt}
        try:
            with self._engine.begin() as connection:
                connection.execute(insert(audit_salts).values(row))
        except IntegrityError:  # another process was quicker
            with self._engine.connect() as connection:
                return str(connection.execute(query).scalar_one())
        return salt


def commitment(salt: str, text: str) -> str:
    """A keyed hash of a text: says nothing without the salt, and with it whether a text is the one."""
    return hmac.new(bytes.fromhex(salt), text.encode(), hashlib.sha256).hexdigest()


def _hash(previous: str, seq: int, body: str) -> str:
    return hashlib.sha256(f"{previous}\n{seq}\n{body}".encode()).hexdigest()


def _times_agree(entry: AuditEntry) -> bool:
    """Whether the column by which rows are found by time says what the body says."""
    try:
        said = json.loads(entry.body)
    except ValueError:
        return False
    return isinstance(said, dict) and said.get("at") == entry.at


def _has_head(connection: Connection) -> bool:
    return connection.execute(select(audit_head.c.id).where(audit_head.c.id == HEAD)).first() is not None


def _passages(evidence: Evidence | None) -> tuple[EvidencePassage, ...]:
    return evidence.passages if evidence is not None else ()
