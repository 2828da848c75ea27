"""An index with vectors of a few dimensions, written directly."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from core.domain.document import Block, BlockKind, Chunk, Metadata, Version
from core.domain.evidence import text_hash
from core.index.lexical import LexicalIndex
from core.index.schema import EmbeddedChunk
from core.index.tables import Tables
from core.text.canonical import canonicalise

DIMENSION = 8
Write = Callable[..., Version]


@pytest.fixture
def tables(tmp_path: Path) -> Tables:
    return Tables(str(tmp_path / "index"), dimension=DIMENSION, model_id="tiny")


@pytest.fixture
def lexical(tmp_path: Path) -> LexicalIndex:
    return LexicalIndex(tmp_path / "lexical")


def axis(n: int) -> np.ndarray:
    vector = np.zeros(DIMENSION, np.float32)
    vector[n] = 1
    return vector


@pytest.fixture
def write(tables: Tables) -> Write:
    """Write a document of one chunk."""

    def write(
        document_id: str,
        text: str,
        *,
        rule_id: int = 1,
        tenant: str = "t",
        version: int = 1,
        direction: int = 0,
        language: str = "en",
    ) -> Version:
        canonical = canonicalise([Block(BlockKind.PARAGRAPH, text)])
        chunk_id = f"{document_id}#s0-p1"
        chunk = Chunk(
            chunk_id=chunk_id,
            document_id=document_id,
            start=0,
            end=len(canonical.text),
            text=canonical.text,
            section_path=(),
            context=document_id,
            language=language,
            sentences=((0, len(canonical.text)),),
        )
        stored = Version(
            tenant_id=tenant,
            document_id=document_id,
            number=version,
            source="s",
            source_key=document_id,
            metadata=Metadata(document_id, modified_at=dt.datetime(2026, 3, 1, tzinfo=dt.UTC)),
            canonical=canonical,
            rule_id=rule_id,
            language=language,
            content_hash=text_hash(canonical.text),
            observed_at=dt.datetime(2026, 3, 2, tzinfo=dt.UTC),
            chunk_ids=(chunk_id,),
        )
        tables.write_versions([stored])
        vector = axis(direction)
        tables.commit_chunks(tenant, [(stored, [EmbeddedChunk(chunk, vector, vector[None, :])])])
        return stored

    return write
