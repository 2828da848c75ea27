"""An evaluation's report drawn for a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from bot.rendering.escape import one_line
from core.evaluation.baseline import Comparison
from core.evaluation.metrics import MEASURES, METRICS, Group
from core.evaluation.outcome import Failing, Outcome, Stage
from core.evaluation.report import Report, ordered
from core.generation.prices import PRICES_AS_OF

LONGEST_QUESTION = 70


def draw_report(console: Console, report: Report) -> None:
    """Print the metrics, the times, what was spent, and each question that went wrong."""
    asked = report.setting
    console.print(
        Text(
            f"{one_line(asked.set_name)}: {len(report.outcomes)} questions, {report.unanswerable} of them unanswerable"
            f" · {asked.generator} · {asked.mode} · index version {asked.index_version}",
            style="bold",
        )
    )
    console.print(_stages(report))
    for group in (Group.ANSWER, Group.ABSTENTION):
        console.print(_metrics(report, group))
    console.print(_latency(report))
    for line in _spent(report):
        console.print(Text(line))
    wrong = [outcome for outcome in report.outcomes if outcome.failing is not Failing.NOTHING]
    if wrong:
        console.print(_wrong(wrong))


def _stages(report: Report) -> Table:
    """A row a stage, a column a metric: the value, its interval, and how it compares."""
    compared = {c.metric.name: c for c in report.compared.comparisons} if report.compared else {}
    table = Table(title="Retrieval", title_justify="left", title_style="bold", show_lines=True)
    table.add_column("stage")
    for measure in MEASURES:
        table.add_column(measure, justify="right", no_wrap=True)
    for stage in Stage:
        cells = []
        for measure in MEASURES:
            name = f"{stage}.{measure}"
            measured = report.numbers.metrics.get(name)
            cell = Text(f"{measured.value:.3f}") if measured is not None else Text("–")
            if measured is not None:
                cell.append(f"\n{measured.low:.2f}–{measured.high:.2f}", style="dim")
            if name in compared:
                before, _, mark = _before(compared[name])
                cell.append(f"\nwas {before}").append("\n" if mark else "").append_text(mark)
            cells.append(cell)
        table.add_row(stage.value, *cells)
    return table


def _metrics(report: Report, group: Group) -> Table:
    compared = {c.metric.name: c for c in report.compared.comparisons} if report.compared else {}
    table = Table(title=group.value, title_justify="left", title_style="bold")
    table.add_column("metric")
    for name in ("value", "95 %", "n", *(("before", "p", "") if compared else ())):
        table.add_column(name, justify="right", no_wrap=True)
    for name in ordered(report):
        if METRICS[name].group is not group:
            continue
        measured = report.numbers.metrics[name]
        cells = [
            METRICS[name].title + ("" if METRICS[name].higher_is_better else " ↓"),
            f"{measured.value:.3f}",
            f"{measured.low:.2f}–{measured.high:.2f}",
            str(measured.questions),
        ]
        table.add_row(*cells, *(_before(compared.get(name)) if compared else ()))
    return table


def _before(found: Comparison | None) -> tuple[str, str, Text]:
    if found is None:
        return "", "", Text()
    least = min(found.worse, found.better)
    p = f"{least:.3f}" if least >= 0.001 else "<0.001"
    if found.regressed:
        return f"{found.before:.3f}", p, Text("worse", style="bold red")
    return f"{found.before:.3f}", p, Text("better", style="green") if found.improved else Text()


def _latency(report: Report) -> Table:
    table = Table(title="Milliseconds", title_justify="left", title_style="bold")
    table.add_column("stage")
    for name in ("p50", "p95", "p99", "n"):
        table.add_column(name, justify="right")
    for name, each in report.numbers.latency.items():
        table.add_row(name, f"{each.p50:.1f}", f"{each.p95:.1f}", f"{each.p99:.1f}", str(each.questions))
    return table


def _spent(report: Report) -> list[str]:
    lines = []
    for who, spent in (("Writing", report.numbers.writer), ("Judging", report.numbers.judge)):
        if spent is not None:
            cost = f"US$ {spent.cost_usd:.4f}" if spent.cost_usd is not None else "price not known"
            lines.append(
                f"{who}: {spent.model}, {spent.input_tokens:,} tokens in, {spent.output_tokens:,} out, "
                f"{spent.cache_read_tokens:,} from the cache: {cost} (prices of {PRICES_AS_OF})"
            )
    if report.judge_failures:
        lines.append(f"{report.judge_failures} answers could not be judged: they are left out of faithfulness.")
    if report.compared is not None and report.compared.left_out:
        lines.append(f"{report.compared.left_out} questions are not in the baseline as they are now: not compared.")
    return lines


def _wrong(outcomes: list[Outcome]) -> Table:
    table = Table(title="What went wrong", title_justify="left", title_style="bold")
    for name in ("id", "what", "confidence", "question", "why"):
        table.add_column(name, justify="right" if name == "confidence" else "left")
    for outcome in outcomes:
        question = one_line(outcome.question.question)
        shown = question if len(question) <= LONGEST_QUESTION else f"{question[: LONGEST_QUESTION - 1]}…"
        cells = (one_line(outcome.question.id), outcome.failing.value, f"{outcome.confidence:.2f}", shown)
        table.add_row(*(Text(cell) for cell in cells), Text("; ".join(map(one_line, outcome.reasons))))
    return table
