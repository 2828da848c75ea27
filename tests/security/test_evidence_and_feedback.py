"""Attempts to read through the evidence button what one may not, and to rate what one did not see."""

from __future__ import annotations

import dataclasses
import json
import logging
from typing import Any

import pytest
from sqlalchemy import update

from bot.rendering import Message as Drawn
from bot.rendering import blocks
from bot.rendering.answer_buttons import EVIDENCE_ACTION, FEEDBACK_ACTION, Meant
from bot.rendering.evidence_view import NEXT_ACTION, Opened, render_evidence
from bot.rendering.feedback_view import NOTE_INPUT
from bot.standin import Channel, Message, Person, SlackStandIn, View, view_text, visible_text
from bot.standin.view_checks import require_valid_view
from bot.words import Words
from core.domain.document import Metadata
from core.domain.evidence import ClaimKind, ClaimStatus, Reason, ReasonCode
from core.evidence.opening import CurrentVersion, OpenedClaim, OpenedEvidence, OpenedQuote, ShownQuote
from core.evidence.proof import Standing
from core.evidence.surroundings import Paragraph
from core.store.feedback import FeedbackStore
from core.store.schema import runs
from tests.e2e.conftest import Bot
from tests.e2e.real import SALARY, SALARY_QUESTION, furnish, groups, recorded
from tests.pictures.samples import HOSTS, NOW, cite
from tests.security.test_rendering_injection import ATTACKS
from tests.unit.pipeline.shelf import HOLIDAY_QUESTION, QUOTE
from tests.unit.rendering.slack_checks import elements, urls

NOTHING_TO_SHOW = "There is no evidence of this answer to show you."


@pytest.fixture
async def hr_bot(socket_bot: Bot, ana: Person, ben: Person) -> Bot:
    """Ana is in HR, Ben is not."""
    furnish(socket_bot)
    socket_bot.groups.groups = groups(socket_bot.folder, hr=["ana"])
    await socket_bot.start()
    return socket_bot


def with_evidence(bot: Bot, channel: Channel) -> Message:
    return [m for m in bot.said(channel) if EVIDENCE_ACTION in str(m.all_blocks)][-1]


def button(message: Message, action_id: str = EVIDENCE_ACTION) -> dict[str, Any]:
    """The element itself, so that a test can forge what it carries."""
    return next(
        element
        for block in message.all_blocks
        for element in block.get("elements", ())
        if element.get("action_id") == action_id
    )


def view_of(person: Person) -> View:
    view = person.open_view()
    assert view is not None
    return view


async def opened(bot: Bot, person: Person, message: Message) -> str:
    await person.click(message, EVIDENCE_ACTION)
    await bot.idle()
    return view_text(view_of(person))


async def private_run(bot: Bot, person: Person, channel: Channel, question: str = SALARY_QUESTION) -> str:
    """What the button of an answer carries that only this person saw."""
    await person.slash("/rag", question, channel)
    await bot.idle()
    return str(button(with_evidence(bot, channel))["value"])


@pytest.mark.parametrize("may_read_it", [False, True])
async def test_a_button_with_the_private_run_of_somebody_else_opens_nothing(
    hr_bot: Bot, slack: SlackStandIn, ana: Person, ben: Person, general: Channel, may_read_it: bool
) -> None:
    """Not even where the thief may read every document of it: what somebody asked alone is theirs."""
    stolen = await private_run(hr_bot, ana, general)
    if may_read_it:
        hr_bot.groups.groups = groups(hr_bot.folder, hr=["ana", "ben"])
    await ben.ask(general, HOLIDAY_QUESTION)
    await hr_bot.idle()
    forged = [m for m in hr_bot.said(general) if m.ephemeral_to is None][-1]
    button(forged)["value"] = stolen
    text = await opened(hr_bot, ben, forged)
    assert NOTHING_TO_SHOW in text
    assert SALARY not in text
    denied = recorded(hr_bot)[-1]
    assert (denied["kind"], denied["actor"], denied["action"]) == ("denied", ben.id, "evidence")


async def test_a_button_with_the_run_of_another_channel_opens_nothing(
    hr_bot: Bot, slack: SlackStandIn, ana: Person, ben: Person, general: Channel
) -> None:
    pay = slack.channel("pay", ana, private=True)
    await ana.ask(pay, HOLIDAY_QUESTION)
    await hr_bot.idle()
    stolen = button(with_evidence(hr_bot, pay))["value"]
    await ben.ask(general, HOLIDAY_QUESTION)
    await hr_bot.idle()
    forged = with_evidence(hr_bot, general)
    button(forged)["value"] = stolen
    assert NOTHING_TO_SHOW in await opened(hr_bot, ben, forged)


