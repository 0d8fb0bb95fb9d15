"""Umberger 2010: the model of Umberger, Gerritsen and Martin 2003 with the changes of 2010.

Umberger, "Stance and swing phase costs in human walking", J. R. Soc. Interface 7:1329 (2010); Umberger, Gerritsen,
Martin, "A model of human muscle energy expenditure", Comput. Methods Biomech. Biomed. Engin. 6:99 (2003). With the
letters of 2003, velocities in optimal lengths per second, and per kilogram of muscle:

    Edot = hdot_AM + hdot_SL + wdot_CE
    A = STIM if STIM > ACT, else (STIM + ACT)/2
    hdot_AM = S A^0.6 (128 FT + 25) (1                  up to the optimal length,
                                     0.4 + 0.6 F_ISO    beyond)
    hdot_SL = S A^2 (-alpha_ST V (1 - FT) - alpha_FT V FT)    while shortening, with -alpha_ST V at most 100 W/kg
            = S A alpha_L V                                   while lengthening; both times F_ISO beyond the optimum
    alpha_ST = 100/Vmax_ST,  alpha_FT = 153/Vmax_FT,  Vmax_ST = Vmax_FT/2.5
    wdot_CE = -F_CE v_CE / m

FT is the share of fast fibres (in the paper in per cent), F_ISO the active force-length curve, Vmax_FT the muscle's
own largest speed, S 1.5 for mainly aerobic and 1.0 for mainly anaerobic activity, and the heat hdot_AM + hdot_SL is
at least 1 W/kg. The changes of 2010: alpha_L is 0.3 alpha_ST in the place of 4 alpha_ST, and only positive work
counts. `negative_work=True` takes back both.

OpenSim's Umberger2010MuscleMetabolicsProbe departs from this by default: it takes back the changes of 2010, forbids a
negative total, and takes for FT the share of fast fibres among those that an excitation recruits in the model of
Bhargava et al. Here that is Umberger2010(negative_work=True, forbid_negative_power=True, recruitment="orderly").
"""

from dataclasses import dataclass

import numpy as np

from ....spatial.brief import brief
from ....spatial.checks import check_positive
from .base import Metabolics, Rates, Seen, recruited

MOST_SLOW = 100.0  # shortening heat of slow fibres [W/kg]
RECRUITMENTS = ("constant", "orderly")


@brief
@dataclass(frozen=True)
class Umberger2010(Metabolics):
    """Metabolic power after Umberger 2010, as published; `negative_work=True` is the model of 2003."""

    negative_work: bool = False
    least_heat: float = 1.0  # [W/kg]
    aerobic_factor: float = 1.5  # S
    recruitment: str = "constant"  # or "orderly": slow fibres first, by Bhargava et al. 2004

    def __post_init__(self) -> None:
        check_positive(self.aerobic_factor, "Umberger2010: aerobic_factor")
        if self.recruitment not in RECRUITMENTS:
            raise ValueError(f'Umberger2010: recruitment is "constant" or "orderly", not {self.recruitment!r}')

    def rates(self, seen: Seen) -> Rates:
        """Heat of activation and maintenance together, of shortening and lengthening, and rate of work [W]."""
        STIM, ACT, V = seen.excitation, seen.activation, seen.velocity
        A = np.where(STIM > ACT, STIM, 0.5 * (STIM + ACT))
        FT = seen.fast_fibres if self.recruitment == "constant" else fast_among_recruited(seen)
        beyond = seen.length > 1.0
        hdot_AM = A**0.6 * (128.0 * FT + 25.0) * np.where(beyond, 0.4 + 0.6 * seen.length_factor, 1.0)
        alpha_ST, alpha_FT = 100.0 / (seen.max_velocity / 2.5), 153.0 / seen.max_velocity
        alpha_L = (4.0 if self.negative_work else 0.3) * alpha_ST
        shortening = A**2 * (np.minimum(-alpha_ST * V, MOST_SLOW) * (1.0 - FT) - alpha_FT * V * FT)
        hdot_SL = np.where(V <= 0, shortening, A * alpha_L * V) * np.where(beyond, seen.length_factor, 1.0)
        S = self.aerobic_factor * seen.mass
        return S * hdot_AM, np.zeros_like(hdot_AM), S * hdot_SL, self.work_rate(seen)


def fast_among_recruited(seen: Seen) -> np.ndarray:
    """Share of fast fibres among the recruited ones; none without excitation."""
    slow, fast = recruited(seen)
    both = slow + fast
    return np.where(both > 0, fast / np.where(both > 0, both, 1.0), 0.0)
