"""Linearly implicit Euler: one linear solve a step, stiff forces taken where they lead (dissertation Eq. 4.82).

    (M - h D - h^2 K) qdot1 = M qdot + h (f - C - D qdot),   q1 = q + h qdot1

M, the velocity forces C and gravity are those of the old state. K = J^T K_m J and D = J^T D_m J are the slopes of the
forces alone (and not of gravity or inertia) as the bodies feel them. Forces given in time are taken at the new time.
"""

from .._jit import kernel
from ..algorithms import lu
from ..dynamics.kernels import fill_residual, fill_whole_mass
from ..forces.stiffness import add_stiffness
from .base import FAILED, MATRICES, OK
from .controller import update_torques


@kernel(inline=False)
def form_system(t, h, state, run):
    """The matrix into H, the right-hand side into the first row of scratch; M is left as it is."""
    q, qdot, _, _, memory = state
    system, forces, control, scratch, (linear, M, D, K, H, _), _ = run
    r, still = scratch[0], scratch[2]
    n = q.shape[0]
    for k in range(n):
        still[k] = 0.0
    update_torques(t + h, q, qdot, control)
    fill_residual(t + h, q, qdot, still, control[0], system, forces, r)
    D[:, :] = 0.0
    K[:, :] = 0.0
    add_stiffness(t + h, q, qdot, system, forces, linear, 1.0, True, D, K)
    fill_whole_mass(t + h, q, qdot, still, system, forces, M)
    for i in range(n):
        total = -h * r[i]
        for j in range(n):
            H[i, j] = M[i, j] - h * (D[i, j] + h * K[i, j])
            total += (M[i, j] - h * D[i, j]) * qdot[j]
        r[i] = total
    memory[MATRICES] += 1.0


@kernel(inline=False)
def step(t, h, state, run):
    """One step of one linear solve."""
    q, qdot = state[0], state[1]
    r, v_new = run[3][0], run[3][1]
    H, order = run[4][4], run[4][5]
    form_system(t, h, state, run)
    if not lu.factorise(H, order):
        return FAILED
    lu.solve(H, order, r, v_new)
    for k in range(q.shape[0]):
        qdot[k] = v_new[k]
        q[k] += h * v_new[k]
    return OK
