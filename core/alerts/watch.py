"""Compare what is with what was, and with what should be."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from core.alerts.alert import Alert, AlertKind, SourceFact
from core.store.alerts import AlertStore, Quality
from core.store.sync_runs import SyncRun, SyncRunStore
from core.store.sync_schedule import SyncScheduleStore

MANY = 10
"""Changed documents of one sync below which their share says nothing."""
DAY = dt.timedelta(days=1)
_BROKEN = frozenset({"failed", "held_back", "interrupted"})
_EPSILON = 1e-9


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From when on something is an alert; see the settings of the same names."""

    period: dt.timedelta = DAY
    least: int = 20
    coverage_fall: float = 0.1
    abstention_rise: float = 0.15
    changed_share: float = 0.3
    late: dt.timedelta = dt.timedelta(hours=6)
    cited_days: int = 30


class AlertWatch:
    """Finds what is wrong in one tenant. Only reads."""

    def __init__(
        self,
        tenant_id: str,
        sources: Collection[str],
        store: AlertStore,
        syncs: SyncRunStore,
        schedule: SyncScheduleStore,
        thresholds: Thresholds,
    ) -> None:
        self._tenant_id = tenant_id
        self._sources = frozenset(sources)
        self._store = store
        self._syncs = syncs
        self._schedule = schedule
        self._thresholds = thresholds

    def alerts(self, now: dt.datetime) -> tuple[Alert, ...]:
        """All that is wrong now, at most one alert of a kind."""
        period = self._thresholds.period
        newer = self._store.quality(self._tenant_id, (now - period).timestamp(), now.timestamp())
        older = self._store.quality(self._tenant_id, (now - 2 * period).timestamp(), (now - period).timestamp())
        latest = {source: run for source, run in self._syncs.latest().items() if source in self._sources}
        since = now - dt.timedelta(days=self._thresholds.cited_days)
        documents, answers = self._store.cited_though_hidden(self._tenant_id, since.timestamp())
        found = [
            quality_fell(older, newer, self._thresholds),
            abstentions_rose(older, newer, self._thresholds),
            many_changed(latest, now, self._thresholds.changed_share),
            syncs_failed(latest),
            self._late(now),
            Alert(AlertKind.HIDDEN_CITED, count=documents, total=answers) if answers else None,
        ]
        return tuple(alert for alert in found if alert is not None)

    def _late(self, now: dt.datetime) -> Alert | None:
        before = now - self._thresholds.late
        late = [
            SourceFact(due.source, since=dt.datetime.fromtimestamp(due.due_at, dt.UTC))
            for source in sorted(self._sources)
            if (due := self._schedule.due(source)) is not None and due.due_at < before.timestamp()
        ]
        return Alert(AlertKind.LATE, sources=tuple(late)) if late else None


def quality_fell(before: Quality, now: Quality, thresholds: Thresholds) -> Alert | None:
    """Whether fewer of the drafted claims are proved than in the period before."""
    enough = min(before.claims + before.dropped, now.claims + now.dropped) >= thresholds.least
    if not enough or before.coverage - now.coverage < thresholds.coverage_fall - _EPSILON:
        return None
    return Alert(AlertKind.COVERAGE, before.coverage, now.coverage, now.dropped, now.claims + now.dropped)


def abstentions_rose(before: Quality, now: Quality, thresholds: Thresholds) -> Alert | None:
    """Whether more questions end without an answer than in the period before."""
    enough = min(before.questions, now.questions) >= thresholds.least
    if not enough or now.abstention - before.abstention < thresholds.abstention_rise - _EPSILON:
        return None
    return Alert(AlertKind.ABSTENTIONS, before.abstention, now.abstention, now.abstained, now.questions)


def many_changed(latest: Mapping[str, SyncRun], now: dt.datetime, share: float) -> Alert | None:
    """Whether the last sync of a source, of this day, changed a large share of the documents that it knew."""
    young = (now - DAY).timestamp()
    found = []
    for source, run in sorted(latest.items()):
        changed = run.counts.get("changed", 0)
        known = sum(run.counts.values()) - run.counts.get("added", 0)
        if run.started_at >= young and changed >= MANY and changed >= share * known:
            found.append(SourceFact(source, changed, known))
    return Alert(AlertKind.CHANGES, sources=tuple(found)) if found else None


def syncs_failed(latest: Mapping[str, SyncRun]) -> Alert | None:
    """Whether the last sync of a source did not end well."""
    found = tuple(
        SourceFact(source, since=dt.datetime.fromtimestamp(run.started_at, dt.UTC))
        for source, run in sorted(latest.items())
        if run.state in _BROKEN
    )
    return Alert(AlertKind.FAILED, sources=found) if found else None
