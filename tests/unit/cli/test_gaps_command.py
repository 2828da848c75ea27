"""`testigo gaps`, over a small index."""

from __future__ import annotations

import csv
import datetime as dt
import io
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from bot.cli.gaps import gaps
from core.access.groups import GroupsFile
from core.domain.access import Audience, AudienceKind
from core.errors import SettingsError
from core.gaps import Gaps, NearestDocuments
from core.settings import Settings
from core.store.conversations import ConversationStore
from core.store.database import open_database
from core.store.gaps import GapStore
from core.store.shown import ShownAnswer, ShownStore
from tests.unit.pipeline.shelf import TODAY, built, end_of, events_of

QUESTION = "How much is \x1b[31mthe lunch menu of the canteen?"


@dataclass
class Parts:
    settings: Settings
    groups: GroupsFile
    listing: Gaps
    has_index: bool = True

    def gaps(self) -> Gaps:
        return self.listing

    def now(self) -> dt.datetime:
        return dt.datetime.now(dt.UTC)


@pytest.fixture
async def parts(tmp_path: Path) -> Parts:
    pipeline = built(tmp_path)
    engine = open_database(f"sqlite:///{tmp_path}/testigo.db")
    answer = end_of(await events_of(pipeline, QUESTION, audience=Audience.tenant("t"), conversation="T1:C1:1.0")).answer
    assert answer.abstention is not None
    ShownStore(engine).note(ShownAnswer(answer.run_id, 1, "T1", "", "U1", "C1", "1.0", AudienceKind.TENANT, "mention"))
    assert ConversationStore(engine).is_known("t", "T1:C1:1.0")
    people = tmp_path / "people.csv"
    people.write_text("group,member\nhr,eva@x.com\n")
    nearest = NearestDocuments(pipeline._index, pipeline._searcher, lambda: TODAY)
    settings = Settings(_env_file=None, tenant_id="t", gaps=True)
    return Parts(settings, GroupsFile(people, {}), Gaps(GapStore(engine), pipeline._searcher._space, nearest))


def run(parts: Parts, *arguments: str) -> Result:
    return CliRunner().invoke(gaps, list(arguments), obj=parts, catch_exceptions=True)


def test_the_questions_are_listed_and_drive_no_terminal(parts: Parts) -> None:
    result = run(parts)
    assert result.exit_code == 0
    assert "the lunch menu of the canteen?" in result.output
    assert "asked 1 times by 1 people" in result.output
    assert "\x1b" not in result.output
    assert "nearest" not in result.output


def test_it_names_documents_only_with_somebody_who_may_open_them(parts: Parts) -> None:
    assert "nearest:" in run(parts, "--as", "eva@x.com").output
    assert "Salary bands" not in run(parts, "--as", "ben@x.com").output


def test_it_comes_as_csv(parts: Parts) -> None:
    (head, row) = list(csv.reader(io.StringIO(run(parts, "--csv").output)))
    assert head[0] == "question"
    assert row[1:3] == ["1", "1"]
    assert "\x1b" not in row[0]


def test_without_the_setting_it_says_how_to_begin(parts: Parts) -> None:
    parts.settings = parts.settings.model_copy(update={"gaps": False})
    result = run(parts)
    assert isinstance(result.exception, SettingsError)
    assert "gaps = true" in str(result.exception)
