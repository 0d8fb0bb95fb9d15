"""Motions as curves: cubic B-splines of the joint coordinates, and clips that were recorded.

    q(t) = sum of B_i(u) c_(s+i), i = 0..3,      u + s = (t - start)/h,   h = (end - start)/(coefficients - 3)

Every curve is twice continuously differentiable; q, qdot and qddot at an end make its three coefficients there.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..model import Model
from ..model.border import no_model
from ..spatial.bases import B_SPLINE, basis
from ..spatial.brief import brief
from ..spatial.checks import check_numbers, check_positive
from ..trajectory import Trajectory

FEWEST = 7  # coefficients: three at either end are given, and one is left


class Moment(NamedTuple):
    """Coordinates, rates and accelerations at one time, (ndof,), or at many, (rows, ndof)."""

    q: np.ndarray
    qdot: np.ndarray
    qddot: np.ndarray


def basis_rows(t: np.ndarray, start: float, end: float, count: int) -> tuple[np.ndarray, np.ndarray]:
    """(first, B): first of the four coefficients that each time depends on, and their weights. (rows,), (rows, 3, 4)

    B[r, d, i] is the weight of coefficient first[r] + i in q, qdot and qddot (d = 0, 1, 2) at the time t[r]. Beyond its
    ends a curve goes on as its end segments' polynomials.
    """
    segments = count - 3
    h = (end - start) / segments
    place = (np.asarray(t, float) - start) / h
    first = np.clip(np.floor(place).astype(np.int64), 0, segments - 1)
    B = np.array([np.stack(np.broadcast_arrays(*row), axis=-1) for row in basis(B_SPLINE, place - first)])
    return first, np.ascontiguousarray((B / np.array([1.0, h, h * h])[:, None, None]).transpose(1, 0, 2))


@brief
@dataclass(frozen=True, eq=False)
class JointCurve:
    """Cubic B-spline curves of all coordinates from `start` to `end` [s]; coefficients (count, ndof)."""

    coefficients: np.ndarray
    start: float = 0.0
    end: float = 1.0

    def __post_init__(self) -> None:
        coefficients = check_numbers(self.coefficients, "JointCurve: the coefficients", (None, None), real=False)
        start, end = (float(check_numbers(t, "JointCurve: start and end", ())) for t in (self.start, self.end))
        if len(coefficients) < 4:
            raise ValueError(
                f"JointCurve: a cubic curve has four coefficients or more, and there are {len(coefficients)}"
            )
        if not end > start:
            raise ValueError(f"JointCurve: the end must come after the start, and they are {end:g} and {start:g} s")
        for name, value in (("coefficients", coefficients.copy()), ("start", start), ("end", end)):
            object.__setattr__(self, name, value)

    @property
    def h(self) -> float:
        """Length of a segment [s]."""
        return (self.end - self.start) / (len(self.coefficients) - 3)

    @property
    def knots(self) -> np.ndarray:
        """Times at which segments meet, the ends among them [s]."""
        return np.linspace(self.start, self.end, len(self.coefficients) - 2)

    def __call__(self, t: float | np.ndarray) -> Moment:
        """(q, qdot, qddot) at a time or at many. (ndof,) or (rows, ndof) each"""
        t = check_numbers(t, "JointCurve: the time", () if np.ndim(t) == 0 else (None,))
        first, B = basis_rows(np.atleast_1d(t), self.start, self.end, len(self.coefficients))
        values = np.einsum("rdi,rik->drk", B, self.coefficients[first[:, None] + np.arange(4)])
        return Moment(*(values[:, 0] if t.ndim == 0 else values))

    @classmethod
    def blend(cls, before: Moment, after: Moment, duration: float, count: int) -> "JointCurve":
        """From one moment to another with C2 ends, its coefficients in between on a straight line."""
        if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < FEWEST:
            raise ValueError(f"a transition has a whole number of coefficients, {FEWEST} or more, not {count!r}")
        h = duration / (count - 3)
        first, last = _end_coefficients(before, h), _end_coefficients(after, h)
        part = np.linspace(0.0, 1.0, count - 4)[1:-1, None]
        return cls(np.concatenate([first, first[2] + part * (last[0] - first[2]), last]), 0.0, duration)

    @classmethod
    def fit(cls, t: np.ndarray, q: np.ndarray, count: int) -> "JointCurve":
        """The curve of `count` coefficients that is nearest to rows q at times t in the sense of least squares."""
        clip = Clip(t, q)
        if not isinstance(count, (int, np.integer)) or not 4 <= count <= len(clip.t):
            raise ValueError(
                f"JointCurve.fit: from 4 coefficients to as many as there are rows ({len(clip.t)}), not {count!r}"
            )
        first, B = basis_rows(clip.t, clip.t[0], clip.t[-1], count)
        design = np.zeros((len(clip.t), count))
        np.put_along_axis(design, first[:, None] + np.arange(4), B[:, 0], axis=1)
        found, _, rank, _ = np.linalg.lstsq(design, clip.q, rcond=None)
        if rank < count:
            raise ValueError(f"JointCurve.fit: {count} coefficients are too many where rows are far apart")
        return cls(found, clip.t[0], clip.t[-1])

    def trajectory(self, model: Model, h: float = 0.01) -> Trajectory:
        """The curve as a trajectory of a model, with rows about h apart [s]."""
        check_curve(self, model)
        h = check_positive(h, "JointCurve.trajectory: h")
        t = np.linspace(self.start, self.end, 1 + max(1, round((self.end - self.start) / h)))
        motion, charts = self(t), np.tile(model.params[model.chart_slots], (len(t), 1))
        return Trajectory(model, t, motion.q, motion.qdot, charts, "curve")


def _end_coefficients(motion: Moment, h: float) -> np.ndarray:
    """The three coefficients of a curve that has q, qdot and qddot where its segment begins. (3, ndof)"""
    q, qdot, qddot = motion
    return np.array([q - h * qdot + h * h / 3 * qddot, q - h * h / 6 * qddot, q + h * qdot + h * h / 3 * qddot])


@brief
@dataclass(frozen=True, eq=False)
class Clip:
    """A recorded motion: rising times [s], (rows,), and coordinates, (rows, ndof). Smooth noisy ones beforehand."""

    t: np.ndarray
    q: np.ndarray

    def __post_init__(self) -> None:
        t = check_numbers(self.t, "Clip: the times", (None,))
        q = check_numbers(self.q, "Clip: the coordinates", (len(t), None))
        falls = np.flatnonzero(np.diff(t) <= 0)
        if len(falls):
            i = int(falls[0])
            raise ValueError(f"Clip: times must rise, and t[{i}] is {t[i]:g} s and t[{i + 1}] is {t[i + 1]:g} s")
        if len(t) < 3:
            raise ValueError(f"Clip: three rows or more make a motion, and there are {len(t)}")
        object.__setattr__(self, "t", t.copy())
        object.__setattr__(self, "q", q.copy())

    @cached_property
    def _spline(self) -> object:
        from scipy.interpolate import make_interp_spline  # it takes time to load

        degree = 5 if len(self.t) > 5 else 3 if len(self.t) > 3 else 2
        return make_interp_spline(self.t, self.q, k=degree)

    @property
    def qdot(self) -> np.ndarray:
        """Rates at the times of the rows. (rows, ndof)"""
        return self._spline(self.t, nu=1)

    def __call__(self, t: float) -> Moment:
        """(q, qdot, qddot) at a time, of the interpolating spline, of degree five where there are rows enough."""
        if not self.t[0] <= check_numbers(t, "Clip: the time", ()) <= self.t[-1]:
            raise ValueError(f"Clip: it lasts from {self.t[0]:g} to {self.t[-1]:g} s, and {t:g} s is outside")
        return Moment(*(self._spline(t, nu=order) for order in range(3)))


def check_curve(curve: JointCurve, model: Model) -> None:
    """Raise an error unless this is a curve of a model's coordinates, in real numbers."""
    if not isinstance(curve, JointCurve):
        raise TypeError(
            f"a curve is needed, as mm.transitions.JointCurve(coefficients, start, end), and this is {curve!r}"
        )
    if not isinstance(model, Model):
        raise no_model(model)
    check_coordinates(curve.coefficients, model, "the curve")
    if np.iscomplexobj(curve.coefficients):
        raise ValueError("real coefficients are needed here, and those of the curve are complex")


def check_coordinates(q: np.ndarray, model: Model, what: str) -> None:
    """Raise a ValueError if rows of coordinates do not fit the model."""
    if q.shape[-1] != model.ndof:
        raise ValueError(
            f"{what} has {q.shape[-1]} coordinates, and model {model.name!r} has {model.ndof} degrees of freedom"
        )
