"""Delivery over HTTP: signed requests to the bot's URL, as Slack sends them without Socket Mode.

Follows https://docs.slack.dev/apis/events-api (retries) and https://docs.slack.dev/authentication/verifying-requests-from-slack.
"""

import asyncio
import hashlib
import hmac
import json
from urllib.parse import urlencode

import aiohttp

from bot.standin.app_config import AppConfig
from bot.standin.clock import Clock, within
from bot.standin.delivery import Attempt, Delivery, DeliveryKind, Outcome
from bot.standin.model import Json

JSON_TYPE = "application/json"
FORM_TYPE = "application/x-www-form-urlencoded"


def signed_headers(signing_secret: str, body: str, timestamp: int) -> dict[str, str]:
    """The headers that prove a request comes from Slack (signature version 0)."""
    base = f"v0:{timestamp}:{body}".encode()
    digest = hmac.new(signing_secret.encode(), base, hashlib.sha256).hexdigest()
    return {"X-Slack-Request-Timestamp": str(timestamp), "X-Slack-Signature": f"v0={digest}"}


class HttpTransport:
    """Sends every delivery to one URL of the bot (Bolt's `/slack/events` takes all kinds)."""

    def __init__(self, app: AppConfig, url: str, clock: Clock, *, ack_seconds: float) -> None:
        self._app = app
        self._url = url
        self._clock = clock
        self._ack_seconds = ack_seconds
        self._session = aiohttp.ClientSession()

    async def send(self, delivery: Delivery, attempt: Attempt) -> Outcome:
        """Post a delivery and wait for the answer."""
        body, content_type = _body(delivery)
        headers = {"Content-Type": content_type}
        if attempt.number:
            headers |= {"X-Slack-Retry-Num": str(attempt.number), "X-Slack-Retry-Reason": attempt.reason}
        request = asyncio.ensure_future(self._post(body, headers))
        try:
            if not await within(self._clock, self._ack_seconds, request):
                return Outcome(acknowledged=False, reason="http_timeout")
            return request.result()
        except aiohttp.ClientError:
            return Outcome(acknowledged=False, reason="connection_failed")
        finally:
            request.cancel()

    async def verify_url(self) -> bool:
        """Send the `url_verification` challenge and say whether the bot repeats it."""
        challenge = "standin-challenge"
        event = {"token": self._app.verification_token, "type": "url_verification", "challenge": challenge}
        outcome = await self._post(json.dumps(event), {"Content-Type": JSON_TYPE})
        answer = outcome.answer or {}
        return outcome.acknowledged and challenge in (answer.get("challenge"), answer.get("text"))

    async def close(self) -> None:
        """Close the HTTP session."""
        await self._session.close()

    async def _post(self, body: str, headers: dict[str, str]) -> Outcome:
        signature = signed_headers(self._app.signing_secret, body, int(self._clock.now()))
        async with self._session.post(self._url, data=body.encode(), headers=headers | signature) as response:
            if response.status >= 300:
                may_retry = response.headers.get("X-Slack-No-Retry") != "1"
                return Outcome(acknowledged=False, reason="http_error", may_retry=may_retry)
            return Outcome(acknowledged=True, answer=_answer(response.content_type, await response.text()))


def _body(delivery: Delivery) -> tuple[str, str]:
    if delivery.kind is DeliveryKind.EVENT:
        return json.dumps(delivery.payload), JSON_TYPE
    if delivery.kind is DeliveryKind.SLASH:
        return urlencode(delivery.payload), FORM_TYPE
    return urlencode({"payload": json.dumps(delivery.payload)}), FORM_TYPE


def _answer(content_type: str, text: str) -> Json | None:
    if not text:
        return None
    if content_type == JSON_TYPE:
        parsed: Json = json.loads(text)
        return parsed
    return {"text": text}
