"""The physics of a whole model in the coordinates of its joints; equations.py has it in those of any model.

    accelerate_free   qddot without constraints, by the recursive O(n) method; by the dense form: dense.py
    fill_residual     r = M qddot + C - f, zero along a motion
    fill_linear       M, D and K, the derivatives of the residual

The tree alone is in `algorithms`. What muscles, constraints and soft bodies add is compiled when a model has them
(muscled.py, constrained.py, deformables/acting.py), so these kernels are the same machine code for every model.
"""

from .._jit import kernel
from ..algorithms.energy import sum_energy
from ..algorithms.hybrid import hybrid_inward, hybrid_outward
from ..algorithms.inertias import subtract_given
from ..algorithms.kinematics import move_all
from ..algorithms.mass import fill_mass
from ..algorithms.rnea import pass_wrench, rnea_outward
from ..algorithms.rnea_partials import rnea_partials
from ..deformables.acting import accelerate_soft, add_soft_energies, add_soft_forces, fill_soft_inertia
from ..deformables.slopes import add_soft_linear, add_soft_mass
from ..forces.apply import add_forces, clear_wrenches, potential
from ..forces.stiffness import add_stiffness
from .muscled import (
    accelerate_muscled,
    add_linear,
    add_residual,
    add_slopes,
    add_tensions,
    fill_muscled_mass,
    sum_muscles,
)


@kernel(unit=True)
def accelerate_free(t, q, qdot, tau, wrenches, system, prescribed, qddot):
    """Fill qddot where it is not prescribed, without constraints, by recursive hybrid dynamics.

    Leaves: poses, twists and accelerations of the links, the pivots of the mass matrix.
    """
    tree, forces, muscles = system.tree, system.forces, system.muscles
    soft = system.soft
    if muscles.massive:
        accelerate_muscled(t, q, qdot, tau, wrenches, tree, forces, muscles, soft, prescribed, qddot)
        return
    hybrid_outward(tree, q, qdot)
    if wrenches.shape[0] > 0:
        subtract_given(tree.bodies, wrenches, tree.work)
    add_forces(t, q, qdot, tau, tree, forces)
    if muscles.active:
        add_tensions(t, q, qdot, tree, muscles, forces.total)
    if soft.count > 0:
        add_soft_forces(q, qdot, tree, soft, forces.total)
        accelerate_soft(tau, tree.gravity, soft, prescribed, forces.total, qddot)
    hybrid_inward(tree, tree.gravity, forces.total, qddot, prescribed)


@kernel(unit=True)
def fill_residual(t, q, qdot, qddot, tau, wrenches, system, r):
    """r = M qddot + C - f; the inverse dynamics and the applied forces cancel in it.

    Leaves: poses, twists and accelerations of the links.
    """
    tree, forces, muscles = system.tree, system.forces, system.muscles
    rnea_outward(tree, tree.gravity, q, qdot, qddot)
    if wrenches.shape[0] > 0:
        subtract_given(tree.bodies, wrenches, tree.work)
    add_forces(t, q, qdot, tau, tree, forces)
    if system.soft.count > 0:
        add_soft_forces(q, qdot, tree, system.soft, forces.total)
        fill_soft_inertia(qddot, tree.gravity, system.soft, r)
    pass_wrench(tree.links, tree.work, tree.dofs, r)
    if muscles.active:
        add_residual(t, q, qdot, qddot, tree, muscles, True, r)
    for k in range(r.shape[0]):
        r[k] -= forces.total[k]


@kernel(unit=True)
def fill_linear(t, q, qdot, qddot, system, linear, M, D, K):
    """Fill M, D and K, the derivatives of the residual; without soft bodies where matrices are of the joints alone.

    Leaves: poses, twists, accelerations and wrenches of the links.
    """
    rnea_outward(system.tree, system.tree.gravity, q, qdot, qddot)
    rnea_partials(system.tree, q, qdot, qddot, linear.partials, M, D, K)
    add_acting_slopes(t, q, qdot, qddot, system, linear, True, M, D, K)


@kernel
def add_acting_slopes(t, q, qdot, qddot, system, linear, with_forces, M, D, K):
    """Add to the tree's M, D and K those of muscles and, if `with_forces`, of tensions, soft bodies and other forces.

    Needs: the tree's partials at the same place.
    """
    tree, muscles, soft, slopes = system.tree, system.muscles, system.soft, linear.partials.slopes
    if with_forces:
        add_stiffness(t, q, qdot, tree, system.forces, slopes, linear.stiffness, -1.0, False, D, K)
        if soft.count > 0 and M.shape[0] > soft.first:
            add_soft_linear(q, qdot, tree, soft, linear.soft, slopes, 1.0, M, D, K)
    if muscles.active:
        add_linear(t, q, qdot, qddot, tree, muscles, linear, with_forces, M, D, K)


@kernel(unit=True)
def fill_whole_mass(t, q, qdot, qddot, system, M):
    """M of tree and muscles, by composite bodies.

    Needs: poses, twists and accelerations of the links.
    """
    if system.muscles.massive:
        fill_muscled_mass(t, q, qdot, qddot, system.tree, system.muscles, M)
    else:
        fill_mass(system.tree, M)
    if system.soft.count > 0 and M.shape[0] > system.soft.first:
        add_soft_mass(system.soft, M)


@kernel
def sum_all_forces(t, q, qdot, tau, system, f):
    """f = tau and the generalized forces at (t, q, qdot).

    Leaves: poses and twists of the links.
    """
    tree, forces = system.tree, system.forces
    move_all(tree, q, qdot)
    clear_wrenches(tree.work)
    add_forces(t, q, qdot, tau, tree, forces)
    if system.soft.count > 0:
        add_soft_forces(q, qdot, tree, system.soft, forces.total)
    for k in range(f.shape[0]):
        f[k] = q[k] * 0.0
    pass_wrench(tree.links, tree.work, tree.dofs, f)
    for k in range(f.shape[0]):
        f[k] = forces.total[k] - f[k]
    if system.muscles.active:
        add_tensions(t, q, qdot, tree, system.muscles, f)


@kernel
def fill_force_slopes(t, q, qdot, system, linear, M, D, K):
    """D and K of the forces alone: df/dqdot and df/dq; M is used up."""
    tree, muscles = system.tree, system.muscles
    rnea_outward(tree, tree.gravity, q, qdot, qdot)
    rnea_partials(tree, q, qdot, qdot, linear.partials, M, D, K)
    D[:, :] = 0.0
    K[:, :] = 0.0
    add_stiffness(t, q, qdot, tree, system.forces, linear.partials.slopes, linear.stiffness, 1.0, False, D, K)
    if muscles.active:
        add_slopes(t, q, qdot, qdot, muscles, linear, True, True, D, K)
    if system.soft.count > 0 and M.shape[0] > system.soft.first:
        M[:, :] = 0.0
        add_soft_linear(q, qdot, tree, system.soft, linear.soft, linear.partials.slopes, -1.0, M, D, K)


@kernel
def sum_energies(t, q, qdot, system, energies):
    """energies = (T, V) of bodies, springs and muscles."""
    energies[0], energies[1] = sum_energy(system.tree, q, qdot)
    energies[1] += potential(t, q, qdot, system.tree, system.forces)
    if system.muscles.active:
        sum_muscles(t, q, qdot, system.tree, system.muscles, energies)
    if system.soft.count > 0:
        add_soft_energies(q, qdot, system.tree, system.soft, energies)
