"""The stand-in itself: a Slack on loopback that a real SDK and a real Bolt app cannot tell from the true one."""

from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar

from aiohttp import web

from bot.standin.announcer import Announcer
from bot.standin.api import Backstage, Settings
from bot.standin.app_config import AppConfig
from bot.standin.clock import Clock, SystemClock
from bot.standin.courier import RETRY_DELAYS, Courier
from bot.standin.delivery import Delivery
from bot.standin.faults import Faults
from bot.standin.happenings import Happenings
from bot.standin.hooks import Hooks
from bot.standin.http_delivery import HttpTransport
from bot.standin.model import Channel, ChannelKind, Message, Team, View
from bot.standin.person import Person
from bot.standin.problems import Violation
from bot.standin.rendering import visible_text
from bot.standin.socket_mode import SocketModeServer
from bot.standin.tickets import Tickets
from bot.standin.waiting import Watch
from bot.standin.web_api import ApiCall, WebApi
from bot.standin.workspace import Workspace

T = TypeVar("T")

MAX_BODY = 4 * 1024 * 1024


class SlackStandIn:
    """A workspace with its servers. Use it as an async context manager; it listens on 127.0.0.1 only.

    `ack_seconds` is how long Slack waits for an acknowledgement, `retry_delays` when it repeats an event; both in
    seconds of `clock`. The bot also gets the events of its own messages, as from Slack.
    """

    def __init__(
        self,
        app: AppConfig | None = None,
        *,
        clock: Clock | None = None,
        ack_seconds: float = 3.0,
        retry_delays: tuple[float, ...] = RETRY_DELAYS,
        settings: Settings | None = None,
        team_name: str = "Brisa Logistics",
        port: int = 0,
    ) -> None:
        self.app = app or AppConfig()
        self.clock: Clock = clock or SystemClock()
        self.faults = Faults()
        self.settings = settings or Settings()
        self._ack_seconds = ack_seconds
        self._port = port
        self._watch = Watch()
        self.workspace = Workspace(self.clock, self._watch.changed)
        self.workspace.add_team(team_name)
        self.courier = Courier(
            self.clock,
            self.faults,
            retry_delays=retry_delays,
            on_change=self._watch.changed,
            on_settled=lambda delivery: self._hooks.settled(delivery),
        )
        self.sockets = SocketModeServer(self.app, self.clock, ack_seconds=ack_seconds, on_change=self._watch.changed)
        self.courier.transport = self.sockets
        announcer = Announcer(self.workspace, self.app, self.clock, self.courier.dispatch)
        self._backstage = Backstage(
            self.workspace, self.app, self.clock, Tickets(self.clock), announcer, self.sockets, self.settings
        )
        self.web_api = WebApi(self._backstage, self.faults, on_change=self._watch.changed)
        self._hooks = Hooks(self._backstage, self.web_api)
        self.happens = Happenings(self._backstage)
        self._runner: web.AppRunner | None = None
        self._http: HttpTransport | None = None
        self._add_bot_user()

    # -- starting and stopping ------------------------------------------------------------------------------------

    async def __aenter__(self) -> "SlackStandIn":
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    async def start(self) -> None:
        """Listen on a free port of 127.0.0.1 (or the one given)."""
        server = web.Application(client_max_size=MAX_BODY)
        server.router.add_route("*", "/api/{method}", self.web_api.handle)
        server.router.add_post("/hooks/{rest:.*}", self._hooks.handle)
        server.router.add_get("/link", self.sockets.accept)
        self._runner = web.AppRunner(server, access_log=None, shutdown_timeout=1.0)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port)
        await site.start()
        self._port = int(self._runner.addresses[0][1])
        self._backstage.socket_address = f"ws://127.0.0.1:{self._port}/link"

    async def stop(self) -> None:
        """Close everything; requests that hang are cut."""
        self.faults.clear()
        await self.courier.close()
        await self.sockets.close()
        if self._http is not None:
            await self._http.close()
        if self._runner is not None:
            await self._runner.cleanup()

    @property
    def base_url(self) -> str:
        """What `AsyncWebClient(base_url=…)` takes."""
        return f"http://127.0.0.1:{self._port}/api/"

    async def deliver_over_http(self, url: str, *, verify: bool = True) -> None:
        """From now on send everything to a URL of the bot, signed, instead of through websockets."""
        if self._http is not None:
            await self._http.close()
        self._http = HttpTransport(self.app, url, self.clock, ack_seconds=self._ack_seconds)
        self.courier.transport = self._http
        if verify and not await self._http.verify_url():
            raise ConnectionError(f"{url} did not answer the url_verification challenge")

    # -- who and where --------------------------------------------------------------------------------------------

    @property
    def mention(self) -> str:
        """How people mention the bot."""
        return f"<@{self.app.bot_user_id}>"

    def person(self, name: str, *, team: Team | None = None, **facts: Any) -> Person:
        """Find the person of that name, or add one; `facts` are fields of `User` (`email=`, `is_restricted=`…)."""
        user = next((user for user in self.workspace.users.values() if user.name == name), None)
        if user is None:
            user = self.workspace.add_user(name, team=team, **facts)
        return Person(user, self._backstage, self.courier, f"http://127.0.0.1:{self._port}/hooks")

    def other_bot(self, name: str) -> Person:
        """Add another app's bot, which can post."""
        return self.person(name, is_bot=True, bot_id=self.workspace.new_id("B"), app_id=self.workspace.new_id("A"))

    def channel(
        self,
        name: str,
        *members: Person,
        private: bool = False,
        with_bot: bool = True,
        **facts: Any,
    ) -> Channel:
        """Add a channel with these people, and the bot in it; `facts` are fields of `Channel`."""
        ids = [person.id for person in members] + ([self.app.bot_user_id] if with_bot else [])
        kind = ChannelKind.PRIVATE if private else ChannelKind.PUBLIC
        return self.workspace.add_channel(name, ids, kind=kind, **facts)

    def group_dm(self, *members: Person) -> Channel:
        """Open a direct conversation of several people and the bot."""
        return self.workspace.direct(self.app.bot_user_id, *(person.id for person in members))

    # -- what was seen --------------------------------------------------------------------------------------------

    @property
    def violations(self) -> list[Violation]:
        """Every request of the bot so far that breaks what Slack documents."""
        return self.web_api.violations

    @property
    def calls(self) -> list[ApiCall]:
        """Every Web API request of the bot so far, oldest first."""
        return self.web_api.calls

    def calls_of(self, method: str) -> list[ApiCall]:
        """The requests of one method."""
        return [call for call in self.calls if call.method == method]

    @property
    def scopes_used(self) -> frozenset[str]:
        """The bot scopes that the calls so far needed."""
        return frozenset(scope for call in self.calls for scope in call.scopes) - self.app.app_scopes

    @property
    def deliveries(self) -> list[Delivery]:
        """Everything that was sent to the bot, oldest first."""
        return self.courier.deliveries

    def deliveries_of(self, message: Message) -> list[Delivery]:
        """The events that told of a message: its `message`, and `app_mention` if there was one."""
        return [
            delivery
            for delivery in self.deliveries
            if (delivery.event.get("channel"), delivery.event.get("ts")) == (message.channel_id, message.ts)
        ]

    def bot_messages(self, channel: Channel, thread_ts: str | None = None) -> list[Message]:
        """The bot's messages in a channel (or one thread), ephemeral ones included, oldest first."""
        return [
            message
            for message in channel.messages
            if message.bot_id == self.app.bot_id
            and not message.deleted
            and (thread_ts is None or message.thread_ts == thread_ts)
        ]

    # -- waiting --------------------------------------------------------------------------------------------------

    def subscribe(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` after every change (the playground redraws then); returns what ends that."""
        return self._watch.subscribe(listener)

    async def wait_until(self, probe: Callable[[], T | None], within: float = 5.0) -> T:
        """Return the first result of `probe` that is neither None nor False; it runs again after each change."""
        return await self._watch.until(probe, within=within, otherwise=self._describe)

    async def wait_for_message(
        self,
        channel: Channel,
        predicate: Callable[[Message], bool] | str = "",
        within: float = 5.0,
        *,
        thread_ts: str | None = None,
        seen_by: Person | None = None,
        finished: bool = True,
    ) -> Message:
        """Return the first message of the bot in a channel that fits.

        `predicate` is a function or a part of the visible text. With `seen_by` ephemeral messages to others do not
        count; a stream counts only once it has ended, unless `finished` is False.
        """

        def fits(message: Message) -> bool:
            if finished and message.is_streaming:
                return False
            if seen_by is not None and message.ephemeral_to not in (None, seen_by.id):
                return False
            return predicate in visible_text(message) if isinstance(predicate, str) else predicate(message)

        return await self.wait_until(lambda: next(filter(fits, self.bot_messages(channel, thread_ts)), None), within)

    async def wait_for_view(self, person: Person, predicate: Callable[[View], bool] | None = None) -> View:
        """Return the modal on top of a person's screen, once there is one that fits."""

        def top() -> View | None:
            view = person.open_view()
            return view if view is not None and (predicate is None or predicate(view)) else None

        return await self.wait_until(top)

    async def wait_for_call(self, method: str, within: float = 5.0, *, count: int = 1) -> ApiCall:
        """Return the bot's call number `count` of a method."""

        def nth() -> ApiCall | None:
            calls = self.calls_of(method)
            return calls[count - 1] if len(calls) >= count else None

        return await self.wait_until(nth, within)

    async def wait_for_sockets(self, count: int = 1, within: float = 5.0) -> None:
        """Return once the bot has so many websockets open."""
        await self.wait_until(lambda: len(self.sockets.sockets) >= count, within)

    async def settled(self, within: float = 5.0) -> None:
        """Return once nothing is on its way to the bot any more."""
        await self.wait_until(lambda: self.courier.under_way == 0, within)

    # -- inside ---------------------------------------------------------------------------------------------------

    def _add_bot_user(self) -> None:
        self.workspace.add_user(
            self.app.name,
            user_id=self.app.bot_user_id,
            is_bot=True,
            bot_id=self.app.bot_id,
            app_id=self.app.app_id,
        )

    def _describe(self) -> str:
        said = [
            f"#{channel.name}: {visible_text(message)[:120]!r}"
            for channel in self.workspace.channels.values()
            for message in self.bot_messages(channel)
        ]
        calls = [f"{call.method} {'ok' if call.ok else call.answer.get('error')}" for call in self.calls[-8:]]
        breaches = [str(violation) for violation in self.violations[-5:]]
        return f"The bot said {said[-8:]}; its last calls: {calls}; violations: {breaches}"
