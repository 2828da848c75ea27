"""Everything that the listeners and the server need, put together once."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace

from slack_sdk.web.async_client import AsyncWebClient

from bot.administering import Administering
from bot.admins_channel import AdminsChannel
from bot.aftercare import Aftercare
from bot.alerting import Alerting
from bot.answering import Answering
from bot.asking_again import AskingAgain
from bot.asking_people import AskingPeople
from bot.audience import Audiences
from bot.auditing import Auditor
from bot.background import Background
from bot.chores import Chore, Chores
from bot.delivery import Delivery
from bot.destinations import Destinations
from bot.earlier_answers import EarlierAnswers
from bot.evidence_opening import EvidenceOpening
from bot.first_signs import FirstSigns
from bot.gaps import GapsDigest, GapsListing
from bot.gate import Gate
from bot.history import ThreadReader
from bot.home import Home
from bot.home_lookups import HomeLookups, glance_at_gaps
from bot.identity import Directory, GroupsSource
from bot.incoming import Surface
from bot.languages import Languages
from bot.ledger import Ledger
from bot.living import Living
from bot.metrics import Metrics
from bot.place_setting import PlaceSetting
from bot.places import Places
from bot.placing import PlacedAdder, PlacedAsker
from bot.ports import Adder, Asker, Desk, Recorder, Reindexer, Suggester
from bot.private_orders import PrivateOrders
from bot.rating import Rating
from bot.reindexing import Reindexing
from bot.reporting_status import ReportingStatus
from bot.rewording import AnsweringAgain, OfferingAgain
from bot.sessions import SessionNames
from bot.sharing import Sharing
from bot.showing import Showing
from bot.slack_client import close_client
from bot.slack_groups import SlackGroups
from bot.stopping import Stops
from bot.streaming_support import StreamingSupport
from bot.suggested_answers import SuggestedAnswers
from bot.suggesting import Suggesting
from bot.tenancy import BotIdentity, Tenancy, who_am_i
from bot.withdrawing import Withdrawing
from bot.worker import Handler, Worker
from core.settings import Settings
from core.store.events import EventStore
from core.store.feedback import FeedbackStore

LIVING_SECONDS = 60.0
"""Pause between two looks for answers whose sources have changed."""
ALERT_SECONDS = 600.0
"""Pause between two looks for what admins should know."""


@dataclass(frozen=True, slots=True)
class Services:
    """The parts of a running bot."""

    settings: Settings
    client: AsyncWebClient
    me: BotIdentity
    tenancy: Tenancy
    directory: Directory
    audiences: Audiences
    delivery: Delivery
    ledger: Ledger
    worker: Worker
    metrics: Metrics
    stops: Stops
    home: Home
    first_signs: FirstSigns
    places: Places | None = None
    suggesting: Suggesting | None = None
    background: Background = field(default_factory=Background)
    listening: list[int] = field(default_factory=list)
    """The ports that the HTTP server listens on, once it does (with port 0 in settings the system chooses)."""
    evidence: EvidenceOpening | None = None
    rating: Rating | None = None
    place_setting: PlaceSetting | None = None
    living: Living | None = None
    asking_people: AskingPeople | None = None
    suggested_answers: SuggestedAnswers | None = None
    lists_gaps: bool = False
    """Whether `/rag-gaps` is heard."""
    chores: Chores = field(default_factory=lambda: Chores(()))

    async def close(self) -> None:
        """Let go of tasks, threads and connections."""
        await self.first_signs.close()
        await self.background.close()
        await close_client(self.client)
        self.ledger.close()
        if self.places is not None:
            self.places.close()


async def build_services(
    settings: Settings,
    client: AsyncWebClient,
    *,
    asker: Asker,
    reindexer: Reindexer,
    store: EventStore,
    groups: GroupsSource,
    hosts: Collection[str] = (),
    clock: Callable[[], float] = time.time,
    gate: Gate | None = None,
    adder: Adder | None = None,
    recorder: Recorder | None = None,
    desk: Desk | None = None,
    places: Places | None = None,
    suggester: Suggester | None = None,
    lookups: HomeLookups | None = None,
    feedback: FeedbackStore | None = None,
    aftercare: Aftercare | None = None,
) -> Services:
    """Ask Slack who the bot is, and put its parts together. They own the client from here on.

    `hosts` are those whose addresses may be links in answers (those of the sources). Without a `gate` there are no
    limits, without an `adder` no private additions, without a `recorder` no audit record, and without a `desk` neither
    sharing, opening evidence nor `/rag-revoke` and `/rag-why`; without `feedback` no verdict is kept. Without `places`
    nothing is set for channels, edits and deletions are not heard, and threads are followed by mentions alone; without
    a `suggester` nothing is suggested; without `aftercare` nothing is done after an answer.
    Without `lookups` the home tab is the help alone, and there is no status.

    Raises:
        SlackError: Slack cannot be reached, or does not take the bot token. The client is closed then.
    """
    try:
        me = await who_am_i(client)
    except BaseException:
        await close_client(client)
        raise
    tenancy = Tenancy(settings, me)
    metrics = Metrics()
    ledger = Ledger(store)
    if lookups is not None and aftercare is not None and aftercare.gaps is not None and settings.gaps:
        lookups = replace(lookups, gaps=glance_at_gaps(aftercare.gaps, settings, clock))
    languages = Languages(lookups.people) if lookups is not None else None
    directory = Directory(client, tenancy, groups, clock, SlackGroups(client, clock), languages)
    auditor = Auditor(recorder)
    audiences = Audiences(client, directory, tenancy, me, settings, clock)
    support = StreamingSupport()
    signs = FirstSigns(client, support, directory, tenancy)
    delivery = Delivery(client, ledger, support, signs)
    stops = Stops(ledger)
    background = Background()
    if places is not None:
        names = SessionNames(client, background)
        asker = PlacedAsker(asker, places, ThreadReader(client, me.user_id, clock), names)
        adder = PlacedAdder(adder, places) if adder is not None else None
    showing = Showing(aftercare.shown if aftercare is not None else None, audiences)
    answering = Answering(
        settings,
        asker,
        tenancy,
        directory,
        audiences,
        delivery,
        metrics,
        hosts,
        clock,
        gate=gate,
        adder=adder,
        auditor=auditor,
        stops=stops,
        showing=showing,
    )
    handlers: dict[Surface, Handler] = {
        Surface.MENTION: answering,
        Surface.DIRECT: answering,
        Surface.COMMAND: answering,
    }
    runs = lookups.sync_runs if lookups is not None else None
    reindexing = Reindexing(settings, reindexer, tenancy, directory, delivery, metrics, clock, auditor, runs)
    handlers[Surface.REINDEX] = handlers[Surface.REMOVALS] = reindexing
    if lookups is not None:
        handlers[Surface.STATUS] = PrivateOrders(
            directory, delivery, ReportingStatus(settings, lookups, tenancy, directory).told
        )
        handlers[Surface.ASKED_AGAIN] = AskingAgain(
            client, answering, tenancy, directory, lookups.conversations, delivery, ledger
        )
    home = Home(client, settings, lookups, languages, tenancy, directory, auditor, clock)
    evidence, rating = None, None
    if desk is not None:
        administering = Administering(settings, desk, tenancy, directory, auditor)
        handlers[Surface.REVOKE] = handlers[Surface.WHY] = PrivateOrders(directory, delivery, administering.done)
        handlers[Surface.SHARE] = Sharing(desk, tenancy, directory, audiences, delivery, auditor, hosts, clock, showing)
        evidence = EvidenceOpening(client, desk, tenancy, directory, auditor, hosts, clock)
        if feedback is not None:
            rating = Rating(client, desk, feedback, tenancy, directory, settings.question_days)
    if places is not None:
        answers = EarlierAnswers(client)
        handlers[Surface.EDITED] = OfferingAgain(tenancy, directory, places, delivery)
        handlers[Surface.AGAIN] = AnsweringAgain(answering, tenancy, directory, places, delivery, answers)
        handlers[Surface.DELETED] = Withdrawing(tenancy, directory, places, ledger, answers)
    place_setting = None
    if places is not None:
        place_setting = PlaceSetting(client, settings, places, tenancy, directory, auditor, lookups)
    suggesting = Suggesting(client, directory, tenancy, suggester) if suggester is not None else None
    living, asking, suggested = None, None, None
    chores: list[Chore] = []
    if aftercare is not None:
        living = Living(
            settings,
            client,
            aftercare.living_desk,
            aftercare.living_store,
            aftercare.shown,
            directory,
            audiences,
            clock,
        )
        channel = AdminsChannel(settings, client, audiences, aftercare.told, clock)
        chores.append(Chore("telling what became of answers", LIVING_SECONDS, living.round))
        asking = AskingPeople(
            client,
            aftercare.runs,
            aftercare.questions,
            aftercare.handed,
            Destinations(settings, client, aftercare.nearest, directory, audiences),
            tenancy,
            directory,
            delivery,
            ledger,
            auditor,
            gate,
        )
        handlers[Surface.ASK_PERSON] = asking
        suggested = SuggestedAnswers(client, me, aftercare.handed, tenancy, directory, audiences, auditor, clock)
        if aftercare.watch is not None:
            alerting = Alerting(channel, aftercare.watch, aftercare.links, aftercare.link_checker, clock)
            chores.append(Chore("looking for what is wrong", ALERT_SECONDS, alerting.round))
            chores.append(Chore("asking the links of documents", ALERT_SECONDS, alerting.check_links))
        if aftercare.gaps is not None:
            digest = GapsDigest(settings, aftercare.gaps, channel, hosts, clock)
            chores.append(Chore("posting the digest of gaps", ALERT_SECONDS, digest.round))
            listing = GapsListing(settings, aftercare.gaps, tenancy, directory, auditor, hosts, clock)
            handlers[Surface.GAPS] = PrivateOrders(directory, delivery, listing.told)
    worker = Worker(ledger, handlers, at_once=settings.workers, lease_seconds=settings.lease_seconds)
    return Services(
        settings,
        client,
        me,
        tenancy,
        directory,
        audiences,
        delivery,
        ledger,
        worker,
        metrics,
        stops,
        home,
        signs,
        places,
        suggesting,
        background,
        evidence=evidence,
        rating=rating,
        place_setting=place_setting,
        living=living,
        lists_gaps=Surface.GAPS in handlers,
        chores=Chores(chores),
        asking_people=asking,
        suggested_answers=suggested,
    )
