"""What Claude's tokens cost: the one place that knows prices.

US dollars per million tokens, from https://platform.claude.com/docs/en/about-claude/pricing as it stood on 2026-10-24
(Sonnet 5.5's cache reads were halved on 2026-10-07, the day Haiku 5.5 came with its two bands).
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

_DATE_SUFFIX = re.compile(r"-\d{8}$")
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one or more requests, as the API bills them. The three kinds of input do not overlap."""

    input_tokens: int = 0
    output_tokens: int = 0
    """Thinking included."""
    cache_creation_tokens: int = 0
    cache_read_tokens: int = 0
    cache_creation_1h_tokens: int = 0
    """The part of `cache_creation_tokens` written for one hour, which costs more than the usual five minutes."""

    @property
    def prompt_tokens(self) -> int:
        """The whole prompt: fresh, written to the cache and read from it."""
        return self.input_tokens + self.cache_creation_tokens + self.cache_read_tokens

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cache_creation_tokens + other.cache_creation_tokens,
            self.cache_read_tokens + other.cache_read_tokens,
            self.cache_creation_1h_tokens + other.cache_creation_1h_tokens,
        )


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens, for prompts of up to `prompt_limit` tokens (None: of any length)."""

    input: float
    output: float
    cache_write_5m: float
    cache_write_1h: float
    cache_read: float
    prompt_limit: int | None = None


PRICES_AS_OF = dt.date(2026, 10, 24)

PRICES: Mapping[str, tuple[Price, ...]] = MappingProxyType(
    {
        "claude-opus-5-5": (Price(4.0, 20.0, 5.0, 8.0, 0.20),),
        "claude-sonnet-5-5": (Price(2.0, 10.0, 2.5, 4.0, 0.10),),
        "claude-haiku-5-5": (
            Price(0.10, 0.50, 0.125, 0.20, 0.01, prompt_limit=100_000),
            Price(0.50, 2.50, 0.625, 1.00, 0.05),
        ),
    }
)
"""Per model its bands, the shortest prompts first. A request pays one band for all its tokens."""


def cost_usd(model: str, usage: Usage, prices: Mapping[str, tuple[Price, ...]] = PRICES) -> float | None:
    """US dollars that one request cost, or None where the model's price is not known.

    For several requests add their costs, not their tokens: a band is chosen by the length of one prompt.
    """
    bands = prices.get(model) or prices.get(_DATE_SUFFIX.sub("", model))
    if bands is None:
        return None
    price = next((p for p in bands if p.prompt_limit is None or usage.prompt_tokens <= p.prompt_limit), bands[-1])
    written_5m = usage.cache_creation_tokens - usage.cache_creation_1h_tokens
    return (
        usage.input_tokens * price.input
        + usage.output_tokens * price.output
        + written_5m * price.cache_write_5m
        + usage.cache_creation_1h_tokens * price.cache_write_1h
        + usage.cache_read_tokens * price.cache_read
    ) / _MILLION
