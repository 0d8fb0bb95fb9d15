"""Recursive inverse dynamics in the links' own frames, as the tutorial tells it (section 7, re-derived).

Every vector of link k is given in the axes of link k. R_k and d_k are its rotation and place in its parent p, c_k is
its centre of mass; sigma = S_w qdot and nu = S_v qdot are what its joint does, so that translations are served too.

    omega_k  = R^T omega_p + sigma                                                                      (Eq. 78)
    alpha_k  = R^T alpha_p + sigma' + omega_k x sigma                                                   (Eq. 80)
    a_k      = R^T (a_p + alpha_p x (d_k - c_p) + omega_p x (omega_p x (d_k - c_p)))
               + nu' + (2 omega_k - sigma) x nu + alpha_k x c_k + omega_k x (omega_k x c_k)             (Eq. 79, 84)

    f_k      = m a_k + sum R_i f_i                                                                      (Eq. 72)
    tau_k    = I alpha_k + omega_k x I omega_k + c_k x f_k + sum R_i tau_i + (d_i - c_k) x R_i f_i      (Eq. 73)

with sigma' = S_w qddot + Sdot_w qdot, nu' likewise, and sums over children i. a_k is the acceleration of the centre of
mass, its vector turned into the link's axes; velocities of centres (Eq. 76, 83) are not needed. Gravity is an
acceleration -g of the world (Eq. 85).
"""

import numpy as np

from .._jit import kernel
from ..joints.dispatch import link_motion
from ..model import Model
from ..model.border import check_finite, inputs
from ..model.workspace import open_tree
from ..reduction.border import refuse_reduced
from ..spatial.algebra import load3, load33, store3, store33
from ..spatial.se3 import compose


@kernel(entry=True)
def links_in_parents(handle, q, qdot, R, d):
    """Fill R_k and d_k of every link, (links, 3, 3) and (links, 3), for Python.

    Leaves: the columns of S and Sdot in dofs, in each link's own axes.
    """
    tree = open_tree(handle, q)
    links, params, dofs = tree.links, tree.params, tree.dofs
    for k in range(1, links.shape[0]):
        R_q, d_q = link_motion(links[k], params, q, qdot, dofs)
        R_k, d_k = compose(load33(links[k].R0), load3(links[k].p0), R_q, d_q)
        store33(R[k], R_k)
        store3(d[k], d_k)


def local_frame_inverse_dynamics(
    model: Model, q: np.ndarray, qdot: np.ndarray | None = None, qddot: np.ndarray | None = None
) -> np.ndarray:
    """tau = M qddot + C, by two passes over links in their own frames, O(n) [N m or N]. (ndof,); tutorial Eq. 72-85

    For reading and checking: mm.inverse_dynamics gives the same, much faster, and counts the model's forces
    (mm.applied_forces) and muscles, which are left out here.
    """
    refuse_reduced(model, "local_frame_inverse_dynamics")
    space, (q, qdot, qddot) = inputs(model, "q qdot qddot", q, qdot, qddot)
    check_finite(q=q, qdot=qdot, qddot=qddot)
    links, n = model.links, len(model.links)
    R, d = np.zeros((n, 3, 3), q.dtype), np.zeros((n, 3), q.dtype)
    links_in_parents(space.tree.handle, q, qdot, R, d)
    columns = space.tree.dofs
    S_w, S_v, Sdot_w, Sdot_v = (np.asarray(columns[key]) for key in ("s_w", "s_v", "sdot_w", "sdot_v"))
    c, inertia = _centres_of_mass(model)

    omega, alpha, a, f, tau = np.zeros((5, n, 3), q.dtype)
    a[0] = -model.gravity
    for k in range(1, n):
        p, own, R_T = links[k]["parent"], _dofs(links[k]), R[k].T
        arm = d[k] - c[p]
        sigma, nu = qdot[own] @ S_w[own], qdot[own] @ S_v[own]
        sigma_rate = qddot[own] @ S_w[own] + qdot[own] @ Sdot_w[own]
        nu_rate = qddot[own] @ S_v[own] + qdot[own] @ Sdot_v[own]
        omega[k] = R_T @ omega[p] + sigma
        alpha[k] = R_T @ alpha[p] + sigma_rate + np.cross(omega[k], sigma)
        a[k] = R_T @ (a[p] + np.cross(alpha[p], arm) + np.cross(omega[p], np.cross(omega[p], arm)))
        a[k] += nu_rate + np.cross(2.0 * omega[k] - sigma, nu)
        a[k] += np.cross(alpha[k], c[k]) + np.cross(omega[k], np.cross(omega[k], c[k]))

    answer = np.zeros_like(q)
    for k in range(n - 1, 0, -1):  # f[k] and tau[k] hold what the children sent: sums of R f and R tau + (d - c) x R f
        p, own = links[k]["parent"], _dofs(links[k])
        f[k] += links[k]["mass"] * a[k]
        tau[k] += inertia[k] @ alpha[k] + np.cross(omega[k], inertia[k] @ omega[k]) + np.cross(c[k], f[k])
        answer[own] = S_w[own] @ tau[k] + S_v[own] @ f[k]
        f[p] += R[k] @ f[k]
        tau[p] += R[k] @ tau[k] + np.cross(d[k] - c[p], R[k] @ f[k])
    return answer


def _dofs(link: np.ndarray) -> slice:
    """Degrees of freedom of a link, a slice."""
    return slice(int(link["dof"]), int(link["dof"] + link["ndof"]))


def _centres_of_mass(model: Model) -> tuple[np.ndarray, np.ndarray]:
    """(c, I): centres of mass [m] and inertia about them, in the links' axes. (links, 3), (links, 3, 3)"""
    c, inertia = np.zeros((len(model.links), 3)), np.zeros((len(model.links), 3, 3))
    at, R = model.bodies["link"], model.bodies["R_lb"]
    c[at], inertia[at] = model.bodies["p_lb"], (R * model.bodies["moments"][:, None, :]) @ R.swapaxes(1, 2)
    return c, inertia
