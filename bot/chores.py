"""Work that is done every so often while the bot serves, whether or not anybody asks something."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from bot.failures import NO_EVENT, log_failure, new_code

logger = logging.getLogger("testigo.chores")


@dataclass(frozen=True, slots=True)
class Chore:
    """Something to do again and again. `seconds` is the pause between its end and its next beginning."""

    name: str
    seconds: float
    work: Callable[[], Awaitable[None]]


class Chores:
    """Does each chore by itself; one that fails is logged by kind and done again."""

    def __init__(self, chores: Sequence[Chore]) -> None:
        self._chores = tuple(chores)

    async def once(self) -> None:
        """Do each of them once, in order.

        Raises:
            Exception: what one of them raises.
        """
        for chore in self._chores:
            await chore.work()

    async def run(self) -> None:
        """Do them until cancelled."""
        async with asyncio.TaskGroup() as group:
            for chore in self._chores:
                group.create_task(_again_and_again(chore), name=chore.name)


async def _again_and_again(chore: Chore) -> None:
    while True:
        try:
            await chore.work()
        except Exception as error:
            log_failure(NO_EVENT, error, new_code())
            logger.warning("%s is tried again later", chore.name)
        await asyncio.sleep(chore.seconds)
