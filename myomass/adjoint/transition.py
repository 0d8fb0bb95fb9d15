"""Motion transitions: two motions joined by the curve of least effort (Rose, Guenter, Bodenheimer and Cohen 1996).

The curve's three coefficients at either end give C2 continuity; those between are found by search.py.
"""

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..model import Model
from ..model.border import no_model
from ..spatial.checks import check_numbers, check_positive
from ..trajectory import Trajectory
from .curve import FEWEST, Clip, JointCurve, Motion3, check_coordinates
from .planted import Pins, Planted
from .ranges import Ranges
from .search import CONVERGED, EASE, HELD, Search
from .spacetime import Bearing, Effort

NAMES = Motion3._fields
OPTIMISERS = ("L-BFGS-B", "BFGS")
Given = Trajectory | Clip | tuple | Sequence


@dataclass(eq=False, repr=False)
class Transition:
    """A curve of least effort between two motions, and how it was found."""

    effort: Effort  # the model, the weights of its torques, and what bears it
    curve: JointCurve  # from 0 to the duration
    blend: JointCurve  # what the search began with
    energy: float  # P of the curve, and of the blend [N^2 m^2 s where joints turn]
    blend_energy: float
    success: bool
    message: str  # one sentence: how it ended
    history: np.ndarray  # P after each iteration
    evaluations: int  # of P with its gradient
    seconds: float  # that the search took
    gap: float  # largest distance of a planted point from its place, where it is held [m]
    excess: float  # largest distance of a coordinate from its range [rad or m]

    @property
    def model(self) -> Model:
        """What moves."""
        return self.effort.model

    def __repr__(self) -> str:
        return f"Transition({self.model.name!r}: {self.message})"

    def torques(self, t: np.ndarray, curve: JointCurve | None = None) -> np.ndarray:
        """Joint torques along the curve (or another of its kind, the blend) at times t [N m or N]. (rows, ndof)"""
        t = np.atleast_1d(check_numbers(t, "the times", () if np.ndim(t) == 0 else (None,)))
        return self.effort.torques((curve or self.curve).coefficients, t)

    def efforts(self, t: np.ndarray, curve: JointCurve | None = None) -> np.ndarray:
        """sum w_i tau_i^2 along the curve at times t. (rows,)"""
        return self.torques(t, curve) ** 2 @ self.effort.weights

    def trajectory(self, h: float = 0.01) -> Trajectory:
        """The transition as a trajectory, to look at and to save; rows about h apart [s]."""
        return self.curve.trajectory(self.model, h)


def motion_transition(
    model: Model,
    before: Given,
    after: Given,
    duration: float = 1.0,
    *,
    coefficients: int = 25,
    weights: np.ndarray | None = None,
    moving: np.ndarray | None = None,
    planted: Planted | Sequence[Planted] = (),
    bearing: Bearing | Sequence[Bearing] = (),
    ranges: np.ndarray | None = None,
    quadrature: str = "gauss",
    points: int = 4,
    optimiser: str = "L-BFGS-B",
    tolerance: float = 1e-4,
    most_iterations: int = 3000,
    progress: Callable[[int, float], None] | None = None,
) -> Transition:
    """The motion of least effort, integral of sum w_i tau_i^2 dt, that joins two motions in a given time [s].

    `before` and `after` are clips (mm.Clip, a trajectory: the end of the one, the start of the other) or moments
    (q, qdot, qddot), the last two zero if left out; the curve has their q, qdot and qddot at its ends. It is a cubic
    B-spline with so many `coefficients` for each degree of freedom; the search begins with a linear blend.
    weights: of the torques (None: ones). moving: booleans, true where the motion is found; elsewhere the blend stays.
    planted: points that stay in their place; bearing: bodies that stand on the ground, instead of a root that is held;
    ranges: (lower, upper) of every coordinate, (ndof, 2), kept to a hundredth where possible.
    quadrature, points: "gauss" with so many nodes in a segment, or "simpson". optimiser: "L-BFGS-B" or "BFGS", in
    stretches of 40 iterations, until one lowers P by less than `tolerance` of it; `progress(iteration, P)` is told.
    The result says how it ended; Ctrl-C ends the search and keeps the best so far.
    """
    from threadpoolctl import threadpool_limits

    begun = time.perf_counter()
    blend = _blend(model, before, after, check_positive(duration, "motion_transition: the duration"), coefficients)
    if optimiser not in OPTIMISERS:
        raise ValueError(f"motion_transition: the optimiser is one of {', '.join(OPTIMISERS)}, not {optimiser!r}")
    tolerance = check_positive(tolerance, "motion_transition: the tolerance")
    bearing = (bearing,) if isinstance(bearing, Bearing) else tuple(bearing)
    effort = Effort(model, (0.0, blend.end, coefficients), weights, (quadrature, points), bearing)
    pins = Pins(model, blend, (planted,) if isinstance(planted, Planted) else tuple(planted))
    search = Search(effort, blend, _check_moving(model, moving), pins, _check_ranges(model, ranges, blend, effort))
    blend_energy = effort.value(blend.coefficients)
    if not np.isfinite(blend_energy):
        raise FloatingPointError(f"model {model.name!r}: the effort of the linear blend is not finite")

    def told() -> None:
        if progress is not None:
            progress(len(search.history), search.energy)

    with threadpool_limits(1):  # threads for matrices this small wait for each other, the longer the busier the machine
        ended = search.run(optimiser, tolerance, most_iterations, told)
    curve = JointCurve(search.coefficients, 0.0, blend.end)
    energy, (gap, where) = effort.value(curve.coefficients), pins.worst(curve.coefficients)
    if gap > HELD:
        ended = f"{where}: no motion was found that holds it" if ended == CONVERGED else f"{ended}; {where}"
        warnings.warn(f"motion_transition: {ended}", RuntimeWarning, stacklevel=2)
    return Transition(
        effort,
        curve,
        blend,
        energy,
        blend_energy,
        ended == CONVERGED,
        f"{ended}: P went from {blend_energy:.4g} to {energy:.4g} in {len(search.history)} iterations",
        np.array(search.history),
        search.evaluations,
        time.perf_counter() - begun,
        gap,
        search.ranges.worst(curve.coefficients),
    )


