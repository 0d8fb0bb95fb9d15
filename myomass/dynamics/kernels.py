"""The kernels that integrators run: acceleration, residual with derivatives, energies; with their ways in."""

from .._jit import kernel
from ..algorithms.charts import set_charts
from ..algorithms.energy import sum_energy
from ..algorithms.hybrid import hybrid_inward, hybrid_outward
from ..algorithms.kinematics import move_all
from ..algorithms.redmax import accelerate_dense
from ..algorithms.rnea import pass_wrench, rnea_outward
from ..algorithms.rnea_partials import rnea_partials
from ..forces.apply import add_forces, potential, sum_forces
from ..forces.stiffness import add_stiffness


@kernel
def accelerate(t, q, qdot, tau, system, loads, qddot):
    """Fill qddot by recursive hybrid dynamics."""
    hybrid_outward(system, q, qdot)
    add_forces(t, q, qdot, tau, system, loads)
    hybrid_inward(system, loads[5], qddot, loads[6])


@kernel
def accelerate_redmax(t, q, qdot, tau, system, loads, dense, qddot):
    """Fill qddot by the dense form; dense = (J, Jdot, force, M, wrenches, f)."""
    J, Jdot, force, M, wrenches, f = dense
    move_all(system, q, qdot)
    sum_forces(t, q, qdot, tau, system, loads, f)
    accelerate_dense(system, q, qdot, f, wrenches, (J, Jdot, force, M), qddot)


@kernel(inline=False)
def fill_residual(t, q, qdot, qddot, tau, system, loads, r):
    """r = M qddot + C - f; the inverse dynamics and the applied forces cancel in it."""
    links, _, _, gravity, work, dofs = system
    rnea_outward(system, gravity, q, qdot, qddot)
    add_forces(t, q, qdot, tau, system, loads)
    pass_wrench(links, work, dofs, r)
    for k in range(r.shape[0]):
        r[k] -= loads[5][k]


@kernel(inline=False)
def fill_linear(t, q, qdot, qddot, system, loads, linear, M, D, K):
    """Fill M, D and K, the derivatives of the residual."""
    rnea_outward(system, system[3], q, qdot, qddot)
    rnea_partials(system, q, qdot, qddot, linear[0], M, D, K)
    add_stiffness(t, q, qdot, system, loads, linear, -1.0, False, D, K)


@kernel(entry=True)
def residual_at(t, q, qdot, qddot, tau, system, loads, r):
    """The residual, for Python."""
    fill_residual(t, q, qdot, qddot, tau, system, loads, r)


@kernel(entry=True)
def linear_at(t, q, qdot, qddot, system, loads, linear, M, D, K):
    """M, D and K, for Python."""
    fill_linear(t, q, qdot, qddot, system, loads, linear, M, D, K)


@kernel(entry=True)
def forces_at(t, q, qdot, tau, system, loads, f):
    """f = tau and the generalized forces at (t, q, qdot), for Python."""
    move_all(system, q, qdot)
    sum_forces(t, q, qdot, tau, system, loads, f)


@kernel(entry=True)
def stiffness_at(t, q, qdot, system, loads, linear, M, D, K):
    """D and K of the forces alone, for Python; the tree's partials leave the slopes of S that they need."""
    rnea_outward(system, system[3], q, qdot, qdot)
    rnea_partials(system, q, qdot, qdot, linear[0], M, D, K)
    D[:, :] = 0.0
    K[:, :] = 0.0
    add_stiffness(t, q, qdot, system, loads, linear, 1.0, False, D, K)


@kernel(entry=True)
def energies_along(system, loads, slots, charts, t, q, qdot, T, V):
    """T and V of every row of t, q and qdot, each with its row of charts."""
    for i in range(q.shape[0]):
        set_charts(system[2], slots, charts, i)
        T[i], V[i] = sum_energy(system, q[i], qdot[i])
        V[i] += potential(t[i], q[i], qdot[i], system, loads)