async def test_a_run_of_another_tenant_is_no_run(
    hr_bot: Bot, slack: SlackStandIn, ben: Person, general: Channel
) -> None:
    await ben.ask(general, HOLIDAY_QUESTION)
    await hr_bot.idle()
    assert hr_bot._engine is not None
    with hr_bot._engine.begin() as connection:
        connection.execute(update(runs).values(tenant_id="other"))
    assert NOTHING_TO_SHOW in await opened(hr_bot, ben, with_evidence(hr_bot, general))


async def test_a_guest_in_the_channel_sees_no_title_and_no_text(hr_bot: Bot, slack: SlackStandIn, ana: Person) -> None:
    guest = slack.person("gus", is_restricted=True)
    channel = slack.channel("with-guest", ana, guest)
    await ana.ask(channel, HOLIDAY_QUESTION)
    await hr_bot.idle()
    text = await opened(hr_bot, guest, with_evidence(hr_bot, channel))
    assert "A document that you can no longer open." in text
    assert "Holiday" not in text
    assert "25" not in text


async def test_a_user_of_another_workspace_opens_nothing(
    hr_bot: Bot, slack: SlackStandIn, ana: Person, general: Channel
) -> None:
    await ana.ask(general, HOLIDAY_QUESTION)
    await hr_bot.idle()
    partner = slack.workspace.add_team("Partner")
    eve = slack.person("eve", team=partner, email="ana@brisa-logistics.example")
    general.members.append(eve.id)
    text = await opened(hr_bot, eve, with_evidence(hr_bot, general))
    assert QUOTE not in text
    assert "Holiday" not in text


async def test_a_page_of_somebody_elses_modal_is_refused_and_the_modal_stays(
    hr_bot: Bot, slack: SlackStandIn, ana: Person, ben: Person, general: Channel
) -> None:
    await private_run(hr_bot, ana, general)
    before = await opened(hr_bot, ana, with_evidence(hr_bot, general))
    assert SALARY in before
    view = view_of(ana)
    view.payload["blocks"].append(blocks.button("Next", NEXT_ACTION, "2"))
    await ben.click(view, NEXT_ACTION)
    await hr_bot.idle()
    assert SALARY in view_text(view_of(ana))
    assert ben.open_view() is None
    denied = recorded(hr_bot)[-1]
    assert (denied["kind"], denied["actor"]) == ("denied", ben.id)


@pytest.mark.parametrize(
    "change", [{"user": "BEN"}, {"user": "BEN", "place": ""}, {"marks": ["x' OR 1=1"]}, {"more": 1}]
)
async def test_what_a_modal_carries_is_checked_and_gives_no_rights(
    hr_bot: Bot, slack: SlackStandIn, ana: Person, ben: Person, general: Channel, change: dict[str, Any]
) -> None:
    """Ben has a modal of his own, and in it what Ana's carried, with his own name written into it."""
    stolen = await private_run(hr_bot, ana, general)
    await ben.ask(general, HOLIDAY_QUESTION)
    await hr_bot.idle()
    public = [m for m in hr_bot.said(general) if m.ephemeral_to is None][-1]
    await opened(hr_bot, ben, public)
    meant = Meant.parse(stolen)
    assert meant is not None
    said = json.loads(Opened(meant, general.id, ben.id).to_metadata()) | change
    if said["user"] == "BEN":
        said["user"] = ben.id
    view = view_of(ben)
    view.payload["private_metadata"] = json.dumps(said)
    view.payload["blocks"].append(blocks.button("Next", NEXT_ACTION, "1"))
    await ben.click(view, NEXT_ACTION)
    await hr_bot.idle()
    assert NOTHING_TO_SHOW in view_text(view_of(ben))
    assert SALARY not in view_text(view_of(ben))


@pytest.mark.parametrize("value", ["", ":", "a" * 32, f"{'A' * 32}:", f"{'a' * 32}:zz", "' OR 1=1 --", "x" * 2000])
async def test_nonsense_in_the_button_opens_nothing(
    hr_bot: Bot, slack: SlackStandIn, ben: Person, general: Channel, value: str
) -> None:
    await ben.ask(general, HOLIDAY_QUESTION)
    await hr_bot.idle()
    message = with_evidence(hr_bot, general)
    button(message)["value"] = value
    assert NOTHING_TO_SHOW in await opened(hr_bot, ben, message)


