"""Excitations of muscles as numbers that a run can be differentiated by."""

from collections.abc import Mapping

import numpy as np

from ..dynamics.system import linear_of, system_of
from ..model import Model
from ..model.workspace import Workspace
from ..run.excitations import Excitations, Given, is_timed


class Excited:
    """What excites the muscles of a run, and the numbers that were given for it.

    values: one for all muscles, one for each, or rows over time, linear in between; None where excitations are given in
    another way, by which there are no derivatives.
    """

    def __init__(self, model: Model, given: Given, span: tuple[float, float]):
        self.excitations = Excitations(model, given, span)
        self.times, self.values = np.zeros(0), None
        if given is None:
            self.values = np.zeros(len(self.excitations.names))
        elif is_timed(given):
            self.times, self.values = np.array(given[0], float), np.array(given[1], float)
        elif not isinstance(given, Mapping) and not callable(given) and not hasattr(given, "values"):
            try:
                values = np.array(given, float)
            except (TypeError, ValueError):
                return
            if values.ndim <= 2:  # pairs (times, values), one for each muscle, have three
                self.values = values
            if values.ndim == 2:
                self.times = np.linspace(*span, len(values))

    def drive(self, space: Workspace) -> None:
        """Let kernels on a workspace read the excitations."""
        self.excitations.drive(space.model, system_of(space).muscles.drive)
        self.excitations.drive(space.model, linear_of(space).muscles.drive)

    def bars(self, count: int) -> np.ndarray:
        """Room for the bars of some quantities. (quantities, ...)"""
        return np.zeros((count, *np.shape(self.values))) if self.values is not None else np.zeros((count, 0))

    def add(self, bars: np.ndarray, t: float, u: np.ndarray) -> None:
        """Add bars u (quantities, muscles) of what excites at time t."""
        if self.values is None:
            return
        if not len(self.times):
            bars += u.sum(axis=1) if self.values.ndim == 0 else u
            return
        u = u.sum(axis=1) if self.values.ndim == 1 else u  # one column for all
        if len(self.times) == 1:
            bars[:, 0] += u
            return
        t = min(max(t, self.times[0]), self.times[-1])
        i = min(max(int(np.searchsorted(self.times, t, side="right")) - 1, 0), len(self.times) - 2)
        share = (t - self.times[i]) / (self.times[i + 1] - self.times[i])
        bars[:, i] += (1.0 - share) * u
        bars[:, i + 1] += share * u
