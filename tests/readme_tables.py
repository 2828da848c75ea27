"""The tables of the README that are made from code. `python -m tests.readme_tables` writes them into it."""

from __future__ import annotations

import re
import types
from enum import Enum
from pathlib import Path, PurePath
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo

from core.settings import Settings, SourceSettings

README = Path(__file__).resolve().parents[1] / "README.md"


def settings_table() -> str:
    """All settings: name in the environment, name in `testigo.toml`, default, meaning."""
    lines = ["| environment | testigo.toml | default | meaning |", "|---|---|---|---|"]
    for name, field in Settings.model_fields.items():
        if name == "sources":
            lines.append(f"| | `[[sources]]` | | {field.description} |")
            continue
        alias = field.validation_alias
        environment = alias if isinstance(alias, str) else f"TESTIGO_{name.upper()}"
        toml = "" if SecretStr in _kinds(field) else f"`{name}`"
        lines.append(f"| `{environment}` | {toml} | {_default(field)} | {_meaning(field)} |")
    return "\n".join(lines)


def sources_table() -> str:
    """The keys of a `[[sources]]` table."""
    lines = ["| key | default | meaning |", "|---|---|---|"]
    lines += [f"| `{n}` | {_default(f)} | {_meaning(f)} |" for n, f in SourceSettings.model_fields.items()]
    return "\n".join(lines)


TABLES = {"settings": settings_table, "sources": sources_table}


def with_tables(readme: str) -> str:
    """The README with each table between its markers made anew."""
    for name, table in TABLES.items():
        between = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
        if not between.search(readme):
            raise ValueError(f"the README has no place for the table {name!r}")
        readme = between.sub(lambda match, made=table: f"{match[1]}{made()}\n{match[2]}", readme)  # type: ignore[misc]
    return readme


def _kinds(field: FieldInfo) -> set[Any]:
    annotation = field.annotation
    return set(get_args(annotation)) if get_origin(annotation) in {Union, types.UnionType} else {annotation}


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    if field.default_factory is not None:
        return ""
    match field.default:
        case None | "" | ():
            return ""
        case Enum() as member:
            return f"`{member.value}`"
        case bool() as truth:
            return f"`{str(truth).lower()}`"
        case PurePath() as path:
            return f"`{path.as_posix()}`"
        case value:
            return f"`{value}`"


def _meaning(field: FieldInfo) -> str:
    choices: list[str] = []
    for kind in _kinds(field):
        if isinstance(kind, type) and issubclass(kind, Enum):
            choices = [member.value for member in kind]
        elif get_origin(kind) is Literal:
            choices = [str(choice) for choice in get_args(kind)]
        elif isinstance(kind, type) and issubclass(kind, BaseModel):
            choices = []
    meaning = (field.description or "").strip()
    return f"{meaning} One of {', '.join(f'`{c}`' for c in choices)}." if choices else meaning


if __name__ == "__main__":
    README.write_text(with_tables(README.read_text(encoding="utf-8")), encoding="utf-8")
