"""Whom a question without an answer can be handed to."""

from __future__ import annotations

from typing import Any

import pytest

from core.asking import Addressee, addressees, can_be_handed_on
from core.domain.evidence import NearDocument
from core.gaps import Near
from core.settings import Settings

NEAR = (
    Near(NearDocument("a", "A", "", "People team"), "wiki"),
    Near(NearDocument("b", "B", "", "eva@x.com"), "drive"),
)
CHANNEL, WIKI, EVA = Addressee(channel="C1"), Addressee(channel="C2"), Addressee(email="eva@x.com")


def settings(wiki: str = "", **said: Any) -> Settings:
    sources: Any = [
        {"name": "wiki", "kind": "folder", "path": "wiki", "ask_channel": wiki},
        {"name": "drive", "kind": "drive", "path": "drive"},
    ]
    return Settings(_env_file=None, sources=sources, **said)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (settings(), ()),
        (settings(ask_channel="C1"), (CHANNEL,)),
        (settings(ask_owners=True), (EVA,)),
        (settings("C2", ask_channel="C1", ask_owners=True), (WIKI, EVA, CHANNEL)),
    ],
)
def test_the_nearest_documents_come_first_and_the_channel_of_the_settings_last(
    said: Settings, expected: tuple[Addressee, ...]
) -> None:
    assert addressees(NEAR, said) == expected
    assert can_be_handed_on(said) is bool(expected)


def test_where_nothing_is_near_only_the_channel_of_the_settings_is_left() -> None:
    assert addressees((), settings("C2", ask_channel="C1", ask_owners=True)) == (CHANNEL,)
