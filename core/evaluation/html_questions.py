"""The report's table of questions: those that went wrong first, and what each stage did with them."""

from __future__ import annotations

from collections.abc import Sequence

from core.evaluation.markup import Markup, element, foreign, joined
from core.evaluation.outcome import FactFound, Failing, Outcome, SaidClaim, Stage
from core.evaluation.questions import Fact

_WORST_FIRST = tuple(Failing)


def questions_table(outcomes: Sequence[Outcome]) -> Markup:
    """One row a question, in the order of how bad it is, then of the set."""
    ranked = sorted(outcomes, key=_badness)
    columns = element(
        "tr",
        element("th", "id", width="52"),
        element("th", "question", width="36%"),
        element("th", "outcome", width="15%"),
        element("th", "sure", width="58", class_="n"),
        element("th", "what was expected, and where it got to"),
    )
    body = element("tbody", *(_row(outcome) for outcome in ranked))
    table = element("table", element("thead", columns), body, class_="questions")
    return element("div", table, class_="scroll")


def _badness(outcome: Outcome) -> int:
    order = (*_WORST_FIRST[1:], Failing.NOTHING)
    return order.index(outcome.failing)


def _row(outcome: Outcome) -> Markup:
    question = outcome.question
    about = " · ".join(filter(None, (question.asker or "anybody", question.channel, *question.tags)))
    searched = outcome.searched if outcome.searched.strip() != question.question.strip() else ""
    return element(
        "tr",
        element("td", foreign(question.id)),
        element(
            "td",
            foreign(question.question),
            element("div", foreign(about), class_="soft"),
            element("div", "searched: ", foreign(searched), class_="soft") if searched else joined(),
        ),
        element("td", _outcome(outcome)),
        element("td", f"{outcome.confidence:.2f}", class_="n"),
        element("td", *_expected(outcome), _answer(outcome), _read(outcome)),
    )


def _outcome(outcome: Outcome) -> Markup:
    failing = outcome.failing
    if failing is Failing.NOTHING:
        return element("span", "right" if outcome.answered else "rightly refused", class_="good")
    style = "bad" if failing in {Failing.FORBIDDEN_SHOWN, Failing.ANSWERED, Failing.WRONG} else "warn"
    why = "; ".join(filter(None, (*outcome.forbidden, outcome.refusal.replace("_", " "))))
    return joined(element("span", failing.value, class_=style), element("div", foreign(why), class_="soft"))


def _expected(outcome: Outcome) -> list[Markup]:
    if outcome.question.unanswerable:
        return [element("div", foreign(outcome.question.answer or "no answer"), class_="soft")]
    return [
        _fact(outcome, expected, found)
        for expected, found in zip(outcome.question.expected, outcome.facts, strict=True)
    ]


def _fact(outcome: Outcome, expected: Fact, found: FactFound) -> Markup:
    wanted = " | ".join(expected.row) if expected.row else expected.quote or expected.section or expected.document
    ranks = ", ".join(f"{stage} {found.ranks.get(stage, '–')}" for stage in Stage)
    lost = outcome.lost_at(found)
    return element(
        "div",
        element("span", "✓ ", class_="good") if lost is None else element("span", "✗ ", class_="bad"),
        foreign(wanted),
        element("div", f"ranks: {ranks}" + (f" · {lost.value}" if lost else ""), class_="soft"),
    )


def _answer(outcome: Outcome) -> Markup:
    if not outcome.claims:
        return joined()
    return element(
        "details", element("summary", f"answer: {_counted(len(outcome.claims), 'claim')}"), *map(_claim, outcome.claims)
    )


def _claim(claim: SaidClaim) -> Markup:
    sources = [
        element("div", foreign(" › ".join(filter(None, (c.title, c.section)))), ": ", foreign(c.quote), class_="soft")
        for c in claim.citations
    ]
    return joined(element("blockquote", foreign(claim.text)), *sources)


def _read(outcome: Outcome) -> Markup:
    if not outcome.contexts:
        return joined()
    passages = [
        joined(
            element("div", foreign(f"{context.title} · {context.chunk_id}"), class_="soft"),
            element("blockquote", foreign(context.text)),
        )
        for context in outcome.contexts
    ]
    return element("details", element("summary", f"read: {_counted(len(passages), 'passage')}"), *passages)


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
