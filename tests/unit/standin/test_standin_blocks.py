"""What Slack refuses in blocks, views and chunks."""

from typing import Any

import pytest

from bot.standin.block_checks import find_problems, require_valid_blocks
from bot.standin.chunk_checks import require_valid_chunks
from bot.standin.model import Json
from bot.standin.problems import ApiError
from bot.standin.view_checks import require_valid_view


def plain(text: str) -> Json:
    return {"type": "plain_text", "text": text}


def mrkdwn(text: str) -> Json:
    return {"type": "mrkdwn", "text": text}


def section(text: str = "x", **more: Any) -> Json:
    return {"type": "section", "text": mrkdwn(text), **more}


def button(text: str = "Go", **more: Any) -> Json:
    return {"type": "button", "text": plain(text), "action_id": "go", **more}


def actions(*elements: Json) -> Json:
    return {"type": "actions", "elements": list(elements)}


def table(rows: int, columns: int, cell: str = "x") -> Json:
    return {"type": "table", "rows": [[{"type": "raw_text", "text": cell}] * columns] * rows}


def feedback(text: str = "Good") -> Json:
    choice = {"text": plain(text), "value": "up"}
    buttons = {"type": "feedback_buttons", "action_id": "f", "positive_button": choice, "negative_button": choice}
    return {"type": "context_actions", "elements": [buttons]}


ALLOWED = {
    "section of 3,000": [section("x" * 3000)],
    "header of 150": [{"type": "header", "text": plain("x" * 150)}],
    "fifty blocks": [{"type": "divider"}] * 50,
    "ten context elements": [{"type": "context", "elements": [mrkdwn("x")] * 10}],
    "button of 75": [actions(button("x" * 75, url="https://x.example/?" + "a" * 2900))],
    "table of 100 by 20": [table(100, 20)],
    "markdown of 12,000": [{"type": "markdown", "text": "x" * 12_000}],
    "the same action id in two blocks": [section(accessory=button()), section(accessory=button())],
    "feedback": [feedback()],
    "rich text": [{"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": []}]}],
    "no blocks": [],
}

REFUSED = {
    "section of 3,001": ([section("x" * 3001)], "must be less than 3001 characters [json-pointer:/blocks/0/text/text]"),
    "empty section": ([section("")], "must be more than 0 characters [json-pointer:/blocks/0/text/text]"),
    "section without text": ([{"type": "section"}], "missing required field: text or fields [json-pointer:/blocks/0]"),
    "field of 2,001": (
        [{"type": "section", "fields": [mrkdwn("x" * 2001)]}],
        "must be less than 2001 characters [json-pointer:/blocks/0/fields/0/text]",
    ),
    "eleven fields": (
        [{"type": "section", "fields": [mrkdwn("x")] * 11}],
        "no more than 10 items allowed [json-pointer:/blocks/0/fields]",
    ),
    "header of 151": (
        [{"type": "header", "text": plain("x" * 151)}],
        "must be less than 151 characters [json-pointer:/blocks/0/text/text]",
    ),
    "header in mrkdwn": (
        [{"type": "header", "text": mrkdwn("x")}],
        "must be a valid enum value: plain_text [json-pointer:/blocks/0/text/type]",
    ),
    "51 blocks": ([{"type": "divider"}] * 51, "no more than 50 items allowed [json-pointer:/blocks]"),
    "eleven context elements": (
        [{"type": "context", "elements": [mrkdwn("x")] * 11}],
        "no more than 10 items allowed [json-pointer:/blocks/0/elements]",
    ),
    "empty context": (
        [{"type": "context", "elements": []}],
        "no less than 1 items allowed [json-pointer:/blocks/0/elements]",
    ),
    "button of 76": (
        [actions(button("x" * 76))],
        "must be less than 76 characters [json-pointer:/blocks/0/elements/0/text/text]",
    ),
    "long action id": (
        [actions(button(action_id="x" * 256))],
        "must be less than 256 characters [json-pointer:/blocks/0/elements/0/action_id]",
    ),
    "long url": (
        [actions(button(url="https://x.example/" + "a" * 3000))],
        "must be less than 3001 characters [json-pointer:/blocks/0/elements/0/url]",
    ),
    "url with a space": (
        [actions(button(url="https://x.example/a b"))],
        "must be a valid URL [json-pointer:/blocks/0/elements/0/url]",
    ),
    "one action id twice in a block": (
        [actions(button(), button())],
        "`action_id` 'go' already exists [json-pointer:/blocks/0/elements/1/action_id]",
    ),
    "one block id twice": (
        [section(block_id="b"), section(block_id="b")],
        "`block_id` 'b' already exists [json-pointer:/blocks/1/block_id]",
    ),
    "101 rows": ([table(101, 1)], "no more than 100 items allowed [json-pointer:/blocks/0/rows]"),
    "21 columns": ([table(1, 21)], "no more than 20 items allowed [json-pointer:/blocks/0/rows/0]"),
    "too much in cells": (
        [table(100, 20, "x" * 6)],
        "table cells must be less than 10001 characters [json-pointer:/blocks]",
    ),
    "markdown of 12,001": (
        [{"type": "markdown", "text": "x" * 12_001}],
        "must be less than 12001 characters [json-pointer:/blocks/0/text]",
    ),
    "two markdown blocks too long together": (
        [{"type": "markdown", "text": "x" * 6_001}] * 2,
        "markdown blocks must be less than 12001 characters [json-pointer:/blocks]",
    ),
    "option of 76": (
        [
            section(
                accessory={
                    "type": "static_select",
                    "action_id": "s",
                    "options": [{"text": plain("x" * 76), "value": "1"}],
                }
            )
        ],
        "must be less than 76 characters [json-pointer:/blocks/0/accessory/options/0/text/text]",
    ),
    "an unknown block": ([{"type": "marquee"}], "unsupported type: marquee [json-pointer:/blocks/0/type]"),
    "a button in a context": (
        [{"type": "context", "elements": [button()]}],
        "must be a valid enum value: plain_text, mrkdwn [json-pointer:/blocks/0/elements/0/type]",
    ),
    "long feedback": (
        [feedback("x" * 76)],
        "must be less than 76 characters [json-pointer:/blocks/0/elements/0/positive_button/text/text]",
    ),
    "no list": ("x", "must provide an array [json-pointer:/blocks]"),
}


