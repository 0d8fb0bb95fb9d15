"""Equilibria of one muscle at many activations, lengths and speeds of its path."""

import numpy as np

from ..._jit import kernel
from .fibre import cosine, fibre_velocity, parts, rigid_fibre, static_fibre

COLUMNS = ("tension", "fibre", "velocity", "pennation", "tendon", "active", "passive", "damping")  # rows of `out`


@kernel
def settled_fibre(hill, params, a, L, Ldot):
    """(fibre length [m], its velocity [m/s], found) in equilibrium."""
    if hill.fibre < 0:
        fibre, v = rigid_fibre(hill, params, L, Ldot)
        return fibre, v, fibre.real > hill.shortest.real
    fibre, found = static_fibre(hill, params, a, L, Ldot)
    v = fibre_velocity(hill, params, a, fibre, L)
    if Ldot.real == 0.0:
        v = L * 0.0
    return fibre, v, found


@kernel(entry=True)
def settle_all(hills, params, a, L, Ldot, out, found):
    """Fill column i of `out` (COLUMNS) with the equilibrium of the first record at a[i], L[i], Ldot[i]."""
    hill = hills[0]
    for i in range(len(a)):
        fibre, v, is_found = settled_fibre(hill, params, a[i], L[i], Ldot[i])
        active, passive, damping, tension = parts(hill, params, a[i], fibre, v, L[i])
        c = cosine(hill, fibre)
        found[i] = is_found
        out[0, i], out[1, i], out[2, i] = tension, fibre, v
        out[3, i], out[4, i] = np.arcsin(hill.height / fibre), L[i] - fibre * c
        out[5, i], out[6, i], out[7, i] = active, passive, damping
