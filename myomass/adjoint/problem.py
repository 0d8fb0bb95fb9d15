"""A run that is differentiated, or optimised: what goes into it, by name, and the run itself."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ..algorithms.charts import reparameterise
from ..dynamics.system import refuse_soft_bodies
from ..integrators import INTEGRATORS, Integrator
from ..model import Model, State
from ..muscles.hill.start import Activation, settled
from ..reduction.border import refuse_reduced
from ..run.excitations import Given as Excitation
from ..run.settings import Plan
from ..run.torques import Torques
from ..simulate import beginning_of, check_events, defaults_of, integrator_of, positive, step_times
from .charts import pull_back
from .checkpoints import MarkedBars, run_marked
from .crossings import Through
from .excited import Excited
from .landings import run_watched
from .parameters import CENTRAL, INPUTS, Numbers, Parameter
from .rollout import Rollout, run_forward
from .sensitivity import Around
from .sweep import REVERSE, Bars, Sweep
from .tasks.base import Misses, Task, checked

if TYPE_CHECKING:
    from ..scenes import Scene

EQUILIBRIUM_STEP = 1e-4  # [rad or m, and per second] of differences through muscles in equilibrium
ARGUMENTS = {*INPUTS, "state", "activation", "integrator", "h", "duration", "events", "checkpoint_every"}
MOST = 2e8  # numbers that bars of many quantities may have


@dataclass
class Start:
    """Where a run begins: as it was given, and in charts that it can begin in.

    activation: at which muscles start in equilibrium; () where their states were given.
    """

    model: Model
    given: State
    state: State
    activation: Activation | tuple = ()

    @classmethod
    def of(cls, model: Model, given: State, activation: Activation | tuple) -> "Start":
        """The start of a run from a state."""
        return cls(model, given, reparameterise(model, given), activation)

    def worth(self, model: Model, bars: Bars) -> np.ndarray:
        """What the states of muscles that a run starts with under a model are worth to each quantity."""
        if not model.nz or self.activation == ():
            return np.zeros(len(bars.z[0]))
        return bars.z[0] @ self._states(model, self.given.q, self.given.qdot)

    def pull_back(self, bars: Bars) -> np.ndarray:
        """Bars of the given (q, qdot), from those of the first row. (quantities, 2, ndof)"""
        old, new = ((s.q, s.qdot, s.charts) for s in (self.given, self.state))
        found = pull_back(self.model, old, new, np.stack([bars.q[0], bars.qdot[0]], axis=1))
        if self.model.nz and self.activation != ():
            model = self.model.with_charts(self.given.charts)
            for which in range(2):
                for k in range(model.ndof):
                    found[:, which, k] += bars.z[0] @ self._slope(model, which, k)
        return found

    def _slope(self, model: Model, which: int, k: int) -> np.ndarray:
        """Derivative of the states in equilibrium by q (which = 0) or qdot (1) number k, to fourth order."""
        step, total = EQUILIBRIUM_STEP, 0.0
        for steps, weights in zip(CENTRAL, CENTRAL.values(), strict=True):
            place = [self.given.q.copy(), self.given.qdot.copy()]
            place[which][k] += steps * step
            total = total + weights[0] / step * self._states(model, *place)
        return total

    def _states(self, model: Model, q: np.ndarray, qdot: np.ndarray) -> np.ndarray:
        return settled(model, q, qdot, self.activation)[0]


class Problem:
    """A run with names for what goes into it: `wrt` are those that it is differentiated by."""

    def __init__(self, what: "Scene | Model", wrt: Sequence[str | Parameter], numbers: Numbers | None = None, **given):
        self.what, self.wrt, self.arguments = what, _names_in(wrt), given
        self.names = [one if isinstance(one, str) else one.name for one in self.wrt]
        if len(set(self.names)) < len(self.names):
            raise ValueError(f"wrt names something twice: {', '.join(self.names)}")
        if numbers is None:
            model = what if isinstance(what, Model) else getattr(what, "model", None)
            if not isinstance(model, Model):
                raise TypeError(f"give a model (spec.compile()) or a scene (mm.scenes.load(0)), not {what!r}")
            refuse_reduced(model, "a gradient of a run")
            if unknown := set(given) - ARGUMENTS:
                raise TypeError(f"a run that has a gradient knows no {', '.join(sorted(unknown))}")
            numbers = Numbers(model, [one for one in self.wrt if one not in INPUTS])
        refuse_soft_bodies(numbers.compiled, "a gradient of a run")
        self.numbers = numbers
        own = given.get("events")
        self.events = [*getattr(what, "events", ()), *(() if own is None else check_events(own))]
        self.every = _checked_every(given.get("checkpoint_every"), self.events)
        given = {name: value for name, value in given.items() if name not in ("events", "checkpoint_every")}
        self.plan, self.start, self.excited, self.steps = _prepared(what, numbers.compiled, **given)
        if "excitation" in self.names and not len(self.start.model.muscles.hills):
            raise ValueError(
                f"wrt: model {self.start.model.name!r} has no muscle with an actuator that could be excited"
            )
        if "excitation" in self.names and self.excited.values is None:
            raise ValueError(
                "derivatives by the excitation need numbers: one for all muscles, one for each, rows "
                "over time, or (times, values)"
            )

    def at(self, values: dict[str, np.ndarray]) -> "Problem":
        """The same with other values of what goes into it."""
        given = self.arguments | {name: value for name, value in values.items() if name in INPUTS}
        if "excitation" in values and len(self.excited.times):
            given["excitation"] = (self.excited.times, values["excitation"])
        if given.get("state") is not None:
            moved = {name: given.pop(name) for name in ("q", "qdot") if given.get(name) is not None}
            given["state"] = replace(given["state"], **moved)
        others = {name: value for name, value in values.items() if name not in INPUTS}
        return Problem(self.what, self.wrt, self.numbers.at(others), **given)

    @property
    def values(self) -> dict[str, np.ndarray]:
        """What goes into the run, by name."""
        first, excitation = self.start.given, self.excited.values
        found = {"q": first.q, "qdot": first.qdot, "tau": self.plan.torques.given}
        if excitation is not None and len(self.start.model.muscles.hills):
            found["excitation"] = excitation
        return found | self.numbers.values()

    @property
    def excitation(self) -> Excitation:
        """What excites the muscles, as `simulate` takes it."""
        given = self.arguments.get("excitation")
        return getattr(self.what, "excitation", None) if given is None else given

    def rollout(self) -> Rollout:
        """Take the run."""
        model = self.start.model.with_charts(self.start.state.charts)
        given = self.plan, model, self.start.state, self.excited
        if self.events:
            rollout = run_watched(*given, self.events)
        elif self.every is not None:
            rollout = run_marked(*given, self.every)
        else:
            rollout = run_forward(*given)
        rollout.inputs = self.values
        return rollout

    def value(self, task: Task) -> float:
        """What a task makes of the run."""
        self.check(task)
        return task.value(self.rollout())

    def value_and_grad(self, task: Task) -> tuple[float, dict[str, np.ndarray]]:
        """The value of a task, and its derivatives by name."""
        self.check(task)
        rollout = self.rollout()
        bars, value = _bars(rollout, 1), 0.0
        for miss in checked(task, rollout):
            value += miss.values @ miss.values
            bars.add(miss, 2.0 * miss.values[None])
        slopes = self._back(rollout, bars, lambda other: np.array([task.value(other)]))
        return float(value), {name: slopes[name][0] for name in self.names}

    def misses(self, task: Task, rollout: Rollout) -> np.ndarray:
        """All misses of a task in the run, one after another."""
        return _joined(checked(task, rollout))

    def misses_and_jacobian(self, task: Task, rollout: Rollout) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """All misses of a task in the run, and their derivatives by name, (misses, ...)."""
        self.check(task)
        terms = list(checked(task, rollout))
        count = sum(len(miss.values) for miss in terms)
        if count * np.prod(rollout.q.shape) > MOST:
            raise ValueError(
                f'{count} misses over {rollout.steps} steps are too many for Gauss-Newton; take method="l-bfgs-b"'
            )
        bars, at = _bars(rollout, count), 0
        for miss in terms:
            own = len(miss.values)
            bars.add(miss, np.eye(count, own, -at))
            at += own
        slopes = self._back(rollout, bars, lambda other: _joined(checked(task, other)))
        return _joined(terms), {name: slopes[name] for name in self.names}

    def pull_back(self, rollout: Rollout, bars: Bars) -> dict[str, np.ndarray]:
        """Derivatives by name of quantities whose derivatives by the rows of a rollout are bars, which are used up."""
        count = bars.count
        slopes = self._back(rollout, bars, lambda other: np.zeros(count))
        return {name: slopes[name] for name in self.names}

    def check(self, task: Task) -> None:
        """Raise an error if a task is none, or not one for this model."""
        if not isinstance(task, Task):
            raise TypeError(
                f"the task is one of mm.tasks, or of a class of your own based on mm.tasks.Task, not {task!r}"
            )
        task.check(self.start.model)

    def _back(self, rollout: Rollout, bars: Bars, quantities: Callable[[Rollout], np.ndarray]) -> dict[str, np.ndarray]:
        """Derivatives of some quantities of a rollout, by name; bars are used up. (quantities, ...)"""
        around = [Around(self.numbers, one, rollout, bars.count) for one in self.numbers.singly()]
        space = rollout.model.lend_workspace()
        seen = (lambda *stages: [one.see(*stages) for one in around]) if around else None
        through, sweep = Through(rollout), None
        for piece, own, to in bars.pieces():
            if sweep is None:
                sweep = Sweep(piece, space, own, seen)
            sweep.go_to(piece, own)
            sweep.run(self.plan.integrator.name, through.pass_by, to)
        rollout.model.return_workspace(space)
        first, tau = self.start.pull_back(bars), np.moveaxis(bars.tau, 0, 1)
        found = {"q": first[:, 0], "qdot": first[:, 1], "excitation": bars.excitation}
        found["tau"] = self._of_grid(rollout, tau) if rollout.tau.ndim == 2 else tau.sum(axis=1)
        rest = iter(
            one.slope(quantities, lambda model: self.start.worth(model, bars) + through.worth(model)) for one in around
        )
        for name, value in self.numbers.values().items():
            columns = [next(rest) for _ in range(value.size)]
            found[name] = np.stack(columns, axis=1).reshape(-1, *value.shape)
        for name, slopes in bars.given.items():
            if name in self.names:
                found[name] = found[name] + slopes.reshape(found[name].shape)
        return found

    def _of_grid(self, rollout: Rollout, tau: np.ndarray) -> np.ndarray:
        """Bars of the torques of the steps that were asked for, from those of all steps. (quantities, steps, ndof)"""
        if rollout.of_grid is None:
            return tau
        found = np.zeros((len(tau), *self.plan.torques.given.shape))
        np.add.at(found, (slice(None), rollout.of_grid), tau)
        return found


def _checked_every(every: int | None, events: Sequence) -> int | None:
    if every is None:
        return None
    if isinstance(every, bool) or not isinstance(every, (int, np.integer)) or every < 1:
        raise ValueError(f"checkpoint_every must be a whole number of steps, at least 1, and is {every!r}")
    if events:
        raise ValueError("checkpoint_every: the run has events, whose rows are all kept; leave it out")
    return int(every)


def _names_in(wrt: str | Parameter | Sequence[str | Parameter]) -> list[str | Parameter]:
    """What is differentiated by, one after another."""
    one_alone = isinstance(wrt, (str, Parameter)) or not isinstance(wrt, Iterable)
    found = [wrt] if one_alone else list(wrt)
    for one in found:
        if not isinstance(one, (str, Parameter)):
            raise TypeError(f"wrt holds names and mm.Parameter, and {one!r} is neither")
    return found


def _bars(rollout: Rollout, count: int) -> Bars | MarkedBars:
    return (Bars if rollout.track is None else MarkedBars)(rollout, count)


def _joined(terms: Iterator[Misses] | Sequence[Misses]) -> np.ndarray:
    return np.concatenate([np.zeros(0), *(miss.values for miss in terms)])


def _prepared(
    what: "Scene | Model", model: Model, state: State | None = None, tau: np.ndarray | None = None, **given
) -> tuple[Plan, Start, Excited, dict[str, float]]:
    """(how the run goes, where it begins, what excites its muscles, its step and duration), checked.

    model: in place of the one given.
    """
    names = ("q", "qdot", "excitation", "activation", "integrator", "h", "duration")
    given = dict.fromkeys(names) | given
    run = defaults_of(what, list(given))[1]
    if isinstance(what, Model):
        run["integrator"] = "bdf1"
    run.update({key: value for key, value in given.items() if value is not None})
    method = _differentiable(run["integrator"])
    _refuse(model, method)
    model, first = beginning_of(model, state, run, given)
    end = first.t + positive("duration", run["duration"], first.t)
    grid = step_times(model, first.t, (end, np.zeros(0)), positive("h", run["h"]))
    if callable(tau):
        raise TypeError("no gradient: tau is (ndof,) or (steps, ndof) numbers; of a function nobody has derivatives")
    excited = Excited(model, run["excitation"], (first.t, end))
    if excited.excitations.function is not None:
        raise TypeError("no gradient: excitations are numbers or motions; of a function nobody has derivatives")
    plan = Plan(method, (end, np.zeros(0)), Torques(model, tau, grid), excited.excitations, None, grid, None)
    start = Start.of(model, first, () if state is not None else run["activation"])
    return plan, start, excited, {name: run[name] for name in ("h", "duration")}


def _differentiable(name: str) -> Integrator:
    method = integrator_of(name, None, None)
    if method.name not in REVERSE:
        raise ValueError(f"{name!r} has no derivatives; there are those of {', '.join(REVERSE)}")
    return method


def _refuse(model: Model, method: Integrator) -> None:
    """Raise a ValueError about what has no derivatives."""
    if model.constraints.needs_program:
        raise ValueError(
            f"no gradient: model {model.name!r} has stops, contacts or friction as rows, through which there is none "
            "yet; there is one through forces that push where bodies meet, such as mm.Ground"
        )
    if model.constraints.count and not method.holds:
        able = [name for name in REVERSE if INTEGRATORS[name].holds]
        raise ValueError(f"no gradient through constraints with {method.name!r}; take {', '.join(able)}")
    if len(model.muscles.reflexes):
        raise ValueError(f"no gradient: model {model.name!r} has reflexes, through which there is none yet")
