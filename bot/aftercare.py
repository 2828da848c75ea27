"""What is done after answers: what the bot needs of `core` for it, put together once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.alerts.links import Link, LinkChecker
from core.alerts.watch import AlertWatch
from core.gaps import Gaps, NearestDocuments
from core.living import LivingDesk
from core.store.alerts import ToldStore
from core.store.gaps import GapStore, HandedOnStore
from core.store.living import LivingStore
from core.store.runs import RunStore
from core.store.shown import ShownStore


@dataclass(frozen=True, slots=True)
class Aftercare:
    """The stores and desks behind what follows an answer."""

    shown: ShownStore
    living_store: LivingStore
    living_desk: LivingDesk
    told: ToldStore
    runs: RunStore
    questions: GapStore
    handed: HandedOnStore
    nearest: NearestDocuments
    gaps: Gaps | None = None
    watch: AlertWatch | None = None
    links: Callable[[int], Sequence[Link]] | None = None
    """The links of what is served; the day's number says where to begin."""
    link_checker: LinkChecker | None = None
