"""The dense RedMax form of the equations of motion (supplement Eq. 9-12), summed body by body.

(J^T M_m J) qddot = tau + J^T (f_m - M_m Jdot qdot),    f_m = ad(phi)^T M_m phi + gravity + wrenches
"""

import numpy as np

from .._jit import kernel
from ..model import Model
from ..model.border import check_finite, check_wrenches, inputs, singular
from ..spatial.algebra import add, cross, load3, mul_T, scale, store3
from .cholesky import factorise, solve
from .jacobian import fill_rows
from .kinematics import body_place, body_twist, move_all


@kernel
def maximal_force(body, here, gravity, force):
    """f_m of one body in its own frame without wrenches: gyroscopic moment, Coriolis force and weight (Eq. 9)."""
    R, offset = body_place(body, here)
    w, v = body_twist(R, offset, here)
    moments = load3(body.moments)
    h = (moments[0] * w[0], moments[1] * w[1], moments[2] * w[2])
    store3(force[:3], cross(h, w))
    store3(force[3:], scale(body.mass, add(cross(v, w), mul_T(R, load3(gravity)))))


@kernel
def add_body(body, qdot, J, Jdot, force, M, f):
    """Add J^T M_m J and J^T (f_m - M_m Jdot qdot) of one body; the lower triangle of M suffices."""
    n = qdot.shape[0]
    for i in range(6):
        inertia = body.moments[i] if i < 3 else body.mass
        for k in range(n):
            force[i] -= inertia * Jdot[i, k] * qdot[k]
        for k in range(n):
            if J[i, k] == 0.0:
                continue
            f[k] += J[i, k] * force[i]
            weighted = inertia * J[i, k]
            for j in range(k + 1):
                M[k, j] += weighted * J[i, j]


@kernel(inline=False)
def reduce_system(system, q, qdot, tau, wrenches, scratch, M, f):
    """Fill the lower triangle of M_r and f_r. scratch: two arrays (6, ndof) and one of 6."""
    links, bodies, _, gravity, work, dofs = system
    J, Jdot, force = scratch
    move_all(system, q, qdot)
    M[:, :] = 0.0
    for k in range(f.shape[0]):
        f[k] = tau[k]
    for i in range(bodies.shape[0]):
        body = bodies[i]
        fill_rows(links, body, work, dofs, J, Jdot)
        maximal_force(body, work[body.link], gravity, force)
        if wrenches.shape[0] > 0:
            for k in range(6):
                force[k] += wrenches[i, k]
        add_body(body, qdot, J, Jdot, force, M, f)


@kernel
def accelerate_dense(system, q, qdot, tau, wrenches, dense, qddot):
    """qddot by Cholesky's factorisation of J^T M_m J. dense = (J, Jdot, force, M), see `dense_scratch`."""
    J, Jdot, force, M = dense
    reduce_system(system, q, qdot, tau, wrenches, (J, Jdot, force), M, qddot)
    factorise(M)
    solve(M, qddot)


@kernel(entry=True)
def fill_reduced(system, q, qdot, tau, wrenches, scratch, M, f):
    """M_r and f_r for Python, M_r whole."""
    reduce_system(system, q, qdot, tau, wrenches, scratch, M, f)
    for i in range(M.shape[0]):
        for j in range(i):
            M[j, i] = M[i, j]


def dense_scratch(ndof: int, scalar: type) -> tuple[np.ndarray, ...]:
    """(J, Jdot, force, M): what the dense form needs beside the system."""
    return np.zeros((6, ndof), scalar), np.zeros((6, ndof), scalar), np.zeros(6, scalar), np.zeros((ndof, ndof), scalar)


def reduced_system(
    model: Model, q: np.ndarray, qdot: np.ndarray | None, tau: np.ndarray | None, wrenches: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """(M_r, f_r) of M_r qddot = f_r. (ndof, ndof), (ndof,)"""
    if wrenches is not None:
        q, wrenches = check_wrenches(model, q, wrenches)
    space, (q, qdot, tau) = inputs(model, "q qdot tau", q, qdot, tau)
    check_finite(q=q, qdot=qdot, tau=tau)
    wrenches = space.no_wrenches if wrenches is None else np.array(wrenches, q.dtype, order="C")
    J, Jdot, force, M = dense_scratch(model.ndof, q.dtype.type)
    f = np.empty(model.ndof, q.dtype)
    fill_reduced(space.system, q, qdot, tau, wrenches, (J, Jdot, force), M, f)
    return M, f


def dense_accelerations(
    model: Model, q: np.ndarray, qdot: np.ndarray, tau: np.ndarray | None, wrenches: np.ndarray | None
) -> np.ndarray:
    """qddot = M_r^-1 f_r of the tree, without the model's forces. (ndof,)"""
    M_r, f_r = reduced_system(model, q, qdot, tau, wrenches)
    check_pivots(model, M_r.real)
    return np.linalg.solve(M_r, f_r)


def check_pivots(model: Model, M_r: np.ndarray) -> None:
    """A sentence if M_r, scaled to unit diagonal, has an eigenvalue that is only rounding."""
    scale = np.sqrt(np.diag(M_r))
    if (scale == 0).any():
        raise singular(model, int(np.argmin(scale)))
    scaled = M_r / np.outer(scale, scale)
    values, vectors = np.linalg.eigh(scaled)
    if len(values) and not values[0] > model.workspace.rounding:
        raise singular(model, int(np.argmax(np.abs(vectors[:, 0]))))
