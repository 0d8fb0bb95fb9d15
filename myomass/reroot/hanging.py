"""The kernels of re-rooting: the new joint's frames, how its body moves there, its rates, and the tree hung by it."""

import numpy as np

from .._jit import kernel
from ..algorithms.inertias import all_finite
from ..algorithms.rnea import accelerate
from ..joints.links import move_link
from ..model.workspace import open_tree
from ..spatial.algebra import add, cross, dot, load3, load33, matmul, mul, mul_T, store3, store33, sub, transpose
from ..spatial.se3 import compose, invert
from ..spatial.so3 import rotation_log
from .rehang import E_LJ, E_PJ, Q0, Q
from .relink import DOF_MAP, STARTS, relink

BIND, NOW = 0, 1  # the new joint counts from the pose at q = 0, or from the present one
DEPENDENT = 1e-10  # part of a column's length, left after projection, that counts as zero
FOUND = 7
CUT_LINKS, CUT_PARAMS, CUT_DOFS, BARE, DISTANCE, REACH, SIZE = range(FOUND)  # what `measure` reports


@kernel
def shift_twist(w, v, r):
    """The twist (w, v) taken about a point that is r away: (w, v + w x r)."""
    return w, add(v, cross(w, r))


@kernel
def measure(links, bodies, params, parents, body, p, found):
    """Fill `found`: size of the old top joint, whether its body would be an end without mass, and three lengths [m].

    These are the distance of the point p of the body's link from the body, of the body's joints, and the tree's size.
    """
    top, below = body, body
    while parents[top] >= 0:
        below, top = top, parents[top]
    last = bodies[top].link
    first = last
    while links[first].parent != 0:
        first = links[first].parent
    end = links[last + 1].at if last + 1 < links.shape[0] else params.shape[0] - 1
    found[CUT_LINKS], found[CUT_PARAMS], found[CUT_DOFS] = last - first + 1, end - links[first].at, 0.0
    for i in range(first, last + 1):
        found[CUT_DOFS] += links[i].ndof
    children, freedoms, link = 0, 0, bodies[below].link
    for i in range(parents.shape[0]):
        children += parents[i] == top
    while link != last:
        freedoms += links[link].ndof
        link = links[link].parent
    found[BARE] = freedoms > 0 and bodies[top].mass == 0.0 and children == 1
    own, c = bodies[body].link, load3(bodies[body].p_lb)
    away = sub(p, c)
    reach, size = dot(c, c), 0.0
    for i in range(1, links.shape[0]):
        place = load3(links[i].p0)
        if links[i].parent > 0:
            size = max(size, dot(place, place))
        if links[i].parent == own:
            place = sub(place, c)
            reach = max(reach, dot(place, place))
    for i in range(bodies.shape[0]):
        place = load3(bodies[i].p_lb)
        size = max(size, dot(place, place))
    found[DISTANCE], found[REACH], found[SIZE] = np.sqrt(dot(away, away)), np.sqrt(reach), np.sqrt(size)


@kernel(entry=True)
def measure_place(handle, parents, body, p, found):
    """Fill `found` as `measure` does, for Python."""
    tree = open_tree(handle, found)
    measure(tree.links, tree.bodies, tree.params, parents, body, p, found)


