"""Attempts to set what one may not set, and to see or do in a home tab what is somebody else's or an admin's."""

from __future__ import annotations

import json
from typing import Any

import pytest
from sqlalchemy import update

from bot.place_setting import PURPOSE
from bot.rendering.blocks import button
from bot.rendering.home import (
    ASK_AGAIN_ACTION,
    FORGET_ACTION,
    LANGUAGE_ACTION,
    REINDEX_ACTION,
    AdminsPart,
    HeldBack,
    HomeContents,
    render_home,
)
from bot.rendering.settings_view import MODE_INPUT, RESET_ACTION, SettingsForm, render_settings
from bot.rendering.status import LastSync, Machinery, NextSync, SourceStatus
from bot.rendering.sync_report import REMOVALS_ACTION
from bot.sealing import Sealing
from bot.standin import Channel, Person, SlackStandIn, View, view_text, visible_text
from bot.words import Words
from core.domain.evidence import ClaimKind, ClaimStatus
from core.domain.syncing import SyncCounts, SyncFinished
from core.evidence.opening import OpenedClaim
from core.gaps import Gap
from core.reviews import Review
from core.settings import Mode
from core.store.conversations import OwnQuestion
from core.store.place_settings import PlaceSettings
from core.store.schema import runs, turns
from tests.e2e.conftest import Bot
from tests.e2e.forms import form_of
from tests.e2e.real import SALARY, SALARY_QUESTION, furnish, groups, recorded
from tests.pictures.samples import NOW
from tests.security.test_rendering_injection import ATTACKS
from tests.unit.pipeline.shelf import HOLIDAY_QUESTION
from tests.unit.rendering.slack_checks import check_home, check_view

HELD = SyncFinished("shelf", SyncCounts(unchanged=1), 1.0, held_back="2 of 3 are gone.", awaiting=2)


@pytest.fixture
async def hr_bot(socket_bot: Bot, ana: Person, ben: Person) -> Bot:
    """Ana is in HR and an admin, Ben is neither."""
    socket_bot.overrides |= {"sources": ({"name": "shelf", "kind": "folder", "path": "shelf"},)}
    furnish(socket_bot)
    socket_bot.groups.groups = groups(socket_bot.folder, hr=["ana"])
    await socket_bot.start()
    return socket_bot


async def mode_in(bot: Bot, channel: Channel) -> Mode:
    assert bot.services is not None
    assert bot.services.places is not None
    return (await bot.services.places.settings(bot.settings.tenant_id, channel.id)).mode


async def sent(bot: Bot, person: Person, view: View) -> None:
    await person.submit_view({MODE_INPUT: {MODE_INPUT: "open"}}, view)
    await bot.idle()


async def home_of(bot: Bot, person: Person) -> View:
    await person.open_home()
    await bot.idle()
    return bot.slack.workspace.homes[person.id]


def in_the_tab(view: View, action_id: str, value: str) -> None:
    """Put a button into a tab, as an old drawing of it, or a forger, would have it."""
    view.payload["blocks"].append({**button("x", action_id, value), "block_id": "forged"})


# The form of a place


async def test_a_form_that_was_opened_for_an_admin_is_of_no_use_to_somebody_else(
    hr_bot: Bot, ana: Person, ben: Person, general: Channel
) -> None:
    view = await form_of(hr_bot, ana, general)
    await sent(hr_bot, ben, view)
    assert "cannot be used any more" in view_text(view)
    assert await mode_in(hr_bot, general) is Mode.BALANCED
    denied = recorded(hr_bot)[-1]
    assert (denied["kind"], denied["actor"], denied["action"]) == ("denied", ben.id, "settings")


@pytest.mark.parametrize("forged", ["place", "user", "tenant", "seal", "nothing", "unsealed"])
async def test_a_form_that_carries_anything_but_what_we_put_into_it_sets_nothing(
    hr_bot: Bot, ana: Person, ben: Person, general: Channel, forged: str
) -> None:
    """Ben opens the form of his own direct messages, and makes it one of the channel."""
    view = await form_of(hr_bot, ben)
    said = {"tenant": "t", "place": general.id, "user": ben.id}
    other = Sealing("xoxb-guessed", PURPOSE)
    view.payload["private_metadata"] = {
        "place": view.private_metadata.replace(ben.direct_channel().id, general.id),
        "user": view.private_metadata.replace(ben.id, ana.id),
        "tenant": view.private_metadata.replace('"t"', '"other"'),
        "seal": other.seal(json.dumps(said)),
        "nothing": "",
        "unsealed": json.dumps(said),
    }[forged]
    await sent(hr_bot, ben, view)
    assert "cannot be used any more" in view_text(view)
    assert await mode_in(hr_bot, general) is Mode.BALANCED
    assert await mode_in(hr_bot, ben.direct_channel()) is Mode.BALANCED


