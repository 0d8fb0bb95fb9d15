"""The force-length curves of a model's muscles as points, for drawing."""

import numpy as np

from ..._jit import kernel
from ...model import Model
from .curves.dispatch import active_curve, demand_curves, passive_curve


@kernel(entry=True)
def curve_points(hills, params, x, out):
    """Fill out[i] with the active and passive forces of muscle i at the lengths x, for Python."""
    for i in range(hills.shape[0]):
        hill = hills[i]
        for k in range(x.shape[0]):
            out[i, 0, k] = active_curve(hill.kind, params, hill.at, x[k])[0]
            out[i, 1, k] = passive_curve(hill.kind, params, hill.at, x[k])[0]


def force_length(model: Model, lengths: np.ndarray) -> np.ndarray:
    """Active and passive force over F0 of the muscles with states, at fibre lengths in optimal ones. (muscles, 2, n)"""
    hills, x = model.muscles.hills, np.ascontiguousarray(lengths, float)
    demand_curves(set(hills["kind"].tolist()))
    out = np.empty((len(hills), 2, len(x)))
    curve_points(hills, model.muscles.params, x, out)
    return out
