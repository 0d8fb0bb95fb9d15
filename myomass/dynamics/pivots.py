"""Is the mass matrix regular, and an acceleration finite? One look for all ways to find accelerations."""

import numpy as np

from .._jit import kernel
from ..algorithms.cholesky import REGULAR as REGULAR
from ..algorithms.cholesky import weak_pivot
from ..algorithms.hybrid import singular_dof
from ..algorithms.inertias import all_finite
from .muscled import weak_muscled_pivot
from .reduced import weak_reduced_pivot

OK, NOT_FINITE = -1, -2  # answers of kernels; or the number of a degree of freedom that nothing resists


@kernel(inline=False)
def find_weak_pivot(system, prescribed, rounding):
    """First degree of freedom whose pivot is rounding against its inertia, REGULAR if there is none.

    Needs: `accelerate_free`. The wrenches of the links are used up.
    """
    if system.reduction.active != 0:
        return weak_reduced_pivot(system, prescribed, rounding)
    if system.muscles.massive:
        return weak_muscled_pivot(system.muscles, prescribed, rounding)
    return singular_dof(system.tree.links, system.tree.work, system.tree.dofs, prescribed, rounding)


@kernel(inline=False)
def find_weak_dense_pivot(system, L, rounding):
    """The same of the dense form, L Cholesky's factor.

    Needs: `accelerate_dense`.
    """
    if system.reduction.active != 0:
        return weak_reduced_pivot(system, system.none_prescribed, rounding)
    return weak_pivot(L, False, system.none_prescribed, rounding)


@kernel
def verdict(pivot, q, qdot, tau, prescribed, qddot):
    """What to say of an answer: its weak pivot, if there is one, or whether it and what it is made of is finite."""
    if pivot >= 0:
        return pivot
    for k in range(q.shape[0]):
        if not (prescribed[k] or abs(tau[k]) < np.inf):
            return NOT_FINITE
    return OK if all_finite(q) and all_finite(qdot) and all_finite(qddot) else NOT_FINITE