async def test_a_place_of_another_tenant_is_not_set_even_under_our_seal(
    hr_bot: Bot, ana: Person, general: Channel
) -> None:
    view = await form_of(hr_bot, ana, general)
    ours = Sealing(hr_bot.slack.app.bot_token, PURPOSE)
    assert ours.open(view.private_metadata) is not None
    view.payload["private_metadata"] = ours.seal(SettingsForm("other", general.id, ana.id).to_metadata())
    await sent(hr_bot, ana, view)
    assert await mode_in(hr_bot, general) is Mode.BALANCED
    assert hr_bot.services is not None
    assert hr_bot.services.places is not None
    assert (await hr_bot.services.places.settings("other", general.id)).set_at is None


async def test_the_button_that_resets_is_no_way_around_either(
    hr_bot: Bot, ana: Person, ben: Person, general: Channel
) -> None:
    await sent(hr_bot, ana, await form_of(hr_bot, ana, general))
    view = await form_of(hr_bot, ana, general)
    await ben.click(view, RESET_ACTION)
    await hr_bot.idle()
    assert await mode_in(hr_bot, general) is Mode.OPEN
    assert recorded(hr_bot)[-1]["kind"] == "denied"


async def test_a_guest_and_a_user_of_another_workspace_set_nothing(
    hr_bot: Bot, slack: SlackStandIn, general: Channel
) -> None:
    guest = slack.person("gus", is_restricted=True)
    eve = slack.person("eve", team=slack.workspace.add_team("Partner"), email="ana@brisa-logistics.example")
    general.members += [guest.id, eve.id]
    for person in (guest, eve):
        assert "submit" not in (await form_of(hr_bot, person, general)).payload


# The home tab


@pytest.mark.parametrize("action_id", [REINDEX_ACTION, REMOVALS_ACTION])
async def test_an_admins_button_in_the_old_tab_of_somebody_who_is_none_does_nothing(
    hr_bot: Bot, ben: Person, action_id: str
) -> None:
    run = hr_bot.syncs.begin("shelf", "timetable")
    hr_bot.syncs.finish(run, HELD)
    view = await home_of(hr_bot, ben)
    in_the_tab(view, action_id, str(run))
    await ben.click(view, action_id)
    await hr_bot.idle()
    assert hr_bot.reindexer.asked == []
    assert "administrators" in visible_text(hr_bot.said(ben.direct_channel())[-1])
    assert (recorded(hr_bot)[-1]["kind"], recorded(hr_bot)[-1]["actor"]) == ("denied", ben.id)


async def test_the_number_of_somebody_elses_question_asks_nothing(
    hr_bot: Bot, slack: SlackStandIn, ana: Person, ben: Person
) -> None:
    await ana.dm(SALARY_QUESTION)
    await hr_bot.idle()
    assert hr_bot._engine is not None
    with hr_bot._engine.connect() as connection:
        number = connection.execute(turns.select()).one().id
    view = await home_of(hr_bot, ben)
    for value in (str(number), "1 OR 1=1", "-1", "", "９"):
        in_the_tab(view, ASK_AGAIN_ACTION, value)
        await ben.click(view, ASK_AGAIN_ACTION, block_id="forged")
        await hr_bot.idle()
        view.payload["blocks"].pop()
    said = [visible_text(message) for message in hr_bot.said(ben.direct_channel())]
    assert said == ["I do not keep that question any more. Ask it anew, please."] * 5


async def test_a_language_that_is_not_offered_is_not_kept(hr_bot: Bot, ben: Person) -> None:
    view = await home_of(hr_bot, ben)
    menu = next(e for b in view.blocks for e in b.get("elements", ()) if e.get("action_id") == LANGUAGE_ACTION)
    menu["options"].append({"text": {"type": "plain_text", "text": "x"}, "value": "../../etc"})
    await ben.click(view, LANGUAGE_ACTION, "../../etc")
    await hr_bot.idle()
    assert "What I can answer you from" in view_text(await home_of(hr_bot, ben))


