"""O(n) products with the Jacobian, without forming it (supplement Alg. 2 and 3).

y(i) = Ad y(p) + S x,     z(i) = Ad z(p) - ad(S qdot) Ad y(p) + Sdot x,     x = J^T y inwards like wrenches
"""

import numpy as np

from .._jit import kernel
from ..joints.links import move_link
from ..model import Model
from ..model.border import check_array, check_finite, inputs
from ..model.workspace import open_tree
from ..reduction.border import joint_motion
from ..spatial.algebra import add, add_scaled, cross, load3, mul_T, store3, sub
from ..spatial.se3 import ad_twist
from .inertias import subtract_wrenches
from .kinematics import body_place, move_all
from .rnea import pass_wrench


@kernel
def sweep(link, here, parent, x, qdot, dofs):
    """y and z of a link, kept in its record as (a_w, a_v) and (n, f).

    Needs: pose and columns of the link, y and z of its parent.
    """
    r, y_w, z_w = load3(here.r), load3(parent.a_w), load3(parent.n)
    y_v, z_v = add(load3(parent.a_v), cross(y_w, r)), add(load3(parent.f), cross(z_w, r))
    for k in range(link.dof, link.dof + link.ndof):
        column = dofs[k]
        s_w, s_v = load3(column.s_w), load3(column.s_v)
        turned_w, turned_v = ad_twist(s_w, s_v, load3(parent.a_w), add(load3(parent.a_v), cross(load3(parent.a_w), r)))
        z_w = add_scaled(add_scaled(z_w, -qdot[k], turned_w), x[k], load3(column.sdot_w))
        z_v = add_scaled(add_scaled(z_v, -qdot[k], turned_v), x[k], load3(column.sdot_v))
        y_w, y_v = add_scaled(y_w, x[k], s_w), add_scaled(y_v, x[k], s_v)
    store3(here.a_w, y_w)
    store3(here.a_v, y_v)
    store3(here.n, z_w)
    store3(here.f, z_v)


@kernel
def store_twist(out, R, offset, w, v):
    """Write the twist (w, v) of a link as that of a body on it, in the body's frame. (6,)"""
    store3(out[:3], mul_T(R, w))
    store3(out[3:], mul_T(R, add(v, cross(w, offset))))


@kernel(entry=True)
def products(handle, q, qdot, x, y, z):
    """y = J x and z = Jdot x for all bodies, for Python. (nbodies, 6) each"""
    tree = open_tree(handle, q)
    links, bodies, params, work, dofs = tree.links, tree.bodies, tree.params, tree.work, tree.dofs
    world = work[0]
    still = sub(load3(world.w), load3(world.w))
    store3(world.a_v, still)
    store3(world.n, still)
    store3(world.f, still)
    for i in range(1, links.shape[0]):
        move_link(i, links, params, q, qdot, work, dofs)
        sweep(links[i], work[i], work[links[i].parent], x, qdot, dofs)
    for i in range(bodies.shape[0]):
        here = work[bodies[i].link]
        R, offset = body_place(bodies[i], here)
        store_twist(y[i], R, offset, load3(here.a_w), load3(here.a_v))
        store_twist(z[i], R, offset, load3(here.n), load3(here.f))


@kernel(entry=True)
def transpose_product(handle, q, qdot, y, x):
    """x = J^T y for wrenches y on all bodies, for Python. (ndof,)"""
    tree = open_tree(handle, q)
    links, bodies, work, dofs = tree.links, tree.bodies, tree.work, tree.dofs
    move_all(tree, q, qdot)
    still = load3(work[0].w)
    for i in range(links.shape[0]):
        store3(work[i].n, still)
        store3(work[i].f, still)
    subtract_wrenches(bodies, y, work)
    pass_wrench(links, work, dofs, x)
    for k in range(x.shape[0]):
        x[k] = -x[k]


def jacobian_products(model: Model, q: np.ndarray, qdot: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(J x, Jdot x), O(n). (6 nbodies,) each; supplement Alg. 2"""
    space, (q, qdot, x) = inputs(model, "q qdot x", q, qdot, x)
    check_finite(q=q, qdot=qdot, x=x)
    if model.reduction is not None:
        motion = joint_motion(model, q, qdot)
        at = model.whole, motion.q, motion.qdot
        y, z = jacobian_products(*at, motion.J @ x)
        return y, z + jacobian_products(*at, motion.Jdot @ x)[0]
    y, z = np.empty((2, model.nbodies, 6), q.dtype)
    products(space.tree.handle, q, qdot, x, y, z)
    return y.ravel(), z.ravel()


def jacobian_transpose_product(model: Model, q: np.ndarray, y: np.ndarray) -> np.ndarray:
    """J^T y, O(n): generalized forces of wrenches y on all bodies, in their own frames. (ndof,); supplement Alg. 3"""
    y = check_array("y", y, (6 * model.nbodies,), f"model {model.name!r} has {model.nbodies} bodies")
    if model.reduction is not None:
        motion = joint_motion(model, q)
        return motion.J.T @ jacobian_transpose_product(model.whole, motion.q, y)
    space, (q, still) = inputs(model, "q qdot", np.asarray(q, complex) if np.iscomplexobj(y) else q, None)
    check_finite(q=q, y=y)
    y = y.astype(q.dtype).reshape(-1, 6)
    x = np.zeros(model.ndof, q.dtype)
    transpose_product(space.tree.handle, q, still, y, x)
    return x
