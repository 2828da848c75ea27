"""Commands that are answered to one person alone, and never left without a word."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from bot.delivery import Delivery
from bot.failures import log_failure, new_code
from bot.identity import Directory
from bot.incoming import Incoming
from bot.rendering import ErrorKind, Message, error_kind, render_error
from bot.words import Words
from core.errors import SettingsError, SlackError
from core.store.events import ClaimedEvent


class PrivateOrders:
    """Carries out claimed commands: whatever `work` makes of one, or that it failed, is told to who gave it."""

    def __init__(
        self, directory: Directory, delivery: Delivery, work: Callable[[Incoming], Awaitable[Sequence[Message]]]
    ) -> None:
        self._directory = directory
        self._delivery = delivery
        self._work = work

    async def handle(self, event: ClaimedEvent, incoming: Incoming) -> None:
        """Do the work and tell what came of it.

        Raises:
            SlackError: nothing could be shown to the person.
        """
        reply = await self._delivery.private(event, incoming)
        if reply.is_finished:
            return
        try:
            said = await self._work(incoming)
        except Exception as error:
            code = new_code()
            log_failure(event.id, error, code)
            failed_check = isinstance(error, SlackError | SettingsError)
            kind = ErrorKind.PERMISSION_CHECK if failed_check else error_kind(error)
            said = [render_error(kind, code, await self._words(incoming))]
        await reply.finish(said)

    async def give_up(self, event: ClaimedEvent, incoming: Incoming) -> None:
        """Tell the person that it was not done.

        Raises:
            SlackError: the person cannot be told either.
        """
        code = new_code()
        log_failure(event.id, RuntimeError("too many attempts"), code)
        reply = await self._delivery.private(event, incoming)
        await reply.finish([render_error(ErrorKind.UNEXPECTED, code, await self._words(incoming))])

    async def _words(self, incoming: Incoming) -> Words:
        return Words(await self._directory.locale(incoming.user_id))
