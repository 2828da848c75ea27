"""`/rag-reindex`: an admin has the exports read again, and watches it in one message; and lets go what a guard held."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence

from sqlalchemy.exc import SQLAlchemyError

from bot.auditing import Auditor
from bot.delivery import Delivery
from bot.failures import log_failure, new_code
from bot.identity import Directory, Person, Standing
from bot.incoming import Incoming, Surface
from bot.metrics import Metrics
from bot.ports import Reindexer, closing
from bot.reindex_order import ReindexOrder, UnknownSourceError, parse_order
from bot.rendering import (
    ErrorKind,
    Message,
    render_error,
    render_progress,
    render_summary,
    sentence,
)
from bot.rendering.help import REINDEX_COMMAND
from bot.reply import Reply
from bot.tenancy import Tenancy
from bot.words import Words
from core.domain.access import Principal, fold_name
from core.domain.auditing import AuditKind
from core.domain.syncing import SyncFinished, SyncProgress, SyncStarted
from core.errors import BusyError, SettingsError, SlackError, StorageError
from core.settings import Settings
from core.store.events import ClaimedEvent
from core.store.sync_runs import SyncRunStore

EDIT_SECONDS = 3.0
"""Least time between two edits of the progress: Slack takes some fifty a minute in all."""


class Reindexing:
    """Carries out one claimed order to read the exports again."""

    def __init__(
        self,
        settings: Settings,
        reindexer: Reindexer,
        tenancy: Tenancy,
        directory: Directory,
        delivery: Delivery,
        metrics: Metrics,
        clock: Callable[[], float] = time.monotonic,
        auditor: Auditor | None = None,
        runs: SyncRunStore | None = None,
    ) -> None:
        """Without the record of `runs`, what a guard held back can be let go in the terminal alone."""
        self._settings = settings
        self._reindexer = reindexer
        self._tenancy = tenancy
        self._directory = directory
        self._delivery = delivery
        self._metrics = metrics
        self._clock = clock
        self._auditor = auditor or Auditor()
        self._runs = runs

    async def handle(self, event: ClaimedEvent, incoming: Incoming) -> None:
        """Check that the person is an admin now, then read, then tell.

        Raises:
            SlackError: nothing could be shown to the person.
        """
        if event.attempts > 1 and (await self._delivery.direct(event, incoming)).is_finished:
            return
        private = await self._delivery.private(event, incoming)
        tenant_id = self._tenancy.tenant_of(incoming.team_id, incoming.enterprise_id)
        if tenant_id is None:
            await private.finish([sentence(Words(None).error_settings())])
            return
        try:
            person = await self._directory.person(incoming.user_id, tenant_id)
        except (SlackError, SettingsError) as error:
            code = new_code()
            log_failure(event.id, error, code)
            words = Words(await self._directory.locale(incoming.user_id))
            await private.finish([render_error(ErrorKind.PERMISSION_CHECK, code, words)])
            return
        words = Words(person.locale)
        try:
            order = await self._ordered(incoming, tenant_id, person, words)
        except (StorageError, SQLAlchemyError) as error:  # what cannot be looked up or recorded is not done
            code = new_code()
            log_failure(event.id, error, code)
            await private.finish([render_error(ErrorKind.INDEX, code, words)])
            return
        if isinstance(order, Message):
            await private.finish([order])
            return
        if event.attempts == 1 and not incoming.channel_id.startswith("D"):
            await private.finish([sentence(words.reindex_started())])  # the rest is in the direct messages
        await self._read(event, incoming, person, order, words)

    async def give_up(self, event: ClaimedEvent, incoming: Incoming) -> None:
        """Tell the person that no attempt came to an end.

        Raises:
            SlackError: the person cannot be told either.
        """
        code = new_code()
        log_failure(event.id, RuntimeError("too many attempts"), code)
        words = Words(await self._directory.locale(incoming.user_id))
        reply = await self._delivery.direct(event, incoming)
        await reply.finish([render_error(ErrorKind.UNEXPECTED, code, words)])

    async def _ordered(
        self, incoming: Incoming, tenant_id: str, person: Person, words: Words
    ) -> ReindexOrder | Message:
        """What is to be done, recorded; or what the person is told instead.

        Raises:
            StorageError, SQLAlchemyError: it cannot be recorded, or looked up.
        """
        action = "reindex" if incoming.surface is Surface.REINDEX else "confirm_removals"
        if not is_admin(person, self._settings):
            await self._auditor.note(AuditKind.DENIED, tenant_id, incoming, action=action)
            self._count("denied")
            return render_error(ErrorKind.NOT_ALLOWED, "", words)
        order = await self._meant(incoming, words)
        facts: dict[str, object] = {"action": action, "source": ""}
        if isinstance(order, ReindexOrder):
            facts |= {"source": order.source or "", "full": order.full, "dry_run": order.dry_run}
            if order.agreed_removals:
                facts["removals"] = order.agreed_removals
        await self._auditor.note(AuditKind.ADMIN, tenant_id, incoming, **facts)
        return order

    async def _meant(self, incoming: Incoming, words: Words) -> ReindexOrder | Message:
        if incoming.surface is Surface.REMOVALS:
            return await self._let_go(incoming.text) or sentence(words.removals_over())
        known = [each.name for each in self._settings.sources]
        try:
            order = parse_order(incoming.text, known)
        except UnknownSourceError as error:
            self._count("unknown_source")
            return sentence(words.reindex_unknown_source(error.name, known))
        return order or sentence(words.reindex_usage(REINDEX_COMMAND))

    async def _let_go(self, run_id: str) -> ReindexOrder | None:
        """The order to let go what a run held back, if that is the last of its source, and held back still."""
        if self._runs is None:
            return None
        latest = await asyncio.to_thread(self._runs.latest)
        run = next((each for each in latest.values() if str(each.id) == run_id), None)
        known = {each.name for each in self._settings.sources}
        if run is None or not run.awaiting or run.source not in known:
            return None
        return ReindexOrder(run.source, agreed_removals=run.awaiting)

    async def _read(
        self, event: ClaimedEvent, incoming: Incoming, person: Person, order: ReindexOrder, words: Words
    ) -> None:
        reply = await self._delivery.direct(event, incoming)
        if reply.is_finished:
            return
        finished: list[SyncFinished] = []
        try:
            await self._watch(order, person, reply, words, finished)
            held = {} if order.dry_run else await self._held(finished)
        except BusyError as error:
            self._count("busy")
            who = f" ({error.asked_by})" if error.asked_by else ""
            await reply.finish([sentence(f"{words.reindex_running(error.since)}{who}")])
        except Exception as error:
            self._count("failed")
            code = new_code()
            log_failure(event.id, error, code)
            ended = [render_summary(finished, words, completed=False)] if finished else []
            told = words.error_code(code) if finished else f"{words.reindex_failed()} {words.error_code(code)}"
            await reply.finish([*ended, sentence(told)])
        else:
            self._count("planned" if order.dry_run else "done")
            await reply.finish([render_summary(finished, words, held=held)])

    async def _held(self, finished: Sequence[SyncFinished]) -> Mapping[str, int]:
        """The runs that held something back which a person's word would let go, by source."""
        if self._runs is None or not any(each.awaiting for each in finished):
            return {}
        latest = await asyncio.to_thread(self._runs.latest)
        return {source: run.id for source, run in latest.items() if run.awaiting}

    async def _watch(
        self, order: ReindexOrder, person: Person, reply: Reply, words: Words, finished: list[SyncFinished]
    ) -> None:
        """Read, and show how far it is; what has ended is added to `finished`."""
        progress: dict[str, SyncProgress] = {}
        edited = -EDIT_SECONDS
        steps = self._reindexer.reindex(
            order.source,
            person.reader.email,
            full=order.full,
            dry_run=order.dry_run,
            agreed_removals=order.agreed_removals,
        )
        async with closing(steps) as watched:
            async for step in watched:
                match step:
                    case SyncStarted():
                        progress[step.source] = SyncProgress(step.source, 0, None)
                    case SyncProgress():
                        progress[step.source] = step
                    case SyncFinished():
                        progress[step.source] = SyncProgress(step.source, step.counts.total, step.counts.total)
                        finished.append(step)
                now = self._clock()
                if now - edited >= EDIT_SECONDS:
                    edited = now
                    await reply.progress(render_progress(list(progress.values()), words))

    def _count(self, outcome: str) -> None:
        self._metrics.sync_runs.labels(outcome).inc()


def is_admin(person: Person, settings: Settings) -> bool:
    """Whether settings, the people file or, where settings say so, Slack makes this person an admin; never a guest."""
    if person.standing is not Standing.MEMBER:
        return False
    if person.is_listed_admin or (settings.admin_slack and person.is_slack_admin):
        return True
    named = {fold_name(address) for address in settings.admin_users}
    groups = {Principal.group(group) for group in settings.admin_groups}
    return fold_name(person.reader.email) in named or not groups.isdisjoint(person.reader.principals)
