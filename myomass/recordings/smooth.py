"""Smooth functions of time through the columns of tables: splines and their derivatives, filters without lag.

An interpolating spline of degree 2m - 1 whose derivatives m to 2m - 2 vanish at both ends is, of all functions through
the data, the one with the least integral of (d^m f/dt^m)^2: the natural cubic for m = 2, a quintic for m = 3. Outside
the data it goes on as a polynomial of degree m - 1; straight lines from row to row are m = 1. All columns are solved
at once in bands.
"""

import warnings
from collections.abc import Callable, Sequence

import numpy as np

from ..spatial.brief import brief, counted
from ..spatial.checks import check_numbers, check_positive
from .table import Table, called

DEGREES = (1, 3, 5)
BEYOND = {1: "with the same values", 3: "as a straight line", 5: "as a parabola"}  # its ends, by the degree
RECIPES = ("opensim", "filtfilt")
EVEN = 1e-6  # part of a step by which the steps of even times may differ
MOST_ROWS = 100  # rows that the even times of a filter may have for each row of the table
FEWEST = 4  # rows that can be filtered


@brief
class Spline:
    """The columns of a table as smooth functions of time: spline(t) [as the table], (times, columns).

    degree 1, 3 or 5: lines, the natural cubic, or the quintic whose third and fourth derivatives vanish at the ends,
    through all rows. smoothing (degree 3): what a unit of the integral of f''^2 costs against squared distances from
    the rows, or "gcv" to have it chosen by generalized cross-validation, for each column its own; 0 interpolates.
    """

    def __init__(self, table: Table, degree: int = 5, smoothing: float | str = 0.0):
        check_complete(table, "a spline")
        if isinstance(degree, bool) or degree not in DEGREES:
            raise ValueError(f"a spline has degree 1, 3 or 5, not {degree!r}")
        fewest = max(2, (degree + 1) // 2)
        if len(table) < fewest:
            raise ValueError(f"a spline of degree {degree} needs {fewest} rows or more, and the table has {len(table)}")
        self.names, self.degree, self.start, self.end = table.names, int(degree), *table.t[[0, -1]].tolist()
        self._table = table
        if smoothing == "gcv" or (not isinstance(smoothing, str) and smoothing != 0):
            self._curves = _smoothing_spline(table, degree, smoothing)
        elif smoothing != 0:
            raise ValueError(f'the smoothing of a spline is a number or "gcv", not {smoothing!r}')
        else:
            self._curves = _interpolating_spline(table.t, table.values, self.degree)

    def __call__(self, t: float | Sequence[float], derivative: int = 0) -> np.ndarray:
        """Values, or derivatives of an order, at a time or at times [s]. (columns,) or (times, columns)"""
        if isinstance(derivative, bool) or not isinstance(derivative, (int, np.integer)) or derivative < 0:
            raise ValueError(f"the order of a derivative is 0, 1, 2, ..., not {derivative!r}")
        t = check_numbers(t, "the times of a spline [s]", (None,) if np.ndim(t) else ())
        inside = np.clip(t, self.start, self.end)
        values, highest = self._curves(inside, nu=derivative), (self.degree - 1) // 2
        beyond = np.asarray(t - inside)
        if beyond.any():
            self._tell_of(t, beyond)
            factor = np.ones_like(beyond)
            for order in range(derivative + 1, highest + 1):
                factor = factor * beyond / (order - derivative)
                values = values + factor[..., None] * self._curves(inside, nu=order)
            if derivative > highest:
                values = np.where(beyond[..., None] != 0, 0.0, values)
        return values

    def _tell_of(self, t: np.ndarray, beyond: np.ndarray) -> None:
        """Warn of times that lie further beyond the table than its rows lie apart."""
        furthest = np.ravel(t)[np.abs(beyond).argmax()]
        if np.abs(beyond).max() > (self.end - self.start) / (len(self._table) - 1) * (1.0 + EVEN):
            warnings.warn(
                f"{called(self._table)} reaches from {self.start:g} to {self.end:g} s, and its spline is asked at "
                f"{furthest:g} s; beyond its ends it goes on {BEYOND[self.degree]}",
                UserWarning,
                stacklevel=3,
            )

    def table(self, t: Sequence[float], derivative: int = 0) -> Table:
        """The table of values, or of derivatives of an order, at other times [s]."""
        return self._table.with_values(np.atleast_1d(t), self(np.atleast_1d(t), derivative))


def resample(table: Table, at: float | Sequence[float], *, degree: int = 3) -> Table:
    """A table at other times by an interpolating spline: every `at` seconds from its start, or at the times `at` [s].

    The times lie within the table's. degree: as of `Spline`; 1 draws straight lines from row to row.
    """
    spline = Spline(table, degree)
    if np.ndim(at) == 0:
        times = _even_times(table, check_positive(at, "the step of resample [s]"))
    else:
        times = check_numbers(at, "the times of resample [s]", (None,))
        outside = (times < spline.start) | (times > spline.end)
        if outside.any():
            raise ValueError(
                f"resample: the table reaches from {spline.start:g} to {spline.end:g} s, and {times[outside][0]:g} s "
                "is outside"
            )
    return spline.table(times)


def lowpass(table: Table, cutoff: float, *, order: int = 3, recipe: str = "opensim") -> Table:
    """A table through a Butterworth low-pass filter that runs forwards and backwards, and so without lag.

    cutoff [Hz], order of each pass. recipe "opensim": half of the table is put in front and behind, reflected about the
    end rows, all is resampled at the smallest step (by quintic spline) and each pass leaves its first `order` samples
    as they are; the result has the even times at which that samples. "filtfilt": SciPy's filtfilt on the table's own
    times, resampled at their mean step if they are not even. With either the two passes together halve the amplitude at
    the cut-off.
    """
    if recipe not in RECIPES:
        raise ValueError(f'lowpass: the recipe is "opensim" or "filtfilt", not {recipe!r}')
    check_filter(table, cutoff, order)
    if recipe == "opensim":
        padded, first, last = filtered_with_ends(table, cutoff, order)
        return padded.with_values(padded.t[first : last + 1], padded.values[first : last + 1])
    from scipy.signal import filtfilt  # it takes time to load

    table, step = _made_even(table)
    b, a = _butterworth(order, cutoff, step)
    reach = min(3 * (order + 1), len(table) - 1)
    return table.with_values(table.t, filtfilt(b, a, table.values, axis=0, padlen=reach))


def filtered_with_ends(table: Table, cutoff: float, order: int = 3) -> tuple[Table, int, int]:
    """(filtered table that goes on beyond both ends, first and last of its rows for the table) as OpenSim has it.

    Splines through all rows are what OpenSim differentiates.
    """
    check_filter(table, cutoff, order)
    padded = _reflected(table, len(table) // 2)
    step = float(np.diff(padded.t).min())
    rows = (padded.t[-1] - padded.t[0]) / step
    if rows > MOST_ROWS * len(padded):
        raise ValueError(
            f"lowpass: the smallest step of the table, {step:.3g} s at {table.t[np.diff(table.t).argmin()]:g} s, would "
            f"make {rows:.0f} even rows of {len(table)}; drop the row that comes so soon, or use resample first"
        )
    times = _even_times(padded, step)
    even = padded.with_values(times, _interpolating_spline(padded.t, padded.values, 5)(times))
    b, a = _butterworth(order, cutoff, step)
    values = _one_pass(b, a, _one_pass(b, a, even.values)[::-1])[::-1]
    first = row_at(times, table.t[0])
    return even.with_values(times, values), first, row_at(times, table.t[-1])


def row_at(times: np.ndarray, t: float) -> int:
    """Number of the last row that is not later than a time, 0 if all are."""
    return max(int(np.searchsorted(times, t, side="right")) - 1, 0)


def check_complete(table: Table, who: str) -> None:
    """Raise an error unless this is a table of rows and columns without gaps."""
    if not isinstance(table, Table):
        raise TypeError(f"{who} needs an mm.recordings.Table, and is given {type(table).__name__}")
    if not len(table) or not table.names:
        raise ValueError(
            f"{who} needs rows and columns, and {called(table)} has {counted(len(table), 'row')} of {len(table.names)}"
        )
    wrong = ~np.isfinite(table.values)
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        raise ValueError(
            f"{who} needs numbers everywhere, and column {table.names[column]!r} of {called(table)} has none at "
            f"{table.t[row]:g} s; fill the gap first, as with mm.recordings.fill_gaps"
        )


def check_filter(table: Table, cutoff: float, order: int) -> None:
    """Raise an error that says why a table cannot be filtered so."""
    check_complete(table, "lowpass")
    if isinstance(order, bool) or not isinstance(order, (int, np.integer)) or not 1 <= order <= 8:
        raise ValueError(f"lowpass: the order is a whole number from 1 to 8, not {order!r}")
    if len(table) < max(FEWEST, order + 1):
        raise ValueError(f"lowpass: {max(FEWEST, order + 1)} rows or more are needed, and the table has {len(table)}")
    cutoff = check_positive(cutoff, "lowpass: the cut-off [Hz]")
    rate = (len(table) - 1) / (table.t[-1] - table.t[0])
    if cutoff >= 0.5 * rate:
        raise ValueError(
            f"lowpass: the cut-off must be below half of the {rate:.4g} rows per second, {0.5 * rate:.4g} Hz, and is "
            f"{cutoff:g} Hz"
        )


class _NaturalCubic:
    """The natural cubic through rows, by its second derivatives there; it makes only the pieces that are asked for."""

    def __init__(self, t: np.ndarray, values: np.ndarray):
        from scipy.linalg.lapack import dptsv  # it takes time to load

        self.t, self.values, self.bends = t, values, np.zeros_like(values)
        h = np.diff(t)
        rises, middle = 6.0 * np.diff(np.diff(values, axis=0) / h[:, None], axis=0), 2.0 * (h[:-1] + h[1:])
        if len(t) == 3:  # one equation, which LAPACK's wrapper refuses
            self.bends[1:-1] = rises / middle
        elif len(t) > 3:
            self.bends[1:-1] = dptsv(middle, h[1:-1], rises)[2]

    def __call__(self, t: np.ndarray, nu: int = 0) -> np.ndarray:
        """Values, or derivatives, at times within the rows."""
        i = np.clip(np.searchsorted(self.t, t, side="right") - 1, 0, len(self.t) - 2)
        h, x = (self.t[i + 1] - self.t[i])[..., None], np.asarray(t - self.t[i])[..., None]
        bend, jerk = self.bends[i], (self.bends[i + 1] - self.bends[i]) / h
        slope = (self.values[i + 1] - self.values[i]) / h - h * (bend / 3.0 + self.bends[i + 1] / 6.0)
        if nu == 0:
            return self.values[i] + x * (slope + x * (bend / 2.0 + x * jerk / 6.0))
        higher = (slope + x * (bend + x * jerk / 2.0), bend + x * jerk, jerk)
        return higher[nu - 1] if nu <= 3 else np.zeros_like(bend)


class _Quintic:
    """The quintic through rows whose third and fourth derivatives vanish at the ends, in steps for a unit of time."""

    def __init__(self, t: np.ndarray, values: np.ndarray):
        from scipy.interpolate import make_interp_spline  # it takes time to load

        self.start, self.step = t[0], (t[-1] - t[0]) / (len(t) - 1)
        ends = [(order, np.zeros(values.shape[1:])) for order in (3, 4)]
        self.spline = make_interp_spline((t - self.start) / self.step, values, k=5, bc_type=(ends, ends))

    def __call__(self, t: np.ndarray, nu: int = 0) -> np.ndarray:
        """Values, or derivatives, at times within the rows."""
        return self.spline((t - self.start) / self.step, nu=nu) / self.step**nu


def _interpolating_spline(t: np.ndarray, values: np.ndarray, degree: int) -> Callable[..., np.ndarray]:
    """The spline through rows, with an end condition for each order from half the degree upwards."""
    from scipy.interpolate import make_interp_spline  # it takes time to load

    if degree == 1:
        return make_interp_spline(t, values, k=1)
    return _NaturalCubic(t, values) if degree == 3 else _Quintic(t, values)


def _smoothing_spline(table: Table, degree: int, smoothing: float | str) -> Callable[..., np.ndarray]:
    """The cubic smoothing spline, its penalty given or chosen for each column."""
    from scipy.interpolate import make_smoothing_spline  # it takes time to load

    if degree != 3:
        raise ValueError(f"a smoothing spline has degree 3, not {degree}")
    if len(table) < 5:
        raise ValueError(f"a smoothing spline needs 5 rows or more, and the table has {len(table)}")
    penalty = None if smoothing == "gcv" else check_positive(smoothing, "the smoothing of a spline")
    splines = [make_smoothing_spline(table.t, column, lam=penalty) for column in table.values.T]
    joined = splines[0]
    joined.c = np.stack([one.c for one in splines], axis=1)
    return joined


def _even_times(table: Table, step: float) -> np.ndarray:
    """Times from the table's first to its last, a step apart; an end within rounding counts."""
    return table.t[0] + step * np.arange(int((table.t[-1] - table.t[0]) / step + EVEN) + 1)


def _made_even(table: Table) -> tuple[Table, float]:
    """(table at even times, their step)"""
    steps = np.diff(table.t)
    step = float(table.t[-1] - table.t[0]) / len(steps)
    if np.abs(steps - step).max() > EVEN * step:
        table = Spline(table, 5).table(np.linspace(table.t[0], table.t[-1], len(table)))
    return table, step


def _reflected(table: Table, count: int) -> Table:
    """A table with rows in front and behind that are its own, turned about its first and its last."""

    def widened(x: np.ndarray) -> np.ndarray:
        front, behind = 2.0 * x[0] - x[count:0:-1], 2.0 * x[-1] - x[-2 : -2 - count : -1]
        return np.concatenate([front, x, behind])

    return table.with_values(widened(table.t), widened(table.values))


def _butterworth(order: int, cutoff: float, step: float) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients (b, a) of the filter."""
    from scipy.signal import butter  # it takes time to load

    if cutoff * step >= 0.5:
        raise ValueError(f"lowpass: the cut-off of {cutoff:g} Hz is not below half the rate of steps of {step:.3g} s")
    return butter(order, 2.0 * cutoff * step)


def _one_pass(b: np.ndarray, a: np.ndarray, x: np.ndarray) -> np.ndarray:
    """y[i] = sum_k b[k] x[i - k] - sum_k a[k] y[i - k], from the first row for which that can be said."""
    from scipy.signal import lfilter  # it takes time to load

    order = len(b) - 1
    last = x[order - 1 :: -1][:order]  # the rows that are left as they are, latest first
    state = np.stack([((b - a)[k + 1 :, None] * last[: order - k]).sum(axis=0) for k in range(order)])
    return np.concatenate([x[:order], lfilter(b, a, x[order:], axis=0, zi=state)[0]])
