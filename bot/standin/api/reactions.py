"""`reactions.*`: emoji under messages."""

import re

from bot.standin.api.registry import Backstage, answers
from bot.standin.arguments import Arguments
from bot.standin.model import Json, Message
from bot.standin.problems import ApiError


@answers("reactions.add")
def add(backstage: Backstage, args: Arguments) -> Json:
    """Add the bot's reaction to a message."""
    name, message = _named(args), _target(backstage, args)
    users = message.reactions.setdefault(name, [])
    if backstage.app.bot_user_id in users:
        raise ApiError("already_reacted")
    users.append(backstage.app.bot_user_id)
    backstage.workspace.touched()
    return {}


@answers("reactions.remove")
def remove(backstage: Backstage, args: Arguments) -> Json:
    """Take the bot's reaction away."""
    name, message = _named(args), _target(backstage, args)
    users = message.reactions.get(name, [])
    if backstage.app.bot_user_id not in users:
        raise ApiError("no_reaction")
    users.remove(backstage.app.bot_user_id)
    if not users:
        del message.reactions[name]
    backstage.workspace.touched()
    return {}


def _named(args: Arguments) -> str:
    name = args.text("name").strip(":")
    if not re.fullmatch(r"[a-z0-9_+'-]+(::skin-tone-[2-6])?", name):
        raise ApiError("invalid_name", is_violation=True)
    return name


def _target(backstage: Backstage, args: Arguments) -> Message:
    if not args.has("channel") or not args.has("timestamp"):
        raise ApiError("no_item_specified", is_violation=True)
    channel = backstage.channel(args.text("channel"))
    message = backstage.workspace.message(channel.id, args.text("timestamp"))
    if message is None:
        raise ApiError("message_not_found")
    return message
