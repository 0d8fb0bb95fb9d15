"""Instants of a run at even times: between its rows, the cubic through their coordinates and rates.

States of muscles go straight from row to row.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..model import Model, State
from ..trajectory import Trajectory
from .moment import Moment
from .series import charts_used, finite_part, with_rows

NOT_RUN = "not simulated"


@dataclass(eq=False)
class Frames:
    """The finite part of a run, to be looked at anywhere between its start and its end; notes say what is missing.

    Where a joint goes over into another chart, coordinates jump; there the nearer row goes on at its rates.
    """

    trajectory: Trajectory
    notes: list[str] = field(init=False)
    models: dict[bytes, Model] = field(default_factory=dict)  # by charts

    def __post_init__(self) -> None:
        self.trajectory, self.notes = finite_part(self.trajectory)

    @property
    def start(self) -> float:
        """First time [s]."""
        return float(self.trajectory.t[0])

    @property
    def end(self) -> float:
        """Last time that can be shown [s]."""
        return float(self.trajectory.t[-1])

    def at(self, t: float) -> Moment:
        """The moment of the run at a time, or at its nearer end."""
        run, t = self.trajectory, float(np.clip(t, self.start, self.end))
        i = int(np.clip(np.searchsorted(run.t, t, side="right") - 1, 0, len(run.t) - 1))
        q, qdot, charts, z = run.q[i], run.qdot[i], run.charts[i], run.z[i]
        if i + 1 < len(run.t) and t > run.t[i]:
            h = run.t[i + 1] - run.t[i]
            z = z + (t - run.t[i]) / h * (run.z[i + 1] - z)
            if charts_used(with_rows(run, slice(i, i + 2)))[1].any():
                near = i if t - run.t[i] < 0.5 * h else i + 1
                q, qdot, charts = run.q[near] + (t - run.t[near]) * run.qdot[near], run.qdot[near], run.charts[near]
            else:
                q, qdot = _cubic((t - run.t[i]) / h, h, run, i)
        forces = None if run.multipliers is None else run.multipliers[i]
        return Moment(self._model(charts), t, q, qdot, z, forces)

    def _model(self, charts: np.ndarray) -> Model:
        key = charts.tobytes()
        if key not in self.models:
            self.models[key] = replace(self.trajectory.model.with_charts(charts))  # with scratch of its own
        return self.models[key]

    def times(self, fps: float, most: int | None = None) -> np.ndarray:
        """Even times over the run, `fps` in a second but at most `most`."""
        count = self.count(fps)
        return np.linspace(self.start, self.end, count if most is None else min(count, most))

    def count(self, fps: float) -> int:
        """Number of pictures of the run at a rate [1/s]."""
        return max(int(np.ceil((self.end - self.start) * fps - 1e-6)) + 1, 1)  # but for rounding

    def each(self, times: Sequence[float]) -> Iterator[Moment]:
        """The moments at these times."""
        return (self.at(t) for t in times)


def _cubic(s: float, h: float, run: Trajectory, i: int) -> tuple[np.ndarray, np.ndarray]:
    """(q, qdot) at the share s of the step h from row i to the next."""
    a, b, u, v = run.q[i], run.q[i + 1], h * run.qdot[i], h * run.qdot[i + 1]
    c, d = 3 * (b - a) - 2 * u - v, 2 * (a - b) + u + v
    return a + s * (u + s * (c + s * d)), (u + s * (2 * c + 3 * s * d)) / h


def still_run(model: Model, state: State | None = None) -> Trajectory:
    """A run of one row: a model that has not been simulated yet."""
    state = model.state() if state is None else state
    rows = np.array([state.t]), state.q[None], state.qdot[None], state.charts[None]
    return Trajectory(model, *rows, "none", NOT_RUN, z=state.z[None])
