"""Events: what Slack tells the bot about, in the envelope of the Events API."""

import itertools
from collections.abc import Callable

from bot.standin import shapes
from bot.standin.app_config import AppConfig
from bot.standin.clock import Clock
from bot.standin.delivery import Delivery, DeliveryKind
from bot.standin.model import Channel, ChannelKind, Json, Message
from bot.standin.rich_text import mentions
from bot.standin.workspace import Workspace

MESSAGE_EVENTS = {
    ChannelKind.PUBLIC: "message.channels",
    ChannelKind.PRIVATE: "message.groups",
    ChannelKind.IM: "message.im",
    ChannelKind.MPIM: "message.mpim",
}


class Announcer:
    """Builds events and hands them over for delivery, if the app is subscribed and the bot is in the channel."""

    def __init__(
        self, workspace: Workspace, app: AppConfig, clock: Clock, dispatch: Callable[[Delivery], Delivery]
    ) -> None:
        self._workspace = workspace
        self._app = app
        self._clock = clock
        self._dispatch = dispatch
        self._numbers = itertools.count(1)

    def announce(self, event: Json, *, channel: Channel | None = None, name: str | None = None) -> Delivery | None:
        """Send an event (`name` is its subscription: `message.im`); None when the app does not get it."""
        if not self._app.is_subscribed(name or str(event["type"])):
            return None
        if channel is not None and self._app.bot_user_id not in channel.members:
            return None
        payload = self._envelope(event, channel)
        return self._dispatch(Delivery(DeliveryKind.EVENT, payload, self._clock.now()))

    def message_posted(self, message: Message, *, mention_edited: bool = False) -> list[Delivery]:
        """Tell of a new message: `message`, and `app_mention` with an event id of its own if the bot is mentioned.

        `mention_edited` sends the `app_mention` alone, which is what Slack does after an edit.
        """
        channel = self._workspace.channels[message.channel_id]
        event = self._message_event(message, channel)
        sent = [] if mention_edited else [self.announce(event, channel=channel, name=MESSAGE_EVENTS[channel.kind])]
        if mentions(message.text, self._app.bot_user_id) and channel.kind is not ChannelKind.IM:
            mention = {key: value for key, value in event.items() if key != "channel_type"}
            sent.append(self.announce(mention | {"type": "app_mention"}, channel=channel))
        return [delivery for delivery in sent if delivery is not None]

    def message_changed(self, message: Message, before: Json) -> Delivery | None:
        """Tell that a message is not what it was: an edit, an unfurl, an update by the bot."""
        return self._about_message(
            message,
            {
                "subtype": "message_changed",
                "message": self.message_json(message) | {"source_team": message.team_id, "user_team": message.team_id},
                "previous_message": before,
            },
        )

    def message_deleted(self, message: Message, before: Json) -> Delivery | None:
        """Tell that a message is gone."""
        return self._about_message(
            message, {"subtype": "message_deleted", "previous_message": before, "deleted_ts": message.ts}
        )

    def message_json(self, message: Message) -> Json:
        """A message as it stands in events."""
        return shapes.message_json(message, self._app, self._workspace)

    def _about_message(self, message: Message, facts: Json) -> Delivery | None:
        channel = self._workspace.channels[message.channel_id]
        ts = self._workspace.new_ts()
        event = {
            "type": "message",
            **facts,
            "channel": channel.id,
            "hidden": True,
            "ts": ts,
            "event_ts": ts,
            "channel_type": channel.kind.value,
        }
        return self.announce(event, channel=channel, name=MESSAGE_EVENTS[channel.kind])

    def _message_event(self, message: Message, channel: Channel) -> Json:
        event = self.message_json(message)
        if message.user not in self._workspace.users or self._workspace.users[message.user].is_stranger:
            event |= {"user_team": message.team_id, "source_team": message.team_id, "user_profile": {}}
        return event | {"channel": channel.id, "event_ts": message.ts, "channel_type": channel.kind.value}

    def _envelope(self, event: Json, channel: Channel | None) -> Json:
        team = self._workspace.home_team
        body: Json = {
            "token": self._app.verification_token,
            "team_id": team.id,
            "context_team_id": team.id,
            "context_enterprise_id": team.enterprise_id,
            "api_app_id": self._app.app_id,
            "event": event,
            "type": "event_callback",
            "event_id": f"Ev{next(self._numbers):09d}",
            "event_time": int(self._clock.now()),
            "authorizations": [
                {
                    "enterprise_id": team.enterprise_id,
                    "team_id": team.id,
                    "user_id": self._app.bot_user_id,
                    "is_bot": True,
                    "is_enterprise_install": False,
                }
            ],
            "is_ext_shared_channel": bool(channel and channel.is_ext_shared),
            "event_context": f"4-{event['type']}-standin",
        }
        return body | {"enterprise_id": team.enterprise_id} if team.enterprise_id else body
