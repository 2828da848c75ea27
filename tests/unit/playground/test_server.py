"""Who may speak to the page's server: whoever has its address, from its own page, and nobody else."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from bot.playground import PlaygroundServer, Session
from bot.playground.acting import Actor
from bot.playground.company import Company
from bot.playground.server import STATIC
from bot.standin import SlackStandIn

TOKEN = "a-token-of-this-test"


@pytest.fixture
async def server(slack: SlackStandIn, company: Company) -> AsyncIterator[PlaygroundServer]:
    ended = asyncio.get_running_loop().create_task(asyncio.Event().wait())
    session = Session(slack, company, Actor(slack, company), ended)  # type: ignore[arg-type]  # never ends
    made = PlaygroundServer(session, token=TOKEN)
    async with made.listening():
        yield made
    ended.cancel()


@pytest.fixture
def base(server: PlaygroundServer) -> str:
    return server.address.partition("/?")[0]


@pytest.fixture
async def stranger() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as client:
        yield client


@pytest.fixture
async def visitor(server: PlaygroundServer) -> AsyncIterator[aiohttp.ClientSession]:
    """Somebody who has opened the printed address."""
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as client:
        async with client.get(server.address) as page:
            assert page.status == 200 and page.url.query_string == ""
        yield client


async def status(client: aiohttp.ClientSession, method: str, url: str, **options: object) -> int:
    async with client.request(method, url, **options) as answer:  # type: ignore[arg-type]  # what aiohttp takes
        return answer.status


async def test_without_the_token_nothing_is_given(base: str, stranger: aiohttp.ClientSession) -> None:
    for path in ("/", "/?token=wrong", "/static/app.js", "/events"):
        assert await status(stranger, "GET", base + path) == 403
    assert await status(stranger, "POST", base + "/act", json={}) == 403


async def test_the_cookie_is_for_this_page_alone(server: PlaygroundServer, stranger: aiohttp.ClientSession) -> None:
    async with stranger.get(server.address, allow_redirects=False) as answer:
        cookie = answer.headers["Set-Cookie"]
    assert answer.status == 303 and "HttpOnly" in cookie and "SameSite=Strict" in cookie


async def test_another_page_or_name_is_refused(base: str, visitor: aiohttp.ClientSession) -> None:
    assert await status(visitor, "GET", base + "/events", headers={"Host": "evil.example"}) == 403
    for headers in ({"Origin": "http://127.0.0.1:1"}, {"Origin": "null"}, {"Sec-Fetch-Site": "same-site"}):
        assert await status(visitor, "POST", base + "/act", json={}, headers=headers) == 403
    assert await status(visitor, "POST", base + "/act", data="{}", headers={"Content-Type": "text/plain"}) == 415


async def test_only_its_own_files_are_served(base: str, visitor: aiohttp.ClientSession) -> None:
    assert await status(visitor, "GET", base + "/static/app.js") == 200
    for path in ("/static/..%2Fserver.py", "/static/%2Fetc%2Fpasswd", "/static/server.py", "/static/"):
        assert await status(visitor, "GET", base + path) == 404


async def test_a_screen_comes_whole_and_then_in_pieces(
    base: str, visitor: aiohttp.ClientSession, slack: SlackStandIn
) -> None:
    pau = slack.person("pau.ferrandis")
    async with visitor.get(f"{base}/events?person={pau.id}") as stream:
        first = await _next(stream)
        assert first["whole"] and first["set"]["workspace"]["me"] == pau.id
        message = await pau.post("general", "hello")
        second = await _next(stream)
    assert not second["whole"]
    assert f"message/{message.channel_id}/{message.ts}" in second["set"]
    assert "workspace" not in second["set"]


async def test_the_page_may_load_nothing_from_elsewhere(base: str, visitor: aiohttp.ClientSession) -> None:
    async with visitor.get(base + "/") as answer:
        policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy


def test_the_page_never_writes_markup() -> None:
    for script in STATIC.glob("*.js"):
        found = re.search(
            r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", script.read_text()
        )
        assert found is None, script.name


async def _next(stream: aiohttp.ClientResponse) -> dict[str, Any]:
    async with asyncio.timeout(10):
        while True:
            line = (await stream.content.readline()).decode()
            if line.startswith("data: "):
                return dict(json.loads(line.removeprefix("data: ")))
