"""Bhargava, Pandy, Anderson 2004: "A phenomenological model for estimating metabolic energy consumption in muscle
contraction", J. Biomech. 37:81. With the paper's letters:

    Edot = Adot + Mdot + Sdot + Wdot
    Adot = phi m (f_s A_s u_s + f_f A_f u_f),     u_s = sin(pi/2 u),  u_f = 1 - cos(pi/2 u)
    Mdot = L(l) m (f_s M_s u_s + f_f M_f u_f)
    Sdot = -alpha v,    alpha = 0.16 F_ISO + 0.18 F_CE while shortening, 0.157 F_CE while lengthening
    Wdot = -F_CE v
    A_s, A_f, M_s, M_f = 40, 133, 74, 111 W/kg,     phi = 0.06 + exp(-t_stim u/tau),  tau = 45 ms

u is the excitation, f_s and f_f the shares of slow and fast fibres, F_ISO = a fl F0 the isometric force at this
activation and length; L(l) goes straight from 1/2 at half the optimal length to 1 at it, to 0 at one and a half of it,
and is level outside. The paper adds a basal rate, which does not depend on what the muscle does; it is left out here.

Adot falls with the time t_stim since stimulation began. A run of excitations does not say when that was: `onset` is
the excitation above which a muscle counts as stimulated. Without it phi = 1, as in OpenSim.

OpenSim's Bhargava2004MuscleMetabolicsProbe departs from the paper: phi = 1; F is the force of the whole fibre, passive
and damping parts included; by default alpha = 0.25 F while shortening and 0 while lengthening; the heat is at least
1 W/kg and the total not negative. Here that is Bhargava2004(shortening="constant", force="fibre", least_heat=1.0,
forbid_negative_power=True); its use_force_dependent_shortening_prop_constant is shortening="force".
"""

from dataclasses import dataclass

import numpy as np

from ....spatial.brief import brief
from ....spatial.checks import check_positive
from .base import Metabolics, Rates, Seen, recruited

A_SLOW, A_FAST, M_SLOW, M_FAST = 40.0, 133.0, 74.0, 111.0  # [W/kg]
TAU = 0.045  # [s]
LENGTHS, SHARES = (0.5, 1.0, 1.5), (0.5, 1.0, 0.0)
SHORTENING, FORCES = ("force", "constant"), ("active", "fibre")


@brief
@dataclass(frozen=True)
class Bhargava2004(Metabolics):
    """Metabolic power after Bhargava, Pandy and Anderson 2004, without their basal rate."""

    onset: float | None = None  # excitation above which a muscle counts as stimulated; None: phi = 1
    shortening: str = "force"  # or "constant": alpha = 0.25 F while shortening, 0 while lengthening
    force: str = "active"  # F of alpha, or "fibre": with the passive and damping forces

    def __post_init__(self) -> None:
        if self.onset is not None:
            check_positive(self.onset, "Bhargava2004: onset, an excitation,")
        for name, known in (("shortening", SHORTENING), ("force", FORCES)):
            if getattr(self, name) not in known:
                raise ValueError(f'Bhargava2004: {name} is "{known[0]}" or "{known[1]}", not {getattr(self, name)!r}')

    def rates(self, seen: Seen) -> Rates:
        """Heat of activation, of maintenance, and of shortening and lengthening, and rate of work [W]."""
        slow, fast = recruited(seen)
        Adot = self._phi(seen) * seen.mass * (A_SLOW * slow + A_FAST * fast)
        Mdot = np.interp(seen.length, LENGTHS, SHARES) * seen.mass * (M_SLOW * slow + M_FAST * fast)
        return Adot, Mdot, -self._alpha(seen) * seen.velocity * seen.optimal_length, self.work_rate(seen)

    def _alpha(self, seen: Seen) -> np.ndarray:
        F = seen.active_force if self.force == "active" else seen.fibre_force
        if self.shortening == "constant":
            return np.where(seen.velocity <= 0, 0.25 * F, 0.0)
        F_ISO = seen.activation * seen.length_factor * seen.optimal_force
        return np.where(seen.velocity <= 0, 0.16 * F_ISO + 0.18 * F, 0.157 * F)

    def _phi(self, seen: Seen) -> np.ndarray | float:
        """Decay of the heat of activation with the time since stimulation began."""
        if self.onset is None:
            return 1.0
        if np.ndim(seen.t) == 0:
            raise ValueError(
                "Bhargava2004: a single state does not say since when a muscle is stimulated; leave onset out"
            )
        u = seen.excitation
        times = np.reshape(seen.t, (-1,) + (1,) * (u.ndim - 1))
        t_stim = times - np.maximum.accumulate(np.where(u > self.onset, times[0], times), axis=0)
        return 0.06 + np.exp(-t_stim * u / TAU)
