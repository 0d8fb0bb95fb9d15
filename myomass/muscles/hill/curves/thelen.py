"""Thelen's curves, in the form that OpenSim gave them.

    active      exp(-(l - 1)^2 / gamma)
    passive     (exp(k (l - 1)/e_m) - 1) / (exp(k) - 1)                      for l > 1, otherwise 0
    tendon      0.33 (exp(3 e/e_toe) - 1) / (exp(3) - 1) up to e_toe, then the line 0.33 + k_lin (e - e_toe),
                e_toe = 99 e0 E/(166 E - 67), E = exp(3), k_lin = 0.67/(e0 - e_toe), e = l - 1
    velocity    w = v/(0.25 + 0.75 a) = (F - 1)/(1 + F/A_f)                                   shortening
                                      = (F - 1)(F_len - 1)/((2 + 2/A_f)(F_len - F))           lengthening
                and straight lines for F < 0 and for F > 0.95 F_len

D. G. Thelen, Adjustment of muscle mechanics model parameters to simulate dynamic contractions in older adults,
J. Biomech. Eng. 125, 2003.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...._jit import kernel
from ....spatial.brief import brief
from ....spatial.checks import check_positive
from .base import Curves

GAMMA, K, EM, PASSIVE_SCALE, TOE, LINEAR, AF, LENGTHENING, BORDER = range(9)  # columns of params
E3 = float(np.exp(3.0))
TOE_FORCE = 0.33


@kernel(entry=True)
def active(params, at, x):
    """(value, slope) of the active force over fibre length."""
    gamma = params[at + GAMMA]
    d = x - 1.0
    value = np.exp(-d * d / gamma)
    return value, -2.0 * d / gamma * value


@kernel(entry=True)
def passive(params, at, x):
    """(value, slope) of the passive force over fibre length."""
    if x.real <= 1.0:
        return x * 0.0, x * 0.0
    rate, scale = params[at + K] / params[at + EM], params[at + PASSIVE_SCALE]
    grown = np.exp(rate * (x - 1.0))
    return scale * (grown - 1.0), scale * rate * grown


@kernel(entry=True)
def passive_energy(params, at, x):
    """Integral of the passive force from the optimal length."""
    if x.real <= 1.0:
        return x * 0.0
    rate, scale = params[at + K] / params[at + EM], params[at + PASSIVE_SCALE]
    d = x - 1.0
    return scale * ((np.exp(rate * d) - 1.0) / rate - d)


@kernel(entry=True)
def tendon(params, at, x):
    """(value, slope) of the tendon's force over its length."""
    e, toe = x - 1.0, params[at + TOE]
    if e.real <= 0.0:
        return x * 0.0, x * 0.0
    if e.real > toe.real:
        slope = x * 0.0 + params[at + LINEAR]
        return TOE_FORCE + slope * (e - toe), slope
    scale, grown = TOE_FORCE / (E3 - 1.0), np.exp(3.0 * e / toe)
    return scale * (grown - 1.0), scale * 3.0 / toe * grown


@kernel
def toe_energy(e, toe):
    """Integral of the tendon's force up to a strain within the toe."""
    return TOE_FORCE / (E3 - 1.0) * (toe / 3.0 * (np.exp(3.0 * e / toe) - 1.0) - e)


@kernel(entry=True)
def tendon_energy(params, at, x):
    """Integral of the tendon's force from its slack length."""
    e, toe = x - 1.0, params[at + TOE]
    if e.real <= 0.0:
        return x * 0.0
    if e.real <= toe.real:
        return toe_energy(e, toe)
    d = e - toe
    return toe_energy(toe, toe) + d * (TOE_FORCE + 0.5 * params[at + LINEAR] * d)


@kernel
def lengthening_at(params, at, f):
    """(w, slope) over the force factor f, on the branch of a fibre that lengthens."""
    most, c = params[at + LENGTHENING], 2.0 + 2.0 / params[at + AF]
    rest = c * (most - f)
    return (f - 1.0) * (most - 1.0) / rest, c * (most - 1.0) * (most - 1.0) / (rest * rest)


@kernel(entry=True)
def velocity(params, at, v, a):
    """(value, slope) of the force factor over velocity: the relation above, solved for F."""
    share, af, most = 0.25 + 0.75 * a, params[at + AF], params[at + LENGTHENING]
    w = v / share
    if w.real < -1.0:
        slope = 1.0 / (1.0 + 1.0 / af)
        return (w + 1.0) * slope, slope / share
    if w.real <= 0.0:
        rest = 1.0 - w / af
        return (1.0 + w) / rest, (1.0 + 1.0 / af) / (rest * rest * share)
    border = params[at + BORDER]
    edge, rate = lengthening_at(params, at, border)
    if w.real > edge.real:
        return border + (w - edge) / rate, 1.0 / (rate * share)
    c = (2.0 + 2.0 / af) / (most - 1.0)
    rest = 1.0 + c * w
    return (1.0 + c * most * w) / rest, c * (most - 1.0) / (rest * rest * share)


@kernel(entry=True)
def inverse(params, at, f, a):
    """The velocity of the force factor f."""
    share, af, border = 0.25 + 0.75 * a, params[at + AF], params[at + BORDER]
    if f.real < 0.0:
        return share * ((1.0 + 1.0 / af) * f - 1.0)
    if f.real <= 1.0:
        return share * (f - 1.0) / (1.0 + f / af)
    if f.real <= border.real:
        return share * lengthening_at(params, at, f)[0]
    edge, rate = lengthening_at(params, at, border)
    return share * (edge + rate * (f - border))


@brief
@dataclass(frozen=True)
class Thelen2003(Curves):
    """Thelen's curves: strains of tendon and passive fibre at F0, shapes, and the force factor of fast lengthening."""

    tendon_strain: float = 0.04  # e0
    passive_strain: float = 0.6  # e_m
    active_shape: float = 0.45  # gamma
    passive_shape: float = 5.0  # k
    velocity_shape: float = 0.25  # A_f
    lengthening_force: float = 1.4  # F_len
    linear_from: float = 0.95  # of F_len: where the force factor goes on as a straight line

    activation_time: ClassVar[float] = 0.015
    deactivation_time: ClassVar[float] = 0.05
    active: ClassVar = active
    passive: ClassVar = passive
    tendon: ClassVar = tendon
    velocity: ClassVar = velocity
    inverse: ClassVar = inverse
    passive_energy: ClassVar = passive_energy
    tendon_energy: ClassVar = tendon_energy

    def parameters(self, damped: bool) -> list[float]:
        """The numbers that the kernels read, checked; damping changes none of them."""
        names = ("tendon_strain", "passive_strain", "active_shape", "passive_shape", "velocity_shape")
        e0, em, gamma, k, af = (check_positive(getattr(self, name), f"Thelen2003: {name}") for name in names)
        most = check_positive(self.lengthening_force, "Thelen2003: lengthening_force")
        border = most * check_positive(self.linear_from, "Thelen2003: linear_from")
        if not 1.0 < border < most:
            raise ValueError(
                "Thelen2003: the force factor becomes a straight line between 1 and lengthening_force = "
                f"{most:g}, and linear_from = {self.linear_from:g} puts that at {border:g}"
            )
        toe = 99.0 * e0 * E3 / (166.0 * E3 - 67.0)
        return [gamma, k, em, 1.0 / np.expm1(k).item(), toe, 0.67 / (e0 - toe), af, most, border]
