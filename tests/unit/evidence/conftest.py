"""A small real index and store, and answers that cite it."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.domain.access import OPEN_TO_TENANT, AccessRule, Principal, Reader
from core.domain.document import Block, BlockKind, Chunk, DocumentStatus, Metadata, Version
from core.domain.evidence import (
    Answer,
    Citation,
    Claim,
    ClaimKind,
    ClaimStatus,
    Evidence,
    EvidencePassage,
    Passage,
    text_hash,
)
from core.evidence.keeper import EvidenceKeeper
from core.evidence.lookup import known, known_of, visible_to
from core.evidence.proof import Proof, prove
from core.index.schema import EmbeddedChunk
from core.index.tables import Tables
from core.store.database import open_database
from core.store.evidence import EvidenceStore
from core.store.runs import RunRecord, RunStore
from core.text.canonical import canonicalise
from tests.tables import lay_tables

TENANT = "t"
NOW = dt.datetime(2026, 11, 29, 12, tzinfo=dt.UTC)
LONG_AGO = NOW - dt.timedelta(days=400)
VECTOR = np.eye(1, 8, dtype=np.float32)[0]
ANA = Reader(TENANT, frozenset({Principal.user("ana@x.com"), Principal.parse("everyone")}), "ana@x.com")
HR = AccessRule.of({Principal.group("hr")})


@dataclass
class Company:
    """Documents that are written, changed and removed, and answers about them."""

    tables: Tables
    runs: RunStore
    store: EvidenceStore
    keeper: EvidenceKeeper
    versions: dict[str, Version] = field(default_factory=dict)
    _runs: int = 0

    def write(
        self, document_id: str, text: str, *, rule: AccessRule = OPEN_TO_TENANT, at: dt.datetime = LONG_AGO, **said: Any
    ) -> Version:
        """Write the next version of a document, as one chunk, and serve it."""
        before = self.versions.get(document_id)
        canonical = canonicalise([Block(BlockKind.PARAGRAPH, part) for part in text.split("\n\n")])
        chunk_id = f"{document_id}#s0-p1"
        length = len(canonical.text)
        chunk = Chunk(chunk_id, document_id, 0, length, canonical.text, (), "", "en", sentences=((0, length),))
        version = Version(
            tenant_id=TENANT,
            document_id=document_id,
            number=before.number + 1 if before else 1,
            source="s",
            source_key=document_id,
            metadata=Metadata(document_id, uri=f"https://x.com/{document_id}", **said),
            canonical=canonical,
            rule_id=self.tables.intern_rules(TENANT, [rule])[rule],
            language="en",
            content_hash=text_hash(canonical.text),
            observed_at=at,
            chunk_ids=(chunk_id,),
        )
        self.tables.write_versions([version])
        self.tables.commit_chunks(TENANT, [(version, [EmbeddedChunk(chunk, VECTOR, VECTOR[None, :])])])
        self.versions[document_id] = version
        return version

    def remove(self, document_id: str) -> None:
        """Take a document out of service, as a sync does."""
        gone = [chunk.chunk_id for chunk in self.tables.stored_chunks(TENANT, document_id)]
        self.tables.commit_chunks(TENANT, [], gone)

    def cite(self, version: Version, quote: str, run_id: str = "r1", **changes: Any) -> Citation:
        """A true citation, but for what is changed."""
        start = version.text.index(quote)
        citation = Citation(
            citation_id=f"c-{start}",
            tenant_id=TENANT,
            document_id=version.document_id,
            document_version=version.number,
            chunk_id=version.chunk_ids[0],
            source_uri=version.metadata.uri,
            title=version.metadata.title,
            section_path=(),
            page=None,
            start_offset=start,
            end_offset=start + len(quote),
            quote=quote,
            text_hash=text_hash(quote),
            retrieved_at=NOW,
            visibility=version.rule_id,
            index_version=1,
            run_id=run_id,
            valid_from=version.metadata.valid_from,
            valid_until=version.metadata.valid_until,
        )
        return replace(citation, **changes)

    def answer(self, *citations: Citation, at: dt.datetime = NOW, read: tuple[Version, ...] = ()) -> Answer:
        """Record a run whose one claim has these citations; `read` was delivered to it and not cited."""
        self._runs += 1
        run_id = citations[0].run_id if citations else f"r{self._runs}"
        claim = Claim("It is so.", ClaimKind.SYNTHESIS, ClaimStatus.SUPPORTED, citations)
        answer = Answer(run_id, "?", "en", (claim,), None, 0.9, "extractive", 1)
        passages = tuple(EvidencePassage(f"p{i}", passage_of(v), v.text) for i, v in enumerate(read, 1))
        evidence = Evidence(run_id, TENANT, 1, at, passages)
        record = RunRecord(run_id, TENANT, "ana@x.com", "", at.timestamp(), at.timestamp(), {})
        self.runs.save(record, answer, evidence)
        return answer

    def prove(self, citation: Citation, reader: Reader | None = None) -> Proof:
        """How a citation stands now."""
        visible = visible_to(self.tables, reader) if reader else None
        looked_up = known_of(self.tables, TENANT, [citation])
        return prove(citation, known(citation, looked_up), tenant_id=TENANT, today=NOW.date(), visible=visible)


def passage_of(version: Version) -> Passage:
    return Passage(
        chunk_id=version.chunk_ids[0],
        tenant_id=TENANT,
        document_id=version.document_id,
        document_version=version.number,
        rule_id=version.rule_id,
        source="s",
        uri=version.metadata.uri,
        title=version.metadata.title,
        section_path=(),
        page=None,
        language="en",
        start=0,
        end=len(version.text),
        text=version.text,
        context="",
        sentences=(),
        header=None,
        modified_at=None,
        valid_from=None,
        valid_until=None,
        status=DocumentStatus.IN_FORCE,
        owner="",
        show_quotes=True,
        content_hash=version.content_hash,
    )


@pytest.fixture
def company(tmp_path: Path) -> Company:
    lay_tables(f"sqlite:///{tmp_path}/testigo.db")
    database = open_database(f"sqlite:///{tmp_path}/testigo.db")
    tables = Tables(str(tmp_path / "index"), dimension=8, model_id="tiny")
    store = EvidenceStore(database)
    keeper = EvidenceKeeper(store, tables, TENANT, dt.timedelta(days=180))
    return Company(tables, RunStore(database), store, keeper)
