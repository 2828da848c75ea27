"""Whatever the bot may send is drawn, and pressed as Slack would have it pressed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect
from slack_sdk.web.async_client import AsyncWebClient

from bot.standin import Delivery, Message
from tests.browser import gallery
from tests.browser.conftest import Screen
from tests.browser.hosting import Visit

pytestmark = pytest.mark.chromium


def client(visit: Visit) -> AsyncWebClient:
    slack = visit.session.slack
    return AsyncWebClient(token=slack.app.bot_token, base_url=slack.base_url)


def post(visit: Visit, name: str, blocks: list[dict[str, Any]]) -> str:
    """Let the bot write blocks to a person; they are checked as Slack checks them."""
    direct = visit.session.slack.person(name).direct_channel()
    sent = visit.call(lambda: client(visit).chat_postMessage(channel=direct.id, text="a gallery", blocks=blocks))
    return str(sent["ts"])


def pressed(visit: Visit, action_id: str) -> dict[str, Any]:
    """The last press of an element that has reached the bot."""

    async def wait() -> Delivery:
        def last() -> Delivery | None:
            found = [d for d in visit.session.slack.deliveries if d.name == "block_actions" and _is_of(d, action_id)]
            return found[-1] if found else None

        return await visit.session.slack.wait_until(last)

    return dict(visit.call(wait).payload)


def _is_of(delivery: Delivery, action_id: str) -> bool:
    return bool(delivery.payload["actions"][0]["action_id"] == action_id)


def test_every_block_is_drawn(open_page: Callable[..., Screen], visit: Visit) -> None:
    blocks = [*gallery.TEXTS, gallery.TABLE, *gallery.CONTROLS, *gallery.PLAN]
    ts = post(visit, "begona.arraez", blocks)
    screen = open_page()
    message = screen.page.locator(f"article[data-ts='{ts}']")
    expect(message).to_be_visible()
    assert message.locator(".cannot").count() == 0
    expect(message.locator("h3")).to_have_text("Every block 📚")
    expect(message.locator(".block.section strong").first).to_have_text("bold")
    expect(message.locator(".block.section a")).to_have_attribute("href", "https://ficheros.almendro.example/a?b=1&c=2")
    expect(message.locator(".block.section")).to_contain_text(":nosuchemoji:")
    expect(message.locator(".block.section")).to_contain_text("01/01/2026")
    expect(message.locator(".block.section")).to_contain_text("<tag>")
    expect(message.locator(".block.section pre").first).to_have_text("raw *text*")
    expect(message.locator(".rich-text ol > li ul > li")).to_have_text("deeper")
    expect(message.locator(".block.table td").last).to_have_text("25")
    expect(message.locator(".block.markdown [role=heading]")).to_have_text("Title")
    expect(message.get_by_role("img", name="a plan of the site")).to_be_visible()
    expect(message.locator(".task.in_progress")).to_contain_text("Verify")


def test_a_block_nobody_knows_says_so(open_page: Callable[..., Screen], visit: Visit) -> None:
    slack = visit.session.slack
    direct = slack.person("begona.arraez").direct_channel()

    async def say() -> None:
        block = {"type": "hologram", "block_id": "b"}
        message = Message(slack.workspace.new_ts(), direct.id, slack.app.bot_user_id, "", "T", bot_id=slack.app.bot_id)
        message.blocks = [block]
        slack.workspace.add_message(message)

    visit.call(say)
    expect(open_page().page.locator("#main .cannot").last).to_contain_text("cannot draw “hologram”")


def test_text_from_outside_is_never_markup(open_page: Callable[..., Screen], visit: Visit) -> None:
    attack = "<img src=x onerror=alert(1)><script>alert(2)</script>"
    screen = open_page()
    screen.be("Nerea")
    screen.write(attack)
    expect(screen.page.locator("#main article").last).to_contain_text("<script>alert(2)</script>")
    blocks = [{"type": "section", "text": gallery.mrkdwn("<javascript:alert(3)|press>")}]
    ts = post(visit, "nerea.etxebarria", blocks)
    message = screen.page.locator(f"article[data-ts='{ts}']")
    expect(message).to_contain_text("press")
    assert message.locator("a").count() == 0
    assert screen.page.locator("#main img, #main script").count() == 0


def test_presses_reach_the_bot_as_slack_sends_them(open_page: Callable[..., Screen], visit: Visit) -> None:
    ts = post(visit, "ines.vaztavares", gallery.CONTROLS)
    screen = open_page()
    screen.be("Inês")
    message = screen.page.locator(f"article[data-ts='{ts}']")
    message.get_by_role("button", name="Press me too").click()
    assert pressed(visit, "press")["actions"][0]["value"] == "second"
    message.get_by_label("Mode").select_option("balanced")
    assert pressed(visit, "mode")["actions"][0]["selected_option"]["value"] == "balanced"
    message.get_by_role("button", name="More actions").last.click()
    screen.page.get_by_role("button", name="Show", exact=True).click()
    assert pressed(visit, "more")["actions"][0]["selected_option"]["value"] == "show"
    message.get_by_label("Strict").last.check()
    said = pressed(visit, "one")
    assert said["actions"][0]["selected_option"]["value"] == "strict"
    assert said["state"]["values"]["controls"]["mode"]["selected_option"]["value"] == "balanced"


def test_a_confirmation_stands_before_the_press(open_page: Callable[..., Screen], visit: Visit) -> None:
    ts = post(visit, "nuria.sagrera", gallery.CONTROLS)
    screen = open_page()
    screen.be("Núria")
    button = screen.page.locator(f"article[data-ts='{ts}']").get_by_role("button", name="Ask me")
    button.click()
    dialog = screen.page.get_by_role("dialog", name="Really?")
    expect(dialog).to_contain_text("It cannot be undone.")
    screen.page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(button).to_be_focused()
    assert not [d for d in visit.session.slack.deliveries if d.name == "block_actions" and _is_of(d, "ask")]
    button.click()
    screen.page.get_by_role("button", name="Do it").click()
    assert pressed(visit, "ask")["actions"][0]["value"] == "w"


def test_a_modal_is_filled_in_and_submitted(open_page: Callable[..., Screen], visit: Visit) -> None:
    slack = visit.session.slack
    person = slack.person("angeles.guell")
    screen = open_page()
    screen.be("Ángeles")
    screen.page.locator("#composer").focus()
    trigger = person.backstage.tickets.new_trigger(person.id)
    visit.call(lambda: client(visit).views_open(trigger_id=trigger, view=gallery.MODAL))
    dialog = screen.page.get_by_role("dialog", name="Settings")
    expect(dialog.get_by_label("Name")).to_be_focused()
    assert dialog.locator(".cannot").count() == 0
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.get_by_label("Name")).to_have_attribute("aria-invalid", "true")
    dialog.get_by_label("Name").fill("General")
    dialog.get_by_label("English").check()
    dialog.locator("summary", has_text="Choose one or more").first.click()
    dialog.get_by_label("Drive").check()
    dialog.get_by_label("Until").fill("2026-12-31")
    dialog.get_by_role("button", name="Save").click()

    async def submitted() -> Delivery:
        return await slack.wait_until(
            lambda: next((d for d in slack.deliveries if d.name == "view_submission"), None), within=30
        )

    values = visit.call(submitted).payload["view"]["state"]["values"]
    assert values["name"]["v"]["value"] == "General"
    assert values["mode"]["v"]["selected_option"]["value"] == "balanced"
    assert [o["value"] for o in values["sources"]["v"]["selected_options"]] == ["d"]
    assert values["language"]["v"]["selected_option"]["value"] == "en"
    assert values["until"]["v"]["selected_date"] == "2026-12-31"
    screen.page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(screen.page.locator("#composer")).to_be_focused()


def test_a_stream_grows_while_one_looks(open_page: Callable[..., Screen], visit: Visit) -> None:
    direct = visit.session.slack.person("siobhan.odwyer").direct_channel().id
    bot = client(visit)
    first = post(visit, "siobhan.odwyer", [{"type": "section", "text": gallery.mrkdwn("Wait.")}])
    started = visit.call(lambda: bot.chat_startStream(channel=direct, thread_ts=first, markdown_text="**Five"))
    ts = str(started["ts"])
    task = {"type": "task_update", "id": "1", "title": "Verify the quotes", "status": "in_progress"}
    visit.call(lambda: bot.chat_appendStream(channel=direct, ts=ts, chunks=[task]))
    screen = open_page()
    screen.be("Siobhán")
    screen.page.locator("#main .replies").last.click()
    message = screen.page.locator(f"#thread article[data-ts='{ts}']")
    expect(message.locator(".writing")).to_be_visible()
    expect(message.locator(".task.in_progress")).to_contain_text("Verify the quotes")
    visit.call(lambda: bot.chat_appendStream(channel=direct, ts=ts, markdown_text=" days** of leave"))
    expect(message.locator("strong")).to_have_text("Five days")
    visit.call(lambda: bot.chat_stopStream(channel=direct, ts=ts, chunks=[{**task, "status": "complete"}]))
    expect(message.locator(".writing")).to_have_count(0)
    expect(message.locator(".task.complete")).to_be_visible()
    expect(screen.page.locator("#said")).to_contain_text("Five days of leave")


def test_what_the_bot_does_can_be_stopped(open_page: Callable[..., Screen], visit: Visit) -> None:
    slack = visit.session.slack
    person = slack.person("joao.conceicao")
    direct = person.direct_channel().id
    bot = client(visit)
    first = post(visit, "joao.conceicao", [{"type": "section", "text": gallery.mrkdwn("Wait.")}])
    busy = {"channel_id": direct, "thread_ts": first, "status": "processing"}
    visit.call(lambda: bot.api_call("agents.sessions.setStatus", json=busy))
    status = {"channel_id": direct, "thread_ts": first, "status": "is searching…"}
    visit.call(lambda: bot.api_call("assistant.threads.setStatus", json=status))
    screen = open_page()
    screen.be("João")
    expect(screen.page.locator("#main .status")).to_contain_text("Testigo is searching…")
    screen.page.locator("#main .composer").get_by_role("button", name="Stop").click()

    async def stopped() -> Delivery:
        def told() -> Delivery | None:
            return next((d for d in slack.deliveries if d.name == "agent_session_stopped"), None)

        return await slack.wait_until(told, within=30)

    assert visit.call(stopped).event["thread_ts"] == first
