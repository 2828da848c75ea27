"""A person in the workspace: writes, presses, reads; everything goes to the bot as real Slack would send it."""

import uuid
from dataclasses import dataclass
from typing import Any

from bot.standin import interactions, shapes
from bot.standin.api import Backstage
from bot.standin.courier import Courier
from bot.standin.delivery import Delivery, DeliveryKind
from bot.standin.model import AgentSession, Channel, Json, Message, StreamState, User, View
from bot.standin.rich_text import as_blocks, mentions


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who acts. Text is as Slack sends it: `<@U…>` mentions, `&amp;` for `&` (see `rich_text.escape`).

    Channels are given as `Channel` or by name or id.
    """

    user: User
    backstage: Backstage
    courier: Courier
    address: str

    @property
    def id(self) -> str:
        """The user id."""
        return self.user.id

    @property
    def mention(self) -> str:
        """How others mention this person."""
        return f"<@{self.user.id}>"

    # -- messages -------------------------------------------------------------------------------------------------

    async def post(
        self,
        channel: Channel | str,
        text: str,
        thread_ts: str | None = None,
        *,
        subtype: str | None = None,
    ) -> Message:
        """Write a message or a reply in a thread; LookupError when not in the channel.

        The bot is told by a `message` event, and by an `app_mention` with an event id of its own if it is mentioned."""
        where = self._channel(channel)
        # another app may have chat:write.public, and what Slack itself writes (a subtype) names people who have left
        may_be_outside = subtype is not None or (self.user.is_bot and not where.is_private)
        if self.id not in where.members and not may_be_outside:
            raise LookupError(f"{self.user.name} is not in #{where.name}")
        workspace = self.backstage.workspace
        message = Message(
            ts=workspace.new_ts(),
            channel_id=where.id,
            user=self.id,
            text=text,
            team_id=self.user.team_id,
            thread_ts=thread_ts,
            bot_id=self.user.bot_id,
            app_id=self.user.app_id,
            subtype=subtype,
            blocks=as_blocks(text, workspace.new_id("b")),
            client_msg_id=None if self.user.is_bot else str(uuid.uuid4()),
        )
        workspace.add_message(message)
        self.backstage.announcer.message_posted(message)
        return message

    async def ask(self, channel: Channel | str, text: str, thread_ts: str | None = None) -> Message:
        """Write a message that mentions the bot."""
        return await self.post(channel, f"<@{self.backstage.app.bot_user_id}> {text}", thread_ts)

    async def dm(self, text: str, thread_ts: str | None = None) -> Message:
        """Write to the bot directly."""
        return await self.post(self.direct_channel(), text, thread_ts)

    async def edit(self, message: Message, text: str) -> list[Delivery]:
        """Edit a message of one's own: `message_changed`, and a new `app_mention` if it mentions the bot now.

        Slack sends that `app_mention`, with a new event id and `edited`, after each edit of a message with a mention.
        """
        workspace, announcer = self.backstage.workspace, self.backstage.announcer
        before = announcer.message_json(message)
        message.revisions.append(message.text)
        message.text = text
        message.blocks = as_blocks(text, workspace.new_id("b"))
        message.edited = {"user": self.id, "ts": workspace.new_ts()}
        workspace.touched()
        sent = [announcer.message_changed(message, before)]
        if mentions(text, self.backstage.app.bot_user_id):
            sent += announcer.message_posted(message, mention_edited=True)
        return [delivery for delivery in sent if delivery is not None]

    async def delete(self, message: Message) -> Delivery | None:
        """Delete a message of one's own. One that has replies leaves a tombstone: Slack says that it has changed."""
        before = self.backstage.announcer.message_json(message)
        if not message.in_thread and len(self.backstage.workspace.thread(message.channel_id, message.ts)) > 1:
            message.subtype, message.user, message.text = "tombstone", "USLACKBOT", "This message was deleted."
            message.blocks = []
            self.backstage.workspace.touched()
            return self.backstage.announcer.message_changed(message, before)
        message.deleted = True
        self.backstage.workspace.touched()
        return self.backstage.announcer.message_deleted(message, before)

    async def react(self, message: Message, name: str) -> Delivery | None:
        """Put an emoji under a message."""
        message.reactions.setdefault(name, []).append(self.id)
        self.backstage.workspace.touched()
        event = {
            "type": "reaction_added",
            "user": self.id,
            "reaction": name,
            "item_user": message.user,
            "item": {"type": "message", "channel": message.channel_id, "ts": message.ts},
            "event_ts": self.backstage.workspace.new_ts(),
        }
        return self.backstage.announcer.announce(event, channel=self.backstage.workspace.channels[message.channel_id])

    def sees(self, channel: Channel | str, thread_ts: str | None = None) -> list[Message]:
        """What this person sees in a channel (or one thread of it), oldest first."""
        return [
            message
            for message in self.backstage.workspace.seen_by(self.id, self._channel(channel).id)
            if thread_ts is None or thread_ts in (message.ts, message.thread_ts)
        ]

    def direct_channel(self) -> Channel:
        """The direct conversation with the bot."""
        return self.backstage.workspace.direct(self.backstage.app.bot_user_id, self.id)

    # -- commands, buttons, views ---------------------------------------------------------------------------------

    async def slash(
        self, command: str, text: str = "", channel: Channel | str | None = None, *, wait: bool = True
    ) -> Delivery:
        """Type a slash command; returns when it was acknowledged or has failed (`delivery.error`)."""
        if self.backstage.app.commands is not None and command not in self.backstage.app.commands:
            raise LookupError(f"the app has no command {command}")
        where = self._channel(channel) if channel is not None else self.direct_channel()
        address = self.address + self.backstage.tickets.new_response_url("commands", self.id, where.id)
        payload = interactions.slash_command(self.backstage, self.user, where, command, text, address)
        return await self._send(DeliveryKind.SLASH, payload, wait)

    async def click(
        self,
        where: Message | View,
        action_id: str,
        value: Any = None,
        *,
        block_id: str | None = None,
        state: Json | None = None,
        wait: bool = True,
    ) -> Delivery:
        """Press a button or choose in a menu of a message or view.

        `value` chooses: an option's value (or a list of them), or that of one of two feedback buttons. `block_id` says
        which element is meant where several blocks have one of this action id; `state` is what the inputs around it
        hold, as for `submit_view`. LookupError when this person does not see the message, or the element is not there.
        """
        if isinstance(where, View):
            element, block_id = interactions.find_element(where.blocks, action_id, block_id)
            payload = interactions.view_action(self.backstage, self.user, where, element, block_id, value, state)
            return await self._send(DeliveryKind.INTERACTIVE, payload, wait)
        if where not in self.sees(where.channel_id):
            raise LookupError(f"{self.user.name} does not see this message")
        element, block_id = interactions.find_element(where.all_blocks, action_id, block_id)
        tickets = self.backstage.tickets
        address = self.address + tickets.new_response_url("actions", self.id, where.channel_id, where)
        payload = interactions.message_action(
            self.backstage, self.user, where, element, block_id, value, address, state
        )
        return await self._send(DeliveryKind.INTERACTIVE, payload, wait)

    def open_view(self) -> View | None:
        """The modal on top of this person's screen."""
        stack = self.backstage.workspace.open_views(self.id)
        return stack[-1] if stack else None

    async def submit_view(self, values: Json | None = None, view: View | None = None, *, wait: bool = True) -> Delivery:
        """Submit a modal (default: the top one) with values by action id, or by block id and then action id."""
        view = view or self._top_view()
        payload = interactions.view_submission(self.backstage, self.user, view, values or {})
        return await self._send(DeliveryKind.INTERACTIVE, payload, wait)

    async def close_view(self, view: View | None = None, *, wait: bool = True) -> Delivery | None:
        """Close a modal; the bot is told when the view has `notify_on_close`."""
        view = view or self._top_view()
        view.closed = True
        self.backstage.workspace.touched()
        if not view.payload.get("notify_on_close"):
            return None
        payload = interactions.view_closed(self.backstage, self.user, view, is_cleared=False)
        return await self._send(DeliveryKind.INTERACTIVE, payload, wait)

    # -- places ---------------------------------------------------------------------------------------------------

    async def open_home(self, tab: str = "home", context: list[Json] | None = None) -> Delivery | None:
        """Open the app: the `home` tab or the `messages` tab."""
        event: Json = {
            "type": "app_home_opened",
            "user": self.id,
            "channel": self.direct_channel().id,
            "tab": tab,
            "event_ts": self.backstage.workspace.new_ts(),
        }
        view = self.backstage.workspace.homes.get(self.id)
        if tab == "home" and view is not None:
            event["view"] = shapes.view_json(view, self.backstage.app, self.user.team_id)
        if context:
            event["context"] = {"entities": context}
        return self.backstage.announcer.announce(event)

    async def look_at(self, channel: Channel | str) -> Delivery | None:
        """Open a channel while the agent's pane is open (`app_context_changed`)."""
        where = self._channel(channel)
        entity = {"type": "slack#/types/channel_id", "value": where.id, "team_id": where.team_id}
        return self.backstage.announcer.announce(
            {
                "type": "app_context_changed",
                "user": self.id,
                "channel": self.direct_channel().id,
                "context": {"entities": [entity]},
                "event_ts": self.backstage.workspace.new_ts(),
            }
        )

    async def start_assistant_thread(self, context: Channel | None = None) -> Delivery | None:
        """Open a thread of the older assistant pane (`assistant_thread_started`)."""
        return self._assistant_event("assistant_thread_started", self.backstage.workspace.new_ts(), context)

    async def change_assistant_context(self, thread_ts: str, context: Channel) -> Delivery | None:
        """Look at another channel beside the older assistant pane."""
        return self._assistant_event("assistant_thread_context_changed", thread_ts, context)

    async def stop_session(self, channel: Channel | str, thread_ts: str) -> Delivery | None:
        """Press the agent's stop button: Slack ends its streams in that thread and tells the bot."""
        where = self._channel(channel)
        stopped = []
        for message in self.backstage.workspace.thread(where.id, thread_ts):
            if message.stream is not None and message.is_streaming:
                message.stream.state = StreamState.STOPPED
                stopped.append(message.ts)
        self.backstage.workspace.touched()
        event = {
            "type": "agent_session_stopped",
            "user": self.id,
            "channel": where.id,
            "thread_ts": thread_ts,
            "streaming_message_ts": stopped,
            "event_ts": self.backstage.workspace.new_ts(),
        }
        return self.backstage.announcer.announce(event, channel=where)

    def session(self, channel: Channel | str, thread_ts: str) -> AgentSession | None:
        """The agent's session in a thread."""
        return self.backstage.workspace.sessions.get((self._channel(channel).id, thread_ts))

    async def join(self, channel: Channel | str, inviter: "Person | None" = None) -> Delivery | None:
        """Join a channel, invited by someone."""
        where = self._channel(channel)
        if self.id not in where.members:
            where.members.append(self.id)
            self.backstage.workspace.touched()
        event = self._membership("member_joined_channel", where)
        return self.backstage.announcer.announce(event | ({"inviter": inviter.id} if inviter else {}), channel=where)

    async def leave(self, channel: Channel | str) -> Delivery | None:
        """Leave a channel."""
        where = self._channel(channel)
        if self.id in where.members:
            where.members.remove(self.id)
            self.backstage.workspace.touched()
        return self.backstage.announcer.announce(self._membership("member_left_channel", where), channel=where)

    # -- inside ---------------------------------------------------------------------------------------------------

    def _membership(self, kind: str, channel: Channel) -> Json:
        return {
            "type": kind,
            "user": self.id,
            "channel": channel.id,
            "channel_type": channel.id[0],
            "team": self.user.team_id,
            "event_ts": self.backstage.workspace.new_ts(),
        }

    def _assistant_event(self, kind: str, thread_ts: str, context: Channel | None) -> Delivery | None:
        seen = {"channel_id": context.id, "team_id": context.team_id} if context else {}
        event = {
            "type": kind,
            "assistant_thread": {
                "user_id": self.id,
                "context": seen,
                "channel_id": self.direct_channel().id,
                "thread_ts": thread_ts,
            },
            "event_ts": self.backstage.workspace.new_ts(),
        }
        return self.backstage.announcer.announce(event)

    def _channel(self, channel: Channel | str) -> Channel:
        if isinstance(channel, Channel):
            return channel
        found = self.backstage.workspace.channel_named(channel)
        if found is None:
            raise LookupError(f"no channel {channel!r}")
        return found

    def _top_view(self) -> View:
        view = self.open_view()
        if view is None:
            raise LookupError(f"{self.user.name} has no modal open")
        return view

    async def _send(self, kind: DeliveryKind, payload: Json, wait: bool) -> Delivery:
        delivery = self.courier.dispatch(Delivery(kind, payload, self.backstage.clock.now()))
        if wait:
            await delivery.settled()
        return delivery
