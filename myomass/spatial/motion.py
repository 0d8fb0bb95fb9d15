"""Motion: a number as a function of time (or of a coordinate), as data that kernels read: pieces of polynomials.

Before and after, the end values are held, or the end pieces go on. In parameters: pieces P and degree D (-1 - D where
the end pieces go on), then P + 1 break times and P rows of D + 1 coefficients of (t - break), lowest first. P = 0 is
followed by D = 0 and one value that stays; P = -1 by amplitude, angular rate, phase and offset of a sine.
"""

from collections.abc import Callable, Sequence

import numpy as np

from .._jit import kernel
from .checks import check_numbers

DEGREE, MOST_PIECES = 8, 8192
FEW = 64  # pieces of a motion at whose breaks adaptive integrators stop
EXACT = 1e-11  # of the largest value, to which a function is represented
JUMP = 1e-6  # of the largest value or slope, beyond which pieces do not meet smoothly


@kernel
def degree_of(params, at):
    """Degree of a motion's pieces."""
    degree = int(params[at + 1])
    return degree if degree >= 0 else -1 - degree


@kernel
def held_within(params, at, t):
    """(t, or the end that it is held at, and whether it moves) of a motion made of pieces."""
    if params[at + 1] < 0:
        return t * 1.0, True
    first, last = params[at + 2], params[at + 2 + int(params[at])]
    if t.real < first:
        return t * 0.0 + first, False
    if t.real > last:
        return t * 0.0 + last, False
    return t * 1.0, True


@kernel
def piece_at(params, at, x):
    """Number of the piece that holds x."""
    low, high = 0, int(params[at]) - 1
    while low < high:
        middle = (low + high + 1) // 2
        if params[at + 2 + middle] <= x.real:
            low = middle
        else:
            high = middle - 1
    return low


@kernel
def wave_at(params, at, t):
    """(value, rate, second derivative) of a sine at t."""
    a, rate = params[at + 1], params[at + 2]
    s, c = np.sin(rate * t + params[at + 3]), np.cos(rate * t + params[at + 3])
    return a * s + params[at + 4], a * rate * c, -a * rate * rate * s


@kernel
def curve_at(params, at, t):
    """(value, rate, second derivative) at t."""
    pieces, degree = int(params[at]), degree_of(params, at)
    o = t * 0.0
    if pieces < 0:
        return wave_at(params, at, t)
    if pieces == 0:
        return params[at + 2] + o, o, o
    x, moves = held_within(params, at, t)
    low = piece_at(params, at, x)
    first = at + 3 + pieces + low * (degree + 1)
    x = x - params[at + 2 + low]
    value, rate, half = o, o, o
    for k in range(degree, -1, -1):
        half = half * x + rate
        rate = rate * x + value
        value = value * x + params[first + k]
    return (value, rate, 2.0 * half) if moves else (value, o, o)


@kernel
def jet_at(params, at, t):
    """(value, first, second, third derivative) at t."""
    pieces, degree = int(params[at]), degree_of(params, at)
    o = t * 0.0
    if pieces < 0:
        value, first, second = wave_at(params, at, t)
        return value, first, second, -params[at + 2] * params[at + 2] * first
    if pieces == 0:
        return params[at + 2] + o, o, o, o
    x, moves = held_within(params, at, t)
    low = piece_at(params, at, x)
    row = at + 3 + pieces + low * (degree + 1)
    x = x - params[at + 2 + low]
    value, first, half, sixth = o, o, o, o
    for k in range(degree, -1, -1):
        sixth = sixth * x + half
        half = half * x + first
        first = first * x + value
        value = value * x + params[row + k]
    return (value, first, 2.0 * half, 6.0 * sixth) if moves else (value, o, o, o)