@pytest.mark.parametrize("kind", ["another's private run", "nonsense", "an outsider", "a run of another channel"])
async def test_who_did_not_see_an_answer_cannot_rate_it(
    hr_bot: Bot, slack: SlackStandIn, ana: Person, ben: Person, general: Channel, kind: str
) -> None:
    stolen = (await private_run(hr_bot, ana, general)).partition(":")[0]
    person, channel = ben, general
    if kind == "an outsider":
        person = slack.person("eve", team=slack.workspace.add_team("Partner"), email="ana@brisa-logistics.example")
        general.members.append(person.id)
    await ana.ask(channel, HOLIDAY_QUESTION)
    await hr_bot.idle()
    message = [m for m in hr_bot.said(channel) if m.ephemeral_to is None and FEEDBACK_ACTION in str(m.all_blocks)][-1]
    thumbs = button(message, FEEDBACK_ACTION)["positive_button"]
    run = str(thumbs["value"]).partition(":")[2]
    if kind == "another's private run":
        thumbs["value"], run = f"good:{stolen}", stolen
    elif kind == "nonsense":
        thumbs["value"] = "good:' OR 1=1 --"
    elif kind == "a run of another channel":
        assert hr_bot._engine is not None
        with hr_bot._engine.begin() as connection:
            connection.execute(update(runs).where(runs.c.run_id == run).values(channel="C0OTHER"))
    await person.click(message, FEEDBACK_ACTION, str(thumbs["value"]))
    await hr_bot.idle()
    assert hr_bot._engine is not None
    assert FeedbackStore(hr_bot._engine).of("t", run) == []
    assert any("cannot be rated" in visible_text(m) for m in person.sees(channel))


async def test_a_reason_sent_from_somebody_elses_modal_is_not_kept_and_no_word_of_it_is_logged(
    hr_bot: Bot, slack: SlackStandIn, ana: Person, ben: Person, general: Channel, caplog: pytest.LogCaptureFixture
) -> None:
    await ana.ask(general, HOLIDAY_QUESTION)
    await hr_bot.idle()
    message = with_evidence(hr_bot, general)
    value = str(button(message, FEEDBACK_ACTION)["negative_button"]["value"])
    await ana.click(message, FEEDBACK_ACTION, value)
    await ben.click(message, FEEDBACK_ACTION, value)
    await hr_bot.idle()
    with caplog.at_level(logging.DEBUG, logger="testigo"):
        await ben.submit_view({NOTE_INPUT: "ana is a dunce"}, view=view_of(ana))
        await hr_bot.idle()
    assert hr_bot._engine is not None
    kept = FeedbackStore(hr_bot._engine).of("t", value.partition(":")[2])
    assert [feedback.note for feedback in kept] == ["", ""]
    assert "dunce" not in caplog.text


@pytest.mark.parametrize("language", ["es", "en"])
@pytest.mark.parametrize("evil", ATTACKS)
def test_d9_whatever_a_document_says_is_only_ever_data_in_its_evidence(evil: str, language: str) -> None:
    quote = cite(f"{evil} y más palabras", title=evil, section=(evil, evil))
    metadata = Metadata(evil, evil, author=evil, owner=evil, superseded_by=evil, modified_at=NOW)
    paragraph = Paragraph(evil, quote.quote, evil, header=f"{evil} | {evil}")
    bare = dataclasses.replace(quote, source_uri=evil)
    quotes = (
        OpenedQuote(
            1, Standing.CHANGED, ShownQuote(quote, metadata, NOW, paragraph, CurrentVersion(4, metadata, NOW, evil))
        ),
        OpenedQuote(2, Standing.SUPERSEDED, ShownQuote(bare, metadata, NOW, None, CurrentVersion(4, metadata, NOW))),
        OpenedQuote(3, Standing.FORBIDDEN),
    )
    reasons = tuple(Reason(code, evil) for code in ReasonCode)
    claim = OpenedClaim(evil, ClaimKind.QUOTE, ClaimStatus.PARTIAL, reasons, (1, 2, 3))
    opened = Opened(Meant("a" * 32), "C1", "U1")
    view = render_evidence(OpenedEvidence("a" * 32, (claim,), quotes), opened, Words(language), HOSTS, NOW.date())
    require_valid_view(view, kinds=("modal",))
    for element in elements(Drawn("", tuple(view["blocks"]))):
        assert element.get("type") not in {"user", "usergroup", "broadcast", "channel", "emoji", "mrkdwn", "markdown"}
        if element.get("type") == "plain_text":
            assert "evil" not in element["text"]
    assert all(url.startswith("https://wiki.faroazul.example/") for url in urls(Drawn("", tuple(view["blocks"]))))