@kernel(entry=True)
def place_new_joint(handle, parents, body, vectors, given, modes, frames, moving, found):
    """Fill the new joint's frames, and how the body moves there, for Python; False if the state is not finite.

    vectors = (q, qdot, qddot), given = (zeros, point), modes = (is the point in the body's frame, what the joint counts
    from, is E_pj given). frames: as rehang.py lists them; moving: w, v, Vdot of the body at the point, world axes,
    (4, 3).
    """
    (q, qdot, qddot), (zeros, point) = vectors, given
    tree = open_tree(handle, q)
    links, bodies, params, work, dofs = tree.links, tree.bodies, tree.params, tree.work, tree.dofs
    if not (all_finite(q) and all_finite(qdot) and all_finite(qddot) and all_finite(point)):
        return False
    link = bodies[body].link
    store3(work[0].a_w, (0.0, 0.0, 0.0))
    store3(work[0].a_v, (0.0, 0.0, 0.0))
    for i in range(1, links.shape[0]):
        move_link(i, links, params, zeros, zeros, work, dofs)
    R_bind = load33(work[link].R)
    for i in range(1, links.shape[0]):
        move_link(i, links, params, q, qdot, work, dofs)
        accelerate(links[i], work[i], work[links[i].parent], qddot, dofs)
    here = work[link]
    R, x = load33(here.R), load3(here.x)
    if modes[0]:
        p = add(mul(load33(bodies[body].R_lb), load3(point)), load3(bodies[body].p_lb))
    else:
        p = mul_T(R, sub(load3(point), x))
    r = mul(R, p)
    R_zero = R_bind if modes[1] == BIND else R
    if not modes[2]:
        store3(frames[E_PJ, :3, 3], sub(add(x, r), load3(frames[Q0, :3, 3])))
    R_pj, p_pj = load33(frames[E_PJ, :3, :3]), load3(frames[E_PJ, :3, 3])
    R_lj = matmul(transpose(R_zero), matmul(R_pj, load33(frames[Q0, :3, :3])))
    store33(frames[E_LJ, :3, :3], R_lj)
    store3(frames[E_LJ, :3, 3], p)
    store33(frames[Q, :3, :3], matmul(transpose(R_pj), matmul(R, R_lj)))
    store3(frames[Q, :3, 3], mul_T(R_pj, sub(add(x, r), p_pj)))
    w, v = shift_twist(load3(here.w), load3(here.v), r)
    a_w, a_v = shift_twist(load3(here.a_w), load3(here.a_v), r)
    store3(moving[0], w)
    store3(moving[1], v)
    store3(moving[2], a_w)
    store3(moving[3], a_v)
    measure(links, bodies, params, parents, body, p, found)
    return True


@kernel
def least_squares(columns, b, work, x):
    """Fill x that minimises |b - sum of x_k columns_k|, columns (n, 6), by Gram-Schmidt; dependent columns get 0."""
    n = columns.shape[0]
    for k in range(n):
        for i in range(6):
            work[k, i] = columns[k, i]
        x[k] = 0.0
        length = 0.0
        for i in range(6):
            length += columns[k, i] * columns[k, i]
        for _ in range(2):
            for j in range(k):
                share = 0.0
                for i in range(6):
                    share += work[j, i] * work[k, i]
                for i in range(6):
                    work[k, i] -= share * work[j, i]
        left = 0.0
        for i in range(6):
            left += work[k, i] * work[k, i]
        factor = 1.0 / np.sqrt(left) if left > DEPENDENT * DEPENDENT * length else 0.0
        for i in range(6):
            work[k, i] *= factor
    for k in range(n - 1, -1, -1):
        along, own = 0.0, 0.0
        for i in range(6):
            rest = b[i]
            for j in range(k + 1, n):
                rest -= x[j] * columns[j, i]
            along += work[k, i] * rest
            own += work[k, i] * columns[k, i]
        x[k] = along / own if own != 0.0 else 0.0


@kernel
def fill_columns(links, work, dofs, columns):
    """The columns of a joint's links as twists of the last one about its origin, world axes. (ndof, 6)

    Needs: poses and columns of the joint's links.
    """
    last = links.shape[0] - 1
    for i in range(1, last + 1):
        r = sub(load3(work[last].x), load3(work[i].x))
        for k in range(links[i].dof, links[i].dof + links[i].ndof):
            w, v = shift_twist(load3(dofs[k].s_w), load3(dofs[k].s_v), r)
            store3(columns[k, :3], w)
            store3(columns[k, 3:], v)


