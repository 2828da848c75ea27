"""Tokens, roughly counted, and the prompt cache: which part of a prompt was seen before.

https://platform.claude.com/docs/en/build-with-claude/prompt-caching. Tools and the output format come first, then the
system prompt, then the messages; a prefix shorter than the minimum is silently not cached. Nothing expires here.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from anthropic.types import CacheCreation, Usage

from bot.standin.claude.recording import cacheable_blocks

MINIMUM_CACHEABLE_TOKENS = 512
"""Sonnet 5.5's minimum; other models have others."""


def token_count(text: str) -> int:
    """About as many tokens as a tokenizer makes of it: one for four bytes, and at least one."""
    return max(1, len(text.encode("utf-8", "replace")) // 4)


def prompt_tokens(body: Mapping[str, Any]) -> int:
    """Tokens of a whole prompt."""
    return sum(size for _, size, _ in _prefixes(body))


class PromptCache:
    """Remembers the prefixes that were marked for it."""

    def __init__(self) -> None:
        self._seen: set[str] = set()

    def usage(self, body: Mapping[str, Any], output_tokens: int) -> Usage:
        """What a request is billed, and remember its marked prefixes."""
        total = read = marked = marked_1h = 0
        for digest, size, ttl in _prefixes(body):
            total += size
            if ttl is None or total < MINIMUM_CACHEABLE_TOKENS:
                continue
            if digest in self._seen:
                read = total
            self._seen.add(digest)
            marked, marked_1h = total, total if ttl == "1h" else marked_1h
        created, created_1h = marked - read, max(0, marked_1h - read)
        return Usage(
            input_tokens=total - marked,
            output_tokens=output_tokens,
            cache_creation_input_tokens=created,
            cache_read_input_tokens=read,
            cache_creation=CacheCreation(
                ephemeral_5m_input_tokens=created - created_1h, ephemeral_1h_input_tokens=created_1h
            ),
            service_tier="standard",
        )


def _prefixes(body: Mapping[str, Any]) -> list[tuple[str, int, str | None]]:
    """For each block: the digest of all up to it, its own tokens, and how long it is to be cached, if it is marked."""
    output_format = (body.get("output_config") or {}).get("format")
    digest = hashlib.sha256(json.dumps([body["model"], output_format]).encode())
    blocks = [("", {"format": output_format}), *cacheable_blocks(body)] if output_format else [*cacheable_blocks(body)]
    found: list[tuple[str, int, str | None]] = []
    for _, block in blocks:
        control = block.get("cache_control")
        text = json.dumps({name: value for name, value in block.items() if name != "cache_control"})
        digest.update(text.encode())
        found.append((digest.hexdigest(), token_count(text), control.get("ttl", "5m") if control else None))
    if body.get("cache_control") and found:
        last = found[-1]
        found[-1] = (last[0], last[1], body["cache_control"].get("ttl", "5m"))
    return found
