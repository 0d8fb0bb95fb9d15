"""The kernels that integrators run: acceleration, residual with derivatives, energies; with their ways in."""

from .._jit import kernel
from ..algorithms import cholesky
from ..algorithms.charts import set_charts
from ..algorithms.energy import sum_energy
from ..algorithms.hybrid import hybrid_inward, hybrid_outward
from ..algorithms.kinematics import move_all
from ..algorithms.mass import fill_mass
from ..algorithms.redmax import reduce_system
from ..algorithms.rnea import pass_wrench, rnea_outward
from ..algorithms.rnea_partials import rnea_partials
from ..forces.apply import add_forces, potential, sum_forces
from ..forces.stiffness import add_stiffness
from ..muscles.dynamics import add_momenta
from .muscled import (
    MUSCLES,
    SHADOW,
    accelerate_links,
    accelerated,
    add_dense,
    add_linear,
    add_residual,
    add_slopes,
    add_tensions,
    energies,
    filled_mass,
    subtract_bias,
)


@kernel
def move_freely(t, q, qdot, tau, system, forces, prescribed, qddot):
    """Fill qddot where it is not prescribed, without constraints, by recursive hybrid dynamics."""
    if accelerated(forces[MUSCLES], t, q, qdot, tau, system, forces, prescribed, qddot):
        return
    hybrid_outward(system, q, qdot)
    add_forces(t, q, qdot, tau, system, forces)
    add_tensions(forces[MUSCLES], t, q, system, forces[5])
    hybrid_inward(system, forces[5], qddot, prescribed)


@kernel
def accelerate(t, q, qdot, tau, system, forces, qddot):
    """Fill qddot by recursive hybrid dynamics."""
    move_freely(t, q, qdot, tau, system, forces, forces[6], qddot)


@kernel
def accelerate_redmax(t, q, qdot, tau, system, forces, dense, qddot):
    """Fill qddot by the dense form; dense = (J, Jdot, force, M, wrenches, f)."""
    M = dense[3]
    reduce_all(t, q, qdot, tau, system, forces, dense, qddot)
    cholesky.factorise(M)
    cholesky.solve(M, qddot)


@kernel(inline=False)
def reduce_all(t, q, qdot, tau, system, forces, dense, f_r):
    """M_r and f_r of tree, forces and muscles by the dense form."""
    J, Jdot, force, M, wrenches, f = dense
    move_all(system, q, qdot)
    sum_forces(t, q, qdot, tau, system, forces, f)
    subtract_bias(forces[MUSCLES], t, q, qdot, system, f)
    reduce_system(system, q, qdot, f, wrenches, (J, Jdot, force), M, f_r)
    add_dense(forces[MUSCLES], system, M)


@kernel(inline=False)
def fill_whole_mass(t, q, qdot, qddot, system, forces, M):
    """M of tree and muscles, by composite bodies; poses, twists and accelerations must stand."""
    if not filled_mass(forces[MUSCLES], t, q, qdot, qddot, system, M):
        fill_mass(system, M)


@kernel(inline=False)
def fill_residual(t, q, qdot, qddot, tau, system, forces, r):
    """r = M qddot + C - f; the inverse dynamics and the applied forces cancel in it."""
    links, _, _, gravity, work, dofs = system
    rnea_outward(system, gravity, q, qdot, qddot)
    add_forces(t, q, qdot, tau, system, forces)
    pass_wrench(links, work, dofs, r)
    add_residual(forces[MUSCLES], t, q, qdot, qddot, system, r)
    for k in range(r.shape[0]):
        r[k] -= forces[5][k]


@kernel(inline=False)
def fill_linear(t, q, qdot, qddot, system, forces, linear, M, D, K):
    """Fill M, D and K, the derivatives of the residual."""
    rnea_outward(system, system[3], q, qdot, qddot)
    rnea_partials(system, q, qdot, qddot, linear[0], M, D, K)
    add_force_slopes(t, q, qdot, qddot, system, forces, linear, True, M, D, K)


