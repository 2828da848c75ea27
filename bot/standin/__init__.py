"""A stand-in for Slack: a workspace in memory, its Web API, Socket Mode and signed events, on loopback.

Tests drive the real bot against it, and the playground shows it in a browser. It answers as Slack documents, checks
each request of the bot against what Slack documents, and fails on demand. It never talks to the real Slack.

    async with SlackStandIn() as slack:
        ana = slack.person("ana")
        general = slack.channel("general", ana)
        …start a Bolt app with AsyncWebClient(token=slack.app.bot_token, base_url=slack.base_url)…
        question = await ana.ask(general, "how many days of holiday?")
        answer = await slack.wait_for_message(general, thread_ts=question.ts)
        assert "23" in visible_text(answer) and not slack.violations
"""

from bot.standin.api import Settings
from bot.standin.app_config import AppConfig
from bot.standin.clock import Clock, ManualClock, SystemClock
from bot.standin.delivery import Delivery, DeliveryKind
from bot.standin.faults import Faults
from bot.standin.methods import METHODS
from bot.standin.model import Channel, ChannelKind, Json, Message, StreamState, Team, User, Usergroup, View
from bot.standin.person import Person
from bot.standin.problems import Problem, Violation
from bot.standin.rendering import links, pings, view_text, visible_text
from bot.standin.rich_text import escape
from bot.standin.standin import SlackStandIn
from bot.standin.waiting import NotInTimeError
from bot.standin.workspace import Workspace

__all__ = [
    "METHODS",
    "AppConfig",
    "Channel",
    "ChannelKind",
    "Clock",
    "Delivery",
    "DeliveryKind",
    "Faults",
    "Json",
    "ManualClock",
    "Message",
    "NotInTimeError",
    "Person",
    "Problem",
    "Settings",
    "SlackStandIn",
    "StreamState",
    "SystemClock",
    "Team",
    "User",
    "Usergroup",
    "View",
    "Violation",
    "Workspace",
    "escape",
    "links",
    "pings",
    "view_text",
    "visible_text",
]
