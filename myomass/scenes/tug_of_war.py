"""A tug of war: two muscles that act on one block."""

import numpy as np

from ..joints import Fixed, Prismatic
from ..model import Shape, Spec
from ..muscles.hill.curves.millard import Millard2012
from ..muscles.hill.spec import Hill
from ..spatial import Inertia, translation
from ..spatial.motion import Motion
from .base import Scene

X = (1.0, 0.0, 0.0)
HALF, WALL = 0.05, 0.35  # half a side of the block, and where the walls stand [m]
CURVES = Millard2012(transition_length=0.6259, passive_strain=0.6)
WOOD, STONE = (0.80, 0.62, 0.38), (0.62, 0.58, 0.52)
MIDDLE, SWING, TURN = 0.5, 0.45, np.pi  # of the excitations: mean, amplitude, angular frequency [rad/s]


def tug_of_war(muscle_mass: float = 0.0) -> Scene:
    """Two muscles pull a block on a slider, excited in turn by sines; each may have a mass [kg].

    Numbers of Tug_of_War_Millard.osim by the OpenSim team (CC BY 3.0): a block of 20 kg, and muscles of 1000 N with
    fibres of 0.1 m, tendons of 0.2 m and no pennation.
    """
    spec, duration = Spec("tug-of-war"), 4.0
    block = Inertia.cuboid((2 * HALF,) * 3, mass=20.0)
    spec.add_body("block", None, Prismatic(X), inertia=block, colour=WOOD)
    slab = [Shape.cuboid((0.02, 0.2, 0.2), colour=STONE)]
    hill, excitation = Hill(1000.0, 0.1, 0.2, curves=CURVES), {}
    for name, side in (("left", -1.0), ("right", 1.0)):
        spec.add_body(f"{name} wall", None, Fixed(), translation(side * (WALL + 0.01), 0, 0), shapes=slab)
        ends = [(None, (side * WALL, 0.0, 0.0)), ("block", (side * HALF, 0.0, 0.0))]
        spec.add_muscle(name, muscle_mass, ends, distribution="continuous", actuator=hill)
        excitation[name] = Motion.of(lambda t, side=side: MIDDLE + side * SWING * np.sin(TURN * t), 0.0, duration)
    text = "Two Hill muscles pull a block to and fro on a slider, excited in turn."
    run = {"rtol": 1e-6, "conservative": False, "activation": MIDDLE, "excitation": excitation}
    return Scene("tug-of-war", text, spec, np.zeros(1), np.zeros(1), duration, 1e-3, "recursive", **run)
