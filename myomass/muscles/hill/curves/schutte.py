"""Curves of Schutte's muscles: active force and tendon by splines, the rest in formulas.

    active      a spline of the fibre's length
    passive     exp(8 (l - 1) - 4), which is 1 at l = 1.5 and nowhere zero
    tendon      a spline of the strain e = l - 1, zero for e < 0
    velocity    (1 + v)/(1 - v/k)                   shortening, k = 0.15
                (F_len v + c)/(v + c)               lengthening, c = s k/(1 + k), s = 0.13, F_len = 1.4

and straight lines for v < -1 and, so that a fibre without damping has a velocity at every force, beyond 0.9999 F_len.
OpenSim's class counts no more passive force than the tendon pulls; a fibre whose tendon is slack shortens faster here.

L. M. Schutte, M. M. Rodgers, F. E. Zajac, R. M. Glaser, Improving the efficacy of electrical stimulation-induced leg
cycle ergometry: an analysis based on a dynamic musculoskeletal model, IEEE Trans. Rehab. Eng. 1, 1993.
"""

from dataclasses import dataclass
from functools import cache
from typing import ClassVar

import numpy as np

from ...._jit import kernel
from ....spatial.brief import brief
from ....spatial.checks import check_positive
from ....spatial.motion import Motion, motion_at, value_at
from ....spatial.primitive import primitive
from ....spatial.simm_spline import simm_spline
from .base import Curves

SHAPE, CORNER, LENGTHENING, BORDER, TENDON, STORED, CURVE = range(7)  # columns of params; then the splines' numbers
RATE, LOW = 8.0, 4.0
ALMOST = 0.9999  # of the largest force factor
# SIMM's own splines: active force over fibre length, tendon force over strain
LENGTHS = (-5.307692, -4.307692, -1.923077, -0.884615, -0.269231, 0.230769, 0.461538, 0.52725, 0.62875, 0.71875,
           0.86125, 1.045, 1.2175, 1.43875, 1.5, 1.615385, 2.0, 2.961538, 3.692308, 5.461538, 9.901902)  # fmt: skip
FORCES = (0.012188, 0.021899, 0.036466, 0.052493, 0.075312, 0.114158, 0.157859, 0.226667, 0.636667, 0.856667, 0.95,
          0.993333, 0.77, 0.246667, 0.193821, 0.133252, 0.072683, 0.044417, 0.036341, 0.021899, 0.007332)  # fmt: skip
STRAINS = (-10, -0.002, -0.001, 0.0, 0.00131, 0.00281, 0.00431, 0.00581, 0.00731, 0.00881, 0.0103, 0.0118, 0.0123, 9.2,
           9.201, 9.202, 20.0)  # fmt: skip
PULLS = (0, 0, 0, 0, 0.0108, 0.0257, 0.0435, 0.0652, 0.0915, 0.123, 0.161, 0.208, 0.227, 345, 345, 345, 345)


@kernel(entry=True)
def active(params, at, x):
    """(value, slope) of the active force over fibre length."""
    return motion_at(params, at + CURVE, x)


@kernel(entry=True)
def passive(params, at, x):
    """(value, slope) of the passive force over fibre length."""
    value = np.exp(RATE * (x - 1.0) - LOW)
    return value, RATE * value


@kernel(entry=True)
def passive_energy(params, at, x):
    """Integral of the passive force from where it vanishes, far below."""
    return np.exp(RATE * (x - 1.0) - LOW) / RATE


@kernel(entry=True)
def tendon(params, at, x):
    """(value, slope) of the tendon's force over its length."""
    e = x - 1.0
    if e.real <= 0.0:
        return x * 0.0, x * 0.0
    return motion_at(params, at + int(params[at + TENDON].real), e)


@kernel(entry=True)
def tendon_energy(params, at, x):
    """Integral of the tendon's force from its slack length."""
    e, first = x - 1.0, at + int(params[at + STORED].real)
    if e.real <= 0.0:
        return x * 0.0
    return value_at(params, first, e) - value_at(params, first, e * 0.0)


