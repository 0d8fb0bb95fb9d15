"""The walker with knees as a scene: hinges throughout, locked by constraints that come and go with the strikes.

The swinging knee is free until it is straight; it strikes its stop and locks. With both knees locked the foot strikes
the slope, bears the walker from then on, and the knee behind is let go.
"""

from dataclasses import replace
from functools import partial

import numpy as np

from ..constraints import DrivenJoint
from ..constraints.pack import no_constraints, with_constraints
from ..model import Model, Shape, Spec, State
from ..run.events import Event
from ..spatial import translation
from ..walking import impact, land
from ..walking.feet import Feet
from .base import Scene
from .kneed_walker import KneedWalker
from .looks import add_slope
from .walkers import HINGE, fall

STEPS = 8
SIDES = ("left", "right")
COLOURS = {"left": (0.35, 0.5, 0.62), "right": (0.62, 0.45, 0.3)}


def kneed_walker(slope: float = 0.0504, gravity: float = 9.81) -> Scene:
    """The walker with knees, down a slope [rad] under gravity [m/s^2]; it starts after a heel strike, near its gait."""
    walker = KneedWalker(slope=slope, gravity=gravity)
    spec = _spec(walker)
    leg, hip, _, leg_rate, hip_rate, _ = walker.guess
    feet = Feet({f"{side}_shank": walker.foot for side in SIDES}, walker.normal, (np.cos(slope), 0, -np.sin(slope)))
    return Scene(
        name="kneed-walker",
        description="A biped with knees walks down a slope: knees strike their stops, heels the ground.",
        spec=spec,
        q=np.array([leg, 0.0, hip, 0.0]),
        qdot=np.array([leg_rate, 0.0, hip_rate, 0.0]),
        duration=float(np.round(0.72 * STEPS * np.sqrt(9.81 / gravity), 2)),
        h=1e-3,
        integrator="rk4",
        conservative=False,
        events=(
            Event(_bend, _lock, direction=-1, kind="knee strike"),
            Event(feet.gap, partial(_exchange, feet), direction=-1, kind="heel strike", unless=partial(_early, feet)),
            fall(slope),
        ),
    )


def _spec(walker: KneedWalker) -> Spec:
    """The walker on its left foot with a hinge in each knee, the left one locked; with looks, and the slope."""
    spec, size = walker.spec(), sum(walker.shank) + sum(walker.thigh)
    spec.bodies["left_thigh"].joint = HINGE
    for side in SIDES:
        up, down = walker.shank[1], -walker.shank[0]
        shank = [Shape.rod((0, 0, down), (0, 0, up), 0.014 * size, colour=COLOURS[side]), Shape.sphere(0.02 * size)]
        thigh = [Shape.rod((0, 0, -sum(walker.thigh)), (0, 0, 0), 0.02 * size, colour=COLOURS[side])]
        thigh += [Shape.sphere(0.04 * size), Shape.sphere(0.035 * size, frame=translation(0, 0, -walker.thigh[1]))]
        spec.bodies[f"{side}_shank"].shapes, spec.bodies[f"{side}_thigh"].shapes = shank, thigh
    spec.add_constraint(DrivenJoint("left_thigh", position=0.0), "left knee")
    add_slope(spec, walker.slope, size, STEPS)
    return spec


def bearing_side(model: Model) -> str:
    """The leg that bears, "left" or "right": the one whose shank hangs on the world."""
    return next(side for side in SIDES if model.parents[model.body(f"{side}_shank")] < 0)


def _knee(model: Model, side: str) -> tuple[str, float]:
    """(body that hangs by a knee, sign of its coordinate where it is bent)."""
    shank, thigh = f"{side}_shank", f"{side}_thigh"
    below = model.parents[model.body(shank)] == model.body(thigh)
    return shank if below else thigh, -1.0 if side == "right" else 1.0


def _locked(model: Model, *sides: str) -> Model:
    """The model with the knees of these sides locked straight, and no others."""
    locks = {f"{side} knee": DrivenJoint(_knee(model, side)[0], position=0.0) for side in sides}
    return with_constraints(replace(model, constraints=no_constraints()), locks)


def _swinging_side(model: Model) -> str:
    return SIDES[1 - SIDES.index(bearing_side(model))]


def _bend(state: State, model: Model) -> float:
    """How far the swinging knee is bent [rad]; a constant where it is locked."""
    side = _swinging_side(model)
    if f"{side} knee" in model.constraints.names:
        return 1.0
    body, sign = _knee(model, side)
    return float(sign * state.q[model.dof(body).start])


def _lock(state: State, model: Model) -> tuple[Model, State]:
    """State and model after a swinging knee that is straight again has stopped and locked."""
    hit = impact(model, state, joints=_knee(model, _swinging_side(model))[0])
    return _locked(model, *SIDES), hit.state


def _early(feet: Feet, state: State, model: Model) -> bool:
    """True if the swinging leg is bent or behind, so that its foot does not strike."""
    return len(model.constraints) < 2 or feet.scuffs(state, model)


def _exchange(feet: Feet, state: State, model: Model) -> tuple[Model, State]:
    """Model and state after the foot of a straight leg has struck the ground and the other knee is let go."""
    foot = feet.lowest(state, model)
    landing = land(model, state, foot, place=feet.places[foot], joint=HINGE)
    return _locked(landing.model, bearing_side(landing.model)), landing.state
