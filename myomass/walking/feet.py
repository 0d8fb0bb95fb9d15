"""Feet on the ground: the events of a foot that strikes and holds from then on, and of one that the ground lets go."""

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from ..algorithms import forward_kinematics, point_jacobian
from ..dynamics import joint_reactions
from ..joints import Free3D, Joint, SphericalExp
from ..model import Model, State
from ..reroot import reroot
from ..run.events import Event
from ..spatial.brief import brief
from ..spatial.checks import check_numbers, unit_axis
from .landing import Landing, land

BALL = SphericalExp()
FREE = Free3D()
PASSED = 1e-3  # part of the distance from a foot to its body's centre of mass by which it must be ahead to have passed
HELD = 1e-9  # speed of a held foot, per unit rate of its joint, that counts as rounding
AT_REST = 1.0  # a gap or load that never crosses zero
NO_PLACE = np.zeros(3)


@brief
class Feet:
    """Feet of a mechanism over a plane: who bears it, and how high the others are.

    places: body -> place in its frame [m]. A foot bears where its body hangs on the world by a joint that holds the
    place. normal: of the ground, which goes through `origin`, or without one through the foot that bears (in flight
    through the world's origin). ahead: the way that it walks, for scuffing.
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
        self._known: tuple[Model | None, str | None] = None, None  # the last model, and who bears it

    def bearing(self, model: Model) -> str | None:
        """The foot on which the mechanism stands, None in flight."""
        if self._known[0] is not model:
            self._known = model, next((name for name in self.places if self._bears(model, name)), None)
        return self._known[1]

    def _bears(self, model: Model, name: str) -> bool:
        """True if a joint to the world holds this foot in its place."""
        if model.parents[model.body(name)] >= 0:
            return False
        J = point_jacobian(model, np.zeros(model.ndof), name, self.places[name])[0][:, model.dof(name)]
        return bool(np.abs(J).max(initial=0.0) < HELD)

    def steps(self, model: Model, q: np.ndarray) -> dict[str, np.ndarray]:
        """Vectors from the ground's origin to each foot that does not bear, by name [m]. (3,) each"""
        E, bearing = forward_kinematics(model, q), self.bearing(model)
        at = {name: E[i, :3, :3] @ x + E[i, :3, 3] for name, x in self.places.items() for i in [model.body(name)]}
        ground = np.zeros(3) if self.origin is None else self.origin
        if bearing is not None:
            held = at.pop(bearing)
            ground = held if self.origin is None else ground
        return {name: x - ground for name, x in at.items()}

    def gap(self, state: State, model: Model) -> float:
        """Height of the lowest foot that does not bear [m]; a constant if there is none."""
        return min((float(self.normal @ step) for step in self.steps(model, state.q).values()), default=AT_REST)

    def lowest(self, state: State, model: Model) -> str:
        """Name of the lowest foot that does not bear."""
        steps = self.steps(model, state.q)
        return min(steps, key=lambda name: self.normal @ steps[name])

    def scuffs(self, state: State, model: Model) -> bool:
        """True if the lowest foot has not passed the one that bears yet."""
        bearing, name = self.bearing(model), self.lowest(state, model)
        if bearing is None:
            return False
        E = forward_kinematics(model, state.q)
        x, held = (E[i, :3, :3] @ self.places[n] + E[i, :3, 3] for n in (name, bearing) for i in [model.body(n)])
        return bool(self.ahead @ (x - held) < PASSED * np.linalg.norm(self.places[name]))

    def load(self, state: State, model: Model) -> float:
        """Force of the ground on the foot that bears, along the normal [N]; a constant in flight.

        Under the model's own forces and constraints: torques that `simulate` was given as tau are not known here.
        """
        bearing = self.bearing(model)
        if bearing is None:
            return AT_REST
        forces = joint_reactions(model, state.q, state.qdot, t=state.t, axes="world")
        return float(self.normal @ forces[model.body(bearing), 3:])


def strike(feet: Feet | Mapping[str, Sequence[float]], joint: Joint = BALL, *, kind: str = "strike") -> Event:
    """The event of a foot that comes down to the ground: `mm.walking.land` on it, and the run goes on from that foot.

    feet: an mm.walking.Feet, or {body: place in its frame [m]} over level ground. joint: what holds a foot; a ball
    unless said otherwise. The foot that bore is let go, whichever way it goes. Where the feet know what is ahead, feet
    that touch the ground before they have passed (scuffing) are ignored.
    """
    if not isinstance(joint, Joint):
        raise TypeError(f"strike: the joint must be one such as mm.Revolute((0, 1, 0)), and is {joint!r}")
    feet = feet if isinstance(feet, Feet) else Feet(feet)
    unless = None if feet.ahead is None else feet.scuffs
    return Event(feet.gap, partial(_land_on_the_lowest, feet, joint), direction=-1, kind=kind, unless=unless)


def _land_on_the_lowest(feet: Feet, joint: Joint, state: State, model: Model) -> Landing:
    name = feet.lowest(state, model)
    return land(model, state, name, place=feet.places[name], joint=joint)


def lift_off(feet: Feet, body: str | None = None, *, kind: str = "lift-off") -> Event:
    """The event of a ground that would have to pull: the foot that bears leaves it, and the tree floats.

    It then hangs freely from `body` (by default the one whose foot it was), once `Feet.load` falls through zero; a foot
    that is pulled from the moment it lands is held.
    """
    if not isinstance(feet, Feet):
        raise TypeError(f"lift_off: give an mm.walking.Feet, not {feet!r}")
    return Event(feet.load, partial(_let_go, feet, body), direction=-1, kind=kind)


def _let_go(feet: Feet, body: str | None, state: State, model: Model) -> tuple[Model, State]:
    return reroot(model, state, feet.bearing(model) if body is None else body, place=NO_PLACE, joint=FREE)
