"""A source that is redacted as it is read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from core.domain.access import OPEN_TO_TENANT
from core.domain.document import Block, BlockKind, Metadata, SourceDocument
from core.domain.redaction import DEFAULT_POLICY, SensitiveKind, Treatment
from core.domain.syncing import SourceDescription
from core.settings import Settings
from sync.reading import read_export
from sync.redacted import RedactedSource
from sync.sources.base import FailedDocument

IBAN = "ES91 2100 0418 4502 0005 1332"


@dataclass
class Shelf:
    documents: list[SourceDocument | FailedDocument]
    name: str = "shelf"
    kind: str = "folder"
    hosts: frozenset[str] = frozenset({"x.com"})

    def read(self) -> Iterator[SourceDocument | FailedDocument]:
        yield from self.documents

    def describe(self) -> SourceDescription:
        return SourceDescription(self.name, self.kind, "", len(self.documents), ())


def document(key: str, *paragraphs: str) -> SourceDocument:
    blocks = tuple(Block(BlockKind.PARAGRAPH, text) for text in paragraphs)
    return SourceDocument("shelf", key, Metadata(key), blocks, OPEN_TO_TENANT)


def test_what_is_read_is_counted_and_said_without_being_shown() -> None:
    failed = FailedDocument("broken.pdf", "It is broken.")
    source = RedactedSource(
        Shelf([document("a", IBAN, f"DNI 12345678Z {IBAN}"), document("b", "x"), failed]), DEFAULT_POLICY
    )
    first, second, third = source.read()
    assert isinstance(first, SourceDocument) and isinstance(second, SourceDocument)
    assert first.redacted == {"iban": 2, "national_id": 1}
    assert first.warnings == ("Redacted before indexing: 2 × IBAN, 1 × national id. Better taken out at the source.",)
    assert (second.redacted, second.warnings, third) == ({}, (), failed)
    assert (source.name, source.kind, source.hosts) == ("shelf", "folder", frozenset({"x.com"}))


def test_the_counts_of_all_documents_reach_the_report() -> None:
    source = RedactedSource(Shelf([document("a", IBAN), document("b", IBAN, "password: Verano2026")]), DEFAULT_POLICY)
    reading = read_export(source, {}, {})
    try:
        while True:
            next(reading)
    except StopIteration as end:
        assert end.value.redacted == {"iban": 2, "secret": 1}
        assert all(IBAN not in text.text for text in end.value.texts.values())


@pytest.mark.parametrize(
    ("setting", "redacted"),
    [({}, DEFAULT_POLICY), ({"phone": "redact", "iban": "keep"}, DEFAULT_POLICY - {"iban"} | {SensitiveKind.PHONE})],
)
def test_settings_change_only_the_kinds_that_they_name(setting: dict[str, str], redacted: frozenset[str]) -> None:
    assert Settings(redact=setting).redaction_policy == redacted


def test_the_environment_may_name_a_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TESTIGO_REDACT__PHONE", "redact")
    assert Settings().redact == {SensitiveKind.PHONE: Treatment.REDACT}
