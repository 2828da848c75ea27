"""What follows an answer, as messages and modals: what Slack takes, what is said, and what is only ever data."""

from __future__ import annotations

import datetime as dt
import json
from typing import Any

import pytest

from bot.rendering import Message, render_answer
from bot.rendering.asking_people import Handover, Reach, render_ask_form, render_asked, render_suggested
from bot.rendering.gaps import render_gaps, render_gaps_csv
from bot.rendering.living import LIVING_BLOCK, render_news_for_asker, with_news
from bot.words import Words
from core.domain.evidence import NearDocument
from core.gaps import Gap
from core.living import News, NewsKind
from tests.pictures.after_samples import RUN, after_messages, after_views
from tests.pictures.samples import ANSWER_ES, FACTS, HOSTS, NOW
from tests.unit.rendering.slack_checks import check, check_view, elements, said, urls

ES, EN = Words("es"), Words("en")
DAY = dt.date(2026, 3, 3)
CHANGED = News(NewsKind.CHANGED, "Travel policy", DAY, ("It now says this.",))
EVIL = [
    "<!channel> <@U0EVIL> *bold* `code`",
    "[label](https://evil.example) <https://evil.example|x>",
    "\u202e\u200b:tada: &lt;!here&gt;\x1b[31m",
    '"}],"type":"button"',
    "https://evil.example/" + "a" * 3_000,
]


@pytest.mark.parametrize("name", after_messages())
def test_every_sample_is_a_message_that_slack_takes(name: str) -> None:
    for message in after_messages()[name]:
        check(message)


@pytest.mark.parametrize("name", after_views())
def test_every_sample_is_a_modal_that_slack_takes(name: str) -> None:
    check_view(after_views()[name])


def answer() -> Message:
    (drawn,) = render_answer(ANSWER_ES, ES, HOSTS, NOW, FACTS)
    return drawn


def told(message: Message, *news: News) -> Message:
    drawn = with_news(message.blocks, message.text, news, ES)
    assert drawn is not None
    return drawn


def ids(message: Message) -> list[Any]:
    return [block.get("block_id") for block in message.blocks]


def test_the_line_stands_above_the_buttons_and_once_however_often_it_is_told() -> None:
    first = told(answer(), CHANGED)
    again = told(first, News(NewsKind.UNAVAILABLE))
    assert ids(first).count(LIVING_BLOCK) == ids(again).count(LIVING_BLOCK) == 1
    assert [block["type"] for block in again.blocks][-2:] == ["actions", "context_actions"]
    assert "It now says this." in first.text
    assert "It now says this." not in again.text + said(again)


def test_what_is_not_so_any_more_leaves_no_trace() -> None:
    before = answer()
    after = told(told(before, CHANGED))
    assert after.blocks == before.blocks
    assert after.text == before.text


def test_where_nothing_was_told_and_nothing_is_to_be_there_is_nothing_to_do() -> None:
    assert with_news(answer().blocks, answer().text, (), ES) is None


def test_a_message_that_is_full_is_left_alone() -> None:
    full = [{"type": "divider"}] * 50
    assert with_news(full, "x", (CHANGED,), ES) is None


def test_what_is_unavailable_has_no_title() -> None:
    news = News(NewsKind.UNAVAILABLE, "Secret plan", DAY, ("Everything closes.",))
    shown = render_news_for_asker((news,), EN)
    assert "Secret" not in said(shown) + shown.text
    assert "closes" not in said(shown) + shown.text


def test_a_document_without_extracts_is_not_quoted() -> None:
    news = News(NewsKind.CHANGED, "Rules", DAY, ("Quoted.",), may_quote=False)
    assert "Quoted." not in said(render_news_for_asker((news,), EN))


def everything(evil: str, words: Words) -> list[Message]:
    news = News(NewsKind.CHANGED, evil, DAY, (evil,) * 3)
    gap = Gap(evil, 1, 1, 1, 0, DAY, (NearDocument("d", evil, evil, evil),), (evil,))
    return [
        told(answer(), *(news,) * 9),
        render_news_for_asker((news,), words),
        render_gaps([gap] * 30, words, HOSTS, 7),
        *render_gaps_csv([gap] * 30, words),
        render_asked("U0ANA", evil, "", words),
        render_suggested("U0EVA", evil, evil, "", words),
    ]


@pytest.mark.parametrize("words", [ES, EN])
@pytest.mark.parametrize("evil", EVIL)
def test_text_from_outside_is_only_ever_data(evil: str, words: Words) -> None:
    for message in everything(evil, words):
        check(message)
        assert all("evil.example" not in url for url in urls(message))
        for element in elements(message):
            assert element.get("type") not in {"mrkdwn", "markdown", "broadcast", "usergroup", "image"}
            assert element.get("user_id") in {None, "U0ANA", "U0EVA"}
        assert "<!" not in message.text
        assert "<@" not in message.text


@pytest.mark.parametrize("evil", EVIL)
def test_a_question_stands_in_the_form_as_it_is(evil: str) -> None:
    handover = Handover(run=RUN, user="U1", place="C1", thread="1.0", to="C2", reach=Reach.PUBLIC)
    check_view(render_ask_form(handover, evil, EN, linked=True))


def test_what_the_form_carries_is_read_back_and_nothing_else_is() -> None:
    handover = Handover(run=RUN, user="U1", place="C1", thread="1.0", to="C2", reach=Reach.PUBLIC)
    written = handover.model_dump_json()
    assert Handover.parse(written) == handover
    assert Handover.parse("") is None
    assert Handover.parse(json.dumps({**json.loads(written), "run": "1; drop"})) is None
    assert Handover.parse(json.dumps({**json.loads(written), "more": 1})) is None


def test_a_long_list_of_gaps_says_how_many_more_there_are() -> None:
    gap = Gap("Why?", 2, 1, 2, 0, DAY)
    assert "15 more stand in the CSV." in said(render_gaps([gap] * 25, EN, HOSTS, 7))
