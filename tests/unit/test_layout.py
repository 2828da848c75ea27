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
