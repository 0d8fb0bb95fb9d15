"""K = df/dq and D = df/dqdot of all forces at once, exact.

A law or formula is differentiated by complex step with respect to what it reads: one coordinate and its rate, or
x, v and w of a few points. The chain to the coordinates is then, for a point x of a link and a dof k below it,

    dx/dq_k = J_k = s_v + s_w x (x - x_k),   dv/dq_k = dJ_k/dt,   dw/dq_k = ds_w/dt + s_w x w,   dv/dqdot_k = J_k, ...

and where the force itself stays, its lever changes: d(J_k . f)/dq_j = f . (s_w,j x J_k) for j on a link further in, and
symmetrically; on k's own link the slope of its S comes in. With `maximal` the curvature is that of the bodies' own
exponential coordinates instead, J^T K_m J, and only of forces that store energy, and rates keep their place, as the
linearly implicit Euler step wants it.
"""

import numpy as np

from .._jit import Bundle, kernel
from .._jit import bundle as fields
from ..algorithms.rnea_partials import STEP
from ..joints.records import records
from ..model import Model
from ..spatial.algebra import add, cross, dot, load3, store3, sub
from .apply import evaluate
from .base import point_dtype
from .dispatch import follow_formula, follow_law

J, W, JDOT, WDOT = 0, 3, 6, 9  # where a column keeps J_k, s_w, dJ_k/dt and dw/dq_k


class Stiffness(Bundle):
    """Scratch of the derivatives of forces."""

    points = fields.plain(point_dtype(np.complex128))
    local = fields.numbers(2)
    columns = fields.numbers(3)  # of each point, (points, ndof, 12)
    changes = fields.numbers(2)
    span = fields.plain(np.int64)
    mark = fields.plain(np.int64)


def stiffness_scratch(model: Model) -> Stiffness:
    """Scratch for `add_stiffness`, sized for the element with the most points."""
    most = max([0, *model.forces.elements["count"].tolist()])
    return Stiffness(
        np.float64,
        points=records(most, point_dtype(np.complex128)),
        local=np.zeros((6 * most, 9 * most)),
        columns=np.zeros((most, model.joint_dofs, 12)),
        changes=np.zeros((2, 6 * most)),
        span=np.zeros(model.joint_dofs, np.int64),
        mark=np.zeros(model.joint_dofs, np.int64),
    )


@kernel
def copy_points(element, points, complex_points):
    """Copy an element's points into complex ones."""
    for i in range(element.count):
        here, there = points[element.first + i], complex_points[i]
        there.t = here.t
        for a in range(3):
            there.x[a], there.v[a], there.w[a] = here.x[a], here.v[a], here.w[a]


@kernel
def step_point(point, a, by):
    """Add `by` to entry a, 0 to 8, of (x, v, w) of a point."""
    if a < 3:
        point.x[a] += by
    elif a < 6:
        point.v[a - 3] += by
    else:
        point.w[a - 6] += by


@kernel(inline=False)
def local_slopes(element, params, points, complex_points, local):
    """local[6 i + a, 9 j + b]: derivative of entry a of (f, n) of point i along entry b of (x, v, w) of point j.

    Needs: x, v and w of the element's points.
    """
    copy_points(element, points, complex_points)
    chosen = complex_points[: element.count]
    for j in range(element.count):
        for b in range(9 if element.turns else 6):
            step_point(chosen[j], b, 1j * STEP)
            follow_formula(element.kind, params, element.at, chosen)
            step_point(chosen[j], b, -1j * STEP)
            for i in range(element.count):
                for a in range(3):
                    local[6 * i + a, 9 * j + b] = chosen[i].f[a].imag / STEP
                    local[6 * i + 3 + a, 9 * j + b] = chosen[i].n[a].imag / STEP if element.turns else 0.0


@kernel
def fill_columns(p, point, link, links, work, dofs, columns):
    """Fill J_k, s_w, dJ_k/dt and dw/dq_k of point p for every dof between its link and the root.

    Needs: poses and twists of the links; x, v and w of the point.
    """
    x, v, w = load3(point.x), load3(point.v), load3(point.w)
    i = link
    while i > 0:
        here = work[i]
        w_i, offset, drift = load3(here.w), sub(x, load3(here.x)), sub(v, load3(here.v))
        for k in range(links[i].dof, links[i].dof + links[i].ndof):
            column, s_w, s_v = columns[p, k], load3(dofs[k].s_w), load3(dofs[k].s_v)
            turned_w = add(cross(w_i, s_w), load3(dofs[k].sdot_w))
            turned_v = add(cross(w_i, s_v), load3(dofs[k].sdot_v))
            store3(column[J : J + 3], add(s_v, cross(s_w, offset)))
            store3(column[W : W + 3], s_w)
            store3(column[JDOT : JDOT + 3], add(turned_v, add(cross(turned_w, offset), cross(s_w, drift))))
            store3(column[WDOT : WDOT + 3], add(turned_w, cross(s_w, w)))
        i = links[i].parent


@kernel
def find_span(stamp, element, nodes, links, span, mark, columns):
    """List in span the degrees of freedom that move any of the element's points, and clear their columns.

    Returns how many. `stamp`, new for each element, marks those that are listed already.
    """
    size = 0
    for p in range(element.count):
        i = nodes[element.first + p].link
        while i > 0:
            for k in range(links[i].dof, links[i].dof + links[i].ndof):
                if mark[k] != stamp:
                    mark[k] = stamp
                    span[size] = k
                    size += 1
                    columns[: element.count, k, :] = 0.0
            i = links[i].parent
    return size


