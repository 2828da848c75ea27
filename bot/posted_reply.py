"""A reply that everybody in the conversation sees."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from bot.ledger import Ledger
from bot.rendering import Message
from bot.reply import NOT_ABOUT_THE_PLACE, TOO_MUCH, UNCERTAIN, in_plain_pieces, reason_of
from bot.slack_client import SlackRefusedError, slack_errors
from core.errors import SlackError, StorageError
from core.store.events import ClaimedEvent

logger = logging.getLogger("testigo.delivery")

METADATA_TYPE = "testigo_answer"
POSTING_TRIES = 3
LOOKED_THROUGH = 5
"""Pages of a thread in which a message of ours is looked for."""


class PostedReply:
    """Messages in a channel's thread; the first one appears at once and is edited until it is the answer."""

    def __init__(
        self,
        client: AsyncWebClient,
        ledger: Ledger,
        event: ClaimedEvent,
        user_id: str,
        channel: str,
        thread_ts: str,
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self._client = client
        self._ledger = ledger
        self._event = event
        self._user_id = user_id
        self._channel = channel
        self._thread_ts = thread_ts
        self._sleep = sleep
        self._since = ""
        self._parts: dict[int, str] = {}
        self._is_final = False

    @property
    def is_finished(self) -> bool:
        """Whether the last word is said."""
        return self._is_final

    @property
    def has_begun(self) -> bool:
        """Whether a message of this event stands there already."""
        return bool(self._parts)

    async def adopt(self, since: str) -> None:
        """Take up what an earlier attempt has posted.

        Raises:
            SlackError: the thread cannot be read.
        """
        self._since = since
        noted = self._event.delivered
        if noted.get("parts"):
            self._channel, self._thread_ts = str(noted["channel"]), str(noted["thread_ts"])
            self._parts = {number: str(ts) for number, ts in enumerate(noted["parts"])}
            self._is_final = bool(noted.get("final"))
        if self._event.attempts > 1 and not self._is_final and self._thread_ts:
            self._parts |= await self._find()

    async def progress(self, message: Message) -> None:
        """Post the first message, or edit it; one that an earlier attempt left may be the answer already, and stays."""
        if self._is_final or (self._event.attempts > 1 and 0 in self._parts):
            return
        try:
            if 0 in self._parts:
                await self._edit(0, message)
            else:
                await self._post(0, message)
        except SlackError as error:
            logger.info("event %d: progress not shown (%s)", self._event.id, reason_of(error))

    async def finish(self, messages: Sequence[Message]) -> None:
        """Edit the first message into the answer and post the rest below it; on any refusal find another way."""
        if self._is_final:
            return
        waiting = deque(messages)
        number = 0
        while waiting:
            message = waiting.popleft()
            try:
                await self._put(number, message)
            except SlackRefusedError as error:
                smaller = in_plain_pieces(message) if error.code in TOO_MUCH else []
                if not smaller:
                    raise
                waiting.extendleft(reversed(smaller))
                continue
            number += 1
        for left_over in sorted(part for part in self._parts if part >= number):
            await self._delete(left_over)
        self._is_final = True
        await self._note()

    async def _put(self, number: int, message: Message) -> None:
        if number in self._parts:
            try:
                await self._edit(number, message)
                return
            except SlackRefusedError as error:
                if error.code in TOO_MUCH | NOT_ABOUT_THE_PLACE | UNCERTAIN:
                    raise
                # Deleted in the meantime, or not to be edited any more: a new message says it.
                del self._parts[number]
        await self._post(number, message)

    async def _edit(self, number: int, message: Message) -> None:
        with slack_errors("chat.update"):
            await self._client.chat_update(
                channel=self._channel,
                ts=self._parts[number],
                text=message.text,
                blocks=list(message.blocks),
                parse="none",  # chat.update would make mentions and channel links of the text, unlike chat.postMessage
                metadata=self._metadata(number),
            )

    async def _post(self, number: int, message: Message) -> None:
        try:
            await self._post_here(number, message)
        except SlackRefusedError as error:
            if error.code in TOO_MUCH | UNCERTAIN | NOT_ABOUT_THE_PLACE or self._channel == self._user_id:
                raise
            # The place is closed to us: archived, left, gone, or the thread is locked. The person gets it directly.
            logger.info("event %d: posting refused (%s), going to direct messages", self._event.id, error.code)
            self._channel, self._thread_ts = self._user_id, ""
            await self._post_here(number, message)
        await self._note()

    async def _post_here(self, number: int, message: Message) -> None:
        """Post, and after an uncertain outcome look before posting again."""
        for attempt in range(1, POSTING_TRIES + 1):
            try:
                with slack_errors("chat.postMessage"):
                    answer = await self._client.chat_postMessage(
                        channel=self._channel,
                        thread_ts=self._thread_ts or None,
                        text=message.text,
                        blocks=list(message.blocks) or None,
                        metadata=self._metadata(number),
                        unfurl_links=False,
                        unfurl_media=False,
                    )
            except SlackError as error:
                certain = isinstance(error, SlackRefusedError) and error.code not in UNCERTAIN
                if certain or attempt == POSTING_TRIES:
                    raise
                await self._sleep(2 ** (attempt - 1))
                found = await self._find()
                if number in found:
                    self._parts[number] = found[number]
                    await self._edit(number, message)  # it may be a placeholder of an earlier attempt
                    return
            else:
                self._channel = str(answer.get("channel") or self._channel)
                self._parts[number] = str(answer["ts"])
                return

    async def _find(self) -> dict[int, str]:
        """The messages of this event that stand in its thread, by their number.

        Raises:
            SlackError: the thread cannot be read, so it is not known.
        """
        if not self._thread_ts:
            return {}
        found: dict[int, str] = {}
        cursor = ""
        for _ in range(LOOKED_THROUGH):
            try:
                with slack_errors("conversations.replies"):
                    page = await self._client.conversations_replies(
                        channel=self._channel,
                        ts=self._thread_ts,
                        oldest=self._since or "0",
                        include_all_metadata=True,
                        limit=200,
                        cursor=cursor or None,
                    )
            except SlackRefusedError as error:
                if error.code in {"thread_not_found", "message_not_found", "channel_not_found", "not_in_channel"}:
                    return found
                raise
            for message in page.get("messages") or ():
                number = self._number_of(message)
                if number is not None:
                    found.setdefault(number, str(message["ts"]))
            cursor = str((page.get("response_metadata") or {}).get("next_cursor") or "")
            if not cursor:
                break
        return found

    async def _delete(self, number: int) -> None:
        ts = self._parts.pop(number)
        try:
            with slack_errors("chat.delete"):
                await self._client.chat_delete(channel=self._channel, ts=ts)
        except SlackError as error:
            logger.warning("event %d: a left-over message stays (%s)", self._event.id, reason_of(error))

    async def _note(self) -> None:
        parts = [self._parts[number] for number in sorted(self._parts)]
        shown = {"channel": self._channel, "thread_ts": self._thread_ts, "parts": parts, "final": self._is_final}
        try:
            await self._ledger.note(self._event.id, shown)
        except StorageError as error:  # the message's metadata says the same
            logger.warning("event %d: what was shown is not noted (%s)", self._event.id, type(error).__name__)

    def _metadata(self, number: int) -> dict[str, Any]:
        payload = {"event": self._event.id, "team": self._event.team_id, "part": number}
        return {"event_type": METADATA_TYPE, "event_payload": payload}

    def _number_of(self, message: Mapping[str, Any]) -> int | None:
        metadata = message.get("metadata") or {}
        payload = metadata.get("event_payload") or {}
        if metadata.get("event_type") != METADATA_TYPE or payload.get("event") != self._event.id:
            return None
        return int(payload.get("part") or 0)
