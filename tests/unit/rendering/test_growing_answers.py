"""What of a growing answer is settled, and how it travels."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.rendering import Message, limits, render_answer
from bot.rendering.streaming import calls, common_beginning, inert, plan, settled, task
from bot.words import Words
from core.domain.evidence import Answer, Claim, ClaimKind, ClaimStatus
from tests.e2e.scripted import citation

NOW = dt.datetime(2026, 11, 29, tzinfo=dt.UTC)
HOSTS = {"wiki.acme.example"}


def answer(*texts: str) -> Answer:
    claims = tuple(
        Claim(text, ClaimKind.SYNTHESIS, ClaimStatus.SUPPORTED, (citation(f"{text} según el manual."),))
        for text in texts
    )
    return Answer("run", "¿cuántos?", "es", claims, None, 0.9, "extractive", 7)


def draw(drawn: Answer) -> Sequence[Message]:
    return render_answer(drawn, Words("es"), HOSTS, NOW)


def test_the_claims_so_far_are_settled_and_the_sources_are_not() -> None:
    blocks = settled(answer("Son 23 días.", "Pasan 5 al año siguiente."), draw)
    assert "Pasan 5" in str(blocks)
    assert "Fuentes" not in str(blocks)


def test_nothing_is_settled_before_the_first_claim() -> None:
    assert settled(answer(), draw) == ()


@settings(deadline=None, max_examples=40)
@given(st.lists(st.text("abc xyz<>&*_[]()", min_size=1, max_size=1500), min_size=2, max_size=8, unique=True))
def test_what_was_settled_is_the_beginning_of_every_longer_answer(texts: list[str]) -> None:
    texts = [f"{number} {text}." for number, text in enumerate(texts)]
    whole = draw(answer(*texts))[0].blocks
    before: tuple[dict[str, object], ...] = ()
    for number in range(1, len(texts)):
        now = settled(answer(*texts[:number]), draw)
        assert common_beginning(now, before) == before
        assert common_beginning(now, whole) == now
        before = now


def test_an_answer_that_ends_otherwise_does_not_begin_with_what_was_settled() -> None:
    before = settled(answer("Son 23 días.", "Pasan 5."), draw)
    other = replace(answer("Son 23 días.", "Pasan 5."), notes=("low_confidence",))
    assert common_beginning(draw(other)[0].blocks, before) != before


@pytest.mark.parametrize("sizes", [[100], [2_900] * 4, [2_900] * 9])
def test_no_call_carries_more_than_slack_takes(sizes: list[int]) -> None:
    blocks = [{"type": "rich_text", "elements": [{"type": "text", "text": "x" * size}]} for size in sizes]
    sent = calls(blocks)
    assert [block for call in sent for chunk in call for block in chunk["blocks"]] == blocks
    assert all(limits.weight(chunk["blocks"]) <= limits.STREAM_TEXT for call in sent for chunk in call)
    assert len(sent) == -(-sum(sizes) // 11_600)


def test_titles_of_documents_are_harmless_in_a_status() -> None:
    shown = inert("leyendo «<!channel> y <@U1>»\n\u202e…" + "x" * 400)
    assert "<" not in shown
    assert "\n" not in shown
    assert "\u202e" not in shown
    assert len(shown) <= 200
    for chunk in (task(1, "<!here>", is_done=True), plan("<!here>")):
        assert chunk["title"] == "‹!here›"
