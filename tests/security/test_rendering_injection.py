"""Documents, models and people that try to make the bot ping, link or format: cases D9 and Q7, and their kind."""

from __future__ import annotations

import json
import re

import pytest

from bot.rendering import (
    NO_UNFURL,
    Message,
    render_abstention,
    render_answer,
    render_error,
    render_help,
    render_progress,
    render_status,
    render_summary,
)
from bot.rendering.answer_buttons import EVIDENCE_ACTION, Meant
from bot.rendering.errors import ErrorKind
from bot.rendering.status import SourceStatus
from bot.words import Words
from core.domain.evidence import (
    Abstention,
    AbstentionReason,
    Claim,
    ClaimKind,
    ClaimStatus,
    NearDocument,
    Reason,
    ReasonCode,
)
from core.domain.syncing import SyncCounts, SyncFailure, SyncFinished, SyncProgress
from tests.pictures.samples import HOSTS, NOW, answer_with, cite
from tests.unit.rendering.slack_checks import check, elements, said, urls

ATTACKS = [
    "<!channel> <!here> <!everyone>",
    "<@U123> <@U123|ana> <#C123|general> <!subteam^S1> <!subteam^S1|@team>",
    "@channel @here @everyone",
    "<https://evil.example/?q=1|Manual de vacaciones>",
    "[click](https://evil.example/?q=secret) ![x](https://evil.example/x.png)",
    "https://evil.example/steal www.evil.example mailto:evil@evil.example",
    "*bold* _italic_ ~struck~ `code` ```block```",
    "> quoted\n>>> all quoted",
    ":warning: :rotating_light: :+1:",
    "<!date^1392734382^{date}^https://evil.example|x>",
    "\u202egnp.exe \u2066x\u2069 \u200b<!channel>",
    "&lt;!channel&gt; &#60;!here&#62;",
    '"}],"type":"button","url":"https://evil.example',
    "{0} {words} %s ${x}",
]
LANGUAGES = ["es", "en"]


def everything(evil: str, words: Words) -> list[Message]:
    """Every message that can carry text from outside, full of it."""
    citation = cite(f"{evil} con más palabras {evil}", title=evil, section=(evil, evil))
    own_words = cite(evil, title=evil, section=(), start=900)
    table = f"{evil} | b\nc | d"
    claims = (
        Claim(evil, ClaimKind.SYNTHESIS, ClaimStatus.SUPPORTED, (citation,)),
        Claim(evil, ClaimKind.QUOTE, ClaimStatus.SUPPORTED, (own_words,)),
        Claim(table, ClaimKind.QUOTE, ClaimStatus.SUPPORTED, (citation,)),
        Claim("x", ClaimKind.QUOTE, ClaimStatus.PARTIAL, (citation,), (Reason(ReasonCode.CONDITION_DROPPED, evil),)),
    )
    near = (NearDocument("a", evil, evil, evil), NearDocument("b", "B", "https://evil.example/b", evil))
    abstention = Abstention(AbstentionReason.LOW_CONFIDENCE, evil, (evil,), near)
    finished = SyncFinished(evil, SyncCounts(failed=1), 1.0, (SyncFailure(evil, evil),), (evil,), evil)
    return [
        *render_answer(answer_with(*claims, notes=(evil,)), words, HOSTS, NOW),
        render_abstention(abstention, words, HOSTS, evil),
        render_help(words, (evil,), admin=True),
        render_error(ErrorKind.UNEXPECTED, evil.replace("https://", ""), words),
        render_progress((SyncProgress(evil, 1, 2),), words),
        render_summary((finished,), words),
        render_status((SourceStatus(evil, 1, None),), words),
    ]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("evil", ATTACKS)
def test_d9_text_from_outside_is_only_ever_data(evil: str, language: str) -> None:
    for message in everything(evil, Words(language)):
        check(message)
        for element in elements(message):
            # No element that pings, and none that Slack parses.
            assert element.get("type") not in {
                "user",
                "usergroup",
                "broadcast",
                "channel",
                "emoji",
                "mrkdwn",
                "markdown",
            }
            assert element.get("emoji") in (None, False)
            assert element.get("type") != "image"
            # What can be pressed is ours: it says our words and carries ids.
            if element.get("type") == "button":
                assert element["action_id"] == EVIDENCE_ACTION
                assert element["text"]["text"] == Words(language).evidence_button()
                assert Meant.parse(element["value"]) is not None


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("evil", ATTACKS)
def test_d9_the_notification_holds_no_mention_and_no_markup(evil: str, language: str) -> None:
    for message in everything(evil, Words(language)):
        assert "<" not in message.text
        assert ">" not in message.text
        assert not re.search(r"@(channel|here|everyone)", message.text)
        assert "://" not in message.text
        assert not re.search(r"(?<!\w)[*_~`]\S[^\n]*[*_~`](?!\w)", message.text)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("evil", ATTACKS)
def test_q7_only_addresses_of_cited_sources_on_declared_hosts_are_links(evil: str, language: str) -> None:
    for message in everything(evil, Words(language)):
        assert all(re.match(r"https://(wiki|drive)\.faroazul\.example/", url) for url in urls(message))


@pytest.mark.parametrize("evil", ATTACKS)
def test_small_print_is_our_own_words_because_clients_link_addresses_in_it(evil: str) -> None:
    for message in everything("https://evil.example/steal", Words("en")):
        for block in message.blocks:
            if block["type"] in {"context", "header"}:
                assert "://" not in json.dumps(block)


def test_q7_a_source_whose_own_address_is_evil_is_not_linked() -> None:
    citation = cite("Son 23 días.", uri="https://evil.example/?q=https://wiki.faroazul.example/")
    claim = Claim("Son 23.", ClaimKind.QUOTE, ClaimStatus.SUPPORTED, (citation,))
    (message,) = render_answer(answer_with(claim), Words("es"), HOSTS, NOW)
    assert urls(message) == []
    assert "evil.example" not in json.dumps(message.blocks)


def test_q7_no_link_of_a_message_is_unfolded() -> None:
    assert NO_UNFURL == {"unfurl_links": False, "unfurl_media": False}


def test_what_a_document_says_is_shown_as_it_stands_there() -> None:
    claim = Claim("<!channel> *x* & `y`", ClaimKind.SYNTHESIS, ClaimStatus.SUPPORTED, (cite("Uno es uno."),))
    (message,) = render_answer(answer_with(claim), Words("es"), HOSTS, NOW)
    assert "<!channel> *x* & `y`" in said(message)
