from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass, field

import pytest

from core.generation.backoff import Attempt, Backoff
from core.generation.errors import (
    ConnectionLost,
    CutShort,
    GenerationError,
    Overloaded,
    RateLimited,
    Refused,
    RejectedRequest,
)


@dataclass
class World:
    """A clock that only sleeping moves, and the attempts that were made."""

    failures: list[GenerationError]
    now: float = 100.0
    slept: list[float] = field(default_factory=list)
    closed: int = 0

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    def backoff(self, jitter: float = 1.0, attempts: int = 4, cap: float = 8.0) -> Backoff:
        return Backoff(1.0, cap, attempts, clock=lambda: self.now, sleep=self.sleep, jitter=lambda: jitter)

    async def ask(self, number: int) -> AsyncGenerator[str, None]:
        try:
            yield f"text {number}"
            if number <= len(self.failures):
                raise self.failures[number - 1]
            yield "end"
        finally:
            self.closed += 1


async def collected(world: World, backoff: Backoff, deadline: float = 1000.0) -> list[Attempt | str]:
    return [event async for event in backoff.attempts_of(world.ask, deadline=deadline)]


async def test_each_attempt_is_announced_with_what_ended_the_last() -> None:
    failure = Overloaded("busy")
    world = World([failure])
    assert await collected(world, world.backoff()) == [
        Attempt(1),
        "text 1",
        Attempt(2, failure),
        "text 2",
        "end",
    ]
    assert world.closed == 2


async def test_waits_grow_by_doubling_up_to_the_cap_and_jitter_takes_a_part_of_them() -> None:
    world = World([Overloaded("busy")] * 5)
    await collected(world, world.backoff(jitter=0.5, attempts=6, cap=5.0))
    assert world.slept == [0.5, 1.0, 2.0, 2.5, 2.5]


async def test_the_service_says_when_to_come_back_and_jitter_comes_on_top() -> None:
    world = World([RateLimited("slow down", retry_after=7.0)])
    await collected(world, world.backoff(jitter=0.25))
    assert world.slept == [7.25]


async def test_a_wait_that_passes_the_deadline_is_not_begun() -> None:
    world = World([RateLimited("slow down", retry_after=30.0)])
    with pytest.raises(RateLimited):
        await collected(world, world.backoff(), deadline=120.0)
    assert world.slept == []


async def test_the_last_error_is_raised_when_the_attempts_are_used_up() -> None:
    last = ConnectionLost("gone")
    world = World([Overloaded("busy"), last])
    with pytest.raises(ConnectionLost) as caught:
        await collected(world, world.backoff(attempts=2))
    assert caught.value is last
    assert len(world.slept) == 1


@pytest.mark.parametrize(
    "error",
    [RejectedRequest("no"), Refused("no"), CutShort("long"), RateLimited("spent", retryable=False)],
    ids=lambda error: type(error).__name__,
)
async def test_what_asking_again_cannot_help_is_not_asked_again(error: GenerationError) -> None:
    world = World([error])
    with pytest.raises(type(error)):
        await collected(world, world.backoff())
    assert (world.slept, world.closed) == ([], 1)


async def test_nothing_is_asked_again_once_a_claim_has_gone_downstream() -> None:
    world = World([Overloaded("busy")])
    shown: list[str] = []
    events = world.backoff().attempts_of(world.ask, deadline=1000.0, may_retry=lambda: not shown)
    with pytest.raises(Overloaded):
        async for event in events:
            shown += [event] if isinstance(event, str) else []
    assert (shown, world.slept) == (["text 1"], [])


async def test_leaving_early_closes_the_attempt() -> None:
    world = World([])
    events = world.backoff().attempts_of(world.ask, deadline=1000.0)
    async for event in events:
        if event == "text 1":
            break
    await events.aclose()
    assert world.closed == 1


async def test_an_error_that_is_not_of_the_family_passes_at_once() -> None:
    world = World([])

    async def broken(number: int) -> AsyncGenerator[str, None]:
        yield "text"
        raise KeyError(number)

    with pytest.raises(KeyError):
        async for _ in world.backoff().attempts_of(broken, deadline=1000.0):
            pass
    assert world.slept == []
