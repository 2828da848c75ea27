"""The bot and the people of the end-to-end tests, for attacks on the whole."""

from tests.e2e.conftest import ana, ben, general, slack, socket_bot

__all__ = ["ana", "ben", "general", "slack", "socket_bot"]
