from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import SettingsError
from core.settings import load_settings

TOML = """
tenant_id = "acme"
people_file = "people.toml"
[[sources]]
name = "wiki"
kind = "folder"
path = "exports/wiki"
"""


@pytest.fixture(autouse=True)
def empty_surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("ANTHROPIC_API_KEY", "SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "SLACK_SIGNING_SECRET", "TESTIGO_CONFIG"):
        monkeypatch.delenv(name, raising=False)


def test_with_nothing_set_everything_runs_offline_on_one_machine() -> None:
    settings = load_settings()
    assert not settings.uses_claude
    assert not settings.serves_slack
    assert settings.index_location == ".testigo/index"
    assert settings.database_location.startswith("sqlite:///")


def test_paths_in_the_file_are_relative_to_the_file(tmp_path: Path) -> None:
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "t.toml").write_text(TOML)
    settings = load_settings(tmp_path / "conf" / "t.toml")
    assert settings.sources[0].path == tmp_path / "conf" / "exports" / "wiki"
    assert settings.people_file == tmp_path / "conf" / "people.toml"


def test_the_environment_goes_before_dotenv_and_dotenv_before_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "testigo.toml").write_text(TOML)
    assert load_settings().tenant_id == "acme"
    (tmp_path / ".env").write_text("TESTIGO_TENANT_ID=from-dotenv\nSLACK_BOT_TOKEN=xoxb-1\nSLACK_APP_TOKEN=xapp-1\n")
    assert load_settings().tenant_id == "from-dotenv"
    assert load_settings().serves_slack
    monkeypatch.setenv("TESTIGO_TENANT_ID", "from-environment")
    assert load_settings().tenant_id == "from-environment"


@pytest.mark.parametrize(
    ("toml", "sentence"),
    [
        (TOML + TOML.partition("[[")[1] + TOML.partition("[[")[2], "two sources are named wiki"),
        ('[[sources]]\nname = "a b"\nkind = "folder"\npath = "x"', "sources.0.name"),
        ('[[sources]]\nname = "a"\nkind = "ftp"\npath = "x"', "sources.0.kind"),
        ('[[sources]]\nname = "a"\nkind = "folder"\npath = "x"\nallow = 1', "sources.0.allow"),
        ('mode = "loud"', "mode"),
        ('embedder = "sentence-transformers"', "embedding_model"),
        ("this is no toml", "not valid TOML"),
    ],
)
def test_a_wrong_value_is_one_sentence_that_names_it(tmp_path: Path, toml: str, sentence: str) -> None:
    (tmp_path / "testigo.toml").write_text(toml)
    with pytest.raises(SettingsError, match=sentence):
        load_settings()


def test_a_settings_file_that_is_not_there_is_named() -> None:
    with pytest.raises(SettingsError, match=r"nowhere\.toml"):
        load_settings(Path("nowhere.toml"))


def test_a_secret_never_shows_in_an_error_or_a_representation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-very-secret")
    assert "sk-very-secret" not in repr(load_settings())
    monkeypatch.setenv("TESTIGO_MODE", "loud")
    with pytest.raises(SettingsError) as error:
        load_settings()
    assert "sk-very-secret" not in str(error.value)


def test_claude_writes_as_soon_as_there_is_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-x")
    assert load_settings().uses_claude
    monkeypatch.setenv("TESTIGO_GENERATOR", "extractive")
    assert not load_settings().uses_claude