def _check_ranges(model: Model, ranges: np.ndarray | None, blend: JointCurve, effort: Effort) -> Ranges:
    """Ranges of the coordinates, or a sentence if the given motions are outside of them."""
    kept = Ranges(model, ranges, effort.nodes)
    for t, which in ((blend.start, "before"), (blend.end, "after")) if kept.kept else ():
        outside = np.abs(np.clip(blend(t).q, kept.lower, kept.upper) - blend(t).q)
        if outside.max() > EASE:
            k = int(outside.argmax())
            raise ValueError(
                f"motion_transition: the motion {which} has q[{k}] = {blend(t).q[k]:.4g}, and its range is from "
                f"{kept.lower[k]:.4g} to {kept.upper[k]:.4g}"
            )
    return kept


def _blend(model: Model, before: Given, after: Given, duration: float, count: int) -> JointCurve:
    """The linear blend between two motions."""
    if not isinstance(model, Model):
        raise no_model(model)
    if not isinstance(count, (int, np.integer)) or count < FEWEST:
        raise ValueError(f"motion_transition: {FEWEST} coefficients or more are needed for each curve, not {count!r}")
    return JointCurve.blend(_moment(model, before, "before"), _moment(model, after, "after"), duration, count)


def _moment(model: Model, given: Given, which: str) -> Motion3:
    """(q, qdot, qddot) at the end of the motion before, or at the start of the one after."""
    if isinstance(given, Trajectory):
        if len(given.charts) and (given.charts != model.params[model.chart_slots]).any():
            raise ValueError(f"motion_transition: the trajectory {which} changes charts; give it in those of the model")
        check_coordinates(given.q, model, f"the trajectory {which}")
        end = -1 if which == "before" else 0
        return Motion3(given.q[end], given.qdot[end], Clip(given.t, given.qdot)(given.t[end]).qdot)
    if isinstance(given, Clip):
        check_coordinates(given.q, model, f"the clip {which}")
        return given(given.t[-1] if which == "before" else given.t[0])
    if not isinstance(given, (tuple, list)) or not 1 <= len(given) <= 3:
        raise TypeError(
            f"motion_transition: `{which}` is a clip, a trajectory or a moment (q, qdot, qddot), not {given!r}"
        )
    rows = [check_numbers(x, f"{name} of the moment {which}", (None,)) for name, x in zip(NAMES, given, strict=False)]
    for row in rows:
        check_coordinates(row, model, f"the moment {which}")
    return Motion3(*rows, *(np.zeros(model.ndof) for _ in range(3 - len(rows))))


def _check_moving(model: Model, moving: np.ndarray | None) -> np.ndarray:
    """Booleans, one per degree of freedom, not all false."""
    if moving is None:
        return np.ones(model.ndof, bool)
    moving = np.asarray(moving)
    if moving.dtype != bool or moving.shape != (model.ndof,) or not moving.any():
        raise ValueError(f"motion_transition: moving must be booleans of shape ({model.ndof},), some of them true")
    return moving
