from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.rendering.escape import mrkdwn, one_line, plain


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("AT&T <b>", "AT&amp;T &lt;b&gt;"),
        ("<!channel> <!here>", "&lt;!channel&gt; &lt;!here&gt;"),
        ("<@U123>, <!subteam^S1>", "&lt;@\u2060U123&gt;, &lt;!subteam^S1&gt;"),
        ("@channel", "@\u2060channel"),
        ("&amp;", "&amp;amp;"),
    ],
)
def test_mentions_and_entities_become_plain_text(written: str, shown: str) -> None:
    assert mrkdwn(written) == shown


@pytest.mark.parametrize("formatted", ["*bold*", "_italic_", "~struck~", "`code`", "```block```", "(*bold*)", "*a b*."])
def test_signs_that_would_format_do_so_no_more(formatted: str) -> None:
    assert not re.search(r"(?<!\w)[*_~`]\S.*?[*_~`](?!\w)", mrkdwn(formatted))


@pytest.mark.parametrize("code", ["SAP_2024_X", "5 * 3 * 2", "a_b", "10:30:45", "C++", "1.500,50 €", "v1.2"])
def test_signs_that_format_nothing_stay(code: str) -> None:
    assert mrkdwn(code) == code


def test_a_line_does_not_become_a_quotation() -> None:
    assert mrkdwn("a\n> b\n  >c") == "a\n› b\n  ›c"


def test_a_word_between_colons_does_not_become_an_emoji() -> None:
    assert ":warning:" not in mrkdwn("see :warning: and :+1:")


@pytest.mark.parametrize(
    "address", ["https://evil.example/x", "http://a.example", "evil.example", "mailto:a@b.example"]
)
def test_a_bare_address_does_not_become_a_link(address: str) -> None:
    assert not re.search(r"\w\.\w\w|//\w|\w@\w", mrkdwn(address).replace(":\u2060//", ""))


@pytest.mark.parametrize(
    "unseen", ["\x00", "\x1b", "\x7f", "\x9b", "\u202e", "\u2066", "\u200f", "\u200b", "\ufeff", "\xad", "\U000e0041"]
)
def test_signs_that_are_not_seen_are_left_out(unseen: str) -> None:
    assert plain(f"a{unseen}b") == "ab"


def test_line_breaks_of_all_kinds_become_one_kind() -> None:
    assert plain("a\r\nb\rc\u2028d\u2029e\x85f") == "a\nb\nc\nd\ne\nf"


def test_joiners_that_emoji_and_persian_need_stay() -> None:
    assert plain("👩\u200d💻 می\u200cخواهم") == "👩\u200d💻 می\u200cخواهم"


def test_a_lone_surrogate_becomes_a_replacement_sign() -> None:
    assert plain("a\ud800b").encode() == "a\ufffdb".encode()


def test_a_title_is_one_line() -> None:
    assert one_line(" a\n\t b  c ") == "a b c"


@given(st.text())
def test_escaped_text_holds_no_markup_of_slack(text: str) -> None:
    shown = mrkdwn(text)
    assert "<" not in shown
    assert ">" not in shown
    assert "`" not in shown
    assert not re.search(r"&(?!amp;|lt;|gt;)", shown)


@given(st.text())
def test_plain_text_is_stable_and_can_be_sent(text: str) -> None:
    assert plain(plain(text)) == plain(text)
    plain(text).encode()