@kernel
def add_force_slopes(t, q, qdot, qddot, system, forces, linear, with_forces, M, D, K):
    """Add to the tree's M, D and K, just found, those of muscles and, if `with_forces`, of the other forces."""
    if with_forces:
        add_stiffness(t, q, qdot, system, forces, linear, -1.0, False, D, K)
    add_linear(forces[MUSCLES], t, q, qdot, qddot, system, linear, M, D, K)


@kernel(entry=True)
def whole_mass_at(q, qdot, system, forces, M):
    """M of tree and muscles, for Python."""
    move_all(system, q, qdot)
    accelerate_links(system, system[3], qdot)
    fill_whole_mass(0.0, q, qdot, qdot, system, forces, M)


@kernel(entry=True)
def freely_at(t, q, qdot, tau, system, forces, prescribed, qddot):
    """qddot without constraints, for Python."""
    move_freely(t, q, qdot, tau, system, forces, prescribed, qddot)


@kernel(entry=True)
def reduced_at(t, q, qdot, tau, system, forces, dense, f_r):
    """M_r and f_r by the dense form, for Python; the lower triangle of M_r is right."""
    reduce_all(t, q, qdot, tau, system, forces, dense, f_r)


@kernel(entry=True)
def inertial_at(q, qdot, qddot, gravity, system, forces, r):
    """What inertia and weight of muscles add to inverse dynamics under a given gravity, for Python."""
    move_all(system, q, qdot)
    accelerate_links(system, gravity, qddot)
    for k in range(r.shape[0]):
        r[k] = q[k] * 0.0
    add_residual(forces[MUSCLES], 0.0, q, qdot, qddot, system, r)
    add_tensions(forces[MUSCLES], 0.0, q, system, r)


@kernel(entry=True)
def momentum_at(q, qdot, system, forces, out):
    """Mass, momentum, first moment and angular momentum about the origin of all muscles, for Python."""
    move_all(system, q, qdot)
    add_momenta(q, qdot, system, forces[MUSCLES], out)


@kernel(entry=True)
def residual_at(t, q, qdot, qddot, tau, system, forces, r):
    """The residual, for Python."""
    fill_residual(t, q, qdot, qddot, tau, system, forces, r)


@kernel(entry=True)
def linear_at(t, q, qdot, qddot, system, forces, linear, M, D, K):
    """M, D and K, for Python."""
    fill_linear(t, q, qdot, qddot, system, forces, linear, M, D, K)


@kernel(entry=True)
def force_slopes_at(t, q, qdot, qddot, system, forces, linear, with_forces, M, D, K):
    """Add what forces and muscles add to the tree's partials, for Python, right after `solve_rnea_partials`."""
    add_force_slopes(t, q, qdot, qddot, system, forces, linear, with_forces, M, D, K)


@kernel(entry=True)
def forces_at(t, q, qdot, tau, system, forces, f):
    """f = tau and the generalized forces at (t, q, qdot), for Python."""
    move_all(system, q, qdot)
    sum_forces(t, q, qdot, tau, system, forces, f)
    add_tensions(forces[MUSCLES], t, q, system, f)


@kernel(entry=True)
def stiffness_at(t, q, qdot, system, forces, linear, M, D, K):
    """D and K of the forces alone, for Python; the tree's partials leave the slopes of S that they need."""
    rnea_outward(system, system[3], q, qdot, qdot)
    rnea_partials(system, q, qdot, qdot, linear[0], M, D, K)
    D[:, :] = 0.0
    K[:, :] = 0.0
    add_stiffness(t, q, qdot, system, forces, linear, 1.0, False, D, K)
    add_slopes(linear[SHADOW], t, q, qdot, qdot, system, True, D, K)


@kernel(entry=True)
def energies_along(system, forces, slots, charts, t, q, qdot, T, V):
    """T and V of every row of t, q and qdot, each with its row of charts."""
    for i in range(q.shape[0]):
        set_charts(system[2], slots, charts, i)
        T[i], V[i] = sum_energy(system, q[i], qdot[i])
        V[i] += potential(t[i], q[i], qdot[i], system, forces)
        T_muscles, V_muscles = energies(forces[MUSCLES], t[i], q[i], qdot[i], system)
        T[i] += T_muscles
        V[i] += V_muscles
