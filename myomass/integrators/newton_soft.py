"""One implicit stage of a model with soft bodies: the equations of newton.py and newton_bound.py, solved sparsely.

The matrix is formed in parts, that of the joints and rows densely, that of free nodes sparsely, and each of Newton's
steps is solved only as well as it deserves (deformables/solve.py): to LOOSE of the residual, or to what is asked of
the stage. The matrix is kept while it reduces the residual well, from stage to stage too; a step that does not reduce
it is halved. A stage begins from the accelerations of the stage before.
"""

import numpy as np
from numba.core import types

from .._jit import kernel
from ..constraints.solve import choose_rows
from ..deformables.slopes import combine, fill_node_slopes
from ..deformables.solve import KEPT_ALPHA, KNOWN, prepare_solve, solve_whole
from ..dynamics.physics import fill_linear
from ..model.elements import VELOCITY
from .balance import ROUNDING, STALLED, balance, follow, noise
from .base import FAILED, ITERATIONS, MATRICES, OK, RESIDUAL
from .newton_bound import fill_defect, form_saddle, worst_speed

TOLERANCE = 1e-11  # of the forces in balance
MOST_ITERATIONS, MOST_HALVINGS = 60, 20
LOOSE = 1e-3  # part of a residual that a linear solve leaves
FAST = 0.1  # the matrix is kept while a step leaves less than this of the residual


@kernel
def gather(count, defect, soft, vector):
    """Speeds of rows and residuals in the order of the linear solver."""
    n, joints = 3 * soft.dofs.shape[0], soft.first
    for i in range(soft.dofs.shape[0]):
        for a in range(3):
            vector[3 * i + a] = defect[count + soft.dofs[i] + a]
    for i in range(count):
        vector[n + i] = defect[i]
    for k in range(joints):
        vector[n + count + k] = defect[count + k]


@kernel
def scatter(count, vector, soft, change):
    """Multipliers, then rates, from a vector of the linear solver."""
    n, joints = 3 * soft.dofs.shape[0], soft.first
    for i in range(soft.dofs.shape[0]):
        for a in range(3):
            change[count + soft.dofs[i] + a] = vector[3 * i + a]
    for i in range(count):
        change[i] = vector[n + i]
    for k in range(joints):
        change[count + k] = vector[n + count + k]


@kernel
def fill_scales(alpha, count, M, G, soft, scales):
    """One over the root of the mass matrix's diagonal; of rows what makes their speeds forces of this metric."""
    n = 3 * soft.dofs.shape[0]
    for i in range(soft.dofs.shape[0]):
        for a in range(3):
            scales[3 * i + a] = 1.0 / np.sqrt(soft.mass[i])
    for k in range(soft.first):
        scales[n + count + k] = 1.0 / np.sqrt(M[k, k])
    for r in range(count):
        total = 0.0
        for k in range(soft.first):
            total += G[r, k] * G[r, k] / M[k, k]
        scales[n + r] = alpha / np.sqrt(total) if total > 0.0 else alpha


@kernel
def soft_size(r, M, soft):
    """|r| in the metric of the mass matrix's diagonal."""
    total = 0.0
    for k in range(soft.first):
        total += r[k] * r[k] / M[k, k]
    for i in range(soft.dofs.shape[0]):
        for a in range(3):
            own = r[soft.dofs[i] + a]
            total += own * own / soft.mass[i]
    return np.sqrt(total)


@kernel
def soft_balance(alpha, qdot, qddot, r, gravity, soft):
    """Size of what is in balance at free nodes."""
    total = 0.0
    for i in range(soft.dofs.shape[0]):
        for a in range(3):
            k, m = soft.dofs[i] + a, soft.mass[i]
            own = m * (qddot[k] - gravity[a])
            applied, moving = own - r[k], alpha * m * qdot[k]
            total += (own * own + applied * applied + moving * moving) / m
    return np.sqrt(total)


@kernel
def whole_balance(alpha, count, qdot, qddot, run):
    """Size of what is in balance at free nodes and joints.

    Needs: `fill_defect`. The wrenches of the tree's own forces count as the residual's do.
    """
    system, matrices = run.system, run.matrices
    own = soft_balance(alpha, qdot, qddot, matrices.defect[count:], system.tree.gravity, system.soft)
    trees = balance(alpha, qdot, matrices.defect[count:], system, matrices.M)
    return np.sqrt(own * own + trees * trees)


@kernel
def soft_noise(alpha, qdot, soft, K):
    """What rounding of places and momenta leaves in the residual of free nodes."""
    total = 0.0
    for i in range(soft.dofs.shape[0]):
        for a in range(3):
            own = alpha * soft.mass[i] * abs(qdot[soft.dofs[i] + a])
            for b in range(3):
                own += abs(K[9 * soft.diagonal[i] + 3 * b + a]) * abs(soft.x[i, b])
            total += own * own / soft.mass[i]
    return ROUNDING * np.sqrt(total)


