"""The physics in a model's own coordinates: the kernels that integrators, gradients and public functions call.

    accelerate        qddot under everything that acts, by the recursive O(n) method; by the dense form: dense.py
    fill_residual     r = M qddot + C - f, zero along a motion
    fill_linear       M, D and K, the derivatives of the residual

Of most models the coordinates are their joints', and this is physics.py. Of reduced ones they are fewer (reduced.py).
"""

from .._jit import kernel
from . import physics
from .constrained import bind
from .reduced import (
    accelerate_reduced,
    fill_reduced_linear,
    fill_reduced_mass,
    fill_reduced_residual,
    move_reduced,
    sum_reduced_energies,
)


@kernel
def accelerate_free(t, q, qdot, tau, wrenches, system, prescribed, qddot):
    """Fill qddot where it is not prescribed, without constraints.

    Leaves: poses, twists and accelerations of the links, the pivots of the mass matrix, the motion of the joints.
    """
    if system.reduction.active != 0:
        accelerate_reduced(t, q, qdot, tau, wrenches, system, prescribed, qddot)
    else:
        physics.accelerate_free(t, q, qdot, tau, wrenches, system, prescribed, qddot)


@kernel
def accelerate(t, q, qdot, tau, system, qddot):
    """Fill qddot under everything that acts, equality rows included.

    Leaves: what `accelerate_free` does, and the rows with their multipliers.
    """
    accelerate_free(t, q, qdot, tau, system.no_wrenches, system, system.none_prescribed, qddot)
    if system.constraints.count > 0:
        bind(t, q, qdot, system, system.none_prescribed, qddot)


@kernel
def fill_residual(t, q, qdot, qddot, tau, wrenches, system, r):
    """r = M qddot + C - f; the inverse dynamics and the applied forces cancel in it.

    Leaves: poses, twists and accelerations of the links, the motion of the joints.
    """
    if system.reduction.active != 0:
        fill_reduced_residual(t, q, qdot, qddot, tau, wrenches, system, r)
    else:
        physics.fill_residual(t, q, qdot, qddot, tau, wrenches, system, r)


@kernel
def fill_linear(t, q, qdot, qddot, system, linear, M, D, K):
    """Fill M, D and K, the derivatives of the residual.

    Leaves: poses, twists, accelerations and wrenches of the links.
    """
    if system.reduction.active != 0:
        fill_reduced_linear(t, q, qdot, qddot, system, linear, M, D, K)
    else:
        physics.fill_linear(t, q, qdot, qddot, system, linear, M, D, K)


@kernel
def fill_whole_mass(t, q, qdot, qddot, system, M):
    """M of tree and muscles.

    Needs: poses, twists and accelerations of the links, the motion of the joints.
    """
    if system.reduction.active != 0:
        fill_reduced_mass(t, system, M)
    else:
        physics.fill_whole_mass(t, q, qdot, qddot, system, M)


@kernel
def sum_energies(t, q, qdot, system, energies):
    """energies = (T, V) of bodies, springs and muscles."""
    if system.reduction.active != 0:
        sum_reduced_energies(t, q, qdot, system, energies)
    else:
        physics.sum_energies(t, q, qdot, system, energies)


@kernel
def move_links(q, qdot, qddot, system):
    """Poses and twists of the links, the motion of the joints; without qddot where there is no reduction."""
    if system.reduction.active != 0:
        move_reduced(q, qdot, qddot, system)
    else:
        physics.move_all(system.tree, q, qdot)
