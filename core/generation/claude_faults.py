"""Every way in which a request to Claude fails, turned into the family of `errors.py`.

Mid-stream faults look different from others (seen with anthropic 2.14): `event: error` is an APIStatusError with
status 200, a stall a raw ReadTimeout, broken chunking a RemoteProtocolError, corrupt data a JSONDecodeError or a
UnicodeDecodeError. So the error's own type counts before the status, and httpx2's exceptions are caught by name.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager

import anthropic
import httpx2

from core.generation.errors import (
    ConnectionLost,
    GenerationError,
    Overloaded,
    ProtocolBroken,
    RateLimited,
    RejectedRequest,
    TimedOut,
)

_BROKEN = "What came from Claude is not its protocol ({}): ask again; if it stays so, check the base URL and any proxy."


@contextmanager
def translated_faults(model: str) -> Iterator[None]:
    """Raise every fault of the SDK, of the connection and of the clock as a GenerationError."""
    try:
        yield
    except anthropic.APIStatusError as error:
        raise _with_advice_to_retry(_from_status(error, model), error) from error
    except (anthropic.APITimeoutError, httpx2.TimeoutException) as error:
        raise TimedOut("Claude has gone silent: ask again in a moment.") from error
    except TimeoutError as error:
        raise TimedOut("Claude did not finish within the answer's deadline: ask again, or allow more time.") from error
    except (anthropic.APIResponseValidationError, httpx2.DecodingError) as error:
        raise ProtocolBroken(_BROKEN.format(type(error).__name__)) from error
    except (anthropic.APIConnectionError, httpx2.RequestError) as error:
        raise ConnectionLost(
            "The connection to Claude failed or broke: check the network, the proxy and the base URL, then ask again."
        ) from error
    except ValueError as error:  # JSONDecodeError, UnicodeDecodeError
        raise ProtocolBroken(_BROKEN.format(type(error).__name__)) from error


def _from_status(error: anthropic.APIStatusError, model: str) -> GenerationError:
    status, kind = error.status_code, error.type
    if kind == "rate_limit_error" or status == 429:
        return RateLimited(
            "Claude's rate limit for this key is reached: wait, or raise the limit in the Claude Console.",
            retry_after=_retry_after(error.response),
        )
    if kind == "timeout_error" or status in (408, 504):
        return TimedOut("Claude took too long on its side: ask again.")
    if 200 <= status < 300 and kind is None:
        return ProtocolBroken(_BROKEN.format("an error event without a type"))
    if kind in ("overloaded_error", "api_error") or status == 409 or status >= 500:
        return Overloaded(f"Claude is overloaded or failing ({_label(error)}): ask again in a moment.")
    return RejectedRequest(_advice(error, model))


def _with_advice_to_retry(fault: GenerationError, error: anthropic.APIStatusError) -> GenerationError:
    """The service may say itself whether asking again helps; the SDK obeys that too, when it retries."""
    said = error.response.headers.get("x-should-retry") if error.status_code >= 400 else None
    if said in ("true", "false"):
        fault.retryable = said == "true"
    return fault


def _advice(error: anthropic.APIStatusError, model: str) -> str:
    status, kind = error.status_code, error.type
    if kind == "authentication_error" or status == 401:
        return "Claude does not accept the key (401): set ANTHROPIC_API_KEY to a valid one from platform.claude.com."
    if kind == "billing_error" or status == 402:
        return "Claude's account has a billing problem (402): see the payment details in the Claude Console."
    if kind == "permission_error" or status == 403:
        return (
            f"The key may not use {model} (403): give its workspace access in the Claude Console, or change the model."
        )
    if kind == "not_found_error" or status == 404:
        return f"Claude does not know the model {model!r}, or the base URL is wrong (404): correct the setting."
    if status == 413:
        return "The request is too large for Claude (413): send fewer or shorter passages."
    said = (error.api_message or "no reason given").rstrip(".")
    return f"Claude rejects the request ({_label(error)}): {said}. Correct the setting it names, or report it."


def _label(error: anthropic.APIStatusError) -> str:
    number = "mid-stream" if error.status_code < 400 else str(error.status_code)
    request = f", request {error.request_id}" if error.request_id else ""
    return f"{number} {error.type}{request}" if error.type else f"{number}{request}"


def _retry_after(response: httpx2.Response) -> float | None:
    """Seconds from `retry-after-ms` or `retry-after`; a date or nonsense counts as nothing said."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(response.headers[name]) * unit
        except (KeyError, ValueError):
            continue
        if math.isfinite(seconds) and seconds >= 0:
            return seconds
    return None
