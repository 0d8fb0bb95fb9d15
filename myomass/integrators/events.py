"""Events: something happens when a function of the state crosses zero."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..model import State

TIME = 1e-13  # [s], to which a crossing is found, or rounding of the time itself
MOST_TRIALS = 100


@dataclass(frozen=True)
class Event:
    """When `function(state)` crosses zero, `action` is called with the state there, or the run stops.

    The action returns the state to go on from, or None to go on as if nothing had happened; "stop" ends the run.
    direction: +1 counts rising crossings only, -1 falling ones, 0 both.
    """

    function: Callable[[State], float]
    action: str | Callable[[State], State | None] = "stop"
    direction: int = 0
    kind: str = "event"

    def __post_init__(self) -> None:
        if not isinstance(self.kind, str):
            raise TypeError(f"an event's kind must be a string, and is {self.kind!r}")
        if not callable(self.function):
            raise TypeError(f"event {self.kind!r}: the function must be called with a state, and is {self.function!r}")
        if not callable(self.action) and not (isinstance(self.action, str) and self.action == "stop"):
            raise TypeError(f'event {self.kind!r}: the action must be "stop" or a function, and is {self.action!r}')
        if not isinstance(self.direction, int) or self.direction not in (-1, 0, 1):
            raise ValueError(f"event {self.kind!r}: the direction must be -1, 0 or 1, and is {self.direction!r}")

    def value(self, state: State) -> float:
        """The function, checked to be a finite number."""
        answer = self.function(state)
        number = isinstance(answer, (int, float, np.integer, np.floating, np.ndarray)) and np.ndim(answer) == 0
        if isinstance(answer, bool) or not number or np.iscomplexobj(answer) or not np.isfinite(float(answer)):
            raise ValueError(
                f"event {self.kind!r}: its function must give a finite real number, and at t = {state.t:g} s gave "
                f"{answer!r}"
            )
        return float(answer)

    def crosses(self, before: float, after: float) -> bool:
        """Did it cross between these values? A start on zero has not crossed yet."""
        rising, falling = before < 0 <= after, before > 0 >= after
        return (rising and self.direction >= 0) or (falling and self.direction <= 0)


@dataclass(frozen=True)
class Occurrence:
    """What happened: when, which event, and the state before and after."""

    time: float
    kind: str
    q_before: np.ndarray
    qdot_before: np.ndarray
    q_after: np.ndarray
    qdot_after: np.ndarray


def find_crossing(value: Callable[[float], float], start: float, end: float, at_start: float, at_end: float) -> float:
    """A time at which the value has just crossed zero; it crosses between start and end.

    Regula falsi that halves the weight of an end that stays (Illinois), and halves the bracket when that is slow.
    """
    a, b, f_a, f_b = start, end, at_start, at_end
    weight_a, weight_b = f_a, f_b
    for trial in range(MOST_TRIALS):
        if b - a <= max(TIME, 4 * np.spacing(abs(b))) or f_b == 0.0:
            break
        middle = 0.5 * (a + b)
        t = middle if trial % 3 == 2 else b - weight_b * (b - a) / (weight_b - weight_a)
        if not a < t < b:
            t = middle
        f = value(t)
        if (f < 0) == (f_a < 0) and f != 0.0:
            a, f_a, weight_a, weight_b = t, f, f, 0.5 * weight_b
        else:
            b, f_b, weight_b, weight_a = t, f, f, 0.5 * weight_a
    return b