async def test_who_presses_forget_me_in_the_tab_of_another_forgets_only_themself(
    hr_bot: Bot, ana: Person, ben: Person
) -> None:
    await ana.dm(SALARY_QUESTION)
    await hr_bot.idle()
    view = await home_of(hr_bot, ana)
    await ben.click(view, FORGET_ACTION)
    await hr_bot.idle()
    assert SALARY_QUESTION in view_text(await home_of(hr_bot, ana))


async def test_a_workspace_that_is_no_tenants_learns_nothing_and_changes_nothing(
    socket_bot: Bot, slack: SlackStandIn, ana: Person, general: Channel
) -> None:
    socket_bot.overrides |= {"teams": {"T0OTHER": "t"}}
    furnish(socket_bot)
    await socket_bot.start()
    assert view_text(await home_of(socket_bot, ana)).startswith("Mi puesta en marcha no está completa")
    view = await form_of(socket_bot, ana, general)
    assert "submit" not in view.payload
    for command in ("/rag-status", "/rag-reindex"):
        await ana.slash(command, "", general)
    await socket_bot.idle()
    assert "shelf" not in "".join(visible_text(message) for message in socket_bot.said(general))
    assert socket_bot.reindexer.asked == []


async def test_runs_and_documents_of_another_tenant_are_in_no_tab(
    hr_bot: Bot, ana: Person, ben: Person, general: Channel
) -> None:
    await ben.ask(general, HOLIDAY_QUESTION)
    await ana.ask(general, HOLIDAY_QUESTION)
    await hr_bot.idle()
    assert "25 working days" in view_text(await home_of(hr_bot, ana))
    assert hr_bot._engine is not None
    with hr_bot._engine.begin() as connection:
        connection.execute(update(runs).values(tenant_id="other"))
        connection.execute(update(turns).values(tenant_id="other"))
    text = view_text(await home_of(hr_bot, ana))
    assert "25 working days" not in text
    assert HOLIDAY_QUESTION not in text


async def test_who_is_no_admin_any_more_sees_none_of_it_when_the_tab_is_drawn_again(
    hr_bot: Bot, slack: SlackStandIn, ana: Person
) -> None:
    hr = slack.channel("hr", ana, private=True)
    await ana.ask(hr, SALARY_QUESTION)
    await hr_bot.idle()
    assert SALARY in view_text(await home_of(hr_bot, ana))
    await slack.happens.change_user(ana.user, email="ana@elsewhere.example")
    await hr_bot.idle()
    text = view_text(await home_of(hr_bot, ana))
    assert SALARY not in text
    assert "Para quienes administran" not in text


# What is drawn


@pytest.mark.parametrize("evil", ATTACKS)
@pytest.mark.parametrize("language", ["es", "en"])
def test_nothing_from_outside_links_pings_or_formats(evil: str, language: str) -> None:
    words = Words(language)
    claim = OpenedClaim(evil, ClaimKind.QUOTE, ClaimStatus.SUPPORTED, (), (1,))
    source = SourceStatus(evil, 1, NOW, LastSync(NOW, "failed", evil, (evil,)), NextSync(NOW, evil))
    admin = AdminsPart(
        (source,),
        (HeldBack(evil, 2, 1),),
        Machinery(1, 1, 1, evil, evil, evil),
        (Gap(evil, 1, 1, 1, 0, NOW.date()),),
        (Review("0" * 32, 0.0, (claim,), (evil,), 1, {}),),
    )
    home = render_home(HomeContents((source,), (OwnQuestion(1, evil, 0.0),), "", 30, evil, admin), words)
    check_home(home)
    form = render_settings(SettingsForm("t", "C1", "U1"), "", PlaceSettings(), (evil,), words)
    check_view(form)
    assert not [found for found in walked([home, form]) if "mrkdwn" in found.values() or "url" in found]


def walked(value: Any) -> list[dict[str, Any]]:
    """Every object within some JSON."""
    if isinstance(value, dict):
        return [value, *(found for item in value.values() for found in walked(item))]
    return [found for item in value for found in walked(item)] if isinstance(value, list) else []
