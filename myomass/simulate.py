"""simulate: a scene or a model run through time."""

import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from .algorithms.charts import reparameterise
from .dynamics import forward_dynamics
from .integrators import ADAPTIVE, FIXED_STEP, INTEGRATORS, MAXIMAL
from .integrators.constrained_start import prepare_constraints
from .integrators.controller import NO_CONTROLLER, Controller
from .integrators.drive import Progress, drive
from .integrators.events import Event
from .integrators.hard import HardStepper
from .integrators.stepper import AdaptiveStepper, FixedStepper, Tolerance
from .model import Model, State
from .model.border import check_finite, check_vector
from .muscles.watch import check_outside, path_complaints
from .spatial.checks import check_numbers
from .trajectory import Trajectory

if TYPE_CHECKING:
    from .scenes import Scene

BARE_MODEL = {"q": None, "qdot": None, "integrator": "recursive", "duration": 1.0, "h": 1e-3}
RTOL, ATOL = 1e-4, 1e-6  # defaults of the adaptive integrators
FINEST_RTOL = 1e-14
MOST_GIGABYTES = 64.0  # of rows, before a run of fixed steps is refused
Torques = Sequence[float] | np.ndarray | Callable[[float, np.ndarray, np.ndarray], np.ndarray]


def simulate(
    what: "Scene | Model",
    *,
    q: np.ndarray | None = None,
    qdot: np.ndarray | None = None,
    state: State | None = None,
    tau: Torques | None = None,
    integrator: str | None = None,
    duration: float | None = None,
    h: float | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    times: np.ndarray | None = None,
    events: Event | Sequence[Event] | None = None,
    baumgarte: tuple[float, float, float] | None = None,
    progress: Progress = None,
) -> Trajectory:
    """Run a scene, or a model from (q, qdot) (zeros) or from a `state`, under its forces and joint torques tau (none).

    A scene brings its start, duration, step and integrator; a model takes "recursive" for 1 s if nothing is said.
    integrator: "recursive" or "redmax" (adaptive Dormand-Prince 5(4) on the recursive or the dense form, tolerances
    rtol 1e-4 and atol 1e-6 in the state's units, h the longest step). Those of a fixed step h (1 ms, the last one
    shortened to end at the duration): "rk4" and "semi-implicit"; "symplectic", which keeps energy near its start; for
    stiff forces "euler" (linearly implicit), "bdf1", "bdf2" and "sdirk2". Times in s.
    tau: torques that stay, or a function tau(t, q, qdot), asked at every stage, by implicit integrators at the start.
    Rows are the steps, or the given rising `times`: by dense output of the adaptive integrators; the others shorten
    their steps to land on them. `state=trajectory.state` goes on from there.
    events: stop or act when a function of the state crosses zero; what happened is in `trajectory.events`.
    Ctrl-C ends the run and keeps what was computed; so does a motion that is no longer finite or an implicit step
    without solution, with a warning. progress: a bar on standard error (None: on a terminal, after a second), or a
    function that is told the share done, from 0 to 1, and ends the run by raising KeyboardInterrupt.
    Constraints: states are projected onto them after each step, or with `baumgarte` = (a, b, v) pulled towards them, by
    -2 a dg/dt - b^2 g in accelerations, -v g in steps of velocities; (0, 0, 0) lets them drift.
    """
    given = {"q": q, "qdot": qdot, "integrator": integrator, "duration": duration, "h": h}
    model, run = _defaults(what, list(given))
    run.update({key: value for key, value in given.items() if value is not None})
    name = _check_integrator(run["integrator"], rtol, atol)
    if state is not None and (q is not None or qdot is not None):
        raise ValueError("simulate: give a state, or q and qdot, not both")
    model, start = _start(model, state, run["q"], run["qdot"])
    events, h_run = _check_events(events), _positive("h", run["h"], "seconds")
    duration = _duration(run["duration"], start.t)
    times = _check_times(times, start.t, duration if given["duration"] is not None else np.inf)
    span = (start.t + duration, np.zeros(0)) if times is None else (times[-1], times)
    start, gains = prepare_constraints(model, start, name, baumgarte)
    check_outside(model, start)
    control, controller = _control(model, start, tau)
    if name in FIXED_STEP:
        grid = _grid(model, start.t, span, h_run)
        stepper = _stepper_kind(model, name)(model, start, name, grid, control, gains)
    else:
        tolerance = _tolerance(rtol, atol, 0.1 * (span[0] - start.t) if h is None else h_run)
        stepper = AdaptiveStepper(model, start, name, span, (control, tolerance), gains)
    rows = drive(stepper, events, controller, progress)
    for text in [*stepper.complaints(rows), *path_complaints(model, rows.t, rows.q, rows.qdot, rows.charts)]:
        warnings.warn(f"model {model.name!r}: {text}", RuntimeWarning, stacklevel=2)
    if name in FIXED_STEP and times is not None:
        rows.keep_only(times)
    return Trajectory(model, *rows.arrays(), name, rows.ended, rows.steps, rows.events, rows.multipliers)


def _stepper_kind(model: Model, integrator: str) -> type[FixedStepper]:
    """Which stepper takes an integrator's fixed steps."""
    if integrator == MAXIMAL:
        from .integrators.maximal import MaximalStepper  # it needs SciPy's sparse matrices, which take time to load

        return MaximalStepper
    return HardStepper if model.ties.hard else FixedStepper