@pytest.mark.parametrize("blocks", ALLOWED.values(), ids=ALLOWED.keys())
def test_blocks_at_their_limits_are_taken(blocks: list[Json]) -> None:
    assert find_problems(blocks) == []


@pytest.mark.parametrize(("blocks", "problem"), REFUSED.values(), ids=REFUSED.keys())
def test_blocks_beyond_their_limits_are_refused_at_the_right_place(blocks: Any, problem: str) -> None:
    assert problem in [str(found) for found in find_problems(blocks)]


def test_many_blocks_within_their_limits_may_be_too_long_together() -> None:
    require_valid_blocks([section("x" * 2640)] * 5)
    with pytest.raises(ApiError, match="msg_blocks_too_long"):
        require_valid_blocks([section("x" * 2641)] * 5)


def test_the_answer_lists_the_problems_as_slack_does() -> None:
    with pytest.raises(ApiError) as caught:
        require_valid_blocks([section("")])
    assert caught.value.answer() == {
        "ok": False,
        "error": "invalid_blocks",
        "errors": ["must be more than 0 characters [json-pointer:/blocks/0/text/text]"],
        "response_metadata": {
            "messages": ["[ERROR] must be more than 0 characters [json-pointer:/blocks/0/text/text]"]
        },
    }


@pytest.mark.parametrize(
    ("view", "problem"),
    [
        ({"type": "modal", "title": plain("x" * 25), "blocks": []}, "/view/title/text"),
        ({"type": "modal", "blocks": []}, "missing required field: title"),
        ({"type": "modal", "title": plain("x")}, "missing required field: blocks"),
        ({"type": "modal", "title": plain("x"), "blocks": [{"type": "divider"}] * 101}, "no more than 100 items"),
        ({"type": "modal", "title": plain("x"), "blocks": [], "private_metadata": "x" * 3001}, "private_metadata"),
        ({"type": "home", "blocks": []}, "must be a valid enum value: modal"),
        ({"type": "modal", "title": plain("x"), "blocks": [section("")]}, "/view/blocks/0/text/text"),
    ],
)
def test_a_view_that_breaks_a_limit_is_refused(view: Json, problem: str) -> None:
    with pytest.raises(ApiError, match="invalid_arguments") as caught:
        require_valid_view(view, kinds=("modal",))
    assert problem in str(caught.value)


def test_a_view_of_more_than_250_kb_is_refused() -> None:
    with pytest.raises(ApiError, match="view_too_large"):
        require_valid_view({"type": "home", "blocks": [section("x" * 2900)] * 90}, kinds=("home",))


@pytest.mark.parametrize(
    ("chunk", "error"),
    [
        ({"type": "markdown_text"}, "invalid_chunks"),
        ({"type": "markdown_text", "text": "x" * 12_001}, "msg_too_long"),
        ({"type": "task_update", "id": "1", "title": "Reading"}, "invalid_chunks"),
        ({"type": "task_update", "id": "1", "title": "Reading", "status": "done"}, "invalid_chunks"),
        ({"type": "blocks", "blocks": [section("")]}, "invalid_blocks"),
        ({"type": "blocks", "blocks": [{"type": "divider"}] * 51}, "msg_blocks_too_many"),
        ({"type": "confetti"}, "invalid_chunks"),
    ],
)
def test_a_chunk_that_slack_does_not_take_is_refused(chunk: Json, error: str) -> None:
    with pytest.raises(ApiError) as caught:
        require_valid_chunks([chunk])
    assert caught.value.error == error


def test_chunks_of_every_kind_are_taken() -> None:
    source = {"type": "url", "url": "https://x.example", "text": "Travel policy"}
    chunks = [
        {"type": "markdown_text", "text": "**a**"},
        {"type": "plan_update", "title": "Plan"},
        {"type": "task_update", "id": "1", "title": "Reading", "status": "in_progress", "sources": [source]},
        {"type": "blocks", "blocks": [section()]},
    ]
    assert require_valid_chunks(chunks) == chunks
