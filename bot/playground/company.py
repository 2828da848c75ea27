"""The sample company's people, channels and commands, put into the stand-in's workspace."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from bot.cli.people import PeopleFile
from bot.cli.people import Person as Listed
from bot.standin import AppConfig, Json, Person, SlackStandIn
from core.text.language import language_of

ROOT = Path(__file__).resolve().parents[2]
MANIFEST = ROOT / "manifest.yml"
LOCALES = {"es": "es-ES", "en": "en-GB"}
MOST_QUESTIONS = 3


@dataclass(frozen=True, slots=True)
class Command:
    """A slash command of the app's manifest; `escapes` says whether Slack turns `@name` into a mention in its text."""

    name: str
    what: str
    hint: str
    escapes: bool


@dataclass(frozen=True, slots=True)
class Company:
    """What the page says about people beside what Slack knows, by user id.

    `questions` are suggestions to ask; `ask_channel` is where questions without an answer are handed (empty: nowhere).
    """

    people: tuple[str, ...]
    roles: Mapping[str, str]
    admins: frozenset[str]
    questions: Mapping[str, Sequence[str]]
    commands: tuple[Command, ...]
    ask_channel: str = ""


def read_manifest(path: Path = MANIFEST) -> tuple[AppConfig, tuple[Command, ...]]:
    """The app as its manifest makes it: nothing works in the playground that the manifest does not ask for."""
    manifest: Json = yaml.safe_load(path.read_text(encoding="utf-8"))
    commands = tuple(
        Command(
            str(entry["command"]),
            str(entry.get("description") or ""),
            str(entry.get("usage_hint") or ""),
            bool(entry.get("should_escape")),
        )
        for entry in (manifest.get("features") or {}).get("slash_commands") or ()
    )
    return AppConfig.from_manifest(manifest), commands


def move_in(
    slack: SlackStandIn,
    people_file: PeopleFile,
    commands: tuple[Command, ...],
    tour: Path | None = None,
) -> Company:
    """Add everybody and every channel of the people file to a workspace."""
    people = {person.email: _add(slack, person) for person in people_file.person}
    partner = (
        slack.workspace.add_team("Another company") if any(c.shared_externally for c in people_file.channel) else None
    )
    ask_channel = ""
    for each in people_file.channel:
        members = [people[email] for email in each.members if email in people]
        channel = slack.channel(each.name, *members, private=each.kind == "private")
        if each.shared_externally and partner is not None:
            channel.is_ext_shared = True
            channel.shared_team_ids = [slack.workspace.home_team.id, partner.id]
        if each.takes_questions:
            ask_channel = channel.id
    for person in people.values():
        person.direct_channel()
    return Company(
        people=tuple(person.id for person in people.values()),
        roles={people[p.email].id: _role(p.role, p.office) for p in people_file.person},
        admins=frozenset(people[p.email].id for p in people_file.person if p.admin),
        questions=_questions(people_file.person, {email: each.id for email, each in people.items()}, tour),
        commands=commands,
        ask_channel=ask_channel,
    )


def _add(slack: SlackStandIn, person: Listed) -> Person:
    facts: dict[str, Any] = {"user_id": person.slack_id} if person.slack_id else {}
    return slack.person(
        person.email.partition("@")[0],
        email=person.email,
        real_name=person.name or person.email,
        locale=LOCALES.get(person.language, "en-US"),
        is_restricted=person.guest,
        **facts,
    )


def _role(role: str, office: str) -> str:
    return ", ".join(part for part in (role, office) if part)


def _questions(listed: Sequence[Listed], ids: Mapping[str, str], tour: Path | None) -> dict[str, tuple[str, ...]]:
    """What to suggest to each person: their own questions of the tour, else those in their language."""
    if tour is None:
        return {}
    steps = json.loads(tour.read_text(encoding="utf-8"))
    suggested: dict[str, tuple[str, ...]] = {}
    for person in listed:
        own = [step["question"] for step in steps if step["asker"] == person.email]
        others = [step["question"] for step in steps if language_of(step["question"]) == person.language]
        suggested[ids[person.email]] = tuple(dict.fromkeys(own or others))[:MOST_QUESTIONS]
    return suggested
