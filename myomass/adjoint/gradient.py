"""value_and_grad: what a task makes of a run, and its exact derivatives by what went into the run."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..model import Model, State
from ..muscles.hill.start import Activation
from ..run.events import Event
from ..run.excitations import Given as Excitation
from .parameters import Parameter
from .problem import Problem
from .tasks.base import Task

if TYPE_CHECKING:
    from ..scenes import Scene


def value_and_grad(
    what: "Scene | Model",
    task: Task,
    wrt: Sequence[str | Parameter] = ("q", "qdot"),
    *,
    q: np.ndarray | None = None,
    qdot: np.ndarray | None = None,
    state: State | None = None,
    tau: np.ndarray | None = None,
    excitation: Excitation = None,
    activation: Activation = None,
    integrator: str | None = None,
    h: float | None = None,
    duration: float | None = None,
    events: Event | Sequence[Event] | None = None,
    checkpoint_every: int | None = None,
) -> tuple[float, dict[str, np.ndarray]]:
    """(what the task makes of a run, its derivatives by each of the names `wrt`), exact up to rounding.

    The run is that of `simulate` with the same arguments, at fixed steps: "bdf1" (what a model takes by default),
    "bdf2", "sdirk2", "rk4", "semi-implicit", "euler" or "symplectic". wrt: "q" and "qdot", the start; "tau", joint
    torques that stay, or those of each step, (steps, ndof); any number of the model, such as "upper.mass",
    "spring.stiffness", "gravity" or "biceps.points"; or an mm.Parameter of your own. wrt=() gives the value alone.
    "excitation" of muscles: one number for all, one for each, (times, values) or rows over time. Where no state is
    given, muscles start in equilibrium, and its derivatives count. events: as in `simulate`; when they happen changes
    with what goes into the run, their order should not. Their functions and actions are asked again around each
    event, for differences. checkpoint_every: so many steps; then the rows of so many are kept at a time, and computed
    again on the way back, which takes one more run.
    """
    given = {"q": q, "qdot": qdot, "state": state, "tau": tau, "excitation": excitation, "activation": activation}
    given |= {"integrator": integrator, "h": h, "duration": duration, "events": events}
    given["checkpoint_every"] = checkpoint_every
    problem = Problem(what, wrt, **given)
    return problem.value_and_grad(task) if problem.names else (problem.value(task), {})
