"""The report as one HTML page that needs nothing else: no script, no network, readable in the dark and on paper."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files

from core.evaluation import plots
from core.evaluation.baseline import Comparison
from core.evaluation.html_questions import questions_table
from core.evaluation.markup import Markup, element, foreign, joined
from core.evaluation.measured import Measured, Spending
from core.evaluation.metrics import FALSE_ANSWERS, FALSE_REFUSALS, MEASURES, METRICS, WRONG_ANSWERS, Group
from core.evaluation.outcome import Failing, Stage
from core.evaluation.report import Report, kinds, ordered
from core.evaluation.trial import WHOLE_ANSWER
from core.generation.prices import PRICES, PRICES_AS_OF

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"

_TILES = (
    ("reranked.recall@1", "facts in the first passage"),
    ("reranked.recall@5", "facts in the first five"),
    ("answer.exact_sentence", "facts quoted exactly"),
    (FALSE_REFUSALS.name, "refused, should answer"),
    (FALSE_ANSWERS.name, "answered, should refuse"),
    ("answer.forbidden", "forbidden shown"),
)


def html_report(report: Report) -> str:
    """The whole page."""
    setting = report.setting
    title = f"Evaluation of {setting.set_name}"
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", title),
        element("style", _css()),
    )
    about = (
        f"{setting.asked_at:%Y-%m-%d %H:%M %Z} · {len(report.outcomes)} questions, {report.unanswerable} of them "
        f"unanswerable · writer: {setting.generator} · mode: {setting.mode} · vectors: {setting.model} · "
        f"index version {setting.index_version}"
    )
    body = element(
        "body",
        element("h1", foreign(title)),
        element("p", about, class_="soft"),
        _missing(report),
        _comparison(report),
        _tiles(report),
        _retrieval(report),
        _answers(report),
        _abstention(report),
        _latency(report),
        _spending(report),
        _kinds(report),
        element("h2", "Questions"),
        questions_table(report.outcomes),
    )
    return f"<!doctype html>\n{element('html', head, body, lang='en')}\n"


def _missing(report: Report) -> Markup:
    missing = report.setting.missing_documents
    if not missing:
        return joined()
    return element("div", "Expected, and not in the index: ", foreign(", ".join(missing)), ".", class_="banner bad")


def _comparison(report: Report) -> Markup:
    compared = report.compared
    if compared is None:
        return joined()
    worse, better = compared.regressions, [c for c in compared.comparisons if c.improved]
    left_out = f" {compared.left_out} questions are not in it as they are now." if compared.left_out else ""
    if not worse and not better:
        said = f"No significant difference from the baseline of {compared.saved_on}."
        return element("div", said + left_out, class_="banner")
    said = f"Compared with the baseline of {compared.saved_on}: {len(worse)} worse, {len(better)} better."
    items = [element("li", _difference(each), class_="bad" if each.regressed else "good") for each in (*worse, *better)]
    return element("div", said + left_out, element("ul", *items), class_="banner bad" if worse else "banner")


def _difference(each: Comparison) -> str:
    p = each.worse if each.regressed else each.better
    return f"{each.metric.title}: {each.before:.3f} → {each.now:.3f} ({each.now - each.before:+.3f}, p = {p:.4f})"


def _tiles(report: Report) -> Markup:
    metrics = report.numbers.metrics
    tiles = [
        _tile(_percent(metrics[name].value), text, _interval(metrics[name])) for name, text in _TILES if name in metrics
    ]
    if whole := report.numbers.latency.get(WHOLE_ANSWER):
        tiles.append(_tile(f"{whole.p50:.0f} ms", "whole answer, p50", f"p95 {whole.p95:.0f} ms"))
    return element("div", *tiles, class_="tiles")


def _tile(value: str, text: str, more: str) -> Markup:
    return element("div", element("b", value), element("span", text), element("span", more), class_="tile")


def _retrieval(report: Report) -> Markup:
    caption = (
        "Share of the expected facts that the first 1, 5 and 10 passages hold, over the answerable questions; the line "
        "is the 95 % interval. Dense, lexical and fused are ranks among the candidates that were read."
    )
    figure = _figure("Recall by stage", plots.recall_by_stage(report.numbers.metrics), caption)
    return joined(element("h2", "Retrieval"), element("div", figure, _stages(report), class_="pair"))


def _stages(report: Report) -> Markup:
    """A row a stage, a column a metric, each with its interval and, where it was compared, what it was before."""
    compared = {c.metric.name: c for c in report.compared.comparisons} if report.compared else {}
    rows = []
    for stage in Stage:
        row: list[str] = [stage.value]
        for measure in MEASURES:
            name = f"{stage}.{measure}"
            if (measured := report.numbers.metrics.get(name)) is None:
                row.append("–")
                continue
            before = compared.get(name)
            was = element("div", "before ", _before(before), class_="soft") if before is not None else joined()
            row.append(joined(f"{measured.value:.3f}", element("div", _interval(measured), class_="soft"), was))
        rows.append(row)
    return _table(["stage", *MEASURES], rows)


def _answers(report: Report) -> Markup:
    return joined(element("h2", "Answers"), _metrics(report, Group.ANSWER, about=True))


def _abstention(report: Report) -> Markup:
    numbers = report.numbers
    answered = sum(o.answered for o in report.outcomes)
    wrong = numbers.metrics.get(WRONG_ANSWERS.name)
    operating = (answered / len(report.outcomes), wrong.value) if wrong is not None else None
    curve = (
        f"The curve: if only the surest were answered, how often the passages read would lack the answer. Its area is "
        f"{numbers.metrics['abstention.aurc'].value:.3f}; the best order of these questions has "
        f"{numbers.curve.best_aurc:.3f}, none at all {numbers.curve.random_aurc:.3f}. The point: the answers that were "
        "given, and how many of them are wrong."
    )
    calibration = (
        "Each circle is a tenth of the scale with its number of questions; on the line, confidence keeps its word."
    )
    return joined(
        element("h2", "Knowing when not to answer"),
        element(
            "div",
            _figure("Risk and coverage", plots.risk_coverage(numbers.curve, operating), curve),
            _figure("Calibration", plots.reliability(numbers.bins), calibration),
            class_="pair",
        ),
        _metrics(report, Group.ABSTENTION, about=True),
    )


def _latency(report: Report) -> Markup:
    stages = report.numbers.latency
    rows = [
        [name, f"{each.p50:.1f}", f"{each.p95:.1f}", f"{each.p99:.1f}", str(each.questions)]
        for name, each in stages.items()
    ]
    caption = (
        "Full circle p50, then p95 and p99. One question at a time; the lexical half runs beside the others, so the "
        "stages do not add up."
    )
    return joined(
        element("h2", "Latency"),
        element(
            "div",
            _figure("Latency by stage", plots.latency(stages), caption),
            _table(["stage, ms", "p50", "p95", "p99", "questions"], rows),
            class_="pair",
        ),
    )


def _spending(report: Report) -> Markup:
    numbers = report.numbers
    spent = [(who, each) for who, each in (("writing", numbers.writer), ("judging", numbers.judge)) if each is not None]
    heading = element("h2", "Tokens and cost")
    failed = f" {report.judge_failures} answers could not be judged." if report.judge_failures else ""
    if not spent:
        return joined(heading, element("p", f"No model was called: nothing was spent.{failed}"))
    rows = [_spent(who, each) for who, each in spent]
    columns = ["for", "model", "in", "out", "from cache", "into cache", "US$"]
    return joined(
        heading, _table(columns, rows, text_columns=2), _prices({each.model for _, each in spent}), element("p", failed)
    )


def _spent(who: str, each: Spending) -> list[str]:
    counts = (each.input_tokens, each.output_tokens, each.cache_read_tokens, each.cache_write_tokens)
    cost = f"{each.cost_usd:.4f}" if each.cost_usd is not None else "not known"
    return [who, each.model, *(f"{count:,}" for count in counts), cost]


def _prices(models: Iterable[str]) -> Markup:
    rows = [
        [
            model if band.prompt_limit is None else f"{model}, prompts up to {band.prompt_limit:,}",
            *(f"{price:g}" for price in (band.input, band.output, band.cache_read, band.cache_write_5m)),
        ]
        for model in sorted(models)
        for band in PRICES.get(model, ())
    ]
    columns = [f"US$ per million tokens on {PRICES_AS_OF}", "in", "out", "from cache", "into cache"]
    return _table(columns, rows) if rows else joined()


def _kinds(report: Report) -> Markup:
    rows = [
        [k.name, str(k.questions), str(k.right), _percent(k.right / k.questions), str(k.refused)]
        for k in kinds(report.outcomes)
    ]
    right = sum(o.failing is Failing.NOTHING for o in report.outcomes)
    said = (
        f"{right} of {len(report.outcomes)} are right: every expected fact quoted, or rightly refused, and nothing "
        "forbidden shown."
    )
    return joined(
        element("h2", "By language and kind"),
        element("p", said, class_="soft"),
        _table(["kind", "questions", "right", "share", "refused, should answer"], rows),
    )


def _metrics(report: Report, group: Group, *, about: bool = False) -> Markup:
    compared = {c.metric.name: c for c in report.compared.comparisons} if report.compared else {}
    columns = ["metric", "value", "95 %", "questions", *(["before"] if compared else [])]
    rows: list[list[str]] = []
    for name in ordered(report):
        metric, measured = METRICS[name], report.numbers.metrics[name]
        if metric.group is not group:
            continue
        title: str = metric.title + ("" if metric.higher_is_better else " ↓")
        if about:
            title = joined(title, element("div", metric.about, class_="soft"))
        row = [title, f"{measured.value:.3f}", _interval(measured), str(measured.questions)]
        rows.append([*row, *([_before(compared.get(name))] if compared else [])])
    return _table(columns, rows)


def _before(each: Comparison | None) -> str:
    if each is None:
        return ""
    return element("span", f"{each.before:.3f}", class_="bad" if each.regressed else "good" if each.improved else None)


def _figure(title: str, plot: Markup, caption: str) -> Markup:
    return element("figure", element("h3", title), plot, element("figcaption", caption))


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]], *, text_columns: int = 1) -> Markup:
    """A table whose first columns are text and whose others are numbers."""

    def cells(name: str, row: Sequence[str]) -> list[Markup]:
        return [element(name, cell, class_=None if n < text_columns else "n") for n, cell in enumerate(row)]

    body = [element("tr", *cells("td", row)) for row in rows]
    head = element("thead", element("tr", *cells("th", columns)))
    return element("div", element("table", head, element("tbody", *body)), class_="scroll")


def _interval(measured: Measured) -> str:
    return f"{measured.low:.3f}–{measured.high:.3f}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %" if share not in {0.0, 1.0} else f"{100 * share:.0f} %"


@cache
def _css() -> Markup:
    """The style sheet, which is ours: a page that is printed or read in the dark is the same page."""
    return Markup(files("core.evaluation").joinpath("report.css").read_text("utf-8"))
