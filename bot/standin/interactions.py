"""The payloads of slash commands, pressed buttons, submitted and closed views."""

from collections.abc import Iterator
from typing import Any

from bot.standin import shapes
from bot.standin.api import Backstage
from bot.standin.model import Channel, ChannelKind, Json, Message, User, View


def slash_command(backstage: Backstage, user: User, channel: Channel, command: str, text: str, address: str) -> Json:
    """A slash command, as form fields; `address` is the response URL."""
    team = backstage.workspace.home_team
    body = {
        "token": backstage.app.verification_token,
        "team_id": team.id,
        "team_domain": team.domain,
        "channel_id": channel.id,
        "channel_name": {ChannelKind.IM: "directmessage", ChannelKind.PRIVATE: "privategroup"}.get(
            channel.kind, channel.name
        ),
        "user_id": user.id,
        "user_name": user.name,
        "command": command,
        "text": text,
        "api_app_id": backstage.app.app_id,
        "is_enterprise_install": "false",
        "response_url": address,
        "trigger_id": backstage.tickets.new_trigger(user.id),
    }
    return body | {"enterprise_id": team.enterprise_id} if team.enterprise_id else body


def message_action(
    backstage: Backstage, user: User, message: Message, element: Json, block_id: str, value: str | None, address: str
) -> Json:
    """A `block_actions` payload for an element of a message."""
    channel = backstage.workspace.channels[message.channel_id]
    container: Json = {
        "type": "message",
        "message_ts": message.ts,
        "channel_id": channel.id,
        "is_ephemeral": message.ephemeral_to is not None,
    }
    if message.thread_ts:
        container["thread_ts"] = message.thread_ts
    body = _interaction(backstage, "block_actions", user) | {
        "container": container,
        "trigger_id": backstage.tickets.new_trigger(user.id),
        "channel": {"id": channel.id, "name": channel.name},
        "response_url": address,
        "state": {"values": {}},
        "actions": [_action(backstage, element, block_id, value)],
    }
    if message.ephemeral_to is None:
        body["message"] = shapes.message_json(message, backstage.app, backstage.workspace)
    return body


def view_action(backstage: Backstage, user: User, view: View, element: Json, block_id: str, value: str | None) -> Json:
    """A `block_actions` payload for an element of a modal or the home tab."""
    return _interaction(backstage, "block_actions", user) | {
        "container": {"type": "view", "view_id": view.id},
        "trigger_id": backstage.tickets.new_trigger(user.id, view_id=view.id),
        "view": shapes.view_json(view, backstage.app, backstage.workspace.home_team.id),
        "actions": [_action(backstage, element, block_id, value)],
    }


def view_submission(backstage: Backstage, user: User, view: View, values: Json) -> Json:
    """A `view_submission` payload; `values` are by action id: text, or the value of an option, or a list of those."""
    shown = shapes.view_json(view, backstage.app, backstage.workspace.home_team.id, state=_state(view, values))
    return _interaction(backstage, "view_submission", user) | {
        "trigger_id": backstage.tickets.new_trigger(user.id, view_id=view.id),
        "view": shown,
        "response_urls": [],
    }


def view_closed(backstage: Backstage, user: User, view: View, *, is_cleared: bool) -> Json:
    """A `view_closed` payload."""
    return _interaction(backstage, "view_closed", user) | {
        "view": shapes.view_json(view, backstage.app, backstage.workspace.home_team.id),
        "is_cleared": is_cleared,
    }


def find_element(blocks: list[Json], action_id: str) -> tuple[Json, str]:
    """Find an interactive element by action id: (element, block id); LookupError names those that are there."""
    present = []
    for block in blocks:
        for element in _elements(block):
            if element.get("action_id") == action_id:
                return element, str(block.get("block_id", ""))
            present.append(str(element.get("action_id")))
    raise LookupError(f"no element {action_id!r} on the screen; there are: {', '.join(present) or 'none'}")


def _elements(block: Json) -> Iterator[Json]:
    for value in (block.get("accessory"), block.get("element"), *(block.get("elements") or ())):
        if isinstance(value, dict) and value.get("action_id"):
            yield value
    yield from block.get("actions") or ()


def _interaction(backstage: Backstage, kind: str, user: User) -> Json:
    team = backstage.workspace.home_team
    return {
        "type": kind,
        "user": {"id": user.id, "username": user.name, "name": user.name, "team_id": user.team_id},
        "api_app_id": backstage.app.app_id,
        "token": backstage.app.verification_token,
        "team": {"id": team.id, "domain": team.domain}
        | ({"enterprise_id": team.enterprise_id} if team.enterprise_id else {}),
        "enterprise": {"id": team.enterprise_id, "name": "standin"} if team.enterprise_id else None,
        "is_enterprise_install": False,
    }


def _action(backstage: Backstage, element: Json, block_id: str, value: str | None) -> Json:
    kind = element["type"]
    body: Json = {
        "action_id": element["action_id"],
        "block_id": block_id,
        "type": kind,
        "action_ts": backstage.workspace.new_ts(),
    }
    if kind == "button":
        body |= {"text": element["text"], "value": element.get("value")}
        return {key: item for key, item in body.items() if item is not None}
    if kind == "feedback_buttons":
        choices = [element[name] for name in ("positive_button", "negative_button")]
        chosen = next((choice for choice in choices if value in (None, choice["value"])), None)
        if chosen is None:
            raise LookupError(f"no feedback button with the value {value!r}")
        return body | {"text": chosen["text"], "value": chosen["value"]}
    if kind == "icon_button":
        return body | {"value": element.get("value")}
    return body | _chosen(element, value)


def _chosen(element: Json, value: Any) -> Json:
    """The part of an element's state that tells what was typed or chosen."""
    kind = str(element["type"])
    if kind.endswith("_input"):
        return {"value": value}
    if kind in ("datepicker", "timepicker"):
        return {f"selected_{kind.removesuffix('picker')}": value}
    for name in ("user", "conversation", "channel"):
        if kind == f"{name}s_select":
            return {f"selected_{name}": value}
        if kind == f"multi_{name}s_select":
            return {f"selected_{name}s": list(value or ())}
    options = [*(element.get("options") or ())]
    options += [option for group in element.get("option_groups") or () for option in group["options"]]
    if kind == "checkboxes" or kind.startswith("multi_"):
        return {"selected_options": [option for option in options if option["value"] in (value or ())]}
    return {"selected_option": next((option for option in options if option["value"] == value), None)}


def _initial(element: Json) -> Any:
    """What an input holds when nobody has touched it."""
    for name in ("initial_value", "initial_date", "initial_time", "initial_user", "initial_conversation"):
        if name in element:
            return element[name]
    if "initial_option" in element:
        return element["initial_option"]["value"]
    return [option["value"] for option in element["initial_options"]] if "initial_options" in element else None


def _state(view: View, values: Json) -> Json:
    state: Json = {}
    wanted = dict(values)
    for block in view.blocks:
        for element in _elements(block):
            if element["type"] in ("button", "overflow", "feedback_buttons", "icon_button"):
                continue
            action_id = element["action_id"]
            value = wanted.pop(action_id, _initial(element))
            chosen = {"type": element["type"], **_chosen(element, value)}
            state.setdefault(block["block_id"], {})[action_id] = chosen
    if wanted:
        raise LookupError(f"no inputs {sorted(wanted)} in the view")
    return state
