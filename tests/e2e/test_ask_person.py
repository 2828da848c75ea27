"""Handing a question to people (issue 8, item 2): where it goes is shown before, and it goes nowhere else."""

from __future__ import annotations

import json

import pytest

from bot.rendering.answer_buttons import ASK_PERSON_ACTION
from bot.rendering.asking_people import QUESTION_INPUT, SUGGEST_ACTION
from bot.standin import Channel, Message, Person, SlackStandIn, View, view_text, visible_text
from core.store.gaps import HandedOnStore
from tests.e2e.after import Company, bot_engine, company
from tests.e2e.conftest import Bot
from tests.e2e.real import groups, recorded

CANTEEN = "How much is the lunch menu of the canteen?"
ANSWER = "It is 7.50 euros since May."


@pytest.fixture
def carla(slack: SlackStandIn) -> Person:
    """She answers questions."""
    return slack.person("carla", locale="en-US")


@pytest.fixture
def desk(slack: SlackStandIn, carla: Person) -> Channel:
    """A private channel of those who answer."""
    return slack.channel("desk", carla, private=True)


@pytest.fixture
async def firm(socket_bot: Bot, ana: Person, ben: Person, carla: Person, desk: Channel) -> Company:
    socket_bot.overrides |= {"ask_channel": desk.id, "gaps": True}
    made = company(socket_bot)
    socket_bot.groups.groups = groups(socket_bot.folder, hr=["ana"])
    await socket_bot.start()
    return made


def button_of(firm: Company, channel: Channel) -> Message:
    return [m for m in firm.bot.said(channel) if ASK_PERSON_ACTION in str(m.all_blocks)][-1]


def view_of(person: Person) -> View:
    view = person.open_view()
    assert view is not None
    return view


async def opened(firm: Company, person: Person, channel: Channel) -> str:
    await person.click(button_of(firm, channel), ASK_PERSON_ACTION)
    await firm.bot.idle()
    return view_text(view_of(person))


async def asked(firm: Company, person: Person, channel: Channel, question: str = CANTEEN) -> None:
    await person.ask(channel, question)
    await firm.bot.idle()


async def handed_on(firm: Company, person: Person, channel: Channel, question: str = CANTEEN) -> None:
    await asked(firm, person, channel, question)
    await opened(firm, person, channel)
    await person.submit_view({QUESTION_INPUT: question})
    await firm.bot.idle()


def whispered(firm: Company, channel: Channel, person: Person) -> str:
    return "\n".join(visible_text(m) for m in firm.bot.said(channel) if m.ephemeral_to == person.id)


async def test_the_button_holds_nothing_of_the_question_and_the_form_shows_where_it_goes(
    firm: Company, ben: Person, general: Channel, desk: Channel
) -> None:
    await asked(firm, ben, general)
    assert "canteen" not in str([b for b in button_of(firm, general).all_blocks if b["type"] == "actions"])
    text = await opened(firm, ben, general)
    assert "This question goes to" in text
    assert desk.id in json.dumps(view_of(ben).payload)
    assert "The members of that private channel can read it." in text
    assert "under your name" in text
    assert CANTEEN in json.dumps(view_of(ben).payload)
    assert firm.bot.said(desk) == []


async def test_it_is_posted_once_with_a_link_back_and_the_asker_is_told(
    firm: Company, slack: SlackStandIn, ben: Person, general: Channel, desk: Channel
) -> None:
    await handed_on(firm, ben, general)
    (post,) = firm.bot.said(desk)
    assert CANTEEN in visible_text(post)
    assert ben.id in json.dumps(post.all_blocks)
    assert "Where it was asked" in visible_text(post)
    assert "I have handed your question on." in whispered(firm, general, ben)
    assert "already" in await opened(firm, ben, general)
    assert [e["kind"] for e in recorded(firm.bot) if e["kind"] == "handed_on"] == ["handed_on"]


async def test_only_who_asked_may_hand_it_on(
    firm: Company, ana: Person, ben: Person, general: Channel, desk: Channel
) -> None:
    await asked(firm, ben, general)
    text = await opened(firm, ana, general)
    assert "Solo quien hizo la pregunta" in text
    assert view_of(ana).payload.get("submit") is None
    assert firm.bot.said(desk) == []


