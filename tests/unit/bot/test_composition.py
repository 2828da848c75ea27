"""Which parts the settings choose for an answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.main import Composition
from core.errors import SettingsError
from core.generation.claude import ClaudeGenerator
from core.generation.claude_citations import ClaudeCitationsGenerator
from core.generation.claude_judge import ClaudeJudge
from core.generation.errors import RejectedRequest
from core.generation.extractive import ExtractiveGenerator
from core.generation.judge import ThreadedJudge
from core.settings import load_settings


@pytest.fixture(autouse=True)
def empty_surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "TESTIGO_CONFIG"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("settings", "kind", "name"),
    [
        ({}, ExtractiveGenerator, "extractive"),
        ({"anthropic_api_key": "k"}, ClaudeGenerator, "claude-sonnet-5-5"),
        ({"anthropic_api_key": "k", "generator": "extractive"}, ExtractiveGenerator, "extractive"),
        ({"anthropic_api_key": "k", "generator": "claude", "claude_model": "m"}, ClaudeGenerator, "m"),
        (
            {"anthropic_api_key": "k", "generator": "claude_citations", "claude_model": "m"},
            ClaudeCitationsGenerator,
            "m (citations)",
        ),
    ],
)
def test_the_setting_chooses_who_writes(settings: dict[str, str], kind: type, name: str) -> None:
    generator = Composition(load_settings(None, **settings))._generator()
    assert type(generator) is kind
    assert generator.name == name


@pytest.mark.parametrize(
    ("settings", "kind"),
    [
        ({}, type(None)),
        ({"judge": "none"}, type(None)),
        ({"judge": "nli", "judge_model": "cross-encoder/nli-deberta-v3-base"}, ThreadedJudge),
        ({"judge": "claude", "anthropic_api_key": "k"}, ClaudeJudge),
        ({"judge": "claude", "anthropic_api_key": "k", "judge_model": "claude-haiku-5-5"}, ClaudeJudge),
    ],
)
def test_the_setting_chooses_who_judges(settings: dict[str, str], kind: type) -> None:
    assert type(Composition(load_settings(None, **settings))._judge()) is kind


def test_a_local_judge_needs_a_model() -> None:
    with pytest.raises(SettingsError, match="judge_model"):
        load_settings(judge="nli")


@pytest.mark.parametrize("settings", [{"generator": "claude"}, {"judge": "claude"}])
def test_claude_without_a_key_says_what_to_do(settings: dict[str, str]) -> None:
    composition = Composition(load_settings(None, **settings))
    with pytest.raises(RejectedRequest, match="ANTHROPIC_API_KEY"):
        (composition._judge if "judge" in settings else composition._generator)()
