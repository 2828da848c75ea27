from __future__ import annotations

from urllib.parse import unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.rendering import limits
from bot.rendering.links import https_link, sentence_link, text_directive
from tests.pictures.samples import cite

HOSTS = ("wiki.x.com", "Drive.X.com", "internal.x.com:8443", "café.example")


@pytest.mark.parametrize(
    "uri",
    [
        "http://wiki.x.com/a",
        "https://evil.example/a",
        "https://wiki.x.com.evil.example/a",
        "https://wiki.x.com@evil.example/",
        "https://user:pass@wiki.x.com/a",
        "https://evilwiki.x.com/a",
        "https://sub.wiki.x.com/a",
        "https://wiki.x.com:8443/a",
        "https://internal.x.com/a",
        "https://wiki.x.com\\@evil.example/a",
        "https://wiki.x.com/a\nb",
        "https://[::1/",
        "https:///a",
        "javascript:alert(1)",
        "//wiki.x.com/a",
        "wiki.x.com/a",
        "file:///etc/passwd",
        "",
        "   ",
    ],
)
def test_only_https_addresses_on_declared_hosts_are_links(uri: str) -> None:
    assert https_link(uri, HOSTS) is None


@pytest.mark.parametrize(
    ("uri", "link"),
    [
        ("https://wiki.x.com/a", "https://wiki.x.com/a"),
        ("HTTPS://WIKI.X.COM/A", "https://wiki.x.com/A"),
        ("https://wiki.x.com:443/a", "https://wiki.x.com/a"),
        ("https://drive.x.com/a", "https://drive.x.com/a"),
        ("https://internal.x.com:8443/a", "https://internal.x.com:8443/a"),
        ("https://café.example/a", "https://xn--caf-dma.example/a"),
        ("https://wiki.x.com", "https://wiki.x.com"),
        ("https://wiki.x.com/a#Section-1", "https://wiki.x.com/a#Section-1"),
        ("https://wiki.x.com/a#x:~:text=evil", "https://wiki.x.com/a#x"),
        ("https://wiki.x.com/a#:~:text=evil", "https://wiki.x.com/a"),
    ],
)
def test_a_link_is_written_in_its_normal_form(uri: str, link: str) -> None:
    assert https_link(uri, HOSTS) == link


def test_d8_an_address_with_signs_that_end_links_opens_exactly_that_address() -> None:
    link = https_link("https://wiki.x.com/pages/Año (2026) | Ana's <plan>/x y?q=a b|c&d=(e)'f", HOSTS)
    assert link is not None
    assert not set("()|'<> \"") & set(link)
    assert link.isascii()
    assert unquote(urlsplit(link).path) == "/pages/Año (2026) | Ana's <plan>/x y"
    assert unquote(urlsplit(link).query) == "q=a b|c&d=(e)'f"


def test_what_is_encoded_already_stays_as_it_is() -> None:
    assert https_link("https://wiki.x.com/a%20b%28c%29%2Fd?x=%26", HOSTS) == "https://wiki.x.com/a%20b%28c%29%2Fd?x=%26"


def test_a_percent_sign_that_encodes_nothing_is_encoded() -> None:
    assert https_link("https://wiki.x.com/100% sure", HOSTS) == "https://wiki.x.com/100%25%20sure"


def test_an_address_too_long_for_a_message_is_no_link() -> None:
    assert https_link("https://wiki.x.com/" + "a" * limits.LINK, HOSTS) is None


@pytest.mark.parametrize(
    ("quote", "directive"),
    [
        ("Son 23 días.", "text=Son%2023%20d%C3%ADas."),
        ("de 50-60, A&B", "text=de%2050%2D60%2C%20A%26B"),
        (
            "one two three four five six seven eight nine ten eleven twelve",
            "text=one%20two%20three%20four%20five,eight%20nine%20ten%20eleven%20twelve",
        ),
        ("first item of it\nlast item of it", "text=first%20item%20of%20it,last%20item%20of%20it"),
        ("Portugal | 48,00 € | 120,00 €", "text=Portugal-,48%2C00%20%E2%82%AC,120%2C00%20%E2%82%AC"),
        ("Portugal | 48 €", "text=Portugal-,48%20%E2%82%AC"),
        ("  ", ""),
    ],
)
def test_a_quote_is_found_in_its_page_by_its_own_words(quote: str, directive: str) -> None:
    # Each of these was tried in Chromium 156: it scrolls to the sentence, item or row.
    assert text_directive(quote) == directive


def test_a_link_leads_to_the_very_sentence() -> None:
    assert sentence_link(cite("Son 23 días.", uri="https://wiki.x.com/a"), HOSTS) == (
        "https://wiki.x.com/a#:~:text=Son%2023%20d%C3%ADas."
    )


def test_a_fragment_of_the_address_is_kept_before_the_sentence() -> None:
    assert sentence_link(cite("Son 23 días.", uri="https://wiki.x.com/a#dias"), HOSTS) == (
        "https://wiki.x.com/a#dias:~:text=Son%2023%20d%C3%ADas."
    )


def test_a_pdf_opens_at_its_page() -> None:
    assert (
        sentence_link(cite("x", uri="https://wiki.x.com/a.pdf", page=42), HOSTS) == "https://wiki.x.com/a.pdf#page=42"
    )
    assert sentence_link(cite("x", uri="https://wiki.x.com/a.pdf"), HOSTS) == "https://wiki.x.com/a.pdf"


def test_a_source_that_forbids_extracts_has_none_in_its_address() -> None:
    citation = cite("Son 23 días.", uri="https://wiki.x.com/a")
    assert sentence_link(citation, HOSTS, show_quotes=False) == "https://wiki.x.com/a"


@given(st.text(), st.text(), st.text())
def test_whatever_the_address_a_link_is_ascii_short_and_on_its_host(path: str, query: str, quote: str) -> None:
    link = sentence_link(cite(quote, uri=f"https://wiki.x.com/{path}?{query}"), HOSTS)
    if link is None:
        return
    assert link.isascii()
    assert urlsplit(link).hostname == "wiki.x.com"
    assert not set("()|'<> \"\\") & set(link)
    assert len(link) <= limits.LINK


@given(st.text())
def test_nothing_but_declared_hosts_is_ever_linked(uri: str) -> None:
    for candidate in (uri, f"https://{uri}", f"https://{uri}/wiki.x.com"):
        link = https_link(candidate, ("wiki.x.com",))
        assert link is None or link.startswith("https://wiki.x.com")
