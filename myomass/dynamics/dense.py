"""Accelerations by the dense form, J^T M_m J qddot = f, of a whole model. Compiled when "redmax" is first asked for."""

from numba.core import types

from .._jit import kernel
from ..algorithms import cholesky
from ..algorithms.kinematics import move_all
from ..algorithms.redmax import reduce_system
from ..forces.apply import sum_forces
from .constrained import bind_dense
from .muscled import accelerate_links, add_muscled_mass, subtract_bias


@kernel(inline=False)
def reduce_all(t, q, qdot, tau, wrenches, system, dense, f_r):
    """M_r, its lower triangle, and f_r of tree, forces and muscles.

    Leaves: poses and twists of the links.
    """
    tree, muscles = system.tree, system.muscles
    move_all(tree, q, qdot)
    sum_forces(t, q, qdot, tau, tree, system.forces, dense.f)
    if muscles.active:
        subtract_bias(t, q, qdot, tree, muscles, dense.f)
    reduce_system(tree, q, qdot, dense.f, wrenches, dense, f_r)
    if muscles.massive:
        add_muscled_mass(tree, muscles, dense.M)


@kernel(on_demand=types.none)
def accelerate_dense(t, q, qdot, tau, wrenches, system, dense, qddot):
    """Fill qddot under everything that acts, equality rows included.

    Leaves: Cholesky's factor of M_r in the dense scratch.
    """
    reduce_all(t, q, qdot, tau, wrenches, system, dense, qddot)
    cholesky.factorise(dense.M)
    cholesky.solve(dense.M, qddot)
    if system.constraints.count > 0:
        accelerate_links(system.tree, system.tree.gravity, qddot)
        bind_dense(t, q, qdot, system.tree, system.constraints, dense.M, qddot)
