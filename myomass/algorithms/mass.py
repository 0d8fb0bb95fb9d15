"""M_r, the reduced mass matrix: by composite bodies (O(n depth)) or as J^T M_m J (supplement Eq. 12)."""

import numpy as np

from .._jit import kernel
from ..model import Model
from ..model.border import check_finite, inputs
from ..spatial.algebra import add, add6, add_scaled, cross, dot, load3, load6, scale, store3, store6
from .inertias import rigid_times, world_inertia
from .jacobian import jacobians
from .kinematics import move_all


@kernel
def shifted_inertia(m, c, A, r):
    """(c, A) of a rigid inertia about a point r back: c + m r, A + m(r.r - r r^T) + 2 c.r - c r^T - r c^T."""
    e = add_scaled(scale(2.0, c), m, r)  # A' = A + (r.e) I - (r e^T + e r^T)/2
    re = dot(r, e)
    sym = (
        re - r[0] * e[0],
        -0.5 * (r[0] * e[1] + r[1] * e[0]),
        -0.5 * (r[0] * e[2] + r[2] * e[0]),
        re - r[1] * e[1],
        -0.5 * (r[1] * e[2] + r[2] * e[1]),
        re - r[2] * e[2],
    )
    return add_scaled(c, m, r), add6(A, sym)


@kernel
def place_composite(links, work):
    """Composite inertia of every link: its own and all that it carries, kept as (C[0], n, A) = (m, c, A)."""
    for i in range(1, links.shape[0]):
        m, c, A = world_inertia(links[i], work[i])
        work[i].C[0] = m
        store3(work[i].n, c)
        store6(work[i].A, A)
    for i in range(links.shape[0] - 1, 0, -1):
        here, parent = work[i], work[links[i].parent]
        if links[i].parent > 0:
            m = here.C[0]
            c, A = shifted_inertia(m, load3(here.n), load6(here.A), load3(here.r))
            parent.C[0] += m
            store3(parent.n, add(load3(parent.n), c))
            store6(parent.A, add6(load6(parent.A), A))


@kernel
def fill_column(i, k, links, work, dofs, M):
    """Row and column k, of link i, in M: the composite's wrench under s_k, felt by every joint further in."""
    here = work[i]
    n, f = rigid_times(here.C[0], load3(here.n), load6(here.A), load3(dofs[k].s_w), load3(dofs[k].s_v))
    while i > 0:
        link = links[i]
        for j in range(link.dof, link.dof + link.ndof):
            M[j, k] = dot(load3(dofs[j].s_w), n) + dot(load3(dofs[j].s_v), f)
            M[k, j] = M[j, k]
        n = add(n, cross(load3(work[i].r), f))
        i = link.parent


@kernel(entry=True)
def composite_bodies(system, q, qdot, M):
    """Fill M, zeros where two joints have no common chain to the root."""
    links, _, _, _, work, dofs = system
    move_all(system, q, qdot)
    place_composite(links, work)
    M[:, :] = 0.0
    for i in range(1, links.shape[0]):
        for k in range(links[i].dof, links[i].dof + links[i].ndof):
            fill_column(i, k, links, work, dofs, M)


def mass_matrix(model: Model, q: np.ndarray, method: str = "composite") -> np.ndarray:
    """M_r, reduced mass matrix, symmetric positive definite. (ndof, ndof)

    method "composite": composite rigid bodies; "redmax": J_mr^T M_m J_mr.
    """
    if method == "redmax":
        return project_mass(jacobians(model, q, None)[0], maximal_mass(model))
    if method != "composite":
        raise ValueError(f'mass_matrix: the method is "composite" or "redmax", not {method!r}')
    space, (q, still) = inputs(model, "q qdot", q, None)
    M = np.empty((model.ndof, model.ndof), q.dtype)
    composite_bodies(space.system, q, still, M)
    if not np.isfinite(M).all():
        check_finite(q=q)
    return M


def maximal_mass(model: Model) -> np.ndarray:
    """Diagonal of M_m, a row per body: (Ix, Iy, Iz, m, m, m). (nbodies, 6)"""
    return np.hstack([model.bodies["moments"], np.repeat(model.bodies["mass"][:, None], 3, axis=1)])


def project_mass(J: np.ndarray, M_m: np.ndarray) -> np.ndarray:
    """J^T M_m J for J (nbodies, 6, ndof) and the diagonal of M_m (nbodies, 6). (ndof, ndof)"""
    J = J.reshape(M_m.size, J.shape[-1])
    return (J * M_m.reshape(-1, 1)).T @ J