@kernel
def push(element, k, local, columns, changes, maximal):
    """Fill changes[0] and [1]: derivatives of all the points' (f, n) along q_k and along qdot_k."""
    for i in range(6 * element.count):
        along_q = along_rate = 0.0
        for j in range(element.count):
            column, row = columns[j, k], local[i, 9 * j : 9 * j + 9]
            for a in range(3):
                along_q += row[a] * column[J + a]
                along_rate += row[3 + a] * column[J + a]
                if element.turns:
                    along_rate += row[6 + a] * column[W + a]
                if not maximal:
                    along_q += row[3 + a] * column[JDOT + a]
                    if element.turns:
                        along_q += row[6 + a] * column[WDOT + a]
        changes[0, i], changes[1, i] = along_q, along_rate


@kernel
def pull_back(element, size, span, k, columns, changes, sign, D, K):
    """Add the changes along dof k, turned into generalized forces by J^T, to column k of K and D."""
    for s in range(size):
        row = span[s]
        for p in range(element.count):
            for a in range(6 if element.turns else 3):
                lever = sign * columns[p, row, a]
                K[row, k] += lever * changes[0, 6 * p + a]
                D[row, k] += lever * changes[1, 6 * p + a]


@kernel
def bend(own, inner, f, maximal):
    """f . (derivative of J_k along q_j), j on the link of k or further in; without the slope of S."""
    bent = dot(f, cross(load3(inner[W : W + 3]), load3(own[J : J + 3])))
    if maximal:
        return 0.5 * (bent + dot(f, cross(load3(own[W : W + 3]), load3(inner[J : J + 3]))))
    return bent


@kernel(inline=False)
def turn_levers(element, p, node, point, links, work, slopes, columns, sign, maximal, K):
    """Add to K what a constant force f and moment n contribute because their levers J change with q."""
    o = point.x[0] * 0.0
    f, n = load3(point.f), (load3(point.n) if element.turns else (o, o, o))
    i = node.link
    while i > 0:
        link, offset = links[i], sub(load3(point.x), load3(work[i].x))
        for k in range(link.dof, link.dof + link.ndof):
            own = columns[p, k]
            for j in range(link.dof, link.dof + link.ndof):
                K[k, j] += sign * bend(own, columns[p, j], f, maximal)
                if not maximal:
                    dS = slopes[j].dS[k - link.dof]
                    d_w, d_v = load3(dS[:3]), load3(dS[3:])
                    turned = add(cross(load3(columns[p, j, W : W + 3]), load3(own[W : W + 3])), d_w)
                    K[k, j] += sign * (dot(f, add(d_v, cross(d_w, offset))) + dot(n, turned))
            a = link.parent
            while a > 0:
                for j in range(links[a].dof, links[a].dof + links[a].ndof):
                    bent = sign * bend(own, columns[p, j], f, maximal)
                    K[j, k] += bent
                    K[k, j] += bent
                    if element.turns and not maximal:
                        K[k, j] += sign * dot(n, cross(load3(columns[p, j, W : W + 3]), load3(own[W : W + 3])))
                a = links[a].parent
        i = link.parent


@kernel
def add_law(law, params, t, q, qdot, sign, D, K):
    """Add the slopes of one law to K and D, by two complex steps."""
    k = law.dof
    here, rate = q[k] + 0j, qdot[k] + 0j
    K[k, k] += sign * follow_law(law.kind, params, law.at, t, here + 1j * STEP, rate)[0].imag / STEP
    D[k, k] += sign * follow_law(law.kind, params, law.at, t, here, rate + 1j * STEP)[0].imag / STEP


@kernel(unit=True)
def add_stiffness(t, q, qdot, tree, forces, slopes, scratch, sign, maximal, D, K):
    """K += sign df/dq and D += sign df/dqdot of all forces. (ndof, ndof) each

    Needs: poses and twists of the links and, unless `maximal`, the slopes of S (`rnea_partials`).
    """
    laws, elements, nodes, params, points = forces.laws, forces.elements, forces.nodes, forces.params, forces.points
    complex_points, local, columns, changes = scratch.points, scratch.local, scratch.columns, scratch.changes
    span, mark, links, work, dofs = scratch.span, scratch.mark, tree.links, tree.work, tree.dofs
    mark[:] = 0
    for i in range(laws.shape[0]):
        add_law(laws[i], params, t, q, qdot, sign, D, K)
    for e in range(elements.shape[0]):
        element = elements[e]
        evaluate(t, element, nodes, params, work, points)
        local_slopes(element, params, points, complex_points, local)
        size = find_span(e + 1, element, nodes, links, span, mark, columns)
        for p in range(element.count):
            node, point = nodes[element.first + p], points[element.first + p]
            fill_columns(p, point, node.link, links, work, dofs, columns)
            if element.stores or not maximal:
                turn_levers(element, p, node, point, links, work, slopes, columns, sign, maximal, K)
        for s in range(size):
            push(element, span[s], local, columns, changes, maximal)
            pull_back(element, size, span, span[s], columns, changes, sign, D, K)
