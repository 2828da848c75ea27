"""How soon the bot hears and shows it, and whether every question is answered exactly once, whatever happens meanwhile.

    make bench NAME=slack            some minutes on two idle cores
    FULL=1 make bench NAME=slack     1,000 questions with 20 kills, 50 dropped websockets

`testigo serve` (the sample company, answers by the documents' own sentences) in a process of its own, against the
Slack stand-in in this one. Four parts: 50 questions in flight; bursts with duplicates, lost events, reordering and the
process killed among them; the websocket dropped during answers; most calls refused with 429. The last line is JSON.

`ack_ms_*`: from the sending of the event to its acknowledgement; `first_status_ms_*`: from the question to the first
status, stream or message. `harness_lag_ms_p99` is how late this process's own loop runs, which both of them contain.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from bot.standin import Message
from bot.standin.rendering import block_text
from tests.benchmarks.slack_company import ANSWER_SECONDS, Company, build_index, company, read_questions

FULL = os.environ.get("FULL", "") not in {"", "0"}
IN_FLIGHT = 50
TIMED = int(os.environ.get("TIMED", "400"))
BURSTS = int(os.environ.get("BURSTS", 1_000 if FULL else 300))
KILLS = int(os.environ.get("KILLS", 20 if FULL else 6))
BURST = (10, 40)
DROPS = int(os.environ.get("DROPS", 50 if FULL else 15))
LAG_SECONDS = 0.02

Part = Callable[[Company], Awaitable[dict[str, object]]]

console = Console(file=sys.stdout, width=120)


@dataclass(frozen=True, slots=True)
class Counted:
    """How often questions were answered."""

    asked: int
    once: int
    twice: int
    lost: int
    unfinished: int


def main() -> None:
    """Run all of it."""
    build_index()
    figures: dict[str, object] = {"full": FULL, "load_before": round(os.getloadavg()[0], 1)}
    parts: dict[str, Part] = {
        "timing": _timing, "bursts": _bursts, "drops": _drops, "rate_limits": _rate_limits,
    }  # fmt: skip
    wanted = os.environ.get("PARTS", ",".join(parts)).split(",")
    for name in wanted:
        begun = time.perf_counter()
        with tempfile.TemporaryDirectory(prefix="bench-slack-") as folder:
            figures |= _added(figures, asyncio.run(_run(parts[name], Path(folder))))
        print(f"... {name} took {time.perf_counter() - begun:.0f} s", file=sys.stderr, flush=True)
    figures["load_after"] = round(os.getloadavg()[0], 1)
    table = Table("figure", "value")
    for key, value in figures.items():
        table.add_row(key, str(value))
    console.print(table)
    print(json.dumps(figures))


def _added(figures: dict[str, object], part: dict[str, object]) -> dict[str, object]:
    """The figures of a part; what Slack documents otherwise is counted over all parts."""
    return part | {"violations": int(str(figures.get("violations", 0))) + int(str(part["violations"]))}


async def _run(part: Part, folder: Path) -> dict[str, object]:
    async with company(folder) as at_work:
        result = await part(at_work)
        return result | {"violations": len(at_work.slack.violations)}


async def _timing(at_work: Company) -> dict[str, object]:
    """Keep 50 questions in flight: as soon as one is answered the next is asked."""
    lags: list[float] = []
    left = iter(range(TIMED))

    async def one_after_the_other() -> None:
        for _ in left:
            await at_work.answered(await at_work.ask())

    begun = time.perf_counter()
    async with _measured_lag(lags):
        await asyncio.gather(*(one_after_the_other() for _ in range(IN_FLIGHT)))
    seconds = time.perf_counter() - begun
    await at_work.all_ended()
    sent = [delivery for message in at_work.asked for delivery in at_work.slack.deliveries_of(message)]
    acks = [1000 * delivery.ack_seconds for delivery in sent if delivery.ack_seconds is not None]
    signs = [1000 * sign for message in at_work.asked if (sign := first_sign(at_work, message)) is not None]
    return {
        "in_flight": IN_FLIGHT,
        "timed_questions": len(at_work.asked),
        "answers_per_second": round(len(at_work.asked) / seconds, 2),
        **_percentiles("ack_ms", acks, (50, 95, 99)),
        **_percentiles("first_status_ms", signs, (50, 95, 99)),
        **_percentiles("harness_lag_ms", [1000 * lag for lag in lags], (99,)),
    }


def first_sign(at_work: Company, question: Message) -> float | None:
    """Seconds from a question until something of the bot stood under it."""
    workspace = at_work.slack.workspace
    asked = float(question.ts)
    said = [
        change.at
        for change in workspace.statuses
        if (change.channel_id, change.thread_ts) == (question.channel_id, question.ts) and change.status
    ]
    replies = [float(reply.ts) for reply in workspace.thread(question.channel_id, question.ts)[1:]]
    return min([*said, *replies]) - asked if said or replies else None


@asynccontextmanager
async def _measured_lag(lags: list[float]) -> AsyncIterator[None]:
    async def measure() -> None:
        while True:
            began = time.perf_counter()
            await asyncio.sleep(LAG_SECONDS)
            lags.append(time.perf_counter() - began - LAG_SECONDS)

    measuring = asyncio.create_task(measure())
    try:
        yield
    finally:
        measuring.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await measuring


async def _bursts(at_work: Company) -> dict[str, object]:
    """Bursts of questions; some of their events come twice, late or in another order, and the process is killed."""
    chance = random.Random(11)
    killed = 0
    while len(at_work.asked) < BURSTS:
        size = min(chance.randint(*BURST), BURSTS - len(at_work.asked))
        faults = at_work.slack.faults
        if size > 5:
            faults.reorder_next(chance.randint(2, size // 2))
        for _ in range(size):
            if chance.random() < 0.3:
                faults.duplicate_next(chance.randint(1, 3), as_retries=chance.random() < 0.5)
            if chance.random() < 0.1:
                faults.lose_next()
            await at_work.ask()
        if killed < KILLS and len(at_work.asked) >= BURSTS * (killed + 1) / (KILLS + 1):
            await asyncio.sleep(chance.uniform(0, 2))
            await at_work.kill()
            killed += 1
            await at_work.start()
        await at_work.slack.wait_until(lambda: _open(at_work) <= BURST[1], ANSWER_SECONDS)
    still_open = await at_work.all_ended()
    counted = _counted(at_work)
    attempts = [attempt for delivery in at_work.slack.deliveries for attempt in delivery.attempts]
    return {
        "events": counted.asked,
        "event_attempts": len(attempts),
        "answered_once": counted.once,
        "answered_twice": counted.twice,
        "lost": counted.lost,
        "unfinished": counted.unfinished,
        "still_open": still_open,
        "kills": killed,
    }


def _open(at_work: Company) -> int:
    return sum(not at_work.answers(question) for question in at_work.asked)


def _counted(at_work: Company) -> Counted:
    numbers = [len(at_work.answers(question)) for question in at_work.asked]
    unfinished = sum(bool(at_work.unfinished(question)) for question in at_work.asked)
    return Counted(len(numbers), numbers.count(1), sum(number > 1 for number in numbers), numbers.count(0), unfinished)


async def _drops(at_work: Company) -> dict[str, object]:
    """Cut the websocket while questions are being answered."""
    chance = random.Random(13)
    blind: list[float] = []
    for _ in range(DROPS):
        for _ in range(chance.randint(2, 6)):
            await at_work.ask()
        await asyncio.sleep(chance.uniform(0, 0.3))
        began = time.perf_counter()
        await at_work.slack.sockets.drop()
        await at_work.ask()
        await at_work.slack.wait_for_sockets(within=60)
        blind.append(1000 * (time.perf_counter() - began))
    await at_work.all_ended()
    counted = _counted(at_work)
    return {
        "socket_drops": DROPS,
        "drop_questions": counted.asked,
        "drop_answered_once": counted.once,
        "drop_answered_twice": counted.twice,
        "drop_lost": counted.lost,
        **_percentiles("reconnect_ms", blind, (50, 95)),
    }


async def _rate_limits(at_work: Company) -> dict[str, object]:
    """Ask everything in peace, then all of it again while two calls of three are refused: the same is to arrive."""
    chance = random.Random(17)
    calm = {question: await at_work.ask_this(question, in_channel=False) for question in read_questions()}
    await at_work.all_ended()
    at_work.slack.faults.next(
        "*", error="ratelimited", retry_after=1, times=None, when=lambda _: chance.random() < 2 / 3
    )
    before = len(at_work.slack.calls)
    stormy = {question: await at_work.ask_this(question, in_channel=False) for question in calm}
    await at_work.all_ended()
    refused = [call for call in at_work.slack.calls[before:] if call.status == 429]
    at_work.slack.faults.clear()
    same = sum(_whole(at_work, calm[question]) == _whole(at_work, stormy[question]) for question in calm)
    return {
        "rate_limited_questions": len(stormy),
        "rate_limited_calls": len(refused),
        "rate_limited_delivered": sum(len(at_work.answers(question)) == 1 for question in stormy.values()),
        "rate_limited_in_order": same,
    }


def _whole(at_work: Company, question: Message) -> str:
    """All that can be read of what was said to a question, in the order in which it stands there."""
    thread = at_work.slack.workspace.thread(question.channel_id, question.ts)[1:]
    return "\n".join(block_text(block) for reply in thread for block in reply.all_blocks)


def _percentiles(name: str, values: Sequence[float], wanted: Sequence[int]) -> dict[str, object]:
    return {f"{name}_p{q}": round(float(np.percentile(values, q)), 1) for q in wanted}


if __name__ == "__main__":
    main()
