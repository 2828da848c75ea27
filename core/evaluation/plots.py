"""The report's plots, as SVG that takes its colours from the page."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from core.evaluation.abstention import Bin
from core.evaluation.markup import Markup, element, joined
from core.evaluation.measured import Curve, Latency, Measured
from core.evaluation.outcome import Stage

WIDTH = 640
LEFT, RIGHT = 118, 52
BAR, GAP = 13, 12
SQUARE = 300
"""Height of the plots that have two scales."""


def recall_by_stage(metrics: Mapping[str, Measured]) -> Markup:
    """Bars of recall@1, @5 and @10 for each stage, each with its interval."""
    parts: list[Markup] = []
    span = WIDTH - LEFT - RIGHT
    y = 8.0
    for stage in Stage:
        shown = [(cut, metrics[f"{stage}.recall@{cut}"]) for cut in (1, 5, 10) if f"{stage}.recall@{cut}" in metrics]
        parts.append(_text(LEFT - 44, y + BAR * 1.5 + 4, stage.value, anchor="end", class_="label"))
        for cut, measured in shown:
            middle = y + BAR / 2
            parts += [
                _text(LEFT - 8, middle + 4, f"@{cut}", anchor="end", class_="tick"),
                element("rect", x=LEFT, y=y + 1, width=span * measured.value, height=BAR - 2, class_=f"bar at{cut}"),
                _line(LEFT + span * measured.low, middle, LEFT + span * measured.high, middle, "whisker"),
                _text(WIDTH - RIGHT + 8, middle + 4, f"{measured.value:.3f}", class_="value"),
            ]
            y += BAR
        y += GAP
    grid = [_line(LEFT + span * share, 4, LEFT + span * share, y - GAP + 4, "grid") for share in _QUARTERS]
    ticks = [_text(LEFT + span * s, y + 6, f"{s:g}", anchor="middle", class_="tick") for s in _QUARTERS]
    return _figure("Recall by stage", y + 14, [*grid, *parts, *ticks])


def risk_coverage(curve: Curve, operating: tuple[float, float] | None) -> Markup:
    """The risk–coverage curve, with what no order would give, and the (coverage, risk) of the answers given."""
    highest = max((*curve.risk, curve.random_aurc, operating[1] if operating else 0.0))
    top = min(1.0, math.ceil(highest * 5 + 0.1) / 5)
    plane = _Plane(1.0, top)
    count = len(curve.risk)
    points = [plane.at((0.0, curve.risk[0]))] + [plane.at(p) for p in zip(curve.coverage, curve.risk, strict=True)]
    # The best order has all that is right first: then the risk grows to the share of wrong.
    right = count - round(curve.random_aurc * count)
    best = [plane.at((0.0, 0.0))] + [plane.at((n / count, max(0, n - right) / n)) for n in range(1, count + 1)]
    x_start, _ = plane.at((0.0, 0.0))
    x_end, y_end = plane.at((1.0, curve.random_aurc))
    parts = [
        *plane.axes("coverage: share of the questions answered", "risk: share of them wrong", (0, 0.25, 0.5, 0.75, 1)),
        _line(x_start, y_end, x_end, y_end, "reference"),
        _text(x_start + 6, y_end - 6, "no order", class_="note"),
        _path(best, "reference"),
        _text(*_above(best[round(0.82 * count)], 16, 14), "best order", class_="note"),
        _path(points, "curve"),
    ]
    if operating is not None:
        x, y = plane.at(operating)
        parts += [
            element("circle", cx=x, cy=y, r=5, class_="point"),
            _text(x, y - 10, "answers given", anchor="middle", class_="note strong"),
        ]
    return _figure("Risk and coverage", SQUARE, parts)


def reliability(bins: Sequence[Bin]) -> Markup:
    """For each tenth of confidence the share that is right; on the diagonal confidence keeps its word."""
    plane = _Plane(1.0, 1.0)
    (x0, y0), (x1, y1) = plane.at((0.0, 0.0)), plane.at((1.0, 1.0))
    parts = [
        *plane.axes("confidence", "share whose passages hold the answer", (0, 0.25, 0.5, 0.75, 1)),
        _line(x0, y0, x1, y1, "reference"),
    ]
    largest = max((each.count for each in bins), default=1)
    for each in bins:
        x, y = plane.at((each.confidence, each.right))
        said = f"{each.count} questions: confidence {each.confidence:.2f}, right {each.right:.2f}"
        radius = 4 + 10 * math.sqrt(each.count / largest)
        parts += [
            element("circle", element("title", said), cx=x, cy=y, r=radius, class_="bubble"),
            _text(x, y + 4, str(each.count), anchor="middle", class_="count"),
        ]
    return _figure("Calibration", SQUARE, parts)


def latency(stages: Mapping[str, Latency]) -> Markup:
    """p50, p95 and p99 of each stage, on a logarithmic scale."""
    times = [t for each in stages.values() for t in (each.p50, each.p95, each.p99) if t > 0]
    low = math.floor(math.log10(min(times, default=1)))
    high = max(low + 1, math.ceil(math.log10(max(times, default=10))))
    span = WIDTH - LEFT - RIGHT

    def at(milliseconds: float) -> float:
        return LEFT + span * (math.log10(max(milliseconds, 10**low)) - low) / (high - low)

    bottom = 12 + 24 * len(stages)
    parts: list[Markup] = []
    for power in range(low, high + 1):
        parts.append(_line(at(10**power), 4, at(10**power), bottom, "grid"))
        parts.append(_text(at(10**power), bottom + 16, _milliseconds(10**power), anchor="middle", class_="tick"))
    for row, (name, each) in enumerate(stages.items()):
        y = 18.0 + 24 * row
        parts += [
            _text(LEFT - 8, y + 4, name, anchor="end", class_="label"),
            _line(at(each.p50), y, at(each.p99), y, "whisker"),
            element("circle", element("title", f"p99 {each.p99:.1f} ms"), cx=at(each.p99), cy=y, r=4, class_="p99"),
            element("circle", element("title", f"p95 {each.p95:.1f} ms"), cx=at(each.p95), cy=y, r=4, class_="p95"),
            element("circle", element("title", f"p50 {each.p50:.1f} ms"), cx=at(each.p50), cy=y, r=5, class_="point"),
        ]
    return _figure("Latency by stage", bottom + 24, parts)


_QUARTERS = (0, 0.25, 0.5, 0.75, 1)


class _Plane:
    """Two scales from 0, drawn into the space between the margins."""

    def __init__(self, widest: float, highest: float) -> None:
        self._widest, self._highest = widest, highest
        self._left, self._right, self._top, self._bottom = 56, WIDTH - 16, 12, SQUARE - 42

    def at(self, point: tuple[float, float]) -> tuple[float, float]:
        """Where a point lies."""
        x, y = point
        return (
            self._left + (self._right - self._left) * x / self._widest,
            self._bottom - (self._bottom - self._top) * y / self._highest,
        )

    def axes(self, x_title: str, y_title: str, x_ticks: Iterable[float]) -> list[Markup]:
        """Grid, numbers and titles."""
        parts = []
        for tick in x_ticks:
            x, _ = self.at((tick, 0.0))
            parts += [
                _line(x, self._top, x, self._bottom, "grid"),
                _text(x, self._bottom + 16, f"{tick:g}", anchor="middle", class_="tick"),
            ]
        step = 0.1 if self._highest <= 0.5 else 0.2
        for value in (step * number for number in range(round(self._highest / step) + 1)):
            _, y = self.at((0.0, value))
            parts += [
                _line(self._left, y, self._right, y, "grid"),
                _text(self._left - 6, y + 4, f"{value:.2f}".rstrip("0").rstrip("."), anchor="end", class_="tick"),
            ]
        middle = (self._left + self._right) / 2, (self._top + self._bottom) / 2
        parts.append(_text(middle[0], SQUARE - 8, x_title, anchor="middle", class_="axis"))
        turned = f"rotate(-90 14 {middle[1]:.0f})"
        parts.append(_text(14, middle[1], y_title, anchor="middle", class_="axis", transform=turned))
        return parts


def _figure(title: str, height: float, parts: Iterable[Markup]) -> Markup:
    return element(
        "svg", element("title", title), *parts, viewBox=f"0 0 {WIDTH} {height:.0f}", role="img", aria_label=title
    )


def _text(
    x: float, y: float, text: str, *, class_: str, anchor: str | None = None, transform: str | None = None
) -> Markup:
    return element("text", text, x=x, y=y, text_anchor=anchor, class_=class_, transform=transform)


def _line(x1: float, y1: float, x2: float, y2: float, class_: str) -> Markup:
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=class_)


def _path(points: Sequence[tuple[float, float]], class_: str) -> Markup:
    drawn = " L".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return joined(element("path", d=f"M{drawn}", class_=class_))


def _above(point: tuple[float, float], right: float, down: float) -> tuple[float, float]:
    return point[0] + right, point[1] + down


def _milliseconds(value: float) -> str:
    return f"{value:g} ms" if value < 1000 else f"{value / 1000:g} s"
