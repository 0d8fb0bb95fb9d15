"""M_r, the reduced mass matrix: by composite bodies (O(n depth)) or as J^T M_m J (supplement Eq. 12)."""

import numpy as np

from .._jit import kernel
from ..model import Model
from ..model.border import check_finite, inputs
from ..spatial.algebra import add, cross, dot, load3, load6
from .inertias import all_finite, place_composite, rigid_times
from .kinematics import move_all
from .redmax import reduced_system


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


@kernel
def fill_columns(system, M):
    """Fill M from composite inertias, zeros where two joints have no common chain to the root."""
    links, _, _, _, work, dofs = system
    M[:, :] = 0.0
    for i in range(1, links.shape[0]):
        for k in range(links[i].dof, links[i].dof + links[i].ndof):
            fill_column(i, k, links, work, dofs, M)


@kernel
def fill_mass(system, M):
    """Fill M; the links' poses must stand."""
    place_composite(system[0], system[4])
    fill_columns(system, M)


@kernel(entry=True)
def composite_bodies(system, q, qdot, M):
    """Fill M at q; True if q is finite."""
    move_all(system, q, qdot)
    fill_mass(system, M)
    return all_finite(q)


def mass_matrix(model: Model, q: np.ndarray, method: str = "composite") -> np.ndarray:
    """M_r, reduced mass matrix, symmetric positive definite [kg m^2, kg m or kg]. (ndof, ndof)

    method "composite": composite rigid bodies; "redmax": J_mr^T M_m J_mr.
    """
    if method == "redmax":
        return reduced_system(model, q, None, None)[0]
    if method != "composite":
        raise ValueError(f'mass_matrix: the method is "composite" or "redmax", not {method!r}')
    space, (q, still) = inputs(model, "q qdot", q, None)
    M = np.empty((model.ndof, model.ndof), q.dtype)
    if not composite_bodies(space.system, q, still, M):
        check_finite(q=q)
    return M
