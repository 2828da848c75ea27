"""Waiting for something to become true: probes run again as soon as something in the stand-in has changed."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

HEARTBEAT = 0.02
"""Seconds between looks at what the stand-in does not hear of: a list of the test, a database of the bot."""


class NotInTimeError(TimeoutError):
    """What a test waited for did not come; the message says what was there instead."""


class Watch:
    """Wakes those who wait whenever `changed` is called."""

    def __init__(self) -> None:
        self._waiting: list[tuple[Callable[[], bool], asyncio.Future[None]]] = []
        self._looks_soon = False
        self._listeners: list[Callable[[], None]] = []

    def subscribe(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call a function after each change, once for all the changes of one turn of the loop; returns the undoing."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def changed(self) -> None:
        """Try the probe of everyone who waits, once for all the changes of one turn of the loop."""
        if (self._waiting or self._listeners) and not self._looks_soon:
            self._looks_soon = True
            asyncio.get_running_loop().call_soon(self._look)

    def _look(self) -> None:
        self._looks_soon = False
        for listener in tuple(self._listeners):
            listener()
        for met, woken in tuple(self._waiting):
            if not woken.done() and met():
                woken.set_result(None)

    async def until(
        self, probe: Callable[[], T | None], *, within: float, otherwise: Callable[[], str] = lambda: ""
    ) -> T:
        """Return the probe's first result that is neither None nor False.

        `within` is in real seconds; `otherwise` describes the state for the error, `NotInTimeError`.
        """
        found: list[T] = []

        def met() -> bool:
            result = probe()
            if result is None or result is False:
                return False
            found.append(result)
            return True

        if met():
            return found[-1]
        try:
            async with asyncio.timeout(within):
                while not found:
                    await self._wait_for_change(met)
        except TimeoutError:
            raise NotInTimeError(f"not within {within:g} s. {otherwise()}".strip()) from None
        return found[-1]

    async def _wait_for_change(self, met: Callable[[], bool]) -> None:
        """Return once the probe is met; look again every now and then, since it may ask about something else."""
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        entry = (met, woken)
        self._waiting.append(entry)
        try:
            await asyncio.wait({woken}, timeout=HEARTBEAT)
        finally:
            self._waiting.remove(entry)
        if not woken.done():
            met()
