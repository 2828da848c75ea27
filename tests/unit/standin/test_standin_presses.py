"""Which element is pressed, and what the inputs beside it hold."""

from __future__ import annotations

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.standin import Json, SlackStandIn


def plain(text: str) -> Json:
    return {"type": "plain_text", "text": text}


OPTIONS = [{"text": plain(name), "value": name} for name in ("strict", "open")]
TWICE: list[Json] = [
    {
        "type": "actions",
        "block_id": block_id,
        "elements": [{"type": "button", "action_id": "evidence", "value": block_id, "text": plain("Evidence")}],
    }
    for block_id in ("first", "second")
]
MENU: Json = {
    "type": "actions",
    "block_id": "menu",
    "elements": [
        {"type": "static_select", "action_id": "mode", "options": OPTIONS, "initial_option": OPTIONS[0]},
        {"type": "datetimepicker", "action_id": "until", "initial_date_time": 1_760_000_000},
    ],
}


async def test_the_block_says_which_of_two_equal_buttons(slack: SlackStandIn, client: AsyncWebClient) -> None:
    ana = slack.person("ana")
    direct = ana.direct_channel()
    await client.chat_postMessage(channel=direct.id, text="two", blocks=TWICE)
    pressed = await ana.click(direct.messages[-1], "evidence", block_id="second", wait=False)
    assert pressed.payload["actions"][0]["value"] == "second"
    with pytest.raises(LookupError):
        await ana.click(direct.messages[-1], "evidence", block_id="third", wait=False)


async def test_a_press_tells_what_the_inputs_beside_it_hold(slack: SlackStandIn, client: AsyncWebClient) -> None:
    ana = slack.person("ana")
    direct = ana.direct_channel()
    await client.chat_postMessage(channel=direct.id, text="menu", blocks=[*TWICE[:1], MENU])
    untouched = await ana.click(direct.messages[-1], "evidence", wait=False)
    held = untouched.payload["state"]["values"]
    assert held["menu"]["mode"]["selected_option"]["value"] == "strict"
    assert held["menu"]["until"] == {"type": "datetimepicker", "selected_date_time": 1_760_000_000}
    assert "first" not in held
    chosen = {"menu": {"mode": "open"}}
    touched = await ana.click(direct.messages[-1], "evidence", state=chosen, wait=False)
    assert touched.payload["state"]["values"]["menu"]["mode"]["selected_option"]["value"] == "open"
    with pytest.raises(LookupError):
        await ana.click(direct.messages[-1], "evidence", state={"nothing": "x"}, wait=False)
