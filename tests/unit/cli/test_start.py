"""What `make run` starts."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from bot.cli import start
from bot.main import Composition
from core.settings import load_settings


@pytest.mark.parametrize(("has_terminal", "started"), [(True, "playground"), (False, "demo")])
def test_without_slack_tokens_a_terminal_gets_the_playground_and_a_pipe_the_sample_answers(
    monkeypatch: pytest.MonkeyPatch, has_terminal: bool, started: str
) -> None:
    ran: list[str] = []
    monkeypatch.setattr(start, "run_playground", lambda application: ran.append("playground"))
    monkeypatch.setattr(start, "run_demo", lambda application: ran.append("demo"))
    monkeypatch.setattr(start, "has_terminal", lambda: has_terminal)
    settings = load_settings(_env_file=None, slack_bot_token=None, slack_app_token=None, slack_signing_secret=None)
    result = CliRunner().invoke(start.start, obj=Composition(settings))
    assert result.exit_code == 0
    assert ran == [started]
