"""Whom a question without an answer can be handed to: decided by the settings and by what is nearest to it. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.gaps import Near
from core.settings import Settings

_ADDRESS = re.compile(r"[^@\s<>]+@[^@\s<>]+\.[^@\s<>]+")


@dataclass(frozen=True, slots=True)
class Addressee:
    """A channel, by its id, or a person, by their e-mail address; one of the two is empty."""

    channel: str = ""
    email: str = ""


def can_be_handed_on(settings: Settings) -> bool:
    """Whether the settings name anybody at all."""
    return bool(settings.ask_channel or settings.ask_owners or _channels(settings))


def addressees(near: Sequence[Near], settings: Settings) -> tuple[Addressee, ...]:
    """Those whom a question may go to, the best first; who of them can be reached is for the front end to find out.

    For each of the nearest documents the channel of its source, then its owner; last the channel of the settings.

    Args:
        near: the documents nearest to the question that who asks may open, nearest first.
        settings: those in force.
    """
    found = []
    for each in near:
        if channel := _channels(settings).get(each.source):
            found.append(Addressee(channel=channel))
        if settings.ask_owners and _ADDRESS.fullmatch(each.document.owner.strip()):
            found.append(Addressee(email=each.document.owner.strip()))
    if settings.ask_channel:
        found.append(Addressee(channel=settings.ask_channel))
    return tuple(dict.fromkeys(found))


def _channels(settings: Settings) -> Mapping[str, str]:
    return {source.name: source.ask_channel for source in settings.sources if source.ask_channel}
