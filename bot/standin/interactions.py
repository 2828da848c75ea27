"""The payloads of slash commands, pressed buttons, submitted and closed views."""

from collections.abc import Iterator
from typing import Any

from bot.standin import shapes
from bot.standin.api import Backstage
from bot.standin.model import Channel, ChannelKind, Json, Message, User, View

STATELESS = frozenset({"button", "feedback_buttons", "icon_button", "overflow", "workflow_button"})


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
    backstage: Backstage,
    user: User,
    message: Message,
    element: Json,
    block_id: str,
    value: Any,
    address: str,
    values: Json | None = None,
) -> Json:
    """A `block_actions` payload for an element of a message; `values` is what the inputs beside it hold."""
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
        "state": {"values": _state(message.all_blocks, values or {})},
        "actions": [_action(backstage, element, block_id, value)],
    }
    if message.ephemeral_to is None:
        body["message"] = shapes.message_json(message, backstage.app, backstage.workspace)
    return body


def view_action(
    backstage: Backstage,
    user: User,
    view: View,
    element: Json,
    block_id: str,
    value: Any,
    values: Json | None = None,
) -> Json:
    """A `block_actions` payload for an element of a modal or the home tab; `values` is what its inputs hold."""
    state = _state(view.blocks, values or {})
    return _interaction(backstage, "block_actions", user) | {
        "container": {"type": "view", "view_id": view.id},
        "trigger_id": backstage.tickets.new_trigger(user.id, view_id=view.id),
        "view": shapes.view_json(view, backstage.app, backstage.workspace.home_team.id, state=state),
        "actions": [_action(backstage, element, block_id, value)],
    }


def view_submission(backstage: Backstage, user: User, view: View, values: Json) -> Json:
    """A `view_submission` payload; `values` is what the inputs hold.

    They are by action id, or by block id and then action id: text, or the value of an option, or a list of those.
    """
    shown = shapes.view_json(view, backstage.app, backstage.workspace.home_team.id, state=_state(view.blocks, values))
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


def find_element(blocks: list[Json], action_id: str, in_block: str | None = None) -> tuple[Json, str]:
    """Find an interactive element by action id: (element, block id); LookupError names those that are there.

    `in_block` is the block's id, where several blocks have an element of this action id.
    """
    present = []
    for block in blocks:
        if in_block not in (None, block.get("block_id")):
            continue
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


def _action(backstage: Backstage, element: Json, block_id: str, value: Any) -> Json:
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
    if kind == "rich_text_input":
        return {"rich_text_value": value}
    if kind.endswith("_input"):
        return {"value": value}
    if kind == "datetimepicker":
        return {"selected_date_time": value}
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
    for name, value in element.items():
        if name.startswith("initial_") and name not in ("initial_option", "initial_options"):
            return value
    if "initial_option" in element:
        return element["initial_option"]["value"]
    return [option["value"] for option in element["initial_options"]] if "initial_options" in element else None


def _state(blocks: list[Json], values: Json) -> Json:
    state: Json = {}
    wanted = dict(values)
    for block in blocks:
        block_id = str(block.get("block_id", ""))
        of_block = wanted.pop(block_id, {})
        for element in _elements(block):
            if element["type"] in STATELESS:
                continue
            action_id = element["action_id"]
            value = wanted.pop(action_id, of_block[action_id] if action_id in of_block else _initial(element))
            state.setdefault(block_id, {})[action_id] = {"type": element["type"], **_chosen(element, value)}
    if wanted:
        raise LookupError(f"no inputs {sorted(wanted)} on the screen")
    return state
