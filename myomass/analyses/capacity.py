"""What muscles pull as a function of their activation, along a motion: T = active a + passive, or as equilibria say.

On a rigid tendon the path's length and speed give the fibre's, and with the curves f_l, f_v and f_p

    active = F0 f_l f_v cos(alpha),        passive = F0 (f_p + beta v) cos(alpha)

with f_v of full activation. An elastic tendon makes T a nonlinear function of a, here by its value and its slope.
"""

from typing import NamedTuple

import numpy as np

from .._jit import kernel
from ..model import Model
from ..muscles.hill.curves.dispatch import Millard2012, demand_curves
from ..muscles.hill.fibre import cosine, fibre_pull, rigid_fibre
from .muscle_paths import settle_along

STEP = 1e-30  # complex
PENNATIONS = ("exact", "opensim")


class Pull(NamedTuple):
    """Tensions near activations: value + slope (a - at), with the least activation that pulls. (rows, muscles) each"""

    slope: np.ndarray
    constant: np.ndarray  # value - slope at
    least: np.ndarray


@kernel(entry=True)
def capacities_along(hills, params, wrong, L, Ldot, active, passive):
    """Fill the active force at full activation and the passive force of every row and muscle, for Python.

    wrong: does a muscle's pennation follow its normalised fibre length (as in OpenSim's static optimisation)?
    """
    for i in range(hills.shape[0]):
        hill = hills[i]
        for row in range(L.shape[0]):
            fibre, v = rigid_fibre(hill, params, L[row, i], Ldot[row, i])
            a, p, d = fibre_pull(hill, params, 1.0, fibre, v)
            c = cosine(hill, fibre / hill.optimal) if wrong[i] else cosine(hill, fibre)
            slack = fibre <= hill.shortest
            active[row, i] = 0.0 if slack else hill.force * a * c
            passive[row, i] = 0.0 if slack else hill.force * (p + d) * cosine(hill, fibre)


def rigid_pull(
    model: Model, hills: np.ndarray, lengths: np.ndarray, speeds: np.ndarray, pennation: str, passive: bool
) -> Pull:
    """What muscles on rigid tendons pull. Where damping would make a muscle push, it is slack."""
    wrong = (hills["kind"] == Millard2012.kind) & (pennation == "opensim")
    demand_curves(set(hills["kind"].tolist()))
    active, constant = np.empty((2, *lengths.shape))
    given = (np.ascontiguousarray(lengths), np.ascontiguousarray(speeds))
    capacities_along(hills, model.muscles.params, wrong, *given, active, constant)
    if not passive:
        constant[:] = 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        least = np.where(constant < 0.0, -constant / active, 0.0)
    weak = ~(least <= 1.0)  # cannot pull at all
    active[weak], constant[weak], least[weak] = 0.0, 0.0, 0.0
    return Pull(active, constant, least)


def elastic_pull(model: Model, hills: np.ndarray, lengths: np.ndarray, speeds: np.ndarray, at: np.ndarray) -> Pull:
    """What muscles on elastic tendons pull near the activations `at`, fibres in equilibrium at the path's speed."""
    settled, _ = settle_along(model, hills, at + 1j * STEP, lengths, speeds)
    value, slope = settled["tension"].real, settled["tension"].imag / STEP
    return Pull(slope, value - slope * at, np.zeros_like(at))
