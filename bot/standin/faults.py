"""Faults on demand: what the Web API answers wrongly, and what happens to deliveries on their way to the bot."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from bot.standin.model import Json

ANY_METHOD = "*"


@dataclass(slots=True)
class ApiFault:
    """One planned failure of a method; `left` is how many more calls it will hit (None: all)."""

    method: str
    error: str | None = None
    retry_after: int | None = None
    status: int | None = None
    hang: bool = False
    delay: float = 0.0
    drop: bool = False
    after_processing: bool = False
    left: int | None = 1
    when: Callable[[Json], bool] | None = None


class Faults:
    """The plan of faults. All methods may be called at any time."""

    def __init__(self) -> None:
        self._planned: list[ApiFault] = []
        self._released = asyncio.Event()
        self._lose = 0
        self._duplicate: list[tuple[int, bool]] = []
        self._held_wanted = 0
        self._held: list[asyncio.Future[None]] = []

    # -- Web API --------------------------------------------------------------------------------------------------

    def next(
        self,
        method: str,
        *,
        error: str | None = None,
        retry_after: int | None = None,
        status: int | None = None,
        hang: bool = False,
        delay: float = 0.0,
        drop: bool = False,
        after_processing: bool = False,
        times: int | None = 1,
        when: Callable[[Json], bool] | None = None,
    ) -> ApiFault:
        """Make the next calls of a method (`"*"`: of any) fail.

        `error` is answered with `ok: false` (`ratelimited` with status 429 and `Retry-After: retry_after`, default 1);
        `status` answers with that HTTP status and no JSON; `hang` never answers (until `release_hung`); `delay` answers
        normally after so many real seconds; `drop` closes the connection. With `after_processing` Slack does what was
        asked and only the answer is lost. `times=None` lasts until `clear`. `when` looks at the arguments.
        """
        fault = ApiFault(method, error, retry_after, status, hang, delay, drop, after_processing, times, when)
        self._planned.append(fault)
        return fault

    def clear(self) -> None:
        """Forget every planned fault and let hanging requests go."""
        self._planned.clear()
        self._lose = self._held_wanted = 0
        self._duplicate.clear()
        self._release_held()
        self.release_hung()

    def take(self, method: str, arguments: Json) -> ApiFault | None:
        """Use up the first planned fault that fits a call."""
        for fault in self._planned:
            if fault.method not in (method, ANY_METHOD) or (fault.when and not fault.when(arguments)):
                continue
            if fault.left is not None:
                fault.left -= 1
                if fault.left <= 0:
                    self._planned.remove(fault)
            return fault
        return None

    async def hang(self) -> None:
        """Wait until `release_hung`."""
        await self._released.wait()

    def release_hung(self) -> None:
        """Let go the requests that hang now; later ones hang again."""
        self._released.set()
        self._released = asyncio.Event()

    # -- deliveries to the bot --------------------------------------------------------------------------------------

    def lose_next(self, count: int = 1) -> None:
        """Lose the first attempt of the next deliveries: Slack believes it was sent, and retries later."""
        self._lose += count

    def duplicate_next(self, copies: int = 1, *, as_retries: bool = False) -> None:
        """Send the next delivery so many times more, at once; `as_retries` numbers the copies 1, 2…"""
        self._duplicate.append((copies, as_retries))

    def reorder_next(self, count: int) -> None:
        """Hold the next `count` deliveries until all of them are there, then send them in reverse order."""
        self._held_wanted = count

    def takes_loss(self) -> bool:
        """Use up one planned loss."""
        if self._lose == 0:
            return False
        self._lose -= 1
        return True

    def takes_duplicate(self) -> tuple[int, bool]:
        """Use up one planned duplication: (copies, as retries)."""
        return self._duplicate.pop(0) if self._duplicate else (0, False)

    async def turn(self) -> None:
        """Wait for a delivery's turn, where an order was planned."""
        if self._held_wanted == 0:
            return
        mine: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._held.append(mine)
        if len(self._held) == self._held_wanted:
            self._held_wanted = 0
            self._release_held()
        await mine

    def _release_held(self) -> None:
        held, self._held = self._held[::-1], []
        for waiting in held:
            if not waiting.done():
                waiting.set_result(None)
