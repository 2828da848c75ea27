"""What a person's screen is made of, and what is not on it."""

from __future__ import annotations

import json

import pytest

from bot.playground.company import Company
from bot.playground.state import changes, pieces_for
from bot.standin import Message, SlackStandIn


def channels(pieces: dict[str, object]) -> set[str]:
    return {name.partition("/")[2] for name in pieces if name.startswith("channel/")}


async def test_a_person_gets_the_channels_they_are_in_and_no_word_of_the_others(
    slack: SlackStandIn, company: Company
) -> None:
    nerea, pau = slack.person("nerea.etxebarria"), slack.person("pau.ferrandis")
    await nerea.post("rrhh-interno", "the secret raise")
    await nerea.post("general", "good morning")
    seen = json.dumps(pieces_for(pau.id, slack, company))
    assert "good morning" in seen
    assert "the secret raise" not in seen
    assert "rrhh-interno" not in seen
    assert "the secret raise" in json.dumps(pieces_for(nerea.id, slack, company))


async def test_an_ephemeral_message_is_its_reader_s_alone(slack: SlackStandIn, company: Company) -> None:
    general = slack.workspace.channel_named("general")
    assert general is not None
    nerea, pau = slack.person("nerea.etxebarria"), slack.person("pau.ferrandis")
    note = Message(slack.workspace.new_ts(), general.id, "U0TESTIGO", "for you", "T", ephemeral_to=nerea.id)
    slack.workspace.add_message(note)
    assert "for you" in json.dumps(pieces_for(nerea.id, slack, company))
    assert "for you" not in json.dumps(pieces_for(pau.id, slack, company))


async def test_nobody_sees_another_s_modal_or_home(slack: SlackStandIn, company: Company) -> None:
    nerea, pau = slack.person("nerea.etxebarria"), slack.person("pau.ferrandis")
    view = {"type": "modal", "title": {"type": "plain_text", "text": "Evidence"}, "blocks": []}
    slack.workspace.add_view(nerea.id, view)
    assert pieces_for(nerea.id, slack, company)["modal"]["title"] == "Evidence"
    assert "modal" not in pieces_for(pau.id, slack, company)


async def test_members_may_join_public_channels_and_guests_may_not(slack: SlackStandIn, company: Company) -> None:
    def joinable(name: str) -> set[str]:
        pieces = pieces_for(slack.person(name).id, slack, company)
        return {str(piece["name"]) for key, piece in pieces.items() if key.startswith("joinable/")}

    assert joinable("pau.ferrandis") == {"preguntas-personas", "maderas-turia"}
    assert joinable("lena.hartwig") == set()


async def test_a_screen_is_a_person_s(slack: SlackStandIn, company: Company) -> None:
    for nobody in ("U0", slack.app.bot_user_id):
        with pytest.raises(LookupError):
            pieces_for(nobody, slack, company)


def test_only_what_changed_is_sent() -> None:
    before = {"a": {"n": 1}, "b": {"n": 1}, "c": {"n": 1}}
    assert changes(before, {"a": {"n": 1}, "b": {"n": 2}, "d": {"n": 1}}) == ({"b": {"n": 2}, "d": {"n": 1}}, ["c"])


async def test_questions_are_handed_to_the_channel_that_the_people_file_names(
    slack: SlackStandIn, company: Company
) -> None:
    channel = slack.workspace.channel_named("preguntas-personas")
    assert channel is not None
    assert company.ask_channel == channel.id
