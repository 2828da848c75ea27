"""`testigo doctor`: look at everything, change nothing, and say what to do."""

from __future__ import annotations

import asyncio
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import click
import yaml
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bot.cli.application import Application
from bot.slack_client import open_client
from core.errors import SlackError, TestigoError
from core.settings import GeneratorKind, JudgeKind, OcrKind, Settings

MANIFEST = Path(__file__).parents[2] / "manifest.yml"
LEAST_DISK_GIB = 2


class Health(StrEnum):
    """What a check found."""

    OK = "ok"
    LOOK = "look"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report."""

    what: str
    health: Health
    sentence: str


@click.command()
@click.pass_obj
def doctor(application: Application) -> None:
    """Check settings, tokens, model, tables, index and disk. Changes nothing. Ends with 1 when something is broken."""
    table = Table("what", "", "finding")
    broken = False
    for finding in examine(application):
        colour = {Health.OK: "green", Health.LOOK: "yellow", Health.BROKEN: "red"}[finding.health]
        table.add_row(finding.what, Text(finding.health.value, style=colour), Text(finding.sentence))
        broken |= finding.health is Health.BROKEN
    Console().print(table)
    sys.exit(1 if broken else 0)


def examine(application: Application) -> Iterator[Finding]:
    """All findings, in the order in which a fault of one explains those of the next."""
    checks: tuple[tuple[str, Callable[[Application], Iterator[Finding]]], ...] = (
        ("settings", _settings),
        ("OCR", _ocr),
        ("people", _people),
        ("Slack", _slack),
        ("disk", _disk),
        ("index", _index),
    )
    for what, check in checks:
        try:
            yield from check(application)
        except TestigoError as error:
            yield Finding(what, Health.BROKEN, str(error))


def _settings(application: Application) -> Iterator[Finding]:
    settings = application.settings
    yield Finding("generator", Health.OK, _writer(settings))
    if settings.judge is not JudgeKind.NONE:
        model = settings.judge_model or settings.claude_model
        yield Finding("judge", Health.OK, f"{settings.judge.value} ({model})")
    if not settings.sources:
        yield Finding("sources", Health.LOOK, "There are none: add [[sources]] tables to testigo.toml.")
    for source in settings.sources:
        if source.path.exists():
            yield Finding(f"source {source.name}", Health.OK, f"{source.kind.value} at {source.path}")
        else:
            yield Finding(f"source {source.name}", Health.BROKEN, f"{source.path} is not there: correct its path.")


def _writer(settings: Settings) -> str:
    if not settings.uses_claude:
        return "extractive (no Anthropic key)"
    cites = ", citing by itself" if settings.generator is GeneratorKind.CLAUDE_CITATIONS else ""
    return f"Claude ({settings.claude_model}){cites}"


def _ocr(application: Application) -> Iterator[Finding]:
    settings = application.settings
    missing = application.missing_for_ocr()
    if settings.ocr is OcrKind.OFF:
        could = f"; tesseract is here for {settings.ocr_languages}" if not missing else ""
        yield Finding("OCR", Health.OK, f"off: scanned pages are reported only{could}")
    elif missing:
        yield Finding("OCR", Health.BROKEN, missing)
    else:
        yield Finding("OCR", Health.OK, f"tesseract, for {settings.ocr_languages}")


def _people(application: Application) -> Iterator[Finding]:
    groups = application.groups.current()
    if application.settings.people_file is None:
        yield Finding("people", Health.LOOK, "No people file: rules for groups let nobody in.")
    else:
        yield Finding("people", Health.OK, f"{groups.member_count} people in {groups.group_count} groups")


def _slack(application: Application) -> Iterator[Finding]:
    settings = application.settings
    if not settings.serves_slack:
        yield Finding("Slack", Health.LOOK, "No tokens in .env: only the terminal can ask.")
        return
    granted = asyncio.run(_granted_scopes(application))
    manifest = yaml.safe_load(MANIFEST.read_text(encoding="utf-8"))
    missing = sorted(set(manifest["oauth_config"]["scopes"]["bot"]) - granted)
    if missing:
        yield Finding("Slack", Health.BROKEN, f"The token lacks {', '.join(missing)}: reinstall from manifest.yml.")
    else:
        mode = "Socket Mode" if settings.slack_app_token else "signed HTTP"
        yield Finding("Slack", Health.OK, f"The token is valid and has every scope; events come over {mode}.")


async def _granted_scopes(application: Application) -> set[str]:
    client = open_client(application.settings)
    try:
        answer = await client.auth_test()
    except Exception as error:
        raise SlackError(
            f"Slack does not take the bot token ({type(error).__name__}): check SLACK_BOT_TOKEN."
        ) from None
    finally:
        if client.session is not None:
            await client.session.close()
    header = {name.lower(): value for name, value in answer.headers.items()}.get("x-oauth-scopes", "")
    return {scope.strip() for scope in str(header).split(",") if scope.strip()}


def _disk(application: Application) -> Iterator[Finding]:
    folder = application.settings.data_dir.absolute()
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free / 2**30
    health = Health.OK if free >= LEAST_DISK_GIB else Health.LOOK
    yield Finding("disk", health, f"{free:.1f} GiB free for {application.settings.data_dir}")


def _index(application: Application) -> Iterator[Finding]:
    settings = application.settings
    if not application.has_index:
        yield Finding("index", Health.LOOK, "There is none yet: run testigo sync.")
        return
    tables = application.tables  # loads the model and compares it with the one the table was built with
    documents, chunks = tables.counts(settings.tenant_id)
    yield Finding("model", Health.OK, tables.model_id)
    health = Health.OK if chunks else Health.LOOK
    yield Finding("index", health, f"{documents} documents, {chunks} passages of tenant {settings.tenant_id}")
    behind = tables.commits_after(application.lexical.seq)
    if behind:
        yield Finding("words", Health.LOOK, f"The lexical index lags by {behind} rows; the next question catches up.")
    else:
        yield Finding("words", Health.OK, "The lexical index is up to date.")