async def test_a_form_of_somebody_else_is_not_carried_out(
    firm: Company, ana: Person, ben: Person, general: Channel, desk: Channel
) -> None:
    await asked(firm, ben, general)
    await opened(firm, ben, general)
    stolen = view_of(ben)
    await ana.submit_view({QUESTION_INPUT: "stolen"}, stolen)
    await firm.bot.idle()
    assert firm.bot.said(desk) == []


async def test_it_does_not_go_where_it_was_not_shown_to_go(
    firm: Company, slack: SlackStandIn, ben: Person, general: Channel, desk: Channel
) -> None:
    """The private channel became public between the form and its sending."""
    await asked(firm, ben, general)
    await opened(firm, ben, general)
    desk.kind = general.kind
    await ben.submit_view({QUESTION_INPUT: CANTEEN})
    await firm.bot.idle()
    assert firm.bot.said(desk) == []
    assert "Where this question goes has changed" in whispered(firm, general, ben)


async def test_a_forged_destination_is_not_believed(
    firm: Company, slack: SlackStandIn, ben: Person, general: Channel, desk: Channel
) -> None:
    await asked(firm, ben, general)
    await opened(firm, ben, general)
    view = view_of(ben)
    view.payload["private_metadata"] = view.payload["private_metadata"].replace(desk.id, general.id)
    before = len(firm.bot.said(general))
    await ben.submit_view({QUESTION_INPUT: CANTEEN}, view)
    await firm.bot.idle()
    assert all(m.ephemeral_to == ben.id for m in firm.bot.said(general)[before:])
    assert "has changed" in whispered(firm, general, ben)


async def test_where_other_companies_read_nobody_is_asked(
    firm: Company, ben: Person, general: Channel, desk: Channel
) -> None:
    desk.is_ext_shared = True
    await asked(firm, ben, general)
    assert "There is nobody I can hand this question to" in await opened(firm, ben, general)


async def test_a_question_of_a_direct_message_goes_without_a_link(firm: Company, ben: Person, desk: Channel) -> None:
    await ben.dm(CANTEEN)
    await firm.bot.idle()
    text = await opened(firm, ben, ben.direct_channel())
    assert "links back" not in text
    await ben.submit_view({QUESTION_INPUT: CANTEEN})
    await firm.bot.idle()
    (post,) = firm.bot.said(desk)
    assert "Where it was asked" not in visible_text(post)


async def test_what_slack_refused_can_be_tried_again(
    firm: Company, slack: SlackStandIn, ben: Person, general: Channel, desk: Channel
) -> None:
    await asked(firm, ben, general)
    await opened(firm, ben, general)
    slack.faults.next("chat.postMessage", error="is_archived", times=1)
    await ben.submit_view({QUESTION_INPUT: CANTEEN})
    await firm.bot.idle()
    assert "could not be posted" in whispered(firm, general, ben)
    assert "This question goes to" in await opened(firm, ben, general)


async def test_where_slack_says_neither_yes_nor_no_it_is_not_posted_twice(
    firm: Company, slack: SlackStandIn, ben: Person, general: Channel, desk: Channel
) -> None:
    await asked(firm, ben, general)
    await opened(firm, ben, general)
    slack.faults.next("chat.postMessage", error="internal_error", times=1)
    await ben.submit_view({QUESTION_INPUT: CANTEEN})
    await firm.bot.idle()
    assert "I cannot tell whether your question was posted." in whispered(firm, general, ben)
    assert "already" in await opened(firm, ben, general)
    assert firm.bot.said(desk) == []


async def test_who_asks_too_much_is_held_by_the_gate(
    socket_bot: Bot, ben: Person, carla: Person, general: Channel, desk: Channel
) -> None:
    socket_bot.overrides |= {"ask_channel": desk.id, "user_rate": "1/hour"}
    made = company(socket_bot)
    await socket_bot.start()
    await handed_on(made, ben, general)
    assert socket_bot.said(desk) == []