def _check_integrator(name: str, rtol: float | None, atol: float | None) -> str:
    """The name of an integrator, with the options that it has."""
    if name not in INTEGRATORS:
        raise ValueError(f"there is no integrator {name!r}; there are: {', '.join(INTEGRATORS)}")
    if name in FIXED_STEP and (rtol is not None or atol is not None):
        raise ValueError(f"rtol and atol belong to {' and '.join(ADAPTIVE)}; {name!r} has the step h")
    return name


def _control(model: Model, start: State, tau: Torques | None) -> tuple[tuple[np.ndarray, int], Controller | None]:
    """((torques, address of a controller), controller); checked at the start, where accelerations must be found."""
    controller = Controller(model, tau) if callable(tau) else None
    torques = check_vector(
        model, "tau", tau if controller is None else controller.torques(start.t, start.q, start.qdot)
    )
    if np.iscomplexobj(torques):
        raise ValueError("simulate: tau must be real")
    check_finite(tau=torques)
    _check_regular(model, start, torques)
    return (torques.astype(float), NO_CONTROLLER if controller is None else controller.address), controller


def _check_events(events: Event | Sequence[Event] | None) -> list[Event]:
    if events is None or isinstance(events, Event) or not isinstance(events, Sequence):
        events = [] if events is None else [events]
    for event in events:
        if not isinstance(event, Event):
            raise TypeError(f"simulate: events are made by mm.Event(function, ...), and one is {event!r}")
    return events


def _tolerance(rtol: float | None, atol: float | None, longest: float) -> Tolerance:
    """The tolerances of an adaptive run, checked."""
    rtol, atol = _positive("rtol", RTOL if rtol is None else rtol), _positive("atol", ATOL if atol is None else atol)
    if rtol < FINEST_RTOL:
        raise ValueError(f"rtol must be at least {FINEST_RTOL:g}: rounding allows no less")
    return Tolerance(rtol, atol, longest)


def _defaults(what: "Scene | Model", keys: list[str]) -> tuple[Model, dict]:
    """The model, and what a scene (or nobody) says about the run."""
    if isinstance(what, Model):
        if what.dtype != np.float64:
            raise ValueError(f"simulate runs in float64, and the model is {what.dtype}; give it as it was compiled")
        return what, dict(BARE_MODEL)
    if not isinstance(getattr(what, "model", None), Model):
        raise TypeError(f"simulate: give a model (spec.compile()) or a scene (mm.scenes.load(0)), not {what!r}")
    return what.model, {key: getattr(what, key) for key in keys}


def _start(model: Model, state: State | None, q: np.ndarray | None, qdot: np.ndarray | None) -> tuple[Model, State]:
    """The state to start from, and the model in that state's charts."""
    if state is None:
        return model, model.state(q, qdot)
    if not isinstance(state, State):
        raise TypeError(
            f"simulate: the state must be a State, as trajectory.state or model.state(q, qdot), not {state!r}"
        )
    model = model.with_charts(state.charts)
    return model, model.state(state.q, state.qdot, state.t)


def _check_regular(model: Model, start: State, tau: np.ndarray) -> None:
    """A sentence if no acceleration can be found at the start, in the charts in which the run will begin."""
    if len(model.charted):
        start = reparameterise(model, start)
        model = model.with_charts(start.charts)
    forward_dynamics(model, start.q, start.qdot, tau, t=start.t)


def _positive(what: str, value: float, unit: str = "") -> float:
    """A positive finite number."""
    number = isinstance(value, (int, float, np.floating, np.integer)) and not isinstance(value, bool)
    if not number or not np.isfinite(value) or value <= 0:
        raise ValueError(f"{what} must be a positive number{' of ' + unit if unit else ''}, and is {value!r}")
    return float(value)


def _duration(value: float, start: float) -> float:
    """A duration that time, where it stands, can tell."""
    duration = _positive("duration", value, "seconds")
    if not duration > 8 * np.spacing(abs(start)):
        raise ValueError(f"a duration of {duration:g} s is lost in the rounding of t = {start:g} s")
    return duration


def _check_times(times: np.ndarray | None, start: float, duration: float) -> np.ndarray | None:
    """Output times: rising, from the start on, not beyond the duration."""
    if times is None:
        return None
    times = check_numbers(times, "times", (None,)).astype(float)
    if not len(times) or times[0] < start or (np.diff(times) <= 0).any() or not start < times[-1] <= start + duration:
        raise ValueError("times must rise from the start on, and end by the duration where one is given")
    return times


def _grid(model: Model, start: float, span: tuple[float, np.ndarray], h: float) -> np.ndarray:
    """Times of fixed steps: of length h, or a little shorter so as to land on the wanted times. span = (end, wanted)"""
    end, wanted = span
    stops = np.concatenate([[start], wanted[wanted > start]]) if len(wanted) else np.array([start, end])
    counts = np.ceil(np.diff(stops) / h * (1 - 1e-12))
    if not h > 4 * np.spacing(abs(end)):
        raise ValueError(f"steps of {h:g} s are lost in the rounding of t = {end:g} s")
    gigabytes = 16e-9 * counts.sum() * (model.ndof + 1)
    if gigabytes > MOST_GIGABYTES:
        raise ValueError(
            f"{counts.sum():.3g} steps would fill {gigabytes:.3g} GB; take a larger h or a shorter duration"
        )
    counts = counts.astype(int)
    if not len(wanted):
        times = start + h * np.arange(counts[0] + 1)
        times[-1] = end
        return times
    pieces = [np.linspace(a, b, n + 1)[1:] for a, b, n in zip(stops, stops[1:], counts, strict=False)]
    return np.concatenate([stops[:1], *pieces])
