"""simulate: a scene or a model run through time."""

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from .integrators import INTEGRATORS, Adaptive, Integrator
from .model import Model, State
from .muscles.hill.start import Activation
from .muscles.path_checks import belly_complaints, path_complaints
from .run.adaptive_stepper import Tolerance
from .run.events import Event
from .run.excitations import Excitations
from .run.excitations import Given as Excitation
from .run.loop import Progress, drive
from .run.recorder import Rows
from .run.settings import Plan
from .run.switching import Relay
from .run.torques import Given, Torques
from .spatial.checks import check_numbers
from .trajectory import ROWS, Trajectory

if TYPE_CHECKING:
    from .scenes import Scene

BARE_MODEL = {"q": None, "qdot": None, "integrator": "recursive", "duration": 1.0, "h": 1e-3}
BARE_MODEL |= {"excitation": None, "activation": None}
RTOL, ATOL = 1e-4, 1e-6  # defaults of the adaptive integrators
FINEST_RTOL = 1e-14
MOST_GIGABYTES = 64.0  # most rows of a run of fixed steps


def simulate(
    what: "Scene | Model",
    *,
    q: np.ndarray | None = None,
    qdot: np.ndarray | None = None,
    state: State | None = None,
    tau: Given | None = None,
    integrator: str | None = None,
    duration: float | None = None,
    h: float | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    times: np.ndarray | None = None,
    events: Event | Sequence[Event] | None = None,
    baumgarte: tuple[float, float, float] | None = None,
    excitation: Excitation = None,
    activation: Activation = None,
    progress: Progress = None,
) -> Trajectory:
    """Run a scene, or a model from (q, qdot) (zeros) or from a `state`, under its forces and joint torques tau (none).

    A scene brings its start, duration, step, integrator and tolerance; a model takes "recursive" for 1 s by default.
    integrator: "recursive" or "redmax" (adaptive Dormand-Prince 5(4) on the recursive or the dense form, tolerances
    rtol 1e-4, atol 1e-6 in the state's units, h the longest step). Those of a fixed step h (1 ms, the last one short
    to end at the duration): "rk4", "semi-implicit", "symplectic", which keeps energy near its start; for stiff forces
    "euler" (linearly implicit), "bdf1", "bdf2" and "sdirk2". Times in s.
    tau: torques that stay, (steps, ndof) of each fixed step, or a function tau(t, q, qdot), asked at every stage, by
    implicit integrators at the start. Rows are the steps, or the given rising `times`: by dense output of the adaptive
    integrators; the others shorten their steps to land on them. `state=trajectory.state` goes on from there.
    events: stop, act or go on with another model when a function of the state crosses zero, beside those of the scene;
    what happened is in `trajectory.events`, which model holds from which row on in `trajectory.switches`.
    Ctrl-C ends the run and keeps what was computed; so does a motion that is no longer finite or an implicit step
    without solution, with a warning. progress: a bar on standard error (None: on a terminal, after a second), or a
    function of the share done, 0 to 1, which ends the run by raising KeyboardInterrupt. Constraints: states are
    projected onto them after each step, or with `baumgarte` = (a, b, v) pulled towards them, by -2 a dg/dt - b^2 g in
    accelerations, -v g in steps of velocities; (0, 0, 0) lets them drift.
    excitation of muscles with an actuator, from 0 to 1: a number, one for each, or by muscle's name numbers, mm.Motions
    or pairs (times, values); linear in between, values over time (times, (n, muscles)) or a table; or a function
    (t, q, qdot, z), asked as tau is. They start in equilibrium at an `activation` (the least), unless a state is given.
    """
    given = {"q": q, "qdot": qdot, "integrator": integrator, "duration": duration, "h": h, "excitation": excitation}
    given["activation"] = activation
    model, run = defaults_of(what, list(given))
    run.update({key: value for key, value in given.items() if value is not None})
    method = integrator_of(run["integrator"], rtol, atol)
    rtol = getattr(what, "rtol", None) if rtol is None else rtol
    model, start = beginning_of(model, state, run, given)
    events = [*getattr(what, "events", ()), *(() if events is None else check_events(events))]
    h_run, duration = positive("h", run["h"]), positive("duration", run["duration"], start.t)
    span = _span(times, start.t, duration, given["duration"] is not None)
    grid = None if isinstance(method, Adaptive) else step_times(model, start.t, span, h_run)
    tolerance = _tolerance(rtol, atol, 0.1 * (span[0] - start.t) if h is None else h_run) if grid is None else None
    excitations, torques = Excitations(model, run["excitation"], (start.t, span[0])), Torques(model, tau, grid)
    relay = Relay(Plan(method, span, torques, excitations, baumgarte, grid, tolerance), model, start)
    rows = drive(relay, events, progress)
    for model_name, text in _complaints(_trajectory(model, method.name, rows), relay):
        warnings.warn(f"model {model_name!r}: {text}", RuntimeWarning, stacklevel=2)
    if grid is not None and times is not None:
        rows.keep_only(span[1], model)
    return excitations.told(_trajectory(model, method.name, rows))


def beginning_of(model: Model, state: State | None, run: dict, given: dict) -> tuple[Model, State]:
    """(model in the charts of the start, the start): a state, or what the run's options say."""
    if state is None:
        return model, model.state(run["q"], run["qdot"], activation=run["activation"])
    if given["q"] is not None or given["qdot"] is not None:
        raise ValueError("simulate: give a state, or q and qdot, not both")
    if given["activation"] is not None:
        raise ValueError("simulate: give a state or an activation, not both: the state has the activations")
    model = model.with_charts(_check_state(state).charts)
    return model, model.state(state.q, state.qdot, state.t, z=state.z)


