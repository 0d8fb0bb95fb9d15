"""Linearly implicit Euler (euler.py) with soft bodies: one sparse solve a step, equality rows in it.

    [ M + h D + h^2 K   -G^T ] [dv    ]   [ -h r - h^2 K v ]
    [ G                  0   ] [h lam ] = [ missing speed  ]

with r the residual of the old state without accelerations, and the slopes of forces alone, as euler.py has them.
"""

from numba.core import types

from .._jit import kernel
from ..constraints.rows import add_row, evaluate_rows
from ..constraints.solve import choose_rows
from ..deformables.slopes import combine, fill_node_slopes
from ..deformables.solve import apply_matrix, prepare_solve, solve_whole
from ..dynamics.muscled import add_slopes
from ..dynamics.physics import fill_residual, fill_whole_mass
from ..forces.stiffness import add_stiffness
from ..model.elements import ACCELERATION
from ..muscles.tension import answers_to_rates
from .base import FAILED, MATRICES, OK, RESIDUAL, begin_step, close_stage, open_stage, update_torques
from .linear_step import solve_states
from .newton_bound import form_saddle
from .newton_soft import fill_scales, gather, scatter
from .velocity import BY_STIFFNESS, FREE, missing_speed, turning

FINE, ENOUGH = 1e-12, 1e-7  # residual of the solve, relative: asked for, and taken


@kernel(inline=False)
def fill_joint_slopes(t, q, qdot, still, run):
    """M, D and K of the joints; D and K are slopes of forces, as `combine` has them with the other sign."""
    system, matrices = run.system, run.matrices
    M, D, K, linear = matrices.M, matrices.D, matrices.K, matrices.linear
    D[:, :] = 0.0
    K[:, :] = 0.0
    add_stiffness(t, q, qdot, system.tree, system.forces, linear.partials.slopes, linear.stiffness, -1.0, True, D, K)
    if answers_to_rates(system.muscles):
        for i in range(D.shape[0]):
            for j in range(D.shape[0]):
                D[i, j], K[i, j] = -D[i, j], -K[i, j]
        add_slopes(t, q, qdot, still, system.muscles, linear, True, True, D, K)
        for i in range(D.shape[0]):
            for j in range(D.shape[0]):
                D[i, j], K[i, j] = -D[i, j], -K[i, j]
    fill_whole_mass(t, q, qdot, still, system, M)


@kernel
def add_tree(count, m_part, d_part, k_part, run):
    """A over the joints: of the parts of M, D and K, and what soft bodies add there."""
    matrices, A, T = run.matrices, run.matrices.soft.A, run.matrices.linear.soft.T
    for i in range(T.shape[0]):
        for j in range(T.shape[0]):
            own = m_part * matrices.M[i, j] + d_part * matrices.D[i, j] + k_part * matrices.K[i, j]
            A[count + i, count + j] = own + T[i, j]


@kernel
def fill_rows(t, h, count, run):
    """G and the missing speeds of the chosen rows.

    Needs: poses and twists of the links.
    """
    system, solver, defect = run.system, run.system.constraints.solver, run.matrices.defect
    tree, constraints, v = system.tree, system.constraints, run.scratch[FREE]
    evaluate_rows(t + h, run.q, run.qdot, tree, constraints)
    for k in range(v.shape[0]):
        v[k] = run.qdot[k]
    solver.B[:, :] = 0.0
    for i in range(count):
        r = solver.chosen[i]
        add_row(constraints.rows[r], tree.links, tree.work, tree.dofs, 1.0, solver.B[i])
        defect[i] = missing_speed(r, h, run) - 0.5 * h * turning(BY_STIFFNESS, r, run)


@kernel(on_demand=types.int64)
def step_soft(t, h, run):
    """One step: OK or FAILED."""
    q, qdot, system, matrices, still = run.q, run.qdot, run.system, run.matrices, run.scratch[2]
    soft, linear, solver, defect, change = system.soft, matrices.linear, matrices.soft, matrices.defect, matrices.change
    n, slopes, constraints = q.shape[0], linear.partials.slopes, system.constraints
    begin_step(t, run)
    open_stage(t + h, 1.0 / h, h, run.z, run)
    for k in range(n):
        still[k] = 0.0
    update_torques(t + h, q, qdot, run)
    count = choose_rows(constraints.levels, constraints.unilateral, ACCELERATION, constraints.solver.chosen)
    r = defect[count : count + n]
    fill_residual(t + h, q, qdot, still, run.tau, system.no_wrenches, system, r)
    fill_joint_slopes(t + h, q, qdot, still, run)
    fill_rows(t, h, count, run)
    fill_node_slopes(soft, linear.soft)
    combine(0.0, 0.0, h * h, system.tree, soft, linear.soft, slopes, True)
    form_saddle(1.0, count, matrices.M, matrices.D, matrices.K, constraints.solver.B, solver.A)
    fill_scales(1.0, count, matrices.M, constraints.solver.B, soft, solver.scales)
    add_tree(count, 0.0, 0.0, h * h, run)
    for i in range(count):
        change[i] = 0.0
    for k in range(n):
        change[count + k] = qdot[k]
        r[k] *= -h
    gather(count, change, soft, solver.x)
    apply_matrix(count, soft, linear.soft, solver, solver.x, solver.z)
    gather(count, defect, soft, solver.rhs)
    for i in range(count):
        solver.z[3 * soft.dofs.shape[0] + i] = 0.0
    for k in range(solver.rhs.shape[0]):
        solver.rhs[k] -= solver.z[k]
    combine(1.0, h, h * h, system.tree, soft, linear.soft, slopes, True)
    add_tree(count, 1.0, h, h * h, run)
    run.memory[MATRICES] += 1.0
    if not prepare_solve(count, soft, linear.soft, solver):
        return FAILED
    run.memory[RESIDUAL] = solve_whole(count, FINE, soft, linear.soft, solver)
    if not run.memory[RESIDUAL] < ENOUGH:
        return FAILED
    scatter(count, solver.x, soft, change)
    for i in range(count):
        constraints.solver.lam[i] = change[i] / h
    for k in range(n):
        qdot[k] += change[count + k]
        q[k] += h * qdot[k]
    solve_states(t + h, run)
    close_stage(run)
    return OK
