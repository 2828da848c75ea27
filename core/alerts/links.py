"""Whether the links of documents answer: politely, one after another, and never into a private network unasked.

https://cheatsheetseries.owasp.org/cheatsheets/Server_Side_Request_Forgery_Prevention_Cheat_Sheet.html: an address is
looked at when it is connected to, so that a name which leads elsewhere a moment later leads nowhere.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from ssl import SSLContext
from urllib.parse import urlsplit

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

from core.index.tables import Tables

MOST = 2_000
"""Links that are checked in one round."""
_HEAD_NOT_TAKEN = frozenset({400, 403, 405, 501})
"""Answers to HEAD after which GET is tried: many servers do not take HEAD."""
_GONE = frozenset({404, 410})
_SERVER_ERROR = 500


@dataclass(frozen=True, slots=True)
class Link:
    """A link of a document, and the source that the document is of."""

    source: str
    uri: str


@dataclass(frozen=True, slots=True)
class Checked:
    """What came of a round: the links that do not answer, and how many were asked."""

    broken: tuple[Link, ...]
    asked: int


def served_links(tables: Tables, tenant_id: str, day: int) -> list[Link]:
    """The links of the documents that are served. `day` says where to begin, so that in time all have their turn."""
    served = tables.current_versions(tenant_id)
    records = tables.records((tenant_id, document_id, number) for document_id, number in served.items())
    links = sorted({Link(r.source, r.metadata.uri) for r in records.values() if r.metadata.uri}, key=lambda k: k.uri)
    begin = day * MOST % len(links) if len(links) > MOST else 0
    return links[begin:] + links[:begin]


class LinkChecker:
    """Asks links below one base address whether they are there. A link that asks for a login is there."""

    def __init__(
        self,
        base_url: str,
        *,
        pause_seconds: float = 1.0,
        timeout_seconds: float = 10.0,
        private: bool = False,
        resolver: AbstractResolver | None = None,
        ssl: SSLContext | bool = True,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """`private` allows addresses of private networks; `resolver` and `ssl` replace the system's own."""
        self._base = base_url if base_url.endswith("/") else f"{base_url}/"
        self._pause = pause_seconds
        self._timeout = aiohttp.ClientTimeout(total=timeout_seconds)
        self._private = private
        self._resolver = resolver
        self._ssl = ssl
        self._sleep = sleep

    def is_below(self, uri: str) -> bool:
        """Whether a link is one that is checked."""
        parts = urlsplit(uri)
        return f"{uri}/".startswith(self._base) and parts.username is None and parts.password is None

    async def check(self, links: Iterable[Link]) -> Checked:
        """Ask each link once, one after another, with a pause between them."""
        wanted = list(dict.fromkeys(link for link in links if self.is_below(link.uri)))[:MOST]
        if not wanted:
            return Checked((), 0)
        broken = []
        resolver = self._resolver or aiohttp.ThreadedResolver()
        connector = aiohttp.TCPConnector(
            resolver=resolver if self._private else _PublicOnly(resolver), limit=1, ssl=self._ssl, use_dns_cache=False
        )
        async with aiohttp.ClientSession(connector=connector, timeout=self._timeout, trust_env=False) as session:
            for at, link in enumerate(wanted):
                if at:
                    await self._sleep(self._pause)
                if not await self._answers(session, link.uri):
                    broken.append(link)
        return Checked(tuple(broken), len(wanted))

    async def _answers(self, session: aiohttp.ClientSession, uri: str) -> bool:
        status = await self._status(session, "HEAD", uri)
        if status is None or status in _HEAD_NOT_TAKEN or status in _GONE or status >= _SERVER_ERROR:
            status = await self._status(session, "GET", uri)
        return status is not None and status not in _GONE and status < _SERVER_ERROR

    async def _status(self, session: aiohttp.ClientSession, method: str, uri: str) -> int | None:
        """The status of an answer, whose body is not read and whose redirection is not followed; None without one."""
        if not self._private and not _may_be_public(urlsplit(uri).hostname or ""):
            return None
        try:
            async with session.request(method, uri, allow_redirects=False) as answer:
                return answer.status
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError):
            return None


class _PublicOnly(AbstractResolver):
    """A resolver that knows no address of a private network."""

    def __init__(self, inner: AbstractResolver) -> None:
        self._inner = inner

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        found = await self._inner.resolve(host, port, family)
        public = [each for each in found if is_public(each["host"])]
        if not public:
            raise OSError("the name leads to no public address")
        return public

    async def close(self) -> None:
        await self._inner.close()


def is_public(address: str) -> bool:
    """Whether an IP address is one of the public internet. An IPv4 address within an IPv6 one counts as itself."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(parsed, ipaddress.IPv6Address):
        parsed = parsed.ipv4_mapped or parsed.sixtofour or parsed
    return parsed.is_global and not parsed.is_multicast


def _may_be_public(host: str) -> bool:
    """Whether a host is a name, or a public address: an address in a link is connected to without a look-up."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return bool(host)
    return is_public(host)
