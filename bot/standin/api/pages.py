"""Cursor paging (https://docs.slack.dev/apis/web-api/pagination)."""

import base64
import binascii
from collections.abc import Sequence
from typing import TypeVar

from bot.standin.arguments import Arguments
from bot.standin.limits import PAGE
from bot.standin.model import Json
from bot.standin.problems import ApiError

T = TypeVar("T")


def page_of(items: Sequence[T], args: Arguments, *, most: int = PAGE) -> tuple[list[T], Json]:
    """Cut the page that `cursor` and `limit` ask for; also return the `response_metadata` with the next cursor."""
    start = _decode(args.text("cursor"))
    size = min(args.number("limit", default=most) or most, most)
    end = start + size
    cursor = base64.b64encode(f"next:{end}".encode()).decode() if end < len(items) else ""
    return list(items[start:end]), {"next_cursor": cursor}


def _decode(cursor: str) -> int:
    if not cursor:
        return 0
    try:
        label, _, number = base64.b64decode(cursor, validate=True).decode().partition(":")
        if label != "next":
            raise ValueError(cursor)
        return int(number)
    except (binascii.Error, ValueError):
        raise ApiError("invalid_cursor", is_violation=True) from None
