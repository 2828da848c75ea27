"""Buttons, modals, the home tab, response URLs: pressed by a person, answered by a real Bolt app."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.webhook.async_client import AsyncWebhookClient

from bot.standin import AppConfig, Json, ManualClock, SlackStandIn, view_text, visible_text


def plain(text: str) -> Json:
    return {"type": "plain_text", "text": text}


BUTTONS = {
    "type": "actions",
    "elements": [{"type": "button", "action_id": "evidence", "value": "run-7", "text": plain("Show evidence")}],
}
FEEDBACK = {
    "type": "context_actions",
    "elements": [
        {
            "type": "feedback_buttons",
            "action_id": "verdict",
            "positive_button": {"text": plain("Good"), "value": "good"},
            "negative_button": {"text": plain("Bad"), "value": "bad"},
        }
    ],
}
MODAL = {
    "type": "modal",
    "callback_id": "evidence",
    "title": plain("Evidence"),
    "submit": plain("Send"),
    "private_metadata": "run-7",
    "blocks": [
        {"type": "section", "text": {"type": "mrkdwn", "text": "“23 days”"}},
        {
            "type": "input",
            "block_id": "why",
            "label": plain("Why?"),
            "element": {"type": "plain_text_input", "action_id": "reason", "initial_value": "no reason"},
        },
        {
            "type": "input",
            "block_id": "how",
            "label": plain("How?"),
            "element": {
                "type": "static_select",
                "action_id": "kind",
                "options": [{"text": plain("Wrong"), "value": "wrong"}, {"text": plain("Old"), "value": "old"}],
            },
        },
    ],
}


@pytest.fixture
async def app(slack: SlackStandIn, client: AsyncWebClient) -> AsyncIterator[AsyncApp]:
    app = AsyncApp(client=client)
    handler = AsyncSocketModeHandler(app, slack.app.app_token, web_client=client, ping_interval=0.05)
    await handler.connect_async()  # type: ignore[no-untyped-call]  # untyped in the SDK
    await slack.wait_for_sockets()
    yield app
    await slack.settled()
    await handler.close_async()  # type: ignore[no-untyped-call]  # untyped in the SDK


async def test_a_button_opens_a_modal_that_is_submitted_with_its_values(
    slack: SlackStandIn, client: AsyncWebClient, app: AsyncApp
) -> None:
    submitted: list[Json] = []

    @app.action("evidence")
    async def open_modal(ack: Any, body: Json, client: Any) -> None:
        await ack()
        await client.views_open(
            trigger_id=body["trigger_id"], view=MODAL | {"private_metadata": body["actions"][0]["value"]}
        )

    @app.view("evidence")
    async def submit(ack: Any, view: Json) -> None:
        submitted.append(view)
        await ack()

    ana = slack.person("ana")
    general = slack.channel("general", ana)
    await client.chat_postMessage(channel=general.id, text="answer", blocks=[BUTTONS])
    message = await slack.wait_for_message(general)
    await ana.click(message, "evidence")
    view = await slack.wait_for_view(ana)
    assert view_text(view) == "Evidence\n“23 days”\nWhy?\nHow?"
    assert view.private_metadata == "run-7"
    await ana.submit_view({"kind": "old"})
    values = submitted[0]["state"]["values"]
    assert values["why"]["reason"] == {"type": "plain_text_input", "value": "no reason"}
    assert values["how"]["kind"]["selected_option"]["value"] == "old"
    assert ana.open_view() is None
    assert not slack.violations


async def test_an_answer_to_a_submission_shows_errors_pushes_updates_or_clears(
    slack: SlackStandIn, client: AsyncWebClient, app: AsyncApp
) -> None:
    answers: list[Json] = [
        {"response_action": "errors", "errors": {"why": "Too short"}},
        {"response_action": "update", "view": MODAL | {"title": plain("Second")}},
        {"response_action": "push", "view": MODAL | {"title": plain("Third")}},
        {"response_action": "clear"},
    ]

    @app.command("/rag")
    async def command(ack: Any, body: Json, client: Any) -> None:
        await ack()
        await client.views_open(trigger_id=body["trigger_id"], view=MODAL)

    @app.view("evidence")
    async def submit(ack: Any) -> None:
        await ack(**answers.pop(0))

    ana = slack.person("ana")
    await ana.slash("/rag")
    first = await slack.wait_for_view(ana)
    await ana.submit_view()
    assert first.errors == {"why": "Too short"}
    await ana.submit_view()
    assert (first.title, first.errors) == ("Second", {})
    await ana.submit_view()
    top = ana.open_view()
    assert top is not None and top.title == "Third" and top.previous_view_id == first.id
    await ana.submit_view()
    assert ana.open_view() is None


async def test_the_bot_hears_that_a_modal_was_closed_only_if_it_asked_to(
    slack: SlackStandIn, client: AsyncWebClient, app: AsyncApp
) -> None:
    closed: list[str] = []

    @app.command("/rag")
    async def command(ack: Any, body: Json, client: Any, command: Json) -> None:
        await ack()
        notify = command["text"] == "notify"
        await client.views_open(trigger_id=body["trigger_id"], view=MODAL | {"notify_on_close": notify})

    @app.view_closed("evidence")
    async def view_closed(ack: Any, view: Json) -> None:
        closed.append(view["id"])
        await ack()

    ana = slack.person("ana")
    for text in ("", "notify"):
        await ana.slash("/rag", text)
        view = await slack.wait_for_view(ana)
        await ana.close_view()
    assert closed == [view.id]


async def test_a_verdict_is_given_with_feedback_buttons(
    slack: SlackStandIn, client: AsyncWebClient, app: AsyncApp
) -> None:
    verdicts: list[str] = []

    @app.action("verdict")
    async def verdict(ack: Any, action: Json) -> None:
        verdicts.append(action["value"])
        await ack()

    ana = slack.person("ana")
    await client.chat_postMessage(channel=ana.direct_channel().id, text="x", blocks=[FEEDBACK])
    message = await slack.wait_for_message(ana.direct_channel())
    await ana.click(message, "verdict", "bad")
    await ana.click(message, "verdict", "good")
    assert verdicts == ["bad", "good"]


async def test_only_who_sees_a_message_can_press_its_buttons(slack: SlackStandIn, client: AsyncWebClient) -> None:
    ana, luis = slack.person("ana"), slack.person("luis")
    general = slack.channel("general", ana, luis)
    await client.chat_postEphemeral(channel=general.id, user=ana.id, text="psst", blocks=[BUTTONS])
    [message] = ana.sees(general)
    with pytest.raises(LookupError, match="does not see"):
        await luis.click(message, "evidence")
    with pytest.raises(LookupError, match="there are: evidence"):
        await ana.click(message, "nothing")


async def test_an_ephemeral_message_is_replaced_and_deleted_through_its_response_url(
    slack: SlackStandIn, client: AsyncWebClient, app: AsyncApp
) -> None:
    @app.action("evidence")
    async def act(ack: Any, body: Json, respond: Any) -> None:
        await ack()
        assert body["container"]["is_ephemeral"] and "message" not in body
        if visible_text(slack.bot_messages(general)[0]) == "one\nShow evidence":
            await respond(text="two", blocks=[BUTTONS], replace_original=True)
        else:
            await respond(delete_original=True)

    ana = slack.person("ana")
    general = slack.channel("general", ana)
    first: list[Json] = [{"type": "section", "text": plain("one")}, BUTTONS]
    await client.chat_postEphemeral(channel=general.id, user=ana.id, text="one", blocks=first)
    [message] = ana.sees(general)
    await ana.click(message, "evidence")
    await slack.wait_until(lambda: message.text == "two")
    await ana.click(message, "evidence")
    await slack.wait_until(lambda: not ana.sees(general))
    assert not slack.violations


async def test_a_response_url_takes_five_messages_within_thirty_minutes(
    still_slack: SlackStandIn, clock: ManualClock
) -> None:
    ana = still_slack.person("ana")
    delivery = await ana.slash("/rag", wait=False)
    hook = AsyncWebhookClient(delivery.payload["response_url"])
    answers = [await hook.send(text=str(number)) for number in range(6)]
    assert [answer.status_code for answer in answers] == [200] * 5 + [404]
    assert "used_url" in answers[5].body
    later = await ana.slash("/rag", wait=False)
    await clock.advance(30 * 60 + 1)
    answer = await AsyncWebhookClient(later.payload["response_url"]).send(text="too late")
    assert (answer.status_code, "expired_url" in answer.body) == (404, True)


async def test_a_wrong_body_to_a_response_url_is_refused_and_recorded(still_slack: SlackStandIn) -> None:
    delivery = await still_slack.person("ana").slash("/rag", wait=False)
    hook = AsyncWebhookClient(delivery.payload["response_url"])
    assert (await hook.send(text="")).body == "no_text"
    empty = {"type": "section", "text": plain("")}
    assert (await hook.send(text="x", blocks=[empty])).body == "invalid_blocks"
    assert [violation.error for violation in still_slack.violations] == ["no_text", "invalid_blocks"]


async def test_a_trigger_opens_one_view_within_three_seconds(
    still_slack: SlackStandIn, still_client: AsyncWebClient, clock: ManualClock
) -> None:
    async def error_of(trigger_id: str) -> str:
        with pytest.raises(SlackApiError) as caught:
            await still_client.views_open(trigger_id=trigger_id, view=MODAL)
        return str(caught.value.response["error"])

    ana = still_slack.person("ana")
    trigger = (await ana.slash("/rag", wait=False)).payload["trigger_id"]
    await still_client.views_open(trigger_id=trigger, view=MODAL)
    assert await error_of(trigger) == "exchanged_trigger_id"
    assert await error_of("1.2.3") == "invalid_trigger_id"
    late = (await ana.slash("/rag", wait=False)).payload["trigger_id"]
    await clock.advance(3.5)
    assert await error_of(late) == "expired_trigger_id"


async def test_views_are_updated_by_id_or_external_id_and_guarded_by_their_hash(
    slack: SlackStandIn, client: AsyncWebClient
) -> None:
    ana = slack.person("ana")
    trigger = (await ana.slash("/rag", wait=False)).payload["trigger_id"]
    opened = (await client.views_open(trigger_id=trigger, view=MODAL | {"external_id": "mine"}))["view"]
    second = MODAL | {"external_id": "mine", "title": plain("Second")}
    updated = await client.views_update(view_id=opened["id"], hash=opened["hash"], view=second)
    with pytest.raises(SlackApiError, match="hash_conflict"):
        await client.views_update(view_id=opened["id"], hash=opened["hash"], view=second)
    await client.views_update(external_id="mine", view=second | {"title": plain("Third")})
    view = ana.open_view()
    assert view is not None and view.title == "Third" and view.hash != updated["view"]["hash"]
    with pytest.raises(SlackApiError, match="not_found"):
        await client.views_update(view_id="V0NONE", view=second)


async def test_at_most_three_modals_are_stacked(slack: SlackStandIn, client: AsyncWebClient) -> None:
    ana = slack.person("ana")

    async def trigger() -> str:
        return str((await ana.slash("/rag", wait=False)).payload["trigger_id"])

    await client.views_open(trigger_id=await trigger(), view=MODAL)
    await client.views_push(trigger_id=await trigger(), view=MODAL)
    await client.views_push(trigger_id=await trigger(), view=MODAL)
    with pytest.raises(SlackApiError, match="push_limit_reached"):
        await client.views_push(trigger_id=await trigger(), view=MODAL)


async def test_the_home_tab_is_published_and_pressed(
    slack: SlackStandIn, client: AsyncWebClient, app: AsyncApp
) -> None:
    pressed: list[str] = []

    @app.event("app_home_opened")
    async def opened(event: Json, client: Any) -> None:
        await client.views_publish(user_id=event["user"], view={"type": "home", "blocks": [BUTTONS]})

    @app.action("evidence")
    async def press(ack: Any, body: Json) -> None:
        pressed.append(body["view"]["type"])
        await ack()

    ana = slack.person("ana")
    await ana.open_home()
    home = await slack.wait_until(lambda: slack.workspace.homes.get(ana.id))
    await ana.click(home, "evidence")
    assert pressed == ["home"]
    delivery = await ana.open_home()
    assert delivery is not None and delivery.event["view"]["id"] == home.id
    assert not slack.violations


async def test_a_command_that_the_app_does_not_have_cannot_be_typed() -> None:
    async with SlackStandIn(AppConfig(commands=frozenset({"/rag"}))) as slack:
        with pytest.raises(LookupError, match="/other"):
            await slack.person("ana").slash("/other")
