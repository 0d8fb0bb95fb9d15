"""Small charts over time as SVG: lines, axes with a few round numbers, and a cursor at the time that is shown."""

from collections.abc import Sequence
from html import escape

import numpy as np

from .palette import CONTACT as CURSOR
from .series import thinned

WIDTH, HEIGHT = 320, 150  # units of the drawing; it is stretched to the panel's width
LEFT, RIGHT, TOP, BOTTOM = 46, 8, 18, 22
POINTS = 400  # most points of a line: lowest and highest of each stretch are kept


class Chart:
    """Lines over time; `svg(t)` draws them with a cursor at t."""

    def __init__(self, title: str, t: np.ndarray, lines: Sequence[tuple[str, np.ndarray, str]]):
        finite = np.isfinite(t)
        for _, values, _ in lines:
            finite &= np.isfinite(values)
        t = t[finite]
        lines = [(name, values[finite], colour) for name, values, colour in lines]
        self.span = (float(t[0]), float(t[-1])) if len(t) > 1 else (0.0, 1.0)
        low = min((float(values.min()) for _, values, _ in lines if len(values)), default=0.0)
        high = max((float(values.max()) for _, values, _ in lines if len(values)), default=1.0)
        if not high - low > 1e-12 * max(abs(low), abs(high), 1e-300):
            low, high = low - 0.5 * (abs(low) or 1.0), high + 0.5 * (abs(high) or 1.0)
        self.range = low, high
        self.still = self._axes(title) + "".join(self._line(t, *line) for line in lines) + self._legend(lines)

    def _x(self, t: np.ndarray) -> np.ndarray:
        return LEFT + (t - self.span[0]) / (self.span[1] - self.span[0]) * (WIDTH - LEFT - RIGHT)

    def _y(self, values: np.ndarray) -> np.ndarray:
        low, high = self.range
        return HEIGHT - BOTTOM - (values - low) / (high - low) * (HEIGHT - TOP - BOTTOM)

    def _line(self, t: np.ndarray, name: str, values: np.ndarray, colour: str) -> str:
        keep = thinned(values, POINTS)
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(self._x(t[keep]), self._y(values[keep]), strict=True))
        return f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.4"/>'

    def _axes(self, title: str) -> str:
        parts = [f'<text x="{LEFT}" y="11" font-size="10.5" font-weight="600">{escape(title)}</text>']
        for value in round_numbers(*self.range):
            y = float(self._y(np.array(value)))
            parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#dfe3e8"/>')
            parts.append(f'<text x="{LEFT - 4}" y="{y + 3:.1f}" text-anchor="end">{value:.4g}</text>')
        for value in round_numbers(*self.span):
            x = float(self._x(np.array(value)))
            parts.append(f'<text x="{x:.1f}" y="{HEIGHT - 9}" text-anchor="middle">{value:.4g}</text>')
        parts.append(f'<text x="{LEFT - 12}" y="{HEIGHT - 9}" text-anchor="end">t [s]</text>')
        return "".join(parts)

    def _legend(self, lines: Sequence[tuple[str, np.ndarray, str]]) -> str:
        if len(lines) < 2:
            return ""
        words = "".join(f'<tspan dx="6" fill="{colour}">{escape(name)}</tspan>' for name, _, colour in lines)
        return f'<text x="{WIDTH - RIGHT}" y="11" text-anchor="end">{words}</text>'

    @property
    def svg(self) -> str:
        """The chart without its cursor."""
        style = "width:100%;display:block;font-family:sans-serif"
        return f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" style="{style}" font-size="9" fill="#3b4149">{self.still}</svg>'

    def cursor(self, t: float) -> str:
        """A line at a time, to be put right after the chart's SVG; it moves at every frame, and the chart does not."""
        x = float(np.clip(self._x(np.array(t)), LEFT, WIDTH - RIGHT))
        up, tall = (100 * n / WIDTH for n in (HEIGHT - TOP + 4, HEIGHT - TOP - BOTTOM + 4))
        line = f"left:{100 * x / WIDTH:.2f}%;margin-top:-{up:.1f}%;padding-bottom:{tall:.1f}%;width:1px"
        style = f"position:absolute;background:{CURSOR};{line}"
        return f'<div style="position:relative"><i class="cursor" style="{style}"></i></div>'


def round_numbers(low: float, high: float, most: int = 5) -> np.ndarray:
    """At most `most` or so round numbers between two numbers."""
    rough = (high - low) / most
    power = 10.0 ** np.floor(np.log10(rough))
    step = next(power * m for m in (1, 2, 5, 10) if power * m >= rough)
    first, last = np.ceil(low / step), np.floor(high / step)
    return step * np.arange(first, last + 1) + 0.0
