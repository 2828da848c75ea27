"""The page stands alone, runs nothing, and shows foreign text as text."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

import pytest
from lxml import html

from core.domain.evidence import TokenUse
from core.evaluation.baseline import compare
from core.evaluation.html_report import html_report
from core.evaluation.outcome import Faithfulness, Verdict
from core.evaluation.report import Report, baseline_of
from tests.unit.evaluation.made import found, outcome, question, report

HOSTILE = "</style><script>alert(1)</script><img src=x onerror=alert(2)> & \u202eback\u202c \x1b[31m"


def a_report() -> Report:
    refused = outcome(question("refused"), [found(quoted=False)], answered=False, confidence=0.2)
    lost = outcome(question("lost"), [found(None, read=False, quoted=False)], text="something else", confidence=0.6)
    leaked = outcome(question("leaked", unanswerable=True), forbidden=("says 'day 27'",), confidence=0.7)
    return report([outcome(question("fine"), [found()]), refused, lost, leaked])


def page(of: Report) -> html.HtmlElement:
    return html.document_fromstring(html_report(of))


def rows(tree: html.HtmlElement) -> dict[str, str]:
    """Text of each question's row, by its id, in the order of the page."""
    table = tree.xpath("//table[@class='questions']/tbody/tr")
    return {row[0].text_content(): " ".join(" ".join(row.itertext()).split()) for row in table}


def test_what_went_wrong_comes_first_and_says_where() -> None:
    shown = rows(page(a_report()))
    assert list(shown) == ["leaked", "refused", "lost", "fine"]
    assert "forbidden shown says 'day 27'" in shown["leaked"]
    assert "refused, should not low confidence" in shown["refused"]
    assert "read, but too unsure to answer" in shown["refused"]
    assert "the search did not find it" in shown["lost"]
    assert "ranks: dense 1, lexical 1, fused 1, reranked 1" in shown["fine"]


def test_nothing_is_fetched_and_nothing_runs() -> None:
    tree = page(a_report())
    assert tree.xpath("//script | //link | //img | //iframe | //@onload | //@onerror | //@onclick") == []
    assert tree.xpath("//@src | //@href") == []
    (policy,) = tree.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    assert policy.startswith("default-src 'none'")
    (style,) = tree.xpath("//style/text()")
    assert "url(" not in style
    assert "@import" not in style
    assert "prefers-color-scheme: dark" in style
    assert "@media print" in style


@pytest.mark.parametrize("where", ["question", "quote", "claim", "forbidden", "asker"])
def test_foreign_text_is_shown_as_text(where: str) -> None:
    foreign: dict[str, Any] = {"expected": [{"document": "wiki/1", "quote": HOSTILE if where == "quote" else "fact 0"}]}
    if where in {"question", "asker"}:
        foreign[where] = HOSTILE
    asked = question("hostile", **foreign)
    given = outcome(
        asked,
        [found()],
        text=HOSTILE if where == "claim" else "fact 0",
        forbidden=(HOSTILE,) if where == "forbidden" else (),
    )
    text = html_report(report([given]))
    assert "<script" not in text
    assert "<img" not in text
    assert not re.search("[\x1b\u202e]", text)
    assert "<script>alert(1)</script>" in "".join(map(str, html.document_fromstring(text).itertext()))


def test_every_plot_is_there_and_has_a_name() -> None:
    names = page(a_report()).xpath("//*[local-name()='svg']/@aria-label")
    assert names == ["Recall by stage", "Risk and coverage", "Calibration", "Latency by stage"]


def test_a_regression_stands_at_the_top() -> None:
    good = report([outcome(question(f"q{n}"), [found()]) for n in range(20)])
    bad = report([outcome(question(f"q{n}"), [found(8)]) for n in range(20)])
    fingerprints = {o.question.id: o.question.fingerprint for o in bad.outcomes}
    compared = bad.compared_with(compare(bad.numbers.rows, fingerprints, baseline_of(good)))
    (banner,) = page(compared).xpath("//div[@class='banner bad']")
    assert "reranked recall@1: 1.000 → 0.000 (-1.000" in banner.text_content()
    unchanged = good.compared_with(compare(good.numbers.rows, fingerprints, baseline_of(good)))
    assert "No significant difference from the baseline of 2026-11-29." in page(unchanged).text_content()


def test_what_a_model_cost_is_told_with_the_day_of_the_prices() -> None:
    use = TokenUse("claude-sonnet-5-5", 1200, 80, 900, 0, 0.0033)
    judged = Faithfulness((Verdict("supported"),), dataclasses.replace(use, cost_usd=None))
    text = page(report([outcome(facts=[found()], use=use, faithfulness=judged)])).text_content()
    assert "0.0033" in text
    assert "not known" in text
    assert "US$ per million tokens on 2026-" in text
    assert "No model was called" in page(a_report()).text_content()


def test_a_set_without_answers_or_without_unanswerable_questions_is_drawn_too() -> None:
    for outcomes in ([outcome(question("u", unanswerable=True), answered=False)], [outcome(facts=[found()])]):
        assert len(page(report(outcomes)).xpath("//*[local-name()='svg']")) == 4
