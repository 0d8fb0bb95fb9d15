"""Momenta of muscles and their slopes, for methods that step momenta (integrators/symplectic.py)."""

from numba.core import types

from .._jit import kernel
from ..algorithms.cholesky import solve_inwards, solve_outwards
from ..algorithms.rnea_partials import STEP
from ..muscles import equations
from .muscled import move_from


@kernel(on_demand=types.none)
def prepare_momenta(tree, muscles, M):
    """The muscles' inertia into their own matrix, and added to M.

    Needs: the muscles' inertia, as `add_residual` keeps it.
    """
    own = muscles.scratch.matrix
    own[:, :] = 0.0
    equations.add_inertia(tree, muscles, own)
    for i in range(own.shape[0]):
        for j in range(own.shape[0]):
            M[i, j] += own[i, j]


@kernel(on_demand=types.none)
def add_momenta(t, q, v, muscles, linear, p, slope):
    """p += M v and slope += dT/dq of the muscles; the slope by complex steps.

    Needs: `prepare_momenta`.
    """
    tree, stepped, cq, cv, own = linear.tree, linear.muscles, linear.q, linear.qdot, muscles.scratch.matrix
    n = own.shape[0]
    for k in range(n):
        cq[k], cv[k] = q[k], v[k]
        for j in range(n):
            p[k] += own[k, j] * v[j]
    for k in range(n):
        cq[k] += 1j * STEP
        move_from(1, tree, cq, cv, cv)
        slope[k] += equations.kinetic_of(cq, cv, tree, stepped).imag / STEP
        cq[k] -= 1j * STEP


@kernel(on_demand=types.none)
def solve_muscled(muscles, x):
    """x <- M^-1 x.

    Needs: L.
    """
    solve_inwards(muscles.scratch.matrix, muscles.inner, x)
    solve_outwards(muscles.scratch.matrix, muscles.inner, x)


def demand_muscle_momenta(scalar: type) -> None:
    """Have these kernels at hand, in a number type."""
    for part in (prepare_momenta, add_momenta, solve_muscled):
        part.demand(scalar)