@kernel(entry=True)
def velocity(params, at, v, a):
    """(value, slope) of the force factor over velocity."""
    k, c, most, border = params[at + SHAPE], params[at + CORNER], params[at + LENGTHENING], params[at + BORDER]
    if v.real < -1.0:
        slope = v * 0.0 + k / (k + 1.0)
        return (v + 1.0) * slope, slope
    if v.real <= 0.0:
        rest = 1.0 - v / k
        return (1.0 + v) / rest, (1.0 + 1.0 / k) / (rest * rest)
    edge = c * (border - 1.0) / (most - border)
    if v.real > edge:
        slope = v * 0.0 + c * (most - 1.0) / ((edge + c) * (edge + c))
        return border + slope * (v - edge), slope
    return (most * v + c) / (v + c), c * (most - 1.0) / ((v + c) * (v + c))


@kernel(entry=True)
def inverse(params, at, f, a):
    """The velocity of the force factor f."""
    k, c, most, border = params[at + SHAPE], params[at + CORNER], params[at + LENGTHENING], params[at + BORDER]
    if f.real < 0.0:
        return f * (k + 1.0) / k - 1.0
    if f.real <= 1.0:
        return (f - 1.0) / (1.0 + f / k)
    if f.real <= border:
        return c * (f - 1.0) / (most - f)
    edge = c * (border - 1.0) / (most - border)
    return edge + (f - border) * (edge + c) * (edge + c) / (c * (most - 1.0))


@cache
def _standard() -> tuple[Motion, Motion]:
    """The splines that SIMM's muscles have unless a file brings its own."""
    force, pull = (LENGTHS, FORCES), (STRAINS, PULLS)
    return simm_spline(*np.array(force, float)), simm_spline(*np.array(pull, float))


@brief
@dataclass(frozen=True, eq=False)
class Schutte1993(Curves):
    """Schutte's curves: splines of the active force over fibre length and of the tendon's over its strain.

    Each is an mm.Motion, a function of the length or strain in place of time; None takes SIMM's own.
    """

    active_spline: Motion | None = None
    tendon_spline: Motion | None = None
    velocity_shape: float = 0.15  # k
    corner: float = 0.13  # s
    lengthening_force: float = 1.4  # F_len

    damping: ClassVar[float] = 0.1
    activation_time: ClassVar[float] = 0.1 / (7.667 + 1.459854)
    deactivation_time: ClassVar[float] = 0.1 / 1.459854
    activation_dynamics: ClassVar[str] = "excited"
    active: ClassVar = active
    passive: ClassVar = passive
    tendon: ClassVar = tendon
    velocity: ClassVar = velocity
    inverse: ClassVar = inverse
    passive_energy: ClassVar = passive_energy
    tendon_energy: ClassVar = tendon_energy

    def parameters(self, damped: bool) -> list[float]:
        """The numbers that the kernels read, checked; damping changes none of them."""
        names = ("velocity_shape", "corner", "lengthening_force")
        k, s, most = (check_positive(getattr(self, name), f"Schutte1993: {name}") for name in names)
        if most <= 1.0:
            raise ValueError(f"Schutte1993: lengthening_force must exceed 1, and is {most:g}")
        border = max(ALMOST * most, 0.5 * (1.0 + most))
        splines = []
        for name, own in zip(("active_spline", "tendon_spline"), _standard(), strict=True):
            given = own if getattr(self, name) is None else getattr(self, name)
            if not isinstance(given, Motion):
                raise TypeError(f"Schutte1993: {name} must be an mm.Motion, and is {given!r}")
            splines.append(given)
        curve, pull, stored = (x.parameters() for x in (*splines, primitive(splines[1])))
        at = CURVE + len(curve)
        return [k, s * k / (1.0 + k), most, border, at, at + len(pull), *curve, *pull, *stored]
