"""The compass walker as a scene: it swings on one foot, lands on the other, and hangs from that one.

Stepien et al. 2012, section 8.

Which foot bears is a matter of the tree's root: each strike is an impact and a re-rooting, and nothing else changes.
"""

import numpy as np

from ..model import Shape, Spec
from ..spatial import translation
from ..walking import land
from ..walking.feet import Feet, strike
from .base import Scene
from .looks import add_slope
from .walkers import HINGE, Compass, fall

TABLE_1 = (-0.3236, 0.5424), (-1.4939, -0.3117)  # q and qdot, of the left leg and of the right one against it
STEPS = 12
LEG, MASS = (0.45, 0.5, 0.58), (0.75, 0.35, 0.25)  # colours


def compass_walker(
    slope: float = 0.0524,
    gravity: float = 9.8,
    hip_mass: float = 2.0,
    leg_mass: float = 1.0,
    length: float = 1.0,
    offset: float = 0.5,
) -> Scene:
    """The compass walker down a slope [rad] under gravity [m/s^2].

    Masses of hip and of each leg [kg], length of a leg, and distance of its mass from the hip [m]. It starts just after
    a strike: with Table 1's numbers from its state, else near the gait.
    """
    walker = Compass(slope, gravity, hip_mass, leg_mass, length, offset)
    q, qdot = _table_1(walker) if walker == Compass() else np.split(walker.guess, 2)
    pace = np.sqrt(length / gravity)
    return Scene(
        name="compass-walker",
        description="A biped with straight legs walks down a slope, driven by gravity alone.",
        spec=walker_spec(walker),
        q=q,
        qdot=qdot,
        duration=float(np.round((2.3 * STEPS + 1.1) * pace, 2)),
        h=float(f"{0.003 * pace:.1g}"),
        integrator="rk4",
        conservative=False,
        events=(strike(walker_feet(walker), HINGE), fall(slope)),
    )


def walker_feet(walker: Compass) -> Feet:
    """Both feet over the slope; ahead is down the slope."""
    down = np.array([np.cos(walker.slope), 0.0, -np.sin(walker.slope)])
    return Feet(dict.fromkeys(("left", "right"), walker.foot), walker.normal, down)


def walker_spec(walker: Compass) -> Spec:
    """The walker with looks, and the slope under it."""
    spec, size = walker.spec(), walker.length
    for name, colour in (("left", LEG), ("right", tuple(0.75 * c for c in LEG))):
        leg = Shape.rod((0, 0, 0), (0, 0, -size), 0.02 * size, colour=colour)
        mass = Shape.sphere(0.045 * size, frame=translation(0, 0, -walker.offset), colour=MASS)
        spec.bodies[name].shapes = [leg, mass, Shape.sphere(0.06 * size, colour=MASS)]
    add_slope(spec, walker.slope, size, STEPS)
    return spec


def _table_1(walker: Compass) -> tuple[np.ndarray, np.ndarray]:
    """The state after the strike that Table 1's state is just before, with the bearing leg called left."""
    model = walker.spec().compile()
    landing = land(model, model.state(*TABLE_1), "right", place=walker.foot, joint=HINGE)
    hip, bearing = landing.model.dof("left").start, landing.model.dof("right").start
    return tuple(np.array([x[bearing], -x[hip]]) for x in (landing.state.q, landing.state.qdot))
