"""Blocks, views and messages with their texts parsed: what the page gets to draw.

Beside each `mrkdwn` text and each Markdown text stands `elements`, the same as `rich_text` elements; nothing else of a
block is changed or left out, so that a block nobody thought of reaches the page, which says that it cannot draw it.
"""

from __future__ import annotations

from typing import Any

from bot.playground.markdown import markdown_elements
from bot.playground.mrkdwn import mrkdwn_elements
from bot.standin import shapes
from bot.standin.app_config import AppConfig
from bot.standin.model import Json, Message, View
from bot.standin.workspace import Workspace


def drawn_blocks(value: Any) -> Any:
    """The same blocks, however deep, with parsed texts beside the texts."""
    if isinstance(value, list):
        return [drawn_blocks(item) for item in value]
    if not isinstance(value, dict):
        return value
    drawn = {key: drawn_blocks(item) for key, item in value.items()}
    text = value.get("text")
    if isinstance(text, str):
        if value.get("type") == "mrkdwn":
            drawn["elements"] = mrkdwn_elements(text)
        elif value.get("type") == "markdown":
            drawn["elements"] = markdown_elements(text)
    return drawn


def drawn_message(message: Message, workspace: Workspace, app: AppConfig) -> Json:
    """A message of a channel or thread, with what is known of its thread and its stream."""
    facts = shapes.message_json(message, app, workspace)
    drawn: Json = {
        "ts": message.ts,
        "channel": message.channel_id,
        "thread_ts": message.thread_ts,
        "in_thread": message.in_thread,
        "broadcast": message.reply_broadcast,
        "user": message.user,
        "username": message.username,
        "is_app": message.bot_id is not None or message.user == "USLACKBOT",
        "subtype": message.subtype,
        "edited": message.edited is not None and message.bot_id is None,
        "ephemeral": message.ephemeral_to is not None,
        "text": mrkdwn_elements(message.text),
        "raw": message.text,
        "blocks": drawn_blocks(message.all_blocks),
        "attachments": drawn_blocks(message.attachments),
        "reactions": facts.get("reactions", []),
        "replies": facts.get("reply_count", 0),
        "reply_users": facts.get("reply_users", []),
        "latest_reply": facts.get("latest_reply"),
    }
    if message.stream is not None:
        drawn["stream"] = {
            "state": message.stream.state.value,
            "display": message.stream.task_display_mode,
            "title": next((c["title"] for c in reversed(message.stream.chunks) if c["type"] == "plan_update"), ""),
            "tasks": [_drawn_task(task) for task in message.stream.tasks],
            "elements": markdown_elements(message.stream.markdown),
        }
    return drawn


def drawn_view(view: View) -> Json:
    """A modal or a home tab."""
    payload = view.payload
    return {
        "id": view.id,
        "hash": view.hash,
        "type": view.type,
        "title": view.title,
        "submit": (payload.get("submit") or {}).get("text", ""),
        "close": (payload.get("close") or {}).get("text", ""),
        "blocks": drawn_blocks(view.blocks),
        "errors": view.errors,
    }


def _drawn_task(task: Json) -> Json:
    """A task of a stream, whose details and output are Markdown."""
    texts = {key: markdown_elements(str(task[key])) for key in ("details", "output") if task.get(key)}
    return task | texts
