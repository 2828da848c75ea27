"""Links are asked politely, and only where they may lead."""

from __future__ import annotations

import asyncio
import socket
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import pytest
from aiohttp import web
from aiohttp.abc import AbstractResolver, ResolveResult

from core.alerts.links import Link, LinkChecker, is_public


@dataclass
class Site:
    """A web site on this machine that remembers what it was asked."""

    base: str = ""
    asked: list[tuple[str, str]] = field(default_factory=list)

    async def answer(self, request: web.Request) -> web.Response:
        self.asked.append((request.method, request.path))
        match request.path:
            case "/wiki/gone":
                return web.Response(status=404)
            case "/wiki/no-head":
                return web.Response(status=200 if request.method == "GET" else 405)
            case "/wiki/login":
                return web.Response(status=302, headers={"Location": f"{self.base}/secret"})
            case "/wiki/private":
                return web.Response(status=403)
            case "/wiki/broken":
                return web.Response(status=500)
            case "/wiki/slow":
                await asyncio.Event().wait()
        return web.Response(status=200)


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    made = Site()
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", made.answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    made.base = f"http://127.0.0.1:{runner.addresses[0][1]}"
    yield made
    await runner.cleanup()


class Pauses(list[float]):
    """Remembers pauses in place of making them."""

    async def __call__(self, seconds: float) -> None:
        self.append(seconds)


def links(site: Site, *paths: str) -> list[Link]:
    return [Link("wiki", f"{site.base}{path}") for path in paths]


async def test_what_is_gone_or_broken_is_found_and_what_asks_for_a_login_is_there(site: Site) -> None:
    checker = LinkChecker(f"{site.base}/wiki", private=True, pause_seconds=0)
    paths = ("/wiki/here", "/wiki/gone", "/wiki/no-head", "/wiki/login", "/wiki/private", "/wiki/broken")
    checked = await checker.check(links(site, *paths))
    assert [link.uri.rpartition("/")[2] for link in checked.broken] == ["gone", "broken"]
    assert checked.asked == 6


async def test_head_is_asked_first_and_get_only_where_it_says_no(site: Site) -> None:
    checker = LinkChecker(f"{site.base}/wiki", private=True, pause_seconds=0)
    await checker.check(links(site, "/wiki/here", "/wiki/no-head"))
    assert site.asked == [("HEAD", "/wiki/here"), ("HEAD", "/wiki/no-head"), ("GET", "/wiki/no-head")]


async def test_a_redirection_is_not_followed(site: Site) -> None:
    checker = LinkChecker(f"{site.base}/wiki", private=True, pause_seconds=0)
    await checker.check(links(site, "/wiki/login"))
    assert ("HEAD", "/secret") not in site.asked
    assert ("GET", "/secret") not in site.asked


async def test_only_what_stands_below_the_address_is_asked_and_each_once(site: Site) -> None:
    checker = LinkChecker(f"{site.base}/wiki", private=True, pause_seconds=0)
    elsewhere = [Link("wiki", f"{site.base}/wikileaks"), Link("wiki", "http://user:pass@127.0.0.1/wiki/x")]
    checked = await checker.check([*links(site, "/wiki/a", "/wiki/a", "/other/b"), *elsewhere])
    assert site.asked == [("HEAD", "/wiki/a")]
    assert checked.asked == 1


async def test_there_is_a_pause_between_two_links(site: Site) -> None:
    pauses = Pauses()
    checker = LinkChecker(f"{site.base}/wiki", private=True, pause_seconds=1.5, sleep=pauses)
    await checker.check(links(site, "/wiki/a", "/wiki/b", "/wiki/c"))
    assert pauses == [1.5, 1.5]


async def test_a_link_that_does_not_answer_in_time_is_broken(site: Site) -> None:
    checker = LinkChecker(f"{site.base}/wiki", private=True, pause_seconds=0, timeout_seconds=0.2)
    checked = await checker.check(links(site, "/wiki/slow"))
    assert len(checked.broken) == 1


async def test_an_address_of_a_private_network_is_not_connected_to(site: Site) -> None:
    checked = await LinkChecker(f"{site.base}/wiki", pause_seconds=0).check(links(site, "/wiki/here"))
    assert len(checked.broken) == 1
    assert site.asked == []


class Rebound(AbstractResolver):
    """Leads a name to this machine."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.resolved: Counter[str] = Counter()

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        self.resolved[host] += 1
        return [ResolveResult(hostname=host, host="127.0.0.1", port=self.port, family=socket.AF_INET, proto=0, flags=0)]

    async def close(self) -> None:
        pass


async def test_a_name_that_leads_into_a_private_network_is_not_connected_to(site: Site) -> None:
    port = int(site.base.rpartition(":")[2])
    link = Link("wiki", f"http://wiki.example:{port}/wiki/here")
    for private, asked in ((False, []), (True, [("HEAD", "/wiki/here")])):
        resolver = Rebound(port)
        base = f"http://wiki.example:{port}/wiki"
        await LinkChecker(base, private=private, pause_seconds=0, resolver=resolver).check([link])
        assert resolver.resolved["wiki.example"]
        assert site.asked == asked


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("8.8.8.8", True),
        ("2606:4700::1111", True),
        ("127.0.0.1", False),
        ("10.1.2.3", False),
        ("169.254.169.254", False),
        ("100.64.0.1", False),
        ("0.0.0.0", False),
        ("::1", False),
        ("fe80::1%eth0", False),
        ("::ffff:10.0.0.1", False),
        ("2002:7f00:1::", False),
        ("fd00::1", False),
        ("224.0.0.1", False),
        ("localhost", False),
    ],
)
def test_what_a_public_address_is(address: str, public: bool) -> None:
    assert is_public(address) is public
