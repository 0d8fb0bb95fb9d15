"""Strikes: the event of a foot that meets the ground, lands there, and bears the mechanism from then on."""

from collections.abc import Mapping, Sequence

import numpy as np

from ..algorithms import forward_kinematics
from ..dynamics.land import land
from ..joints import Joint, Revolute
from ..model import Model, State
from ..spatial.checks import check_numbers, unit_axis
from .events import Event

HINGE = Revolute((0.0, -1.0, 0.0))
PASSED = 1e-3  # of the distance from a foot to its body's centre of mass, by which it is ahead once it has passed


class Feet:
    """Feet of a mechanism over a plane: who bears it (the foot whose body hangs on the world), how high the others are.

    places: body -> place in its frame [m]; normal of the ground; ahead: the way that it walks, for scuffing; origin: a
    point of the ground for a mechanism in flight (None: the plane goes through the foot that bears).
    """

    def __init__(
        self,
        places: Mapping[str, Sequence[float]],
        normal: Sequence[float] = (0.0, 0.0, 1.0),
        ahead: Sequence[float] | None = None,
        origin: Sequence[float] | None = None,
    ):
        if not isinstance(places, Mapping) or not places:
            raise ValueError(f"strike: feet are given as {{body: (x, y, z)}}, one at least, and are {places!r}")
        what = "strike: the place of the foot of {!r} [m]"
        self.places = {name: check_numbers(x, what.format(name), (3,)) for name, x in places.items()}
        self.normal = unit_axis(normal, "strike: the normal")
        self.ahead = None if ahead is None else unit_axis(ahead, "strike: ahead")
        self.origin = None if origin is None else check_numbers(origin, "strike: the origin [m]", (3,))

    def bearing(self, model: Model) -> str | None:
        """The foot on which the mechanism stands, None in flight."""
        return next((name for name in self.places if model.parents[model.body(name)] < 0 and self.origin is None), None)

    def steps(self, model: Model, q: np.ndarray) -> dict[str, np.ndarray]:
        """From the bearing foot (or the origin) to each other one [m]. By name, (3,)"""
        E, bearing = forward_kinematics(model, q), self.bearing(model)
        at = {name: E[i, :3, :3] @ x + E[i, :3, 3] for name, x in self.places.items() for i in [model.body(name)]}
        ground = np.zeros(3) if self.origin is None else self.origin
        if bearing is not None:
            ground = at.pop(bearing)
        return {name: x - ground for name, x in at.items()}

    def gap(self, state: State, model: Model) -> float:
        """Height of the lowest foot that does not bear [m]."""
        return min(self.normal @ step for step in self.steps(model, state.q).values())

    def lowest(self, state: State, model: Model) -> str:
        """That foot."""
        steps = self.steps(model, state.q)
        return min(steps, key=lambda name: self.normal @ steps[name])

    def scuffs(self, state: State, model: Model) -> bool:
        """Has the lowest foot not passed the one that bears yet?"""
        name = self.lowest(state, model)
        return self.ahead @ self.steps(model, state.q)[name] < PASSED * np.linalg.norm(self.places[name])


def strike(feet: Feet | Mapping[str, Sequence[float]], joint: Joint = HINGE, *, kind: str = "strike") -> Event:
    """The event of a foot that comes down to the ground: `mm.land` on it, and the run goes on from that foot.

    feet: an mm.Feet, or {body: place in its frame [m]} over level ground. joint: what holds a foot (a hinge about -y).
    Where the feet know what is ahead, feet that touch the ground before they have passed (scuffing) are ignored.
    """
    feet = feet if isinstance(feet, Feet) else Feet(feet)

    def exchange(state: State, model: Model) -> tuple[Model, State]:
        name = feet.lowest(state, model)
        return tuple(land(model, state, name, place=feet.places[name], joint=joint))

    unless = None if feet.ahead is None else feet.scuffs
    return Event(feet.gap, exchange, direction=-1, kind=kind, unless=unless)