@kernel
def settle_rates(top, q_top, moving, offset):
    """Fill rates and accelerations of the new joint, q_top = (q, qdot, qddot), from the body's motion at the joint.

    Returns (dropped, speed): the length of the twist that the joint does not allow, and of the whole twist.

    Needs: poses and columns of the new joint's links.
    """
    links, params, work, dofs, scratch, _ = top
    n = dofs.shape[0]
    columns, rest, b = scratch[:n], scratch[n : 2 * n], scratch[2 * n]
    fill_columns(links, work, dofs, columns)
    w, v = shift_twist(load3(moving[0]), load3(moving[1]), offset)
    store3(b[:3], w)
    store3(b[3:], v)
    least_squares(columns, b, rest, q_top[1])
    dropped, speed = 0.0, 0.0
    for i in range(6):
        left = b[i]
        for k in range(n):
            left -= q_top[1, k] * columns[k, i]
        dropped += left * left
        speed += b[i] * b[i]
    for i in range(1, links.shape[0]):
        move_link(i, links, params, q_top[0], q_top[1], work, dofs)
        accelerate(links[i], work[i], work[i - 1], q_top[2], dofs)
    last = work[links.shape[0] - 1]
    a_w, a_v = shift_twist(load3(moving[2]), load3(moving[3]), offset)
    store3(b[:3], sub(a_w, load3(last.a_w)))
    store3(b[3:], sub(a_v, load3(last.a_v)))
    least_squares(columns, b, rest, q_top[2])
    return np.sqrt(dropped), np.sqrt(speed)


@kernel(entry=True)
def hang(body, top, joint, tree, made, rows, shifts, vectors, new_vectors):
    """Fill the new joint's rates, the new tree, and the state in it, for Python.

    Returns (turn, shift) by which the new joint misses the pose, its distance from the origin, and (dropped, speed) of
    `settle_rates`. joint = (is it free, frames, moving, q_top), the last with rows of q (of a free joint it is found
    here) and of zeros where qdot and qddot will be.
    """
    links, params, work, dofs, _, ends = top
    free, frames, moving, q_top = joint
    if free:
        store3(q_top[0, :3], load3(frames[Q, :3, 3]))
        store3(q_top[0, 3:], rotation_log(load33(frames[Q, :3, :3])))
    R_pj, p_pj = load33(frames[E_PJ, :3, :3]), load3(frames[E_PJ, :3, 3])
    R, p = compose(R_pj, p_pj, load33(ends[0, :3, :3]), load3(ends[0, :3, 3]))
    store33(links[1].R0, R)
    store3(links[1].p0, p)
    for i in range(1, links.shape[0]):
        move_link(i, links, params, q_top[0], q_top[1], work, dofs)
    last = work[links.shape[0] - 1]
    R_wj, p_wj = compose(R_pj, p_pj, load33(frames[Q, :3, :3]), load3(frames[Q, :3, 3]))
    R_lf, p_lf = invert(load33(ends[1, :3, :3]), load3(ends[1, :3, 3]))
    R_wf, p_wf = compose(R_wj, p_wj, R_lf, p_lf)
    missed, turn = sub(load3(last.x), p_wf), 0.0
    for i in range(3):
        for k in range(3):
            turn = max(turn, abs(last.R[i, k] - R_wf[i][k]))
    dropped, speed = settle_rates(top, q_top, moving, sub(load3(last.x), p_wj))
    D = compose(load33(frames[E_LJ, :3, :3]), load3(frames[E_LJ, :3, 3]), R_lf, p_lf)
    relink(body, tree, made, (links, params), dofs.shape[0], D, rows, shifts)
    first = rows[STARTS, body]
    for row in range(3):
        for k in range(vectors[row].shape[0]):
            if rows[DOF_MAP, k] >= 0:
                new_vectors[row, rows[DOF_MAP, k]] = vectors[row][k]
        for k in range(dofs.shape[0]):
            new_vectors[row, first + k] = q_top[row, k]
    return turn, np.sqrt(dot(missed, missed)), abs(p_pj[0]) + abs(p_pj[1]) + abs(p_pj[2]), dropped, speed