@kernel(inline=False)
def renew_matrix(t, alpha, count, q, qdot, qddot, run):
    """The matrix of the stage and its factors; False if it is singular.

    Needs: `fill_defect` at the same place.
    """
    system, matrices = run.system, run.matrices
    M, D, K, linear, solver = matrices.M, matrices.D, matrices.K, matrices.linear, matrices.soft
    soft, joints = system.soft, system.soft.first
    solver.kept[KEPT_ALPHA] = 0.0
    fill_linear(t, q, qdot, qddot, system, linear, M, D, K)
    fill_node_slopes(soft, linear.soft)
    combine(alpha, 1.0, 1.0 / alpha, system.tree, soft, linear.soft, linear.partials.slopes, False)
    form_saddle(alpha, count, M, D, K, system.constraints.solver.B, solver.A)
    for i in range(joints):
        for j in range(joints):
            solver.A[count + i, count + j] += linear.soft.T[i, j]
    run.memory[MATRICES] += 1.0
    fill_scales(alpha, count, M, system.constraints.solver.B, soft, solver.scales)
    if not prepare_solve(count, soft, linear.soft, solver):
        return False
    solver.kept[KEPT_ALPHA] = alpha
    return True


@kernel
def errors(alpha, scale, count, qdot, run):
    """(error of the forces, of the rows' speeds), each relative.

    Needs: `fill_defect`.
    """
    system, defect, n = run.system, run.matrices.defect, qdot.shape[0]
    force = soft_size(defect[count : count + n], run.matrices.M, system.soft) / max(scale, 1e-300)
    if count == 0:
        return force, 0.0
    joints = system.soft.first
    G = system.constraints.solver.B[:, :joints]
    return force, worst_speed(alpha, scale, qdot[:joints], run.matrices.M, G, defect[:count])


@kernel(inline=False)
def measure(t, alpha, scale, count, q_hat, v_hat, q, qdot, qddot, run):
    """The errors at qdot, with q and qddot there."""
    follow(alpha, qdot, q_hat, v_hat, q, qddot)
    fill_defect(t, q, qdot, qddot, count, run)
    return errors(alpha, scale, count, qdot, run)


@kernel(inline=False)
def search(t, alpha, scale, count, halvings, error, q_hat, v_hat, q, qdot, qddot, run):
    """The errors after the change, or after the largest half, quarter, ... of it that makes them smaller.

    After so many halvings in vain nothing is changed. Needs: the change. Leaves: qdot and the multipliers there.
    """
    lam, change, start = run.system.constraints.solver.lam, run.matrices.change, run.scratch[2]
    n, fraction, taken, force, speed = q.shape[0], 1.0, 0.0, np.inf, np.inf
    for k in range(n):
        start[k] = qdot[k]
    for attempt in range(halvings + 1):
        fraction = 0.0 if attempt == halvings else 0.5**attempt
        for k in range(n):
            qdot[k] = start[k] - fraction * change[count + k]
        for i in range(count):
            lam[i] -= (fraction - taken) * change[i]
        taken = fraction
        force, speed = measure(t, alpha, scale, count, q_hat, v_hat, q, qdot, qddot, run)
        if max(force, speed) < error:
            break
    return force, speed


@kernel
def begin(alpha, v_hat, qdot, solver):
    """The guess from which a stage begins: the accelerations of the one before, if there was one."""
    if solver.kept[KNOWN] != 0.0:
        for k in range(qdot.shape[0]):
            qdot[k] = v_hat[k] + solver.qddot[k] / alpha
    solver.kept[KNOWN] = 0.0


@kernel
def keep(qddot, solver):
    """Keep the accelerations of a stage that is solved."""
    solver.kept[KNOWN] = 1.0
    for k in range(qddot.shape[0]):
        solver.qddot[k] = qddot[k]


@kernel(on_demand=types.int64)
def solve_stage_soft(t, alpha, q_hat, v_hat, q, qdot, qddot, run):
    """From the guess qdot to the solution, with its q and qddot: OK or FAILED."""
    constraints, matrices, memory, solver = run.system.constraints, run.matrices, run.memory, run.matrices.soft
    soft, joints = run.system.soft, run.system.soft.first
    count = choose_rows(constraints.levels, constraints.unilateral, VELOCITY, constraints.solver.chosen)
    scale = rounding = force = speed = 0.0
    stale, memory[RESIDUAL] = solver.kept[KEPT_ALPHA] != alpha, np.inf
    begin(alpha, v_hat, qdot, solver)
    follow(alpha, qdot, q_hat, v_hat, q, qddot)
    fill_defect(t, q, qdot, qddot, count, run)
    for iteration in range(MOST_ITERATIONS + 1):
        fresh = stale
        if stale and not renew_matrix(t, alpha, count, q, qdot, qddot, run):
            return FAILED
        if iteration == 0:
            scale = whole_balance(alpha, count, qdot, qddot, run)
        if stale or iteration == 0:
            rounding = soft_noise(alpha, qdot, soft, matrices.linear.soft.K)
            rounding += noise(alpha, q[:joints], qdot[:joints], matrices.M, matrices.K)
            force, speed = errors(alpha, scale, count, qdot, run)
        error = max(force, speed)
        memory[RESIDUAL] = error
        if not error < np.inf:
            return FAILED
        if force <= max(TOLERANCE, rounding / max(scale, 1e-300)) and speed <= TOLERANCE:
            keep(qddot, solver)
            return OK
        if iteration == MOST_ITERATIONS:
            break
        memory[ITERATIONS] += 1.0
        gather(count, matrices.defect, soft, solver.rhs)
        solve_whole(count, max(LOOSE, 0.3 * TOLERANCE / error), soft, matrices.linear.soft, solver)
        scatter(count, solver.x, soft, matrices.change)
        halvings = MOST_HALVINGS if fresh else 1
        force, speed = search(t, alpha, scale, count, halvings, error, q_hat, v_hat, q, qdot, qddot, run)
        stale = not max(force, speed) < FAST * error
        if fresh and not max(force, speed) < error:
            break
    return OK if max(force, speed) <= STALLED else FAILED
