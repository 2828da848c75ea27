"""Who asks and where, on the command line: the people and channels of the people file."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from bot.cli.application import Application
from core.domain.access import Audience, Reader
from core.errors import SettingsError


class Person(BaseModel):
    """A person as the terminal's chat lists them."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    email: str
    name: str = ""
    role: str = ""
    office: str = ""
    language: str = ""
    slack_id: str = ""
    guest: bool = False
    admin: bool = False


class Channel(BaseModel):
    """A channel to try audiences with, without Slack."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    id: str
    name: str
    kind: Literal["public", "private"]
    members: tuple[str, ...] = ()
    shared_externally: bool = False
    takes_questions: bool = False
    """Whether the playground hands questions without an answer to it."""


class PeopleFile(BaseModel):
    """What the command line reads of the people file; the groups are read by `core.access.groups`."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    person: tuple[Person, ...] = ()
    channel: tuple[Channel, ...] = ()


def read_people(path: Path | None) -> PeopleFile:
    """Read people and channels; none without a file, or in a CSV file, which holds groups alone.

    Raises:
        SettingsError: the file cannot be read.
    """
    if path is None or path.suffix.casefold() == ".csv":
        return PeopleFile()
    try:
        return PeopleFile.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, ValidationError) as error:
        raise SettingsError(f"The people file {path} cannot be read ({type(error).__name__}): correct it.") from None


def reader_of(application: Application, email: str) -> Reader:
    """The reader behind an e-mail address, with the groups of the people file."""
    groups = application.groups.current()
    canonical = groups.canonical_email(email)
    return Reader(application.settings.tenant_id, groups.principals_of(canonical), canonical)


def audience_of(application: Application, reader: Reader, channel: str | None) -> Audience:
    """Who would see the answer in a channel of the people file; without a channel, only who asks.

    Raises:
        SettingsError: the people file knows no such channel.
    """
    settings = application.settings
    if channel is None:
        return Audience.person(reader)
    channels = read_people(settings.people_file).channel
    found = next((c for c in channels if channel.removeprefix("#") in {c.id, c.name}), None)
    if found is None:
        names = ", ".join(f"{c.name} ({c.id})" for c in channels) or "none"
        raise SettingsError(f"The people file has no channel {channel!r}; it has: {names}.")
    if found.shared_externally:
        return Audience.refused(settings.tenant_id)
    if found.kind == "public":
        return Audience.tenant(settings.tenant_id, settings.everyone_groups)
    return Audience.members(settings.tenant_id, [reader_of(application, member) for member in found.members])