def _span(times: np.ndarray | None, start: float, duration: float, limited: bool) -> tuple[float, np.ndarray]:
    """(end of the run, wanted times): those given, by the duration if that is `limited`."""
    if times is None:
        return start + duration, np.zeros(0)
    times = _check_times(times, start, duration if limited else np.inf)
    return times[-1], times


def _trajectory(model: Model, integrator: str, rows: Rows) -> Trajectory:
    rest = rows.ended, rows.steps, rows.events, rows.multipliers, rows.switches
    return Trajectory(model, *rows.arrays()[:4], integrator, *rest, rows.z)


def _complaints(run: Trajectory, relay: Relay) -> dict[tuple[str, str], None]:
    """(model's name, sentence) for everything in a run that did not go as it should, in order, each once."""
    early = run.ended not in ("completed", "interrupted") and not run.ended.startswith("stopped")
    found = {(run.last_model.name, run.ended): None} if early else {}
    found |= relay.complaints
    found |= dict.fromkeys((run.model.name, text) for text in relay.plan.excitations.complaints())
    pieces = run.pieces if len(run.t) else []
    for piece in pieces:
        rows = [np.ascontiguousarray(getattr(piece, key)) for key in ROWS]
        texts = path_complaints(piece.model, *rows)
        if early and piece is pieces[-1]:
            texts += belly_complaints(piece.model, *rows)
        found |= dict.fromkeys((piece.model.name, text) for text in texts)
    return found


def integrator_of(name: str, rtol: float | None, atol: float | None) -> Integrator:
    """An integrator by its name, with the options that it has."""
    if not isinstance(name, str) or name not in INTEGRATORS:
        raise ValueError(f"there is no integrator {name!r}; there are: {', '.join(INTEGRATORS)}")
    method = INTEGRATORS[name]
    if not isinstance(method, Adaptive) and (rtol is not None or atol is not None):
        able = [other.name for other in INTEGRATORS.values() if isinstance(other, Adaptive)]
        raise ValueError(f"rtol and atol belong to {' and '.join(able)}; {name!r} has the step h")
    return method


def check_events(events: Event | Sequence[Event]) -> Sequence[Event]:
    """One event or several, as a sequence."""
    if isinstance(events, Event) or not isinstance(events, Sequence):
        events = [events]
    for event in events:
        if not isinstance(event, Event):
            raise TypeError(f"simulate: events are made by mm.Event(function, ...), and one is {event!r}")
    return events


def _tolerance(rtol: float | None, atol: float | None, longest: float) -> Tolerance:
    """The tolerances of an adaptive run, checked."""
    rtol = positive("rtol", RTOL if rtol is None else rtol, unit="")
    atol = positive("atol", ATOL if atol is None else atol, unit="")
    if rtol < FINEST_RTOL:
        raise ValueError(f"rtol must be at least {FINEST_RTOL:g}: rounding allows no less")
    return Tolerance(rtol, atol, longest)


def defaults_of(what: "Scene | Model", keys: list[str]) -> tuple[Model, dict]:
    """(model, options of the run): those of a scene, or the defaults for a model."""
    if isinstance(what, Model):
        if what.dtype != np.float64:
            raise ValueError(f"simulate runs in float64, and the model is {what.dtype}; give it as it was compiled")
        return what, dict(BARE_MODEL)
    if not isinstance(getattr(what, "model", None), Model):
        raise TypeError(f"simulate: give a model (spec.compile()) or a scene (mm.scenes.load(0)), not {what!r}")
    return what.model, {key: getattr(what, key) for key in keys}


def _check_state(state: State) -> State:
    if not isinstance(state, State):
        raise TypeError(
            f"simulate: the state must be a State, as trajectory.state or model.state(q, qdot), not {state!r}"
        )
    return state


def positive(what: str, value: float, start: float = 0.0, unit: str = " of seconds") -> float:
    """The number. Raises a ValueError unless it is positive, finite and, if in seconds, seen beside the start time."""
    number = isinstance(value, (int, float, np.floating, np.integer)) and not isinstance(value, bool)
    if not number or not np.isfinite(value) or value <= 0:
        raise ValueError(f"{what} must be a positive number{unit}, and is {value!r}")
    if unit and not value > 8 * np.spacing(abs(start)):
        raise ValueError(f"a {what} of {value:g} s is lost in the rounding of t = {start:g} s")
    return float(value)


def _check_times(times: np.ndarray, start: float, duration: float) -> np.ndarray:
    """Output times: rising, from the start on, not beyond the duration."""
    times = check_numbers(times, "times", (None,)).astype(float)
    if not len(times) or times[0] < start or (np.diff(times) <= 0).any() or not start < times[-1] <= start + duration:
        raise ValueError("times must rise from the start on, and end by the duration where one is given")
    return times


def step_times(model: Model, start: float, span: tuple[float, np.ndarray], h: float) -> np.ndarray:
    """Times of fixed steps: of length h, or a little shorter so as to land on the wanted times. span = (end, wanted)"""
    end, wanted = span
    stops = np.concatenate([[start], wanted[wanted > start]]) if len(wanted) else np.array([start, end])
    counts = np.ceil(np.diff(stops) / h * (1 - 1e-12))
    if not h > 4 * np.spacing(abs(end)):
        raise ValueError(f"steps of {h:g} s are lost in the rounding of t = {end:g} s")
    gigabytes = 8e-9 * counts.sum() * (2 * model.ndof + model.nz + 2)
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
