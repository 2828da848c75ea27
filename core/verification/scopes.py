"""For whom and where a statement holds: the names, places and groups of its sentence, else of its title and section."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from core.verification.qualifiers import groups, places, regions
from core.verification.units import UNITS
from core.verification.wording import without_accents

_NAME = re.compile(r"(?<=[\w,;)]\s)[A-ZÁÉÍÓÚÑ][\w'’-]+")
_WORD = re.compile(r"\w[\w'’-]*")


@dataclass(frozen=True, slots=True)
class Scope:
    """What a sentence names, and what its title and section or the whole document name for it."""

    names: frozenset[str]
    places: frozenset[str]
    groups: frozenset[str]
    names_around: frozenset[str]
    """All words of the title and section: a name that the sentence leaves out may stand there."""
    places_around: frozenset[str]
    groups_around: frozenset[str]
    only_place: frozenset[str]
    """The one place that the document names at all; empty where it names none or several."""


def scope_of(text: str, around: str, document_text: str) -> Scope:
    """The scope of a sentence under its title and section in its document."""
    own_places = _places(text)
    in_places = {word for place in own_places for word in place.split()} | {
        word for limit in regions(text) for word in without_accents(limit.text).split()
    }
    names = {without_accents(name) for name in _NAME.findall(text) if name.lower() not in UNITS} - in_places
    return Scope(
        names=frozenset(names),
        places=own_places,
        groups=_groups(text),
        names_around=frozenset(_WORD.findall(without_accents(around))),
        places_around=_places(around),
        groups_around=_groups(around),
        only_place=_only_place(document_text),
    )


def same_scope(one: Scope, other: Scope) -> bool:
    """Whether two statements hold for the same: what one names, the other names too, or its title does for it."""
    if not (_unnamed(one, other) <= other.names_around and _unnamed(other, one) <= one.names_around):
        return False
    if not _agree((one.groups, one.groups_around), (other.groups, other.groups_around)):
        return False
    places = _with_document(one, other), _with_document(other, one)
    return _agree(*places)


def _unnamed(one: Scope, other: Scope) -> frozenset[str]:
    return one.names - other.names - other.places


def _agree(one: tuple[frozenset[str], frozenset[str]], other: tuple[frozenset[str], frozenset[str]]) -> bool:
    (mine, my_around), (theirs, their_around) = one, other
    if mine and theirs:
        return mine == theirs
    if mine or theirs:
        return mine <= their_around and theirs <= my_around
    return my_around == their_around


def _with_document(scope: Scope, other: Scope) -> tuple[frozenset[str], frozenset[str]]:
    """The places of a sentence and around it; the document's only place stands in where the other names one.

    `de Ribarroja` is a place where the other says `en Ribarroja`.
    """
    named = scope.places | (scope.names & other.places)
    around = scope.places_around
    if not named and not around and (other.places or other.places_around):
        around = scope.only_place
    return named, around


def _places(text: str) -> frozenset[str]:
    return frozenset(without_accents(limit.name) for limit in (*places(text), *regions(text)))


def _groups(text: str) -> frozenset[str]:
    return frozenset(limit.name for limit in groups(text))


@lru_cache(maxsize=256)
def _only_place(document_text: str) -> frozenset[str]:
    found = _places(document_text)
    return found if len(found) == 1 else frozenset()
