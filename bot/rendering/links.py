"""Addresses: which may become links, how they are written, and how they lead to the very sentence."""

from __future__ import annotations

import re
from collections.abc import Collection
from urllib.parse import quote, urlsplit

from bot.rendering import limits
from core.domain.evidence import Citation

_FORBIDDEN = re.compile(r"[\x00-\x1f\x7f\\]")
_BAD_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
# Not among the safe signs though RFC 3986 allows them in a path: ( ) ' (they end links in Markdown) and | (in mrkdwn).
_SAFE = "%/:@!$&*+,;=-._~"

_DIRECTIVE = ":~:"
_WORDS_EACH_SIDE = 5
_CELLS = re.compile(r"\s*(?:\||\t|\n)\s*")


def https_link(uri: str, hosts: Collection[str]) -> str | None:
    """The address as a link may carry it, or None when it may not be one.

    It may when it is https, names one of `hosts` (`wiki.example.com`, or `wiki.example.com:8443` for another port) and
    no user. It opens exactly that address: signs that end a link somewhere are percent-encoded, what is encoded stays.
    """
    uri = uri.strip()
    if not uri or _FORBIDDEN.search(uri):
        return None
    try:
        parts = urlsplit(uri)
        host, port = (parts.hostname or "").encode("idna").decode("ascii"), parts.port
    except (ValueError, UnicodeError):
        return None
    if parts.scheme.lower() != "https" or not host or parts.username is not None or parts.password is not None:
        return None
    place = host if port in {None, 443} else f"{host}:{port}"
    if place not in {_ascii_host(name) for name in hosts}:
        return None
    address = f"https://{place}{_encode(parts.path)}"
    if parts.query:
        address += "?" + _encode(parts.query, "?")
    if fragment := parts.fragment.partition(_DIRECTIVE)[0]:
        address += "#" + _encode(fragment, "?")
    return address if limits.size(address) <= limits.LINK else None


def sentence_link(citation: Citation, hosts: Collection[str], *, show_quotes: bool = True) -> str | None:
    """The link to a citation's document, at the quoted words: https://wicg.github.io/scroll-to-text-fragment/.

    A PDF opens at its page. Without `show_quotes` the quote's words are not put into the address either.
    """
    address = https_link(citation.source_uri, hosts)
    if address is None:
        return None
    if urlsplit(address).path.lower().endswith(".pdf"):
        return address if citation.page is None or "#" in address else f"{address}#page={citation.page}"
    directive = text_directive(citation.quote) if show_quotes else ""
    if not directive:
        return address
    joined = f"{address}{'' if '#' in address else '#'}{_DIRECTIVE}{directive}"
    return joined if limits.size(joined) <= limits.LINK else address


def text_directive(text: str) -> str:
    """The `text=…` directive that finds a quote in a page: whole when it is short, else by its first and last words.

    A browser matches each term within one paragraph or cell, so a table row is found by its first cell as the prefix of
    the second, and a quote over several lines by the first words of the first and the last of the last.
    """
    spans = [words for part in _CELLS.split(text) if (words := part.split())]
    if not spans:
        return ""
    if len(spans) > 1 and "|" in text:
        prefix, start, *rest = (" ".join(words) for words in spans)
        return "text=" + ",".join([f"{_term(prefix)}-", _term(start), *(_term(cell) for cell in rest[-1:])])
    first, last = spans[0], spans[-1]
    if len(spans) == 1 and len(first) <= 2 * _WORDS_EACH_SIDE:
        return "text=" + _term(" ".join(first))
    return f"text={_term(' '.join(first[:_WORDS_EACH_SIDE]))},{_term(' '.join(last[-_WORDS_EACH_SIDE:]))}"


def _term(text: str) -> str:
    """Percent-encode all that is not a letter or digit: `-`, `,` and `&` are syntax of the directive."""
    return quote(text, safe="").replace("-", "%2D")


def _encode(part: str, safe: str = "") -> str:
    return quote(_BAD_PERCENT.sub("%25", part), safe=_SAFE + safe)


def _ascii_host(name: str) -> str:
    host, colon, port = name.strip().lower().partition(":")
    try:
        host = host.encode("idna").decode("ascii")
    except UnicodeError:
        return ""
    return host if port in {"", "443"} else f"{host}{colon}{port}"
