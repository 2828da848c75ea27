"""The client of Slack's Web API: time-outs, repeated calls, and errors as `SlackError`."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar
from urllib.parse import urlsplit

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.http_retry.async_handler import AsyncRetryHandler
from slack_sdk.http_retry.builtin_async_handlers import (
    AsyncConnectionErrorRetryHandler,
    AsyncRateLimitErrorRetryHandler,
    AsyncServerErrorRetryHandler,
)
from slack_sdk.http_retry.request import HttpRequest
from slack_sdk.http_retry.response import HttpResponse
from slack_sdk.http_retry.state import RetryState
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from bot.rendering.message import NO_UNFURL, Message
from core.errors import SettingsError, SlackError
from core.settings import Settings

CALL_SECONDS = 15
"""Longest time that one try of one call may take."""
TRIES_WHEN_RATE_LIMITED = 20
TRIES_WHEN_BROKEN = 2

POSTING = ("/chat.postMessage", "/chat.postEphemeral", "/chat.startStream", "/chat.appendStream")
"""Methods that must not be tried again blindly: after a broken connection the message may well be there."""
PASSING = (
    "/chat.startStream",
    "/chat.appendStream",
    "/assistant.threads.setStatus",
    "/agents.sessions.setStatus",
)
"""Methods whose rate limit nobody waits for: what they show is shown some other way, or is old by then."""


class SlackRefusedError(SlackError):
    """Slack answered `ok: false`. `code` is its word for the reason; empty when the answer was not JSON."""

    def __init__(self, method: str, code: str) -> None:
        super().__init__(f"Slack refused {method} ({code or 'no reason given'}).")
        self.method = method
        self.code = code


class _Sparing:
    """Mixed into a retry handler: it leaves the methods in `spared` alone."""

    spared: ClassVar[tuple[str, ...]]

    async def _can_retry_async(
        self,
        *,
        state: RetryState,
        request: HttpRequest,
        response: HttpResponse | None = None,
        error: Exception | None = None,
    ) -> bool:
        if request.url.endswith(self.spared):
            return False
        decides: AsyncRetryHandler = super()  # type: ignore[assignment]  # the handler that this is mixed into
        return await decides._can_retry_async(state=state, request=request, response=response, error=error)


class _RateLimitRetryHandler(_Sparing, AsyncRateLimitErrorRetryHandler):
    spared = PASSING


class _ConnectionRetryHandler(_Sparing, AsyncConnectionErrorRetryHandler):
    spared = POSTING


class _ServerErrorRetryHandler(_Sparing, AsyncServerErrorRetryHandler):
    spared = POSTING


def open_client(settings: Settings) -> AsyncWebClient:
    """Make a client with one session for all its calls; `close_client` ends it. Call it within a running loop.

    Raises:
        SettingsError: there is no bot token, or the address of the API is not one.
    """
    if settings.slack_bot_token is None:
        raise SettingsError("SLACK_BOT_TOKEN is not set: copy the bot token (xoxb-…) from the app's page into .env.")
    if urlsplit(settings.slack_api_url).scheme not in {"http", "https"}:
        raise SettingsError("SLACK_API_URL is not an address: leave it out to use Slack's own.")
    # The SDK writes requests and answers to the log at DEBUG, with texts and names in them.
    logger = logging.getLogger("testigo.slack")
    logger.setLevel(logging.INFO)
    return AsyncWebClient(
        token=settings.slack_bot_token.get_secret_value(),
        base_url=settings.slack_api_url,
        timeout=CALL_SECONDS,
        session=aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=CALL_SECONDS)),
        logger=logger,
        retry_handlers=[
            _RateLimitRetryHandler(max_retry_count=TRIES_WHEN_RATE_LIMITED),
            _ConnectionRetryHandler(
                max_retry_count=TRIES_WHEN_BROKEN,
                error_types=[aiohttp.ClientConnectionError, asyncio.TimeoutError],
            ),
            _ServerErrorRetryHandler(max_retry_count=TRIES_WHEN_BROKEN),
        ],
    )


async def close_client(client: AsyncWebClient) -> None:
    """Close a client's connections."""
    if client.session is not None:
        await client.session.close()


@contextmanager
def slack_errors(method: str) -> Iterator[None]:
    """Turn what the SDK and the network raise in the block into `SlackError`.

    Raises:
        SlackRefusedError: Slack answered `ok: false`.
        SlackError: Slack cannot be reached, or did not answer in time.
    """
    try:
        yield
    except SlackApiError as error:
        # The text of a SlackApiError repeats the whole answer: it must not reach the log.
        answer = error.response
        code = answer.get("error") if hasattr(answer, "get") else None
        raise SlackRefusedError(method, str(code or "")) from None
    except (aiohttp.ClientError, TimeoutError, SlackClientError, OSError) as error:
        raise SlackError(f"Slack cannot be reached ({method}: {type(error).__name__}).") from None


async def post_message(
    client: AsyncWebClient,
    channel: str,
    message: Message,
    thread_ts: str = "",
    metadata: Mapping[str, Any] | None = None,
) -> AsyncSlackResponse:
    """Post a message that nothing is unfurled in; Slack's answer. By its metadata it can be found again.

    Raises:
        SlackError: it was not posted, as far as is known.
    """
    with slack_errors("chat.postMessage"):
        return await client.chat_postMessage(
            channel=channel,
            thread_ts=thread_ts or None,
            text=message.text,
            blocks=list(message.blocks) or None,
            metadata=dict(metadata) if metadata else None,
            **NO_UNFURL,
        )
