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
from ..reduction.border import refuse_reduced
from ..spatial.checks import check_numbers, check_positive
from ..trajectory import Trajectory
from .curve import Clip, JointCurve, Moment, check_coordinates
from .planted import Pins, Planted
from .ranges import EASE, Ranges
from .search import CONVERGED, Search
from .spacetime import Bearing, Effort, listed

NAMES = Moment._fields
ASTRAY, ASTRAY_RANGE = 1e-3, 0.03  # allowed where points (of the size) and ranges [rad or m] are not held
ROWS = 40  # rows of a trajectory from which its accelerations are taken
OPTIMISERS = ("L-BFGS-B", "BFGS")
Given = Trajectory | Clip | tuple | Sequence


@dataclass(eq=False, repr=False)
class Transition:
    """A curve of least effort between two motions, and how it was found."""

    effort: Effort  # the model, the weights of its torques, and what it rests on
    curve: JointCurve  # from 0 to the duration
    blend: JointCurve  # the blend with which the search began
    energy: float  # P of the curve, and of the blend [N^2 m^2 s where joints turn]
    blend_energy: float
    success: bool
    message: str  # one sentence: how it ended
    history: np.ndarray  # P after each iteration
    evaluations: int  # evaluations of P with its gradient
    seconds: float  # time of the search
    gap: float  # largest distance of a planted point from its place, where it is held [m]
    excess: float  # largest distance of a coordinate from its range [rad or m]

    @property
    def model(self) -> Model:
        """The model that moves."""
        return self.effort.model

    def __repr__(self) -> str:
        return f"Transition({self.model.name!r}: {self.message})"

    def torques(self, t: np.ndarray, curve: JointCurve | None = None) -> np.ndarray:
        """Joint torques along the curve (or another one, the blend) at times t [N m or N]. (rows, ndof)"""
        return self.effort.torques(self.curve if curve is None else curve, t)

    def efforts(self, t: np.ndarray, curve: JointCurve | None = None) -> np.ndarray:
        """sum w_i tau_i^2 along the curve at times t. (rows,)"""
        return self.torques(t, curve) ** 2 @ self.effort.weights

    def trajectory(self, h: float = 0.01) -> Trajectory:
        """The transition as a trajectory, to look at and to save; rows about h apart [s]."""
        return self.curve.trajectory(self.model, h)

    def joined(self, before: Clip | Trajectory, after: Clip | Trajectory, h: float = 0.01) -> Trajectory:
        """Both clips with the transition between them as one motion, which begins when the first one does."""
        run = self.trajectory(h)
        for clip, which in ((before, "before"), (after, "after")):
            if not isinstance(clip, (Clip, Trajectory)):
                raise TypeError(f"joined: `{which}` is a clip or a trajectory, not {clip!r}")
            check_coordinates(clip.q, self.model, f"the clip {which}")
        ended = before.t[-1]
        t = np.concatenate([before.t, ended + run.t[1:], ended + self.curve.end + after.t[1:] - after.t[0]])
        q = np.concatenate([before.q, run.q[1:], after.q[1:]])
        qdot = np.concatenate([before.qdot, run.qdot[1:], after.qdot[1:]])
        charts = np.tile(run.charts[0], (len(t), 1))
        return Trajectory(self.model, t, q, qdot, charts, "curve")


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

    `before` and `after` are clips (mm.transitions.Clip, a trajectory: the end of the one, the start of the other) or
    moments (q, qdot, qddot), the last two zero if left out; the curve has their q, qdot and qddot at its ends. It is a
    cubic B-spline with so many `coefficients` for each degree of freedom; the search begins with a linear blend.
    weights: of the torques (None: ones). moving: booleans, true where the motion is found; elsewhere the blend stays.
    planted: points that stay in their place; bearing: bodies that stand on the ground, instead of a root that is held;
    ranges: (lower, upper) of every coordinate, (ndof, 2), kept to a hundredth where possible.
    quadrature, points: "gauss" with so many nodes in a segment, or "simpson". optimiser: "L-BFGS-B" or "BFGS", in
    stretches of 40 iterations, until two on end lower P by less than `tolerance` of it; `progress(iteration, P)` is
    told. A finer rule judges P, and the search goes on with it where they differ by more than 1 %.
    The result says how it ended; Ctrl-C ends the search and keeps the best so far.
    """
    from threadpoolctl import threadpool_limits

    begun = time.perf_counter()
    blend = _blend(model, before, after, check_positive(duration, "motion_transition: the duration"), coefficients)
    options = _check_options(optimiser, tolerance, most_iterations, progress)
    effort = Effort(model, (0.0, blend.end, coefficients), weights, (quadrature, points), bearing)
    planted = listed(planted, Planted, "planted")
    search = Search(
        effort, blend, _check_moving(model, moving), Pins(model, blend, planted), _ranges(ranges, blend, effort)
    )
    if not np.isfinite(effort.value(blend.coefficients)):
        raise FloatingPointError(f"model {model.name!r}: the effort of the linear blend is not finite")
    with threadpool_limits(1):  # threads for matrices this small wait for each other, the longer the busier the machine
        ended = search.run(*options)
        while ended == CONVERGED and search.misjudged():
            search.refine()
            ended = search.run(*options)
    return _result(search, ended, Pins(model, blend, planted, 16), time.perf_counter() - begun)


def _result(search: Search, ended: str, pins: Pins, seconds: float) -> Transition:
    """The transition that the search found, with gaps and excesses measured more finely."""
    fine, curve = search.effort.refined(), JointCurve(search.coefficients, search.blend.start, search.blend.end)
    gap, where = pins.worst(curve.coefficients)
    excess = search.ranges.at(fine.nodes).worst(curve.coefficients)
    wrong = []
    if gap > ASTRAY * pins.size:
        wrong.append(where)
    if excess > ASTRAY_RANGE:
        wrong.append(f"a coordinate is {excess:.3g} out of its range")
    if wrong:
        met = "no motion was found that does better" if ended == CONVERGED else ended
        ended = f"{' and '.join(wrong)}; {met}"
        warnings.warn(f"motion_transition: {ended}", RuntimeWarning, stacklevel=3)
    energy, blend_energy = fine.value(curve.coefficients), fine.value(search.blend.coefficients)
    message = f"{ended}: P went from {blend_energy:.4g} to {energy:.4g} in {len(search.history)} iterations"
    found = (search.effort, curve, search.blend, energy, blend_energy, ended == CONVERGED, message)
    return Transition(*found, np.array(search.history), search.evaluations, seconds, gap, excess)


def _check_options(optimiser: str, tolerance: float, most: int, progress: Callable | None) -> tuple:
    """(optimiser, tolerance, most iterations, progress), checked."""
    if optimiser not in OPTIMISERS:
        raise ValueError(f"motion_transition: the optimiser is one of {', '.join(OPTIMISERS)}, not {optimiser!r}")
    if not check_positive(tolerance, "motion_transition: the tolerance") < 1.0:
        raise ValueError(f"motion_transition: the tolerance is a part of P, less than one, and is {tolerance!r}")
    if isinstance(most, bool) or not isinstance(most, (int, np.integer)) or most < 1:
        raise ValueError(f"motion_transition: most_iterations is a whole number from 1 on, and is {most!r}")
    if progress is not None and not callable(progress):
        raise TypeError(f"motion_transition: progress is a function of iteration and P, and is {progress!r}")
    return optimiser, float(tolerance), int(most), progress


def _ranges(ranges: np.ndarray | None, blend: JointCurve, effort: Effort) -> Ranges:
    """Ranges of the coordinates. Raises a ValueError if the given motions are outside of them."""
    kept = Ranges(effort.model, ranges, effort.nodes)
    for t, which in ((blend.start, "before"), (blend.end, "after")) if kept.given else ():
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
    refuse_reduced(model, "motion_transition")
    return JointCurve.blend(_moment(model, before, "before"), _moment(model, after, "after"), duration, count)


def _moment(model: Model, given: Given, which: str) -> Moment:
    """(q, qdot, qddot) at the end of the motion before, or at the start of the one after."""
    if isinstance(given, Trajectory):
        return _end_of_run(model, given, which)
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
    return Moment(*rows, *(np.zeros(model.ndof) for _ in range(3 - len(rows))))


def _end_of_run(model: Model, run: Trajectory, which: str) -> Moment:
    """The last moment of a run, or its first; its accelerations are the slope of its rates."""
    check_coordinates(run.q, model, f"the trajectory {which}")
    if _moving_bodies(run.model) != _moving_bodies(model):
        raise ValueError(f"motion_transition: the trajectory {which} is of another model, {run.model.name!r}")
    if len(run.charts) and (run.charts != model.params[model.chart_slots]).any():
        raise ValueError(f"motion_transition: the trajectory {which} changes charts; give it in those of the model")
    rows = slice(-ROWS, None) if which == "before" else slice(0, ROWS)
    t, q, qdot = run.t[rows], run.q[rows], run.qdot[rows]
    end = -1 if which == "before" else 0
    h = np.diff(t)[:, None]
    jumps = np.flatnonzero((np.abs(np.diff(q, axis=0) - 0.5 * h * (qdot[1:] + qdot[:-1])) > 1.0).any(axis=1))
    if len(jumps):  # a rotation vector was wrapped: the rows on this side of it
        kept = slice(jumps[-1] + 1, None) if which == "before" else slice(0, jumps[0] + 1)
        t, q, qdot = t[kept], q[kept], qdot[kept]
    return Moment(q[end], qdot[end], Clip(t, qdot)(t[end]).qdot)


def _moving_bodies(model: Model) -> dict[str, int]:
    """How many degrees of freedom bodies have, of those that have some."""
    counts = np.diff(model.dof_starts).tolist()
    return {name: n for name, n in zip(model.names, counts, strict=True) if n}


def _check_moving(model: Model, moving: np.ndarray | None) -> np.ndarray:
    """Booleans, one per degree of freedom, not all false."""
    if moving is None:
        return np.ones(model.ndof, bool)
    moving = np.asarray(moving)
    if moving.dtype != bool or moving.shape != (model.ndof,) or not moving.any():
        raise ValueError(f"motion_transition: moving must be booleans of shape ({model.ndof},), some of them true")
    return moving
