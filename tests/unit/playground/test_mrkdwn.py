"""mrkdwn and Markdown, parsed into the elements of rich text."""

from __future__ import annotations

import pytest

from bot.playground.markdown import markdown_elements
from bot.playground.mrkdwn import inline_elements, mrkdwn_elements
from bot.standin.model import Json


def leaf(text: str, **style: bool) -> Json:
    return {"type": "text", "text": text, **({"style": style} if style else {})}


def link(url: str, text: str, **style: bool) -> Json:
    return {"type": "link", "url": url, "text": text, **({"style": style} if style else {})}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", [leaf("plain")]),
        ("*bold* and _italic_", [leaf("bold", bold=True), leaf(" and "), leaf("italic", italic=True)]),
        ("*_both_*", [leaf("both", bold=True, italic=True)]),
        ("2*3*4 and snake_case_name", [leaf("2*3*4 and snake_case_name")]),
        ("`a *b*`", [leaf("a *b*", code=True)]),
        ("&lt;tag&gt; &amp;amp;", [leaf("<tag> &amp;")]),
        ("<@U1|ana>", [{"type": "user", "user_id": "U1"}]),
        ("<#C1|general>", [{"type": "channel", "channel_id": "C1"}]),
        ("<!here>", [{"type": "broadcast", "range": "here"}]),
        ("<!subteam^S1|@hr>", [{"type": "usergroup", "usergroup_id": "S1"}]),
        ("<https://a.example/?x=1&amp;y=2|A &amp; B>", [link("https://a.example/?x=1&y=2", "A & B")]),
        ("*<https://a.example|A>*", [link("https://a.example", "A", bold=True)]),
        ("12:30:15 :tada:", [leaf("12:30:15 "), {"type": "emoji", "name": "tada"}]),
        (
            "<!date^1392734382^{date} at {time}^https://a.example|then>",
            [
                {
                    "type": "date",
                    "timestamp": 1392734382,
                    "format": "{date} at {time}",
                    "url": "https://a.example",
                    "fallback": "then",
                }
            ],
        ),
    ],
)
def test_a_run_of_mrkdwn(text: str, expected: list[Json]) -> None:
    assert inline_elements(text) == expected


def test_quotes_and_fences_are_elements_of_their_own() -> None:
    parsed = mrkdwn_elements("before\n&gt; one\n> two\nafter\n```\n*raw*\n```\nend")
    assert [(e["type"], e["elements"][0]["text"]) for e in parsed] == [
        ("rich_text_section", "before"),
        ("rich_text_quote", "one\ntwo"),
        ("rich_text_section", "after"),
        ("rich_text_preformatted", "*raw*"),
        ("rich_text_section", "end"),
    ]


def test_markdown_lists_nest() -> None:
    parsed = markdown_elements("3. a\n   - b\n4. c\n")
    shown = [(e["style"], e["indent"], e["offset"], e["elements"][0]["elements"][0]["text"]) for e in parsed]
    assert shown == [("ordered", 0, 2, "a"), ("bullet", 1, 0, "b"), ("ordered", 0, 3, "c")]


def test_markdown_keeps_its_styles_links_and_tables() -> None:
    parsed = markdown_elements("# T\n\n**b** `c` [l](https://a.example)\n\n| x |\n|---|\n| 1 |\n\n---\n")
    heading, paragraph, table, rule = parsed
    assert (heading["type"], heading["level"]) == ("heading", 1)
    assert paragraph["elements"] == [
        leaf("b", bold=True),
        leaf(" "),
        leaf("c", code=True),
        leaf(" "),
        {"type": "link", "url": "https://a.example", "text": "l"},
    ]
    assert [len(row) for row in table["rows"]] == [1, 1]
    assert rule["type"] == "rule"


def test_markdown_is_never_html_and_mentions_stay_alive() -> None:
    parsed = markdown_elements("<b>no</b> <@U1> *i*")
    assert parsed[0]["elements"] == [
        leaf("<b>no</b> "),
        {"type": "user", "user_id": "U1"},
        leaf(" "),
        leaf("i", italic=True),
    ]


def test_an_unfinished_stream_is_parsed_as_far_as_it_goes() -> None:
    assert markdown_elements("**Five da")[0]["elements"] == [leaf("**Five da")]
    assert markdown_elements("") == []
