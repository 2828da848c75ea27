from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.slack_text import mentions, question_text

BOT = "U0BOT"


@pytest.mark.parametrize(
    ("sent", "meant"),
    [
        ("<@U0BOT> how many holidays?", "how many holidays?"),
        ("<@U0BOT|testigo>   how  many?", "how many?"),
        ("hey <@U0BOT>, how many?", "hey , how many?"),
        ("<@U0BOT>", ""),
        ("what does <@U1|ana> say in <#C1|general>?", "what does @ana say in #general?"),
        ("ask <@U1> in <#C1>", "ask @U1 in #C1"),
        ("see <https://x.example/a?b=1&amp;c=2|the page> or <https://y.example>", "see the page or https://y.example"),
        ("write to <mailto:a@b.example|a@b.example> or <mailto:c@d.example>", "write to a@b.example or c@d.example"),
        ("<!here> <!subteam^S1|@hr> <!date^1^{date}|today>", "@here @hr @today"),
        ("is 3 &lt; 4 &amp;&amp; 5 &gt; 4?", "is 3 < 4 && 5 > 4?"),
        ("&amp;lt;", "&lt;"),
        ("O'Brien x' OR 1=1 -- \\ {0} C++ a:b AND ( 🙂", "O'Brien x' OR 1=1 -- \\ {0} C++ a:b AND ( 🙂"),
        ("two\nlines", "two\nlines"),
    ],
)
def test_a_question_is_what_the_person_wrote(sent: str, meant: str) -> None:
    assert question_text(sent, BOT) == meant


@given(st.text())
def test_no_text_makes_it_fail(text: str) -> None:
    question_text(text, BOT)


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("<@U0BOT> hi", True),
        ("hi <@U0BOT|testigo>", True),
        ("<@U0BOTTLE> hi", False),
        ("@testigo hi", False),
        ("", False),
    ],
)
def test_a_mention_is_known_by_the_whole_id(text: str, is_one: bool) -> None:
    assert mentions(text, BOT) is is_one
