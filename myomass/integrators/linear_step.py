"""The linear system of linearly implicit Euler (euler.py), with constraints (velocity.py) and without."""

from .._jit import kernel
from ..dynamics.equations import fill_residual, fill_whole_mass, move_links
from ..dynamics.muscled import add_slopes, add_tensions
from ..forces.stiffness import add_stiffness
from ..muscles.tension import answers_to_rates
from ..reduction.fold import fold_matrix
from .base import MATRICES, update_torques


@kernel
def fill_soft_slopes(t, q, qdot, still, system, linear, D, K):
    """D and K of the forces alone, over the joints, as the step counts them."""
    D[:, :] = 0.0
    K[:, :] = 0.0
    add_stiffness(t, q, qdot, system.tree, system.forces, linear.partials.slopes, linear.stiffness, 1.0, True, D, K)
    if answers_to_rates(system.muscles):
        add_slopes(t, q, qdot, still, system.muscles, linear, True, True, D, K)


@kernel(unit=True)
def form_system(t, h, run):
    """The matrix into H, the right-hand side into the first row of scratch; M is left as it is."""
    q, qdot, system, matrices = run.q, run.qdot, run.system, run.matrices
    M, D, K, H = matrices.M, matrices.D, matrices.K, matrices.H
    r, still, linear = run.scratch[0], run.scratch[2], matrices.linear
    n = q.shape[0]
    for k in range(n):
        still[k] = 0.0
    update_torques(t + h, q, qdot, run)
    fill_residual(t + h, q, qdot, still, run.tau, system.no_wrenches, system, r)
    if system.reduction.active != 0:
        reduction = system.reduction
        at = reduction.q, reduction.qdot, reduction.zeros
        fill_soft_slopes(t + h, at[0], at[1], at[2], system, linear, reduction.D, reduction.K)
        fold_matrix(reduction.D, reduction, D)
        fold_matrix(reduction.K, reduction, K)
    else:
        fill_soft_slopes(t + h, q, qdot, still, system, linear, D, K)
    fill_whole_mass(t + h, q, qdot, still, system, M)
    for i in range(n):
        total = -h * r[i]
        for j in range(n):
            H[i, j] = M[i, j] - h * (D[i, j] + h * K[i, j])
            total += (M[i, j] - h * D[i, j]) * qdot[j]
        r[i] = total
    run.memory[MATRICES] += 1.0


@kernel(inline=False)
def solve_states(t, run):
    """Solve for the states of muscles at the run's q and qdot, those at the end of the stage that is open."""
    muscles, dropped = run.system.muscles, run.scratch[0]
    if muscles.drive.hills.shape[0] > 0:
        muscles.drive.stage[1] = 0.0
        move_links(run.q, run.qdot, run.qdot, run.system)
        reduction = run.system.reduction
        if reduction.active != 0:
            add_tensions(t, reduction.q, reduction.qdot, run.system.tree, muscles, reduction.f)
        else:
            add_tensions(t, run.q, run.qdot, run.system.tree, muscles, dropped)
