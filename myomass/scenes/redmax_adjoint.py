"""Tasks of RedMax's differentiable version: two links that reach for a place by torques that stay.

There the value of a task is P = w_pos |x - target|^2/2 + w_reg |p|^2/2 in cm, of torques p in units of 1e5 erg; here it
is the same number, of torques in N m: derivatives by p are those by the torques times TORQUE.
"""

import numpy as np

from ..adjoint.tasks import Near, Reach
from ..forces import JointSpring
from ..joints import Revolute
from ..model import Spec
from .base import ERG, Scene
from .build import ALONG_X, CM, GRAVITY, Y, chain, scene

TORQUE = 1e5 * ERG  # the unit of torques there [N m]
W_POS, W_REG = 100.0, 0.01  # weights, of cm^2 and of that unit squared
START = np.pi / 2, np.pi / 4


def _reaching(number: int, name: str, target: tuple[float, float, float], integrator: str) -> Scene:
    """Two links on sprung and damped hinges, the tip of which must be at a target [cm] after a second."""
    spec = Spec(name, GRAVITY)
    chain(spec, [Revolute(Y), Revolute(Y)], ALONG_X, (10, 0, 0))
    for body, rest in zip(spec.bodies, START, strict=True):
        spec.add_force(JointSpring(body, stiffness=1e4 * ERG, damping=1e4 * ERG, rest=rest))
    text = "Two links on sprung and damped hinges, whose tip must be at a target after a second, by torques that stay."
    run = {"qdot": [1, 1], "duration": 1.0, "integrator": integrator, "conservative": False}
    found = scene(number, spec, text, list(START), **run)
    tip = Reach("body1", (5 * CM, 0, 0), CM * np.array(target))
    found.task = 0.5 * W_POS / CM**2 * tip + 0.5 * W_REG * Near("tau", scale=TORQUE)
    return found


def reach_bdf1() -> Scene:
    """Scene 100 of RedMax's differentiable version: a target ahead, with BDF1."""
    return _reaching(100, "adjoint-bdf1", (10, 0, -10), "bdf1")


def reach_bdf2() -> Scene:
    """Scene 101 of RedMax's differentiable version: a target on the other side, with BDF2."""
    return _reaching(101, "adjoint-bdf2", (-10, 0, -10), "bdf2")
