"""Events: something happens when a function of the state crosses zero."""

import inspect
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..model import Model, State
from ..spatial.brief import brief
from .recorder import one_below_the_other

TIME = 1e-13  # [s], to which a crossing is found, or rounding of the time itself
MOST_TRIALS = 100
WHEN = ("before", "after")
STATE_ALONE, MODEL_SECOND, MODEL_BY_NAME = 0, 1, 2
FLOATS = (float, np.float64)  # what functions give, as a rule


class NewStart:
    """Base of answers of an action that say more than a pair (model, state): they unpack as one."""

    model: Model
    state: State

    def __iter__(self) -> Iterator[Model | State]:
        return iter((self.model, self.state))


Function = Callable[[State], float] | Callable[[State, Model], float]
Answer = State | tuple[Model, State] | NewStart | None
Action = Callable[[State], Answer] | Callable[[State, Model], Answer]
Condition = Callable[[State], bool] | Callable[[State, Model], bool]


@brief
@dataclass(frozen=True)
class Event:
    """When `function` crosses zero, `action` is called with the state there, or the run stops.

    The action returns the state to go on from, a pair (model, state) to go on with another model of the same bodies, or
    None to go on as if nothing had happened; "stop" ends the run. All functions are given the state, and those with a
    second parameter also the model in force, in the state's charts.
    direction: +1 counts rising crossings only, -1 falling ones, 0 both. A crossing at which `unless` is true does not
    count: nothing happens and nothing is recorded.
    """

    function: Function
    action: str | Action = "stop"
    direction: int = 0
    kind: str = "event"
    unless: Condition | None = None
    asks_model: bool = field(init=False, repr=False, compare=False)  # does one of the functions take the model?
    _ways: dict[str, int] = field(init=False, repr=False, compare=False)  # how each function is called

    def __dir__(self) -> list[str]:
        return ["function", "action", "direction", "kind", "unless"]

    def __post_init__(self) -> None:
        if not isinstance(self.kind, str):
            raise TypeError(f"an event's kind must be a string, and is {self.kind!r}")
        if not callable(self.function):
            raise TypeError(f"event {self.kind!r}: the function must be called with a state, and is {self.function!r}")
        if not callable(self.action) and not (isinstance(self.action, str) and self.action == "stop"):
            raise TypeError(f'event {self.kind!r}: the action must be "stop" or a function, and is {self.action!r}')
        if not isinstance(self.direction, int) or self.direction not in (-1, 0, 1):
            raise ValueError(f"event {self.kind!r}: the direction must be -1, 0 or 1, and is {self.direction!r}")
        if self.unless is not None and not callable(self.unless):
            raise TypeError(f"event {self.kind!r}: `unless` must be None or a function, and is {self.unless!r}")
        given = {"function": self.function, "action": self.action, "unless": self.unless}
        ways = {what: _way_to_call(f, f"event {self.kind!r}: the {what}") for what, f in given.items() if callable(f)}
        object.__setattr__(self, "_ways", ways)
        object.__setattr__(self, "asks_model", any(way != STATE_ALONE for way in ways.values()))

    def _ask(self, what: str, state: State, model: Model | None) -> object:
        """What one of the functions answers."""
        way, function = self._ways[what], getattr(self, what)
        if way == STATE_ALONE:
            return function(state)
        return function(state, model) if way == MODEL_SECOND else function(state, model=model)

    def value(self, state: State, model: Model | None = None) -> float:
        """The function, checked to be a finite number."""
        answer = self._ask("function", state, model)
        if answer.__class__ in FLOATS and math.isfinite(answer):
            return float(answer)
        number = isinstance(answer, (int, float, np.integer, np.floating, np.ndarray)) and np.ndim(answer) == 0
        if isinstance(answer, bool) or not number or np.iscomplexobj(answer) or not np.isfinite(float(answer)):
            raise ValueError(
                f"event {self.kind!r}: its function must give a finite real number, and at t = {state.t:g} s gave "
                f"{answer!r}"
            )
        return float(answer)

    def act(self, state: State, model: Model | None) -> Answer:
        """What the action returns."""
        return self._ask("action", state, model)

    def ignores(self, state: State, model: Model | None) -> bool:
        """Does a crossing at this state not count?"""
        if self.unless is None:
            return False
        answer = self._ask("unless", state, model)
        if not isinstance(answer, (bool, np.bool_)):
            raise TypeError(f"event {self.kind!r}: `unless` must give True or False, and gave {answer!r}")
        return bool(answer)

    def crosses(self, before: float, after: float) -> bool:
        """Did it cross between these values? A start on zero has not crossed yet."""
        rising, falling = before < 0 <= after, before > 0 >= after
        return (rising and self.direction >= 0) or (falling and self.direction <= 0)


