"""The lines between the parts, as imports."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MAY_NOT_IMPORT = {"core": {"bot", "sync"}, "sync": {"bot"}, "bot": {"sync"}}
COMPOSITION_ROOT = ROOT / "bot" / "main.py"


def imported_packages(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.add(node.module.split(".")[0])
    return found


@pytest.mark.parametrize("package", MAY_NOT_IMPORT)
def test_no_import_crosses_the_lines_but_in_the_composition_root(package: str) -> None:
    for path in (ROOT / package).rglob("*.py"):
        if path != COMPOSITION_ROOT:
            assert not imported_packages(path) & MAY_NOT_IMPORT[package], path


def test_the_package_does_not_import_its_tests() -> None:
    for package in MAY_NOT_IMPORT:
        for path in (ROOT / package).rglob("*.py"):
            assert "tests" not in imported_packages(path), path


SLACK = {"slack_bolt", "slack_sdk"}
KNOWS_SLACK = {
    # What hears, and what is served to
    "app", "intake", "server", "services", "slack_client",
    # Who asks, and who reads
    "audience", "identity", "slack_groups", "tenancy",
    # What is shown, and what is read of a thread
    "asides", "delivery", "earlier_answers", "evidence_opening", "first_signs", "history", "posted_reply",
    "private_reply", "rating", "sessions", "streamed_reply", "suggesting", "thread_status",
    # What is seen, chosen and set besides
    "asking_again", "home", "place_setting", "settings_rights",
    # What follows an answer
    "admins_channel", "asking_people", "destinations", "living", "modals", "permalinks", "suggested_answers",
}  # fmt: skip
"""The modules of `bot` that speak to Slack, besides the listeners: `docs/front-ends.md` says what each is for."""


def test_only_the_modules_of_the_slack_front_end_import_slack() -> None:
    for package in MAY_NOT_IMPORT:
        for path in (ROOT / package).rglob("*.py"):
            if path.is_relative_to(ROOT / "bot" / "listeners") or not imported_packages(path) & SLACK:
                continue
            assert path.parent == ROOT / "bot", path
            assert path.stem in KNOWS_SLACK, path


@pytest.mark.parametrize("name", sorted(KNOWS_SLACK))
def test_no_module_is_said_to_know_slack_that_does_not(name: str) -> None:
    assert imported_packages(ROOT / "bot" / f"{name}.py") & SLACK


def test_what_is_drawn_and_worded_knows_no_client() -> None:
    for path in [*(ROOT / "bot" / "rendering").rglob("*.py"), *(ROOT / "bot" / "words").rglob("*.py")]:
        assert not imported_packages(path) & {*SLACK, "aiohttp"}, path