@kernel
def value_at(params, at, t):
    """The value at t alone."""
    pieces, degree = int(params[at]), degree_of(params, at)
    value = t * 0.0
    if pieces < 0:
        return wave_at(params, at, t)[0]
    if pieces == 0:
        return value + params[at + 2]
    x, _ = held_within(params, at, t)
    low = piece_at(params, at, x)
    first = max(at + 3 + pieces + low * (degree + 1), 0)
    x = x - params[at + 2 + low]
    for k in range(degree, -1, -1):
        value = value * x + params[first + k]
    return value


@kernel
def motion_at(params, at, t):
    """(value, rate) at t."""
    value, rate, _ = curve_at(params, at, t)
    return value, rate


@kernel(entry=True)
def fill_values(params, times, values):
    """Fill the values at all times, for Python."""
    for i in range(times.shape[0]):
        values[i] = value_at(params, 0, times[i])


class Motion:
    """A number in time: `Motion(2.0)` stays, `Motion.through(times, values)` is a smooth curve through points,
    `Motion.linear` and `Motion.held` join or hold values, `Motion.of(function, start, end)` follows a smooth function;
    before and after, its end values are held, unless its end pieces go on. `Motion.sine` swings for ever.
    """

    goes_on = False  # do the end pieces go on beyond the ends?
    wave: tuple[float, ...] = ()  # amplitude, angular rate, phase, offset of a sine

    def __init__(self, value: float = 0.0):
        self.breaks, self.coefficients = np.zeros(0), check_numbers(value, "a motion's value", ()).reshape(1, 1)

    def __repr__(self) -> str:
        if self.wave:
            return "Motion({:.6g} sin({:.6g} t + {:.6g}) + {:.6g})".format(*self.wave)
        if not len(self.breaks):
            return f"Motion({self.coefficients[0, 0]:.6g})"
        return f"Motion({len(self.coefficients)} pieces from {self.breaks[0]:.6g} to {self.breaks[-1]:.6g} s)"

    @property
    def moves(self) -> bool:
        """False for a number that stays."""
        return len(self.breaks) > 0 or len(self.wave) > 0

    @property
    def is_identity(self) -> bool:
        """Is its value its variable itself, everywhere?"""
        rows = self.coefficients
        if not self.goes_on or len(rows) != 1 or rows.shape[1] < 2 or rows[0, 2:].any():
            return False
        return rows[0, 1] == 1.0 and rows[0, 0] == self.breaks[0]

    @classmethod
    def line(cls, slope: float, intercept: float = 0.0) -> "Motion":
        """slope t + intercept, for all t."""
        slope, intercept = check_numbers((slope, intercept), "a line's slope and intercept", (2,)).tolist()
        return cls.pieces([0.0, 1.0], [[intercept, slope]], goes_on=True)

    @classmethod
    def sine(cls, amplitude: float, rate: float, phase: float = 0.0, offset: float = 0.0) -> "Motion":
        """amplitude sin(rate t + phase) + offset, the rate in rad/s (or rad per unit of a coordinate)."""
        motion = cls()
        motion.wave = tuple(check_numbers((amplitude, rate, phase, offset), "a sine's numbers", (4,)).tolist())
        return motion

    @classmethod
    def from_parameters(cls, numbers: np.ndarray) -> "Motion":
        """The motion that `parameters` gave these numbers of."""
        pieces, degree = int(numbers[0]), int(numbers[1])
        if pieces < 0:
            return cls.sine(*numbers[1:5])
        if pieces == 0:
            return cls(numbers[2])
        breaks, rows = numbers[2 : 3 + pieces], numbers[3 + pieces :]
        width = 1 + (degree if degree >= 0 else -1 - degree)
        return cls.pieces(breaks, rows[: pieces * width].reshape(pieces, width), goes_on=degree < 0)

    @classmethod
    def pieces(
        cls, breaks: Sequence[float], coefficients: Sequence[Sequence[float]], *, goes_on: bool = False
    ) -> "Motion":
        """Polynomials in (t - break), a row for each piece, lowest degree first.

        goes_on: the first and the last one hold beyond the ends too.
        """
        motion = cls()
        motion.goes_on = bool(goes_on)
        motion.breaks = check_numbers(breaks, "breaks [s]", (None,))
        motion.coefficients = check_numbers(coefficients, "coefficients", (max(len(motion.breaks) - 1, 0), None))
        if len(motion.breaks) < 2 or (np.diff(motion.breaks) <= 0).any() or not motion.coefficients.size:
            raise ValueError("a motion needs two or more rising times, and a coefficient for every piece")
        return motion

    @classmethod
    def through(cls, times: Sequence[float], values: Sequence[float]) -> "Motion":
        """The cubic spline through the given values, at rest at both ends (C^2 in between)."""
        times = check_numbers(times, "times [s]", (None,))
        values = check_numbers(values, "values", (len(times),))
        if len(times) < 2 or (np.diff(times) <= 0).any():
            raise ValueError("a motion needs two or more rising times")
        h, rise = np.diff(times), np.diff(values) / np.diff(times)
        n = len(times)
        A, b = np.eye(n), np.zeros(n)  # for the slopes, zero at the ends
        for i in range(1, n - 1):
            A[i, i - 1 : i + 2] = h[i], 2 * (h[i - 1] + h[i]), h[i - 1]
            b[i] = 3 * (h[i] * rise[i - 1] + h[i - 1] * rise[i])
        slope = np.linalg.solve(A, b)
        third = (slope[:-1] + slope[1:] - 2 * rise) / h**2
        second = (3 * rise - 2 * slope[:-1] - slope[1:]) / h
        return cls.pieces(times, np.column_stack([values[:-1], slope[:-1], second, third]))

    @classmethod
    def linear(cls, times: Sequence[float], values: Sequence[float]) -> "Motion":
        """Straight lines through the given values; the value of a single time stays."""
        times, values = _timed(times, values)
        if len(times) == 1:
            return cls(values[0])
        return cls.pieces(times, np.column_stack([values[:-1], np.diff(values) / np.diff(times)]))

    @classmethod
    def held(cls, times: Sequence[float], values: Sequence[float]) -> "Motion":
        """Each value from its time on, until the next one's."""
        times, values = _timed(times, values)
        last = times[-1] + (times[-1] - times[-2] if len(times) > 1 else 1.0)
        return cls.pieces([*times, last], values[:, None])

    @classmethod
    def of(cls, function: Callable[[float], float], start: float, end: float) -> "Motion":
        """A smooth function of time between start and end, in as many pieces as its shape needs."""
        if not callable(function):
            raise TypeError(f"Motion.of: give a function of time, not {function!r}")
        start, end = check_numbers((start, end), "start and end [s]", (2,)).tolist()
        if not start < end:
            raise ValueError(f"Motion.of: the end must be after the start, and they are {start:g} and {end:g} s")
        nodes = np.cos(np.pi * (np.arange(DEGREE + 1) + 0.5) / (DEGREE + 1))
        fit = np.linalg.inv(np.vander(nodes, increasing=True))
        probes = np.linspace(-0.99, 0.99, 7)

        def values(t: np.ndarray) -> np.ndarray:
            return check_numbers([function(float(x)) for x in t], "the function's values", (len(t),))

        pieces = 1
        while pieces <= MOST_PIECES:
            breaks = np.linspace(start, end, pieces + 1)
            half, middle = 0.5 * (breaks[1] - breaks[0]), 0.5 * (breaks[1:] + breaks[:-1])
            rows = np.array([fit @ values(m + half * nodes) for m in middle])
            wanted = np.array([values(m + half * probes) for m in middle])
            error = np.abs(rows @ np.vander(probes, DEGREE + 1, increasing=True).T - wanted).max()
            if error <= EXACT * np.abs(wanted).max():
                shifted = [np.polynomial.Polynomial(row)(np.polynomial.Polynomial([-1, 1 / half])).coef for row in rows]
                return cls.pieces(breaks, [np.pad(c, (0, DEGREE + 1 - len(c))) for c in shifted])
            pieces *= 2
        raise ValueError(
            f"the function is not smooth between {start:g} and {end:g} s: it cannot be represented to {EXACT:g}"
        )

    def integral(self) -> "Motion":
        """The motion whose rate this one is, zero at its start (at t = 0 if it stays or swings)."""
        if self.wave:
            a, rate, phase, offset = self.wave
            if offset or not rate:
                raise ValueError(f"the integral of {self!r} is not made here; give a sine with a rate and no offset")
            return Motion.sine(a / rate, rate, phase - 0.5 * np.pi, a / rate * np.cos(phase))
        if not len(self.breaks):
            return Motion.line(self.coefficients[0, 0])
        degree = self.coefficients.shape[1]
        raised = np.column_stack([np.zeros(len(self.coefficients)), self.coefficients / np.arange(1, degree + 1)])
        rise = np.sum(raised * np.diff(self.breaks)[:, None] ** np.arange(degree + 1), axis=1)
        raised[:, 0] = np.concatenate([[0.0], np.cumsum(rise)[:-1]])
        return Motion.pieces(self.breaks, raised, goes_on=self.goes_on)

    @property
    def is_smooth(self) -> bool:
        """Do its value and slope go on without a jump where its pieces meet?"""
        if len(self.coefficients) < 2:
            return True
        rows, h = self.coefficients, np.diff(self.breaks)
        powers = np.arange(rows.shape[1])
        ends = (rows[:-1] * h[:-1, None] ** powers).sum(axis=1)
        slopes = (rows[:-1, 1:] * powers[1:] * h[:-1, None] ** powers[:-1]).sum(axis=1)
        starts = rows[1:, 1] if rows.shape[1] > 1 else np.zeros(len(rows) - 1)
        size, steepness = np.abs(rows[:, 0]).max(), np.abs(np.append(starts, slopes)).max()
        smooth = np.abs(slopes - starts).max() <= JUMP * steepness
        return bool(smooth and np.abs(ends - rows[1:, 0]).max() <= JUMP * (size + steepness * h.max()))

    def __call__(self, t: float) -> float:
        """The value at time t."""
        return value_at(self.parameters(), 0, float(t))

    def along(self, times: np.ndarray) -> np.ndarray:
        """The values at many times."""
        times = np.ascontiguousarray(times, dtype=float)
        values = np.empty(len(times))
        fill_values(self.parameters(), times, values)
        return values

    def parameters(self) -> np.ndarray:
        """The numbers that kernels read."""
        if self.wave:
            return np.array([-1.0, *self.wave])
        degree = self.coefficients.shape[1] - 1
        head = [len(self.breaks) - 1 if len(self.breaks) else 0, -1 - degree if self.goes_on else degree]
        return np.concatenate([head, self.breaks, self.coefficients.ravel()])


def _timed(times: Sequence[float], values: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    """Rising times [s] and a value for each."""
    times = check_numbers(times, "times [s]", (None,))
    values = check_numbers(values, "values", (len(times),))
    if not len(times) or (np.diff(times) <= 0).any():
        raise ValueError("a motion needs rising times, one at least")
    return times, values


def kinks(params: np.ndarray, at: int) -> set[float]:
    """Times at which a motion in parameters may have a kink: its ends, and the breaks of one made of few pieces [s]."""
    pieces = int(params[at])
    breaks = params[at + 2 : at + 3 + pieces].tolist() if pieces > 0 else []
    return set(breaks if pieces <= FEW else (breaks[0], breaks[-1]))


def as_motion(given: "Motion | float", what: str) -> Motion:
    """A motion as it is, or the constant motion of a number. Raises a ValueError that names `what`."""
    if isinstance(given, Motion):
        return given
    try:
        return Motion(given)
    except ValueError:
        raise ValueError(f"{what} must be a number or an mm.Motion, and is {given!r}") from None