@brief
@dataclass(frozen=True)
class Occurrence:
    """What happened: when, which event, and the state and the model before and after (a file keeps no models)."""

    time: float
    kind: str
    q_before: np.ndarray
    qdot_before: np.ndarray
    q_after: np.ndarray
    qdot_after: np.ndarray
    model_before: Model | None = None
    model_after: Model | None = None
    z_before: np.ndarray = field(default_factory=lambda: np.zeros(0))  # states of muscles
    z_after: np.ndarray = field(default_factory=lambda: np.zeros(0))


def events_to_arrays(events: Sequence[Occurrence]) -> dict[str, np.ndarray]:
    """What a file keeps of occurrences; states of different length are filled with NaN, and their lengths kept."""
    arrays = {"events_time": np.array([x.time for x in events]), "events_kind": np.array([x.kind for x in events])}
    for when in WHEN:
        states = {key: [getattr(x, f"{key}_{when}") for x in events] for key in ("q", "qdot", "z")}
        arrays[f"events_nz_{when}"] = np.array([len(z) for z in states["z"]], int)
        arrays[f"events_ndof_{when}"] = np.array([len(q) for q in states["q"]], int)
        for key, values in states.items():
            arrays[f"events_{key}_{when}"] = one_below_the_other([x[None] for x in values]) if events else np.zeros(0)
    return arrays


def events_from_arrays(arrays: dict[str, np.ndarray]) -> list[Occurrence]:
    """The occurrences of `events_to_arrays`, without models."""
    columns = [arrays["events_time"].tolist(), arrays["events_kind"].tolist()]
    for when in WHEN:
        widths = arrays.get(f"events_ndof_{when}")  # older files have states of one length only
        for key in ("q", "qdot"):
            values = arrays[f"events_{key}_{when}"]
            columns.append([x if widths is None else x[: widths[i]] for i, x in enumerate(values)])
    found = [Occurrence(*values) for values in zip(*columns, strict=True)]
    if "events_nz_before" in arrays:  # older files have no states of muscles
        for when in WHEN:
            for i, width in enumerate(arrays[f"events_nz_{when}"]):
                found[i] = replace(found[i], **{f"z_{when}": arrays[f"events_z_{when}"][i, :width]})
    return found


def _way_to_call(function: Callable, what: str) -> int:
    """How a function is called: with the state alone, or with the model too.

    It takes the model if it has a second parameter without a default, or one that is named `model`. A function whose
    signature cannot be read is given the state alone.
    """
    try:
        parameters = list(inspect.signature(function).parameters.values())[1:]
    except (TypeError, ValueError):
        parameters = []
    needed = [p for p in parameters if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if len(needed) > 1:
        raise TypeError(f"{what} must take a state, or a state and a model, and asks for {len(needed) + 1} things")
    if needed:
        return MODEL_SECOND
    named = any(p.name == "model" and p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY) for p in parameters)
    return MODEL_BY_NAME if named else STATE_ALONE


def find_crossing(value: Callable[[float], float], start: float, end: float, at_start: float, at_end: float) -> float:
    """A time at which the value has just crossed zero; it crosses between start and end.

    Inverse quadratic interpolation where that is safe, else halving (Chandrupatla 1997); a is the latest time, zero is
    crossed between a and b, and c was dropped last. No trial is nearer to an end than half of what is asked for.
    """
    a, b, f_a, f_b = start, end, at_start, at_end
    part = f_a / (f_a - f_b)
    for _ in range(MOST_TRIALS):
        asked = max(TIME, 4 * np.spacing(max(abs(a), abs(b))))
        if abs(b - a) <= asked or f_a == 0.0 or f_b == 0.0:
            break
        least = 0.5 * asked / abs(b - a)
        t = a + min(max(part, least), 1.0 - least) * (b - a)
        f = value(t)
        if (f < 0) == (f_a < 0):
            c, f_c = a, f_a
        else:
            c, f_c, b, f_b = b, f_b, a, f_a
        a, f_a = t, f
        share, rise = (a - b) / (c - b), (f_a - f_b) / (f_c - f_b)
        part = 0.5
        if rise * rise < share and (1.0 - rise) ** 2 < 1.0 - share:
            part = f_a / (f_b - f_a) * f_c / (f_b - f_c) + (c - a) / (b - a) * f_a / (f_c - f_a) * f_b / (f_c - f_b)
    return a if f_a == 0.0 or (f_b != 0.0 and (f_a < 0) != (at_start < 0)) else b