async def test_a_reply_goes_back_to_the_asker_alone_when_its_author_says_so(
    firm: Company, ana: Person, ben: Person, carla: Person, general: Channel, desk: Channel
) -> None:
    await handed_on(firm, ben, general)
    (post,) = firm.bot.said(desk)
    await carla.post(desk, ANSWER, thread_ts=post.ts)
    await firm.bot.idle()
    (offer,) = (m for m in firm.bot.said(desk, post.ts) if m.ephemeral_to == carla.id)
    assert ANSWER not in whispered(firm, general, ben)
    await carla.click(offer, SUGGEST_ACTION)
    await firm.bot.idle()
    told = whispered(firm, general, ben)
    assert ANSWER in told
    assert "I have not verified them" in told
    assert all(ANSWER not in visible_text(m) for m in ana.sees(general))
    await ana.slash("/rag-gaps", "", general)
    await firm.bot.idle()
    assert ANSWER in whispered(firm, general, ana)


async def test_thanks_and_the_askers_own_words_are_not_offered(
    firm: Company, slack: SlackStandIn, ben: Person, carla: Person, general: Channel, desk: Channel
) -> None:
    await handed_on(firm, ben, general)
    (post,) = firm.bot.said(desk)
    await carla.post(desk, "ok, thanks", thread_ts=post.ts)
    await firm.bot.idle()
    assert all(m.ephemeral_to is None for m in firm.bot.said(desk, post.ts))


async def test_nobody_sends_back_what_somebody_else_said(
    firm: Company, slack: SlackStandIn, ben: Person, carla: Person, general: Channel, desk: Channel
) -> None:
    dora = slack.person("dora", locale="en-US")
    await dora.join(desk)
    await handed_on(firm, ben, general)
    (post,) = firm.bot.said(desk)
    reply = await carla.post(desk, ANSWER, thread_ts=post.ts)
    await dora.post(desk, "I have no idea what it costs.", thread_ts=post.ts)
    await firm.bot.idle()
    (offer,) = (m for m in firm.bot.said(desk, post.ts) if m.ephemeral_to == dora.id)
    handed = HandedOnStore(bot_engine(firm.bot)).in_thread("t", post_team(firm), desk.id, post.ts)
    assert handed is not None
    for block in offer.all_blocks:
        for element in block.get("elements", ()):
            if element.get("action_id") == SUGGEST_ACTION:
                element["value"] = f"{handed.id}:{reply.ts}"
    await dora.click(offer, SUGGEST_ACTION)
    await firm.bot.idle()
    assert ANSWER not in whispered(firm, general, ben)


async def test_the_owner_of_the_nearest_document_is_asked_in_their_direct_messages(
    socket_bot: Bot, slack: SlackStandIn, ana: Person, ben: Person, carla: Person, general: Channel
) -> None:
    from tests.unit.pipeline.shelf import HOLIDAYS, SALARIES, document

    socket_bot.overrides |= {"ask_owners": True}
    made = company(socket_bot)
    owned = document("Kitchen", "Lunch boxes are washed on Fridays.", owner="carla@brisa-logistics.example")
    made.sync(HOLIDAYS, SALARIES, owned)
    await socket_bot.start()
    await asked(made, ben, general)
    assert "Only they read it." in await opened(made, ben, general)
    await ben.submit_view({QUESTION_INPUT: CANTEEN})
    await socket_bot.idle()
    (post,) = socket_bot.said(carla.direct_channel())
    assert CANTEEN in visible_text(post)
    await carla.dm(ANSWER, thread_ts=post.ts)
    await socket_bot.idle()
    offer = socket_bot.said(carla.direct_channel(), post.ts)[-1]
    await carla.click(offer, SUGGEST_ACTION)
    await socket_bot.idle()
    assert ANSWER in whispered(made, general, ben)
    assert socket_bot.said(ana.direct_channel()) == []


async def test_without_anybody_named_there_is_no_button(socket_bot: Bot, ben: Person, general: Channel) -> None:
    made = company(socket_bot)
    await socket_bot.start()
    await asked(made, ben, general)
    assert ASK_PERSON_ACTION not in str([m.all_blocks for m in socket_bot.said(general)])


async def test_a_restart_between_the_form_and_the_post_loses_nothing(
    firm: Company, slack: SlackStandIn, ben: Person, general: Channel, desk: Channel
) -> None:
    await asked(firm, ben, general)
    await opened(firm, ben, general)
    await firm.bot.stop()
    view = view_of(ben)
    await firm.bot.start()
    await ben.submit_view({QUESTION_INPUT: CANTEEN}, view)
    await firm.bot.idle()
    assert len(firm.bot.said(desk)) == 1


def post_team(firm: Company) -> str:
    return firm.bot.slack.workspace.home_team.id
