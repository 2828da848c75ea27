"""The answers of the Web API, one module a family of methods; importing this registers all of them."""

from bot.standin.api import assistant, chat, connections, conversations, people, reactions, streams, views
from bot.standin.api.registry import HANDLERS, Backstage, Settings

__all__ = [
    "HANDLERS",
    "Backstage",
    "Settings",
    "assistant",
    "chat",
    "connections",
    "conversations",
    "people",
    "reactions",
    "streams",
    "views",
]
