"""Compliant contact that acts everywhere, a little, so that all its derivatives are continuous.

    Hertz          f_H = 4/3 k sqrt(R k) (x^2 + e)^(3/4) (1 + tanh(b_H x))/2
    Hunt-Crossley  f = f_H (1 + 3/2 c dx/dt) (1 + tanh(b_C (dx/dt + 2/(3 c))))/2

and friction is f times `drag_of` the sliding speed sqrt(v^2 + e) (where that passes the transition velocity the slope
of friction still jumps). G. Serrancoli et al., IEEE Trans. Neural Syst. Rehabil. Eng. 27 (2019); as it is in OpenSim.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .._jit import kernel
from ..model.joint_checks import not_negative
from ..spatial.algebra import add_scaled, dot, scale
from ..spatial.brief import brief
from ..spatial.checks import check_positive
from .compliant import SIZE, CompliantContact, drag_of, meet, meeting_place, push_apart, slip_at


@kernel
def risen(y):
    """(1 + tanh y)/2, written so that no exponential overflows."""
    if y.real > 0.0:
        return 1.0 / (1.0 + np.exp(-2.0 * y))
    grown = np.exp(2.0 * y)
    return grown / (1.0 + grown)


@kernel
def formula(params, at, points):
    """Write the forces between the two bodies; returns 2/5 f_H x, which is their energy only deep inside.

    params[at + SIZE:]: e, b_H, b_C.
    """
    normal, x = meet(params, at, points)
    place = meeting_place(params, at, points, normal, x)
    R, k, c = params[at + 2], params[at + 4], params[at + 5]
    e, b_H, b_C = params[at + SIZE], params[at + SIZE + 1], params[at + SIZE + 2]
    root = np.sqrt(x * x + e)
    hertz = 4.0 / 3.0 * k * np.sqrt(R * k) * root * np.sqrt(root) * risen(b_H * x)
    speed, slide = slip_at(points, place, normal)
    push = hertz * (1.0 + 1.5 * c * speed)
    if c > 0.0:
        push = push * risen(b_C * (speed + 2.0 / (3.0 * c)))
    drag = push * drag_of(params, at, dot(slide, slide) + e)
    push_apart(points, place, add_scaled(scale(push, normal), -drag, slide))
    return 0.4 * hertz * x


@brief
@dataclass(eq=False)
class SmoothHuntCrossley(CompliantContact):
    """Compliant contact as mm.forces.HuntCrossley, smoothed: for optimisation and for steps that never meet a kink.

    constant_force: e, which keeps derivatives from vanishing; hertz_smoothing [1/m] and hunt_crossley_smoothing [s/m]:
    how steeply the force sets in with the indentation, and with the speed at which it would begin to pull.
    """

    constant_force: float = 1e-5
    hertz_smoothing: float = 300.0
    hunt_crossley_smoothing: float = 50.0
    formula: ClassVar = formula

    def numbers(self) -> list[float]:
        """e and both factors of smoothing."""
        steep = [not_negative(getattr(self, key), key) for key in ("hertz_smoothing", "hunt_crossley_smoothing")]
        return [check_positive(self.constant_force, "constant_force"), *steep]
